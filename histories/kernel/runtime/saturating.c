/* Open orders of versions: which of the two orders of a pair would close a cycle.

   The nodes that a node reaches are a row of bits. A pair of which one order closes a cycle is
   forced into the other one; the edges of that order are added unless they follow from what is
   known, and all pairs are looked at again until nothing is added. */

enum { PLAIN, AGAINST, PASSED_ON }; /* classes of edges: any, rw, without a kind */

typedef struct {
    u32 size, nodes;
    bool twice;
    size_t words;
    u64 *reach;
    const u32 *firsts, *lasts, *reader_first, *readers;
} Open;

typedef struct {
    u32 source, target;
} Drawn;

typedef LIST(Drawn) DrawnList;

static void draw(Kernel *k, const Open *o, DrawnList *list, u32 source, u32 target, u32 class)
{
    if (!o->twice || class == PASSED_ON) {
        ADD(k, *list, ((Drawn){source, target}));
    } else if (class == AGAINST) {
        ADD(k, *list, ((Drawn){source + o->size, target}));
    } else {
        ADD(k, *list, ((Drawn){source, target}));
        ADD(k, *list, ((Drawn){source, target + o->size}));
    }
}

static bool reaches(const Open *o, u32 from, u32 to)
{
    return o->reach[from * o->words + to / 64] >> (to % 64) & 1;
}

/* Computes what each node reaches; returns false if the edges have a cycle. */
static bool close_over(Kernel *k, Open *o, const DrawnList *list)
{
    u32 *first = cleared(k, (size_t)o->nodes + 2, sizeof(u32));
    u32 *into = cleared(k, (size_t)o->nodes + 1, sizeof(u32));
    u32 *targets = taken(k, NULL, list->size * sizeof(u32) + 1);
    u32 *order = taken(k, NULL, (size_t)o->nodes * sizeof(u32) + 1), count = 0;
    for (size_t i = 0; i < list->size; i++) {
        first[list->at[i].source + 1]++;
        into[list->at[i].target]++;
    }
    for (u32 v = 0; v < o->nodes; v++)
        first[v + 1] += first[v];
    u32 *at = taken(k, NULL, (size_t)o->nodes * sizeof(u32) + 1);
    memcpy(at, first, (size_t)o->nodes * sizeof(u32));
    for (size_t i = 0; i < list->size; i++)
        targets[at[list->at[i].source]++] = list->at[i].target;
    for (u32 v = 0; v < o->nodes; v++)
        if (!into[v])
            order[count++] = v;
    for (u32 i = 0; i < count; i++) /* which grows */
        for (u32 j = first[order[i]]; j < first[order[i] + 1]; j++)
            if (!--into[targets[j]])
                order[count++] = targets[j];
    bool is_acyclic = count == o->nodes;
    for (u32 i = count; is_acyclic && i-- > 0;) {
        u64 *row = o->reach + order[i] * o->words;
        memset(row, 0, o->words * sizeof(u64));
        row[order[i] / 64] |= (u64)1 << (order[i] % 64);
        for (u32 j = first[order[i]]; j < first[order[i] + 1]; j++) {
            const u64 *other = o->reach + targets[j] * o->words;
            if (!reaches(o, order[i], targets[j]))
                for (size_t w = 0; w < o->words; w++)
                    row[w] |= other[w];
        }
        if (i % 1024 == 0)
            look_at_stop(k);
    }
    give_back(first);
    give_back(into);
    give_back(targets);
    give_back(order);
    give_back(at);
    return is_acyclic;
}

/* Returns whether an edge would close a cycle. */
static bool closes(const Open *o, u32 source, u32 target, bool against)
{
    if (!o->twice)
        return reaches(o, target, source);
    if (against)
        return reaches(o, target, source + o->size);
    return reaches(o, target, source) || reaches(o, target + o->size, source);
}

static bool follows_already(const Open *o, u32 source, u32 target, bool against)
{
    if (!o->twice)
        return reaches(o, source, target);
    if (against)
        return reaches(o, source + o->size, target);
    return reaches(o, source, target) && reaches(o, source, target + o->size);
}

static bool is_possible(const Open *o, u32 early, u32 late)
{
    u32 writer = o->lasts[early], by = o->firsts[late];
    if (closes(o, writer, by, false))
        return false;
    for (u32 i = o->reader_first[early]; i < o->reader_first[early + 1]; i++)
        if (o->readers[i] != by && closes(o, o->readers[i], by, true))
            return false;
    return true;
}

/* Notes an added edge: round, class, source, target, the segments. */
static void note_added(Kernel *k, u32 round, u32 class, u32 source, u32 target, u32 early, u32 late)
{
    const u32 numbers[6] = {round, class, source, target, early, late};
    for (int i = 0; i < 6; i++)
        ADD(k, k->rest, numbers[i]);
}

static void force(Kernel *k, const Open *o, DrawnList *list, u32 round, u32 early, u32 late)
{
    u32 writer = o->lasts[early], by = o->firsts[late];
    if (!follows_already(o, writer, by, false)) {
        note_added(k, round, PLAIN, writer, by, early, late);
        draw(k, o, list, writer, by, PLAIN);
    }
    for (u32 i = o->reader_first[early]; i < o->reader_first[early + 1]; i++) {
        u32 reader = o->readers[i];
        if (reader != by && !follows_already(o, reader, by, true)) {
            note_added(k, round, AGAINST, reader, by, early, late);
            draw(k, o, list, reader, by, AGAINST);
        }
    }
}

typedef struct {
    u64 opened, forced, left;
    u32 is_cyclic;
} Saturated;

/* Adds the edges of the forced pairs of an object's segments, but those that follow from others:
   of a before b if a stands before c and c before b. `before` is a matrix of bits; segments with
   more others behind them come first. */
static void add_forced(Kernel *k, const Open *o, DrawnList *list, u32 round, u32 from, u32 size,
                       const u64 *before)
{
    size_t words = ((size_t)size + 63) / 64;
    u64 *ranks = taken(k, NULL, size * sizeof(u64) + 1), *covered = taken(k, NULL, words * 8 + 1);
    u8 *is_reader = cleared(k, (size_t)o->size + 1, 1);
    for (u32 a = 0; a < size; a++) {
        u64 behind = 0;
        for (size_t w = 0; w < words; w++)
            behind += (u64)__builtin_popcountll(before[a * words + w]);
        ranks[a] = (size - behind) << 32 | a;
    }
    qsort(ranks, size, sizeof(u64), by_number);
    for (u32 i = 0; i < size; i++) {
        u32 a = (u32)ranks[i];
        const u64 *row = before + a * words;
        u32 first = o->reader_first[from + a], last = o->reader_first[from + a + 1];
        memset(covered, 0, words * 8);
        for (u32 r = first; r < last; r++)
            is_reader[o->readers[r]] = 1;
        for (u32 j = 0; j < size; j++) {
            u32 b = (u32)ranks[j];
            if (!(row[b / 64] >> (b % 64) & 1) || (j > i && covered[b / 64] >> (b % 64) & 1))
                continue;
            force(k, o, list, round, from + a, from + b);
            for (size_t w = 0; j > i && !is_reader[o->firsts[from + b]] && w < words; w++)
                covered[w] |= before[b * words + w];
        }
        for (u32 r = first; r < last; r++)
            is_reader[o->readers[r]] = 0;
    }
    give_back(ranks);
    give_back(covered);
    give_back(is_reader);
}

/* Looks at all pairs of an object's segments. */
static void look_at_pairs(Kernel *k, const Open *o, DrawnList *list, u32 round, u32 from, u32 to,
                          const u8 *matters, Saturated *all, u64 most)
{
    u32 size = to - from;
    size_t words = ((size_t)size + 63) / 64;
    u64 *before = cleared(k, (size_t)size * words + 1, sizeof(u64));
    for (u32 a = 0; a < size; a++) {
        look_at_stop(k);
        for (u32 b = a + 1; b < size; b++) {
            if (!matters[from + a] && !matters[from + b])
                continue;
            bool forward = is_possible(o, from + a, from + b);
            bool back = is_possible(o, from + b, from + a);
            all->opened++;
            if (forward && back) {
                if (++all->left <= most) {
                    ADD(k, k->chain, from + a);
                    ADD(k, k->chain, from + b);
                }
                continue;
            }
            all->forced++;
            if (back)
                before[b * words + a / 64] |= (u64)1 << (a % 64);
            else
                before[a * words + b / 64] |= (u64)1 << (b % 64);
        }
    }
    add_forced(k, o, list, round, from, size, before);
    give_back(before);
}

/* Decides pairs until nothing is added. Edges are triples of source, target and class; segments
   are given by their first and last writers, the readers of the last one's version, and whether
   their order matters. */
int kernel_saturate(Kernel *k, u32 size, int twice, const u32 *edges, u64 edge_count,
                    const u32 *objects, u32 object_count, const u32 *firsts, const u32 *lasts,
                    const u8 *matters, const u32 *reader_first, const u32 *readers, u64 most,
                    u64 *result)
{
    int code = setjmp(k->out);
    if (code)
        return code;
    Open o = {size, twice ? 2 * size : size, twice != 0, 0, NULL, firsts, lasts, reader_first,
              readers};
    DrawnList list = {0};
    o.words = ((size_t)o.nodes + 63) / 64;
    if (o.words * o.nodes > (size_t)1 << 29)
        hand_over(k, "there are too many transactions");
    o.reach = taken(k, NULL, o.words * o.nodes * sizeof(u64) + 1);
    for (u64 i = 0; i < edge_count; i++)
        draw(k, &o, &list, edges[3 * i], edges[3 * i + 1], edges[3 * i + 2]);
    Saturated all;
    for (u32 round = 0;; round++) {
        size_t before = list.size;
        bool is_cyclic = !close_over(k, &o, &list);
        if (is_cyclic) {
            all.is_cyclic = 1;
            break;
        }
        all = (Saturated){0};
        k->chain.size = 0;
        for (u32 i = 0; i < object_count; i++)
            look_at_pairs(k, &o, &list, round, objects[i], objects[i + 1], matters, &all, most);
        if (list.size == before)
            break;
    }
    RELEASE(list);
    result[0] = all.opened;
    result[1] = all.forced;
    result[2] = all.left;
    result[3] = all.is_cyclic;
    result[4] = k->rest.size / 6;
    return DONE;
}

const u32 *kernel_added(const Kernel *k)
{
    return k->rest.at;
}

const u32 *kernel_left(const Kernel *k)
{
    return k->chain.at;
}

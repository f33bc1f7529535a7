/* Which transactions must fit one order, and what that order keeps. */

static void add_edge(Kernel *k, u32 source, u32 target, u8 kind, u32 object, u32 about)
{
    Edge edge = {source, target, object, about};
    if (k->edges.size >= MOST)
        hand_over(k, "there are too many edges");
    ADD(k, k->edges, edge);
    ADD(k, k->kinds, kind);
}

static bool may_count(const Kernel *k, u32 writer)
{
    u8 fate = k->transactions.at[writer].fate;
    return fate == COMMITTED || fate == COMMITTING;
}

/* Makes all transactions members, or the committed ones and those that these read from. */
static void choose_members(Kernel *k, bool all)
{
    u32 size = (u32)k->transactions.size;
    k->members.size = k->counting.size = 0;
    NEED(k, k->members, (size_t)size + 1);
    NEED(k, k->counting, (size_t)size + 1);
    memset(k->members.at, all, size);
    u32 *todo = taken(k, NULL, (size_t)size * sizeof(u32) + 1), count = 0;
    u32 *seen = cleared(k, k->objects.size + 1, sizeof(u32));
    for (u32 t = 0; t < size; t++)
        if (all || k->transactions.at[t].fate == COMMITTED) {
            k->members.at[t] = 1;
            todo[count++] = t;
        }
    memset(k->counting.at, 0, size);
    for (u32 i = 0; i < count; i++) { /* which grows */
        const Transaction *one = &k->transactions.at[todo[i]];
        for (u32 r = one->reads; r < one->reads + one->read_count; r++) {
            const Row *row = &k->rows.at[r];
            const Object *object = &k->objects.at[row->object];
            if (row->is_wrong || row->writer == NONE)
                continue;
            u32 from = row->is_list ? seen[row->object] : 0, to = row->is_list ? (u32)row->value : 1;
            for (u32 j = from; j < to; j++) {
                u32 writer = row->is_list ? k->chains.at[object->chain + j] : row->writer;
                k->counting.at[writer] = 1;
                if (!k->members.at[writer] && may_count(k, writer)) {
                    k->members.at[writer] = 1;
                    todo[count++] = writer;
                }
            }
            if (row->is_list && to > from)
                seen[row->object] = to;
        }
    }
    for (u32 t = 0; t < size; t++) {
        u8 fate = k->transactions.at[t].fate;
        k->counting.at[t] = k->members.at[t] &&
                            (fate == COMMITTED || (fate == COMMITTING && k->counting.at[t]));
    }
    give_back(todo);
    give_back(seen);
}

static bool has_finding(const Kernel *k, bool within)
{
    for (size_t i = 0; i < k->findings.size; i++)
        if (k->members.at[k->findings.at[i].transaction] && (within || !k->findings.at[i].within))
            return true;
    return false;
}

static void begin_graph(Kernel *k)
{
    k->edges.size = k->kinds.size = 0;
    k->nodes = (u32)k->transactions.size;
}

static void keep_sessions(Kernel *k)
{
    for (size_t i = 0; i < k->processes.size; i++)
        k->processes.at[i].last = NONE;
    for (u32 t = 0; t < k->transactions.size; t++) {
        if (!k->members.at[t])
            continue;
        Process *who = &k->processes.at[k->transactions.at[t].process];
        if (who->last != NONE)
            add_edge(k, who->last, t, SESSION, NONE, NONE);
        who->last = t;
    }
}

static int by_number(const void *a, const void *b)
{
    const u64 *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

#define MOST_LATE 20000000

/* Adds the edges to a transaction that had taken effect before it could: it was read early. */
static void add_late(Kernel *k, u32 number, u32 place, u32 moment, u32 first, const u64 *finishes,
                     size_t count, u8 kind)
{
    if (moment > first)
        add_edge(k, moment - 1, number, PASSING, NONE, NONE);
    for (size_t i = 0; i < count && finishes[i] >> 32 < place; i++)
        if ((u32)finishes[i] != number)
            add_edge(k, (u32)finishes[i], number, kind, NONE, NONE);
    if (k->edges.size > 8 * (size_t)first + MOST_LATE)
        hand_over(k, "many transactions were read early");
}

/* Demands that t stands before u if t's finish is before u's start; a chain of nodes passes that
   on. */
static void keep_order(Kernel *k, const u32 *finish, const u32 *start, u8 kind)
{
    u32 size = (u32)k->transactions.size, first = size, node = size;
    u64 *finishes = taken(k, NULL, (size_t)size * sizeof(u64) + 1);
    u64 *starts = taken(k, NULL, (size_t)size * sizeof(u64) + 1);
    u32 *moment = filled(k, size, NONE);
    size_t ends = 0, begins = 0, done = 0;
    for (u32 t = 0; t < size; t++) {
        if (!k->members.at[t])
            continue;
        starts[begins++] = (u64)start[t] << 32 | t;
        if (finish[t])
            finishes[ends++] = (u64)finish[t] << 32 | t;
    }
    qsort(starts, begins, sizeof(u64), by_number);
    qsort(finishes, ends, sizeof(u64), by_number);
    for (size_t i = 0; i < begins; i++) {
        u32 place = (u32)(starts[i] >> 32), number = (u32)starts[i];
        bool is_new = false;
        for (; done < ends && finishes[done] >> 32 < place; done++, is_new = true) {
            add_edge(k, (u32)finishes[done], node, kind, NONE, NONE);
            moment[(u32)finishes[done]] = node;
        }
        if (is_new && ++node > first + 1)
            add_edge(k, node - 2, node - 1, PASSING, NONE, NONE);
        if (moment[number] != NONE)
            add_late(k, number, place, moment[number], first, finishes, ends, kind);
        else if (node > first)
            add_edge(k, node - 1, number, PASSING, NONE, NONE);
    }
    k->nodes = node;
    give_back(finishes);
    give_back(starts);
    give_back(moment);
}

static void keep_real_time(Kernel *k)
{
    size_t size = k->transactions.size;
    u32 *finish = taken(k, NULL, size * sizeof(u32) + 1);
    u32 *start = taken(k, NULL, size * sizeof(u32) + 1);
    for (size_t t = 0; t < size; t++) {
        finish[t] = k->transactions.at[t].end;
        start[t] = k->transactions.at[t].begin;
    }
    keep_order(k, finish, start, REAL_TIME);
    give_back(finish);
    give_back(start);
}

static void lower(u32 *place, u32 other)
{
    if (!*place || other < *place)
        *place = other;
}

/* Keeps updates in the order of their effects. */
static void keep_effects(Kernel *k)
{
    u32 size = (u32)k->transactions.size, longest = 0;
    u32 *finish = taken(k, NULL, (size_t)size * sizeof(u32) + 1);
    u32 *start = taken(k, NULL, (size_t)size * sizeof(u32) + 1);
    for (u32 t = 0; t < size; t++) {
        const Transaction *one = &k->transactions.at[t];
        bool is_update = k->counting.at[t] && one->write_count;
        finish[t] = one->end;
        start[t] = is_update && one->asked ? one->asked : one->begin;
    }
    for (size_t i = 0; i < k->objects.size; i++)
        if (k->objects.at[i].size > longest)
            longest = k->objects.at[i].size;
    u32 *read = cleared(k, (size_t)longest + 1, sizeof(u32));
    for (u32 o = 0; o < k->objects.size; o++) {
        u32 most = 0;
        for (u32 i = k->read_first[o]; i < k->read_first[o + 1]; i++) {
            const Row *row = &k->rows.at[k->read_rows[i]];
            if (row->is_wrong || row->writer == NONE || !k->members.at[k->read_owner[k->read_rows[i]]])
                continue;
            if (!row->is_list)
                lower(&finish[row->writer], row->place);
            else {
                lower(&read[row->value], row->place);
                most = row->value > most ? (u32)row->value : most;
            }
        }
        u32 place = 0;
        for (u32 j = most; j > 0; j--) {
            if (read[j])
                lower(&place, read[j]);
            read[j] = 0;
            lower(&finish[k->chains.at[k->objects.at[o].chain + j - 1]], place);
        }
    }
    keep_order(k, finish, start, EFFECT);
    give_back(finish);
    give_back(start);
    give_back(read);
}

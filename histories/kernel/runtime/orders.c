/* The orders of versions: what is known becomes edges, what is open becomes segments. */

static u32 slot_of(const Kernel *k, u32 writer)
{
    return writer == NONE ? (u32)k->transactions.size : writer;
}

/* Links the members that have read each version of an object, in their order. */
static void link_readers(Kernel *k, u32 object)
{
    for (u32 i = k->read_first[object + 1]; i-- > k->read_first[object];) {
        u32 index = k->read_rows[i], reader = k->read_owner[index];
        const Row *row = &k->rows.at[index];
        if (row->is_wrong || !k->members.at[reader])
            continue;
        u32 *head = &k->head[slot_of(k, row->writer)];
        k->next_row[index] = *head;
        *head = index;
        k->source_row[reader] = index;
    }
}

static void unlink_readers(Kernel *k, u32 object)
{
    for (u32 i = k->read_first[object]; i < k->read_first[object + 1]; i++)
        k->head[slot_of(k, k->rows.at[k->read_rows[i]].writer)] = NONE;
}

static void overwritten(Kernel *k, u32 object, u32 writer, u32 by)
{
    if (writer != NONE)
        add_edge(k, writer, by, WW, object, NONE);
    for (u32 i = k->head[slot_of(k, writer)]; i != NONE; i = k->next_row[i])
        if (k->read_owner[i] != by)
            add_edge(k, k->read_owner[i], by, RW, object, writer);
}

typedef struct {
    i64 version;
    u32 writer;
} Numbered;

static int by_number_of_version(const void *a, const void *b)
{
    const Numbered *x = a, *y = b;
    return x->version < y->version ? -1 : x->version > y->version;
}

/* Puts the writers of recorded versions into the chain; returns whether there are some. */
static bool chain_of_versions(Kernel *k, u32 object, u32 writers)
{
    u32 from = k->written_first[object], to = k->written_first[object + 1], size = 0;
    Numbered *all = taken(k, NULL, (size_t)(to - from) * sizeof(Numbered) + 1);
    for (u32 i = from; i < to; i++) {
        const Written *row = &k->written.at[k->written_rows[i]];
        if (row->version != NOTHING)
            all[size++] = (Numbered){row->version, k->writer_of_row[k->written_rows[i]]};
    }
    qsort(all, size, sizeof(Numbered), by_number_of_version);
    for (u32 i = 0; i < size; i++)
        if (k->counting.at[all[i].writer])
            ADD(k, k->chain, all[i].writer);
    give_back(all);
    if (k->chain.size != writers) {
        for (size_t i = 0; i + 1 < k->chain.size; i++)
            overwritten(k, object, k->chain.at[i], k->chain.at[i + 1]);
        k->chain.size = 0;
    }
    return size > 0;
}

/* Puts the writers of a list's elements into the chain, as far as a member has read it. */
static void chain_of_list(Kernel *k, u32 number)
{
    u32 size = 0, before = NONE;
    for (u32 i = k->read_first[number]; i < k->read_first[number + 1]; i++) {
        u32 index = k->read_rows[i];
        const Row *row = &k->rows.at[index];
        if (row->is_list && !row->is_wrong && row->value > size &&
            k->members.at[k->read_owner[index]])
            size = (u32)row->value;
    }
    for (u32 j = 0; j < size; j++) {
        u32 writer = k->chains.at[k->objects.at[number].chain + j];
        if (writer != before && k->counting.at[writer])
            ADD(k, k->chain, writer);
        before = writer;
    }
}

static bool has_read(const Kernel *k, u32 reader, u32 object)
{
    u32 row = k->source_row[reader];
    return row != NONE && k->rows.at[row].object == object && k->read_owner[row] == reader;
}

/* Notes for versions the writer that read them and wrote the next one. */
static void note_next(Kernel *k, u32 object)
{
    for (size_t i = 0; i < k->rest.size; i++) {
        u32 writer = k->rest.at[i];
        if (!has_read(k, writer, object))
            continue;
        u32 slot = slot_of(k, k->rows.at[k->source_row[writer]].writer);
        if (k->after_mark[slot] != object) {
            k->after_mark[slot] = object;
            k->after[slot] = writer;
        }
    }
}

static u32 next_of(const Kernel *k, u32 object, u32 writer)
{
    u32 slot = slot_of(k, writer);
    return k->after_mark[slot] == object ? k->after[slot] : NONE;
}

/* mark: in which of the two states a writer of the object in hand is. */
#define IN_CHAIN(object) (2 * (u64)(object) + 1)
#define IN_SEGMENT(object) (2 * (u64)(object) + 2)

static bool is_linked(const Kernel *k, const u64 *mark, u32 object, u32 writer)
{
    if (!has_read(k, writer, object))
        return false;
    u32 source = k->rows.at[k->source_row[writer]].writer;
    return source != NONE && k->after_mark[source] == object && k->after[source] == writer &&
           mark[source] == IN_SEGMENT(object);
}

/* Cuts the versions behind the chain into segments; keeps of each the first and last writer. */
static void cut(Kernel *k, u64 *mark, u64 *is_done, u32 object)
{
    for (int heads = 1; heads >= 0; heads--)
        for (size_t i = 0; i < k->rest.size; i++) {
            u32 writer = k->rest.at[i], late;
            if (is_done[writer] == IN_SEGMENT(object) ||
                (heads && is_linked(k, mark, object, writer)))
                continue;
            ADD(k, k->ends, writer);
            is_done[writer] = IN_SEGMENT(object);
            while ((late = next_of(k, object, writer)) != NONE &&
                   mark[late] == IN_SEGMENT(object) && is_done[late] != IN_SEGMENT(object)) {
                is_done[late] = IN_SEGMENT(object);
                writer = late;
            }
            ADD(k, k->ends, writer);
        }
}

/* Adds that the last version of a chain is overwritten by those that begin segments. */
static void follow(Kernel *k, u32 object, u32 last, size_t from, u64 *mark)
{
    u64 readers = 0, heads = (k->ends.size - from) / 2;
    bool disjoint = true;
    u64 is_reader = UINT64_MAX - object;
    for (u32 i = k->head[slot_of(k, last)]; i != NONE; i = k->next_row[i]) {
        readers++;
        mark[k->read_owner[i]] = is_reader;
    }
    for (size_t i = from; i < k->ends.size; i += 2)
        disjoint = disjoint && mark[k->ends.at[i]] != is_reader;
    if (readers * heads <= readers + heads || !disjoint) {
        for (size_t i = from; i < k->ends.size; i += 2)
            overwritten(k, object, last, k->ends.at[i]);
        return;
    }
    u32 node = k->nodes++;
    for (u32 i = k->head[slot_of(k, last)]; i != NONE; i = k->next_row[i])
        add_edge(k, k->read_owner[i], node, RW, object, last);
    for (size_t i = from; i < k->ends.size; i += 2)
        add_edge(k, node, k->ends.at[i], PASSING, NONE, NONE);
    for (size_t i = from; last != NONE && i < k->ends.size; i += 2)
        add_edge(k, last, k->ends.at[i], WW, object, NONE);
}

static void order_object(Kernel *k, u32 object, bool observed, u64 *mark, u64 *is_done)
{
    u32 writers = 0;
    k->chain.size = k->rest.size = 0;
    for (u32 i = k->written_first[object]; i < k->written_first[object + 1]; i++)
        writers += k->counting.at[k->writer_of_row[k->written_rows[i]]];
    link_readers(k, object);
    if (!(k->has_versions && chain_of_versions(k, object, writers)))
        chain_of_list(k, object);
    for (size_t i = 0; i < k->chain.size; i++)
        mark[k->chain.at[i]] = IN_CHAIN(object);
    for (u32 i = k->written_first[object]; i < k->written_first[object + 1]; i++) {
        u32 writer = k->writer_of_row[k->written_rows[i]];
        if (k->counting.at[writer] && mark[writer] != IN_CHAIN(object))
            ADD(k, k->rest, writer);
    }
    if (!observed)
        note_next(k, object);
    for (u32 last = k->chain.size ? k->chain.at[k->chain.size - 1] : NONE;
         (last = next_of(k, object, last)) != NONE;) {
        ADD(k, k->chain, last);
        mark[last] = IN_CHAIN(object);
    }
    for (size_t i = 0; i < k->chain.size; i++)
        overwritten(k, object, i ? k->chain.at[i - 1] : NONE, k->chain.at[i]);
    size_t rest = 0, from = k->ends.size;
    for (size_t i = 0; i < k->rest.size; i++)
        if (mark[k->rest.at[i]] != IN_CHAIN(object)) {
            mark[k->rest.at[i]] = IN_SEGMENT(object);
            k->rest.at[rest++] = k->rest.at[i];
        }
    k->rest.size = rest;
    if (rest) {
        cut(k, mark, is_done, object);
        for (size_t i = from; i < k->ends.size; i += 2)
            for (u32 early = k->ends.at[i]; early != k->ends.at[i + 1];) {
                u32 late = next_of(k, object, early);
                overwritten(k, object, early, late);
                early = late;
            }
        follow(k, object, k->chain.size ? k->chain.at[k->chain.size - 1] : NONE, from, mark);
    }
    if (k->ends.size - from > 2) {
        ADD(k, k->opened, object);
        ADD(k, k->ends, NONE);
    } else
        k->ends.size = from;
    unlink_readers(k, object);
}

/* Adds the edges of all orders that are known. With `observed` recorded numbers and lists count
   alone, and not what an order of whole transactions would explain. */
static void add_orders(Kernel *k, bool observed)
{
    size_t size = k->transactions.size;
    u64 *mark = cleared(k, size + 1, sizeof(u64)), *is_done = cleared(k, size + 1, sizeof(u64));
    u8 *has_order = cleared(k, k->objects.size + 1, 1);
    k->head = filled(k, size + 1, NONE);
    k->source_row = filled(k, size + 1, NONE);
    k->next_row = taken(k, NULL, k->rows.size * sizeof(u32) + 1);
    k->after = taken(k, NULL, (size + 1) * sizeof(u32));
    k->after_mark = filled(k, size + 1, NONE);
    k->ends.size = k->opened.size = 0;
    for (u32 t = 0; t < size; t++) {
        const Transaction *one = &k->transactions.at[t];
        for (u32 i = one->reads; k->members.at[t] && i < one->reads + one->read_count; i++) {
            const Row *row = &k->rows.at[i];
            if (!row->is_wrong && row->writer != NONE)
                add_edge(k, row->writer, t, WR, row->object, NONE);
        }
    }
    for (u32 t = 0; t < size; t++) {
        const Transaction *one = &k->transactions.at[t];
        if (t % 65536 == 0)
            look_at_stop(k);
        for (u32 i = one->writes; k->counting.at[t] && i < one->writes + one->write_count; i++) {
            u32 object = k->written.at[i].object;
            if (!has_order[object])
                order_object(k, object, observed, mark, is_done);
            has_order[object] = 1;
        }
    }
    give_back(mark);
    give_back(is_done);
    give_back(has_order);
    give_back(k->source_row);
    give_back(k->after);
    give_back(k->after_mark);
}

/* Adds one guess of what is open: versions in the order in which their writers ended. */
static void add_guess(Kernel *k)
{
    size_t place = 0;
    LIST(u64) segments = {0};
    k->source_row = filled(k, k->transactions.size + 1, NONE);
    for (size_t i = 0; i < k->opened.size; i++) {
        size_t first = place;
        segments.size = 0;
        for (; k->ends.at[place] != NONE; place += 2) {
            const Transaction *one = &k->transactions.at[k->ends.at[place]];
            u64 end = one->end ? one->end : one->asked ? one->asked : one->begin;
            ADD(k, segments, end << 32 | (place - first));
        }
        qsort(segments.at, segments.size, sizeof(u64), by_number);
        link_readers(k, k->opened.at[i]);
        for (size_t j = 0; j + 1 < segments.size; j++)
            overwritten(k, k->opened.at[i], k->ends.at[first + (u32)segments.at[j] + 1],
                        k->ends.at[first + (u32)segments.at[j + 1]]);
        unlink_readers(k, k->opened.at[i]);
        place++;
    }
    RELEASE(segments);
    give_back(k->source_row);
}

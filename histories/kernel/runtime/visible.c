/* Read committed, read atomic and causal consistency: what a transaction sees. */

typedef struct {
    u64 *keys;   /* UINT64_MAX is a free place */
    u32 *values;
    size_t slots;
} Map;

static Map new_map(Kernel *k, size_t most)
{
    Map map = {NULL, NULL, 64};
    while (map.slots < 2 * most)
        map.slots *= 2;
    map.keys = taken(k, NULL, map.slots * sizeof(u64));
    map.values = taken(k, NULL, map.slots * sizeof(u32));
    memset(map.keys, 0xff, map.slots * sizeof(u64));
    return map;
}

static size_t place_in(const Map *map, u64 key)
{
    size_t place = mixed(key) & (map->slots - 1);
    while (map->keys[place] != key && map->keys[place] != UINT64_MAX)
        place = (place + 1) & (map->slots - 1);
    return place;
}

static u32 looked_up(const Map *map, u32 a, u32 b)
{
    size_t place = place_in(map, (u64)a << 32 | b);
    return map->keys[place] == UINT64_MAX ? NONE : map->values[place];
}

static void put(Map *map, u32 a, u32 b, u32 value)
{
    size_t place = place_in(map, (u64)a << 32 | b);
    map->keys[place] = (u64)a << 32 | b;
    map->values[place] = value;
}

static void forget_map(Map *map)
{
    give_back(map->keys);
    give_back(map->values);
}

/* Adds that the version that was read is older than that of another writer who was seen. */
static void add_older(Kernel *k, u32 reader, const Row *row, u32 other)
{
    if (other == row->writer || other == reader)
        return;
    if (row->writer == NONE)
        add_edge(k, reader, other, RW, row->object, NONE);
    else
        add_edge(k, other, row->writer, VISIBLE, row->object, reader);
}

/* Puts all that a transaction has read from into `rest`, each once, in ascending order. */
static void collect_seen(Kernel *k, u32 reader, u32 *mark)
{
    const Transaction *one = &k->transactions.at[reader];
    k->rest.size = 0;
    for (u32 i = one->reads; i < one->reads + one->read_count; i++) {
        const Row *row = &k->rows.at[i];
        if (row->is_wrong || row->writer == NONE)
            continue;
        u32 chain = k->objects.at[row->object].chain, size = row->is_list ? (u32)row->value : 1;
        for (u32 j = 0; j < size; j++) {
            u32 writer = row->is_list ? k->chains.at[chain + j] : row->writer;
            if (writer == reader || mark[writer] == reader)
                continue;
            mark[writer] = reader;
            ADD(k, k->rest, writer);
        }
    }
    if (k->rest.size)
        qsort(k->rest.at, k->rest.size, sizeof(u32), ascending);
}

static Map all_written(Kernel *k)
{
    Map map = new_map(k, k->written.size + 1);
    for (size_t i = 0; i < k->written.size; i++)
        put(&map, k->writer_of_row[i], k->written.at[i].object, 1);
    return map;
}

/* A transaction that was read from is seen whole, and if sessions count what the process did. */
static void see_atomically(Kernel *k, bool sessions)
{
    Map written = all_written(k), last = new_map(k, sessions ? k->written.size + 1 : 1);
    u32 *mark = filled(k, k->transactions.size, NONE);
    for (u32 t = 0; t < k->transactions.size; t++) {
        const Transaction *one = &k->transactions.at[t];
        if (!k->members.at[t])
            continue;
        if (t % 4096 == 0)
            look_at_stop(k);
        collect_seen(k, t, mark);
        for (u32 i = one->reads; i < one->reads + one->read_count; i++) {
            const Row *row = &k->rows.at[i];
            if (row->is_wrong)
                continue;
            u32 own = sessions ? looked_up(&last, one->process, row->object) : NONE;
            for (size_t j = 0; j < k->rest.size; j++) {
                u32 other = k->rest.at[j];
                if (other != own && looked_up(&written, other, row->object) != NONE)
                    add_older(k, t, row, other);
            }
            if (own != NONE)
                add_older(k, t, row, own);
        }
        for (u32 i = one->writes; sessions && i < one->writes + one->write_count; i++)
            put(&last, one->process, k->written.at[i].object, t);
    }
    forget_map(&written);
    forget_map(&last);
    give_back(mark);
}

/* Adds the edges from all whose versions a member has read, in lists each element. */
static void add_reads(Kernel *k)
{
    for (u32 t = 0; t < k->transactions.size; t++) {
        const Transaction *one = &k->transactions.at[t];
        for (u32 i = one->reads; k->members.at[t] && i < one->reads + one->read_count; i++) {
            const Row *row = &k->rows.at[i];
            if (row->is_wrong || row->writer == NONE)
                continue;
            u32 chain = k->objects.at[row->object].chain, before = NONE;
            for (u32 j = 0; j < (row->is_list ? row->value : 1); j++) {
                u32 writer = row->is_list ? k->chains.at[chain + j] : row->writer;
                if (writer != t && writer != before)
                    add_edge(k, writer, t, WR, row->object, NONE);
                before = writer;
            }
        }
    }
}

/* The members in an order that the arranged edges allow; NULL if they have a cycle. */
static u32 *sorted_members(Kernel *k, u32 *count)
{
    u32 size = k->nodes;
    u32 *into = cleared(k, (size_t)size + 1, sizeof(u32));
    u32 *order = taken(k, NULL, (size_t)size * sizeof(u32) + 1);
    for (size_t i = 0; i < k->edges.size; i++)
        into[k->edges.at[i].target]++;
    *count = 0;
    for (u32 t = 0; t < size; t++)
        if (!into[t])
            order[(*count)++] = t;
    for (u32 i = 0; i < *count; i++) /* which grows */
        for (u32 j = k->out_first[order[i]]; j < k->out_first[order[i] + 1]; j++)
            if (!--into[k->edges.at[k->out_edges[j]].target])
                order[(*count)++] = k->edges.at[k->out_edges[j]].target;
    give_back(into);
    if (*count == size)
        return order;
    give_back(order);
    return NULL;
}

typedef struct {
    u32 processes;
    u32 *clocks;    /* of each transaction: how much of each process it sees */
    u32 *place;     /* of a transaction in its process, from 0 on */
    u32 *before;    /* the one before in its process, or NONE */
    u64 *writers;   /* by object: process and place of the members that wrote it, sorted */
    u32 *first;
    u32 *line_first, *line; /* the transactions of each process */
} Pasts;

static void join(const Kernel *k, const Pasts *p, u32 *past, u32 writer)
{
    const u32 *other = p->clocks + (size_t)writer * p->processes;
    for (u32 i = 0; i < p->processes; i++)
        if (past[i] < other[i])
            past[i] = other[i];
    u32 process = k->transactions.at[writer].process;
    if (past[process] <= p->place[writer])
        past[process] = p->place[writer] + 1;
}

static void find_past(const Kernel *k, const Pasts *p, u32 reader)
{
    u32 *past = p->clocks + (size_t)reader * p->processes;
    const Transaction *one = &k->transactions.at[reader];
    if (p->before[reader] != NONE)
        join(k, p, past, p->before[reader]);
    for (u32 i = one->reads; i < one->reads + one->read_count; i++) {
        const Row *row = &k->rows.at[i];
        if (row->is_wrong || row->writer == NONE)
            continue;
        u32 chain = k->objects.at[row->object].chain, last = NONE;
        for (u32 j = 0; j < (row->is_list ? row->value : 1); j++) {
            u32 writer = row->is_list ? k->chains.at[chain + j] : row->writer;
            if (writer != reader && writer != last && k->members.at[writer])
                join(k, p, past, writer);
            last = writer;
        }
    }
}

/* Adds the edges from each process's newest writer of an object in a reader's past. */
static void see_newest(Kernel *k, const Pasts *p, u32 reader, const Row *row)
{
    const u32 *past = p->clocks + (size_t)reader * p->processes;
    u32 from = p->first[row->object], to = p->first[row->object + 1];
    for (u32 process = 0; from < to && process < p->processes; process++) {
        if (!past[process])
            continue;
        u64 most = (u64)process << 32 | (past[process] - 1);
        u32 low = from, high = to;
        while (low < high) {
            u32 middle = low + (high - low) / 2;
            if (p->writers[middle] <= most)
                low = middle + 1;
            else
                high = middle;
        }
        if (low > from && p->writers[low - 1] >> 32 == process)
            add_older(k, reader, row,
                      p->line[p->line_first[process] + (u32)p->writers[low - 1]]);
    }
}

static Pasts new_pasts(Kernel *k)
{
    size_t size = k->transactions.size;
    Pasts p = {.processes = (u32)k->processes.size};
    if (size * p.processes > (size_t)1 << 30)
        hand_over(k, "there are too many processes");
    p.clocks = cleared(k, size * p.processes + 1, sizeof(u32));
    p.place = taken(k, NULL, size * sizeof(u32) + 1);
    p.before = filled(k, size, NONE);
    p.line_first = cleared(k, (size_t)p.processes + 1, sizeof(u32));
    p.line = taken(k, NULL, size * sizeof(u32) + 1);
    for (size_t t = 0; t < size; t++)
        if (k->members.at[t])
            p.line_first[k->transactions.at[t].process + 1]++;
    for (u32 i = 0; i < p.processes; i++)
        p.line_first[i + 1] += p.line_first[i];
    u32 *next = cleared(k, (size_t)p.processes + 1, sizeof(u32));
    for (u32 t = 0; t < size; t++) {
        u32 process = k->transactions.at[t].process, *line = p.line + p.line_first[process];
        if (!k->members.at[t])
            continue;
        p.place[t] = next[process]++;
        line[p.place[t]] = t;
        if (p.place[t])
            p.before[t] = line[p.place[t] - 1];
    }
    give_back(next);
    p.first = taken(k, NULL, (k->objects.size + 1) * sizeof(u32));
    p.writers = taken(k, NULL, k->written.size * sizeof(u64) + 1);
    u32 count = 0;
    for (size_t o = 0; o < k->objects.size; o++) {
        u32 begin = p.first[o] = count;
        for (u32 i = k->written_first[o]; i < k->written_first[o + 1]; i++) {
            u32 writer = k->writer_of_row[k->written_rows[i]];
            if (k->members.at[writer])
                p.writers[count++] = (u64)k->transactions.at[writer].process << 32 |
                                     p.place[writer];
        }
        qsort(p.writers + begin, count - begin, sizeof(u64), by_number);
    }
    p.first[k->objects.size] = count;
    return p;
}

static void see_causally(Kernel *k, const u32 *order, u32 count)
{
    Pasts p = new_pasts(k);
    for (u32 i = 0; i < count; i++) {
        u32 reader = order[i];
        if (reader >= k->transactions.size || !k->members.at[reader])
            continue;
        const Transaction *one = &k->transactions.at[reader];
        if (i % 4096 == 0)
            look_at_stop(k);
        find_past(k, &p, reader);
        for (u32 r = one->reads; r < one->reads + one->read_count; r++)
            if (!k->rows.at[r].is_wrong)
                see_newest(k, &p, reader, &k->rows.at[r]);
    }
    give_back(p.clocks);
    give_back(p.place);
    give_back(p.before);
    give_back(p.line_first);
    give_back(p.line);
    give_back(p.first);
    give_back(p.writers);
}

/* Adds the orders that were observed, without the edges rw: what a reader must have seen is said
   by the criterion. */
static void add_observed(Kernel *k)
{
    size_t kept = k->edges.size;
    add_orders(k, true);
    give_back(k->head);
    give_back(k->next_row);
    for (size_t i = kept; i < k->edges.size; i++)
        if (k->kinds.at[i] == WW || k->kinds.at[i] == WR) {
            k->edges.at[kept] = k->edges.at[i];
            k->kinds.at[kept++] = k->kinds.at[i];
        }
    k->edges.size = k->kinds.size = kept;
}

/* Adds the edges of a weak criterion; returns whether it may hold: if reads and sessions have a
   cycle already, they alone are the edges. */
static bool add_seen(Kernel *k, int criterion, bool sessions)
{
    if (criterion != CAUSAL) {
        add_observed(k);
        if (criterion == READ_ATOMIC)
            see_atomically(k, sessions);
        return true;
    }
    size_t kept = k->edges.size;
    u32 count;
    add_reads(k);
    arrange_edges(k);
    u32 *order = sorted_members(k, &count);
    if (!order)
        return false;
    k->edges.size = k->kinds.size = kept;
    add_observed(k);
    see_causally(k, order, count);
    give_back(order);
    return true;
}

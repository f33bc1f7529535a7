/* The criteria, and what Python calls. */

enum { HOLDS, VIOLATED, UNDECIDED };

/* Says whether the edges have a forbidden cycle, and if versions are in an open order whether one
   guess of it is without one. */
static int judged(Kernel *k, bool twice)
{
    size_t known = k->edges.size;
    if (k->opened.size) {
        View view = {k, twice, k->nodes, UINT32_MAX, NULL};
        add_guess(k);
        arrange_edges(k);
        if (!has_cycle(&view))
            return HOLDS;
        k->edges.size = k->kinds.size = known;
    }
    arrange_edges(k);
    if (clearest_cycle(k, twice))
        return VIOLATED;
    return k->opened.size ? UNDECIDED : HOLDS;
}

/* Returns whether nobody but members has read anything. */
static bool others_read_nothing(const Kernel *k)
{
    for (size_t t = 0; t < k->transactions.size; t++)
        if (!k->members.at[t] && k->transactions.at[t].read_count)
            return false;
    return true;
}

static int judge(Kernel *k, int criterion, bool sessions)
{
    bool all = criterion >= OPACITY;
    if (k->is_early && criterion >= VIRTUAL_WORLD) {
        k->reason = "a transaction was read that asked to commit later";
        return UNDECIDED;
    }
    if (criterion == VIRTUAL_WORLD) {
        int strict = judge(k, STRICT_SERIALIZABILITY, sessions);
        if (strict != HOLDS || others_read_nothing(k) || judge(k, OPACITY, sessions) == HOLDS)
            return strict;
        k->reason = "the past of a transaction without a commit is to be judged";
        return UNDECIDED;
    }
    k->reason = "a read is wrong by itself";
    choose_members(k, all);
    if (has_finding(k, criterion != READ_COMMITTED))
        return UNDECIDED;
    k->reason = "the order of versions is open";
    begin_graph(k);
    if (criterion == STRICT_SERIALIZABILITY || criterion == OPACITY)
        keep_real_time(k);
    else if (criterion == TMS2)
        keep_effects(k);
    else if (sessions || criterion == CAUSAL)
        keep_sessions(k);
    if (criterion <= CAUSAL) {
        bool may_hold = add_seen(k, criterion, sessions);
        arrange_edges(k);
        return clearest_cycle(k, false) || !may_hold ? VIOLATED : HOLDS;
    }
    add_orders(k, false);
    int answer = judged(k, criterion == SNAPSHOT_ISOLATION);
    give_back(k->head);
    give_back(k->next_row);
    return answer;
}

/* Calls. */

Kernel *kernel_new(int file, int form)
{
    Kernel *k = calloc(1, sizeof(Kernel));
    if (!k)
        return NULL;
    k->blocks.before = k->blocks.after = &k->blocks;
    k->file = file;
    k->line = 1;
    k->is_jepsen = form != 0;
    k->is_edn = form == 2;
    k->initial = NOTHING;
    return k;
}

void kernel_free(Kernel *k)
{
    while (k->blocks.after != &k->blocks)
        give_back(k->blocks.after + 1);
    free(k);
}

void kernel_stop(Kernel *k)
{
    k->stop = 1;
}

int kernel_read(Kernel *k)
{
    int code = setjmp(k->out);
    if (code)
        return code;
    if (k->is_jepsen)
        read_jepsen(k);
    else
        read_events(k);
    end_of_file(k);
    give_back(k->text);
    k->text = NULL;
    for (size_t i = 0; i < k->processes.size; i++) {
        RELEASE(k->processes.at[i].draft.ops);
        RELEASE(k->processes.at[i].draft.elements);
    }
    resolve(k);
    give_back(k->entries);
    k->entries = NULL;
    k->entry_slots = 0;
    arrange(k);
    return DONE;
}

/* Judges by a criterion: *answer is one of HOLDS, VIOLATED, UNDECIDED. */
int kernel_judge(Kernel *k, int criterion, int sessions, int *answer)
{
    int code = setjmp(k->out);
    if (code)
        return code;
    *answer = judge(k, criterion, sessions != 0);
    return DONE;
}

const char *kernel_reason(const Kernel *k, u32 *line)
{
    *line = k->reason_line;
    return k->reason ? k->reason : "";
}

/* What is known of all transactions: their number, that of each fate and of whose first one, that
   of processes and operations, and whether a transaction said when it asked to commit. */
void kernel_counts(const Kernel *k, u64 *counts)
{
    memset(counts, 0, 12 * sizeof(u64));
    for (size_t t = k->transactions.size; t-- > 0;) {
        u8 fate = k->transactions.at[t].fate;
        counts[fate]++;
        counts[4 + fate] = t;
    }
    counts[8] = k->transactions.size;
    for (size_t i = 0; i < k->processes.size; i++)
        counts[9] += k->processes.at[i].has_run;
    counts[10] = k->operations;
    counts[11] = k->asks;
}

u32 kernel_cycle_size(const Kernel *k)
{
    return (u32)k->cycle.size;
}

/* An edge of the cycle: source, target, kind, object, about; NONE is nothing. */
void kernel_cycle(const Kernel *k, u32 index, u32 *edge)
{
    const Edge *found = &k->cycle.at[index];
    edge[0] = found->source;
    edge[1] = found->target;
    edge[2] = k->cycle_kinds.at[index];
    edge[3] = found->object;
    edge[4] = found->about;
}

/* The name of an object: returns the letters of a text, or NULL and the number. */
const char *kernel_object(const Kernel *k, u32 object, i64 *number)
{
    i64 name = k->object_names[object];
    if (!(name & 1)) {
        *number = name / 2;
        return NULL;
    }
    const Text *text = &k->texts.at[name >> 1];
    *number = text->size;
    return k->pool.at + text->place;
}

/* The transactions that one has read from: writes at most `room`, and returns how many there are. */
u64 kernel_sources(const Kernel *k, u32 number, u32 *sources, u64 room)
{
    const Transaction *one = &k->transactions.at[number];
    u64 count = 0;
    for (u32 i = one->reads; i < one->reads + one->read_count; i++) {
        const Row *row = &k->rows.at[i];
        u32 chain = k->objects.at[row->object].chain;
        if (row->is_wrong || row->writer == NONE)
            continue;
        for (u32 j = 0; j < (row->is_list ? row->value : 1); j++, count++)
            if (count < room)
                sources[count] = row->is_list ? k->chains.at[chain + j] : row->writer;
    }
    return count;
}

/* The fate of a transaction, the line of its begin, and of Jepsen where its begin and its answer
   stand in the file, and the answer's line. */
void kernel_transaction(const Kernel *k, u32 number, u64 *found)
{
    const Transaction *one = &k->transactions.at[number];
    found[0] = one->fate;
    found[1] = one->begin;
    for (int i = 0; i < 3; i++)
        found[2 + i] = k->is_jepsen ? k->offsets.at[3 * (size_t)number + (size_t)i] : 0;
}

/* Finds the lines of transactions in a file of events that was read before: the file stands at its
   beginning. */
int kernel_find(Kernel *k, const u8 *wanted, u32 size)
{
    k->wanted = wanted;
    k->wanted_size = size;
    int code = setjmp(k->out);
    if (code)
        return code;
    read_events(k);
    return DONE;
}

/* What was found: for each line its number and where it begins. */
const u64 *kernel_found(const Kernel *k, u64 *size)
{
    *size = k->found.size / 2;
    return k->found.at;
}

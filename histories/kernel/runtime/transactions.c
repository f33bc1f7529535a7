/* Takes events, and keeps of a transaction that has ended what it read of others and wrote. */

static u32 begin_transaction(Kernel *k, u32 process)
{
    Process *who = &k->processes.at[process];
    if (who->transaction != NONE || who->lost)
        hand_over(k, "a begin is out of place");
    if (k->transactions.size >= MOST / 4 || k->line >= MOST)
        hand_over(k, "there are too many transactions");
    Transaction made = {.begin = k->line, .process = process, .fate = LIVE};
    ADD(k, k->transactions, made);
    who->has_run = true;
    return who->transaction = (u32)(k->transactions.size - 1);
}

static void look_at_time(Kernel *k, i64 time)
{
    if (k->has_time && time < k->time)
        hand_over(k, "the time goes back");
    k->has_time = true;
    k->time = time;
}

static void note_finding(Kernel *k, u32 transaction, u32 place, bool within)
{
    Finding found = {transaction, place, within};
    ADD(k, k->findings, found);
}

static void must_be(Kernel *k, Object *object, u8 kind)
{
    if (object->kind && object->kind != kind)
        hand_over(k, "an object is a list and a value");
    object->kind = kind;
}

static void take_write(Kernel *k, u32 number, Op *op, u32 index)
{
    Object *object = &k->objects.at[op->object];
    bool is_first = object->writer != number, is_list = op->kind == APPEND;
    must_be(k, object, is_list ? 2 : 1);
    Entry *entry = add_entry(k, op->object, op->value, number);
    op->link = NONE;
    if (is_first) {
        Written made = {op->value, NOTHING, op->object};
        object->writer = number;
        object->write_row = (u32)k->written.size;
        ADD(k, k->written, made);
    } else if (is_list) {
        Entry *before = entry_of(k, op->object, object->value);
        before->is_last = 0;
        if (!entry->is_open)
            entry->ordinal = before->ordinal + 1;
        op->link = object->own;
    } else {
        if (object->value != op->value)
            entry_of(k, op->object, object->value)->is_last = 0;
        k->written.at[object->write_row].value = op->value;
    }
    object->value = op->value;
    object->own = index;
    if (is_list && object->reader == number)
        k->rows.at[object->row].own_too = 1;
}

/* Keeps a row unless the same version was read before. */
static void add_row(Kernel *k, u32 number, Row *row)
{
    Object *object = &k->objects.at[row->object];
    if (object->reader == number) {
        Row *before = &k->rows.at[object->row];
        if (before->value != row->value || before->version != row->version ||
            before->is_list != row->is_list || before->is_null != row->is_null) {
            note_finding(k, number, row->place, true);
            row->own_too = 1;
            ADD(k, k->rows, *row);
        }
        return;
    }
    object->reader = number;
    object->row = (u32)k->rows.size;
    ADD(k, k->rows, *row);
}

static void take_value(Kernel *k, u32 number, Op *op)
{
    Object *object = &k->objects.at[op->object];
    bool is_own = object->writer == number;
    if (op->value != NOTHING)
        must_be(k, object, 1);
    if (is_own && object->kind != 2 && op->value == object->value)
        return;
    if (is_own)
        hand_over(k, "a transaction did not read what it had written itself");
    Row row = {.value = op->value, .version = op->version, .object = op->object,
               .writer = NONE, .place = op->place, .is_null = op->value == NOTHING};
    add_row(k, number, &row);
}

static void take_list(Kernel *k, u32 number, Op *op, const Draft *draft)
{
    Object *object = &k->objects.at[op->object];
    const i64 *list = draft->elements.at + op->first;
    u32 size = op->size;
    if (size)
        must_be(k, object, 2);
    if (object->writer == number) {
        if (object->kind != 2)
            hand_over(k, "a transaction did not read what it had written itself");
        for (u32 own = object->own; own != NONE; own = draft->ops.at[own].link) {
            if (!size || list[size - 1] != draft->ops.at[own].value)
                hand_over(k, "a transaction did not read what it had appended itself");
            size--;
        }
    }
    u32 same = size < object->size ? size : object->size;
    if (same && memcmp(list, object->longest, same * sizeof(i64)))
        hand_over(k, "two lists that were read contradict each other");
    if (size > object->size) {
        if (size > object->room) {
            object->room = size + size / 2 + 4;
            object->longest = taken(k, object->longest, object->room * sizeof(i64));
        }
        memcpy(object->longest + same, list + same, (size - same) * sizeof(i64));
        object->size = size;
    }
    Row row = {.value = size, .version = NOTHING, .object = op->object, .writer = NONE,
               .place = op->place, .is_list = 1, .own_too = object->writer == number};
    add_row(k, number, &row);
}

/* Keeps the operations of a transaction: of one that has not committed in a history of Jepsen its
   writes alone. */
static void keep(Kernel *k, u32 number, Draft *draft, bool with_reads, u32 place)
{
    Transaction *one = &k->transactions.at[number];
    if (k->rows.size + draft->ops.size >= MOST || k->written.size + draft->ops.size >= MOST)
        hand_over(k, "there are too many operations");
    one->reads = (u32)k->rows.size;
    one->writes = (u32)k->written.size;
    for (u32 i = 0; i < draft->ops.size; i++) {
        Op *op = &draft->ops.at[i];
        if (op->kind <= READ_LIST && !with_reads)
            continue;
        if (place)
            op->place = place;
        k->operations++;
        if (op->kind >= WRITE)
            take_write(k, number, op, i);
        else if (op->kind == READ)
            take_value(k, number, op);
        else
            take_list(k, number, op, draft);
    }
    one->read_count = (u32)(k->rows.size - one->reads);
    one->write_count = (u32)(k->written.size - one->writes);
    draft->ops.size = draft->elements.size = 0;
}

static void end_transaction(Kernel *k, u32 process, u8 fate)
{
    Process *who = &k->processes.at[process];
    Transaction *one = &k->transactions.at[who->transaction];
    one->fate = fate;
    if (fate != COMMITTING)
        one->end = k->line;
    else {
        who->lost = true;
        RELEASE(who->draft.ops);
        RELEASE(who->draft.elements);
    }
    who->transaction = NONE;
}

/* Ends the file: transactions that run are live, or may have asked to commit. */
static void end_of_file(Kernel *k)
{
    for (u32 i = 0; i < k->processes.size; i++) {
        Process *who = &k->processes.at[i];
        if (who->transaction == NONE)
            continue;
        Transaction *one = &k->transactions.at[who->transaction];
        keep(k, who->transaction, &who->draft, !k->is_jepsen, k->is_jepsen ? one->begin : 0);
        if (one->asked || !k->asks)
            one->fate = COMMITTING;
    }
}

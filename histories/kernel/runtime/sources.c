/* From whom each transaction read, when all writes are known. */

/* Finds the writers of a list's elements, and how much of the list is right for every reader: each
   element has one writer, which committed or may have, and whose appends stand together. */
static void look_at_list(Kernel *k, u32 number)
{
    Object *object = &k->objects.at[number];
    object->chain = (u32)k->chains.size;
    if (k->chains.size + object->size >= MOST)
        hand_over(k, "the lists are too long");
    u32 writer = NONE, ordinal = 0, i;
    for (i = 0; i < object->size; i++) {
        Entry *entry = entry_of(k, number, object->longest[i]);
        if (!entry || entry->place != NONE)
            break;
        if (entry->is_open || object->longest[i] == k->initial)
            hand_over(k, "a value has several writers");
        u8 fate = k->transactions.at[entry->writer].fate;
        bool follows = writer == NONE ? entry->ordinal == 0
                                      : entry->writer == writer && entry->ordinal == ordinal;
        if (fate == ABORTED || fate == LIVE || !follows)
            break;
        entry->place = i;
        ADD(k, k->chains, entry->writer);
        writer = entry->is_last ? NONE : entry->writer;
        ordinal = entry->ordinal + 1;
    }
    object->clean = i;
    for (; i < object->size; i++) {
        Entry *entry = entry_of(k, number, object->longest[i]);
        if (entry && (entry->is_open || object->longest[i] == k->initial))
            hand_over(k, "a value has several writers");
    }
}

static bool is_whole(Kernel *k, const Object *object, u32 number, u32 size)
{
    return !size || entry_of(k, number, object->longest[size - 1])->is_last;
}

/* Returns whether a list contains, before a transaction's own appends, one of them. */
static bool contains_own(Kernel *k, u32 reader, const Row *row)
{
    const Transaction *one = &k->transactions.at[reader];
    for (u32 i = one->writes; i < one->writes + one->write_count; i++)
        if (k->written.at[i].object == row->object) {
            const Object *object = &k->objects.at[row->object];
            for (u32 j = 0; j < row->value; j++)
                if (k->chains.at[object->chain + j] == reader)
                    return true;
        }
    return false;
}

static void wrong(Kernel *k, u32 reader, Row *row)
{
    note_finding(k, reader, row->place, false);
    row->is_wrong = 1;
}

/* Notes a read of a transaction that asked to commit only later. */
static void look_at_ask(Kernel *k, u32 writer, const Row *row)
{
    u32 asked = k->transactions.at[writer].asked;
    if (asked && row->place < asked)
        k->is_early = true;
}

static void resolve_list(Kernel *k, u32 reader, Row *row)
{
    const Object *object = &k->objects.at[row->object];
    u32 size = (u32)row->value;
    if (size > object->clean || !is_whole(k, object, row->object, size) ||
        (row->own_too && contains_own(k, reader, row)))
        wrong(k, reader, row);
    else if (size)
        row->writer = k->chains.at[object->chain + size - 1];
    for (u32 j = 0; k->asks && !row->is_wrong && j < size; j++)
        look_at_ask(k, k->chains.at[object->chain + j], row);
}

/* Versions that were recorded, by object and number. */

typedef struct {
    i64 number;
    u32 writer;
    u32 row;
} Version;

typedef struct {
    Version *all;
    u32 *first; /* of an object's versions */
} Versions;

static int by_version(const void *a, const void *b)
{
    const Version *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Finds a version; NULL if nobody installed it. */
static const Version *version_of(const Versions *versions, u32 object, i64 number)
{
    u32 low = versions->first[object], high = versions->first[object + 1], end = high;
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        if (versions->all[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && versions->all[low].number == number ? &versions->all[low] : NULL;
}

static Versions all_versions(Kernel *k)
{
    size_t objects = k->objects.size;
    Versions found = {taken(k, NULL, (k->written.size + 1) * sizeof(Version)),
                      cleared(k, objects + 2, sizeof(u32))};
    u32 *committed = cleared(k, objects + 1, sizeof(u32)), *at = found.first + 1;
    for (u32 t = 0; t < k->transactions.size; t++) {
        const Transaction *one = &k->transactions.at[t];
        for (u32 i = one->writes; i < one->writes + one->write_count; i++) {
            committed[k->written.at[i].object] += one->fate == COMMITTED;
            at[k->written.at[i].object + 1] += k->written.at[i].version != NOTHING;
        }
    }
    for (size_t i = 0; i < objects; i++)
        if (at[i + 1] && at[i + 1] != committed[i])
            hand_over(k, "versions are missing");
    give_back(committed);
    for (size_t i = 1; i <= objects; i++)
        at[i] += at[i - 1];
    for (u32 t = 0; t < k->transactions.size; t++) {
        const Transaction *one = &k->transactions.at[t];
        for (u32 i = one->writes; i < one->writes + one->write_count; i++) {
            const Written *row = &k->written.at[i];
            if (row->version != NOTHING)
                found.all[at[row->object]++] = (Version){row->version, t, i};
        }
    }
    for (size_t i = 0; i < objects; i++) {
        u32 from = found.first[i], to = found.first[i + 1];
        qsort(found.all + from, to - from, sizeof(Version), by_version);
        for (u32 j = from + 1; j < to; j++)
            if (found.all[j].number == found.all[j - 1].number)
                hand_over(k, "a version was installed twice");
    }
    return found;
}

static void resolve_value(Kernel *k, u32 reader, Row *row, const Versions *versions)
{
    bool is_initial = row->is_null || row->value == k->initial;
    if (row->version == 0) {
        if (!is_initial)
            wrong(k, reader, row);
        return;
    }
    const Version *version = NULL;
    if (row->version > 0 && versions->all)
        version = version_of(versions, row->object, row->version);
    if (version) {
        if (k->written.at[version->row].value != row->value ||
            k->objects.at[row->object].kind == 2)
            wrong(k, reader, row);
        else
            row->writer = version->writer;
        if (!row->is_wrong)
            look_at_ask(k, version->writer, row);
        return;
    }
    if (row->version != NOTHING && versions->all &&
        versions->first[row->object] < versions->first[row->object + 1])
        hand_over(k, "a version was read of which no commit says who installed it");
    Entry *entry = row->is_null ? NULL : entry_of(k, row->object, row->value);
    if (entry && (entry->is_open || is_initial))
        hand_over(k, "a value has several writers");
    if (is_initial && row->version == NOTHING)
        return;
    if (!entry || entry->writer == reader) {
        wrong(k, reader, row);
        return;
    }
    u8 fate = k->transactions.at[entry->writer].fate;
    if (fate == ABORTED || fate == LIVE || !entry->is_last)
        wrong(k, reader, row);
    else
        look_at_ask(k, entry->writer, row);
    row->writer = entry->writer;
}

static void resolve(Kernel *k)
{
    Versions versions = {NULL, NULL};
    if (k->has_versions)
        versions = all_versions(k);
    for (u32 i = 0; i < k->objects.size; i++)
        look_at_list(k, i);
    for (u32 t = 0; t < k->transactions.size; t++) {
        const Transaction *one = &k->transactions.at[t];
        if (t % 65536 == 0)
            look_at_stop(k);
        for (u32 i = one->reads; i < one->reads + one->read_count; i++) {
            Row *row = &k->rows.at[i];
            if (row->is_list)
                resolve_list(k, t, row);
            else
                resolve_value(k, t, row, &versions);
        }
    }
    give_back(versions.all);
    give_back(versions.first);
}

/* Rows by object. */

static void group(Kernel *k, u32 **first, u32 **rows, bool of_reads)
{
    size_t objects = k->objects.size, size = of_reads ? k->rows.size : k->written.size;
    *first = cleared(k, objects + 2, sizeof(u32));
    *rows = taken(k, NULL, size * sizeof(u32) + 1);
    u32 *at = *first + 1; /* first[object + 1] is where the next row of an object goes */
    for (size_t i = 0; i < size; i++)
        at[(of_reads ? k->rows.at[i].object : k->written.at[i].object) + 1]++;
    for (size_t i = 1; i <= objects; i++)
        at[i] += at[i - 1];
    for (u32 t = 0; t < k->transactions.size; t++) {
        const Transaction *one = &k->transactions.at[t];
        u32 begin = of_reads ? one->reads : one->writes;
        u32 count = of_reads ? one->read_count : one->write_count;
        for (u32 i = begin; i < begin + count; i++)
            (*rows)[at[of_reads ? k->rows.at[i].object : k->written.at[i].object]++] = i;
    }
}

static void arrange(Kernel *k)
{
    group(k, &k->written_first, &k->written_rows, false);
    group(k, &k->read_first, &k->read_rows, true);
    k->writer_of_row = taken(k, NULL, k->written.size * sizeof(u32) + 1);
    k->read_owner = taken(k, NULL, k->rows.size * sizeof(u32) + 1);
    for (u32 t = 0; t < k->transactions.size; t++) {
        const Transaction *one = &k->transactions.at[t];
        for (u32 i = one->writes; i < one->writes + one->write_count; i++)
            k->writer_of_row[i] = t;
        for (u32 i = one->reads; i < one->reads + one->read_count; i++)
            k->read_owner[i] = t;
    }
}

/* Numbers for texts, objects and processes.

   The code of a value: twice a whole number, or twice the number of a text and one. */

#define LARGEST ((i64)1 << 61)

static i64 code_of_number(Kernel *k, i64 number)
{
    if (number >= LARGEST || number <= -LARGEST)
        hand_over(k, "a whole number is large");
    return number * 2;
}

static i64 code_of_text(Kernel *k, const char *text, size_t size)
{
    u64 hash = 1469598103934665603u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (u8)text[i]) * 1099511628211u;
    hash = mixed(hash);
    if (k->texts.size >= k->text_slots / 2) {
        size_t slots = k->text_slots ? 2 * k->text_slots : 1024;
        u32 *table = filled(k, slots, NONE);
        for (size_t i = 0; i < k->texts.size; i++) {
            Text *one = &k->texts.at[i];
            one->next = table[one->hash & (slots - 1)];
            table[one->hash & (slots - 1)] = (u32)i;
        }
        give_back(k->text_table);
        k->text_table = table;
        k->text_slots = slots;
    }
    u32 *slot = &k->text_table[hash & (k->text_slots - 1)];
    for (u32 i = *slot; i != NONE; i = k->texts.at[i].next) {
        Text *one = &k->texts.at[i];
        if (one->hash == hash && one->size == size &&
            !memcmp(k->pool.at + one->place, text, size))
            return 2 * (i64)i + 1;
    }
    if (size > MOST || k->texts.size >= MOST)
        hand_over(k, "there are too many texts");
    Text made = {hash, k->pool.size, (u32)size, *slot};
    NEED(k, k->pool, size + 1);
    memcpy(k->pool.at + k->pool.size, text, size);
    k->pool.size += size;
    ADD(k, k->texts, made);
    *slot = (u32)(k->texts.size - 1);
    return 2 * (i64)*slot + 1;
}

static u32 new_object(Kernel *k, i64 name)
{
    if (k->objects.size >= MOST)
        hand_over(k, "there are too many objects");
    if (k->objects.size == k->object_names_room)
        k->object_names = grown(k, k->object_names, &k->object_names_room, k->objects.size + 1,
                                sizeof(i64));
    Object made = {.value = NOTHING, .writer = NONE, .reader = NONE, .own = NONE};
    k->object_names[k->objects.size] = name;
    ADD(k, k->objects, made);
    return (u32)(k->objects.size - 1);
}

static void make_object_table(Kernel *k, size_t slots)
{
    u32 *table = filled(k, slots, NONE);
    for (u32 i = 0; i < k->objects.size; i++) {
        size_t place = mixed((u64)k->object_names[i]) & (slots - 1);
        while (table[place] != NONE)
            place = (place + 1) & (slots - 1);
        table[place] = i;
    }
    give_back(k->object_table);
    k->object_table = table;
    k->object_slots = slots;
}

#define SMALL 8000000 /* names of objects that are found without hashing: even codes below it */

static u32 object_of(Kernel *k, i64 name)
{
    if (name >= 0 && name < SMALL && !(name & 1)) {
        size_t number = (size_t)name >> 1;
        while (number >= k->small_objects.size) {
            NEED(k, k->small_objects, k->small_objects.size + 64);
            for (size_t i = 0; i < 64; i++)
                k->small_objects.at[k->small_objects.size++] = NONE;
        }
        if (k->small_objects.at[number] == NONE)
            k->small_objects.at[number] = new_object(k, name);
        return k->small_objects.at[number];
    }
    if (2 * k->objects.size >= k->object_slots)
        make_object_table(k, k->object_slots ? 4 * k->object_slots : 1024);
    size_t place = mixed((u64)name) & (k->object_slots - 1);
    while (k->object_table[place] != NONE) {
        if (k->object_names[k->object_table[place]] == name)
            return k->object_table[place];
        place = (place + 1) & (k->object_slots - 1);
    }
    u32 made = new_object(k, name);
    k->object_table[place] = made;
    return made;
}

static u32 process_of(Kernel *k, i64 name)
{
    if (k->last_process < k->processes.size && k->processes.at[k->last_process].name == name)
        return k->last_process;
    if (2 * k->processes.size >= k->process_slots) {
        size_t slots = k->process_slots ? 4 * k->process_slots : 256;
        u32 *table = filled(k, slots, NONE);
        for (u32 i = 0; i < k->processes.size; i++) {
            size_t place = mixed((u64)k->processes.at[i].name) & (slots - 1);
            while (table[place] != NONE)
                place = (place + 1) & (slots - 1);
            table[place] = i;
        }
        give_back(k->process_table);
        k->process_table = table;
        k->process_slots = slots;
    }
    size_t place = mixed((u64)name) & (k->process_slots - 1);
    while (k->process_table[place] != NONE) {
        if (k->processes.at[k->process_table[place]].name == name)
            return k->last_process = k->process_table[place];
        place = (place + 1) & (k->process_slots - 1);
    }
    Process made = {.name = name, .transaction = NONE, .last = NONE};
    ADD(k, k->processes, made);
    return k->last_process = k->process_table[place] = (u32)(k->processes.size - 1);
}

/* Who wrote a value. */

static u64 hash_of_entry(u32 object, i64 value)
{
    return mixed((u64)value * 0x9e3779b97f4a7c15u + object);
}

static Entry *entry_of(Kernel *k, u32 object, i64 value)
{
    if (!k->entry_slots)
        return NULL;
    size_t mask = k->entry_slots - 1, place = hash_of_entry(object, value) & mask;
    for (; k->entries[place].is_used; place = (place + 1) & mask)
        if (k->entries[place].value == value && k->entries[place].object == object)
            return &k->entries[place];
    return NULL;
}

/* Notes that a transaction wrote a value; returns whether that has one writer and one place. */
static Entry *add_entry(Kernel *k, u32 object, i64 value, u32 writer)
{
    if (10 * (k->entry_count + 1) > 7 * k->entry_slots) {
        size_t slots = k->entry_slots ? 2 * k->entry_slots : 4096;
        Entry *made = cleared(k, slots, sizeof(Entry));
        for (size_t i = 0; i < k->entry_slots; i++)
            if (k->entries[i].is_used) {
                size_t place = hash_of_entry(k->entries[i].object, k->entries[i].value);
                while (made[place & (slots - 1)].is_used)
                    place++;
                made[place & (slots - 1)] = k->entries[i];
            }
        give_back(k->entries);
        k->entries = made;
        k->entry_slots = slots;
    }
    size_t mask = k->entry_slots - 1, place = hash_of_entry(object, value) & mask;
    for (; k->entries[place].is_used; place = (place + 1) & mask)
        if (k->entries[place].value == value && k->entries[place].object == object) {
            k->entries[place].is_open = 1;
            return &k->entries[place];
        }
    k->entries[place] = (Entry){.value = value, .object = object, .writer = writer,
                                .place = NONE, .is_last = 1, .is_used = 1};
    k->entry_count++;
    return &k->entries[place];
}

/* Our own format: events, one a line. */

enum { BEGIN, READS, WRITES, APPENDS, ASKS, COMMITS, ABORTS, LOSES, FACTS, EVENTS };

enum {
    HAS_TYPE = 1, HAS_PROCESS = 2, HAS_TIME = 4, HAS_OBJECT = 8, HAS_VALUE = 16, HAS_VERSION = 32,
    HAS_VERSIONS = 64, HAS_TRANSACTION = 128, HAS_INITIAL = 256, HAS_OTHERS = 512,
};

#define ALWAYS (HAS_TYPE | HAS_PROCESS | HAS_TIME)

static const struct {
    const char *name;
    u32 may;
} KNOWN[EVENTS] = {
    {"begin", HAS_TRANSACTION}, {"read", HAS_OBJECT | HAS_VALUE | HAS_VERSION},
    {"write", HAS_OBJECT | HAS_VALUE}, {"append", HAS_OBJECT | HAS_VALUE}, {"try-commit", 0},
    {"commit", HAS_VERSIONS}, {"abort", 0}, {"indeterminate", 0},
    {"history", HAS_INITIAL | HAS_OTHERS},
};

typedef struct {
    u32 has;
    int type;
    bool is_list;
    i64 process, time, object, value, version, initial;
} Event;

/* Returns what follows an entry of a list or an object: the next one, or the sign that closes it. */
static const char *next_entry(Kernel *k, const char *at, char closing)
{
    if (*at == closing)
        return at;
    if (*at != ',')
        hand_over(k, "it is no JSON");
    at = blank(k, at + 1);
    if (*at == closing)
        hand_over(k, "it is no JSON");
    return at;
}

static const char *list_token(Kernel *k, const char *at)
{
    k->draft.elements.size = 0;
    at = blank(k, at + 1);
    while (*at != ']') {
        i64 element;
        at = blank(k, scalar_token(k, at, &element));
        if (element == NOTHING || k->draft.elements.size >= MOST)
            hand_over(k, "a list is not known here");
        ADD(k, k->draft.elements, element);
        at = next_entry(k, at, ']');
    }
    return at + 1;
}

static const char *versions_token(Kernel *k, const char *at)
{
    k->installed.size = 0;
    if (*at != '{')
        hand_over(k, "versions are an object");
    at = blank(k, at + 1);
    while (*at != '}') {
        Installed one;
        if (*at != '"')
            hand_over(k, "it is no JSON");
        at = blank(k, scalar_token(k, at, &one.name));
        if (*at != ':')
            hand_over(k, "it is no JSON");
        at = blank(k, number_token(k, blank(k, at + 1), &one.version));
        ADD(k, k->installed, one);
        at = next_entry(k, at, '}');
    }
    return at + 1;
}

static int type_of_event(Kernel *k, const char *text, size_t size)
{
    for (int i = 0; i < EVENTS; i++)
        if (size == strlen(KNOWN[i].name) && !memcmp(text, KNOWN[i].name, size))
            return i;
    hand_over(k, "the type is unknown");
}

static const char *entry_of_event(Kernel *k, const char *at, const char *key, size_t size, Event *e)
{
    const char *text;
    size_t length;
    u32 has = IS("type") ? HAS_TYPE : IS("process") ? HAS_PROCESS : IS("time") ? HAS_TIME
              : IS("object") ? HAS_OBJECT : IS("value") ? HAS_VALUE : IS("version") ? HAS_VERSION
              : IS("versions") ? HAS_VERSIONS : IS("transaction") ? HAS_TRANSACTION
              : IS("initial") ? HAS_INITIAL : HAS_OTHERS;
    i64 ignored;
    if (has != HAS_OTHERS && e->has & has)
        hand_over(k, "a key stands twice");
    e->has |= has;
    switch (has) {
    case HAS_TYPE:
        if (*at != '"')
            hand_over(k, "the type is unknown");
        at = text_token(k, at + 1, &text, &length);
        e->type = type_of_event(k, text, length);
        return at;
    case HAS_PROCESS:
        at = scalar_token(k, at, &e->process);
        if (e->process == NOTHING)
            hand_over(k, "a process is not known here");
        return at;
    case HAS_OBJECT:
        at = scalar_token(k, at, &e->object);
        if (e->object == NOTHING)
            hand_over(k, "an object is not known here");
        return at;
    case HAS_TRANSACTION:
        at = scalar_token(k, at, &ignored);
        if (ignored == NOTHING)
            hand_over(k, "a name is not known here");
        return at;
    case HAS_VALUE:
        e->is_list = *at == '[';
        return e->is_list ? list_token(k, at) : scalar_token(k, at, &e->value);
    case HAS_TIME:
        return *at == 'n' ? any_value(k, at, 1) : number_token(k, at, &e->time);
    case HAS_VERSION:
        return *at == 'n' ? any_value(k, at, 1) : number_token(k, at, &e->version);
    case HAS_VERSIONS:
        return versions_token(k, at);
    case HAS_INITIAL:
        return scalar_token(k, at, &e->initial);
    default:
        return any_value(k, at, 1);
    }
}

static const char *event_token(Kernel *k, const char *at, Event *e)
{
    *e = (Event){.type = -1, .time = NOTHING, .version = NOTHING, .initial = NOTHING,
                 .value = NOTHING};
    k->draft.elements.size = k->installed.size = 0;
    if (*at != '{')
        hand_over(k, "an event is an object in braces");
    at = blank(k, at + 1);
    while (*at != '}') {
        const char *text;
        size_t size;
        char key[16] = "";
        if (*at != '"')
            hand_over(k, "it is no JSON");
        at = blank(k, text_token(k, at + 1, &text, &size));
        size = size < sizeof key ? size : 0;
        memcpy(key, text, size);
        if (*at != ':')
            hand_over(k, "it is no JSON");
        at = blank(k, entry_of_event(k, blank(k, at + 1), key, size, e));
        at = next_entry(k, at, '}');
    }
    return at + 1;
}

/* Returns the object that a key of "versions" names: keys are texts, objects can be numbers. */
static u32 installed_object(Kernel *k, u32 number, i64 name)
{
    const Text *text = &k->texts.at[name >> 1];
    const char *letters = k->pool.at + text->place;
    u32 size = text->size, digits = size && letters[0] == '-', found = NONE;
    bool is_number = size > digits && size - digits < 18;
    i64 value = 0;
    for (u32 i = digits; i < size && is_number; i++) {
        is_number = letters[i] >= '0' && letters[i] <= '9' && (i > digits || letters[i] != '0' ||
                                                               (size == 1));
        value = value * 10 + (letters[i] - '0');
    }
    u32 as_text = object_of(k, name);
    if (k->objects.at[as_text].writer == number)
        found = as_text;
    if (is_number) {
        u32 as_number = object_of(k, code_of_number(k, digits ? -value : value));
        if (k->objects.at[as_number].writer == number) {
            if (found != NONE)
                hand_over(k, "an object is a number and a text");
            found = as_number;
        }
    }
    if (found == NONE)
        hand_over(k, "a version was installed of what was not written");
    return found;
}

static void install(Kernel *k, u32 number)
{
    for (size_t i = 0; i < k->installed.size; i++) {
        Installed *one = &k->installed.at[i];
        u32 what = installed_object(k, number, one->name);
        Written *row = &k->written.at[k->objects.at[what].write_row];
        if (one->version <= 0 || row->version != NOTHING)
            hand_over(k, "a version is wrong");
        row->version = one->version;
        k->has_versions = true;
    }
}

/* Notes where an event of a transaction stands whose lines are to be found. */
static void note_place(Kernel *k, u32 number, u64 place)
{
    if (k->wanted && number < k->wanted_size && k->wanted[number]) {
        ADD(k, k->found, k->line);
        ADD(k, k->found, place);
    }
}

static void take_event(Kernel *k, const Event *e, bool is_first, u64 place)
{
    if (e->type < 0 || (e->type == FACTS && !is_first))
        hand_over(k, "the type is unknown");
    if (e->has & ~((e->type == FACTS ? 0u : ALWAYS) | HAS_TYPE | KNOWN[e->type].may))
        hand_over(k, "an event has another key");
    if (e->type == FACTS) {
        k->initial = e->initial;
        return;
    }
    if (e->time != NOTHING)
        look_at_time(k, e->time);
    if (!(e->has & HAS_PROCESS))
        hand_over(k, "a process is missing");
    u32 process = process_of(k, e->process);
    if (e->type == BEGIN) {
        note_place(k, begin_transaction(k, process), place);
        return;
    }
    Process *who = &k->processes.at[process];
    u32 number = who->transaction;
    if (number == NONE)
        hand_over(k, "an event is out of place");
    Transaction *one = &k->transactions.at[number];
    note_place(k, number, place);
    if (e->type == ASKS || (e->type <= APPENDS && one->asked)) {
        if (one->asked)
            hand_over(k, "an event is out of place");
        one->asked = k->line;
        k->asks = true;
        return;
    }
    if (e->type <= APPENDS && k->wanted)
        return;
    if (e->type <= APPENDS) {
        if (!(e->has & HAS_OBJECT) || !(e->has & HAS_VALUE))
            hand_over(k, "an event has too few keys");
        if (e->type != READS && (e->is_list || e->value == NOTHING))
            hand_over(k, "a value is not known here");
        Draft *draft = &who->draft;
        Op op = {.kind = e->type == READS ? (e->is_list ? READ_LIST : READ)
                         : e->type == WRITES ? WRITE : APPEND,
                 .object = object_of(k, e->object), .value = e->value, .version = e->version,
                 .place = k->line, .first = (u32)draft->elements.size, .link = NONE};
        if (e->is_list) {
            op.size = (u32)k->draft.elements.size;
            if (draft->elements.size + op.size >= MOST)
                hand_over(k, "a transaction reads too much");
            NEED(k, draft->elements, op.size);
            if (op.size)
                memcpy(draft->elements.at + draft->elements.size, k->draft.elements.at,
                       op.size * sizeof(i64));
            draft->elements.size += op.size;
        }
        ADD(k, draft->ops, op);
        return;
    }
    keep(k, number, &who->draft, true, 0);
    if (e->type == COMMITS && !k->wanted)
        install(k, number);
    end_transaction(k, process, e->type == COMMITS ? COMMITTED : e->type == ABORTS ? ABORTED
                                                                                   : COMMITTING);
}

#define LONGEST_LINE ((size_t)1 << 20)

static void read_events(Kernel *k)
{
    bool is_first = true;
    open_window(k, WINDOW);
    for (k->line = 1;;) {
        if (k->at == k->end) {
            if (k->is_end)
                return;
            open_window(k, WINDOW);
            continue;
        }
        const char *from = k->at, *at = blank(k, from);
        if (*at != '\n' && at != k->end) {
            Event event;
            at = blank(k, event_token(k, at, &event));
            take_event(k, &event, is_first, k->offset + (u64)(from - k->text));
            is_first = false;
            if (*at != '\n' && at != k->end)
                hand_over(k, "something stands behind an event");
        }
        at += at != k->end;
        if ((size_t)(at - from) > LONGEST_LINE)
            hand_over(k, "a line is too long");
        k->at = (char *)(uintptr_t)at;
        k->line++;
    }
}

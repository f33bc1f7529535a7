/* Histories of Jepsen: operations of JSON, in an array or one after the other. */

enum { INVOKE, OK, FAIL, INFO };
enum { ABSENT, NULL_VALUE, MICRO, OTHER, ODD };

typedef struct {
    int type;       /* -1: missing */
    bool is_other;  /* f says that it is no transaction */
    bool has_f, has_process, has_value, has_time;
    bool is_strange_process, is_nemesis;
    i64 process, time;
    int value;
    u64 place;
    u32 line;
} Operation;

static void add_micro(Kernel *k, u8 kind, i64 key, i64 value, u32 first)
{
    Op op = {.kind = kind, .object = object_of(k, key), .value = value, .version = NOTHING,
             .first = first, .size = (u32)(k->draft.elements.size - first), .link = NONE};
    ADD(k, k->draft.ops, op);
}

/* Reads [append k v], [w k v] or [r k v]; returns NULL if it is something else. */
static const char *micro_operation(Kernel *k, const char *at)
{
    if (*at != '[')
        return NULL;
    at = blank(k, at + 1);
    u8 kind;
    if (at[0] == '"' && at[1] == 'r' && at[2] == '"')
        kind = READ, at += 3;
    else if (at[0] == '"' && at[1] == 'w' && at[2] == '"')
        kind = WRITE, at += 3;
    else if (!strncmp(at, "\"append\"", 8))
        kind = APPEND, at += 8;
    else
        return NULL;
    at = blank(k, at);
    if (*at != ',')
        return NULL;
    at = blank(k, at + 1);
    i64 key, value = NOTHING;
    size_t first = k->draft.elements.size;
    at = blank(k, scalar_token(k, at, &key));
    if (key == NOTHING || *at != ',')
        return NULL;
    at = blank(k, at + 1);
    if (*at == '[') {
        if (kind != READ)
            return NULL;
        kind = READ_LIST;
        at = blank(k, at + 1);
        while (*at != ']') {
            i64 element;
            if (LIKELY(*at >= '1' && *at <= '9')) {
                const char *from = at;
                element = *at++ - '0';
                while (*at >= '0' && *at <= '9' && at - from < 17)
                    element = element * 10 + (*at++ - '0');
                element *= 2;
                if ((*at >= '0' && *at <= '9') || *at == '.' || (*at | 32) == 'e')
                    at = scalar_token(k, from, &element);
            } else
                at = scalar_token(k, at, &element);
            if (element == NOTHING)
                return NULL;
            ADD(k, k->draft.elements, element);
            if (k->draft.elements.size >= MOST)
                hand_over(k, "a transaction reads too much");
            at = blank(k, at);
            if (*at == ',') {
                at = blank(k, at + 1);
                if (*at == ']')
                    strange(k, at, "it is no JSON");
            } else if (*at != ']')
                strange(k, at, "it is no value that is known here");
        }
        at++;
    } else {
        at = scalar_token(k, at, &value);
        if (kind != READ && value == NOTHING)
            return NULL;
    }
    at = blank(k, at);
    if (*at != ']')
        strange(k, at, "it is no operation that is known here");
    add_micro(k, kind, key, value, (u32)first);
    return at + 1;
}

/* Reads the value of an operation, as a transaction if it is one. */
static const char *value_of_operation(Kernel *k, const char *at, Operation *op)
{
    k->draft.ops.size = k->draft.elements.size = 0;
    if (*at != '[') {
        op->value = *at == 'n' ? NULL_VALUE : OTHER;
        return any_value(k, at, 1);
    }
    const char *from = at;
    u32 line = k->line;
    op->value = MICRO;
    at = blank(k, at + 1);
    if (*at == ']')
        return at + 1;
    for (;;) {
        at = micro_operation(k, at);
        if (!at)
            break;
        at = blank(k, at);
        if (*at == ']')
            return at + 1;
        if (*at != ',')
            break;
        at = blank(k, at + 1);
    }
    op->value = ODD;
    k->line = line;
    return any_value(k, from, 1);
}

static int type_of(const char *text, size_t size)
{
    static const char *const names[] = {"invoke", "ok", "fail", "info"};
    for (int i = 0; i < 4; i++)
        if (size == strlen(names[i]) && !memcmp(text, names[i], size))
            return i;
    return -1;
}

#define IS(word) (size == sizeof word - 1 && !memcmp(key, word, sizeof word - 1))

static void once(Kernel *k, bool *has)
{
    if (*has)
        hand_over(k, "a key stands twice");
    *has = true;
}

static const char *entry_of_operation(Kernel *k, const char *at, const char *key, size_t size,
                                      Operation *op)
{
    const char *text;
    size_t length;
    if (IS("type")) {
        if (op->type >= 0 || *at != '"')
            strange(k, at, "the type is unknown");
        at = text_token(k, at + 1, &text, &length);
        op->type = type_of(text, length);
        if (op->type < 0)
            hand_over(k, "the type is unknown");
    } else if (IS("f")) {
        once(k, &op->has_f);
        op->is_other = true;
        if (*at != '"')
            return any_value(k, at, 1);
        at = text_token(k, at + 1, &text, &length);
        op->is_other = length != 3 || memcmp(text, "txn", 3);
    } else if (IS("process")) {
        once(k, &op->has_process);
        if (*at != '"' && *at != '-' && !(*at >= '0' && *at <= '9')) {
            op->is_strange_process = true;
            return any_value(k, at, 1);
        }
        at = scalar_token(k, at, &op->process);
        op->is_nemesis = op->process == code_of_text(k, "nemesis", 7);
    } else if (IS("value")) {
        once(k, &op->has_value);
        return value_of_operation(k, at, op);
    } else if (IS("time")) {
        once(k, &op->has_time);
        op->time = NOTHING;
        if (*at == 'n')
            return any_value(k, at, 1);
        at = number_token(k, at, &op->time);
    } else
        return any_value(k, at, 1);
    return at;
}

/* Reads an operation. */
static const char *operation_token(Kernel *k, const char *at, Operation *op)
{
    *op = (Operation){.type = -1, .time = NOTHING, .place = k->offset + (u64)(at - k->text),
                      .line = k->line};
    k->draft.ops.size = k->draft.elements.size = 0;
    if (*at != '{')
        strange(k, at, "an operation is a map");
    at = blank(k, at + 1);
    while (*at != '}') {
        const char *key;
        size_t size;
        if (*at != '"')
            strange(k, at, "it is no JSON");
        at = text_token(k, at + 1, &key, &size);
        at = blank(k, at);
        if (*at != ':')
            strange(k, at, "it is no JSON");
        char name[8] = "";
        memcpy(name, key, size < 8 ? size : 0);
        at = blank(k, at + 1);
        at = blank(k, entry_of_operation(k, at, name, size < 8 ? size : 0, op));
        if (*at == ',') {
            at = blank(k, at + 1);
            if (*at == '}')
                strange(k, at, "it is no JSON");
        } else if (*at != '}')
            strange(k, at, "it is no JSON");
    }
    return at + 1;
}

static void must_be_answer(Kernel *k, const Draft *asked)
{
    bool same = asked->ops.size == k->draft.ops.size;
    for (size_t i = 0; same && i < asked->ops.size; i++) {
        const Op *a = &asked->ops.at[i], *b = &k->draft.ops.at[i];
        bool is_read = a->kind <= READ_LIST;
        same = a->object == b->object && (is_read ? b->kind <= READ_LIST
                                          : a->kind == b->kind && a->value == b->value);
    }
    if (!same)
        hand_over(k, "an answer is to another transaction");
}

static void take_operation(Kernel *k, const Operation *op)
{
    if (op->type < 0)
        hand_over(k, "the type is unknown");
    bool is_list = op->value == MICRO || op->value == ODD;
    bool is_nothing = op->value == ABSENT || op->value == NULL_VALUE;
    if (op->is_other || op->is_nemesis || !(is_list || (is_nothing && op->type != INVOKE)))
        return;
    if (op->value == ODD || op->is_strange_process || !op->has_process)
        hand_over(k, "an operation is not known here");
    k->line = op->line;
    if (op->time != NOTHING)
        look_at_time(k, op->time);
    u32 process = process_of(k, op->process);
    Process *who = &k->processes.at[process];
    if (op->type == INVOKE || !who->called) {
        begin_transaction(k, process);
        ADD(k, k->offsets, op->place);
        ADD(k, k->offsets, UINT64_MAX);
        ADD(k, k->offsets, 0);
    }
    if (op->type == INVOKE) {
        Draft swap = who->draft;
        who->draft = k->draft;
        k->draft = swap;
        who->draft.elements.size = 0;
        who->called = true;
        return;
    }
    Draft *draft = &k->draft;
    if (who->called && !is_nothing)
        must_be_answer(k, &who->draft);
    else if (who->called)
        draft = &who->draft;
    if (is_nothing && op->type == OK)
        draft->ops.size = 0;
    who->called = false;
    k->offsets.at[3 * (size_t)who->transaction + 1] = op->place;
    k->offsets.at[3 * (size_t)who->transaction + 2] = op->line;
    keep(k, who->transaction, draft, op->type == OK, op->line);
    end_transaction(k, process, op->type == OK ? COMMITTED : op->type == FAIL ? ABORTED
                                                                              : COMMITTING);
}

/* Histories of Jepsen in EDN: operations as maps with keywords, in a vector or one after the
   other. What is rare (discards, sets, escapes but the usual ones, floats where whole numbers are
   expected) is left to Python. */

static const char *edn_blank(Kernel *k, const char *at)
{
    for (;; at++) {
        if (*at == '\n')
            k->line++;
        else if (*at == ';') {
            while (*at && *at != '\n')
                at++;
            at--;
        } else if (*at != ' ' && *at != '\t' && *at != '\r' && *at != ',')
            return at;
    }
}

static bool is_edn_end(char c)
{
    return (u8)c <= ' ' || strchr(",;\"()[]{}", c);
}

/* Reads a word: a keyword, a symbol or a number. */
static const char *edn_word(Kernel *k, const char *at, size_t *size)
{
    const char *from = at;
    for (; !is_edn_end(*at); at++)
        if ((u8)*at >= 0x7f || *at == '\\')
            hand_over(k, "a word is not known here");
    if ((u8)*at < ' ' && *at != '\n' && *at != '\t' && *at != '\r')
        strange(k, at, "a word is not known here");
    if (at == from || *from == '#')
        strange(k, at, "it is no EDN that is known here");
    *size = (size_t)(at - from);
    return at;
}

static const char *edn_text(Kernel *k, const char *at, const char **text, size_t *size)
{
    const char *from = at;
    for (; *at != '"'; at++)
        if ((u8)*at < ' ' || (u8)*at >= 0x7f || *at == '\\')
            strange(k, at, "a text is not known here");
    *text = from;
    *size = (size_t)(at - from);
    return at + 1;
}

/* Skips a tag, but not what it stands before. */
static const char *edn_tag(Kernel *k, const char *at)
{
    while (*at == '#' && ((at[1] | 32) >= 'a' && (at[1] | 32) <= 'z')) {
        for (at++; !is_edn_end(*at); at++)
            if (!((*at | 32) >= 'a' && (*at | 32) <= 'z') && !(*at >= '0' && *at <= '9') &&
                !strchr("_.-/*+!?$%&=<>", *at))
                hand_over(k, "a tag is not known here");
        at = edn_blank(k, at);
    }
    return at;
}

/* Reads a value that is of no interest. */
static const char *edn_any(Kernel *k, const char *at, int depth)
{
    const char *text;
    size_t size;
    if (depth > DEEPEST)
        hand_over(k, "there are too many lists in each other");
    at = edn_tag(k, at);
    if (*at == '"')
        return edn_text(k, at + 1, &text, &size);
    if (*at != '[' && *at != '(' && *at != '{')
        return edn_word(k, at, &size);
    char closing = *at == '[' ? ']' : *at == '(' ? ')' : '}';
    u32 count = 0;
    for (at = edn_blank(k, at + 1); *at != closing; at = edn_blank(k, at), count++)
        at = edn_any(k, at, depth + 1);
    if (closing == '}' && count % 2)
        hand_over(k, "a map has a key without a value");
    return at + 1;
}

/* Reads a whole number, a text or nil as a code; keywords too, if they may stand there. */
static const char *edn_scalar(Kernel *k, const char *at, i64 *code, bool keywords)
{
    const char *text;
    size_t size;
    if (*at == '"') {
        at = edn_text(k, at + 1, &text, &size);
        *code = code_of_text(k, text, size);
        return at;
    }
    const char *end = edn_word(k, at, &size);
    if (size == 3 && !memcmp(at, "nil", 3)) {
        *code = NOTHING;
        return end;
    }
    if (*at == ':') {
        if (!keywords || size == 1)
            hand_over(k, "a keyword is not known here");
        *code = code_of_text(k, at + 1, size - 1);
        return end;
    }
    bool is_negative = *at == '-';
    i64 found = 0;
    if (size <= is_negative || size - is_negative > 18)
        hand_over(k, "a word is not known here");
    for (size_t i = is_negative; i < size; i++) {
        if (at[i] < '0' || at[i] > '9')
            hand_over(k, "a word is not known here");
        found = found * 10 + (at[i] - '0');
    }
    *code = code_of_number(k, is_negative ? -found : found);
    return end;
}

static bool edn_is(const char *at, size_t size, const char *word)
{
    return size == strlen(word) && !memcmp(at, word, size);
}

/* Reads [:append k v], [:w k v] or [:r k v]. */
static const char *edn_micro(Kernel *k, const char *at)
{
    size_t size, first = k->draft.elements.size;
    i64 key, value = NOTHING;
    if (*at != '[')
        strange(k, at, "an operation is not known here");
    at = edn_blank(k, at + 1);
    const char *end = edn_word(k, at, &size);
    u8 kind = edn_is(at, size, ":r") ? READ : edn_is(at, size, ":w") ? WRITE : APPEND;
    if (kind == APPEND && !edn_is(at, size, ":append"))
        hand_over(k, "an operation is not known here");
    at = edn_blank(k, edn_scalar(k, edn_blank(k, end), &key, true));
    if (key == NOTHING)
        hand_over(k, "a key is not known here");
    if (*at == '[' && kind == READ) {
        kind = READ_LIST;
        for (at = edn_blank(k, at + 1); *at != ']'; at = edn_blank(k, at)) {
            i64 element;
            at = edn_scalar(k, at, &element, false);
            if (element == NOTHING || k->draft.elements.size >= MOST)
                hand_over(k, "a list is not known here");
            ADD(k, k->draft.elements, element);
        }
        at++;
    } else {
        at = edn_scalar(k, at, &value, false);
        if (kind != READ && value == NOTHING)
            hand_over(k, "a value is not known here");
    }
    at = edn_blank(k, at);
    if (*at != ']')
        strange(k, at, "an operation is not known here");
    add_micro(k, kind, key, value, (u32)first);
    return at + 1;
}

static const char *edn_value(Kernel *k, const char *at, Operation *op)
{
    const char *from = at;
    u32 line = k->line;
    if (*at != '[') {
        size_t size;
        op->value = *at == '(' || *at == '#' ? ODD : OTHER;
        if (*at == 'n' && edn_is(at, (size_t)(edn_word(k, at, &size) - at), "nil"))
            op->value = NULL_VALUE;
        return edn_any(k, at, 1);
    }
    at = edn_blank(k, at + 1);
    if (*at != '[' && *at != ']') {
        op->value = ODD;
        k->line = line;
        return edn_any(k, from, 1);
    }
    op->value = MICRO;
    for (; *at != ']'; at = edn_blank(k, at))
        at = edn_micro(k, at);
    return at + 1;
}

static const char *edn_entry(Kernel *k, const char *at, const char *key, size_t size, Operation *op)
{
    size_t length;
    const char *end;
    if (IS(":type")) {
        end = edn_word(k, at, &length);
        if (op->type >= 0 || *at != ':')
            hand_over(k, "the type is unknown");
        op->type = type_of(at + 1, length - 1);
        return end;
    }
    if (IS(":f")) {
        once(k, &op->has_f);
        op->is_other = true;
        if (*at != ':')
            hand_over(k, "a kind of operation is not known here");
        end = edn_word(k, at, &length);
        op->is_other = !edn_is(at, length, ":txn");
        return end;
    }
    if (IS(":process")) {
        once(k, &op->has_process);
        end = edn_scalar(k, at, &op->process, true);
        op->is_strange_process = op->process == NOTHING;
        op->is_nemesis = op->process == code_of_text(k, "nemesis", 7);
        return end;
    }
    if (IS(":value")) {
        once(k, &op->has_value);
        return edn_value(k, at, op);
    }
    if (IS(":time")) {
        once(k, &op->has_time);
        end = edn_scalar(k, at, &op->time, false);
        if (op->time != NOTHING && op->time & 1)
            hand_over(k, "a time is not known here");
        return end;
    }
    return edn_any(k, at, 1);
}

static const char *edn_operation(Kernel *k, const char *at, Operation *op)
{
    *op = (Operation){.type = -1, .time = NOTHING, .place = k->offset + (u64)(at - k->text),
                      .line = k->line};
    k->draft.ops.size = k->draft.elements.size = 0;
    at = edn_tag(k, at);
    if (*at != '{')
        strange(k, at, "an operation is a map");
    for (at = edn_blank(k, at + 1); *at != '}'; at = edn_blank(k, at)) {
        size_t size;
        const char *key = at;
        if (*at != ':')
            strange(k, at, "a key is not known here");
        at = edn_blank(k, edn_word(k, at, &size));
        at = edn_entry(k, at, key, size, op);
    }
    return at + 1;
}

/* Returns where the next operation begins, or something else that stands between operations. */
static const char *between(Kernel *k)
{
    if (k->is_edn)
        return edn_blank(k, k->at);
    const char *at = blank(k, k->at);
    while (*at == ',')
        at = blank(k, at + 1);
    return at;
}

/* Reads the file, in JSON or EDN. */
static void read_jepsen(Kernel *k)
{
    volatile char inside = 0; /* what closes the list that holds all operations */
    volatile bool is_first = true;
    char *volatile from = NULL;
    volatile u32 line = 1;
    open_window(k, WINDOW);
    if (setjmp(k->more)) { /* the value goes on behind the window */
        k->at = from;
        k->line = line;
        open_window(k, k->filled + WINDOW);
    }
    for (;;) {
        const char *at = between(k);
        k->at = from = (char *)(uintptr_t)at;
        line = k->line;
        if (at == k->end) {
            if (k->is_end)
                break;
            open_window(k, WINDOW);
            continue;
        }
        bool may_open = is_first || !k->is_edn;
        if (inside ? *at == inside
                   : may_open && (*at == '[' || (k->is_edn && *at == '('))) {
            inside = inside ? 0 : *at == '[' ? ']' : ')';
            is_first = false;
            k->at++;
            continue;
        }
        is_first = false;
        Operation op;
        at = k->is_edn ? edn_operation(k, at, &op) : operation_token(k, at, &op);
        u32 after = k->line;
        take_operation(k, &op);
        k->line = after;
        k->at = (char *)(uintptr_t)at;
    }
    if (inside)
        hand_over(k, "the file breaks off");
}

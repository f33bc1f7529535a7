/* The window on the file, and the tokens of JSON.

   A NUL stands behind the window. No token contains one, so it ends each of them: if the file goes
   on there, the value is read again with a larger window. */

#define WINDOW ((size_t)4 << 20)

static void open_window(Kernel *k, size_t wanted)
{
    look_at_stop(k);
    if (k->end) {
        *k->end = k->kept;
        size_t rest = k->filled - (size_t)(k->at - k->text);
        memmove(k->text, k->at, rest);
        k->offset += (u64)(k->at - k->text);
        k->filled = rest;
    }
    for (;;) {
        if (k->filled + wanted + 1 > k->room) {
            k->room = k->filled + wanted + 1;
            k->text = taken(k, k->text, k->room);
        }
        while (wanted && !k->is_end) {
            ssize_t got = pread(k->file, k->text + k->filled, wanted,
                                (off_t)(k->offset + k->filled));
            if (got < 0 && errno == EINTR)
                continue;
            if (got < 0)
                leave(k, UNREADABLE, "it cannot be read");
            k->is_end = got == 0;
            k->filled += (size_t)got;
            wanted -= (size_t)got;
        }
        char *end = k->text + k->filled;
        if (!k->is_end)
            while (end > k->text && end[-1] != '\n')
                end--;
        if (end > k->text || k->is_end) {
            k->at = k->text;
            k->end = end;
            k->kept = *end;
            *end = 0;
            return;
        }
        wanted = k->filled + WINDOW;
    }
}

/* Leaves a value: it is none that is known here, or it goes on behind the window. */
static void __attribute__((noreturn, cold)) strange(Kernel *k, const char *at, const char *reason)
{
    if (at == k->end && !k->is_end)
        longjmp(k->more, 1);
    hand_over(k, reason);
}

/* Returns the length of a sequence of UTF-8, 0 if it is none. */
static size_t sequence(const char *text)
{
    const u8 *s = (const u8 *)text;
    if (s[0] >= 0xc2 && s[0] <= 0xdf)
        return (s[1] & 0xc0) == 0x80 ? 2 : 0;
    if ((s[1] & 0xc0) != 0x80 || (s[2] & 0xc0) != 0x80)
        return 0;
    if (s[0] >= 0xe0 && s[0] <= 0xef) {
        if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f))
            return 0;
        return 3;
    }
    if (s[0] < 0xf0 || s[0] > 0xf4 || (s[3] & 0xc0) != 0x80)
        return 0;
    return (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f) ? 0 : 4;
}

static u32 four_digits(Kernel *k, const char *at)
{
    u32 found = 0;
    for (int i = 0; i < 4; i++) {
        u32 digit = (u8)at[i], letter = digit | 32;
        if (digit >= '0' && digit <= '9')
            found = found << 4 | (digit - '0');
        else if (letter >= 'a' && letter <= 'f')
            found = found << 4 | (letter - 'a' + 10);
        else
            strange(k, at + i, "an escape is wrong");
    }
    return found;
}

static void add_letter(Kernel *k, u32 letter)
{
    NEED(k, k->unescaped, 4);
    char *to = k->unescaped.at + k->unescaped.size;
    if (letter < 0x80) {
        to[0] = (char)letter;
        k->unescaped.size += 1;
    } else if (letter < 0x800) {
        to[0] = (char)(0xc0 | letter >> 6);
        to[1] = (char)(0x80 | (letter & 63));
        k->unescaped.size += 2;
    } else if (letter < 0x10000) {
        to[0] = (char)(0xe0 | letter >> 12);
        to[1] = (char)(0x80 | (letter >> 6 & 63));
        to[2] = (char)(0x80 | (letter & 63));
        k->unescaped.size += 3;
    } else {
        to[0] = (char)(0xf0 | letter >> 18);
        to[1] = (char)(0x80 | (letter >> 12 & 63));
        to[2] = (char)(0x80 | (letter >> 6 & 63));
        to[3] = (char)(0x80 | (letter & 63));
        k->unescaped.size += 4;
    }
}

/* Reads an escape of JSON behind its backslash. */
static const char *escape(Kernel *k, const char *at)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *found = *at ? strchr(from, *at) : NULL;
    if (found) {
        add_letter(k, (u8)to[found - from]);
        return at + 1;
    }
    if (*at != 'u')
        strange(k, at, "an escape is wrong");
    u32 letter = four_digits(k, at + 1);
    at += 5;
    if (letter >= 0xd800 && letter < 0xdc00 && at[0] == '\\' && at[1] == 'u') {
        u32 second = four_digits(k, at + 2);
        if (second >= 0xdc00 && second < 0xe000) {
            letter = 0x10000 + ((letter - 0xd800) << 10) + (second - 0xdc00);
            at += 6;
        }
    }
    if (letter >= 0xd800 && letter < 0xe000)
        hand_over(k, "a text contains half a letter");
    add_letter(k, letter);
    return at;
}

/* Reads a text behind its quote; sets where its letters stand. */
static const char *text_token(Kernel *k, const char *at, const char **text, size_t *size)
{
    const char *from = at;
    while ((u8)*at >= 0x20 && (u8)*at < 0x80 && *at != '"' && *at != '\\')
        at++;
    if (LIKELY(*at == '"')) {
        *text = from;
        *size = (size_t)(at - from);
        return at + 1;
    }
    k->unescaped.size = 0;
    NEED(k, k->unescaped, (size_t)(at - from) + 1);
    memcpy(k->unescaped.at, from, (size_t)(at - from));
    k->unescaped.size = (size_t)(at - from);
    while (*at != '"') {
        size_t length = 1;
        if (*at == '\\') {
            at = escape(k, at + 1);
            continue;
        }
        if ((u8)*at < 0x20)
            strange(k, at, "a text contains a sign of control");
        if ((u8)*at >= 0x80) {
            length = sequence(at);
            if (!length)
                hand_over(k, "a text is no UTF-8");
        }
        NEED(k, k->unescaped, length);
        memcpy(k->unescaped.at + k->unescaped.size, at, length);
        k->unescaped.size += length;
        at += length;
    }
    *text = k->unescaped.at;
    *size = k->unescaped.size;
    return at + 1;
}

static inline const char *blank(Kernel *k, const char *at)
{
    for (;; at++) {
        if (LIKELY((u8)*at > ' '))
            return at;
        if (*at == '\n') {
            if (!k->is_jepsen)
                return at;
            k->line++;
        } else if (*at != ' ' && *at != '\t' && *at != '\r')
            return at;
    }
}

/* Reads a whole number; others are strange. */
static const char *number_token(Kernel *k, const char *at, i64 *number)
{
    const char *from = at;
    bool is_negative = *at == '-';
    at += is_negative;
    const char *first = at;
    u64 found = 0;
    while (*at >= '0' && *at <= '9')
        found = found * 10 + (u64)(*at++ - '0');
    if (at == first || at - first > 18 || (*first == '0' && at - first > 1))
        strange(k, at == first ? at : from, "a number is wrong or large");
    if (*at == '.' || *at == 'e' || *at == 'E')
        hand_over(k, "a number is no whole one");
    *number = is_negative ? -(i64)found : (i64)found;
    return at;
}

/* Reads a text, a whole number or null as a code. */
static const char *scalar_token(Kernel *k, const char *at, i64 *code)
{
    if (*at == '"') {
        const char *text;
        size_t size;
        at = text_token(k, at + 1, &text, &size);
        *code = code_of_text(k, text, size);
        return at;
    }
    if (*at == 'n') {
        if (at[1] != 'u' || at[2] != 'l' || at[3] != 'l')
            strange(k, at, "it is no value that is known here");
        *code = NOTHING;
        return at + 4;
    }
    i64 number = 0;
    at = number_token(k, at, &number);
    *code = code_of_number(k, number);
    return at;
}

static const char *any_number(Kernel *k, const char *at)
{
    at += *at == '-';
    const char *first = at;
    while (*at >= '0' && *at <= '9')
        at++;
    if (at == first || (*first == '0' && at - first > 1) || at - first > 1000)
        strange(k, at, "a number is wrong");
    if (*at == '.') {
        first = ++at;
        while (*at >= '0' && *at <= '9')
            at++;
        if (at == first)
            strange(k, at, "a number is wrong");
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '-' || *at == '+';
        first = at;
        while (*at >= '0' && *at <= '9')
            at++;
        if (at == first)
            strange(k, at, "a number is wrong");
    }
    return at;
}

static const char *any_word(Kernel *k, const char *at)
{
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++)
        if (!strncmp(at, words[i], strlen(words[i])))
            return at + strlen(words[i]);
    strange(k, at, "it is no JSON");
}

#define DEEPEST 60

/* Reads a value that is of no interest. */
static const char *any_value(Kernel *k, const char *at, int depth)
{
    const char *text;
    size_t size;
    if (depth > DEEPEST)
        hand_over(k, "there are too many lists in each other");
    if (*at == '"')
        return text_token(k, at + 1, &text, &size);
    if (*at == '-' || (*at >= '0' && *at <= '9'))
        return any_number(k, at);
    if (*at != '[' && *at != '{')
        return any_word(k, at);
    char closing = *at == '[' ? ']' : '}';
    at = blank(k, at + 1);
    if (*at == closing)
        return at + 1;
    for (;;) {
        if (closing == '}') {
            if (*at != '"')
                strange(k, at, "it is no JSON");
            at = blank(k, text_token(k, at + 1, &text, &size));
            if (*at != ':')
                strange(k, at, "it is no JSON");
            at = blank(k, at + 1);
        }
        at = blank(k, any_value(k, at, depth + 1));
        if (*at == closing)
            return at + 1;
        if (*at != ',')
            strange(k, at, "it is no JSON");
        at = blank(k, at + 1);
    }
}

/* Columns of a history, and how memory is taken: every block is known, so that all are freed. */

#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t i64;

#define UNUSED __attribute__((unused))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define NONE UINT32_MAX
#define NOTHING INT64_MIN /* the code of null, and of a number that is missing */
#define MOST (UINT32_MAX - 8)

/* What a call of the kernel returns. */
enum { DONE, HANDED_OVER, NO_MEMORY, STOPPED, UNREADABLE };

enum { READ, READ_LIST, WRITE, APPEND };            /* kinds of operations */
enum { LIVE, COMMITTED, ABORTED, COMMITTING };      /* fates */
enum { WW, WR, RW, SESSION, REAL_TIME, EFFECT, VISIBLE, PASSING }; /* kinds of edges */

enum {
    READ_COMMITTED, READ_ATOMIC, CAUSAL, SNAPSHOT_ISOLATION, SERIALIZABILITY,
    STRICT_SERIALIZABILITY, VIRTUAL_WORLD, OPACITY, TMS2,
};

#define LIST(type) struct { type *at; size_t size, room; }

typedef struct Block {
    struct Block *before, *after;
    size_t size;
    u64 padding;
} Block;

typedef struct {
    u64 hash;
    u64 place; /* in the pool of texts */
    u32 size;
    u32 next;  /* with the same place in the table */
} Text;

typedef struct {
    i64 value;       /* of the last write of the transaction in hand, or of its only append */
    i64 *longest;    /* the longest list that was read */
    u32 size, room;  /* of that list */
    u32 writer;      /* the transaction in hand, if it has written this object */
    u32 reader;      /* the transaction in hand, if it has read this object */
    u32 own;         /* the operation by which it did so last; of appends a linked list */
    u32 row;         /* the row of its read */
    u32 write_row;   /* the row of its write */
    u32 clean;       /* so much of the list is right for every reader */
    u32 chain;       /* where the writers of the list's elements stand */
    u8 kind;         /* 0, or whether it is a list (2) or a value (1) */
} Object;

typedef struct {
    i64 value;
    i64 version;
    u32 object;
    u32 place;
    u32 first, size; /* of a list that was read: its elements in the draft */
    u32 link;        /* of an append: the transaction's append before */
    u8 kind;
} Op;

typedef struct {
    LIST(Op) ops;
    LIST(i64) elements;
} Draft;

typedef struct {
    i64 name;
    u32 transaction; /* that runs, or NONE */
    u32 last;        /* scratch: the last transaction that counted */
    bool lost, called, has_run;
    Draft draft;
} Process;

typedef struct {
    u32 begin, asked, end; /* lines; 0 is none */
    u32 process;
    u32 reads, read_count;
    u32 writes, write_count;
    u8 fate;
} Transaction;

typedef struct {
    i64 value;   /* that was read, of a list its length */
    i64 version;
    u32 object;
    u32 writer;  /* NONE is the initial version */
    u32 place;
    u8 is_list, is_null;
    u8 own_too;  /* the transaction appends to this list as well */
    u8 is_wrong; /* there is a finding, and nothing else is known */

} Row;

typedef struct {
    i64 value;   /* the last one, or the first append */
    i64 version;
    u32 object;
} Written;

typedef struct {
    i64 value;
    u32 object;
    u32 writer;
    u32 place;    /* in the list; NONE outside */
    u32 ordinal;  /* of the appends of its transaction to this list */
    u8 is_last, is_open, is_used; /* open: it has several writers */
} Entry;

typedef struct {
    u32 source, target;
    u32 object;
    u32 about;
} Edge;

typedef struct {
    u32 transaction;
    u32 place;
    bool within;
} Finding;

typedef struct {
    i64 name;
    i64 version;
} Installed;

typedef struct Kernel {
    Block blocks; /* the head of a ring */
    jmp_buf out, more;
    const char *reason;
    u32 reason_line;
    volatile int stop;

    int file;
    char *text;            /* the window */
    size_t room, filled;
    u64 offset;            /* of the window in the file */
    char *at, *end;        /* what is to be read, and where it ends: a NUL stands there */
    char kept;             /* what stood there */
    bool is_end;
    u32 line;

    LIST(Text) texts;
    LIST(char) pool;
    u32 *text_table;
    size_t text_slots;
    LIST(char) unescaped;

    LIST(Object) objects;
    i64 *object_names;
    size_t object_names_room;
    u32 *object_table;
    size_t object_slots;
    LIST(u32) small_objects; /* by the number that is their name */

    LIST(Process) processes;
    u32 *process_table;
    size_t process_slots;
    u32 last_process;

    LIST(Transaction) transactions;
    LIST(u64) offsets;       /* of Jepsen: of the begin, of the answer, and its line */
    LIST(Row) rows;
    LIST(Written) written;
    LIST(Installed) installed;
    LIST(Finding) findings;
    u64 operations;
    i64 time, initial;
    bool has_time, asks, is_jepsen, is_edn, has_versions, is_early;
    Draft draft;

    Entry *entries;
    size_t entry_slots, entry_count;
    LIST(u32) chains;        /* the writers of the elements of all longest lists */

    const u8 *wanted;        /* the transactions whose lines are to be found; NULL: none */
    u32 wanted_size;
    LIST(u64) found;         /* the lines of their events, and where these begin in the file */

    /* what was asked */
    LIST(u8) members;
    LIST(u8) counting;
    u32 *written_first, *written_rows; /* rows of `written` by object */
    u32 *read_first, *read_rows, *read_owner;
    u32 *writer_of_row;
    LIST(Edge) edges;
    LIST(u8) kinds;
    u32 nodes;
    LIST(u32) opened;        /* objects with versions in an open order */
    LIST(u32) ends;          /* of their segments: first and last writer; NONE behind each object */
    u32 *head, *next_row;    /* the readers of each version of the object in hand */
    u32 *source_row;         /* for each transaction its first read of that object */
    u32 *after, *after_mark, *mark;
    LIST(u32) chain;
    LIST(u32) rest;
    u32 *out_first, *out_edges;
    LIST(Edge) cycle;
    LIST(u8) cycle_kinds;
} Kernel;

/* Leaving. */

static void __attribute__((noreturn)) leave(Kernel *k, int code, const char *reason)
{
    k->reason = reason;
    k->reason_line = k->line;
    longjmp(k->out, code);
}

static void __attribute__((noreturn)) hand_over(Kernel *k, const char *reason)
{
    leave(k, HANDED_OVER, reason);
}

static void look_at_stop(Kernel *k)
{
    if (k->stop)
        leave(k, STOPPED, "it was stopped");
}

/* Memory. */

static void *taken(Kernel *k, void *old, size_t size)
{
    if (size > SIZE_MAX - sizeof(Block))
        leave(k, NO_MEMORY, "there is not enough memory");
    Block *block = old ? (Block *)old - 1 : NULL;
    Block *before = block ? block->before : &k->blocks;
    Block *after = block ? block->after : k->blocks.after;
    block = realloc(block, sizeof(Block) + size);
    if (!block)
        leave(k, NO_MEMORY, "there is not enough memory");
    block->before = before;
    block->after = after;
    block->size = size;
    before->after = block;
    after->before = block;
    return block + 1;
}

static void *cleared(Kernel *k, size_t count, size_t width)
{
    if (width && count > (SIZE_MAX - sizeof(Block)) / width)
        leave(k, NO_MEMORY, "there is not enough memory");
    Block *block = calloc(1, sizeof(Block) + count * width);
    if (!block)
        leave(k, NO_MEMORY, "there is not enough memory");
    block->before = &k->blocks;
    block->after = k->blocks.after;
    block->size = count * width;
    k->blocks.after->before = block;
    k->blocks.after = block;
    return block + 1;
}

static u32 *filled(Kernel *k, size_t count, u32 value)
{
    u32 *found = taken(k, NULL, count * sizeof(u32) + 1);
    for (size_t i = 0; i < count; i++)
        found[i] = value;
    return found;
}

static void give_back(void *old)
{
    if (!old)
        return;
    Block *block = (Block *)old - 1;
    block->before->after = block->after;
    block->after->before = block->before;
    free(block);
}

static void *grown(Kernel *k, void *at, size_t *room, size_t least, size_t width)
{
    size_t wanted = *room ? *room + *room / 2 : 16;
    if (wanted < least)
        wanted = least;
    if (wanted > (SIZE_MAX - sizeof(Block)) / width)
        leave(k, NO_MEMORY, "there is not enough memory");
    at = taken(k, at, wanted * width);
    *room = wanted;
    return at;
}

#define NEED(k, list, count)                                                                    \
    do {                                                                                        \
        if ((list).size + (count) > (list).room)                                                \
            (list).at = grown(k, (list).at, &(list).room, (list).size + (count),                \
                              sizeof *(list).at);                                               \
    } while (0)

#define ADD(k, list, value)                                                                     \
    do {                                                                                        \
        NEED(k, list, 1);                                                                       \
        (list).at[(list).size++] = (value);                                                     \
    } while (0)

#define RELEASE(list)                                                                           \
    do {                                                                                        \
        give_back((list).at);                                                                   \
        (list).at = NULL;                                                                       \
        (list).size = (list).room = 0;                                                          \
    } while (0)

static u64 mixed(u64 x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    return x;
}

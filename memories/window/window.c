/* The window transactional memory; window.h says what it offers, spec/stm/window.py what is right.

   Each function with the name of an action of the spec is that action, and a step point stands just
   before it. What the spec does in one step must be one step here as well:

   - An object has a latch, a spin lock that is never kept across a step point. Its value, date,
     version and readers change and are read under the latch alone. So a read copies value and date
     together and joins the readers in the same step, and a publication changes the object and ends
     the windows of all its readers in one step. (latch: acquire; unlatch: release.)
   - The lock that a commit holds from step to step is another thing: a word in the object that
     names the commit. A word is used for one commit only, and it counts as held while the slot of
     its participant has the same word in `holding`. So all locks of a commit are released at the
     same time, by one store. A word that is no longer held never becomes held again; an object
     becomes locked only under its latch. Therefore an object that is found free under its latch
     stays free until the latch is released.
   - A re-check looks at the locks of several objects and at the top of the window. It reads the
     words of all locks, then the top, then all words again, until none has changed. Words that
     were free and are the same belong to objects that were free all the time between, so nobody
     was about to publish them, and at the moment at which the top was read all was as it says.
     The loads are acquire loads: a publication that the top shows was made by a commit that had
     locked before (it moves the top by a release operation), so the second look finds its word.
     Conversely, whoever has seen a version of a commit under the latch sees all locks that this
     commit took before, and the lock of each commit that drew an earlier time: Fetch&Increment is
     acquire and release, so the times are a chain in which each one knows what was locked earlier.

   Locks are taken in the order of the objects, so there is no deadlock. */
#include "window.h"

#include "../step.h"
#include "inside.h"

static void forget(window_transaction *tx)
{
    for (uint32_t e = 0; e < tx->used; e++) {
        if (!(tx->entries[e].kinds & READ)) continue;
        struct object *o = &tx->memory->object[tx->entries[e].x];
        latch(o);
        o->readers &= ~(1ull << tx->number);
        unlatch(o);
    }
    tx->live = 0;
}

/* One store releases all locks. */
static void release(window_transaction *tx)
{
    atomic_store_explicit(&tx->slot->holding, 0, memory_order_release);
}

static int abort_it(window_transaction *tx, int reason)
{
    tx->reason = reason;
    uint64_t word = atomic_load_explicit(&tx->slot->holding, memory_order_relaxed);
    for (uint32_t e = 0; ON(ABORT_KEEPS_LOCKS) && word && e < tx->used; e++)
        if (lock_of(&tx->memory->object[tx->entries[e].x]) == word)
            atomic_store(&tx->memory->object[tx->entries[e].x].lock, KEPT);
    release(tx);
    forget(tx);
    return 0;
}

/* The transaction's operations */

void window_begin(window_transaction *tx, int64_t label)
{
    tx->reason = WINDOW_NOT_ABORTED;
    tx->label = label, tx->used = 0, tx->writes = tx->picked = 0, tx->commit_time = 0;
    if (++tx->round == 0) memset(tx->places, 0, 2 * tx->room * sizeof *tx->places), tx->round = 1;
    atomic_store_explicit(&tx->slot->top, NO_END, memory_order_relaxed);
    COUNTERPOINT_STEP("begin", label, COUNTERPOINT_NOTHING);
    tx->live = 1;
    tx->bottom = atomic_load_explicit(&tx->memory->clock, memory_order_acquire);
    if (ON(CLOCK_READ_COMMIT_ONLY)) tx->bottom = ORIGIN;
    if (ON(WINDOW_BEGINS_AFTER_THE_CLOCK)) tx->bottom++;
}

static int must_recheck(window_transaction *tx, int64_t date)
{
    if (ON(RECHECK_NEVER)) return 0;
    if (ON(RECHECK_LATER_OR_EQUAL)) return date >= tx->bottom;
    return date > tx->bottom || ON(RECHECK_EVERY_READ);
}

/* Whether another commit holds something that tx has read; a live transaction holds nothing. */
static int finds_locked(window_transaction *tx)
{
    for (uint32_t e = 0; e < tx->used; e++) {
        if (!(tx->entries[e].kinds & READ)) continue;
        tx->entries[e].seen = lock_of(&tx->memory->object[tx->entries[e].x]);
        if (is_held(tx->memory, tx->entries[e].seen)) return 1;
    }
    return 0;
}

static int finds_changed(window_transaction *tx)
{
    for (uint32_t e = 0; e < tx->used; e++)
        if (tx->entries[e].kinds & READ
            && lock_of(&tx->memory->object[tx->entries[e].x]) != tx->entries[e].seen)
            return 1;
    return 0;
}

static enum answer recheck(window_transaction *tx, int64_t bottom)
{
    int64_t top;
    do {
        if (!ON(RECHECK_LOCKED_IGNORE) && finds_locked(tx))
            return ON(RECHECK_LOCKED_WAIT) ? WAIT : LOCKED;
        top = atomic_load_explicit(&tx->slot->top, memory_order_acquire);
    } while (!ON(RECHECK_LOCKED_IGNORE) && finds_changed(tx));
    if (ON(TOP_NOT_CONSIDERED)) return DONE;
    return (ON(EMPTY_WINDOW_PASSES) ? bottom > top : bottom >= top) ? EMPTY : DONE;
}

static enum answer try_to_read(window_transaction *tx, uint32_t x, const int64_t *copied_date)
{
    struct object *o = &tx->memory->object[x];
    enum answer answer = DONE;
    latch(o);
    int64_t date = copied_date ? *copied_date : o->date;
    if (!ON(READERS_WAIT_NO) && is_held(tx->memory, lock_of(o))) {
        answer = WAIT;
    } else if (must_recheck(tx, date)) {
        int64_t bottom = date > tx->bottom ? date : tx->bottom;
        answer = recheck(tx, bottom);
        if (answer == DONE) tx->bottom = bottom;
    }
    if (answer == DONE) {
        struct entry *entry = entry_of(tx, x);
        entry->kinds = READ, entry->copy = o->value, entry->version_read = o->version;
        o->readers |= 1ull << tx->number;
    }
    unlatch(o);
    return answer;
}

/* A fault: the date in a step of its own. */
static int64_t copy_date(window_transaction *tx, uint32_t x)
{
    struct object *o = &tx->memory->object[x];
    COUNTERPOINT_STEP("copy_date", tx->label, x);
    for (int tries = 0;; pause_for(&tries)) {
        latch(o);
        int64_t date = o->date, held = is_held(tx->memory, lock_of(o));
        unlatch(o);
        if (!held || COUNTERPOINT_WAIT("copy_date", tx->label, x)) return date;
    }
}

int window_read(window_transaction *tx, uint32_t x, int64_t *value)
{
    if (!make_room(tx)) return abort_it(tx, WINDOW_NO_ROOM);
    struct place *place = place_of(tx, x);
    int known = place->round == tx->round;
    int64_t date = ON(COPIES_THE_DATE_BEFORE_THE_VALUE) && !known ? copy_date(tx, x) : 0;
    COUNTERPOINT_STEP("read", tx->label, x);
    for (int tries = 0; !known; pause_for(&tries)) {
        enum answer answer =
            try_to_read(tx, x, ON(COPIES_THE_DATE_BEFORE_THE_VALUE) ? &date : NULL);
        if (answer == DONE) break;
        if (answer == EMPTY) return abort_it(tx, WINDOW_EMPTY);
        if (answer == LOCKED) return abort_it(tx, WINDOW_LOCKED);
        if (COUNTERPOINT_WAIT("read", tx->label, x)) return abort_it(tx, WINDOW_GIVEN_UP);
    }
    struct entry *entry = entry_of(tx, x);
    *value = entry->kinds & WROTE ? entry->own : entry->copy;
    return 1;
}

int window_write(window_transaction *tx, uint32_t x, int64_t value)
{
    COUNTERPOINT_STEP("write", tx->label, x);
    if (!make_room(tx)) return abort_it(tx, WINDOW_NO_ROOM);
    struct entry *entry = entry_of(tx, x);
    entry->kinds |= WROTE, entry->own = value, tx->writes = 1;
    return 1;
}

void window_abort(window_transaction *tx)
{
    COUNTERPOINT_STEP("abort", tx->label, COUNTERPOINT_NOTHING);
    abort_it(tx, WINDOW_WISH);
}

/* The commit operation of an update */

static int lock(window_transaction *tx, uint32_t x, uint64_t word)
{
    struct object *o = &tx->memory->object[x];
    COUNTERPOINT_STEP("lock", tx->label, x);
    for (int tries = 0;; pause_for(&tries)) {
        latch(o);
        int is_free = !is_held(tx->memory, lock_of(o)) || ON(TAKES_HELD_LOCKS);
        if (is_free) atomic_store_explicit(&o->lock, word, memory_order_release);
        unlatch(o);
        if (is_free) return 1;
        if (COUNTERPOINT_WAIT("lock", tx->label, x)) return 0;
    }
}

static int needs_lock(const struct entry *entry)
{
    return entry->kinds & WROTE || !ON(LOCKS_WRITES);
}

static int lock_everything(window_transaction *tx)
{
    uint64_t word = ++tx->slot->commits * WINDOW_PARTICIPANTS + tx->number;
    atomic_store_explicit(&tx->slot->holding, word, memory_order_release);
    for (uint32_t e = 0; e < tx->used; e++)
        if (needs_lock(&tx->entries[e]) && !lock(tx, tx->entries[e].x, word)) return 0;
    return 1;
}

static int pick_time(window_transaction *tx, int64_t top)
{
    int64_t time = top - 1;
    if (tx->bottom >= time) return 0;
    for (uint32_t e = 0; e < tx->used; e++)
        if (tx->entries[e].kinds & WROTE && tx->memory->object[tx->entries[e].x].date >= time)
            return 0; /* the lock of what it writes keeps the date */
    tx->commit_time = time, tx->picked = 1;
    return 1;
}

static int is_overwritten(window_transaction *tx)
{
    for (uint32_t e = 0; e < tx->used; e++)
        if (tx->entries[e].kinds == (READ | WROTE)
            && tx->memory->object[tx->entries[e].x].version != tx->entries[e].version_read)
            return 1;
    return 0;
}

/* All that tx has read is locked by itself, so nobody moves its top any more. */
static int validate(window_transaction *tx)
{
    COUNTERPOINT_STEP("validate", tx->label, COUNTERPOINT_NOTHING);
    int64_t top = atomic_load_explicit(&tx->slot->top, memory_order_acquire);
    if (ON(READS_THE_CLOCK_THEN_SETS_IT) || ON(ADVANCES_THE_CLOCK_AFTER_UNLOCKING))
        tx->commit_time = atomic_load(&tx->memory->clock) + 1;
    if (ON(NO_VALIDATION)) return 1;
    if (ON(VALIDATES_ONLY_WHAT_IT_WRITES)) return !is_overwritten(tx);
    return top == NO_END || (ON(FINITE_WINDOW_PICK) && pick_time(tx, top));
}

static void fetch_and_increment(window_transaction *tx)
{
    COUNTERPOINT_STEP("fetch_and_increment", tx->label, COUNTERPOINT_NOTHING);
    if (ON(READS_THE_CLOCK_THEN_SETS_IT)) {
        atomic_store(&tx->memory->clock, tx->commit_time);
        return;
    }
    int64_t old = atomic_fetch_add_explicit(&tx->memory->clock, 1, memory_order_acq_rel);
    if (ON(ADVANCES_THE_CLOCK_AFTER_UNLOCKING)) return;
    tx->commit_time = ON(FETCH_AND_INCREMENT_OLD) ? old : old + 1;
}

static void end_window(window_transaction *tx, struct slot *reader, int64_t end)
{
    int itself = reader == tx->slot;
    if (ON(OLD_VERSION_NEVER_ENDS) || (ON(VALIDATES_AFTER_PUBLISHING) && itself)) return;
    if (ON(OLD_VERSION_ENDS_FOR_LIVE_READERS_ONLY) && atomic_load(&reader->holding)) return;
    int64_t top = atomic_load_explicit(&reader->top, memory_order_relaxed);
    while (end < top
           && !atomic_compare_exchange_weak_explicit(
               &reader->top, &top, end, memory_order_acq_rel, memory_order_relaxed)) {
    }
}

/* A reader stays in `readers` until it has left under the latch, so each bit is a live one. */
static void publish(window_transaction *tx, struct entry *entry)
{
    struct object *o = &tx->memory->object[entry->x];
    COUNTERPOINT_STEP("publish", tx->label, entry->x);
    latch(o);
    for (uint64_t readers = o->readers; readers; readers &= readers - 1)
        end_window(tx, &tx->memory->slots[__builtin_ctzll(readers)],
                   tx->commit_time - ON(VERSION_END_CT_1));
    o->readers = 0;
    o->value = entry->own;
    if (!ON(VERSIONS_KEEP_OLD_DATES)) o->date = tx->commit_time;
    entry->version_written = ++o->version;
    unlatch(o);
}

static void unlock_one(window_transaction *tx, uint32_t x)
{
    COUNTERPOINT_STEP("unlock_one", tx->label, x);
    atomic_store_explicit(&tx->memory->object[x].lock, 0, memory_order_release);
}

static void publish_everything(window_transaction *tx)
{
    for (uint32_t e = 0; e < tx->used; e++) {
        if (tx->entries[e].kinds & WROTE) publish(tx, &tx->entries[e]);
        if (ON(UNLOCK_OBJECT_BY_OBJECT) && needs_lock(&tx->entries[e]))
            unlock_one(tx, tx->entries[e].x);
    }
}

static int commit_update(window_transaction *tx)
{
    int validates_here = !ON(VALIDATES_BEFORE_LOCKING) && !ON(VALIDATES_AFTER_PUBLISHING);
    if (ON(DRAWS_BEFORE_LOCKING)) fetch_and_increment(tx);
    if (ON(VALIDATES_BEFORE_LOCKING) && !validate(tx)) return abort_it(tx, WINDOW_OVERWRITTEN);
    if (!lock_everything(tx)) return abort_it(tx, WINDOW_GIVEN_UP);
    if (validates_here && !validate(tx)) return abort_it(tx, WINDOW_OVERWRITTEN);
    if (!tx->picked && !ON(DRAWS_BEFORE_LOCKING) && !ON(ADVANCES_THE_CLOCK_AFTER_UNLOCKING))
        fetch_and_increment(tx);
    if (ON(UNLOCKS_BEFORE_PUBLISHING)) release(tx);
    publish_everything(tx);
    if (ON(VALIDATES_AFTER_PUBLISHING) && !validate(tx)) return abort_it(tx, WINDOW_OVERWRITTEN);
    if (!ON(UNLOCK_OBJECT_BY_OBJECT))
        COUNTERPOINT_STEP("unlock_all", tx->label, COUNTERPOINT_NOTHING);
    release(tx);
    if (ON(ADVANCES_THE_CLOCK_AFTER_UNLOCKING)) fetch_and_increment(tx);
    forget(tx);
    return 1;
}

static int by_object(const void *a, const void *b)
{
    uint32_t x = ((const struct entry *)a)->x, y = ((const struct entry *)b)->x;
    return (x > y) - (x < y);
}

int window_commit(window_transaction *tx)
{
    if (tx->writes) {
        if (!ON(LOCKS_IN_NO_ORDER)) qsort(tx->entries, tx->used, sizeof *tx->entries, by_object);
        return commit_update(tx);
    }
    COUNTERPOINT_STEP("commit_read_only", tx->label, COUNTERPOINT_NOTHING);
    forget(tx);
    return 1;
}

/* Memories and participants */

window *window_open(uint32_t objects)
{
    if (objects == 0 || objects > INT32_MAX) return NULL;
    size_t bytes = sizeof(window) + objects * sizeof(struct object);
    window *memory = aligned_alloc(64, bytes);
    if (!memory) return NULL;
    memset(memory, 0, bytes);
    memory->objects = objects;
    for (uint32_t x = 0; x < objects; x++) memory->object[x].date = ORIGIN;
    return memory;
}

void window_close(window *memory) { free(memory); }

window_transaction *window_join(window *memory)
{
    window_transaction *tx = calloc(1, sizeof *tx);
    if (!tx || !make_room(tx)) return free(tx), NULL;
    for (unsigned i = 0; i < WINDOW_PARTICIPANTS; i++) {
        int nobody = 0;
        if (!atomic_compare_exchange_strong(&memory->slots[i].taken, &nobody, 1)) continue;
        tx->memory = memory, tx->slot = &memory->slots[i], tx->number = i;
        return tx;
    }
    return free(tx->entries), free(tx->places), free(tx), NULL;
}

void window_leave(window_transaction *tx)
{
    if (tx->live) abort_it(tx, WINDOW_WISH);
    atomic_store_explicit(&tx->slot->taken, 0, memory_order_release);
    free(tx->entries);
    free(tx->places);
    free(tx);
}

int window_reason(const window_transaction *tx) { return tx->reason; }

static const struct entry *known(const window_transaction *tx, uint32_t x)
{
    for (uint32_t e = 0; e < tx->used; e++) /* a commit has sorted them */
        if (tx->entries[e].x == x) return &tx->entries[e];
    return NULL;
}

int64_t window_version_read(const window_transaction *tx, uint32_t x)
{
    const struct entry *entry = known(tx, x);
    return entry ? entry->version_read : -1;
}

int64_t window_version_written(const window_transaction *tx, uint32_t x)
{
    const struct entry *entry = known(tx, x);
    return entry ? entry->version_written : -1;
}

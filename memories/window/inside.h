/* What window.c works on: objects, participants, and what a transaction knows. Not for users. */
#ifndef COUNTERPOINT_WINDOW_INSIDE_H
#define COUNTERPOINT_WINDOW_INSIDE_H

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "switches.h"
#include "window.h"

#define NO_END INT64_MAX
#define KEPT UINT64_MAX /* the word of a lock that an aborted commit has kept: a fault */
#define ORIGIN (ON(CLOCK_READ_COMMIT_ONLY) ? -1 : 0)

enum answer { DONE, WAIT, LOCKED, EMPTY };
enum { READ = 1, WROTE = 2 };

struct object {
    _Alignas(64) atomic_int latched;
    _Atomic uint64_t lock; /* the word of the commit that locked it last */
    int64_t value, date, version;
    uint64_t readers; /* a bit for the slot of each live transaction that read this version */
};

struct slot { /* what others see of a participant */
    _Alignas(64) _Atomic uint64_t holding; /* the word of its commit; 0: it holds nothing */
    _Atomic int64_t top;                   /* the least end of what it has read */
    uint64_t commits;
    atomic_int taken;
};

struct window {
    _Alignas(64) _Atomic int64_t clock;
    _Alignas(64) struct slot slots[WINDOW_PARTICIPANTS];
    uint32_t objects;
    struct object object[];
};

struct entry { /* what a transaction knows of an object */
    uint32_t x, kinds;
    int64_t copy, own, version_read, version_written;
    uint64_t seen; /* the word of its lock at the first look of a re-check */
};

struct place {
    uint32_t round, entry;
};

struct window_transaction {
    window *memory;
    struct slot *slot;
    unsigned number;
    int live, writes, picked, reason;
    int64_t label, bottom, commit_time;
    uint32_t used, room, round;
    struct entry *entries;
    struct place *places; /* a hash table of 2 * room places; those of older rounds are free */
};

/* Latches, and waiting */

static void pause_for(int *tries)
{
    if (++*tries > 64) sched_yield();
}

static void latch(struct object *o)
{
    int tries = 0;
    while (atomic_exchange_explicit(&o->latched, 1, memory_order_acquire))
        while (atomic_load_explicit(&o->latched, memory_order_relaxed)) pause_for(&tries);
}

static void unlatch(struct object *o)
{
    atomic_store_explicit(&o->latched, 0, memory_order_release);
}

static int is_held(window *m, uint64_t word)
{
    if (ON(ABORT_KEEPS_LOCKS) && word == KEPT) return 1;
    struct slot *slot = &m->slots[word % WINDOW_PARTICIPANTS];
    return word != 0 && atomic_load_explicit(&slot->holding, memory_order_acquire) == word;
}

static uint64_t lock_of(struct object *o)
{
    return atomic_load_explicit(&o->lock, memory_order_acquire);
}

/* What a transaction knows */

static struct place *place_of(const window_transaction *tx, uint32_t x)
{
    uint32_t mask = 2 * tx->room - 1, i = x * 2654435761u & mask;
    while (tx->places[i].round == tx->round && tx->entries[tx->places[i].entry].x != x)
        i = (i + 1) & mask;
    return &tx->places[i];
}

static int make_room(window_transaction *tx)
{
    if (tx->used < tx->room) return 1;
    uint32_t room = tx->room ? 2 * tx->room : 16;
    struct entry *entries = realloc(tx->entries, room * sizeof *entries);
    if (entries) tx->entries = entries;
    struct place *places = calloc(2 * (size_t)room, sizeof *places);
    if (!entries || !places) return free(places), 0;
    free(tx->places);
    tx->places = places, tx->room = room, tx->round = 1;
    for (uint32_t e = 0; e < tx->used; e++)
        *place_of(tx, tx->entries[e].x) = (struct place){1, e};
    return 1;
}

static struct entry *entry_of(window_transaction *tx, uint32_t x)
{
    struct place *place = place_of(tx, x);
    if (place->round != tx->round) {
        *place = (struct place){tx->round, tx->used};
        tx->entries[tx->used++] = (struct entry){.x = x, .version_read = -1, .version_written = -1};
    }
    return &tx->entries[place->entry];
}

#endif

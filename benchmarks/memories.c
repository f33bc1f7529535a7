/* One load on one memory, chosen at compile time; see memories_against_libitm.py.

   -DMEMORY_WINDOW: window.c; -DMEMORY_ITM: the compiler's transactions (-fgnu-tm, libitm);
   -DMEMORY_MUTEX: one mutex of pthread around each transaction.

   usage: program THREADS SECONDS READS WRITES SCANS_OF_100 SCAN OBJECTS
   A transaction reads READS random objects and adds to WRITES of them; of 100 transactions so many are
   scans instead, which read SCAN objects in a row and write nothing.
   Prints: transactions, runs of their bodies, seconds, seconds of processor, and whether the sum is right. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_THREADS = 16, MOST = 64 };

static long threads, reads, writes, scans, scan, objects;
static double seconds;
static atomic_int begun, over;

struct work {
    _Alignas(64) uint64_t seed;
    long transactions, bodies, added;
    int64_t sink;
};

static uint32_t draw(struct work *w, uint32_t below)
{
    w->seed ^= w->seed << 13, w->seed ^= w->seed >> 7, w->seed ^= w->seed << 17;
    return (uint32_t)((w->seed >> 32) * below >> 32);
}

struct plan {
    uint32_t object[MOST];
    int is_scan;
};

#if defined MEMORY_WINDOW
#include "window.h"
static window *memory;
typedef window_transaction *mine;
static void set_up(void) { memory = window_open((uint32_t)objects); }
static mine join(void) { return window_join(memory); }
static void leave(mine tx) { window_leave(tx); }

static int body(mine tx, const struct plan *p, int64_t *sink)
{
    int64_t value, total = 0;
    window_begin(tx, 0);
    if (p->is_scan) {
        for (long i = 0; i < scan; i++) {
            if (!window_read(tx, (uint32_t)((p->object[0] + i) % objects), &value)) return 0;
            total += value;
        }
    } else {
        for (long i = 0; i < reads; i++) {
            if (!window_read(tx, p->object[i], &value)) return 0;
            total += value;
            if (i < writes && !window_write(tx, p->object[i], value + 1)) return 0;
        }
    }
    *sink = total;
    return window_commit(tx);
}

static long run(mine tx, const struct plan *p, int64_t *sink)
{
    long bodies = 1;
    while (!body(tx, p, sink)) bodies++;
    return bodies;
}

static int64_t sum(mine tx)
{
    int64_t value, total = 0;
    window_begin(tx, 0);
    for (long x = 0; x < objects; x++)
        if (window_read(tx, (uint32_t)x, &value)) total += value;
    window_commit(tx);
    return total;
}

#else
struct word {
    _Alignas(64) int64_t value; /* a line for each, as the objects of window.c have */
};
static struct word *memory;
typedef int mine;
static void set_up(void)
{
    memory = aligned_alloc(64, (size_t)objects * sizeof *memory);
    for (long x = 0; memory && x < objects; x++) memory[x].value = 0;
}
static mine join(void) { return 1; }
static void leave(mine tx) { (void)tx; }
static int64_t sum(mine tx)
{
    int64_t total = 0;
    (void)tx;
    for (long x = 0; x < objects; x++) total += memory[x].value;
    return total;
}

#if defined MEMORY_ITM
#define ATOMICALLY __transaction_atomic
#define SAFE __attribute__((transaction_safe))
#define UNSEEN __attribute__((transaction_pure))
#define BEGIN
#define END
#else
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#define ATOMICALLY
#define SAFE
#define UNSEEN
#define BEGIN pthread_mutex_lock(&mutex)
#define END pthread_mutex_unlock(&mutex)
#endif

static _Thread_local long bodies_of_thread;
UNSEEN static void count_body(void) { bodies_of_thread++; } /* is not undone by an abort */

SAFE static int64_t work_on(const struct plan *p)
{
    int64_t total = 0;
    if (p->is_scan) {
        for (long i = 0; i < scan; i++) total += memory[(p->object[0] + i) % objects].value;
        return total;
    }
    for (long i = 0; i < reads; i++) {
        int64_t value = memory[p->object[i]].value;
        total += value;
        if (i < writes) memory[p->object[i]].value = value + 1;
    }
    return total;
}

static long run(mine tx, const struct plan *p, int64_t *sink)
{
    int64_t total = 0;
    (void)tx;
    bodies_of_thread = 0;
    BEGIN;
    ATOMICALLY
    {
        count_body();
        total = work_on(p);
    }
    END;
    *sink = total;
    return bodies_of_thread;
}
#endif

static void *work(void *given)
{
    struct work *w = given;
    mine tx = join();
    atomic_fetch_add(&begun, 1);
    while (atomic_load(&begun) < threads) {}
    while (!atomic_load_explicit(&over, memory_order_relaxed)) {
        struct plan p;
        p.is_scan = (long)draw(w, 100) < scans;
        uint32_t first = draw(w, (uint32_t)objects);
        for (long i = 0; i < reads; i++) /* different objects: an odd step in a power of two */
            p.object[i] = i ? (p.object[i - 1] + (draw(w, 64) | 1)) % (uint32_t)objects : first;
        p.object[0] = first;
        w->bodies += run(tx, &p, &w->sink);
        w->transactions++;
        w->added += p.is_scan ? 0 : writes;
    }
    leave(tx);
    return NULL;
}

static double now(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int count, char **given)
{
    static struct work w[MOST_THREADS];
    pthread_t thread[MOST_THREADS];
    if (count != 8) return 2;
    threads = atol(given[1]), seconds = atof(given[2]), reads = atol(given[3]);
    writes = atol(given[4]), scans = atol(given[5]), scan = atol(given[6]);
    objects = atol(given[7]);
    if (threads < 1 || threads > MOST_THREADS) return 2;
    if (reads < 1 || reads > MOST || writes > reads) return 2;
    set_up();
    for (long t = 0; t < threads; t++) {
        w[t].seed = 0x9e3779b97f4a7c15ull * (uint64_t)(t + 1);
        pthread_create(&thread[t], NULL, work, &w[t]);
    }
    while (atomic_load(&begun) < threads) {}
    double start = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
    struct timespec pause = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
    nanosleep(&pause, NULL);
    atomic_store(&over, 1);
    for (long t = 0; t < threads; t++) pthread_join(thread[t], NULL);
    double took = now(CLOCK_MONOTONIC) - start;
    processor = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
    long transactions = 0, bodies = 0, added = 0;
    for (long t = 0; t < threads; t++)
        transactions += w[t].transactions, bodies += w[t].bodies, added += w[t].added;
    mine tx = join();
    int right = sum(tx) == added;
    leave(tx);
    printf("%ld %ld %.6f %.6f %d\n", transactions, bodies, took, processor, right);
    return !right;
}

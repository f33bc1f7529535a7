/* An example: threads move money between accounts, and look at all of them meanwhile.

       cc -std=c11 -O2 -pthread example.c window.c -o example && ./example 2 100000

   Each look must see the same total, even a look that is aborted later: the check stands inside of
   the transaction. Prints what was seen; ends with 1 if a total was wrong. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "window.h"

enum { ACCOUNTS = 8 };

static window *memory;
static long rounds;

struct work {
    unsigned seed;
    long moves, looks, aborts, wrong;
};

static unsigned draw(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 16) % below;
}

static int move(window_transaction *tx, uint32_t from, uint32_t to)
{
    int64_t value;
    window_begin(tx, 0);
    if (!window_read(tx, from, &value) || !window_write(tx, from, value - 1)) return 0;
    if (!window_read(tx, to, &value) || !window_write(tx, to, value + 1)) return 0;
    return window_commit(tx);
}

static int look(window_transaction *tx, long *wrong)
{
    int64_t value, first, total = 0;
    window_begin(tx, 0);
    for (uint32_t x = 0; x < ACCOUNTS; x++) {
        if (!window_read(tx, x, &value)) return 0;
        total += value;
    }
    *wrong += total != 0;
    return window_read(tx, 0, &first) && window_commit(tx);
}

static void *work(void *given)
{
    struct work *w = given;
    window_transaction *tx = window_join(memory);
    for (long i = 0; tx && i < rounds; i++) {
        uint32_t from = draw(&w->seed, ACCOUNTS);
        uint32_t to = (from + 1 + draw(&w->seed, ACCOUNTS - 1)) % ACCOUNTS;
        while (!move(tx, from, to)) w->aborts++;
        w->moves++;
        while (!look(tx, &w->wrong)) w->aborts++;
        w->looks++;
    }
    if (tx) window_leave(tx);
    return NULL;
}

int main(int count, char **given)
{
    long threads = count > 1 ? atol(given[1]) : 2, wrong = 0;
    rounds = count > 2 ? atol(given[2]) : 100000;
    if (threads < 1 || threads > WINDOW_PARTICIPANTS || rounds < 1) {
        fprintf(stderr, "usage: example THREADS ROUNDS; from 1 to %d threads\n",
                WINDOW_PARTICIPANTS);
        return 2;
    }
    pthread_t thread[WINDOW_PARTICIPANTS];
    struct work w[WINDOW_PARTICIPANTS] = {{0}};
    if (!(memory = window_open(ACCOUNTS))) return 2;
    for (long t = 0; t < threads; t++) {
        w[t].seed = (unsigned)t + 1;
        if (pthread_create(&thread[t], NULL, work, &w[t])) return 2;
    }
    for (long t = 0; t < threads; t++) {
        pthread_join(thread[t], NULL);
        printf("thread %ld: %ld moves, %ld looks, %ld aborts, %ld wrong totals\n", t, w[t].moves,
               w[t].looks, w[t].aborts, w[t].wrong);
        wrong += w[t].wrong + (w[t].moves != rounds);
    }
    window_close(memory);
    return wrong != 0;
}

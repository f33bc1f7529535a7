/* Records a history of gcc's transactional memory (libitm); compiled with gcc -fgnu-tm.
 *
 * A transaction that libitm restarts by itself is ended instead, when it is about to run again: so
 * its abort stands in the history where it was, and the next begin before the memory begins.
 */
#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>

static long *cells;   /* registers: their values */
static long *lengths; /* lists: their lengths, and their values in `cells` */
static int is_list;
static long longest;

#define LONGEST (1 << 14) /* values of a list at most */

/* What a thread does is kept outside of the memory that is rolled back. */
struct run { int runs, committed; long seen[LONGEST]; char padding[64]; };
static struct run *of;

/* If such a function were inlined, what it does would be rolled back. */
#define OUTSIDE PURE __attribute__((noinline))

OUTSIDE static int runs_again(int t) { return of[t].runs++ > 0; }
OUTSIDE static void will_abort(int t) { of[t].committed = 0; }
OUTSIDE static void saw(int t, long place, long value) { of[t].seen[place] = value; }
OUTSIDE static void note_list(int t, long object, long length) {
    note_read_list(t, object, length, of[t].seen);
}

__attribute__((transaction_safe)) static void read_step(int t, long x) {
    if (!is_list) {
        long value = cells[x];
        note_read(t, x, value);
        return;
    }
    long length = lengths[x];
    for (long k = 0; k < length; k++) {
        long value = cells[x * longest + k];
        saw(t, k, value);
    }
    note_list(t, x, length);
}

__attribute__((transaction_safe)) static void write_step(int t, long x, long value) {
    if (!is_list) {
        cells[x] = value;
        note_write(t, x, value);
        return;
    }
    long length = lengths[x];
    cells[x * longest + length] = value;
    lengths[x] = length + 1;
    note_append(t, x, value);
}

__attribute__((noinline)) static void run_transaction(int t, long number) {
    of[t].runs = 0;
    of[t].committed = 1;
    note_begin(t, number);
    __transaction_atomic {
        if (runs_again(t)) {
            will_abort(t);
            __transaction_cancel;
        }
        int steps = planned_steps(t, number);
        for (int k = 0; k < steps; k++) {
            long x = step_object(t, number, k);
            switch (step_kind(t, number, k)) {
            case 'p': pause_step(); break;
            case 'r': read_step(t, x); break;
            default: write_step(t, x, step_value(t, number, k));
            }
        }
        if (planned_abort(t, number)) {
            will_abort(t);
            __transaction_cancel;
        }
        note_try_commit(t);
    }
    if (of[t].committed)
        note_commit(t);
    else
        note_abort(t);
}

static void run_process(int t) {
    for (long number = 0; number < planned_transactions(t) && !is_over(); number++)
        run_transaction(t, number);
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    open_recording(arguments[1], arguments[2], arguments[3]);
    is_list = planned_lists();
    longest = is_list ? planned_longest() : 1;
    if (longest > LONGEST) {
        fputs("the lists of this load are too long\n", stderr);
        return 2;
    }
    cells = calloc((size_t)(planned_objects() * longest), sizeof *cells);
    lengths = calloc((size_t)planned_objects(), sizeof *lengths);
    of = calloc((size_t)planned_threads(), sizeof *of);
    if (!cells || !lengths || !of) {
        fputs("there is not enough memory\n", stderr);
        return 2;
    }
    run_threads(run_process);
    return 0;
}

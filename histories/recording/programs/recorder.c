#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct step { char kind; long object, value; };
struct transaction { int aborts, steps; size_t first; };
struct thread {
    struct transaction *transactions;
    struct step *steps;
    long planned;
    size_t planned_steps, room, steps_room;
    char *events;
    size_t used, size;
    char padding[64]; /* two threads do not share a line of the cache */
};

static struct thread *threads;
static int thread_count, lists;
static long objects, longest;
static int history = -1;
static const char *history_name;
static double deadline;

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *grown(void *old, size_t *room, size_t needed, size_t size) {
    if (needed <= *room) return old;
    *room = *room * 2 > needed ? *room * 2 : needed + 64;
    void *new = realloc(old, *room * size);
    if (!new) fail("memory", strerror(errno));
    return new;
}

static void read_transaction(FILE *in, const char *name, int process) {
    long number;
    int aborts, steps;
    if (fscanf(in, "%ld %d %d", &number, &aborts, &steps) != 3 || process < 0
        || process >= thread_count)
        fail(name, "it is no plan");
    struct thread *of = &threads[process];
    of->transactions = grown(of->transactions, &of->room, (size_t)of->planned + 1,
                             sizeof *of->transactions);
    of->transactions[of->planned++] = (struct transaction){aborts, steps, of->planned_steps};
    of->steps = grown(of->steps, &of->steps_room, of->planned_steps + (size_t)steps,
                      sizeof *of->steps);
    for (int k = 0; k < steps; k++) {
        struct step *step = &of->steps[of->planned_steps++];
        if (fscanf(in, " %c %ld %ld", &step->kind, &step->object, &step->value) != 3)
            fail(name, "it breaks off");
    }
}

void open_recording(const char *plan, const char *name, const char *seconds) {
    FILE *in = fopen(plan, "r");
    if (!in) fail(plan, strerror(errno));
    if (fscanf(in, "threads %d objects %ld lists %d longest %ld", &thread_count, &objects, &lists,
               &longest) != 4)
        fail(plan, "it is no plan");
    threads = calloc((size_t)thread_count, sizeof *threads);
    if (!threads) fail("memory", strerror(errno));
    int process;
    while (fscanf(in, "%d", &process) == 1) read_transaction(in, plan, process);
    fclose(in);
    history_name = name;
    history = open(name, O_WRONLY | O_APPEND);
    if (history < 0) fail(name, strerror(errno));
    double limit = atof(seconds);
    deadline = limit > 0 ? now() + limit : 0;
}

int planned_threads(void) { return thread_count; }
long planned_objects(void) { return objects; }
int planned_lists(void) { return lists; }
long planned_longest(void) { return longest; }
long planned_transactions(int t) { return threads[t].planned; }
int planned_abort(int t, long number) { return threads[t].transactions[number].aborts; }
int planned_steps(int t, long number) { return threads[t].transactions[number].steps; }

static const struct step *step_of(int t, long number, int step) {
    return &threads[t].steps[threads[t].transactions[number].first + (size_t)step];
}

int step_kind(int t, long number, int step) { return step_of(t, number, step)->kind; }
long step_object(int t, long number, int step) { return step_of(t, number, step)->object; }
long step_value(int t, long number, int step) { return step_of(t, number, step)->value; }
void pause_step(void) {
    const struct timespec time = {0, 1000};
    nanosleep(&time, NULL);
}

int is_over(void) { return deadline > 0 && now() > deadline; }

static void add(struct thread *to, const char *format, ...) {
    to->events = grown(to->events, &to->size, to->used + 128, 1);
    va_list given;
    va_start(given, format);
    to->used += (size_t)vsnprintf(to->events + to->used, to->size - to->used, format, given);
    va_end(given);
}

static void flush(struct thread *of) {
    ssize_t written = write(history, of->events, of->used);
    if (written < 0) fail(history_name, strerror(errno));
    if ((size_t)written != of->used) fail(history_name, strerror(ENOSPC));
    of->used = 0;
}

void note_begin(int t, long number) {
    add(&threads[t], "{\"type\":\"begin\",\"process\":%d,\"transaction\":\"%d.%ld\"}\n", t, t, number);
    flush(&threads[t]);
}

static void note_value(int t, const char *type, long object, long value) {
    add(&threads[t], "{\"type\":\"%s\",\"process\":%d,\"object\":%ld,\"value\":%ld}\n", type, t,
        object, value);
}

void note_read(int t, long object, long value) { note_value(t, "read", object, value); }
void note_write(int t, long object, long value) { note_value(t, "write", object, value); }
void note_append(int t, long object, long value) { note_value(t, "append", object, value); }

void note_read_list(int t, long object, long length, const long *values) {
    add(&threads[t], "{\"type\":\"read\",\"process\":%d,\"object\":%ld,\"value\":[", t, object);
    for (long k = 0; k < length; k++) add(&threads[t], k ? ",%ld" : "%ld", values[k]);
    add(&threads[t], "]}\n");
}

static void note_end(int t, const char *type) {
    add(&threads[t], "{\"type\":\"%s\",\"process\":%d}\n", type, t);
    flush(&threads[t]);
}

void note_try_commit(int t) { note_end(t, "try-commit"); }
void note_commit(int t) { note_end(t, "commit"); }
void note_abort(int t) { note_end(t, "abort"); }

static void (*work)(int);
static pthread_barrier_t start;

static void *run(void *thread) {
    pthread_barrier_wait(&start);
    work((int)(intptr_t)thread);
    return NULL;
}

void run_threads(void (*process)(int)) {
    pthread_t started[thread_count];
    work = process;
    pthread_barrier_init(&start, NULL, (unsigned)thread_count);
    for (int t = 0; t < thread_count; t++)
        if (pthread_create(&started[t], NULL, run, (void *)(intptr_t)t))
            fail("threads", "no more can be started");
    for (int t = 0; t < thread_count; t++) pthread_join(started[t], NULL);
}

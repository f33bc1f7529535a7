/* Writes the events of a recorded history, and reads the plan of its transactions.
 *
 * A program that records a history is started as PROGRAM PLAN HISTORY SECONDS: it runs the plan in
 * the file PLAN and appends events to the file HISTORY; after SECONDS (0: never) no transaction
 * begins. Each thread keeps its events in a buffer of its own, which is appended by one call of
 * write(2) at the begin of a transaction, before it asks to commit, and after its end. So the order
 * of begins, commits and aborts in the file is one that really was.
 *
 * The functions may be called within a transaction of `gcc -fgnu-tm`: their buffers are no part of
 * the memory that is rolled back, so the reads of transactions that abort are kept.
 */
#ifndef COUNTERPOINT_RECORDER_H
#define COUNTERPOINT_RECORDER_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__ && !defined __clang__
#define PURE __attribute__((transaction_pure))
#else
#define PURE
#endif

/* The plan. */
void open_recording(const char *plan, const char *history, const char *seconds);
int planned_threads(void) PURE;
long planned_objects(void) PURE;
int planned_lists(void) PURE;                    /* 0: the objects are registers */
long planned_longest(void) PURE;                 /* values of a list at most */
long planned_transactions(int thread) PURE;
int planned_abort(int thread, long number) PURE; /* whether it aborts at its end on purpose */
int planned_steps(int thread, long number) PURE;
int step_kind(int thread, long number, int step) PURE; /* 'r', 'w', 'a', or
                                                         'p': a pause */
long step_object(int thread, long number, int step) PURE;
long step_value(int thread, long number, int step) PURE;
void pause_step(void) PURE;                      /* sleep for some microseconds */
int is_over(void) PURE;                          /* no transaction shall begin any more */

/* The events of a thread. */
void note_begin(int thread, long number) PURE;   /* before the memory is asked to begin */
void note_read(int thread, long object, long value) PURE;
void note_read_list(int thread, long object, long length, const long *values) PURE;
void note_write(int thread, long object, long value) PURE;
void note_append(int thread, long object, long value) PURE;
void note_try_commit(int thread) PURE;           /* before the memory is asked to commit */
void note_commit(int thread) PURE;               /* after it has committed */
void note_abort(int thread) PURE;                /* after it has aborted */

/* Run one thread for each process of the plan. */
void run_threads(void (*process)(int thread));

#ifdef __cplusplus
}
#endif
#endif

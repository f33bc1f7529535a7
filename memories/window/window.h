/* The window transactional memory, in its corrected form: a memory of n words of 64 bits, which
   threads read and write in transactions. Compile window.c with C11, gcc or clang, and -pthread.

   Each transaction keeps a window of logical time in which it can be serialized. All transactions,
   those that abort too, see a consistent memory (opacity), and none writes in place before it
   commits. Readers are visible: a writer that commits moves the ends of their windows. At most
   WINDOW_PARTICIPANTS transactions run in one memory at the same time.

       window *memory = window_open(2);
       window_transaction *tx = window_join(memory);      // once for each thread
       int64_t a;
       do {
           window_begin(tx, 0);
           if (!window_read(tx, 0, &a)) continue;         // aborted: begin again
           window_write(tx, 1, a + 1);
       } while (!window_commit(tx));
       window_leave(tx);
       window_close(memory);

   The protocol and what is known about it: spec/stm/window.py, of which each step is one here. */
#ifndef COUNTERPOINT_WINDOW_H
#define COUNTERPOINT_WINDOW_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct window window;                         /* a memory */
typedef struct window_transaction window_transaction; /* what one thread needs for transactions */

enum { WINDOW_PARTICIPANTS = 64 };

/* A memory of so many words, all 0; NULL if there is no room, or the number is 0. */
window *window_open(uint32_t objects);
/* Nobody may use the memory any more. */
void window_close(window *memory);

/* Take part: a thread calls it once, and uses the result for one transaction after another.
   NULL if WINDOW_PARTICIPANTS take part already, or there is no room. */
window_transaction *window_join(window *memory);
/* A transaction that is still live is aborted. */
void window_leave(window_transaction *tx);

/* Begin. The label is for step points and records alone; it may be 0. The last transaction of the
   same participant must have ended. */
void window_begin(window_transaction *tx, int64_t label);

/* 1: read; 0: the transaction is aborted, and has ended. While another transaction commits a write
   of x, it waits. */
int window_read(window_transaction *tx, uint32_t x, int64_t *value);
/* 1: written, for this transaction's own reads until it commits; 0: aborted for lack of memory. */
int window_write(window_transaction *tx, uint32_t x, int64_t value);
/* 1: committed; 0: aborted. */
int window_commit(window_transaction *tx);
/* Abort as the caller wishes. */
void window_abort(window_transaction *tx);

/* Why the last transaction was aborted. */
enum { WINDOW_NOT_ABORTED, WINDOW_EMPTY, WINDOW_LOCKED, WINDOW_OVERWRITTEN, WINDOW_WISH,
       WINDOW_NO_ROOM, WINDOW_GIVEN_UP };
int window_reason(const window_transaction *tx);

/* For records, until the next window_begin. The version of x that was read: 0 is the first one,
   and each commit that writes x makes the next one; -1: x was not read, or only after an own
   write. The version that the commit made; -1: none. */
int64_t window_version_read(const window_transaction *tx, uint32_t x);
int64_t window_version_written(const window_transaction *tx, uint32_t x);

#ifdef __cplusplus
}
#endif
#endif

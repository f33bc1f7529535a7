/* Breadth first over states of W machine words, in chunks of BLOCKS blocks of GROUP states.

   The printed code before this text defines W, COMMANDS, CHECKS, CLAIMS, RESULTS, LANES, the types word
   and lane, and the functions enabled, judge and step. One chunk has three phases, each shared among
   threads: expand its blocks; insert the next states, each thread into its own part of the table;
   settle, which numbers the new states in the order in which one thread would have met them. */

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define GROUP (64 * LANES)
#define BLOCKS (4096 / GROUP)
#define ROWS ((COMMANDS + 63) / 64)
#define PARTS 8
#define NEVER UINT64_MAX

enum { RUNNING, COMPLETE, DECIDED, NO_MEMORY, LIMIT_REACHED, TABLE_FULL };

typedef struct {
  word *words;       /* the next states */
  word *hashes;
  uint32_t *via;     /* of each: place of its source in the block << 16 | command */
  uint32_t *fate;    /* of each: 1 + its place in the table if it is new, else 0 */
  uint32_t *ways;    /* of each: the arrangements of members that make it canonical */
  uint32_t *order[PARTS];
  uint32_t orders[PARTS], fresh[PARTS];
  uint32_t count, room;
  int lacks;         /* whether there was no memory for the next states */
  uint64_t before;   /* next states of earlier blocks of the chunk */
  uint64_t first;    /* number of the first new state */
  word failed[CLAIMS + 1];
  uint64_t steps, taken[COMMANDS + 1];
  uint64_t stands;   /* for how many states the new ones stand */
} block;

typedef struct explorer {
  word *states;
  uint64_t count, room;
  uint32_t *table;
  uint64_t capacity;
  int bits;
  uint64_t at, last, limit, steps, stands;
  uint64_t alone;    /* states up to which one thread does all */
  uint64_t *levels, depth, levels_room;
  uint64_t *marks, marked, marks_room; /* for each block: first source, first new state */
  word failed[CLAIMS + 1];
  uint64_t taken[COMMANDS + 1];
  block blocks[BLOCKS], scratch;
  int used;
  int parts, threads;
  pthread_t helpers[PARTS];
  pthread_mutex_t lock;
  pthread_cond_t go, done;
  uint64_t ticket;
  int working, next, ending;
  void (*job)(struct explorer *, int);
  int jobs;
} explorer;

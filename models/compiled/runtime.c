/* Breadth first over states of W machine words, in chunks of BLOCKS blocks of GROUP states.

   The printed code before this text defines W, COMMANDS, CHECKS, CLAIMS, RESULTS, LANES, the types word
   and lane, and the functions enabled, judge and step. One chunk has three phases, each shared among
   threads: expand its blocks; insert the next states, each thread into its own part of the table;
   settle, which numbers the new states in the order in which one thread would have met them. */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define GROUP (64 * LANES)
#define BLOCKS (4096 / GROUP)
#define ROWS ((COMMANDS + 63) / 64)
#define PARTS 8
#define NEVER UINT64_MAX

enum { RUNNING, COMPLETE, DECIDED, NO_MEMORY };

typedef struct {
  word *words;       /* the next states */
  word *hashes;
  uint32_t *via;     /* of each: place of its source in the block << 16 | command */
  uint32_t *fate;    /* of each: 1 + its place in the table if it is new, else 0 */
  uint32_t *ways;    /* of each: the arrangements of members that make it canonical */
  uint32_t *order[PARTS];
  uint32_t orders[PARTS], fresh[PARTS];
  uint32_t count, room;
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

/* Planes */

static void transpose(lane a[64]) {
  word m = 0xFFFFFFFFu;
  for (int j = 32; j; j >>= 1, m ^= m << j)
    for (int k = 0; k < 64; k = ((k | j) + 1) & ~j) {
      lane t = ((a[k] >> j) ^ a[k | j]) & m;
      a[k] ^= t << j;
      a[k | j] ^= t;
    }
}

static lane to_planes(const word *states, uint32_t n, lane planes[64 * W]) {
  lane live;
  for (int l = 0; l < LANES; l++) {
    uint32_t have = n < 64u * l ? 0 : n - 64u * l;
    live[l] = have >= 64 ? ~(word)0 : ((word)1 << have) - 1;
  }
  for (int w = 0; w < W; w++) {
    lane *a = planes + 64 * w;
    if (n == GROUP)
      for (int i = 0; i < 64; i++)
        for (int l = 0; l < LANES; l++) a[i][l] = states[(uint64_t)(64 * l + i) * W + w];
    else
      for (int i = 0; i < 64; i++)
        for (int l = 0; l < LANES; l++)
          a[i][l] = (uint32_t)(64 * l + i) < n ? states[(uint64_t)(64 * l + i) * W + w] : 0;
    transpose(a);
  }
  return live;
}

static int lowest(lane set) {
  for (int l = 0; l < LANES; l++)
    if (set[l]) return 64 * l + __builtin_ctzll(set[l]);
  return -1;
}

static void note(word *failed, word key) {
  if (key < *failed) *failed = key;
}

static word hash_of(const word *s) {
  word h = 0x9E3779B97F4A7C15u;
  for (int w = 0; w < W; w++) {
    h = (h ^ s[w]) * 0xD6E8FEB86659FD93u;
    h ^= h >> 32;
  }
  h *= 0xD6E8FEB86659FD93u;
  return h ^ h >> 29;
}

/* Expanding */

static int part_of(const explorer *e, word hash) {
  return (int)(((hash & (e->capacity - 1)) * (unsigned)e->parts) >> e->bits);
}

static int make_room(block *b, int parts, uint32_t more) {
  if (b->count + more <= b->room) return 1;
  uint32_t room = 2 * b->room + more + 1024;
  b->words = realloc(b->words, (size_t)room * W * sizeof(word));
  b->hashes = realloc(b->hashes, (size_t)room * sizeof(word));
  b->via = realloc(b->via, (size_t)room * sizeof(uint32_t));
  b->fate = realloc(b->fate, (size_t)room * sizeof(uint32_t));
#ifdef SYMMETRY
  b->ways = realloc(b->ways, (size_t)room * sizeof(uint32_t));
  if (!b->ways) abort();
#endif
  for (int p = 0; p < parts; p++) {
    b->order[p] = realloc(b->order[p], (size_t)room * sizeof(uint32_t));
    if (!b->order[p]) abort();
  }
  if (!b->words || !b->hashes || !b->via || !b->fate) abort();
  b->room = room;
  return 1;
}

static void clear(block *b) {
  b->count = 0;
  b->steps = b->stands = 0;
  memset(b->orders, 0, sizeof b->orders);
  memset(b->fresh, 0, sizeof b->fresh);
  memset(b->failed, 0xFF, sizeof b->failed);
  memset(b->taken, 0, sizeof b->taken);
}

static void push(const explorer *e, block *b, uint32_t via) {
#ifdef SYMMETRY
  b->ways[b->count] = canonical(b->words + (uint64_t)b->count * W);
#endif
  word h = hash_of(b->words + (uint64_t)b->count * W);
  int p = part_of(e, h);
  b->hashes[b->count] = h;
  b->via[b->count] = via;
  b->order[p][b->orders[p]++] = b->count++;
}

#ifdef LITERALS

static int64_t find(const explorer *e, const word *s, word hash);

/* Whether one of some commands leads to a state that is expanded after this one. */
static int goes_on(const explorer *e, const word *chosen, const word *s, uint64_t number) {
  for (int r = 0; r < ROWS; r++)
    for (word left = chosen[r]; left; left &= left - 1) {
      word next[W];
      step(64 * r + __builtin_ctzll(left), s, next);
#ifdef SYMMETRY
      canonical(next);
#endif
      int64_t there = find(e, next, hash_of(next));
      if (there < 0 || (uint64_t)there > number) return 1;
    }
  return 0;
}

/* The condition to wait for: one that nothing new makes true, or else the first that is false. */
static int missing(int command, const word *true_ones, const word *set) {
  int first = -1;
  for (int r = 0; r < (LITERALS + 63) / 64; r++)
    for (word left = guard_of[command][r] & ~true_ones[r]; left; left &= left - 1) {
      int literal = 64 * r + __builtin_ctzll(left);
      word fresh = 0;
      for (int w = 0; w < ROWS; w++) fresh |= enables[literal][w] & ~set[w];
      if (!fresh) return literal;
      if (first < 0) first = literal;
    }
  return first;
}

/* Close a set that begins with one command; 0 if a visible command that is possible gets in. */
static int close_set(int command, const word *possible, const word *true_ones, word *set) {
  word todo[ROWS] = {0};
  for (int w = 0; w < ROWS; w++) set[w] = 0;
  set[command / 64] = todo[command / 64] = (word)1 << command % 64;
  for (int r = 0; r < ROWS;) {
    if (!todo[r]) {
      r++;
      continue;
    }
    int c = 64 * r + __builtin_ctzll(todo[r]);
    todo[r] &= todo[r] - 1;
    int is_possible = possible[c / 64] >> c % 64 & 1;
    if (is_possible && visible[0][c / 64] >> c % 64 & 1) return 0;
    const word *more = is_possible ? depends[c] : enables[missing(c, true_ones, set)];
    for (int w = 0; w < ROWS; w++) {
      word fresh = more[w] & ~set[w];
      set[w] |= fresh;
      todo[w] |= fresh;
      if (fresh && w < r) r = w;
    }
  }
  return 1;
}

/* Leave of the possible commands those that have to be taken now. */
static void choose(const explorer *e, word *possible, const word *true_ones, const word *s,
                   uint64_t number) {
  word best[ROWS];
  int all = 0, least;
  for (int w = 0; w < ROWS; w++) all += __builtin_popcountll(possible[w]);
  least = all;
  for (int r = 0; r < ROWS; r++)
    for (word left = possible[r]; left; left &= left - 1) {
      word set[ROWS];
      if (!close_set(64 * r + __builtin_ctzll(left), possible, true_ones, set)) continue;
      int size = 0;
      for (int w = 0; w < ROWS; w++) size += __builtin_popcountll(set[w] &= possible[w]);
      if (size < least) {
        least = size;
        memcpy(best, set, sizeof best);
      }
    }
  if (least < all && goes_on(e, best, s, number)) memcpy(possible, best, sizeof best);
}
#endif

static void expand(const explorer *e, block *b, uint64_t from, uint32_t n) {
  lane planes[64 * W], set[64 * ROWS + RESULTS];
  const word *states = e->states + from * W;
  lane live = to_planes(states, n, planes), any = {0};
  enabled(planes, set);
  for (int k = 0; k < COMMANDS; k++) {
    set[k] &= live;
    any |= set[k];
    for (int l = 0; l < LANES; l++) b->taken[k] += __builtin_popcountll(set[k][l]);
  }
  for (int k = 0; k < COMMANDS; k++) b->steps += b->taken[k];
  lane *more = set + COMMANDS;
  for (int c = 0; c < CHECKS; c++) {
    int j = lowest(more[c] & live);
    if (j >= 0) note(&b->failed[check_claim[c]], (from + j) << 16 | (check_command[c] + 1));
  }
#ifdef DEADLOCK
  int j = lowest(more[CHECKS] & live & ~any);
  if (j >= 0) note(&b->failed[DEADLOCK], (from + j) << 16);
#endif
  (void)any;
#ifdef LITERALS
  enum { MORE = (LITERALS + 63) / 64 };
  lane known[64 * MORE];
  for (int k = 0; k < 64 * MORE; k++) known[k] = k < LITERALS ? more[CHECKS + 1 + k] : live ^ live;
  for (int r = 0; r < MORE; r++) transpose(known + 64 * r);
  for (int k = 0; k < COMMANDS; k++)
    if (!leaves[k]) b->steps -= b->taken[k], b->taken[k] = 0;
#endif
  for (int k = 0; k < COMMANDS; k++)
    if (leaves[k]) set[k] ^= set[k];
  for (int k = COMMANDS; k < 64 * ROWS; k++) set[k] ^= set[k];
  for (int r = 0; r < ROWS; r++) transpose(set + 64 * r);
  for (uint32_t i = 0; i < n; i++) {
    make_room(b, e->parts, COMMANDS);
    word possible[ROWS];
    for (int r = 0; r < ROWS; r++) possible[r] = set[64 * r + (i & 63)][i >> 6];
#ifdef LITERALS
    word true_ones[MORE];
    for (int r = 0; r < MORE; r++) true_ones[r] = known[64 * r + (i & 63)][i >> 6];
    choose(e, possible, true_ones, states + (uint64_t)i * W, from + i);
#endif
    for (int r = 0; r < ROWS; r++)
      for (word left = possible[r]; left; left &= left - 1) {
        int k = 64 * r + __builtin_ctzll(left);
#ifdef LITERALS
        b->taken[k]++, b->steps++;
#endif
        step(k, states + (uint64_t)i * W, b->words + (uint64_t)b->count * W);
        push(e, b, i << 16 | k);
      }
  }
}

/* The table: 0, or 1 + the number of a state, with bits of its hash above */

static uint32_t tag_of(const explorer *e, word hash) {
  return (uint32_t)((hash >> 40) << e->bits);
}

static const word *state_at(const explorer *e, uint64_t number) {
  if (number < e->count) return e->states + number * W;
  uint64_t place = number - e->count;
  int k = e->used - 1;
  while (e->blocks[k].before > place) k--;
  return e->blocks[k].words + (place - e->blocks[k].before) * W;
}

static int same(const word *a, const word *b) {
  word d = 0;
  for (int w = 0; w < W; w++) d |= a[w] ^ b[w];
  return !d;
}

static void bounds(const explorer *e, int p, uint64_t *low, uint64_t *high) {
  *low = (e->capacity * p + e->parts - 1) / e->parts;
  *high = (e->capacity * (p + 1) + e->parts - 1) / e->parts;
}

#ifdef LITERALS
static int64_t find(const explorer *e, const word *s, word h) {
  uint32_t numbers = (uint32_t)(e->capacity - 1), tag = tag_of(e, h), entry;
  uint64_t at = h & (e->capacity - 1), low, high;
  bounds(e, part_of(e, h), &low, &high);
  while ((entry = e->table[at])) {
    uint64_t number = (entry & numbers) - 1;
    if ((entry & ~numbers) == tag && same(s, e->states + number * W)) return (int64_t)number;
    if (++at == high) at = low;
  }
  return -1;
}
#endif

static void insert(explorer *e, int p) {
  uint32_t numbers = (uint32_t)(e->capacity - 1);
  uint64_t low, high;
  bounds(e, p, &low, &high);
  for (int k = 0; k < e->used; k++) {
    block *b = e->blocks + k;
    const uint32_t *order = b->order[p];
    uint32_t n = b->orders[p], fresh = 0;
    for (uint32_t i = 0; i < n; i++) {
      if (i + 24 < n)
        __builtin_prefetch(e->table + (b->hashes[order[i + 24]] & (e->capacity - 1)), 1);
      if (i + 12 < n) {
        uint32_t entry = e->table[b->hashes[order[i + 12]] & (e->capacity - 1)] & numbers;
        if (entry && entry <= e->count) __builtin_prefetch(e->states + (entry - 1) * (uint64_t)W);
      }
      uint32_t which = order[i];
      word h = b->hashes[which];
      const word *s = b->words + (uint64_t)which * W;
      uint64_t at = h & (e->capacity - 1);
      uint32_t tag = tag_of(e, h), entry;
      b->fate[which] = 0;
      while ((entry = e->table[at])) {
        if ((entry & ~numbers) == tag && same(s, state_at(e, (entry & numbers) - 1))) break;
        if (++at == high) at = low;
      }
      if (entry) continue;
      e->table[at] = tag | (uint32_t)(e->count + b->before + which + 1);
      b->fate[which] = (uint32_t)at + 1;
      fresh++;
    }
    b->fresh[p] = fresh;
  }
}

static void judge_range(const explorer *e, word *failed, uint64_t from, uint64_t n) {
  lane planes[64 * W], wrong[CLAIMS + 1];
  for (uint64_t i = 0; i < n; i += GROUP) {
    uint32_t size = n - i < GROUP ? (uint32_t)(n - i) : GROUP;
    lane live = to_planes(e->states + (from + i) * W, size, planes);
    judge(planes, wrong);
    for (int c = 0; c < JUDGED; c++) {
      int j = lowest(wrong[c] & live);
      if (j >= 0) note(&failed[c], (from + i + j) << 16);
    }
  }
}

static void settle(explorer *e, int k) {
  block *b = e->blocks + k;
  uint32_t numbers = (uint32_t)(e->capacity - 1);
  uint64_t next = b->first;
  for (uint32_t i = 0; i < b->count; i++)
    if (b->fate[i]) {
      memcpy(e->states + next * W, b->words + (uint64_t)i * W, W * sizeof(word));
      uint32_t *entry = e->table + (b->fate[i] - 1);
      *entry = (*entry & ~numbers) | (uint32_t)(next + 1);
#ifdef SYMMETRY
      b->stands += SYMMETRY / b->ways[i];
#else
      b->stands++;
#endif
      next++;
    }
  judge_range(e, b->failed, b->first, next - b->first);
}

/* Memory */

static void *fresh_memory(uint64_t bytes) {
  void *found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (found == MAP_FAILED) return NULL;
#ifdef MADV_HUGEPAGE
  if (bytes >= (uint64_t)8 << 20) madvise(found, bytes, MADV_HUGEPAGE);
#endif
  return found;
}

static uint64_t bytes_used(const explorer *e) {
  return e->count * W * sizeof(word) + e->capacity * sizeof(uint32_t);
}

static void refill(explorer *e, int p) {
  uint64_t low, high;
  uint32_t numbers = (uint32_t)(e->capacity - 1);
  bounds(e, p, &low, &high);
  enum { AHEAD = 16 };
  word hashes[AHEAD];
  for (uint64_t i = 0; i < e->count + AHEAD; i++) {
    if (i >= AHEAD) {
      word h = hashes[i % AHEAD];
      if (part_of(e, h) == p) {
        uint64_t at = h & (e->capacity - 1);
        while (e->table[at] & numbers)
          if (++at == high) at = low;
        e->table[at] = tag_of(e, h) | (uint32_t)(i - AHEAD + 1);
      }
    }
    if (i < e->count) {
      word h = hashes[i % AHEAD] = hash_of(e->states + i * W);
      if (part_of(e, h) == p) __builtin_prefetch(e->table + (h & (e->capacity - 1)), 1);
    }
  }
}

static void share(explorer *e, void (*job)(explorer *, int), int jobs, uint64_t work);

static int grow_table(explorer *e, uint64_t wanted) {
  uint64_t capacity = e->capacity;
  int bits = e->bits;
  while (wanted * 10 > capacity * 7) capacity *= 2, bits++;
  if (capacity == e->capacity) return 1;
  if (bits > 31 || bytes_used(e) + (capacity - e->capacity) * sizeof(uint32_t) > e->limit) return 0;
  munmap(e->table, e->capacity * sizeof(uint32_t));
  e->table = fresh_memory(capacity * sizeof(uint32_t));
  if (!e->table) return 0;
  e->capacity = capacity, e->bits = bits;
  share(e, refill, e->parts, e->count);
  return 1;
}

static int grow_states(explorer *e, uint64_t wanted) {
  if (wanted <= e->room) return 1;
  uint64_t room = e->room + e->room / 2;
  if (room < wanted) room = wanted + 4096;
  word *larger = mremap(e->states, e->room * W * sizeof(word), room * W * sizeof(word), MREMAP_MAYMOVE);
  if (larger == MAP_FAILED) return 0;
  e->states = larger, e->room = room;
  return 1;
}

static int append(uint64_t **list, uint64_t *count, uint64_t *room, uint64_t value) {
  if (*count == *room) {
    *room = 2 * *room + 64;
    uint64_t *larger = realloc(*list, *room * sizeof(uint64_t));
    if (!larger) return 0;
    *list = larger;
  }
  (*list)[(*count)++] = value;
  return 1;
}

/* Threads: jobs 0 .. jobs-1 of one kind, whoever is free takes the next */

static void work(explorer *e) {
  int i;
  while ((i = __atomic_fetch_add(&e->next, 1, __ATOMIC_ACQ_REL)) < e->jobs) e->job(e, i);
}

static void *helper(void *of) {
  explorer *e = of;
  uint64_t seen = 0;
  pthread_mutex_lock(&e->lock);
  for (;;) {
    while (e->ticket == seen && !e->ending) pthread_cond_wait(&e->go, &e->lock);
    if (e->ending) break;
    seen = e->ticket;
    pthread_mutex_unlock(&e->lock);
    work(e);
    pthread_mutex_lock(&e->lock);
    if (!--e->working) pthread_cond_signal(&e->done);
  }
  pthread_mutex_unlock(&e->lock);
  return NULL;
}

static void share(explorer *e, void (*job)(explorer *, int), int jobs, uint64_t amount) {
  if (e->threads == 1 || amount < 1024) {
    for (int i = 0; i < jobs; i++) job(e, i);
    return;
  }
  pthread_mutex_lock(&e->lock);
  e->job = job, e->jobs = jobs, e->next = 0, e->working = e->threads - 1, e->ticket++;
  pthread_cond_broadcast(&e->go);
  pthread_mutex_unlock(&e->lock);
  work(e);
  pthread_mutex_lock(&e->lock);
  while (e->working) pthread_cond_wait(&e->done, &e->lock);
  pthread_mutex_unlock(&e->lock);
}

/* One chunk */

static void expand_block(explorer *e, int k) {
  uint64_t from = e->at + (uint64_t)k * GROUP, left = e->last - from;
  block *b = e->blocks + k;
  clear(b);
  expand(e, b, from, left < GROUP ? (uint32_t)left : GROUP);
}

static int put_in(explorer *e) {
  uint64_t total = 0, fresh = 0;
  for (int k = 0; k < e->used; k++) {
    e->blocks[k].before = total;
    total += e->blocks[k].count;
  }
  if (!grow_table(e, e->count + total)) return 0;
  share(e, insert, e->parts, total);
  for (int k = 0; k < e->used; k++) {
    e->blocks[k].first = e->count + fresh;
    for (int p = 0; p < e->parts; p++) fresh += e->blocks[k].fresh[p];
  }
  if (bytes_used(e) + fresh * W * sizeof(word) > e->limit) return 0;
  if (!grow_states(e, e->count + fresh)) return 0;
  share(e, settle, e->used, fresh);
  e->count += fresh;
  for (int k = 0; k < e->used; k++) {
    block *b = e->blocks + k;
    e->steps += b->steps;
    e->stands += b->stands;
    for (int c = 0; c < COMMANDS; c++) e->taken[c] += b->taken[c];
    for (int c = 0; c < CLAIMS; c++)
      if (b->failed[c] != NEVER && e->failed[c] == NEVER) e->failed[c] = b->failed[c];
  }
  return 1;
}

static int decided(const explorer *e) {
  for (int c = 0; c < CLAIMS; c++)
    if (e->failed[c] == NEVER) return 0;
  return CLAIMS > 0;
}

static int chunk(explorer *e) {
  uint64_t left = e->last - e->at;
  uint64_t size = left < BLOCKS * GROUP ? left : BLOCKS * GROUP;
  e->used = (int)((size + GROUP - 1) / GROUP);
  share(e, expand_block, e->used, size);
  if (!put_in(e)) return NO_MEMORY;
  for (int k = 0; k < e->used; k++)
    if (!append(&e->marks, &e->marked, &e->marks_room, e->at + (uint64_t)k * GROUP) ||
        !append(&e->marks, &e->marked, &e->marks_room, e->blocks[k].first))
      return NO_MEMORY;
  e->at += size;
  return decided(e) ? DECIDED : RUNNING;
}

/* What Python calls */

explorer *create(int threads, uint64_t limit) {
  explorer *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  e->threads = e->parts = threads < 1 ? 1 : threads > PARTS ? PARTS : threads;
  e->limit = limit;
  e->bits = 14, e->capacity = (uint64_t)1 << e->bits;
  e->room = 4096;
  e->table = fresh_memory(e->capacity * sizeof(uint32_t));
  e->states = fresh_memory(e->room * W * sizeof(word));
  if (!e->table || !e->states) return NULL;
  memset(e->failed, 0xFF, sizeof e->failed);
  pthread_mutex_init(&e->lock, NULL);
  pthread_cond_init(&e->go, NULL);
  pthread_cond_init(&e->done, NULL);
  for (int i = 1; i < e->threads; i++)
    if (pthread_create(&e->helpers[i], NULL, helper, e)) e->threads = i;
  return e;
}

int begin(explorer *e, const word *initial, uint64_t n) {
  for (uint64_t i = 0; i < n; i += GROUP) {
    block *b = e->blocks;
    clear(b);
    for (uint64_t j = i; j < n && j < i + GROUP; j++) {
      make_room(b, e->parts, 1);
      memcpy(b->words + (uint64_t)b->count * W, initial + j * W, W * sizeof(word));
      push(e, b, 0);
    }
    e->used = 1;
    if (!put_in(e)) return NO_MEMORY;
  }
  return RUNNING;
}

int advance(explorer *e, double seconds) {
  struct timespec now, start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    if (e->at == e->last) {
      if (e->last == e->count) return COMPLETE;
      if (!append(&e->levels, &e->depth, &e->levels_room, e->count)) return NO_MEMORY;
      e->last = e->count;
    }
    int status = chunk(e);
    if (status != RUNNING) return status;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) + 1e-9 * (now.tv_nsec - start.tv_nsec) < seconds);
  return RUNNING;
}

/* How a state was first reached: from the first state that has it as a next one. */
int origin(explorer *e, uint64_t state, uint64_t *parent, int *command) {
  uint64_t low = 0, high = e->marked / 2;
  while (low + 1 < high) {
    uint64_t middle = (low + high) / 2;
    if (e->marks[2 * middle + 1] <= state) low = middle;
    else high = middle;
  }
  if (!e->marked || state < e->marks[1]) return 0; /* an initial state */
  uint64_t from = e->marks[2 * low];
  uint64_t to = 2 * low + 2 < e->marked ? e->marks[2 * low + 2] : from + GROUP;
  block *b = &e->scratch;
  clear(b);
  expand(e, b, from, (uint32_t)((to < e->at ? to : e->at) - from));
  for (uint32_t i = 0; i < b->count; i++)
    if (same(b->words + (uint64_t)i * W, e->states + state * W)) {
      *parent = from + (b->via[i] >> 16);
      *command = (int)(b->via[i] & 0xFFFF);
      return 1;
    }
  return -1;
}

const word *states(const explorer *e) { return e->states; }
uint64_t count(const explorer *e) { return e->count; }
uint64_t transitions(const explorer *e) { return e->steps; }
uint64_t stands(const explorer *e) { return e->stands; }
uint64_t memory(const explorer *e) { return bytes_used(e); }
uint64_t depth(const explorer *e) { return e->depth; }
const uint64_t *levels(const explorer *e) { return e->levels; }
const uint64_t *taken(const explorer *e) { return e->taken; }
const word *failed(const explorer *e) { return e->failed; }

static void forget(block *b) {
  free(b->words), free(b->hashes), free(b->via), free(b->fate), free(b->ways);
  for (int p = 0; p < PARTS; p++) free(b->order[p]);
}

void destroy(explorer *e) {
  pthread_mutex_lock(&e->lock);
  e->ending = 1;
  pthread_cond_broadcast(&e->go);
  pthread_mutex_unlock(&e->lock);
  for (int i = 1; i < e->threads; i++) pthread_join(e->helpers[i], NULL);
  for (int k = 0; k < BLOCKS; k++) forget(e->blocks + k);
  forget(&e->scratch);
  munmap(e->table, e->capacity * sizeof(uint32_t));
  munmap(e->states, e->room * W * sizeof(word));
  free(e->levels), free(e->marks), free(e);
}

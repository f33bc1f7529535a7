/* Temporal properties: the steps between states, and the parts in which a fair run can stay.

   The printed code defines LIVENESS, CONDITIONS, PROMISES (words of a mask of promises), kept_by, weak and
   strong, and the function conditions. One question is asked after the other: which states can a
   run reach within a region that it has entered (breadth first), and in which strongly connected parts
   of these can a fair run go on for ever (Tarjan; a part that is not fair to a strong promise is searched
   again without the states where this promise is due). */

#ifdef LIVENESS

enum { LOST = 6, STEPS = 0, REGION, PARTITION, ANSWERED };
enum { PATIENCE = 4096 };
#define NOBODY UINT32_MAX

typedef struct { uint64_t from, to; uint32_t group; } task;

/* Of a state: the group in which parts are searched, its number there, and its fair part. Ways use the
   number for the turn in which the state was visited, and `low` for the state before. */
typedef struct { uint32_t group, number, low, part; } mark;

typedef struct {
  explorer *e;
  int phase, reads;       /* what is done now; whether a third condition of a question is read */
  uint64_t bytes;
  uint64_t *first;        /* the places of a state's steps; `after` and `via` have one entry a step */
  uint32_t *after;
  uint16_t *via;
  word *due;
  word *truth[CONDITIONS];
  int inside, entry, wanted, one, other; /* the question: sets of combinations of two conditions */
  uint32_t *depth, *before;              /* of a state in the region */
  uint32_t *queue;                       /* the states of the region, the nearest first */
  uint64_t reached, expanded, level, ends;
  mark *marks;
  uint16_t *next;                        /* of a state: which of its steps is followed next */
  uint32_t *open, *call;
  uint64_t opened, called, root, numbers;
  uint32_t groups, parts, stamp;
  uint32_t *pool;
  uint64_t pooled, pool_room;
  task *tasks;
  uint64_t tasks_left, tasks_room;
  task now;
  uint64_t *path, path_room, visited;
} liveness;

static int truth_of(const liveness *l, uint64_t s) {
  int found = l->one < 0 ? 0 : (int)(l->truth[l->one][s >> 6] >> (s & 63) & 1);
  return l->other < 0 ? found : found | (int)(l->truth[l->other][s >> 6] >> (s & 63) & 1) << 1;
}

static int is_in(const liveness *l, int set, uint64_t s) { return set >> truth_of(l, s) & 1; }

/* The promises that are due in a state. */
static const word *due_of(const liveness *l, uint64_t s) { return l->due + s * PROMISES; }

/* Memory for n entries, which begin with 0, within the limit; NULL if there is none. */
static void *taken_memory(liveness *l, uint64_t n, uint64_t size, int *status) {
  uint64_t bytes = n * size + 8;
  if (bytes_used(l->e) + l->bytes + bytes > l->e->limit) {
    *status = LIMIT_REACHED;
    return NULL;
  }
  void *found = fresh_memory(bytes);
  if (!found) *status = NO_MEMORY;
  else l->bytes += bytes;
  return found;
}

#define TAKE(name, n) (l->name = taken_memory(l, n, sizeof *l->name, &status))
#define GIVE_BACK(name, n) (l->name ? munmap(l->name, (n) * sizeof *l->name + 8) : 0)

/* All steps that change the state */

static void resolve_block(explorer *e, int k) {
  expand_block(e, k);
  block *b = e->blocks + k;
  for (uint32_t i = 0; i < b->count; i++) {
    if (i + 16 < b->count)
      __builtin_prefetch(e->table + (b->hashes[i + 16] & (e->capacity - 1)));
    int64_t number = find(e, b->words + (uint64_t)i * W, b->hashes[i]);
    b->fate[i] = number < 0 ? NOBODY : (uint32_t)number;
  }
}

static void judge_conditions(liveness *l, uint64_t from, uint32_t n) {
  lane planes[64 * W], found[CONDITIONS];
  lane live = to_planes(l->e->states + from * W, n, planes);
  conditions(planes, found);
  for (int k = 0; k < CONDITIONS; k++) {
    lane here = found[k] & live;
    memcpy(l->truth[k] + from / 64, &here, sizeof here);
  }
}

static int add_steps(liveness *l) {
  explorer *e = l->e;
  uint64_t left = e->last - e->at, size = left < BLOCKS * GROUP ? left : BLOCKS * GROUP;
  e->used = (int)((size + GROUP - 1) / GROUP);
  share(e, resolve_block, e->used, size);
  for (int k = 0; k < e->used; k++) {
    block *b = e->blocks + k;
    uint64_t from = e->at + (uint64_t)k * GROUP;
    uint32_t n = size - (uint64_t)k * GROUP < GROUP ? (uint32_t)(size - (uint64_t)k * GROUP) : GROUP;
    if (b->lacks) return NO_MEMORY;
    uint64_t at = l->first[from];
    uint32_t i = 0;
    for (uint32_t place = 0; place < n; place++) {
      for (; i < b->count && b->via[i] >> 16 == place; i++) {
        if (b->fate[i] == NOBODY) return LOST;
        if (b->fate[i] == from + place) continue;
        uint16_t command = (uint16_t)(b->via[i] & 0xFFFF);
        for (int w = 0; w < PROMISES; w++) l->due[(from + place) * PROMISES + w] |= kept_by[command][w];
        l->after[at] = b->fate[i];
        l->via[at++] = command;
      }
      l->first[from + place + 1] = at;
    }
    judge_conditions(l, from, n);
  }
  e->at += size;
  return e->at == e->last ? COMPLETE : RUNNING;
}

/* The region */

static void reach(liveness *l, uint64_t s, uint32_t depth, uint32_t before) {
  l->depth[s] = depth, l->before[s] = before;
  l->queue[l->reached++] = (uint32_t)s;
}

static void enter(liveness *l) {
  const explorer *e = l->e;
  if (l->level >= e->depth || (!l->entry && l->level)) return;
  for (uint64_t s = l->level ? e->levels[l->level - 1] : 0; s < e->levels[l->level]; s++)
    if (l->depth[s] == NOBODY && is_in(l, l->inside, s) && (!l->entry || is_in(l, l->entry, s)))
      reach(l, s, (uint32_t)l->level, NOBODY);
}

static int widen(liveness *l) {
  for (int turn = 0; turn < PATIENCE; turn++) {
    if (l->expanded == l->ends) {
      if (l->level + 1 >= l->e->depth && l->expanded == l->reached) return COMPLETE;
      l->level++;
      enter(l);
      l->ends = l->reached;
      continue;
    }
    uint32_t s = l->queue[l->expanded++];
    for (uint64_t i = l->first[s]; i < l->first[s + 1]; i++) {
      uint32_t t = l->after[i];
      if (l->depth[t] == NOBODY && is_in(l, l->inside, t)) reach(l, t, l->depth[s] + 1, s);
    }
  }
  return RUNNING;
}

/* Fair parts */

static int add_task(liveness *l, uint64_t from) {
  if (l->tasks_left == l->tasks_room) {
    void *larger;
    uint64_t room = 2 * l->tasks_room + 16;
    if (!ENLARGE(l->tasks, room)) return 0;
    l->tasks_room = room;
  }
  l->tasks[l->tasks_left++] = (task){from, l->pooled, l->groups};
  return 1;
}

/* Which promises are due in some state of a part, or in all, and which are kept by a step within. */
static void survey(const liveness *l, const uint32_t *states, uint64_t n, uint32_t root,
                   word *ever, word *always, word *kept) {
  for (int w = 0; w < PROMISES; w++) ever[w] = kept[w] = 0, always[w] = ~(word)0;
  for (uint64_t k = 0; k < n; k++) {
    for (uint64_t i = l->first[states[k]]; i < l->first[states[k] + 1]; i++) {
      const mark *there = l->marks + l->after[i];
      if (there->group == l->now.group && there->number >= root)
        for (int w = 0; w < PROMISES; w++) kept[w] |= kept_by[l->via[i]][w];
    }
    const word *due = due_of(l, states[k]);
    for (int w = 0; w < PROMISES; w++) ever[w] |= due[w], always[w] &= due[w];
  }
}

static int divide_again(liveness *l, const uint32_t *states, uint64_t n, const word *unmet) {
  if (l->pooled + n > l->pool_room) {
    void *larger;
    uint64_t room = 2 * l->pool_room + n;
    if (!ENLARGE(l->pool, room)) return NO_MEMORY;
    l->pool_room = room;
  }
  uint64_t from = l->pooled;
  l->groups++;
  for (uint64_t k = 0; k < n; k++) {
    const word *due = due_of(l, states[k]);
    word hit = 0;
    for (int w = 0; w < PROMISES; w++) hit |= due[w] & unmet[w];
    l->marks[states[k]].group = hit ? 0 : l->groups;
    if (hit) continue;
    l->marks[states[k]].number = 0, l->next[states[k]] = 0;
    l->pool[l->pooled++] = states[k];
  }
  return l->pooled == from || add_task(l, from) ? RUNNING : NO_MEMORY;
}

/* A part is complete: the open states from `from` on. */
static int close_part(liveness *l, uint64_t from, uint32_t root) {
  const uint32_t *states = l->open + from;
  uint64_t n = l->opened - from;
  word ever[PROMISES], always[PROMISES], kept[PROMISES], unmet[PROMISES];
  int broken = 0, again = 0, seen = !l->reads;
  survey(l, states, n, root, ever, always, kept);
  for (int w = 0; w < PROMISES; w++) {
    broken |= (weak[w] & always[w] & ~kept[w]) != 0;
    again |= (unmet[w] = strong[w] & ever[w] & ~kept[w]) != 0;
  }
  l->opened = from;
  if (!broken && again) return divide_again(l, states, n, unmet);
  for (uint64_t k = 0; k < n && !seen; k++) seen = is_in(l, l->wanted, states[k]);
  if (!broken && seen) l->parts++;
  for (uint64_t k = 0; k < n; k++) {
    l->marks[states[k]].group = 0;
    if (!broken && seen) l->marks[states[k]].part = l->parts;
  }
  return RUNNING;
}

static void visit(liveness *l, uint32_t s) {
  l->marks[s].number = l->marks[s].low = (uint32_t)++l->numbers;
  l->open[l->opened++] = l->call[l->called++] = s;
}

/* Follow one step of the last state of the call, or leave it. */
static int follow(liveness *l) {
  uint32_t s = l->call[l->called - 1];
  uint64_t i = l->first[s] + l->next[s];
  if (i < l->first[s + 1]) {
    uint32_t t = l->after[i];
    l->next[s]++;
    if (l->marks[t].group != l->now.group) return RUNNING;
    if (!l->marks[t].number) visit(l, t);
    else if (l->marks[t].number < l->marks[s].low) l->marks[s].low = l->marks[t].number;
    return RUNNING;
  }
  if (--l->called) {
    uint32_t above = l->call[l->called - 1];
    if (l->marks[s].low < l->marks[above].low) l->marks[above].low = l->marks[s].low;
  }
  if (l->marks[s].low != l->marks[s].number) return RUNNING;
  uint64_t from = l->opened - 1;
  while (l->open[from] != s) from--;
  return close_part(l, from, l->marks[s].number);
}

static int partition(liveness *l) {
  for (int turn = 0; turn < PATIENCE; turn++) {
    if (l->called) {
      int status = follow(l);
      if (status != RUNNING) return status;
      continue;
    }
    const uint32_t *roots = l->now.group == 1 ? l->queue : l->pool;
    while (l->root < l->now.to) {
      uint32_t s = roots[l->root++];
      if (l->marks[s].group == l->now.group && !l->marks[s].number) {
        visit(l, s);
        break;
      }
    }
    if (l->called) continue;
    if (!l->tasks_left) return COMPLETE;
    l->now = l->tasks[--l->tasks_left];
    l->root = l->now.from, l->pooled = l->now.to, l->numbers = 0;
  }
  return RUNNING;
}

/* What Python calls */

liveness *live_create(explorer *e) {
  liveness *l = calloc(1, sizeof *l);
  int status = RUNNING;
  if (!l) return NULL;
  l->e = e;
  uint64_t words = (e->count + GROUP - 1) / GROUP * LANES;
  int good = TAKE(first, e->count + 1) && TAKE(after, e->steps) && TAKE(via, e->steps) &&
             TAKE(due, e->count * PROMISES);
  for (int k = 0; k < CONDITIONS; k++) good = good && TAKE(truth[k], words);
  good = good && TAKE(depth, e->count) && TAKE(before, e->count) && TAKE(queue, e->count) &&
         TAKE(marks, e->count) && TAKE(next, e->count) && TAKE(open, e->count) &&
         TAKE(call, e->count);
  l->phase = good ? STEPS : -status;
  e->at = 0;
  return l;
}

/* Asks the next question; `one` and `other` are numbers of conditions, or -1. */
void ask(liveness *l, int inside, int entry, int wanted, int one, int other) {
  uint64_t count = l->e->count;
  l->inside = inside, l->entry = entry, l->wanted = wanted, l->one = one, l->other = other;
  l->reads = wanted != 15;
  memset(l->depth, 0xFF, count * sizeof *l->depth);
  memset(l->marks, 0, count * sizeof *l->marks);
  memset(l->next, 0, count * sizeof *l->next);
  l->reached = l->expanded = l->level = l->opened = l->called = l->root = l->numbers = 0;
  l->parts = 0, l->pooled = 0, l->tasks_left = 0, l->stamp = 0;
  enter(l);
  l->ends = l->reached;
  l->phase = REGION;
}

static int one_turn(liveness *l) {
  int status;
  if (l->phase < 0) return -l->phase;
  if (l->phase == STEPS) return add_steps(l);
  if (l->phase == REGION) {
    if ((status = widen(l)) != COMPLETE) return status;
    for (uint64_t i = 0; i < l->reached; i++) l->marks[l->queue[i]].group = 1;
    l->groups = 1, l->now = (task){0, l->reached, 1};
    l->phase = PARTITION;
    return RUNNING;
  }
  if (l->phase == PARTITION) {
    if ((status = partition(l)) != COMPLETE) return status;
    for (uint64_t s = 0; s < l->e->count; s++) l->marks[s].number = 0;
    l->phase = ANSWERED;
  }
  return COMPLETE;
}

int proceed(liveness *l, double seconds) {
  struct timespec now, start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    int status = one_turn(l);
    if (status != RUNNING) return status;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) + 1e-9 * (now.tv_nsec - start.tv_nsec) < seconds);
  return RUNNING;
}

/* The nearest state of the region that is wanted, the least of several; or -1. */
int64_t nearest_wanted(const liveness *l) {
  int64_t best = -1;
  for (uint64_t i = 0; i < l->reached; i++) {
    uint32_t s = l->queue[i];
    if (best >= 0 && l->depth[s] > l->depth[best]) break;
    if (is_in(l, l->wanted, s) && (best < 0 || s < best)) best = s;
  }
  return best;
}

/* The place in the queue of the next state of a fair part, from a place on; or -1. */
int64_t next_fair(const liveness *l, uint64_t from) {
  for (uint64_t i = from; i < l->reached; i++)
    if (l->marks[l->queue[i]].part) return (int64_t)i;
  return -1;
}

int is_wanted(const liveness *l, uint64_t s) { return is_in(l, l->wanted, s); }
int condition(const liveness *l, int k, uint64_t s) { return l->truth[k][s >> 6] >> (s & 63) & 1; }
const word *due_in(const liveness *l, uint64_t s) { return due_of(l, s); }

void due_in_part(const liveness *l, uint32_t part, word *due) {
  for (int w = 0; w < PROMISES; w++) due[w] = 0;
  for (uint64_t i = 0; i < l->reached; i++)
    if (l->marks[l->queue[i]].part == part) {
      const word *here = due_of(l, l->queue[i]);
      for (int w = 0; w < PROMISES; w++) due[w] |= here[w];
    }
}

static int ends_way(const liveness *l, uint64_t i, const word *left, int missing) {
  uint32_t t = l->after[i];
  const word *due = due_of(l, t);
  word helps = 0;
  if (missing && is_in(l, l->wanted, t)) return 1;
  for (int w = 0; w < PROMISES; w++)
    helps |= (kept_by[l->via[i]][w] | (weak[w] & ~due[w])) & left[w];
  return helps != 0;
}

/* The number of steps of a shortest way within a part, of which the last keeps one of the promises that
   are left, or reaches a wanted state if one is missing, or ends in `goal` if that is no NOBODY.
   The way is in `path`, backwards. -1: there is none; -2: no memory. */
int64_t shortest_way(liveness *l, uint32_t from, uint32_t goal, const word *left, int missing) {
  uint32_t part = l->marks[from].part, stamp = ++l->stamp;
  uint64_t at = 0, size = 0, length = 0, last = NEVER;
  l->visited = 0;
  l->marks[from].number = stamp, l->open[size++] = from;
  while (at < size && last == NEVER) {
    uint32_t s = l->open[at++];
    l->visited++;
    for (uint64_t i = l->first[s]; i < l->first[s + 1]; i++) {
      uint32_t t = l->after[i];
      if (l->marks[t].part != part) continue;
      if (goal != NOBODY ? t == goal : ends_way(l, i, left, missing)) {
        last = i, goal = s;
        break;
      }
      if (l->marks[t].number == stamp) continue;
      l->marks[t].number = stamp, l->marks[t].low = s;
      l->open[size++] = t;
    }
  }
  if (last == NEVER) return -1;
  for (uint32_t s = goal;; s = l->marks[s].low) {
    if (length == l->path_room) {
      void *larger;
      uint64_t room = 2 * l->path_room + 64;
      if (!ENLARGE(l->path, room)) return -2;
      l->path_room = room;
    }
    l->path[length++] = last;
    if (s == from) return (int64_t)length;
    last = l->first[l->marks[s].low];
    while (l->after[last] != s) last++;
  }
}

const uint64_t *first_steps(const liveness *l) { return l->first; }
const uint32_t *next_states(const liveness *l) { return l->after; }
const uint16_t *commands(const liveness *l) { return l->via; }
const uint32_t *depths(const liveness *l) { return l->depth; }
const uint32_t *befores(const liveness *l) { return l->before; }
const uint32_t *queue(const liveness *l) { return l->queue; }
uint32_t part_with(const liveness *l, uint64_t s) { return l->marks[s].part; }
const uint64_t *path(const liveness *l) { return l->path; }
uint64_t visited(const liveness *l) { return l->visited; }
uint64_t reached(const liveness *l) { return l->reached; }
uint64_t bytes_of_liveness(const liveness *l) { return l->bytes; }

void live_destroy(liveness *l) {
  uint64_t n = l->e->count, words = (n + GROUP - 1) / GROUP * LANES;
  GIVE_BACK(first, n + 1), GIVE_BACK(after, l->e->steps), GIVE_BACK(via, l->e->steps);
  GIVE_BACK(due, n * PROMISES);
  for (int k = 0; k < CONDITIONS; k++) GIVE_BACK(truth[k], words);
  GIVE_BACK(depth, n), GIVE_BACK(before, n), GIVE_BACK(queue, n), GIVE_BACK(marks, n);
  GIVE_BACK(next, n), GIVE_BACK(open, n), GIVE_BACK(call, n);
  free(l->pool), free(l->tasks), free(l->path), free(l);
}
#endif

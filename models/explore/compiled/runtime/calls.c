/* One chunk after the other. */

static void expand_block(explorer *e, int k) {
  uint64_t from = e->at + (uint64_t)k * GROUP, left = e->last - from;
  block *b = e->blocks + k;
  clear(b);
  expand(e, b, from, left < GROUP ? (uint32_t)left : GROUP);
}

/* In a larger table, other next states belong to each part. */
static void share_out_again(explorer *e, int k) {
  block *b = e->blocks + k;
  memset(b->orders, 0, sizeof b->orders);
  for (uint32_t i = 0; i < b->count; i++) {
    int p = part_of(e, b->hashes[i]);
    b->order[p][b->orders[p]++] = i;
  }
}

static int put_in(explorer *e) {
  uint64_t total = 0, fresh = 0, capacity = e->capacity;
  for (int k = 0; k < e->used; k++) {
    if (e->blocks[k].lacks) return NO_MEMORY;
    e->blocks[k].before = total;
    total += e->blocks[k].count;
  }
  int status = grow_table(e, e->count + total);
  if (status != RUNNING) return status;
  if (e->capacity != capacity) share(e, share_out_again, e->used, total);
  share(e, insert, e->parts, total);
  for (int k = 0; k < e->used; k++) {
    e->blocks[k].first = e->count + fresh;
    for (int p = 0; p < e->parts; p++) fresh += e->blocks[k].fresh[p];
  }
  if (bytes_used(e) + fresh * W * sizeof(word) > e->limit) return LIMIT_REACHED;
  if (!grow_states(e, e->count + fresh)) return NO_MEMORY;
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
  return RUNNING;
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
  int status = put_in(e);
  if (status != RUNNING) return status;
  for (int k = 0; k < e->used; k++)
    if (!append(&e->marks, &e->marked, &e->marks_room, e->at + (uint64_t)k * GROUP) ||
        !append(&e->marks, &e->marked, &e->marks_room, e->blocks[k].first))
      return NO_MEMORY;
  e->at += size;
  return decided(e) ? DECIDED : RUNNING;
}

/* What Python calls */

explorer *create(int threads, uint64_t limit, uint64_t alone) {
  explorer *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  e->threads = e->parts = threads < 1 ? 1 : threads > PARTS ? PARTS : threads;
  e->limit = limit, e->alone = alone;
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
      if (!make_room(b, e->parts, 1)) return NO_MEMORY;
      memcpy(b->words + (uint64_t)b->count * W, initial + j * W, W * sizeof(word));
      push(e, b, 0);
    }
    e->used = 1;
    int status = put_in(e);
    if (status != RUNNING) return status;
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
  if (b->lacks) return -2;
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

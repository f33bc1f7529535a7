/* Expanding: all next states of a block. */

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

/* Expanding: all next states of a block. */

/* Enlarges an array; it stays as it is if there is no memory. */
#define ENLARGE(array, n) \
  ((larger = realloc((array), (size_t)(n) * sizeof *(array))) && ((array) = larger, 1))

static int make_room(block *b, int parts, uint32_t more) {
  if (b->count + more <= b->room) return 1;
  uint32_t room = 2 * b->room + more + 1024;
  void *larger;
  if (!ENLARGE(b->words, (size_t)room * W) || !ENLARGE(b->hashes, room)) return 0;
  if (!ENLARGE(b->via, room) || !ENLARGE(b->fate, room)) return 0;
#ifdef SYMMETRY
  if (!ENLARGE(b->ways, room)) return 0;
#endif
  for (int p = 0; p < parts; p++)
    if (!ENLARGE(b->order[p], room)) return 0;
  b->room = room;
  return 1;
}

static void clear(block *b) {
  b->count = 0, b->lacks = 0;
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
    if (!make_room(b, e->parts, COMMANDS)) {
      b->lacks = 1;
      return;
    }
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

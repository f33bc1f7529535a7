/* The table has 0, or 1 + the number of a state, with bits of its hash above */

static int part_of(const explorer *e, word hash) {
  return (int)(((hash & (e->capacity - 1)) * (unsigned)e->parts) >> e->bits);
}

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

#if defined LITERALS || defined LIVENESS
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

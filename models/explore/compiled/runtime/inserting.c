/* Inserting next states into the table, then numbering those that are new. */

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

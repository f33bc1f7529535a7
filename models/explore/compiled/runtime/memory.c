/* Memory: the table and the states grow; within the limit. */

static void *in_large_pages(void *memory, uint64_t bytes) {
#ifdef MADV_HUGEPAGE
  if (bytes >= (uint64_t)8 << 20) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

static void *fresh_memory(uint64_t bytes) {
  void *found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return found == MAP_FAILED ? NULL : in_large_pages(found, bytes);
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

static int grow_table(explorer *e, uint64_t wanted) {
  uint64_t capacity = e->capacity;
  int bits = e->bits;
  while (wanted * 10 > capacity * 7) capacity *= 2, bits++;
  if (capacity == e->capacity) return RUNNING;
  if (bits > 31) return TABLE_FULL;
  if (bytes_used(e) + (capacity - e->capacity) * sizeof(uint32_t) > e->limit) return LIMIT_REACHED;
  uint32_t *larger = fresh_memory(capacity * sizeof(uint32_t));
  if (!larger) return NO_MEMORY;
  munmap(e->table, e->capacity * sizeof(uint32_t));
  e->table = larger;
  e->capacity = capacity, e->bits = bits;
  share(e, refill, e->parts, e->count);
  return RUNNING;
}

static int grow_states(explorer *e, uint64_t wanted) {
  if (wanted <= e->room) return 1;
  uint64_t room = e->room + e->room / 2;
  if (room < wanted) room = wanted + 4096;
#ifdef MREMAP_MAYMOVE
  word *larger = mremap(e->states, e->room * W * sizeof(word), room * W * sizeof(word),
                        MREMAP_MAYMOVE);
  if (larger == MAP_FAILED) return 0;
#else
  word *larger = fresh_memory(room * W * sizeof(word));
  if (!larger) return 0;
  memcpy(larger, e->states, e->count * W * sizeof(word));
  munmap(e->states, e->room * W * sizeof(word));
#endif
  e->states = in_large_pages(larger, room * W * sizeof(word)), e->room = room;
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

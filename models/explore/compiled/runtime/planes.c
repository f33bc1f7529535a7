/* Planes: bit i of many states in one word, and what states are known by. */

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

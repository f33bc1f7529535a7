/* Partial-order reduction: which of the possible commands have to be taken now. */

#ifdef LITERALS

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

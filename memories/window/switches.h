/* Readings and faults of window.c, for tests alone: with none of them it is the corrected protocol.

   -DWINDOW_SWITCHES='(1ull << FETCH_AND_INCREMENT_OLD)' compiles the protocol as it was published:
   Fetch&Increment returns the old value of the clock. THAT IS WRONG: a transaction can see the old
   value of one object beside the new value of another. Their names are those of the readings of
   spec/stm/window.py and of the mutants in spec/stm/mutants/window.py. */
#ifndef COUNTERPOINT_WINDOW_SWITCHES_H
#define COUNTERPOINT_WINDOW_SWITCHES_H

#ifndef WINDOW_SWITCHES
#define WINDOW_SWITCHES 0
#endif

#define ON(name) ((int)(((unsigned long long)(WINDOW_SWITCHES) >> (name)) & 1))

enum window_switches {
    /* readings */
    FETCH_AND_INCREMENT_OLD,
    CLOCK_READ_COMMIT_ONLY,
    RECHECK_LATER_OR_EQUAL,
    RECHECK_EVERY_READ,
    RECHECK_NEVER,
    RECHECK_LOCKED_WAIT,
    RECHECK_LOCKED_IGNORE,
    EMPTY_WINDOW_PASSES,
    VERSION_END_CT_1,
    READERS_WAIT_NO,
    FINITE_WINDOW_PICK,
    LOCKS_WRITES,
    UNLOCK_OBJECT_BY_OBJECT,
    /* faults */
    WINDOW_BEGINS_AFTER_THE_CLOCK,
    DRAWS_BEFORE_LOCKING,
    READS_THE_CLOCK_THEN_SETS_IT,
    ADVANCES_THE_CLOCK_AFTER_UNLOCKING,
    TOP_NOT_CONSIDERED,
    COPIES_THE_DATE_BEFORE_THE_VALUE,
    LOCKS_IN_NO_ORDER,
    TAKES_HELD_LOCKS,
    UNLOCKS_BEFORE_PUBLISHING,
    ABORT_KEEPS_LOCKS,
    NO_VALIDATION,
    VALIDATES_ONLY_WHAT_IT_WRITES,
    VALIDATES_BEFORE_LOCKING,
    VALIDATES_AFTER_PUBLISHING,
    OLD_VERSION_NEVER_ENDS,
    OLD_VERSION_ENDS_FOR_LIVE_READERS_ONLY,
    VERSIONS_KEEP_OLD_DATES,
};

#endif

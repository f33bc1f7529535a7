"""Many checks at once: of mutants, of readings, of sets of programs, of what papers printed."""

"""A check from outside: which engine, how long, in which process, and traces replayed."""

"""The exhaustive engine's explorer in C, printed from a traced spec and compiled at run time."""

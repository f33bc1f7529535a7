"""The corrected window protocol as a memory: in Python for threads, and in C with atomics."""

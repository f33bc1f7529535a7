"""Reads what strangers might send with every reader: no traceback, no hang, bounded memory.

Each module of `readers` has a tuple ``READERS``; `tests.fuzzing.__main__` runs one for hours.
"""

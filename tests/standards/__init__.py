"""The standards' own test suites, read from the packages that ship them, for our readers.

`python -m tests.standards` prints the table of docs/reference/standards.md.
"""

"""Well-known protocols for mutual exclusion, to read and to compare with other tools."""

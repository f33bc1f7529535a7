"""Running a check: the engines by name, time limits, processes, and replayed traces."""

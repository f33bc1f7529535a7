"""The link store, in SQLite and in a real PostgreSQL."""

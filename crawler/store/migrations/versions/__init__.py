"""The migrations of the tables of a link store, one module per step."""

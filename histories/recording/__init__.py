"""The recording of histories: real memories and databases under a seeded random load."""

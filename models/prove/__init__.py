"""z3: bounded checks and proofs for every step."""

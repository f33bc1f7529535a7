"""The connectivity server: who links to whom, held packed, and what is computed on it."""

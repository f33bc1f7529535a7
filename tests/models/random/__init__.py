"""Random runs: how far they get on many specs, and what they find."""

"""Random runs: Hypothesis, and how what it finds is made shorter."""

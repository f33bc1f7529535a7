"""Random runs with Hypothesis, and the minimisation of what they find."""

"""What the papers measured, measured again: a study for each of their results."""

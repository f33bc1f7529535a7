"""Results in words and as a page."""

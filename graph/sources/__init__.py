"""Where graphs come from: lists in text, other stores, crawls."""

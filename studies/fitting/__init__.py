"""A profile of the synthetic web that is fitted to a captured web, and how far the two differ."""

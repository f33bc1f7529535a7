"""The real thing: fetching, link store, graph and ranking. Nothing is built here yet."""

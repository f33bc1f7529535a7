"""A store of link graphs, and algorithms on them: searches, components, rankings."""

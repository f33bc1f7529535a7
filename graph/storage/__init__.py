"""The store of a graph: how it is built, compressed, read and exported."""

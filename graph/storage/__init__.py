"""How a graph is stored: built, packed, named, read and exported."""

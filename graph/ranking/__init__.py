"""Rankings of the pages of a graph: PageRank, HITS, and the first pages of a ranking."""

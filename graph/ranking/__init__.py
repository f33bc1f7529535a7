"""Rankings of a graph: PageRank, HITS, the best of them."""

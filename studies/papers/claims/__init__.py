"""What papers say and no finding of a study answers, one module for each paper."""

"""What pages say: their words, how relevant they are to a query, and where to begin a crawl."""

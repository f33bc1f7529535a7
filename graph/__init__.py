"""The connectivity server: all pages of a crawl with all their links, in both directions."""

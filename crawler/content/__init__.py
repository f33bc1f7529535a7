"""The content of pages: their words, their relevance to a query, and search for start pages."""

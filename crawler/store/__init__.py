"""The link store: the pages and links of a crawl in a database, written in transactions."""

"""The link store: what a crawl found, in a database that loses nothing."""

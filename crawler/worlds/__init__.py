"""Where a policy crawls: captures, pages fetched at once, and the crawl itself."""

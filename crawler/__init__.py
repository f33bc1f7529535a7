"""The real thing: crawl policies, the worlds they crawl, pages over HTTP."""

"""BeeBot: a crawl whose every step is in a store, so that it can stop anywhere and go on."""

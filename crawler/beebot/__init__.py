"""BeeBot: a crawl that stores each of its steps, so that it can be stopped anywhere and resumed."""

"""Schedulers at speed; what they must do is said in `counterpoint.spec.crawl`."""

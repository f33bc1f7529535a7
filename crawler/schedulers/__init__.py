"""Schedulers at speed; what they must do is said in `spec.crawl`."""

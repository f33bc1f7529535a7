"""Mutants of crawl schedulers."""

"""How much of the Web a crawl covers: samplers and estimators ([COV])."""

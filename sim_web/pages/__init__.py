"""The pages of the synthetic web: addresses, texts, changes, faults, robots.txt, sitemaps."""

"""The studio: a crawl watched and edited in a browser while it runs."""

"""What can be wrong with a crawl."""

from __future__ import annotations


class CrawlError(ValueError):
    """An address, a proxy or a capture is not as it must be; the message is one line."""

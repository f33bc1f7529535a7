"""What can be wrong with a crawl, and how it is said."""

from __future__ import annotations


class CrawlError(ValueError):
    """An address, a proxy or a capture is not as it must be; the message is one line."""


class StoreError(CrawlError):
    """A database could not do what it was asked: locked, full, gone; nothing of it was done."""


def in_words(error: BaseException) -> str:
    """Return an error of a user's code in one line: its kind, and the first line it says."""
    kind = type(error).__name__
    try:
        said = str(error).strip().partition("\n")[0]
    except Exception:  # it cannot even be said
        return kind
    return f"{kind}: {said}" if said else kind

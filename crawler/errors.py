"""The exceptions of the crawler, and errors of user code in one line."""

from __future__ import annotations


class CrawlError(ValueError):
    """A crawl cannot do what was requested; the message is one line that says why.

    For example an address, a proxy, a capture or a parameter of a policy is invalid.
    """


class StoreError(CrawlError):
    """A database refused an operation (it is locked, full or unreachable); nothing was changed."""


class GivenUpError(StoreError):
    """A database rolled a transaction back because of others; if repeated, it can succeed."""


class ConnectionLostError(StoreError):
    """The connection to a database was lost, or there is no server at present."""


def one_line_error(error: BaseException) -> str:
    """Return an error of user code in one line: its class, and the first line of its message."""
    kind = type(error).__name__
    try:
        message = str(error).strip().partition("\n")[0]
    except Exception:  # the error's own __str__ failed
        return kind
    return f"{kind}: {message}" if message else kind

"""The error that the synthetic web raises for wrong input."""

from __future__ import annotations


class WebError(ValueError):
    """A profile, an address, a log or a folder is invalid; the message is one line."""

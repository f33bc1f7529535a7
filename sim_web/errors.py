"""What a user of the synthetic web can get wrong."""

from __future__ import annotations


class WebError(ValueError):
    """A profile, an address, a log or a folder is not as it must be; the message is one line."""

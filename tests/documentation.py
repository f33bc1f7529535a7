"""The folders of Debian's documentation packages."""

from __future__ import annotations

from pathlib import Path

from tests import needs

SITES = {"apache2-doc": "apache2-doc/manual", "aptitude-doc-ru": "aptitude/html"}
"""Where a package's pages begin, if not beside the page of `needs.DOCUMENTATION`."""


def site_of(package: str) -> Path:
    """Return where a package's pages are; skip the test without them, in CI fail.

    Parameters
    ----------
    package : str
        A key of `needs.DOCUMENTATION`.
    """
    page = needs.need(package)
    return needs.TOP / SITES[package] if package in SITES else page.parent

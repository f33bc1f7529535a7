"""Where Debian's documentation packages have their HTML, and whether a test can use it.

A folder may be there without the package: ``/usr/share/doc/sqlite3`` belongs to the package
``sqlite3`` as well as to ``sqlite3-doc``. So a test looks for a page.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

TOP = Path("/usr/share/doc")

DOCUMENTATION = {
    "python3-doc": "python3-doc/html/index.html",
    "sqlite3-doc": "sqlite3/index.html",
    "git-doc": "git-doc/git.html",
    "postgresql-doc-15": "postgresql-doc-15/html/index.html",
    "apache2-doc": "apache2-doc/manual/en/index.html",
    "libxml2-doc": "libxml2/html/index.html",
    "aptitude-doc-ru": "aptitude/html/ru/index.html",
}
"""Debian's packages of real HTML: written by hand, by Sphinx, DocBook, AsciiDoc and others, in many
languages and several encodings. For each, a page of it below `TOP`."""

SITES = {"apache2-doc": "apache2-doc/manual", "aptitude-doc-ru": "aptitude/html"}
"""Where a package's pages begin, if not beside the page of `DOCUMENTATION`."""


def site_of(package: str) -> Path:
    """Return where a package's pages are; skip the test without them, in CI fail.

    Parameters
    ----------
    package : str
        A key of `DOCUMENTATION`.
    """
    page = TOP / DOCUMENTATION[package]
    if not page.is_file():
        why = f"needs the Debian package {package}: there is no {page}"
        if os.environ.get("CI") == "true":
            pytest.fail(why)
        pytest.skip(why)
    return TOP / SITES[package] if package in SITES else page.parent

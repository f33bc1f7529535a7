"""A real browser, and the studio as a process: what the tests of the studio in a browser share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.needs import need

from .test_command import ROOT, studio

__all__ = ["ROOT", "WAIT", "browser", "chromium", "studio"]

WAIT = 60_000.0
"""Milliseconds to wait for what must come; a machine may be busy."""


def chromium() -> str:
    """Return where Debian's chromium is; skip the test without it, in CI fail."""
    return str(need("chromium"))


@contextmanager
def browser() -> Iterator[Any]:
    """Yield a browser without a screen."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=options)
        try:
            yield found
        finally:
            found.close()

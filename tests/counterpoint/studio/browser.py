"""A real browser for tests of the studio, which then runs as a process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.needs import need

from .test_command import ROOT, studio

__all__ = ["ROOT", "WAIT", "browser", "chromium", "eventually", "studio"]

WAIT = 60_000.0
"""Milliseconds to wait for what must come; a machine may be busy."""


def chromium() -> str:
    """Return the path of Debian's chromium; without it skip the test, or fail if ``CI=true``."""
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


def eventually(locator: Any) -> Any:
    """Return Playwright's assertions about a locator, which wait until they hold.

    ``page.wait_for_function`` is no choice: the studio's Content-Security-Policy stops what it
    evaluates again and again in the page, so it works only if the first look succeeds.
    """
    from playwright.sync_api import expect

    return expect(locator)

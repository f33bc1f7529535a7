"""A real browser, and the studio as a process: what the tests of the studio in a browser share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from .test_command import ROOT, studio

__all__ = ["ROOT", "WAIT", "browser", "chromium", "studio"]

WAIT = 60_000.0
"""Milliseconds to wait for what must come; a machine may be busy."""


def chromium() -> str:
    """Return where Debian's chromium is; skip the test without it, but not where ``CI=true``."""
    found = shutil.which("chromium")
    if found is None and os.environ.get("CI") != "true":
        pytest.skip("there is no chromium")
    assert found is not None, "there is no chromium: install Debian's package"
    return found


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

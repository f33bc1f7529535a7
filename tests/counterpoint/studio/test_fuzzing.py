"""Drawn requests, a few each time; `fuzzing.py` sends more of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from counterpoint.studio.serving import ROUTES
from tests.needs import need

from . import drawing

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.long
@pytest.mark.parametrize("options", [["--seed", "2"], ["--seed", "3", "--postgresql"]])
def test_drawn_requests(options: list[str]) -> None:
    """An error 500, a traceback, a slow answer, or a refused request that changes the store.

    PostgreSQL refuses texts and numbers that SQLite takes. The requests are drawn in a process of
    their own, since Hypothesis draws other ones where other modules are loaded.
    """
    if "--postgresql" in options:
        need("postgresql")
    command = [sys.executable, "-m", "tests.counterpoint.studio.fuzzing", "--requests", "150"]
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True,
                          check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    counts = {int(status): int(number)
              for status, number in re.findall(r"(\d+): (\d+)[,;]", done.stdout)}  # fmt: skip
    assert sum(counts.values()) >= 150, done.stdout
    assert counts[200] > 5 and counts[303] > 5, done.stdout
    assert sum(number for status, number in counts.items() if status >= 400) > 20, done.stdout


def test_every_route_is_drawn() -> None:
    """A new form that no request ever reaches."""
    for method, known in (("POST", drawing.POSTS), ("GET", drawing.GETS)):
        for route in ROUTES:
            if route.method == method:
                resource = _resource(route.path)
                assert any(resource.match(path) for path, _ in known), route.path


def _resource(path: str) -> re.Pattern[str]:
    """Return the pattern of the paths of a route: a part in braces may have one of its own."""
    parts = re.split(r"\{(\w+:?(?:[^{}]|\{[^{}]*\})*)\}", path)
    parts[1::2] = [part.partition(":")[2] or "[^/]+" for part in parts[1::2]]
    return re.compile("".join(f"(?:{part})" for part in parts) + "$")

"""SECURITY.md: each promise names tests, and they exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def promises(page: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the promises of a page, each with its tests: the file, and the name."""
    found = []
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[0] not in ("Promise", "---"):
            found.append((cells[0], _NAMED.findall(cells[-1])))
    return found


def names_in(path: Path) -> set[str]:
    """Return the names of the functions of a file."""
    tree = ast.parse(path.read_text())
    return {
        one.name for one in tree.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_each_promise_names_tests_that_exist() -> None:
    """A promise that no test holds any longer, because it was renamed, moved or deleted."""
    found = promises((ROOT / "SECURITY.md").read_text())
    assert len(found) > 20
    assert [promise for promise, tests in found if not tests] == []
    named = {test for _, tests in found for test in tests}
    assert {(file, name) for file, name in named if name not in names_in(ROOT / file)} == set()


def test_a_promise_without_a_test_is_noticed() -> None:
    """A reader of the page that finds tests where there are none."""
    page = (
        "| Promise | Held by |\n|---|---|\n| One. | `tests/a.py::test_b`, `c` |\n| Two. | soon |\n"
    )
    assert promises(page) == [("One.", [("tests/a.py", "test_b")]), ("Two.", [])]

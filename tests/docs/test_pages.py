"""Every code block of the documents does what its page says; there is one test per page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.needs import need
from tests.postgres import Server

from .blocks import PageError, read_page
from .running import ROOT, PageFailure, run_page

NOT_CONVERTED: set[str] = set()
"""Pages that have not been converted to the conventions yet, and so are not run."""

NOT_RUN: dict[str, list[str]] = {
    "CONTRIBUTING.md": ["CI runs these targets"],
    "docs/tutorials/first-spec.md": ["the tests have it installed"],
    "docs/tutorials/first-policy.md": ["the tests have it installed"],
    "docs/tutorials/judge-a-crawler.md": ["the tests have it installed"],
    "docs/tutorials/is-my-memory-opaque.md": ["the tests have it installed"],
    "README.md": [
        "installs into the reader's environment; .ci/wheel installs the wheel",
        ".ci/run runs both",
    ],
    "docs/how-to/compare-policies.md": ["needs a Dask cluster"],
    "docs/how-to/keep-pages-fresh.md": ["needs the Web, and does not end"],
    "docs/how-to/search-for-a-topic.md": ["needs the Debian packages python3-doc and git-doc"],
    "docs/how-to/studio.md": ["needs a second machine"],
    "docs/explanation/what-memories-promise.md": ["it shows an error of gcc 12.2"],
}
"""The reasons of all blocks that the tests do not run, by page."""


def pages() -> list[str]:
    """Return the paths of all pages, without those that only link to another one."""
    tops = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
    found = [path for path in tops if path.is_file()]
    found += sorted(path for path in (ROOT / "docs").rglob("*.md") if not path.is_symlink())
    return [str(path.relative_to(ROOT)) for path in found]


RUN_ELSEWHERE = {"docs/reference/json-formats.md"}
"""Pages that another test runs, which also checks the files that they write."""


def _parameters() -> list[object]:
    found = []
    for name in pages():
        if name not in NOT_CONVERTED | RUN_ELSEWHERE:
            text = (ROOT / name).read_text()
            marks = [
                getattr(pytest.mark, one) for one in ("slow", "long") if f"<!-- {one} -->" in text
            ]
            found.append(pytest.param(name, marks=marks, id=name))
    return found


@pytest.mark.parametrize("name", _parameters())
def test_page(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """A command, an output or a program of a page that is no longer true."""

    def database() -> str:
        server: Server = request.getfixturevalue("postgres")
        return server.database()

    problem = ""
    try:
        page = read_page((ROOT / name).read_text())
        for package in page.needs:
            need(package)
        run_page(name, page, tmp_path, database)
    except PageFailure as failure:
        problem = str(failure)
    except PageError as error:
        problem = f"{name}: {error}"
    if problem:
        pytest.fail(problem, pytrace=False)


def test_exemptions_are_listed() -> None:
    """A block that is silently excluded from the tests."""
    found = {}
    for name in set(pages()) - NOT_CONVERTED:
        blocks = read_page((ROOT / name).read_text()).blocks
        if reasons := [block.not_run for block in blocks if block.not_run is not None]:
            found[name] = reasons
    assert found == NOT_RUN


def test_pages_that_are_not_converted_exist() -> None:
    """A page that was moved and is still in the list."""
    assert set(pages()) >= NOT_CONVERTED

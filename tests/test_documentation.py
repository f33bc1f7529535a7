"""Tests that need something from outside run where it is, and only there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import counterpoint
from counterpoint.models.checking.engines import check
from counterpoint.models.explore.exhaustive import explore
from counterpoint.models.loading import load
from tests import needs
from tests.documentation import site_of
from tests.needs import DOCUMENTATION, NEEDS, PROGRAMS, SOURCES, SUITES, find


@pytest.fixture
def without_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the folders of all packages, and no page in them, as other packages do."""
    monkeypatch.setattr(needs, "TOP", tmp_path)
    for page in DOCUMENTATION.values():
        (tmp_path / page).parent.mkdir(parents=True)


@pytest.mark.parametrize("package", DOCUMENTATION)
def test_a_folder_without_pages_is_not_the_package(
    package: str, without_pages: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian's sqlite3 taken for sqlite3-doc: tests that find 0 pages on a machine like any."""
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=f"package {package}: there is no "):
        site_of(package)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=package):
        site_of(package)


def test_ci_installs_each_package_by_the_page_that_tests_look_for() -> None:
    """CI that takes a folder for the package as well, and so never installs it."""
    script = Path(".ci/run").read_text()
    for package, page in DOCUMENTATION.items():
        assert f"page_of {package} {page}\n" in script
    for package, file in SUITES.items():
        assert f"suite_of {package} {file}\n" in script
    for archive in SOURCES.values():
        pinned = archive.removesuffix(".tar.gz").replace("-", "==")
        assert f"\n{pinned} --hash=" in Path("tests/standards/sources.txt").read_text()
    for program in PROGRAMS:
        assert f"command -v {program} " in script
    assert "command -v gcc " in script
    assert "postgresql/*/bin/initdb" in script


def test_what_is_denied_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare machine that is none: tests that look elsewhere for what they need."""
    monkeypatch.setenv("COUNTERPOINT_TESTS_DENY", "all")
    assert [find(package) for package in NEEDS] == [None] * len(NEEDS)


def test_only_one_module_looks_for_what_tests_need() -> None:
    """Another place that decides whether a test is skipped, which CI cannot deny."""
    folder = Path(__file__).parent
    looks = {
        str(path.relative_to(folder))
        for path in folder.rglob("*.py")
        if re.search(r"shutil\.which|/usr/share/doc|/usr/lib/postgresql", path.read_text())
    }
    assert looks <= {"needs.py", "test_documentation.py"}


def test_the_reference_of_the_notation(tmp_path: Path) -> None:
    """An example that is wrong, and a name of the notation that the reference leaves out."""
    page = Path("docs/reference/notation.md").read_text()
    [source] = re.findall(r"```python title=\"ticket.py\"\n(.*?)```", page, re.DOTALL)
    (tmp_path / "ticket.py").write_text(source)
    model = load(str(tmp_path / "ticket.py"))
    found = check(model, "exhaustive")
    assert {v.answer for v in found} == {"holds"}
    assert "no-deadlock" not in {v.claim.name for v in found}
    assert len(explore(model).states) == 54
    assert "tries all 54 states" in page
    written_with = {name for name in counterpoint.__all__ if name.islower() or name == "ANY"}
    written_with |= {"Array", "Boolean", "Choice", "Index", "Integer", "Member", "Number", "Spec"}
    assert {name for name in written_with if not re.search(rf"\b{name}\b", page)} == set()


RANGES = """\
from enum import IntEnum
from counterpoint import Array, Index, Integer, Reference, Spec, action, invariant, require

class Nobody(IntEnum):
    GONE, NOBODY = -2, -1

class Requires(Spec):
    cells = Index(2, names="c")
    k = Integer(0, 3)
    f = Array(cells, Integer(0, 3))
    who = Reference(cells, Nobody)

    @action
    def step(s):
        REQUIRE
        s.k = s.k + 1

    @invariant
    def as_it_began(s):
        return s.who == Nobody.GONE
"""


@pytest.mark.parametrize(
    ("text", "answer"),
    [("require(s.k < 1, s.f[s.k + 1] == 0)", "violated"),
     ("require(s.k < 1 and s.f[s.k + 1] == 0)", "holds"),
     ("require(s.k < 1); require(s.f[s.k + 1] == 0)", "holds")],
)  # fmt: skip
def test_what_the_reference_says_of_require(text: str, answer: str, tmp_path: Path) -> None:
    """A false sentence of the reference: which parts are evaluated, where variables begin."""
    (tmp_path / "mine.py").write_text(RANGES.replace("REQUIRE", text))
    found = {v.claim.name: v.answer for v in check(load(str(tmp_path / "mine.py")), "exhaustive")}
    assert found == {"ranges": answer, "as-it-began": "holds"}

"""An edit changes the verdict: of the file, of a module that it imports, or of a named module."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from counterpoint.models.importing.user_modules import source_files_of
from counterpoint.models.loading import find
from counterpoint.models.sweeps.results import source

from .check import HEAD, in_a_process

TEXT = """\
from limit import LIMIT

class Theirs(Spec):
    n = Integer(0, 3)
    way = Choice("up", "down")

    @action
    def go(s): s.n = (s.n + 1) % 4

    @invariant
    def claim(s): return s.n <= LIMIT
"""


def test_an_edit_of_equal_length_within_a_second(tmp_path: Path) -> None:
    """The verdict on the previous text, which Python had cached as bytecode."""
    for name in ("theirs.py:Theirs", "theirs:Theirs"):
        (tmp_path / "theirs.py").write_text(HEAD + TEXT)
        for limit, code in ((3, 0), (2, 1), (3, 0)):
            for file, text in (("limit.py", f"LIMIT = {limit}\n"), ("theirs.py", HEAD + TEXT)):
                (tmp_path / file).write_text(text)
                os.utime(tmp_path / file, (1_000_000, 1_000_000))
            found = in_a_process(tmp_path, "check", name, "--property", "claim")
            assert found.returncode == code, found.stdout + found.stderr


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of a user with a spec that imports in several ways."""
    folder = tmp_path / "theirs_of_texts"
    (folder / "inner").mkdir(parents=True)
    files = {
        "__init__.py": "", "inner/__init__.py": "", "inner/deep.py": "DEEP = 1\n",
        "inner/near.py": "from .deep import DEEP\n", "late.py": "LATE = 1\n",
        "model.py": HEAD + "from .inner import near\nfrom . import inner\n"
        "class Theirs(Spec):\n"
        "    n = Integer(0, 3)\n"
        "    @action\n"
        "    def go(s):\n"
        "        from theirs_of_texts.late import LATE\n"
        "        s.n = LATE\n",
    }  # fmt: skip
    for name, text in files.items():
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def test_results_depend_on_imported_modules(theirs: Path) -> None:
    """Results of a text that has changed in the meantime, reported for the new text."""
    reference = "theirs_of_texts.model:Theirs"
    behind = {p.relative_to(theirs).as_posix() for p in source_files_of(find(reference))}
    assert behind == {"__init__.py", "inner/__init__.py", "inner/deep.py", "inner/near.py",
                      "late.py", "model.py"}  # fmt: skip
    known = {source(reference)}
    for name in sorted(behind):
        (theirs / name).write_text((theirs / name).read_text() + "# changed\n")
        now = source(reference)
        assert now not in known, name
        known.add(now)

"""Files whose import does not end: they are named, and nothing waits for ever."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterpoint.models.importing import watched_imports
from counterpoint.models.loading import find, load
from counterpoint.spec.notation import SpecError

GOOD = """\
from counterpoint import Integer, Spec, action, invariant


class Stairs(Spec):
    step = Integer(0, 1)

    @action
    def up(s):
        s.step = 1

    @invariant
    def low(s):
        return s.step <= 1
"""


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Make the limits short; if nothing is interrupted, a test ends all the same."""
    monkeypatch.setattr(watched_imports, "LIMIT", 0.5)
    monkeypatch.setattr(watched_imports, "PATIENCE", 20)
    monkeypatch.setattr(watched_imports, "_FOUND", {})
    monkeypatch.chdir(tmp_path)
    yield
    for name in [name for name in sys.modules if name.startswith("endless")]:
        del sys.modules[name]


BOUND = "import time\nend = time.monotonic() + 30\n"
"""A loop of the tests ends after half a minute, and then the import succeeds."""


@pytest.mark.parametrize(
    ("text", "line", "how"),
    [
        ("while time.monotonic() < end: pass\n", 3, "after 0.5 s of processor time"),
        ("time.sleep(30)\n", 3, "within 10 s"),
        ("while time.monotonic() < end:\n    try:\n        1 / 0\n    except Exception: pass\n",
         None, "after 0.5 s of processor time"),
        ("import endless_helper\n", None, "endless_helper.py:3: its import did not end"),
    ],
    ids=["loop", "sleep", "except", "helper"],
)  # fmt: skip
def test_an_import_that_does_not_end_is_named(
    tmp_path: Path, text: str, line: int | None, how: str
) -> None:
    """A gate or a check that waits for ever, without a word, for one file."""
    (tmp_path / "endless_helper.py").write_text(BOUND + "while time.monotonic() < end: pass\n")
    (tmp_path / "a_spec.py").write_text(BOUND + text + GOOD)
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(SpecError) as caught:
        load("a_spec.py")
    assert how in str(caught.value)
    assert line is None or str(caught.value).startswith(f"a_spec.py:{line}: ")
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before


def test_the_import_of_a_module_is_watched_too(tmp_path: Path) -> None:
    """A spec that is named as ``module:Class``, and is waited for without end."""
    text = BOUND + "while time.monotonic() < end: pass\n" + GOOD
    (tmp_path / "endless_module.py").write_text(text)
    with pytest.raises(SpecError, match=r"endless_module.py:3: its import did not end"):
        find("endless_module:Stairs")


def test_compiling_does_not_count(tmp_path: Path) -> None:
    """A file that is refused where Numba compiles for its first use."""
    loop = "while time.monotonic() < end: pass"
    busy = f"exec({loop!r}, globals() | {{'__name__': 'numba.core'}})\n"
    (tmp_path / "a_spec.py").write_text(BOUND.replace("30", "1.5") + busy + GOOD)
    assert load("a_spec.py").properties


def test_it_is_tried_again_when_the_file_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gate that waits once for each engine; a file that stays refused after it was mended."""
    path = tmp_path / "a_spec.py"
    path.write_text(BOUND + "while time.monotonic() < end: pass\n" + GOOD)
    with pytest.raises(SpecError) as first:
        load("a_spec.py")
    monkeypatch.setattr(watched_imports, "LIMIT", 1000.0)  # a second try would succeed, later
    with pytest.raises(SpecError) as second:
        load("a_spec.py")
    assert str(first.value) == str(second.value)
    path.write_text(GOOD)
    os.utime(path, ns=(1, 1))
    assert load("a_spec.py").properties

"""What stands beside a spec in a user's folder, and has a name that others have too."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from counterpoint.models.checking.engines import check
from counterpoint.models.loading import load
from counterpoint.models.texts import files_behind
from counterpoint.spec.notation import SpecError

SPEC = """\
from counterpoint import Integer, Spec, action, invariant, require
from its_helper import LARGEST
from its_package.limits import LIMIT

class Stairs(Spec):
    step = Integer(0, 9)

    @action
    def up(s):
        require(s.step < LIMIT)
        s.step = s.step + 1

    @invariant
    def not_too_high(s):
        return s.step <= LARGEST
"""


def written(folder: Path, largest: int, limit: int) -> str:
    """Write a spec with a helper and a package beside it; return its path."""
    package = folder / "its_package"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "limits.py").write_text(f"LIMIT = {limit}\n")
    (folder / "its_helper.py").write_text(f"LARGEST = {largest}\n")
    (folder / "mine.py").write_text(SPEC)
    return str(folder / "mine.py")


@pytest.fixture(autouse=True)
def forgotten() -> object:
    """Leave no module of these tests to other tests."""
    yield
    for name in [m for m in sys.modules if m.startswith(("its_helper", "its_package"))]:
        del sys.modules[name]


def answer(path: str) -> str:
    """Return the verdict on the claim."""
    model = load(path)
    [found] = check(model, "exhaustive", wanted=[model.property_named("not-too-high")])
    return found.answer


def test_two_specs_have_each_their_own_helper(tmp_path: Path) -> None:
    """A false verdict: the second spec checked with what the first one imports."""
    right = written(tmp_path / "right", 3, 3)
    wrong = written(tmp_path / "wrong", 2, 3)
    other = written(tmp_path / "other", 2, 2)
    assert [answer(path) for path in (right, wrong, other, wrong, right)] == [
        "holds", "violated", "holds", "violated", "holds"
    ]  # fmt: skip


@pytest.mark.parametrize("where", ["action", "helper"])
def test_an_import_within_a_function_is_refused(where: str, tmp_path: Path) -> None:
    """A false verdict: an import that is looked for in the present folder when a step is taken."""
    path = written(tmp_path / "a", 3, 3)
    if where == "action":
        text = SPEC.replace("    def up(s):\n", "    def up(s):\n        import its_helper\n")
        said = r"mine\.py:10: in up: import its_helper within a function"
    else:
        (tmp_path / "a" / "its_helper.py").write_text(
            "LARGEST = 3\ndef most():\n    from its_package import limits\n    return 3\n"
        )
        text = SPEC.replace("import LARGEST", "import LARGEST, most").replace(
            "= LARGEST", "= most()"
        )
        said = r"its_helper\.py:3: in most: from its_package import limits within a function"
    (tmp_path / "a" / "mine.py").write_text(text)
    with pytest.raises(SpecError, match=said):
        answer(path)


def test_a_spec_of_a_package_in_the_present_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A spec that has no name under which it can be checked."""
    written(tmp_path, 2, 3)
    (tmp_path / "its_package" / "spec.py").write_text(SPEC.replace("its_package.limits", ".limits"))
    monkeypatch.chdir(tmp_path)
    assert answer("its_package.spec:Stairs") == "violated"
    with pytest.raises(SpecError, match=r"name a spec of a package as package\.module:Class"):
        answer("its_package/spec.py")


def test_what_a_file_prints_is_no_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON that begins with what the user's file prints."""
    path = written(tmp_path / "a", 2, 3)
    (tmp_path / "a" / "its_helper.py").write_text("print('hello')\nLARGEST = 2\n")
    assert answer(path) == "violated"
    assert capsys.readouterr().out == ""


def test_a_helper_of_another_folder_is_not_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A false verdict: what the first spec imported stands in for what is elsewhere, or nowhere."""
    first = written(tmp_path / "first", 3, 3)
    second = written(tmp_path / "second", 3, 3)
    (tmp_path / "its_helper.py").write_text("LARGEST = 2\n")
    (tmp_path / "second" / "its_helper.py").unlink()
    monkeypatch.chdir(tmp_path)
    assert [answer(path) for path in (first, second)] == ["holds", "violated"]
    (tmp_path / "its_helper.py").unlink()
    assert answer(first) == "holds"
    with pytest.raises(SpecError, match="No module named 'its_helper'"):
        answer(second)
    for name in ("first", "second"):  # packages without __init__.py
        (tmp_path / name / "its_package" / "__init__.py").unlink()
        (tmp_path / name / "its_helper.py").write_text("LARGEST = 2\n")
    (tmp_path / "second" / "its_package" / "limits.py").write_text("LIMIT = 2\n")
    assert [answer(path) for path in (first, second)] == ["violated", "holds"]


def test_a_helper_that_is_gone_is_no_error(tmp_path: Path) -> None:
    """An error since the folder of an earlier spec was removed."""
    first = written(tmp_path / "first", 3, 3)
    assert answer(first) == "holds"
    shutil.rmtree(tmp_path / "first")
    assert answer(written(tmp_path / "second", 2, 3)) == "violated"


def test_results_depend_on_what_stands_beside_a_spec(tmp_path: Path) -> None:
    """Results of an earlier run, served though the helper was changed."""
    path = written(tmp_path / "a", 3, 3)
    files = {p.name for p in files_behind(type(load(path).spec))}
    assert files == {"mine.py", "its_helper.py", "limits.py", "__init__.py"}


def test_a_program_of_the_user_is_not_forgotten(tmp_path: Path) -> None:
    """Processes that fail since the folder has a ``__main__.py``."""
    (tmp_path / "__main__.py").write_text("")
    before = sys.modules["__main__"]
    assert answer(written(tmp_path / "a", 3, 3)) == "holds"
    assert answer(written(tmp_path, 3, 3)) == "holds"
    assert sys.modules["__main__"] is before


@pytest.mark.parametrize(
    ("text", "said"),
    [("import sys; sys.exit(0)", "its_package.wrong:A: SystemExit: 0"),
     ("1 / 0", "ZeroDivisionError"), ("def (", "SyntaxError"), ("", "no attribute 'A'")],
)  # fmt: skip
def test_a_module_of_the_user_that_fails(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module that ends the process as if all held, or with a traceback."""
    written(tmp_path, 3, 3)
    (tmp_path / "its_package" / "wrong.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError, match=said):
        load("its_package.wrong:A")


def test_the_path_of_the_process_is_as_before(tmp_path: Path) -> None:
    """A folder of the user's that stays on the path, before installed packages."""
    before = sys.path[:]
    load(written(tmp_path / "a", 3, 3))
    assert sys.path == before
    (tmp_path / "a" / "mine.py").write_text("raise RuntimeError('no')")
    with pytest.raises(SpecError, match=r"mine\.py:1: RuntimeError: no"):
        load(str(tmp_path / "a" / "mine.py"))
    assert sys.path == before

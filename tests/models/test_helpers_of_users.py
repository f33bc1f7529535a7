"""Helper modules next to a user's spec, whose names other folders use too."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from counterpoint.models.checking.engines import check
from counterpoint.models.importing.user_modules import source_files_of
from counterpoint.models.loading import load, mutants
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
    """Write a spec with a helper module and a package next to it; return the spec's path."""
    package = folder / "its_package"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "limits.py").write_text(f"LIMIT = {limit}\n")
    (folder / "its_helper.py").write_text(f"LARGEST = {largest}\n")
    (folder / "mine.py").write_text(SPEC)
    return str(folder / "mine.py")


@pytest.fixture(autouse=True)
def forgotten() -> object:
    """Remove the modules of these tests from ``sys.modules`` after each test."""
    yield
    for name in [m for m in sys.modules if m.startswith(("its_helper", "its_package"))]:
        del sys.modules[name]


def answer(path: str) -> str:
    """Return the verdict on the claim."""
    model = load(path)
    [found] = check(model, "exhaustive", wanted=[model.property_named("not-too-high")])
    return found.answer


def test_two_specs_have_each_their_own_helper(tmp_path: Path) -> None:
    """A false verdict because the second spec is checked with the first one's helper."""
    right = written(tmp_path / "right", 3, 3)
    wrong = written(tmp_path / "wrong", 2, 3)
    other = written(tmp_path / "other", 2, 2)
    assert [answer(path) for path in (right, wrong, other, wrong, right)] == [
        "holds", "violated", "holds", "violated", "holds"
    ]  # fmt: skip


@pytest.mark.parametrize("where", ["action", "helper"])
def test_an_import_within_a_function_is_refused(where: str, tmp_path: Path) -> None:
    """A false verdict because an import within an action finds a module elsewhere."""
    path = written(tmp_path / "a", 3, 3)
    if where == "action":
        text = SPEC.replace("    def up(s):\n", "    def up(s):\n        import its_helper\n")
        message = r"mine\.py:10: in up: import its_helper within a function"
    else:
        (tmp_path / "a" / "its_helper.py").write_text(
            "LARGEST = 3\ndef most():\n    from its_package import limits\n    return 3\n"
        )
        text = SPEC.replace("import LARGEST", "import LARGEST, most").replace(
            "= LARGEST", "= most()"
        )
        message = r"its_helper\.py:3: in most: from its_package import limits within a function"
    (tmp_path / "a" / "mine.py").write_text(text)
    with pytest.raises(SpecError, match=message):
        answer(path)


def test_a_spec_of_a_package_in_the_present_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A spec in a package that cannot be named on the command line."""
    written(tmp_path, 2, 3)
    (tmp_path / "its_package" / "spec.py").write_text(SPEC.replace("its_package.limits", ".limits"))
    monkeypatch.chdir(tmp_path)
    assert answer("its_package.spec:Stairs") == "violated"
    with pytest.raises(SpecError, match=r"name a spec of a package as package\.module:Class"):
        answer("its_package/spec.py")


def test_what_a_file_prints_is_no_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON that begins with text that the user's file prints."""
    path = written(tmp_path / "a", 2, 3)
    (tmp_path / "a" / "its_helper.py").write_text("print('hello')\nLARGEST = 2\n")
    assert answer(path) == "violated"
    assert capsys.readouterr().out == ""


def test_a_helper_of_another_folder_is_not_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A false verdict because a helper of the first spec is used for the second."""
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
    """An error because the folder of an earlier spec was removed."""
    first = written(tmp_path / "first", 3, 3)
    assert answer(first) == "holds"
    shutil.rmtree(tmp_path / "first")
    assert answer(written(tmp_path / "second", 2, 3)) == "violated"


def test_results_depend_on_what_stands_beside_a_spec(tmp_path: Path) -> None:
    """Cached results that are used although a helper has changed."""
    path = written(tmp_path / "a", 3, 3)
    files = {p.name for p in source_files_of(type(load(path).spec))}
    assert files == {"mine.py", "its_helper.py", "limits.py", "__init__.py"}


def test_a_program_of_the_user_is_not_forgotten(tmp_path: Path) -> None:
    """Worker processes that fail because the folder has a ``__main__.py``."""
    (tmp_path / "__main__.py").write_text("")
    before = sys.modules["__main__"]
    assert answer(written(tmp_path / "a", 3, 3)) == "holds"
    assert answer(written(tmp_path, 3, 3)) == "holds"
    assert sys.modules["__main__"] is before


@pytest.mark.parametrize(
    ("text", "message"),
    [("import sys; sys.exit(0)", "its_package.wrong:A: SystemExit: 0"),
     ("1 / 0", "ZeroDivisionError"), ("def (", "SyntaxError"), ("", "no attribute 'A'")],
)  # fmt: skip
def test_a_module_of_the_user_that_fails(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failing module that ends the process with exit code 0, or with a traceback."""
    written(tmp_path, 3, 3)
    (tmp_path / "its_package" / "wrong.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError, match=message):
        load("its_package.wrong:A")


def test_the_path_of_the_process_is_as_before(tmp_path: Path) -> None:
    """A folder of the user that stays on ``sys.path``, before installed packages."""
    before = sys.path[:]
    load(written(tmp_path / "a", 3, 3))
    assert sys.path == before
    (tmp_path / "a" / "mine.py").write_text("raise RuntimeError('no')")
    with pytest.raises(SpecError, match=r"mine\.py:1: RuntimeError: no"):
        load(str(tmp_path / "a" / "mine.py"))
    assert sys.path == before


def test_a_class_that_a_file_imports_can_be_named(tmp_path: Path) -> None:
    """A file that imports specs from a package, none of which can be checked."""
    path = written(tmp_path / "a", 3, 3)
    (tmp_path / "a" / "all_of_them.py").write_text(
        "from counterpoint import Spec\nfrom mine import *\n"
    )
    name = type(load(path).spec).__name__
    assert answer(f"{tmp_path}/a/all_of_them.py:{name}") == "holds"
    with pytest.raises(SpecError, match="defines no spec 'Spec'"):
        load(f"{tmp_path}/a/all_of_them.py:Spec")


@pytest.mark.parametrize("text", ["import queue", "from queue import Queue"])
def test_a_helper_with_the_name_of_a_module_of_python(text: str, tmp_path: Path) -> None:
    """A helper that is silently not used because Python has a module of that name."""
    path = Path(written(tmp_path, 3, 3))
    path.write_text(f"{text}\n{path.read_text()}")
    assert answer(str(path)) == "holds"
    (tmp_path / "queue.py").write_text("Queue = 3\n")
    with pytest.raises(SpecError, match=r"mine\.py:1: imports queue, .*; rename queue\.py"):
        load(str(path))


@pytest.mark.parametrize("place", ["queue.py", "queue/__init__.py"])
def test_a_helper_of_a_helper_with_the_name_of_a_module_of_python(
    place: str, tmp_path: Path
) -> None:
    """A helper that is not used, without a word, since another helper imports it."""
    path = written(tmp_path, 3, 3)
    with (tmp_path / "its_helper.py").open("a") as helper:
        helper.write("import queue\n")
    assert answer(path) == "holds"
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_text("Queue = 3\n")
    with pytest.raises(SpecError, match=rf"its_helper\.py:2: imports queue, .*; rename {place}"):
        load(path)


def test_an_import_for_types_only_hides_nothing(tmp_path: Path) -> None:
    """A file that is refused for an import that never happens."""
    path = Path(written(tmp_path, 3, 3))
    guard = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import queue\n"
    path.write_text(f"{guard}{path.read_text()}")
    (tmp_path / "queue.py").write_text("Queue = 3\n")
    assert answer(str(path)) == "holds"


def test_a_file_that_no_parser_reads(tmp_path: Path) -> None:
    """An error of the parser that ends as unknown, or with a traceback."""
    path = tmp_path / "deep.py"
    path.write_text("x = " + "(" * 5000 + ")" * 5000 + "\n")
    with pytest.raises(SpecError, match=r"deep\.py"):
        load(str(path))


def test_a_folder_with_a_colon(tmp_path: Path) -> None:
    """A path that is cut off at a colon in a folder's name."""
    path = written(tmp_path / "a:b", 3, 3)
    assert answer(path) == "holds"
    assert answer(f"{path}:{type(load(path).spec).__name__}") == "holds"


def test_a_file_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message that does not say where the missing file was looked for."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError, match=f"there is no file mine.py in {tmp_path}"):
        load("mine.py:A")


MUTANTS_ELSEWHERE = """\
from counterpoint import mutant, require
from mine import NAME

@mutant(killed={"KILLER": 1})
class Hasty(NAME):
    \"\"\"It does nothing.\"\"\"
    def ACTION(s):
        require(False)
"""


def test_mutants_in_another_file_than_their_spec(tmp_path: Path) -> None:
    """Mutants of a user that are never run, while the command says that all are killed."""
    path = written(tmp_path / "a", 3, 3)
    model = load(path)
    name, action = type(model.spec).__name__, model.actions[0]
    text = MUTANTS_ELSEWHERE.replace("NAME", name).replace("KILLER", model.properties[0].name)
    (tmp_path / "a" / "slips.py").write_text(text.replace("ACTION", action.name.replace("-", "_")))
    assert set(mutants(f"{tmp_path}/a/slips.py:{name}")) == {"hasty"}
    assert load(f"{tmp_path}/a/slips.py:{name}/hasty").name.endswith("/hasty")
    assert mutants(path) == {}


def test_a_byte_that_is_no_text_is_refused_in_one_line(tmp_path: Path) -> None:
    """A message that contains the whole file, as Python quotes it then."""
    path = tmp_path / "mine.py"
    path.write_bytes(b'"""\n\x80 a spec"""\n\nimport os\n')
    with pytest.raises(SpecError, match=r"SyntaxError: \(unicode error\)") as caught:
        load(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("reference", ["[" * 5_000, "a" * 5_000 + ".py", "a/" * 3_000 + "b.py:C"])
def test_a_name_that_no_file_can_have_is_that_of_no_spec(reference: str) -> None:
    """An error of the system for the name of a spec, as in a file of recorded counterexamples."""
    with pytest.raises(SpecError, match=r"^there is no (spec|file) "):
        load(reference)

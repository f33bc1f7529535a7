"""Obligations as files: which folders they are written to, and their names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import z3

from counterpoint.models.checking import engines
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.models.prove import second_opinion
from counterpoint.models.prove.second_opinion import Opinion
from counterpoint.models.symbolic.obligations import file_name, recording
from tests.counterpoint.test_command_line import call


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The present folder, with a file in it."""
    (tmp_path / "a-file").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_z3_does_not_decide_is_not_asked(here: Path) -> None:
    """An answer that no verdict rests on, counted as confirmed or unconfirmed."""
    model = load("peterson")
    with recording(model, here / "asked") as book:
        book.record("nothing", [z3.Int("x") * z3.Int("y") == 7], z3.unknown)
        assert second_opinion.opinion(book.found, "cvc5", Limits()) == Opinion("cvc5", 0, 0)
    [path] = (here / "asked").iterdir()
    assert "(set-info :status unknown)" in path.read_text(encoding="utf-8")


def test_names_of_files_are_safe() -> None:
    """A path outside of the folder, a name that Windows refuses, or one that is too long."""
    names = [
        "../../etc/passwd", "a/b(p=é, q=<x>)", "CON", "...", "", " ", "x" * 5000, "line\nbreak",
        "-rf", "a\\b:c*d?e",
    ]  # fmt: skip
    files = [file_name(i, name) for i, name in enumerate(names, start=1)]
    for file in files:
        assert set(file) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")
        assert file[0].isdigit()
        assert len(file) < 200
    assert len(set(files)) == len(files)
    assert files == sorted(files)


def test_an_obligation_asked_again_has_a_name_of_its_own(here: Path) -> None:
    """Two obligations with the same name, one of which is undecided."""
    with recording(load("peterson"), here / "asked") as book:
        for _ in range(3):
            book.record("again", [z3.Bool("b")], z3.sat)
    assert [o.name for o in book.found] == ["again", "again (2)", "again (3)"]
    assert len(list((here / "asked").iterdir())) == 3


def test_files_of_an_earlier_run_are_replaced(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder with the obligations of two runs."""
    asked = ("check", "philosophers", "--set", "philosophers=3", "--engine", "bounded",
             "--property", "ranges", "--smtlib", "asked", "--steps")  # fmt: skip
    for steps, files in (("5", 5), ("2", 2)):
        code, _, err = call(capsys, *asked, steps)
        assert (code, err) == (0, f"asked contains the queries to z3: {files} files\n")
        assert len(list((here / "asked").iterdir())) == files


@pytest.mark.long
@pytest.mark.parametrize("name", ["notes.txt", ".mine", "00099-mine.smt2", "00099-mine.smt2~"])
@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_what_is_not_ours_is_left_alone(
    name: str, kind: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A user's file that is deleted, or a proof that starts before the folder is checked."""
    asked = ("check", "peterson", "--engine", "induction", "--smtlib", "asked")
    assert call(capsys, *asked)[0] == 0
    folder = here / "asked"
    foreign = folder / name
    if kind == "link":
        ours = sorted(folder.iterdir())[0]
        (here / "elsewhere.smt2").write_bytes(ours.read_bytes())
        foreign.symlink_to(here / "elsewhere.smt2")
    elif kind == "folder":
        foreign.mkdir()
    else:
        foreign.write_text("(check-sat)\n")
    before = sorted(folder.iterdir())
    code, out, err = call(capsys, *asked)
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert f"asked contains '{foreign.name}', which is not from an earlier run" in err
    assert sorted(folder.iterdir()) == before


def test_folders_that_cannot_be_written_are_refused(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proof of an hour after which the obligations cannot be written."""
    monkeypatch.setattr(engines, "_by_engine", lambda *_: pytest.fail("it has begun"))
    asked = ("check", "peterson", "--engine", "induction", "--smtlib")
    for place, message in (
        ("a-file", "a-file is not a folder"),
        ("a-file/asked", "there is no folder"),
        ("missing/asked", "there is no folder"),
    ):
        code, out, err = call(capsys, *asked, place)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert message in err
    monkeypatch.setattr(os, "access", lambda *_: False)
    code, _, err = call(capsys, *asked, "asked")
    assert code == 2
    assert "nothing can be written in" in err
    assert not (here / "asked").exists()

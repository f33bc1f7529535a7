"""Output formats of verdicts: characters that XML forbids, and lines of a user's file."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from counterpoint.models.checking.engines import Options, check
from counterpoint.models.importing.files import line_of_user
from counterpoint.models.loading import load
from counterpoint.models.present.formats import JUnitCase, as_junit, clean, command, command_line


def test_junit_holds_any_text() -> None:
    """A control character in a message that makes the whole report unreadable."""
    bad = "a\x00b\x1b[31m\ud800\ufffe<&>\"'"
    case = JUnitCase(bad, "violated", bad, bad, 0.5)
    root = ElementTree.fromstring(as_junit([(bad, [case])]))
    failure = root.find("./testsuite/testcase/failure")
    assert failure is not None
    assert failure.text == failure.get("message") == clean(bad)
    assert clean(bad) == "a\ufffdb\ufffd[31m\ufffd\ufffd<&>\"'"
    assert clean("é\t\n\U0001f600") == "é\t\n\U0001f600"


def test_only_lines_of_a_users_file_are_named() -> None:
    """An error in our code that names a line of the user's file."""
    with pytest.raises(ZeroDivisionError) as caught:
        _ = 1 // 0
    assert line_of_user(caught.value) == ""
    space = {"__name__": "_counterpoint_user_mine"}
    with pytest.raises(ZeroDivisionError) as caught:
        exec(compile("\n\nx = 1 // 0\n", "mine.py", "exec"), space)
    assert line_of_user(caught.value) == "mine.py:3"


def test_what_was_asked_is_asked_again() -> None:
    """A command to reproduce a reduced or a short run that starts another run."""
    model = load("philosophers")
    asked = Options(reduce=("symmetry",), steps=7)
    [found] = check(
        model, "exhaustive", wanted=[model.property_named("no-deadlock")], options=asked
    )
    assert command(found).endswith("--property no-deadlock --reduce symmetry")
    [found] = check(model, "bounded", wanted=[model.property_named("ranges")], options=asked)
    assert command(found).endswith("--engine bounded --steps 7")


def test_a_reproducing_command_has_only_options_that_check_has() -> None:
    """A command that is printed for the user to type, and that the command line refuses."""
    from counterpoint.commands.specs.checking import check_

    known = {name for parameter in check_.params for name in parameter.opts}
    options = Options(
        steps=3, runs=4, seed=5, explorer="python", reduce=("symmetry",), compared=50,
        smtlib=Path("out"), second_solver="cvc5",
    )  # fmt: skip
    printed = command_line("peterson", {"processes": 2}, "bounded", ["x"], options)
    used = {word for word in printed.split() if word.startswith("--")}
    assert used <= known
    assert used >= {"--steps", "--runs", "--seed", "--explorer", "--reduce", "--second-solver"}

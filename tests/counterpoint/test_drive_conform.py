"""``counterpoint drive --conform``: what a user types, every answer, and every error."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.needs import need

from .test_command_line import call
from .walking import COUNTER

Typed = Callable[..., tuple[int, str, str]]

OLD = ["--set", "fetch-and-increment=old"]
NEW_CODE = ["--with", "fetch-and-increment=new"]
READER = ["--set", "programs=r x, r y; w x, w y"]

CODE = """
from functools import partial
from counterpoint.memories import step

class Code:
    def __init__(self, slip=""):
        self.counter, self.slip = 0, slip
        self.copies, self.step = [0, 0], [0, 0]
        self.programs = [partial(self.add, p) for p in (0, 1)]
    def add(self, p):
        step("look" if self.slip == "other-name" else "read", p=p)
        self.copies[p] = self.counter
        self.step[p] = 1
        step("write", p=p)
        if self.slip == "raises":
            raise KeyError("no")
        self.counter = self.copies[p] + (2 if self.slip == "twice" else 1)
        self.step[p] = 2
        if self.slip == "log":
            step("log")
            self.counter = 0
    def state(self):
        return {"counter": self.counter, "copy": self.copies, "step": self.step}

class Case:
    name = "two additions"
    def __init__(self, slip):
        self.slip = slip
    def threads(self):
        return Code(self.slip)

class Subject:
    besides = {"log"}
    def __init__(self, slip=""):
        self.slip, self.code = slip, Code(slip)
        if slip == "other-name":
            self.actions = {"read": "look"}
    def programs(self, trace):
        return self.code.programs
    def cases(self, parameters):
        return [Case(self.slip)]
    def state(self):
        return self.code.state()

class NoState(Subject):
    state = None
    def cases(self, parameters):
        case = Case("")
        case.threads = lambda: type("Run", (), {"programs": Code().programs})()
        return [case]

class NoSteps(Subject):
    def cases(self, parameters):
        case = Case("")
        case.threads = lambda: type("Run", (), {"programs": [int], "state": lambda s: {}})()
        return [case]

class OtherPoints(NoSteps):
    def cases(self, parameters):
        made = type("Run", (), {"programs": [lambda: step("go")],
                                "state": lambda s: {"counter": 0}})
        case = Case("")
        case.threads = made
        return [case]

def only_counter(one):
    return {"counter": getattr(one, "code", one).counter}

def nothing(one):
    return {}

def wrong(one):
    return {"cuonter": 1}

def raises(one):
    return 1 / 0

number = 3
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with a spec that loses an addition, and code that does, too."""
    (tmp_path / "counter.py").write_text(COUNTER)
    (tmp_path / "code_.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Typed:
    """Return a function that runs a command line, and gives exit code, output and errors."""
    return lambda *arguments: call(capsys, *arguments)


def conform(typed: Typed, subject: str, *more: str) -> tuple[int, str, str]:
    """Compare one of the subjects with the counter."""
    return typed("drive", "counter.py", "--subject", f"code_.py:{subject}", "--conform", *more)


@pytest.mark.parametrize("fault", ["", "other-name"])
def test_a_strangers_code_conforms(typed: Typed, fault: str) -> None:
    """Catches right code that differs, or an answer that does not say what was compared."""
    given = ("--with", f"slip={fault}")
    code, out, err = conform(typed, "Subject", "--explore", *given)
    assert (code, err) == (0, "")
    assert out == (
        "code_.py:Subject: 1 program, 6 schedules, 24 steps; after each step it is in a\n"
        "  state that counter allows.\n"
        "Compared: counter, copy, step.\n"
    )
    code, out, err = conform(typed, "Subject", *given)
    assert (code, err) == (0, "")
    assert "After each step it is in a state that counter allows.\nCompared: counter," in out


@pytest.mark.parametrize("more", [(), ("--explore",)])
def test_the_first_difference_is_shown_as_two_columns(typed: Typed, more: tuple[str, ...]) -> None:
    """Catches a wrong step, thread or value, or columns out of line."""
    code, out, _ = conform(typed, "Subject", "--with", "slip=twice", *more)
    assert code == 1
    step = "at step 2, write(p=0) of thread 0" if more else "at step 3, write(p=0) of thread 0"
    assert f"{step}: the spec allows no state with this counter." in " ".join(out.split())
    at = out.splitlines().index("  counter   1     2     differs")
    assert out.splitlines()[at - 1] == "            spec  code"
    assert max(map(len, out.splitlines())) <= 80
    marked = [line for line in out.splitlines() if line.startswith("x ")]
    assert marked == ([] if more else ["x   3  write(p=P0)"])


@pytest.mark.parametrize("more", [(), ("--explore",)])
def test_an_exception_in_a_step_is_named(typed: Typed, more: tuple[str, ...]) -> None:
    """Catches an exception that is shown as a difference of states alone."""
    code, out, _ = conform(typed, "Subject", "--with", "slip=raises", *more)
    assert code == 1
    assert "The code raised KeyError: 'no'." in out.splitlines()
    code, out, _ = conform(typed, "Subject", "--with", "slip=raises", *more, "--format", "json")
    found = json.loads(out)["faults"][0] if more else json.loads(out)[0]
    assert found["difference"]["raised"] == "KeyError: 'no'"


def test_a_change_at_a_point_that_is_no_action(typed: Typed) -> None:
    """Catches a change that is not compared since no action was taken."""
    code, out, _ = conform(typed, "Subject", "--with", "slip=log", "--explore")
    assert code == 1
    assert "log is no action of counter, so nothing may change" in " ".join(out.split())


def test_a_partial_mapping(typed: Typed) -> None:
    """Catches a mapping that is not used, or variables that are said to be compared."""
    given = ("--mapping", "code_.py:only_counter")
    code, out, _ = conform(typed, "Subject", "--explore", *given)
    assert code == 0
    assert out.endswith("Compared: counter; not: copy, step.\n")
    code, out, _ = conform(typed, "Subject", "--with", "slip=twice", *given)
    assert (code, "step[P0]" in out) == (1, False)


def test_json(typed: Typed) -> None:
    """Keys that scripts read."""
    code, out, _ = conform(
        typed, "Subject", "--explore", "--with", "slip=twice", "--format", "json"
    )
    found = json.loads(out)
    assert code == 1
    (fault,) = found["faults"]
    assert fault["kind"] == "differs"
    assert fault["difference"]["step"] == "write(p=0)"
    assert (fault["difference"]["number"], fault["difference"]["thread"]) == (2, 0)
    assert {"variable": "counter", "spec": "1", "code": "2", "differs": True} in (
        fault["difference"]["variables"]
    )
    code, out, _ = conform(typed, "Subject", "--explore", "--format", "json")
    assert json.loads(out)["conform"] == {
        "steps": 24, "compared": ["counter", "copy", "step"], "not_compared": [], "never_taken": []
    }  # fmt: skip
    code, out, _ = conform(typed, "Subject", "--format", "json")
    assert [run["difference"] for run in json.loads(out)] == [None]
    _, out, _ = conform(typed, "Subject", "--with", "slip=twice", "--format", "json")
    (differs,) = json.loads(out)
    assert differs["taken"] == 2
    assert differs["reason"] == differs["difference"]["reason"]


@pytest.mark.parametrize("name", ["window", "window-c"])
def test_the_published_memory_differs_from_the_correct_spec(typed: Typed, name: str) -> None:
    """Catches that OLD conforms to NEW, or OLD not to OLD, in the code in C or in Python."""
    if name == "window-c":
        need("gcc")
    explore = ("--explore", "--conform", "--random", "10")
    old = ("drive", "window-stm", *READER, "--subject", name, *explore)
    code, out, _ = typed(*old, "--with", "fetch-and-increment=old")
    assert code == 1
    assert "fetch_and_increment(t=1) of thread 1: the spec allows no state with this " in (
        " ".join(out.split())
    )
    code, out, _ = typed(*old)
    assert code == 0
    code, out, _ = typed(*old, *OLD)
    assert code == 0
    assert "1 program, 10 random schedules, " in out


def test_a_trace_of_the_published_protocol(typed: Typed) -> None:
    """Catches that the difference is seen where the code cannot go on alone, steps later."""
    arguments = ("drive", "window-stm", *OLD, "--subject", "window", "--conform")
    code, out, _ = typed(*arguments, "--times", "2")
    assert code == 0
    assert out.endswith("It followed 2 times of 2; all runs took the same steps.\n")
    code, out, _ = typed(*arguments, *NEW_CODE)
    assert code == 1
    assert "at step 9, fetch_and_increment(t=1) of thread 1" in " ".join(out.split())
    assert out.splitlines()[-5:] == [
        "",
        "                   spec  code",
        "  clock            1     1",
        "  commit_time[T1]  0     1     differs",
        "  (29 more agree, and the step did not change them)",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--mapping", "code_.py:number"], "--mapping: code_.py:number is no function"),
        (["--mapping", "code_.py:wrong"], "code_.py:wrong: counter has no variable 'cuonter'"),
        (["--mapping", "code_.py:nobody"], "code_.py has no 'nobody'"),
        (["--mapping", "code_.py:raises"], "code_.py:76: ZeroDivisionError"),
        (["--mapping", "code_.py:nothing"], "the mapping names no variable, so nothing was comp"),
        (["--criterion", "opacity"], "--criterion has no meaning with --conform"),
        (["NoState"], "has no method state(), so name a mapping"),
        (["NoSteps"], "the mapping names no variable"),
        (["OtherPoints"], "no point of the code has the name of an action of counter"),
    ],
)
@pytest.mark.parametrize("explore", [True, False])
def test_errors_are_one_line(
    typed: Typed, arguments: list[str], message: str, explore: bool
) -> None:
    """Catches a traceback, or nothing compared that counts as right."""
    subject = next((one for one in arguments if one[0] in "NO"), "Subject")
    more = [one for one in arguments if one != subject]
    if subject in ("NoSteps", "OtherPoints") and not explore:
        return
    code, out, err = conform(typed, subject, *more, *(["--explore"] if explore else []))
    assert (code, out) == (2, ""), err
    assert message in err
    assert len(err.splitlines()) == 1


def test_a_mapping_needs_conform(typed: Typed) -> None:
    """Catches an option that is ignored."""
    code, _, err = typed("drive", "counter.py", "--subject", "code_.py:Subject",
                         "--mapping", "code_.py:nothing")  # fmt: skip
    assert code == 2
    assert "--mapping needs --conform" in err


def test_a_limit_of_time_is_unknown(typed: Typed) -> None:
    """Catches an exploration that was cut short and is called right, or wrong."""
    code, out, _ = conform(typed, "Subject", "--explore", "--time-limit", "0.0001")
    assert code == 3
    assert "unknown after" in out

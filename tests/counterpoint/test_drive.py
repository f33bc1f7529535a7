"""``counterpoint drive``: what a user types, every answer, and every error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from counterpoint.memories.window.c_memory import library
from tests.needs import need

from .held import RELEASED
from .test_command_line import call
from .walking import COUNTER

Typed = Callable[..., tuple[int, str, str]]

OLD = ["--set", "fetch-and-increment=old"]

CODE = """
from functools import partial
from counterpoint.memories import step
from tests.counterpoint.held import RELEASED

class Right:
    def __init__(self, name="read"):
        self.counter, self.name = 0, name
    def add(self, p):
        step(self.name, p=p)
        copy = self.counter
        step("write", p=p)
        self.counter = copy + 1
    def programs(self, trace):
        return [partial(self.add, p) for p in (0, 1)]
    def expected(self, trace):
        return {"counter": trace.after()["counter"]}
    def observed(self):
        return {"counter": self.counter}

class Slip(Right):
    def add(self, p):
        step("raed", p=p)

class OtherNames(Right):
    actions = {"read": "look"}
    besides = {"log"}
    def add(self, p):
        step("look", p=f"P{p}")
        copy = self.counter
        step("log")
        step("write", p=p)
        self.counter = copy + 1

class NoPointForRead(Right):
    actions = {"read": None}
    def __init__(self):
        self.counter, self.copies = 0, [0, 0]
    def add(self, p):
        step("write", p=p)
        self.counter = self.copies[p] + 1

class SeesMore(Right):
    def observed(self):
        return {"counter": self.counter, "more": 1}

class Ambiguous(Right):
    def add(self, p):
        step("read")
        step("write")

class Raises(Right):
    def add(self, p):
        step("read", p=p)
        raise KeyError("lost")

class EndsSoon(Right):
    def add(self, p):
        step("read", p=p)

class Hangs(Right):
    def add(self, p):
        step("read", p=p)
        RELEASED.wait()

class Bad(Right):
    def programs(self, trace):
        return 1 / 0

class NoPrograms:
    pass

nothing = 3


class NoCases:
    def cases(self, parameters):
        return []


class OddCases:
    def cases(self, parameters):
        return [1]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand in a folder with a spec that loses an addition, and code that does, too."""
    RELEASED.clear()
    (tmp_path / "counter.py").write_text(COUNTER)
    (tmp_path / "code_.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    yield tmp_path
    RELEASED.set()


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Typed:
    """Return a function that runs a command line, and gives exit code, output and errors."""
    return lambda *arguments: call(capsys, *arguments)


def drive(typed: Typed, subject: str, *more: str) -> tuple[int, str, str]:
    """Drive one of the subjects by the counterexample of the counter."""
    return typed("drive", "counter.py", "--subject", f"code_.py:{subject}", *more)


@pytest.mark.parametrize("name", ["window", "window-c"])
def test_the_published_error_is_in_the_code(typed: Typed, name: str) -> None:
    """A schedule that the real memories do not follow every time, or in which they see no error."""
    if name == "window-c":
        need("gcc")
    code, out, _ = typed("drive", "window-stm", *OLD, "--subject", name, "--times", "20")
    assert code == 0
    assert "T0 reads x  the first value  the first value" in out
    assert "T0 reads y  what T1 wrote    what T1 wrote" in out
    assert out.endswith("It followed 20 times of 20; all runs took the same steps.\n")


@pytest.mark.parametrize("name", ["window", "window-c"])
def test_the_correct_memory_cannot_follow(typed: Typed, name: str) -> None:
    """A correct memory in which the error shows all the same, or that says nothing of the step."""
    if name == "window-c":
        need("gcc")
    code, out, _ = typed("drive", "window-stm", *OLD, "--subject", name,
                        "--with", "fetch-and-increment=new", "--times", "20")  # fmt: skip
    assert code == 1
    assert f"{name} cannot follow at step 13, read(t=T0, x=y): there the code raised" in out
    assert "its window is empty" in " ".join(out.split())
    assert "\nx  13  read(t=T0, x=y)\n" in out
    assert out.endswith("It followed 0 times of 20; all runs took the same steps.\n")


@pytest.mark.parametrize("subject", ["Right", "OtherNames", "NoPointForRead"])
def test_a_strangers_code_follows(typed: Typed, subject: str) -> None:
    """Names of points or labels that the command does not translate as the subject says."""
    code, out, err = drive(typed, subject)
    assert (code, err) == (0, "")
    assert "follows the whole trace" in out


@pytest.mark.parametrize(
    ("subject", "step", "reason"),
    [
        ("Slip", "step 1, read(p=P0)", "thread 0 is before raed(p=0); thread 1 is before raed(p=1) "
                                       "(raed is no action of counter)"),
        ("Ambiguous", "step 1, read(p=P0)", "threads 0 and 1 are all before it"),
        ("Raises", "step 1, read(p=P0)", "there the code raised KeyError: 'lost'"),
        ("EndsSoon", "step 3, write(p=P0)", "all threads have ended before it"),
    ],
)  # fmt: skip
def test_it_is_said_where_the_code_leaves_the_trace(
    typed: Typed, subject: str, step: str, reason: str
) -> None:
    """A wrong step, or none, in the answer to code that does otherwise."""
    code, out, _ = drive(typed, subject)
    assert code == 1
    said = " ".join(out.split())
    assert f"cannot follow at {step}: " in said
    assert reason in said


def test_other_results_are_shown(typed: Typed) -> None:
    """Code that takes all steps and sees something else, taken as agreement."""
    code, out, _ = drive(typed, "SeesMore")
    assert code == 1
    assert "more           1  differs" in out
    assert "what it sees differs from what the spec says" in " ".join(out.split())


def test_a_thread_that_gets_lost_is_unknown(typed: Typed) -> None:
    """A command that hangs, or takes a lost thread for an answer."""
    code, out, _ = drive(typed, "Hangs", "--limit", "0.2")
    assert code == 3
    assert "thread 0 has reached no point for 0.2 s after read(p=0)" in " ".join(out.split())


def test_a_trace_from_a_file(typed: Typed, folder: Path) -> None:
    """A file whose trace is another one than the check's; a trace of another spec."""
    _, text, _ = typed("check", "counter.py", "--format", "json")
    (folder / "found.json").write_text(text)
    now, read = drive(typed, "Right"), drive(typed, "Right", "--trace", "found.json")
    assert read == now
    code, _, err = typed("drive", "peterson", "--subject", "window", "--trace", "found.json")
    assert code == 2
    assert "found.json has no finite trace of a violated property of peterson" in err
    code, _, err = drive(typed, "Right", "--trace", "found.json", "--set", "processes=2")
    assert code == 2
    assert "--set and --trace exclude each other" in err


def test_json(typed: Typed) -> None:
    """Keys that scripts read."""
    code, out, _ = drive(typed, "Right", "--format", "json", "--times", "2")
    first, second = json.loads(out)
    assert code == 0
    assert first == second
    assert first["agrees"] is True
    assert first["steps"] == first["taken"] == len(first["points"]) == 4
    assert first["expected"] == first["observed"] == {"counter": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["counter.py", "--subject", "windo"], "there is no subject 'windo'; there are window"),
        (["counter.py", "--subject", "code_.py:Nobody"], "code_.py has no 'Nobody'"),
        (["counter.py", "--subject", "code_.py:nothing"], "is no class or function"),
        (["counter.py", "--subject", "code_.py:NoPrograms"], "has no method programs(trace)"),
        (["counter.py", "--subject", "code_.py:Bad"], "code_.py:68: ZeroDivisionError"),
        (["counter.py", "--subject", "none_.py:Bad"], "there is no file none_.py"),
        (["counter.py", "--subject", "code_.py:Right", "--with", "x"], "--with takes name=value"),
        (["counter.py", "--subject", "code_.py:Right", "--with", "x=1"], "argument 'x'"),
        (["counter.py", "--subject", "window"], "traces of window-stm, not of counter"),
        (["window-stm", "--subject", "window"], "nothing is violated, so there is no trace"),
        (["window-stm", *OLD, "--subject", "window", "--with", "recheck=x"], "recheck is one of"),
        (["counter.py"], "Missing option '--subject'"),
    ],
)  # fmt: skip
def test_errors_are_one_line(typed: Typed, arguments: list[str], message: str) -> None:
    """A traceback, or a message that does not name what is wrong."""
    code, out, err = typed("drive", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_without_a_compiler(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback where nothing can compile the memory in C, and no word of the other one."""
    library.cache_clear()
    monkeypatch.setenv("CC", "no-such-compiler")
    code, _, err = typed("drive", "window-stm", *OLD, "--subject", "window-c")
    assert code == 2
    assert err == ("counterpoint: window-c: there is no C compiler no-such-compiler; the subject "
                   "window needs none\n")  # fmt: skip


def test_a_witness_can_be_followed(typed: Typed) -> None:
    """A run of a `sometimes` property that cannot be named."""
    code, out, _ = typed("drive", "window-stm", "--subject", "window", "--property", "all-commit")
    assert code == 0
    assert "window-stm: the trace of all-commit" in out


def test_all_schedules_are_explored(typed: Typed) -> None:
    """An exploration that finds nothing wrong in the published protocol, or something in ours."""
    wrong = ("drive", "window-stm", *OLD, "--subject", "window", "--explore")
    programs = ("--set", "programs=r x, r y; w x, w y")
    code, out, _ = typed(*wrong, *programs)
    assert code == 1
    assert "opacity: read skew (G-single), of r x, r y; w x, w y:" in out
    assert max(map(len, out.splitlines())) <= 80
    code, out, _ = typed("drive", "window-stm", *programs, "--subject", "window", "--explore")
    assert (code, out) == (
        0, "window: 1 program, 35 schedules, 15 different histories; each satisfies opacity.\n"
    )  # fmt: skip


SILENT = """
from counterpoint.memories import step
from tests.counterpoint.held import RELEASED

class Run:
    programs = [int, int]

class Case:
    name = "nothing"
    def threads(self):
        return Run()

class Subject:
    def programs(self, trace):
        return []
    def cases(self, parameters):
        return [Case()]

class Waiting(Subject):
    def cases(self, parameters):
        case, run = Case(), Run()
        run.programs = [lambda: (step("go"), RELEASED.wait())]
        case.threads = lambda: run
        return [case]
"""


def test_a_run_that_shows_nothing_is_said_to(typed: Typed, tmp_path: Path) -> None:
    """Catches code without points, or without anything to judge, that counts as right."""
    (tmp_path / "silent.py").write_text(SILENT)
    command = ("drive", "counter.py", "--subject", "silent.py:Subject", "--explore")
    code, out, _ = typed(*command)
    assert code == 0
    assert out == (
        "silent.py:Subject: 1 program, 1 schedule; all threads ended.\n"
        "No thread came to a point, so each program ran in one order: call step(...)\n"
        "  where threads can be interleaved.\n"
        "Only errors and deadlocks would have been seen: no run has a method fault() or\n"
        "  record().\n"
    )
    assert len(json.loads(typed(*command, "--format", "json")[1])["warnings"]) == 2


def test_a_thread_that_takes_too_long_is_unknown(typed: Typed, tmp_path: Path) -> None:
    """Catches a slow thread that counts as a fault of the code."""
    (tmp_path / "silent.py").write_text(SILENT)
    code, out, _ = typed("drive", "counter.py", "--subject", "silent.py:Waiting", "--explore",
                         "--limit", "0.2")  # fmt: skip
    assert code == 3
    assert out.startswith(
        "silent.py:Waiting: unknown after 1 program, 1 schedule.\n  unreached, of"
    )


@pytest.mark.parametrize(
    ("more", "code"),
    [(["--preemptions", "0"], 0), (["--preemptions", "1"], 1),
     (["--random", "60", "--seed", "1"], 1), (["--criterion", "read-committed"], 0),
     (["--time-limit", "0.0001"], 3)],
)  # fmt: skip
def test_explorations_with_limits(typed: Typed, more: list[str], code: int) -> None:
    """A limit that is not applied; the fault needs its reader to be left, and to go on."""
    wanted = ("--subject", "window", "--explore", "--format", "json", *more)
    programs = ("--set", "programs=r x, r y; w x, w y")
    found, out, _ = typed("drive", "window-stm", *OLD, *programs, *wanted)
    assert found == code, out
    assert bool(json.loads(out)["faults"]) == (code == 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--criterion", "opacity"], "--criterion needs --explore"),
        (["--explore", "--times", "2"], "--times has no meaning with --explore"),
        (["--explore", "--criterion", "opaque"], "'opaque' is none of read-committed"),
        (["--explore", "--random", "3", "--preemptions", "1"], "exclude each other"),
        (["--explore"], "Right has no method cases(parameters)"),
        (["--explore", "NoCases"], "cases(parameters) yields nothing"),
        (["--explore", "OddCases"], "AttributeError: 'int' object has no attribute"),
    ],
)
def test_options_of_explorations(typed: Typed, arguments: list[str], message: str) -> None:
    """A traceback, an option that is ignored, or nothing that counts as right."""
    subject = next((one for one in arguments if one.endswith("Cases")), "Right")
    code, out, err = drive(typed, subject, *(one for one in arguments if one != subject))
    assert (code, out) == (2, "")
    assert message in err


def test_an_argument_that_the_code_does_not_take_is_one_line(typed: Typed, tmp_path: Path) -> None:
    """A traceback of ours, with an exit code that means that the code does not follow."""
    (tmp_path / "mine.py").write_text("class Subject:\n    def __init__(self, mode='a'): ...\n")
    subject = f"{tmp_path / 'mine.py'}:Subject"
    code, out, err = typed(
        "drive", "window-stm", "--subject", subject, "--with", "mood=good", "--explore"
    )
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "got an unexpected keyword argument 'mood'" in err

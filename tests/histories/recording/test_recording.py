"""A recording: its order is real, it can be read at any moment, and what goes wrong is said."""

from __future__ import annotations

import json
import sys
import textwrap
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest

from counterpoint.histories.history import Fate
from counterpoint.histories.recording.catalogue import SUBJECTS, find
from counterpoint.histories.recording.interface import (
    Aborted,
    Lost,
    Memory,
    RecordingError,
    Session,
    Versioned,
)
from counterpoint.histories.recording.load import Load
from counterpoint.histories.recording.programs import Program
from counterpoint.histories.recording.recording import record
from counterpoint.histories.recording.subjects.samples import GlobalLock
from counterpoint.histories.recording.survey import survey

from .recorded import read, recorded


class Watching(Memory):
    """Looks into the file of its own recording at each call."""

    promises = ("tms2",)

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seen: list[tuple[str, list[str]]] = []

    def connect(self, process: int) -> Session:
        """Return a session."""
        return _Watching(self)


class _Watching(Session):
    def __init__(self, memory: Watching) -> None:
        self._memory = memory

    def _look(self, call: str) -> None:
        lines = self._memory.path.read_text().splitlines()[1:]
        begun = max(k for k, line in enumerate(lines) if '"begin"' in line)
        self._memory.seen.append((call, [json.loads(line)["type"] for line in lines[begun:]]))

    def begin(self) -> None:
        self._look("begin")

    def read(self, what: int) -> Any:
        self._look("read")
        return Versioned(None, 0)

    def write(self, what: int, value: int) -> None:
        self._look("write")

    def commit(self) -> None:
        self._look("commit")

    def abort(self) -> None:
        self._look("abort")


def test_events_are_written_when_the_format_says_so(tmp_path: Path) -> None:
    """Catches a begin that is noted late, or an answer that is noted early.

    A history would then say that a transaction preceded another one though they overlapped.
    """
    path = tmp_path / "history.jsonl"
    memory = Watching(path)
    record("watching", memory, Load(transactions=40, threads=1, pauses=0, aborts=0.3), path)
    begins = [events for call, events in memory.seen if call == "begin"]
    assert begins == [["begin"]] * 40
    for call, events in memory.seen:
        assert "commit" not in events and "abort" not in events
        assert (call == "commit") == ("try-commit" in events)
    for (call, events), (then, later) in pairwise(memory.seen):
        if then != "begin":  # of the same transaction
            noted = {"read": ["read"], "write": ["write"], "begin": []}[call]
            assert later == [*events, *noted, *(["try-commit"] if then == "commit" else [])]
    calls = {call for call, _ in memory.seen}
    assert calls == {"begin", "read", "write", "commit", "abort"}


class Failing(GlobalLock):
    """Raises an error in the operations of some transactions."""

    def __init__(self, error: type[Exception], calls: tuple[str, ...], every: int = 5) -> None:
        self.error, self.calls, self.every = error, calls, every
        self.sessions = 0

    def connect(self, process: int) -> Session:
        """Return a session that fails at each such call of a number."""
        self.sessions += 1
        session = super().connect(process)
        for name in self.calls:
            setattr(session, name, self._failing(name, getattr(session, name)))
        return session

    def _failing(self, name: str, call: Any) -> Any:
        count = 0

        def called(*arguments: Any) -> Any:
            nonlocal count
            count += 1
            if count % self.every == 0:
                if name != "begin":
                    self.lock.release()
                raise self.error
            return call(*arguments)

        return called


LOAD = Load(transactions=60, threads=2, aborts=0)


@pytest.mark.parametrize("call", ["begin", "read", "write", "commit"])
def test_what_aborts_is_only_an_abort(call: str, tmp_path: Path) -> None:
    """Catches an operation that is recorded though it has not returned."""
    history = recorded(tmp_path, Failing(Aborted, (call,)), LOAD)
    fates = {one.fate for one in history.transactions}
    assert len(history) == 60 and fates == {Fate.COMMITTED, Fate.ABORTED}
    for one in history.transactions:
        plan = [s for s in LOAD.plan(*map(int, str(one.label).split("."))).steps
                if s.kind != "pause"]  # fmt: skip
        if one.fate is Fate.ABORTED and call in ("read", "write"):
            assert plan[len(one.operations)].kind == call


def test_a_commit_without_an_answer_is_indeterminate(tmp_path: Path) -> None:
    """Catches a lost commit that is recorded as an abort, and a process that goes on after it."""
    memory = Failing(Lost, ("commit",))
    history = recorded(tmp_path, memory, LOAD)
    lost = list(history.of(Fate.COMMITTING))
    assert len(lost) == memory.sessions - 2 == 12
    assert {one.process for one in history.transactions} == set(range(12))


def test_a_session_that_is_lost_before_is_an_abort(tmp_path: Path) -> None:
    """Catches a session that is used after it was lost."""
    memory = Failing(Lost, ("read",), 10)
    history = recorded(tmp_path, memory, LOAD)
    assert len(list(history.of(Fate.ABORTED))) == memory.sessions - 2 > 0
    assert {one.process for one in history.transactions} == {0, 1}


def test_an_error_ends_the_recording_with_one_line(tmp_path: Path) -> None:
    """Catches a thread that dies alone, so that the others go on and nobody knows."""
    path = tmp_path / "history.jsonl"
    with pytest.raises(RecordingError) as raised:
        record("mine", Failing(ZeroDivisionError, ("read",)), LOAD, path)
    assert str(raised.value).startswith("mine: process ")
    assert "ZeroDivisionError" in str(raised.value) and "test_recording.py:" in str(raised.value)
    assert len(read(path)) > 0


def test_a_memory_without_an_end_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches a recording that hangs with the memory."""
    monkeypatch.setattr("counterpoint.histories.recording.workers.GRACE", 0.1)

    class Stuck(GlobalLock):
        def connect(self, process: int) -> Session:
            session = super().connect(process)
            session.commit = dict  # type: ignore[method-assign]  # keeps the lock
            return session

    with pytest.raises(RecordingError, match=r"process \d has not ended 0.1 seconds after"):
        recorded(tmp_path, Stuck(), LOAD, seconds=0.1)


def test_versions_are_those_of_the_memory(tmp_path: Path) -> None:
    """Catches versions that are left out, or that are not the numbers of what was installed."""
    history = recorded(tmp_path, GlobalLock(), LOAD)
    versions: dict[Any, list[int]] = {}
    for one in history.transactions:
        for what, version in one.versions.items():
            versions.setdefault(what, []).append(version)
    assert versions
    for numbers in versions.values():
        assert sorted(numbers) == list(range(1, len(numbers) + 1))
    reads = [o for one in history.transactions for o in one.operations if o.kind == "read"]
    assert all(o.version is not None for o in reads if o.value is None)


PROGRAM = textwrap.dedent("""
    import json, sys
    plan, history, seconds = sys.argv[1:]
    head, *lines = open(plan).read().splitlines()
    cells = {}
    out = open(history, "a", buffering=1)
    def note(kind, process, **facts):
        out.write(json.dumps({"type": kind, "process": process, **facts},
                             separators=(",", ":")) + "\\n")
    for line in lines:
        process, number, aborts, count, *words = line.split()
        note("begin", int(process), transaction=f"{process}.{number}")
        for kind, x, value in zip(words[::3], words[1::3], words[2::3]):
            if kind == "r":
                note("read", int(process), object=int(x), value=cells.get(x, 0))
            elif kind == "w":
                cells[x] = int(value)
                note("write", int(process), object=int(x), value=int(value))
        note("commit", int(process))
""")


def test_a_program_of_a_user(tmp_path: Path) -> None:
    """Catches a program that is not started as the documentation says."""
    script = tmp_path / "mine.py"
    script.write_text(PROGRAM)
    history = recorded(tmp_path, find(f"cmd:{sys.executable} {script}"), Load(transactions=20))
    assert len(history) == 20
    assert history.initial == 0


def _python(code: str) -> Program:
    return Program(sys.executable, "-c", f"import os, sys, time; {code}")


@pytest.mark.parametrize(
    ("code", "message"),
    [("sys.exit(3)", "failed with code 3"),
     ("sys.exit('the memory is full')", "failed with code 1: the memory is full"),
     ("os.kill(os.getpid(), 9)", "was ended by signal 9")],
)  # fmt: skip
def test_a_program_that_fails(code: str, message: str, tmp_path: Path) -> None:
    """Catches a program whose failure is not noticed."""
    with pytest.raises(RecordingError, match=message):
        recorded(tmp_path, _python(code), LOAD)


def test_a_program_without_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches a program that is waited for for ever, or left running."""
    monkeypatch.setattr("counterpoint.histories.recording.programs.GRACE", 0.2)
    with pytest.raises(RecordingError, match=r"has not ended 0\.2 seconds after its time was over"):
        recorded(tmp_path, _python("time.sleep(600)"), LOAD, seconds=0.1)


@pytest.mark.parametrize(
    ("name", "message"),
    [("sqlit", "did you mean sqlite?"),
     ("nothing", "there are: postgresql:read-committed"),
     ("cmd:", "cmd: needs a program"),
     ("cmd:'", "No closing quotation"),
     ("missing.py:Mine", "there is no file missing.py"),
     ("json:JSONDecoder", "it is no Memory and no Program"),
     ("json:Nothing", "there is no Nothing in json"),
     ("no_such_module:Mine", "No module named 'no_such_module'")],
)  # fmt: skip
def test_a_subject_that_is_not_there(name: str, message: str) -> None:
    """Catches a message that does not say what to do."""
    with pytest.raises(RecordingError) as raised:
        find(name)
    assert message in str(raised.value)


def test_an_error_in_a_users_file_names_its_line(tmp_path: Path) -> None:
    """Catches a traceback, or an error without its place."""
    file = tmp_path / "mine.py"
    file.write_text("x = 1\ny = x / 0\n")
    with pytest.raises(RecordingError, match=r"mine\.py:2: ZeroDivisionError"):
        find(f"{file}:Mine")


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches a subject that fails somewhere where its program is not installed."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("libitm:ml_wt", "ghc-stm", "clojure-refs"):
        with pytest.raises(RecordingError, match=f"^{name}: needs the Debian package"):
            record(name, SUBJECTS[name](), LOAD, tmp_path / "history.jsonl")
    with pytest.raises(RecordingError, match=r"there is no program \./mine"):
        recorded(tmp_path, find("cmd:./mine"), LOAD)


def test_lists_are_refused_where_there_are_none(tmp_path: Path) -> None:
    """Catches a load that a memory cannot run, and fails in its first transaction."""

    class Registers(GlobalLock):
        holds = ("registers",)

    with pytest.raises(RecordingError, match="its objects are no lists; it has registers"):
        record("mine", Registers(), Load(lists=True), tmp_path / "history.jsonl")


def test_a_survey_finds_the_broken_promise(tmp_path: Path) -> None:
    """Catches a table in which a faulty memory looks right, or a right one faulty."""
    load = Load(transactions=300)
    found = survey("faulty", find("faulty"), load, 0.5, keep=tmp_path)
    assert found.histories >= 2 and found.transactions == 300 * found.histories
    assert found.broken_in() > 0 and found.anomalies
    assert found.broken is not None
    assert read(tmp_path / "faulty.jsonl").facts["seed"] == found.broken.seed
    right = survey("global-lock", find("global-lock"), load, 0.1)
    assert (right.broken_in(), right.strongest()) == (0, ["tms2"])


def test_a_value_in_the_place_of_a_method_is_named(tmp_path: Path) -> None:
    """Catches a traceback of ours for a name that a memory of a user is likely to have."""
    (tmp_path / "mine.py").write_text(
        "from counterpoint.histories.recording import Memory\n"
        "class Mine(Memory):\n"
        "    about, promises, holds = 'numbers its versions', (), ('registers',)\n"
        "    def open(self, load):\n"
        "        self.version = {}\n"
    )
    name = f"{tmp_path / 'mine.py'}:Mine"
    with pytest.raises(RecordingError, match="version is a method of a memory, and Mine has a"):
        record(name, find(name), Load(), tmp_path / "history.jsonl")


class Odd(GlobalLock):
    """Returns what it should not, from one method."""

    def __init__(self, method: str, returned: Any) -> None:
        super().__init__()
        self.method, self.returned = method, returned

    def connect(self, process: int) -> Session:
        """Return a session, or what is none."""
        if self.method == "connect":
            return cast(Session, self.returned)
        session = super().connect(process)
        setattr(session, self.method, lambda *_: self.returned)
        return session


@pytest.mark.parametrize(
    ("method", "returned", "message"),
    [
        ("connect", None, r"connect\(0\) of Odd returned None, which .* must return a Session"),
        (
            "connect",
            3,
            r"connect\(0\) of Odd returned an object of <class 'int'>, .* must return a Session",
        ),
        ("read", {"a": 1}, r"read\(\d\) returned {'a': 1}, and must return a whole number"),
        ("read", Versioned(1.5, 2), r"read\(\d\) returned 1.5, and must return"),
        ("read", [1, object], r"read\(\d\) returned \[1, <class 'object'>\], and must return"),
        ("commit", 3, r"commit\(\) returned 3, and must return None, or the number"),
        ("commit", {1: "x"}, r"commit\(\) returned {1: 'x'}, and must return None"),
    ],
)
def test_what_a_method_must_return_is_said(
    method: str, returned: Any, message: str, tmp_path: Path
) -> None:
    """Catches an error of ours for a slip of the user, or a history that cannot be read."""
    with pytest.raises(RecordingError, match=f"^mine: process 0 failed: {message}"):
        record("mine", Odd(method, returned), Load(threads=1), tmp_path / "history.jsonl")


def test_an_open_that_fails_is_named(tmp_path: Path) -> None:
    """Catches an error of the system that looks like one of the file of the history."""

    class Closed(GlobalLock):
        def open(self, load: Load) -> None:
            raise ConnectionRefusedError("no server")

    with pytest.raises(
        RecordingError, match=r"mine: open\(load\) of Closed raised Connection.*: no"
    ):
        record("mine", Closed(), LOAD, tmp_path / "history.jsonl")

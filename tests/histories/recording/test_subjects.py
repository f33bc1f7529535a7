"""All subjects run the plan of a load, and keep what they promise, or break it where they must."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from counterpoint.histories.history import Fate
from counterpoint.histories.recording.catalogue import SUBJECTS, find
from counterpoint.histories.recording.interface import RecordingError, Subject
from counterpoint.histories.recording.load import Load
from counterpoint.histories.recording.programs import Program
from tests.needs import need
from tests.postgres import Server

from .recorded import answers, recorded

NEEDED = {"libitm": "gcc", "ghc-stm": "ghc", "clojure-refs": "clojure"}

Make = Callable[[str], Subject]


@pytest.fixture
def make(request: pytest.FixtureRequest) -> Make:
    """Return a function that makes a subject; the test is skipped if something is missing."""

    def made(name: str) -> Subject:
        if name.startswith("postgresql"):
            server: Server = request.getfixturevalue("postgres")
            return find(name, server.database())
        if package := NEEDED.get(name.partition(":")[0]):
            need(package)
        subject = find(name)
        if (missing := subject.missing()) and os.environ.get("CI") != "true":
            pytest.skip(missing)  # gcc without libitm, or another compiler
        return subject

    return made


SLOW = ("ghc-stm", "clojure-refs")
"""Subjects that take seconds to compile."""

LONG = (*SLOW, *(name for name in SUBJECTS if name.startswith("postgresql")))
"""Subjects of which a history of hundreds of transactions takes a second."""

NAMES = [pytest.param(name, marks=pytest.mark.long if name in SLOW else ()) for name in SUBJECTS]


@pytest.mark.parametrize("lists", [False, True], ids=["registers", "lists"])
@pytest.mark.parametrize("name", NAMES)
def test_a_subject_runs_the_plan(name: str, lists: bool, make: Make, tmp_path: Path) -> None:
    """Catches an adapter that runs another plan, loses events, or records what did not return."""
    if lists and "lists" not in make(name).holds:
        with pytest.raises(RecordingError, match="its objects are no lists; it has registers"):
            recorded(tmp_path, make(name), Load(lists=True))
        return
    load = Load(seed=5, transactions=60, threads=3, aborts=0.2, lists=lists)
    history = recorded(tmp_path, make(name), load)
    assert history.facts["seed"] == 5 and history.facts["load"]["transactions"] == 60
    assert len(history) == 60
    fates = set()
    for one in history.transactions:
        process, number = map(int, str(one.label).split("."))
        assert one.process == process
        plan = load.plan(process, number)
        planned = [(s.kind, s.object, s.value) for s in plan.steps if s.kind != "pause"]
        did = [(o.kind, o.object, 0 if o.kind == "read" else o.value) for o in one.operations]
        assert did == planned[: len(did)]
        if one.fate is Fate.COMMITTED:
            assert did == planned and not plan.aborts and one.asked is not None
        else:
            assert one.fate is Fate.ABORTED
        fates.add(one.fate)
    assert fates == {Fate.COMMITTED, Fate.ABORTED}


KEPT = [name for name in SUBJECTS if name != "faulty"]


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.long if n in LONG else ()) for n in KEPT]
)
def test_a_promise_is_kept(name: str, make: Make, tmp_path: Path) -> None:
    """Catches a recorder whose order is not real, so that a memory seems to break its promise."""
    subject = make(name)
    aborts = 0 if name.startswith("libitm") else 0.05  # see below
    for lists in (False, True) if "lists" in subject.holds else (False,):
        load = Load(seed=2, transactions=250, aborts=aborts, lists=lists)
        history = recorded(tmp_path, subject, load)
        found = answers(history)
        assert {found[promise] for promise in subject.promises} == {"holds"}, (lists, found)


BROKEN = {
    "postgresql:read-committed": "read-atomic",
    "postgresql:repeatable-read": "serializability",
    "clojure-refs": "serializability",
    "late-validation": "opacity",
    "ghc-stm": "opacity",
    "faulty": "serializability",
}
"""A criterion that histories of a subject violate sooner or later; only `faulty` promises it."""


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.long if n in LONG else ()) for n in BROKEN]
)
def test_what_is_not_promised_is_found(name: str, make: Make, tmp_path: Path) -> None:
    """Catches a load or a recorder that hides an anomaly, for example by running one by one."""
    subject = make(name)
    for seed in range(20):
        history = recorded(tmp_path, subject, Load(seed=seed, transactions=1000))
        if answers(history)[BROKEN[name]] == "violated":
            return
    pytest.fail("20 histories satisfy it")


def test_reads_of_aborted_transactions_are_recorded(make: Make, tmp_path: Path) -> None:
    """Catches reads of a restarted transaction of libitm that are rolled back with it."""
    history = recorded(tmp_path, make("libitm:ml_wt"), Load(transactions=600, aborts=0))
    aborted = list(history.of(Fate.ABORTED))
    assert any(one.operations for one in aborted)


def test_cancelled_writes_stay_in_libitm_serial(make: Make, tmp_path: Path) -> None:
    """Catches a recorder that misses what gcc does wrong, or a gcc that does it no more.

    gcc 12 with -O2 loads a value that will be written by ``_ITM_RfWU8`` and stores it by
    ``_ITM_WaWU8``; the method ``serial`` logs neither, so that a cancelled write stays. The other
    methods turn to it after 100 restarts.
    """
    subject = make("libitm:serial")
    assert isinstance(subject, Program)
    if not subject.version().startswith("gcc 12."):
        pytest.skip("it is known of gcc 12 alone")
    history = recorded(tmp_path, subject, Load(aborts=0.2, lists=True))
    assert answers(history)["read-committed"] == "violated"


def test_the_published_window_protocol_is_found_in_a_recording(tmp_path: Path) -> None:
    """Catches that a real memory shows old and new values together, and no history tells."""
    need("gcc")
    subject = find("counterpoint.memories.recorded:PublishedWindowInC")
    load = Load(seed=3, transactions=2000)
    found = [answers(recorded(tmp_path, subject, load))["opacity"] for _ in range(3)]
    assert "violated" in found


def test_a_promise_must_be_a_criterion(tmp_path: Path) -> None:
    """Catches a promise with a slip, of which a survey would say that it is kept."""
    (tmp_path / "mine.py").write_text(
        "from counterpoint.histories.recording import Memory\n\n"
        "class Mine(Memory):\n    promises = ('serialisability',)\n"
    )
    with pytest.raises(RecordingError, match="promises 'serialisability', which is none of read-c"):
        find(f"{tmp_path / 'mine.py'}:Mine")

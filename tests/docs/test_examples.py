"""Each example does what its docstring says: exact counts, and shortest runs of its variants."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.models.checking.engines import check
from counterpoint.models.loading import load, mutants

from .blocks import read_page
from .running import ROOT, run_page

EXAMPLES = ROOT / "examples"

RIGHT = [
    ("ticket_lock.py", (), 54, 72),
    ("ticket_lock.py", ("processes=3",), 179, 270),
    ("bounded_buffer.py", (), 6, 13),
    ("bounded_buffer.py", ("threads=4", "capacity=2"), 11, 31),
    ("two_phase_commit.py", (), 54, 131),
    ("two_phase_commit.py", ("participants=4",), 162, 542),
    ("leader_election.py", (), 162, 459),
    ("leader_election.py", ("processes=5",), 567, 1998),
]


@pytest.mark.parametrize(("file", "settings", "states", "transitions"), RIGHT)
def test_right_examples(
    file: str, settings: tuple[str, ...], states: int, transitions: int
) -> None:
    """An example that was changed and has an error, or another number of states."""
    found = check(load(str(EXAMPLES / file), settings), "exhaustive")
    assert {v.answer for v in found} == {"holds"}
    assert {(v.states, v.transitions) for v in found} == {(states, transitions)}


BROKEN = [
    ("ticket_lock.py/takes-the-number-later", (), {"one-inside": 4, "who-waits-enters": 4}),
    ("bounded_buffer.py", ("wakes=one",), {"a-thread-is-awake": 7, "no-deadlock": 7}),
    ("two_phase_commit.py", ("impatient=yes",), {"all-or-none": 6}),
    ("leader_election.py", ("passes=all",), {"one-leader": 10}),
]


@pytest.mark.parametrize(("reference", "settings", "steps"), BROKEN)
def test_broken_examples(reference: str, settings: tuple[str, ...], steps: dict[str, int]) -> None:
    """A broken variant that violates nothing, another property, or its own after more steps."""
    found = check(load(str(EXAMPLES / reference), settings), "exhaustive")
    assert {v.claim.name: v.depth for v in found if v.answer == "violated"} == steps


def test_one_buffer_and_one_consumer_need_no_more_than_one_waker() -> None:
    """A counterexample to the claim that only with two consumers all can sleep forever."""
    model = load(str(EXAMPLES / "bounded_buffer.py"), ("wakes=one", "threads=2"))
    assert {v.answer for v in check(model, "exhaustive")} == {"holds"}


@pytest.mark.parametrize("processes", [2, 3, 5])
def test_the_ticket_lock_serves_who_waits_by_a_rank(processes: int) -> None:
    """A rank or a lemma of the example that proves no longer what the search confirms."""
    model = load(str(EXAMPLES / "ticket_lock.py"), (f"processes={processes}",))
    found = {v.claim.name: v.answer for v in check(model, "induction")}
    assert found.pop("who-waits-enters") == "holds" and set(found.values()) == {"holds"}


def test_declared_mutants() -> None:
    """A mutant of an example that is missing from the lists above."""
    files = {file for file, *_ in RIGHT}
    declared = {f"{file}/{name}" for file in files for name in mutants(str(EXAMPLES / file))}
    assert declared == {reference for reference, *_ in BROKEN if "/" in reference}


def test_every_example_is_tested() -> None:
    """A new example that no test runs."""
    elsewhere = {"sharing_policy.py", "polite_crawler.py", "breadth_first_log.py"}
    tested = {file for file, *_ in RIGHT} | elsewhere
    assert {path.name for path in EXAMPLES.glob("*.py")} == tested


@pytest.mark.long
def test_the_policy(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy that is no longer better than breadth-first, or breaks a rule."""
    monkeypatch.chdir(EXAMPLES)
    code = run(counterpoint, [
        "compare", "breadth-first", "sharing_policy:Sharing", "--web", "broder-1999",
        "--web-pages", "1000", "--pages", "100", "--seeds", "3", "--format", "json",
    ])  # fmt: skip
    measures = json.loads(capsys.readouterr().out)["policies"][1]["measures"]
    assert code == 0
    assert measures["quality"]["against"]["wins"] == 3


CRAWLS = """\
```console
$ counterpoint web serve --profile broder-1999 --pages 2000 --seed 7 --port 8080 \\
  --log polite.jsonl &
$ counterpoint web serve --profile broder-1999 --pages 2000 --seed 7 --port 8081 \\
  --log rude.jsonl &
$ http_proxy=http://127.0.0.1:8080 python EXAMPLES/polite_crawler.py http://dubaba.test/ 300
300 pages fetched
$ http_proxy=http://127.0.0.1:8081 python EXAMPLES/polite_crawler.py http://dubaba.test/ 300 --rude
300 pages fetched
$ counterpoint web judge polite.jsonl --format json > polite.json
$ counterpoint web judge rude.jsonl --format json > rude.json
```
"""


@pytest.mark.long
def test_the_crawler(tmp_path: Path) -> None:
    """A crawler that fetches what robots.txt forbids, or a referee that does not see it."""
    page = read_page(CRAWLS.replace("EXAMPLES", str(EXAMPLES)))
    run_page("examples", page, tmp_path, database=str)
    polite, rude = (json.loads((tmp_path / f"{n}.json").read_text()) for n in ("polite", "rude"))
    assert (polite["disallowed"]["requests"], rude["disallowed"]["requests"]) == (0, 2)
    assert rude["coverage"]["fetched"] == 288

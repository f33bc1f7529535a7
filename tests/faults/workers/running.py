"""One run of the laboratory, and many."""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from counterpoint.crawler.store.opening import open_store
from counterpoint.sim_web.referee.known import truth
from counterpoint.sim_web.referee.opening import Selection, judge_file
from tests.crawler.beebot.together import replayed
from tests.faults.fault_webs import DELAY, expected, found, served, starts, web
from tests.postgres import Server, new_server

from .crew import Crew, crew

POLICIES = ("breadth-first", "equal-quanta", "R3", "opic")
WEBS = 4
WORKERS = 3
EVENTS = (3, 7)
"""The least and the greatest number of kills, stops, interruptions and joins in a run."""


def one_run(postgres: Server, seed: int, number: int) -> tuple[Counter[str], list[str]]:
    """Crawl once; return counts of what was done, and what was wrong."""
    chance = random.Random(f"{seed}/{number}")
    of_seed, policy = seed * WEBS + chance.randrange(WEBS), chance.choice(POLICIES)
    wanted, of = expected(of_seed, policy), web(of_seed)
    with TemporaryDirectory() as name:
        folder, where = Path(name), postgres.database()
        (folder / "sites").write_text("".join(f"{start}\n" for start in starts(of)))
        with served(of, folder / "log") as proxy:
            first = ["crawl", policy, "--db", where, "--seeds", str(folder / "sites"),
                     "--budget", "100000", "--proxy", proxy, "--delay", str(DELAY),
                     "--concurrency", str(chance.choice((1, 4, 16))), "--stay"]  # fmt: skip
            with crew(first, where, folder, chance, lambda: _is_asked(folder / "log")) as made:
                for _ in range(WORKERS):
                    made.join()
                for _ in range(chance.randint(*EVENTS)):
                    _wait(made, chance.uniform(0.1, 0.9))
                    made.harm()
                try:
                    made.run_to_the_end()
                except AssertionError as error:
                    return made.counts, [str(error), *made.problems()]
        wrong = [*made.problems(), *_of_store(where, wanted, made), *_of_log(folder / "log", made)]
        postgres.execute(f"DROP DATABASE {where.rpartition('/')[2].partition('?')[0]} WITH (FORCE)")
    return made.counts, wrong


def _is_asked(log: Path) -> bool:
    """Return whether the server was asked for anything; its log begins with a header."""
    return log.exists() and log.read_bytes().count(b"\n") > 1


def _wait(made: Crew, seconds: float) -> None:
    """Wait, and wake those whose time comes meanwhile."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        made.wake()
        time.sleep(0.02)


def _of_store(where: str, wanted: frozenset[object], made: Crew) -> Iterator[str]:
    """Yield how a store differs from that of an undisturbed crawl."""
    with open_store(where) as store:
        try:
            have = found(store)
        except AssertionError as error:
            yield str(error)
            return
        if replayed(store).in_flight:
            yield "the plan has ended, and visits are open"
    different = sorted(map(str, have ^ wanted))
    made.counts["compared"] += len(wanted)
    made.counts["differences"] += len(different)
    if different:
        yield f"{len(different)} rows differ: {'; '.join(different[:5])}"


def _of_log(log: Path, made: Crew) -> Iterator[str]:
    """Yield what the referee finds wrong in the log of the server."""
    report = judge_file(log, Selection(), truth)
    made.counts["requests"] += report.disallowed.judged
    made.counts["waits"] += report.crawl_delay.waits
    if report.disallowed.requests:
        yield f"{report.disallowed.requests} requests that robots.txt forbids"
    if report.crawl_delay.broken:
        yield (
            f"{report.crawl_delay.broken:.2%} of {report.crawl_delay.waits} delays were too short; "
            f"the shortest was {report.crawl_delay.least} of what was asked for"
        )
    if report.concurrency.greatest != 1:
        yield f"{report.concurrency.greatest} requests at a time to {report.concurrency.at}"


def many_runs(
    seed: int, first: int, runs: int, seconds: float
) -> tuple[Counter[str], dict[int, list[str]]]:
    """Crawl many times; return the sums of the counts, and what was wrong by the run's number.

    Parameters
    ----------
    seed, first, runs : int
        Runs are numbered from ``first`` on.
    seconds : float
        After so many seconds no run begins.
    """
    end = time.monotonic() + seconds
    counts: Counter[str] = Counter()
    wrong: dict[int, list[str]] = {}
    with new_server() as postgres:
        for number in range(first, first + runs):
            if time.monotonic() > end:
                break
            done, problems = one_run(postgres, seed, number)
            counts += done
            counts["runs"] += 1
            if problems:
                wrong[number] = problems
                lines = (f"run {number}: {problems[0]}", *problems[1:], repeat(seed, number))
                print("\n  ".join(lines), flush=True)
            print(f"\r{number - first + 1} of {runs} ", end="", file=sys.stderr, flush=True)
        log = (postgres.folder / "log").read_text(errors="replace")
        counts["deadlocks"] = log.count("deadlock detected")
    return counts, wrong


def repeat(seed: int, number: int) -> str:
    """Return the command that repeats a run."""
    return f"python -m tests.faults.workers --seed {seed} --first {number} --runs 1"

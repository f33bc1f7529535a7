"""Runs crawlers on all their webs, several at the same time."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Lock, Thread

from counterpoint.crawler.errors import CrawlError
from counterpoint.sim_web.describe.memory import must_fit

from .host import Host, HostEndedError, folder_of
from .runs import Crawl, Finding, Subject, SubjectRun, check_name

Tell = Callable[[str], None]

KILLED = "the process that serves its web was ended from outside, perhaps because memory ran out"
"""What is said of a run whose server has ended."""


def run(
    subjects: Sequence[Subject], folder: Path, processes: int = 1, tell: Tell | None = None
) -> list[list[SubjectRun]]:
    """Let each crawler crawl all of its webs, and judge the logs.

    Parameters
    ----------
    subjects : sequence of Subject
    folder : Path
        Logs and outputs are written here, in a folder for each run.
    processes : int
        How many crawlers run at the same time.
    tell : callable, optional
        Called with a line of text about the progress.

    Returns
    -------
    list of list of SubjectRun
        For each subject its runs, by seed and repeat.

    Raises
    ------
    CrawlError, WebError
        If a name is wrong or there twice, or a web cannot be generated. Nothing has run then.
    """
    _check(subjects)
    crawls = [
        (place, Crawl(one, seed, repeat, folder_of(folder, one, seed, repeat)))
        for place, one in enumerate(subjects)
        for seed in one.seeds
        for repeat in range(one.repeats)
    ]
    found: dict[tuple[int, int, int], SubjectRun] = {}
    with _Hosts(min(processes, max(1, len(crawls)))) as hosts:
        for place, made in hosts.work(crawls):
            found[place, made.seed, made.repeat] = made
            if tell is not None:
                tell(f"{len(found)} of {len(crawls)} runs: {subjects[place].name}, {made.name}")
    return [
        [found[place, seed, repeat] for seed in one.seeds for repeat in range(one.repeats)]
        for place, one in enumerate(subjects)
    ]


def _check(subjects: Sequence[Subject]) -> None:
    names = [one.name for one in subjects]
    for subject in subjects:
        check_name(subject.name)
        if names.count(subject.name) > 1:
            raise CrawlError(f"two crawlers are named '{subject.name}'")
        if len(set(subject.seeds)) != len(subject.seeds) or not subject.seeds:
            raise CrawlError(f"{subject.name}: its seeds are none, or one of them is there twice")
        must_fit(subject.profile, subject.pages_of_web)


class _Hosts:
    """As many processes as there are crawlers at the same time."""

    def __init__(self, number: int) -> None:
        self._replacing, self._is_left = Lock(), False
        self._hosts = [Host() for _ in range(number)]
        self._idle: queue.SimpleQueue[Host] = queue.SimpleQueue()
        for host in self._hosts:
            self._idle.put(host)
        self._threads = ThreadPoolExecutor(number)

    def __enter__(self) -> _Hosts:
        return self

    def __exit__(self, *_: object) -> None:
        """End all processes with their crawlers; waiting crawls do not begin."""
        with self._replacing:
            self._is_left = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        ends = [Thread(target=host.end) for host in self._hosts]
        for end in ends:
            end.start()
        for end in ends:
            end.join()
        self._threads.shutdown()

    def work(self, crawls: Sequence[tuple[int, Crawl]]) -> Iterator[tuple[int, SubjectRun]]:
        """Yield each run with the place of its subject, as it ends."""
        waiting = {self._threads.submit(self._run, crawl): place for place, crawl in crawls}
        for future in as_completed(waiting):
            yield waiting[future], future.result()

    def _run(self, crawl: Crawl) -> SubjectRun:
        host = self._idle.get()
        try:
            return host.run(crawl)
        except HostEndedError:
            host = self._instead_of(host)
            return SubjectRun(
                crawl.seed, crawl.repeat, "killed", None, 0.0,
                findings=(Finding("unknown", KILLED),), folder=crawl.folder,
            )  # fmt: skip
        finally:
            self._idle.put(host)

    def _instead_of(self, ended: Host) -> Host:
        """Return a new process, unless all are about to end."""
        ended.end()
        with self._replacing:
            if self._is_left:
                return ended
            self._hosts[self._hosts.index(ended)] = made = Host()
            return made

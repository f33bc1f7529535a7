"""A process that serves webs to a crawler, watches it, and judges its logs.

It is a new interpreter in a session of its own, so that Ctrl-C reaches its parent alone. It ends
when its standard input ends, which happens when its parent ends for any reason, and ends the
crawler first.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from threading import Thread

from counterpoint.crawler.policy.protocol import Scope
from counterpoint.models.checking.pool import sendable
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.pages.traps import bomb
from counterpoint.sim_web.pages.truth import documents
from counterpoint.sim_web.world.site import SyntheticSite
from counterpoint.studies.comparison.planted import Planted

from . import processes
from .digests import digest_of_web
from .judging import LogJudge, OpenWeb, plan_of
from .runs import Crawl, Finding, Subject, SubjectRun, separated
from .serving import LOG, Ended, crawl

_BEGIN = """
import sys
sys.path[:] = {path!r}
from counterpoint.studies.subjects.host import serve
serve({connection})
"""

_PREPARED = 100
"""How many pages are written before a crawl."""

_PATIENCE = 15.0
"""Seconds after which a process that should end is killed."""


class HostEndedError(RuntimeError):
    """The process has ended, and not because its parent wanted it to."""


class Host:
    """The parent's side of the process."""

    def __init__(self) -> None:
        self._connection, theirs = Pipe()
        path = [os.path.abspath(part) for part in sys.path]
        program = _BEGIN.format(path=path, connection=theirs.fileno())
        self._process = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=2,
            pass_fds=(theirs.fileno(),), start_new_session=True,
        )  # fmt: skip
        theirs.close()

    def run(self, todo: Crawl) -> SubjectRun:
        """Make a run, and return it.

        Raises
        ------
        WebError
            If the web cannot be generated or served.
        HostEndedError
            If the process was ended from outside. The session of its crawler is ended then.
        """
        session = 0
        try:
            self._connection.send(todo)
            while isinstance(found := self._connection.recv(), int):
                session = found
        except (EOFError, OSError):
            if session:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(session, signal.SIGKILL)
            raise HostEndedError from None
        if isinstance(found, BaseException):
            raise found
        assert isinstance(found, SubjectRun)
        return found

    def end(self) -> None:
        """End the process, and first the crawler that it watches."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._connection.close()


def serve(connection: int) -> None:
    """Receive crawls and send their runs, until the parent ends; the main loop of the process."""
    signal.signal(signal.SIGINT, lambda *_: None)  # a handler, which a crawler does not inherit
    processes.adopt_orphans()
    web: list[tuple[tuple[object, ...], Planted]] = []
    with Connection(connection) as parent:
        sessions = processes.Sessions(parent.send)
        _end_with_parent(sessions)
        while True:
            try:
                todo: Crawl = parent.recv()
            except (EOFError, ConnectionResetError):
                return
            try:
                found: SubjectRun | BaseException = _run(todo, web, sessions)
            except Exception as error:
                found = sendable(error)
            with suppress(BrokenPipeError):
                parent.send(found)


def _run(
    todo: Crawl, web: list[tuple[tuple[object, ...], Planted]], sessions: processes.Sessions
) -> SubjectRun:
    subject = todo.subject
    key = (repr(subject.profile), subject.web_pages, todo.seed)
    if not web or web[0][0] != key:
        web[:] = [(key, OpenWeb(plan_of(subject), todo.seed))]
    planted = web[0][1]
    starts = start_pages(planted)
    prepare(planted.web)
    todo.folder.mkdir(parents=True, exist_ok=True)
    (todo.folder / LOG).unlink(missing_ok=True)
    end = crawl(planted.web, todo, [address(planted.web, page) for page in starts], sessions)
    known = starts if subject.command.uses("seeds_file") else starts[:1]
    return _judged(todo, planted, end, known)


def prepare(web: Web) -> None:
    """Make some answers before the clock of a crawler starts, so that everything is compiled."""
    site = SyntheticSite(web)
    for page in range(min(_PREPARED, web.pages)):
        for url in documents(web, page):
            site.answer(Question(url, 0.0))
    for path in ("robots.txt", "sitemap.xml"):
        site.answer(Question(f"http://{web.name(0)}/{path}", 0.0))
    if web.profile.faults.bomb:
        bomb()  # it takes half a second, in which no request would be answered


def start_pages(planted: Planted) -> list[int]:
    """Return the start pages of the target set, those from which most of the web is reached first.

    These are the pages in the strong component, then those that lead to it, then others.
    """
    ranks = {0: 0, 1: 1}  # the strong component, and IN
    pages = planted.starts(Scope.WEB)
    return sorted(pages, key=lambda page: ranks.get(int(planted.web.component(page)), 2))


def _judged(todo: Crawl, planted: Planted, end: Ended, starts: list[int]) -> SubjectRun:
    subject = todo.subject
    budget = subject.pages if subject.cut or subject.ended_at_budget else None
    judged = LogJudge(planted).judge(todo.folder / LOG, budget, starts, plan_of(subject))
    measures, unknown = separated(judged.values)
    return SubjectRun(
        todo.seed, todo.repeat, end.how, end.exit_code, end.seconds, measures, unknown,
        judged.order, judged.facts, tuple(_findings(subject, end, bool(judged.order))), end.tail,
        todo.folder, judged.crawl, digest_of_web(planted),
    )  # fmt: skip


def _findings(subject: Subject, end: Ended, asked: bool) -> list[Finding]:
    """Return what is wrong with a run as such."""
    if end.how == "not started":
        return [Finding("fell", f"it could not be started: {end.tail}")]
    if end.how == "timeout":
        return [Finding("unknown", f"it was ended after {subject.timeout:g} s, its time limit")]
    found = []
    if end.how == "exit" and end.exit_code:
        code = end.exit_code
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        found.append(Finding("fell", f"it ended with {how}"))
    if not asked:
        found.append(Finding("fell", "it requested nothing through http_proxy"))
    return found


def _end_with_parent(sessions: processes.Sessions) -> None:
    """End the crawler and this process when the parent closes standard input, or ends."""

    def wait() -> None:
        os.read(0, 1)
        sessions.close(grace=1.0)
        os._exit(1)

    Thread(target=wait, daemon=True).start()


def folder_of(folder: Path, subject: Subject, seed: int, repeat: int) -> Path:
    """Return the folder for the files of a run."""
    return folder / subject.name / f"seed-{seed}-{repeat + 1}"

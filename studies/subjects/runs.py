"""What is run, and what came out: a crawler's task on the web of a seed, and its run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from counterpoint.crawler.errors import CrawlError
from counterpoint.sim_web.profile import Profile
from counterpoint.studies.comparison.run import PolicyRun

from .commands import CrawlerCommand
from .links import FollowedLinks
from .measures import Value

TIMEOUT = 120.0
"""Seconds that one run may take by default."""

TAIL = 20
"""How many lines of a crawler's output are shown."""

NAME = r"^\w[\w.+-]*$"
"""The form of a crawler's name, which is a name of a folder and of a file as well."""


def check_name(name: str) -> None:
    """Raise CrawlError if a crawler cannot have a name, as ``..`` or one with a slash."""
    if not re.fullmatch(NAME, name):
        raise CrawlError(
            f"'{name}' cannot be the name of a crawler: a name has letters, digits, and the signs "
            ". + - _, and begins with a letter, a digit or _"
        )


@dataclass(frozen=True)
class Subject:
    """A foreign crawler, and the webs that it crawls.

    Attributes
    ----------
    name : str
    command : CrawlerCommand
    profile : Profile
        The profile of the webs.
    pages : int or None
        How many pages it may fetch. A crawler whose command does not contain {pages} is ended when
        it has fetched so many; None: as many as it likes.
    web_pages : int or None
        The pages of each web; None: as the profile says.
    seeds : tuple of int
    repeats : int
        How often it crawls the web of each seed.
    timeout : float
        Seconds that one run may take.
    real_time : bool
        Whether the time of the web follows the wall clock, so that waits can be judged.
    cwd : Path
        The folder in which the command runs.
    env : mapping of str to str
        Variables of its environment, beside those of this process.
    cut : bool
        Whether the log is judged only up to the request that fetched the last page of the budget,
        as it is for a comparison with policies.
    """

    name: str
    command: CrawlerCommand
    profile: Profile
    pages: int | None = None
    web_pages: int | None = None
    seeds: tuple[int, ...] = (0,)
    repeats: int = 1
    timeout: float = TIMEOUT
    real_time: bool = False
    cwd: Path = Path()
    env: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False

    @property
    def pages_of_web(self) -> int:
        """Number of pages of each web."""
        return int(self.profile.pages) if self.web_pages is None else self.web_pages

    @property
    def ended_at_budget(self) -> bool:
        """Whether the crawler is ended when it has fetched its pages."""
        return self.pages is not None and not self.command.uses("pages")


@dataclass(frozen=True)
class Crawl:
    """One run to be made: a subject, a seed, which repeat, and the folder for its files."""

    subject: Subject
    seed: int
    repeat: int
    folder: Path


@dataclass(frozen=True)
class Finding:
    """What is wrong with a run, in a sentence.

    Attributes
    ----------
    answer : str
        ``fell``, or ``unknown`` if nothing can be concluded from the run.
    text : str
    """

    answer: str
    text: str


@dataclass(frozen=True)
class RunFacts:
    """Details of a run, for sentences about it.

    Attributes
    ----------
    disallowed : tuple of str
        The first addresses that were requested although robots.txt forbids them.
    starving : tuple of str
        The sites that the crawler can reach, of which it fetched nothing.
    sites : mapping of str to int
        How many pages of each site of the target set were fetched, and of all other hosts
        (``elsewhere``).
    followed : mapping of str to FollowedLinks
        By kind of link.
    reachable : int or None
        The pages that the crawler can reach if it obeys robots.txt; None: unknown.
    reached : int or None
        How many of them it fetched.
    """

    disallowed: tuple[str, ...] = ()
    starving: tuple[str, ...] = ()
    sites: Mapping[str, int] = field(default_factory=dict)
    followed: Mapping[str, FollowedLinks] = field(default_factory=dict)
    reachable: int | None = None
    reached: int | None = None


@dataclass(frozen=True)
class SubjectRun:
    """A run of a crawler on the web of a seed.

    Attributes
    ----------
    seed, repeat : int
    ended : str
        Why the run ended: ``exit``, ``budget`` (all pages were fetched), ``timeout``, ``not
        started``, or ``killed`` (the process that served its web).
    exit_code : int or None
        Negative for a signal; None if the crawler did not end by itself.
    seconds : float
        From the start of the command to its end.
    measures : dict of str to float
        By the names of `measures.MEASURES`.
    unknown : dict of str to str
        For each measure without a value, the reason.
    order : tuple of str
        The requested addresses in the order of the requests; a method other than GET comes first.
    facts : RunFacts
    findings : tuple of Finding
        What is wrong with the run itself, whatever was asked of its measures.
    tail : str
        The last lines of the crawler's output.
    folder : Path
        It contains ``access.jsonl``, ``output.txt`` and ``seeds.txt``, if it is kept.
    crawl : PolicyRun or None
        The run with the measures of policies; None if it fetched no page.
    web_digest : str
        A digest of the web that it crawled.
    """

    seed: int
    repeat: int
    ended: str
    exit_code: int | None
    seconds: float
    measures: dict[str, float] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    facts: RunFacts = RunFacts()
    findings: tuple[Finding, ...] = ()
    tail: str = ""
    folder: Path = Path()
    crawl: PolicyRun | None = field(default=None, compare=False)
    web_digest: str = ""

    @property
    def name(self) -> str:
        """The run in words."""
        return f"seed {self.seed}" + (f", repeat {self.repeat + 1}" if self.repeat else "")


def separated(values: Mapping[str, Value]) -> tuple[dict[str, float], dict[str, str]]:
    """Return the known values, and the reasons why the others are unknown."""
    known = {name: value for name, value in values.items() if not isinstance(value, str)}
    return known, {name: value for name, value in values.items() if isinstance(value, str)}

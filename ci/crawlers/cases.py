"""A case of the gate for crawlers: a command, its webs, and what its measures must be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from counterpoint.crawler.errors import CrawlError
from counterpoint.sim_web import profile
from counterpoint.studies.subjects import Subject, command_of
from counterpoint.studies.subjects.measures import OF_REAL_TIME
from counterpoint.studies.subjects.runs import TIMEOUT, check_name

from .bands import Bands, bands_of
from .must import Condition, condition_of

ORDERS = ("any", "exact")
CLOCKS = ("auto", "virtual", "real")


@dataclass(frozen=True)
class CrawlerCase:
    """A crawler, the webs that it crawls, and what is asked of it.

    Attributes
    ----------
    name : str
        It names the baseline as well.
    command : str
        With placeholders, see `counterpoint.studies.subjects.commands`.
    web : str
        The name of a profile, or the file of one.
    pages : int or None
        How many pages it may fetch; None: as many as it likes.
    web_pages : int or None
        Pages of each web; None: as the profile says.
    seeds : tuple of int
    repeats : int
        How often each web is crawled; several repeats show the noise.
    timeout : float
        Seconds of one run.
    must : tuple of str
        Conditions that hold for every run, as ``disallowed == 0``.
    band : mapping of str to (float or str)
        By measure, or ``default``: how far its mean may move from the baseline, as a number or as a
        share of the baseline ("10%").
    order : str
        ``exact`` if the requests must be those of the baseline in the same order, else ``any``.
    cwd : Path
        The folder in which the command runs.
    env : mapping of str to str
        Variables of its environment.
    clock : str
        ``virtual``: each request takes 0.1 s; ``real``: the clock of this machine, so that waits
        can be judged; ``auto``: real if a condition or a band names a measure of waits.
    """

    name: str
    command: str
    web: str
    pages: int | None = 1000
    web_pages: int | None = None
    seeds: tuple[int, ...] = (0, 1, 2)
    repeats: int = 1
    timeout: float = TIMEOUT
    must: tuple[str, ...] = ()
    band: Mapping[str, float | str] = field(default_factory=dict)
    order: str = "any"
    cwd: Path = Path()
    env: Mapping[str, str] = field(default_factory=dict)
    clock: str = "auto"

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """The parsed conditions."""
        return tuple(condition_of(text) for text in self.must)

    @cached_property
    def bands(self) -> Bands:
        """The parsed bands."""
        return bands_of(self.band)

    @property
    def real_time(self) -> bool:
        """Whether the time of the webs follows the clock of this machine."""
        if self.clock != "auto":
            return self.clock == "real"
        named = {one.measure.name for one in self.conditions} | set(self.bands.by_measure)
        return any(name in named for name in OF_REAL_TIME)

    def subject(self) -> Subject:
        """Return the crawler to be run.

        Raises
        ------
        CrawlError, WebError
            If the command, a condition, a band or the web is wrong; the message names the crawler.
        """
        try:
            self._check()
            return Subject(
                self.name, command_of(self.command), profile.load(self.web), self.pages,
                self.web_pages, self.seeds, self.repeats, self.timeout, self.real_time,
                self.cwd, self.env,
            )  # fmt: skip
        except CrawlError as error:
            raise CrawlError(f"crawler '{self.name}': {error}") from None

    def _check(self) -> None:
        check_name(self.name)
        if self.order not in ORDERS:
            raise CrawlError(f"the order is {' or '.join(ORDERS)}, not {self.order!r}")
        if self.clock not in CLOCKS:
            raise CrawlError(f"the clock is {', '.join(CLOCKS)}, not {self.clock!r}")
        if not self.timeout > 0 or self.repeats < 1:
            raise CrawlError("the time limit and the number of repeats must be above zero")
        for name, value in self.env.items():
            if not name or "=" in name or "\0" in name + value:
                raise CrawlError(f"no environment can have a variable {name!r} = {value!r}")
        named = [*(one.measure.name for one in self.conditions), *self.bands.by_measure]
        for name in named:
            if name in OF_REAL_TIME and not self.real_time:
                raise CrawlError(f'{name} can be judged only with clock = "real"')

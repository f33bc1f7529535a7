"""The crawl in the API: its state, its buttons, its settings, and its statuses over time."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from sqlalchemy import Row, func, select

from counterpoint.crawler.beebot.plan import CrawlSettings
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.outcomes import Outcomes, outcomes
from counterpoint.crawler.store.schema import Standing, plans, seeds
from counterpoint.studio import wishing
from counterpoint.studio.api.declared import ApiError, Endpoint, Given
from counterpoint.studio.api.shapes import Schema, fields_of, schema_of
from counterpoint.studio.crawling import CRAWLING, CrawlState
from counterpoint.studio.stored import FEED, asked, changed


class Plan(NamedTuple):
    """The present plan of the crawl.

    Attributes
    ----------
    number : int
    policy : str
    budget : int
        Pages; of a plan that keeps pages fresh, the most pages that are visited.
    seconds : float or None
        The budget of time; None: there is none.
    spent : float
        Seconds that are spent.
    visits, fetched : int
        Requests that were made, also those without an answer yet, and pages that came.
    every : float or None
        The mean seconds between two visits of a page, if the plan keeps pages fresh; it does not
        end by itself then.
    part : float or None
        Which part of the budget is spent, of visits or of time; None: neither ends the plan.
    ended : str
        Why it ended; "": it has not.
    failed : bool
    """

    number: int
    policy: str
    budget: int
    seconds: float | None
    spent: float
    visits: int
    fetched: int
    every: float | None
    part: float | None
    ended: str
    failed: bool


class Totals(NamedTuple):
    """Sums over all sites; ``unavailable``: sites whose start page could not be loaded."""

    sites: int
    unavailable: int
    known: int
    fetched: int
    internal: int
    external: int
    bad: int


class Crawl(NamedTuple):
    """The crawl: whether it runs, what it waits for, why it failed, its plan, and its totals."""

    state: Literal["idle", "running", "stopping"]
    paused: bool
    pid: int | None
    waits: str
    trouble: str
    plan: Plan | None
    totals: Totals


async def show_crawl(given: Given) -> Crawl:
    """Return the state of the crawl."""
    crawling = given.request.app[CRAWLING]
    state = await asked(given.request, lambda _: crawling.state())
    return await asked(given.request, _crawl, state)


def _crawl(store: Store, state: CrawlState) -> Crawl:
    of_sites = [func.coalesce(func.sum(seeds.c[name]), 0) for name in Totals._fields[2:]]
    with store.reading() as connection:
        row = connection.execute(select(plans).order_by(plans.c.number.desc()).limit(1)).first()
        sums = connection.execute(select(func.count(), *of_sites).select_from(seeds)).one()
        left = select(func.count()).select_from(seeds)
        left = left.where(seeds.c.standing == Standing.UNAVAILABLE)
        totals = Totals(sums[0], connection.execute(left).scalar_one(), *map(int, sums[1:]))
    name: Any = state.name
    return Crawl(name, wishing.stored(store).paused, state.pid, state.waits, state.trouble,
                 None if row is None else _plan(row), totals)  # fmt: skip


def _plan(row: Row[Any]) -> Plan:
    options = json.loads(row.told)
    every = options["every"] if options.get("first") else None
    parts = [] if every else [row.visits / max(1, row.budget)]
    parts += [row.spent / row.seconds] if row.seconds else []
    part = min(1.0, max(parts)) if parts else None
    return Plan(row.number, row.policy, row.budget, row.seconds, round(row.spent, 1), row.visits,
                row.fetched, every, part, row.ended, row.failed)  # fmt: skip


async def start_crawl(given: Given) -> Crawl:
    """Start or resume the crawl."""
    crawling = given.request.app[CRAWLING]
    if not (await show_crawl(given)).totals.sites:
        raise ApiError(409, "There is no site to crawl.")
    await _acted(given, lambda: crawling.start())
    return await show_crawl(given)


async def stop_crawl(given: Given) -> Crawl:
    """Stop the crawl."""
    crawling = given.request.app[CRAWLING]
    if not await _acted(given, lambda: crawling.stop()):
        raise ApiError(409, "No crawl runs that could be stopped here.")
    return await show_crawl(given)


async def _acted(given: Given, act: Callable[[], Any]) -> Any:
    try:
        return await asked(given.request, lambda _: act())
    except CrawlError as error:
        raise ApiError(409, _sentence(error)) from error
    finally:
        given.request.app[FEED].hurry()


async def pause_crawl(given: Given) -> Crawl:
    """Pause the crawl."""
    await changed(given.request, wishing.pause, True)
    return await show_crawl(given)


async def continue_crawl(given: Given) -> Crawl:
    """Continue the crawl."""
    await changed(given.request, wishing.pause, False)
    return await show_crawl(given)


async def show_settings(given: Given) -> CrawlSettings:
    """Return the settings; a password that an earlier version has stored is not shown."""
    wishes = await asked(given.request, wishing.stored)
    return replace(wishes, proxy=None) if "@" in (wishes.proxy or "") else wishes


async def change_settings(given: Given) -> CrawlSettings:
    """Change some settings, all or none, by the rules of the forms."""
    names = set(given.body)
    if names & {"kind", "scheduler"}:
        names |= {"kind", "scheduler"}  # each replaces the other
    state = await asked(given.request, lambda _: given.request.app[CRAWLING].state())
    fixed = names & set(wishing.PLAN) - set(wishing.PACE)
    if state.name != "idle" and fixed:
        raise ApiError(409, "The crawl runs: stop it to change its plan.",
                       dict.fromkeys(sorted(fixed), "It cannot be changed now."))  # fmt: skip
    before = await asked(given.request, wishing.stored)
    wishes = _changed(before, given.body)
    if names:
        await changed(given.request, wishing.keep, wishes, tuple(sorted(names)))
    return await show_settings(given)


def _changed(before: CrawlSettings, body: dict[str, Any]) -> CrawlSettings:
    """Return the settings with changes.

    Raises
    ------
    ApiError
        If a change is wrong.
    """
    listed: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value
                              for name, value in body.items()}  # fmt: skip
    wanted = replace(before, **listed)
    texts = wishing.shown(wanted, (*wishing.PLAN, *wishing.MANNERS)).values
    texts["proxy"] = body.get("proxy") or texts["proxy"]
    if "kind" in body and "scheduler" not in body:
        texts["kind"] = body["kind"]
    of_plan, wishes = wishing.plan(texts, before)
    of_manners, wishes = wishing.manners(texts, wishes)
    wrong = of_plan.errors | of_manners.errors
    wrong = {name: words for name, words in wrong.items() if name in body}
    for name in ("include", "exclude"):
        if name in body and name not in wrong and list(getattr(wishes, name)) != body[name]:
            wrong[name] = "An entry is one rule, without spaces around it."
    if wrong:
        raise ApiError(422, "Nothing is changed.", wrong)
    return wishes


def _sentence(error: CrawlError) -> str:
    text = str(error)
    return text[:1].upper() + text[1:] + "."


def _changeable() -> Schema:
    """Return the schema of changes: the settings of the forms, each of its type."""
    hints = fields_of(CrawlSettings)
    names = (*wishing.PLAN, *wishing.MANNERS)
    return {"type": "object", "additionalProperties": False,
            "properties": {name: schema_of(hints[name], {}) for name in names}}  # fmt: skip


async def show_statuses(given: Given) -> Outcomes:
    """Return how the last visits of the present plan ended."""
    return await asked(given.request, outcomes)


ENDPOINTS = (
    Endpoint("GET", "/crawl", "The state of the crawl, its plan and its totals.", show_crawl,
             Crawl),
    Endpoint("POST", "/crawl/start", "Start the crawl, or resume it.", start_crawl, Crawl,
             failures=(409,)),
    Endpoint("POST", "/crawl/stop", "Stop the crawl after the pages in flight; at the second "
             "request, stop it at once.", stop_crawl, Crawl, failures=(409,)),
    Endpoint("POST", "/crawl/pause", "Begin no new request until the crawl is continued.",
             pause_crawl, Crawl),
    Endpoint("POST", "/crawl/continue", "Continue a crawl that was paused.", continue_crawl, Crawl),
    Endpoint("GET", "/settings", "The settings of the crawl.", show_settings, CrawlSettings),
    Endpoint("PATCH", "/settings", "Change some settings, all or none. While the crawl runs, it "
             "follows concurrency and delay within a second, and the rest of its plan is refused.",
             change_settings, CrawlSettings, body=_changeable(), failures=(409,)),
    Endpoint("GET", "/statuses", "How the last visits of the present plan ended, over time.",
             show_statuses, Outcomes),
)  # fmt: skip

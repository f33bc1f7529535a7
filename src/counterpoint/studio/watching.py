"""The state of a crawl for the views: data of the store, and figures computed from its visits."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Integer, Row, select, text

from counterpoint.crawler.beebot.plan import CrawlSettings
from counterpoint.crawler.store.recording import Recording
from counterpoint.crawler.store.schema import Standing, pages, plans, seeds, visits
from counterpoint.studio.progress import Arm, History, ObservedVisit, arms, discount_of, rule_of

if TYPE_CHECKING:
    from counterpoint.crawler.store.opening import Store
    from counterpoint.studio.crawling import CrawlProcess

_CHUNK = 20_000
_SHOWN = 40
"""Largest number of sites that are compared in one table."""
_COLOURED = 6


class StoreWatcher:
    """Reads the state of a crawl from the store, again and again.

    Parameters
    ----------
    store : Store
    crawling : CrawlProcess
        The process that crawls.
    """

    def __init__(self, store: Store, crawling: CrawlProcess) -> None:
        self.store, self.crawling = store, crawling
        self._history = History()
        self._known: frozenset[int] = frozenset()
        self._lock = threading.Lock()

    def look(self) -> dict[str, Any]:
        """Return the state, ready for JSON; only keys whose values changed are sent to views."""
        with self._lock, self.store.reading() as connection:
            sites = connection.execute(select(seeds).order_by(seeds.c.number)).all()
            plan = connection.execute(
                select(plans).order_by(plans.c.number.desc()).limit(1)
            ).first()
            known = frozenset(site.number for site in sites)
            if self._known - known:  # a site was removed, and its visits with it
                self._history = History()
            self._known = known
            self._read_on(connection, plan)
            visits_again = kept_fresh(plan)
            return {
                "problem": "",
                "crawl": self._crawl(plan, visits_again) | {"paused": is_paused(connection)},
                "totals": _totals(sites),
                "sites": {str(site.number): _site(site) for site in sites},
                "curve": [[round(p.time, 1), p.pages, p.links] for p in self._history.curve()],
                "shares": self._shares(sites),
                "arms": {"rows": []} if visits_again else self._arms(connection, plan, sites),
            }

    def _read_on(self, connection: Connection, plan: Row[Any] | None) -> None:
        """Add the visits that were observed since the last call to the figures."""
        if plan is None or plan.number != self._history.plan:
            self._history = History(
                plan=-1 if plan is None else plan.number,
                discount=1.0 if plan is None else discount_of(plan.policy),
            )
        if plan is None:
            return
        history = self._history
        # A page is visited again and again then, with the same links: its changes are counted.
        found = (visits.c.difference != 0).cast(Integer) if kept_fresh(plan) else visits.c.external
        while True:
            rows = connection.execute(
                select(visits.c.observed, visits.c.seed, found, visits.c.time)
                .where(visits.c.plan == plan.number, visits.c.observed > history.events)
                .order_by(visits.c.observed)
                .limit(_CHUNK)
            ).all()
            history.add(ObservedVisit(*row[1:]) for row in rows)
            if rows:
                history.events = rows[-1][0]
            if len(rows) < _CHUNK:
                return

    def _crawl(self, plan: Row[Any] | None, visits_again: dict[str, Any]) -> dict[str, Any]:
        running = self.crawling.state()
        state: dict[str, Any] = {
            "state": running.name, "pid": running.pid, "waits": running.waits,
            "trouble": running.trouble,
        }  # fmt: skip
        if plan is not None:
            state |= {
                "policy": plan.policy, "plan": plan.number, "budget": plan.budget,
                "seconds": plan.seconds, "spent": round(plan.spent, 1),
                "fetched": plan.fetched, "visits": self._history.pages,
                "links": self._history.links, "ended": plan.ended, "failed": plan.failed,
                **visits_again,
            }  # fmt: skip
        return state

    def _shares(self, sites: Sequence[Row[Any]]) -> dict[str, Any]:
        """Return how the visits in each part of the crawl are divided among sites."""
        history = self._history
        largest = sorted(history.tallies, key=lambda k: (-history.tallies[k].pages, k))
        named = sorted(largest[:_COLOURED])
        names = {site.number: name_of(site) for site in sites}
        return {
            "width": history.width,
            "names": [names.get(k, f"site {k}") for k in named],
            "seeds": named,
            "rest": len(largest) - len(named),
            "buckets": [
                [*(bucket.get(k, 0) for k in named),
                 sum(n for k, n in bucket.items() if k not in named)]
                for bucket in history.shares
            ],
        }  # fmt: skip

    def _arms(
        self, connection: Connection, plan: Row[Any] | None, sites: Sequence[Row[Any]]
    ) -> dict[str, Any]:
        """Return the sites as the policy compares them, and which of them is next."""
        if plan is None:
            return {"rows": []}
        # The condition and the order are those of the frontier's index, so that SQLite uses it.
        queued = (
            select(pages.c.id)
            .where(pages.c.seed == seeds.c.number, text("pages.state IN (0, 3)"))
            .order_by(pages.c.level, pages.c.place)
            .limit(1)
            .scalar_subquery()
        )
        asked = connection.execute(select(seeds.c.number, queued)).all()
        waiting = {number: first is not None for number, first in asked}
        # Sites that were added since the plan was made have neither visits nor pages.
        names = {site.number: name_of(site) for site in sites
                 if waiting[site.number] or site.number in self._history.tallies}  # fmt: skip
        found = arms(plan.policy, self._history, names)
        found.sort(key=lambda arm: not waiting[arm.seed])  # exhausted sites come last
        following = next((a.seed for a in found if a.index is not None and waiting[a.seed]), None)
        rule = rule_of(plan.policy)
        return {
            "index": rule.index,
            "why": rule.why,
            "next": following,
            "latest": _latest(connection, plan.number),
            "more": max(0, len(found) - _SHOWN),
            "rows": [
                [arm.seed, names[arm.seed], waiting[arm.seed], *_figures(arm)]
                for arm in found[:_SHOWN]
            ],
        }


def is_paused(connection: Connection) -> bool:
    """Return whether the user has paused the crawl."""
    rows = Recording(connection).read("tuning")
    return CrawlSettings.of(dict(map(tuple, rows))).paused


def kept_fresh(plan: Row[Any] | None) -> dict[str, Any]:
    """Return that a plan keeps pages fresh, and how often; empty if it does not."""
    options = {} if plan is None else json.loads(plan.told)
    return {"keeps": True, "every": options["every"]} if options.get("first") else {}


def name_of(site: Row[Any]) -> str:
    """Return the short name of a site."""
    return str(site.short_name or site.site)


def _latest(connection: Connection, plan: int) -> int | None:
    """Return the site of the page that was requested last."""
    return connection.execute(
        select(visits.c.seed).where(visits.c.plan == plan).order_by(visits.c.number.desc()).limit(1)
    ).scalar()


def _figures(arm: Arm) -> list[float | int | None]:
    # JSON has no infinity: null stands for infinity, and -1 for a missing figure.
    def finite(value: float | None) -> float | None:
        return -1 if value is None else round(value, 6) if math.isfinite(value) else None

    return [arm.pages, arm.links, round(arm.mean, 6), finite(arm.bonus), finite(arm.index)]


def _totals(sites: Sequence[Row[Any]]) -> dict[str, int]:
    return {
        "sites": len(sites),
        "unavailable": sum(site.standing == Standing.UNAVAILABLE for site in sites),
        **{name: sum(getattr(site, name) for site in sites)
           for name in ("known", "fetched", "internal", "external", "bad")},
    }  # fmt: skip


def _site(site: Row[Any]) -> list[Any]:
    return [site.standing, site.reason, site.known, site.fetched, site.internal, site.external,
            site.bad]  # fmt: skip

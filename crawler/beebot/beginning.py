"""Begins a plan, or finds that the last one is what is wished."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from counterpoint.crawler.documents.addresses import Spelling, site
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.recording import Page, Recording
from counterpoint.crawler.store.schema import State, stored_key

from .discovery import NEW
from .leases import database_clock
from .plan import Plan, Site, Wishes, plan_of, planned

NONE_KNOWN = "visits known pages again, and none is known yet"


class Begun(NamedTuple):
    """What is crawled now.

    Attributes
    ----------
    plan : Plan
    wishes : Wishes
    resumed : bool
        Whether it was begun before.
    ended : str
        Why it has ended already; "": it has not.
    waits : bool
        Whether another plan is wished, and cannot begin yet: other workers have requests of this
        one under way. They ask for nothing more when they see what is wished.
    """

    plan: Plan
    wishes: Wishes
    resumed: bool
    ended: str = ""
    waits: bool = False


def begin(store: Store, wished: Mapping[str, Any] | None = None) -> Begun:
    """Go on with the last plan of a store if it is what is wished, else begin another one.

    A plan that failed is not resumed: its policy has been changed, or fails again.

    Parameters
    ----------
    store : Store
    wished : mapping, optional
        Fields of `Wishes` that are set from now on.

    Raises
    ------
    CrawlError
        If what is wished cannot be; nothing was changed.
    """
    with store.transaction() as connection:
        recording = Recording(connection)
        recording.plan_alone()
        wishes = replace(_wishes(recording), **(wished or {}))
        plan = planned(wishes, sites(recording))
        if wished:
            recording.put_settings(wishes.settings())
        last = recording.read("last plan")
        if last:
            before = plan_of(last[0])
            _must_spell(plan, before)
            if before == plan and not last[0][13]:
                return Begun(before, wishes, True, last[0][12])
            if busy(recording, before):
                return Begun(before, wishes, True, waits=True)
        number = before.number + 1 if last else 0
        return Begun(_entered(recording, replace(plan, number=number)), wishes, False)


def check(store: Store | None, wished: Mapping[str, Any], starts: Sequence[str]) -> None:
    """Refuse what cannot be begun, before anything is changed.

    Parameters
    ----------
    store : Store or None
        None: there is none yet.
    wished : mapping
        As `begin` takes it.
    starts : sequence of str
        Start pages that are to be added, in their one spelling.

    Raises
    ------
    CrawlError
        If `begin` would raise it.
    """
    there, wishes, some = {}, Wishes(), False
    if store is not None:
        with store.reading() as connection:
            recording = Recording(connection)
            there = {of.site: of for of in sites(recording)}
            wishes, some = _wishes(recording), bool(recording.read("some known"))
    for start in starts:
        there.setdefault(site(start), Site(len(there) + 1, site(start), start))
    plan = planned(replace(wishes, **wished), list(there.values()))
    if plan.scope is Scope.KNOWN and not some:
        raise CrawlError(f"{plan.policy}: {NONE_KNOWN}")
    plan.chosen.scheduler(range(len(there)), plan.budget, plan.seed)


def busy(recording: Recording, plan: Plan) -> bool:
    """Tell whether other processes have requests of a plan under way."""
    if recording.dialect == "sqlite":
        return False
    return bool(recording.read("busy", plan=plan.number, now=database_clock(recording)))


def outdated(recording: Recording, plan: Plan) -> bool:
    """Tell whether another plan is wished by now; not if what is wished cannot be."""
    there = sites(recording)
    try:
        wished = planned(_wishes(recording), there)
        _must_spell(wished, plan)
    except CrawlError:
        return not there
    return wished != plan


def _must_spell(plan: Plan, before: Plan) -> None:
    """Refuse a plan that compares addresses otherwise than the pages' keys were made."""
    asked, found = plan.told.normalize, before.told.normalize
    if asked != found:
        raise CrawlError(f"--normalize {asked}: the store's addresses are compared as {found}; "
                         "another way needs another store")  # fmt: skip


def sites(recording: Recording) -> list[Site]:
    """Return the sites of a store."""
    return [Site(*row) for row in recording.read("seeds")]


def _wishes(recording: Recording) -> Wishes:
    return Wishes.of(dict(map(tuple, recording.read("settings"))))


def _entered(recording: Recording, plan: Plan) -> Plan:
    """Write down a new plan."""
    if plan.scope is Scope.KNOWN:
        starts = [row[0] for row in recording.read("known")]
        if not starts:
            raise CrawlError(f"{plan.policy}: {NONE_KNOWN}")
    else:
        starts = _starts(recording, plan)
    recording.write("add plan", {
        "number": plan.number, "policy": plan.policy, "budget": plan.budget,
        "seconds": plan.seconds, "seed": plan.seed, "starts": json.dumps(starts),
        "told": plan.told.text(), "pages": 0 if plan.scope is Scope.KNOWN else len(starts),
    })  # fmt: skip
    return replace(plan, starts=tuple(starts))


def _starts(recording: Recording, plan: Plan) -> list[int]:
    """Return the start pages, which are the first that the plan meets."""
    recording.begin_anew()
    key = Spelling(plan.told.normalize).key
    keys = {stored_key(key(of.start)): of for of in plan.told.sites}
    known = recording.known(list(keys))
    last = recording.read("last page")[0][0]
    number = 0 if last is None else last + 1
    found = []
    for place, (one, of) in enumerate(keys.items()):
        page = known.get(one) or Page(number, None, None, 0, NEW, None, of.start, one)
        row = {"id": page.id, "seed": of.number, "place": place, "level": 0, "found_on": None,
               "state": int(State.QUEUED), "problem": page.problem}  # fmt: skip
        if page.state == NEW:
            number += 1
            recording.write("add page", row | {"address": page.address, "key": page.key})
            recording.count(of.number, known=1)
        else:
            recording.write("meet page", row)
            if page.seed is None:
                recording.adopt(page, of.number)
        found.append(page.id)
    recording.finish()
    return found

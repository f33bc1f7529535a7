"""Begins a plan, or resumes the last one if the settings still lead to it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.documents.scope import ScopeRules
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.page_kinds import is_put_off, was_asked
from counterpoint.crawler.store.recording import Page, Recording
from counterpoint.crawler.store.schema import State

from .discovery import NEW
from .keeping import following, kept_fresh
from .leases import database_clock
from .plan import CrawlPlan, CrawlSettings, PlanSite, make_plan, plan_from_row
from .trapping import count_first

NONE_KNOWN = "it visits known pages again, and no page is known yet"


class StartedPlan(NamedTuple):
    """The plan that is crawled now.

    Attributes
    ----------
    plan : CrawlPlan
    settings : CrawlSettings
    resumed : bool
        Whether the plan began before.
    ended : str
        Why the plan has ended; "": it has not ended.
    waits : bool
        Whether the settings lead to another plan that cannot begin yet, because other workers have
        requests of this plan in flight. They make no new requests once they see the new settings.
    """

    plan: CrawlPlan
    settings: CrawlSettings
    resumed: bool
    ended: str = ""
    waits: bool = False


def begin(store: Store, changes: Mapping[str, Any] | None = None) -> StartedPlan:
    """Resume the last plan of a store if the settings still lead to it; else begin a new plan.

    A plan whose policy failed is not resumed: unless the policy was changed, it would fail again.

    Parameters
    ----------
    store : Store
    changes : mapping, optional
        Fields of `CrawlSettings` to set before.

    Raises
    ------
    CrawlError
        If a setting is invalid, or the policy cannot begin; nothing was changed.
    """
    return store.write(lambda connection: _begun(Recording(connection), changes))


def _begun(recording: Recording, changes: Mapping[str, Any] | None) -> StartedPlan:
    """Resume the last plan, or begin a new one, in the transaction of a recording."""
    settings = replace(_settings(recording), **(changes or {}))
    plan = make_plan(settings, sites(recording))
    if changes:
        recording.put_settings(settings.to_json())
    last = recording.read("last plan")
    if last:
        before = plan_from_row(last[0])
        _require_same_spelling(plan, before)
        ended = bool(last[0].ended) and not last[0].failed and bool(recording.read("some known"))
        plan = following(plan, settings, before, ended=ended)
        if before == plan and not last[0].failed:
            return StartedPlan(before, settings, True, last[0].ended)
        if has_other_requests(recording, before):
            return StartedPlan(before, settings, True, waits=True)
    number = before.number + 1 if last else 0
    return StartedPlan(_store_plan(recording, replace(plan, number=number)), settings, False)


def check(store: Store | None, changes: Mapping[str, Any], starts: Sequence[str]) -> None:
    """Check whether `begin` would succeed, without changing anything.

    Parameters
    ----------
    store : Store or None
        None: the store does not exist yet.
    changes : mapping
        As for `begin`.
    starts : sequence of str
        Normalized addresses of start pages that will be added before.

    Raises
    ------
    CrawlError
        If `begin` would raise it.
    """
    there, settings, some = {}, CrawlSettings(), False
    if store is not None:
        with store.reading() as connection:
            recording = Recording(connection)
            there = {one.site: one for one in sites(recording)}
            settings, some = _settings(recording), bool(recording.read("some known"))
    for start in starts:
        there.setdefault(site(start), PlanSite(len(there) + 1, site(start), start))
    settings = replace(settings, **changes)
    if "every" in changes and not settings.revisit:
        raise CrawlError("--every: has no effect without --revisit POLICY")
    plan = make_plan(settings, list(there.values()))
    plans = [plan, kept_fresh(plan, settings)] if settings.revisit else [plan]
    if plan.revisits and not some:
        raise CrawlError(f"{plan.policy}: {NONE_KNOWN}")
    # The policy is made as in a crawl, on pages that stand for the start pages.
    for one in plans:
        one.chosen.scheduler(range(len(there)), one.visits, one.seed, query=one.options.query,
                             hosts=lambda page: page if page < len(there) else None)  # fmt: skip


def has_other_requests(recording: Recording, plan: CrawlPlan) -> bool:
    """Return whether other processes have requests of a plan in flight."""
    if recording.dialect == "sqlite":
        return False
    return bool(recording.read("busy", plan=plan.number, now=database_clock(recording)))


def is_outdated(recording: Recording, plan: CrawlPlan) -> bool:
    """Return whether the settings by now lead to another plan; False if they are invalid."""
    there = sites(recording)
    try:
        settings = _settings(recording)
        present = following(make_plan(settings, there), settings, plan, ended=False)
        _require_same_spelling(present, plan)
    except CrawlError:
        return not there
    return present != plan


def _require_same_spelling(plan: CrawlPlan, before: CrawlPlan) -> None:
    """Refuse a plan that normalizes addresses in another way than the store's keys were made."""
    asked, found = plan.options.normalize, before.options.normalize
    if asked != found:
        raise CrawlError(f"--normalize {asked}: this store compares addresses by --normalize "
                         f"{found}; to change that, use a new store")  # fmt: skip


def sites(recording: Recording) -> list[PlanSite]:
    """Return the sites of a store."""
    return [PlanSite(*row) for row in recording.read("seeds")]


def _settings(recording: Recording) -> CrawlSettings:
    return CrawlSettings.of(dict(map(tuple, recording.read("settings"))))


def _store_plan(recording: Recording, plan: CrawlPlan) -> CrawlPlan:
    """Store a new plan, and return it with its start pages."""
    if plan.revisits:
        starts = _kept(recording, plan) if plan.keeps else _known(recording, plan.options.rules)
        if not starts:
            why = "its rules leave out all known pages" if plan.options.rules else NONE_KNOWN
            raise CrawlError(f"{plan.policy}: {why}")
    else:
        starts = _starts(recording, plan)
    recording.write("add plan", {
        "number": plan.number, "policy": plan.policy, "budget": plan.budget,
        "seconds": plan.seconds, "seed": plan.seed, "starts": json.dumps(starts),
        "told": plan.options.text(),
        "pages": len(starts) if plan.keeps or not plan.revisits else 0,
    })  # fmt: skip
    return replace(plan, starts=tuple(starts))


def _known(recording: Recording, rules: ScopeRules) -> list[int]:
    """Return the pages that a policy visits again: all that were fetched and are not left out."""
    if not rules:
        return [row.id for row in recording.read("known")]
    rows = recording.read("known addresses")
    return [row.id for row in rows if not rules.problem(row.address)]


def _kept(recording: Recording, plan: CrawlPlan) -> list[int]:
    """Return the pages that a plan keeps fresh, and make them the first that it meets.

    They are the pages that were asked for, whether they came or not, and those whose hosts had to
    be left alone.
    """
    rules = plan.options.rules
    found = [
        row for row in recording.read("asked")
        if (was_asked(State.DONE, row.status, row.problem) or is_put_off(row.problem))
        and not (rules and rules.problem(row.address))
    ]  # fmt: skip
    recording.forget_places()
    recording.write("place page", [{"id": row.id, "place": place}
                                   for place, row in enumerate(found)])  # fmt: skip
    count_first(recording, rules.detectors, (row.address for row in found))
    return [row.id for row in found]


def _starts(recording: Recording, plan: CrawlPlan) -> list[int]:
    """Store the start pages, the first that the plan meets, and return their ids."""
    recording.forget_places()
    keys = plan.start_keys()
    known = recording.known(list(keys))
    last = recording.read("last page")[0].id
    number = 0 if last is None else last + 1
    found = []
    for place, (spelled, one) in enumerate(keys.items()):
        page = known.get(spelled) or Page(number, None, None, 0, NEW, None, one.start, spelled)
        row = {"id": page.id, "seed": one.number, "place": place, "level": 0, "found_on": None,
               "state": int(State.QUEUED), "problem": page.problem}  # fmt: skip
        if page.state == NEW:
            number += 1
            recording.write("add page", row | {"address": page.address, "key": page.key})
            recording.count(one.number, known=1)
        else:
            recording.write("meet page", row)
            if page.seed is None:
                recording.adopt(page, one.number)
        found.append(page.id)
    count_first(recording, plan.options.rules.detectors, (one.start for one in keys.values()))
    recording.finish()
    return found

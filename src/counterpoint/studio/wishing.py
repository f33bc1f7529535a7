"""What is wished of a crawl: two forms, one for its plan and one for its manners."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import delete, insert, select

from counterpoint.crawler.beebot.plan import POLICY_OF, Wishes, budget
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.schema import settings
from counterpoint.studio import forms
from counterpoint.studio.rendering import Form

PLAN = ("kind", "scheduler", "budget", "level", "cap", "concurrency", "delay", "seed",
        "query")  # fmt: skip
MANNERS = ("normalize", "stay", "robots", "allow_private", "agent", "proxy", "warc")
_SWITCHES = ("stay", "robots", "allow_private")
OWN = "own"
MOST = 10**9


def stored(store: Store) -> Wishes:
    """Return what is wished, as the store has it."""
    with store.reading() as connection:
        rows = connection.execute(select(settings.c.name, settings.c.value)).all()
    return Wishes.of({row.name: row.value for row in rows})


def keep(store: Store, wishes: Wishes, names: tuple[str, ...]) -> None:
    """Write some of what is wished into the store: those that a form has, all or none.

    The others may be changed by somebody else meanwhile.
    """
    told = wishes.settings()
    rows = [{"name": name, "value": told[name]} for name in names]
    with store.transaction() as connection:
        connection.execute(delete(settings).where(settings.c.name.in_(names)))
        connection.execute(insert(settings), rows)


def shown(wishes: Wishes, names: tuple[str, ...]) -> Form:
    """Return a form with what is wished now."""
    form = Form({name: _text(getattr(wishes, name)) for name in names})
    if wishes.scheduler and "kind" in names:
        form.values["kind"] = OWN
    return form


def _text(value: Any) -> str:
    if value is None or value is False:
        return ""
    return "1" if value is True else str(value)


def plan(told: Any, wishes: Wishes) -> tuple[Form, Wishes]:
    """Return the form of the plan as it was sent, its errors, and what is wished then."""
    form = forms.read(told, *PLAN)
    wishes = replace(
        wishes,
        level=forms.whole(form, "level", 0, MOST),
        cap=forms.whole(form, "cap", 1, MOST),
        concurrency=forms.whole(form, "concurrency", 1, 512) or Wishes.concurrency,
        delay=forms.number(form, "delay", 0, 3600),
        seed=forms.whole(form, "seed", 0, 2**63 - 1) or 0,
        budget=_budget(form),
        query=form.values["query"],
        **_policy(form),
    )
    return form, wishes


def _budget(form: Form) -> str:
    text = form.values["budget"]
    try:
        budget(text)
    except CrawlError:
        form.errors["budget"] = "A number of pages or a time, or both: 2000, 30min, 2000,1.5h."
    return text


def _policy(form: Form) -> dict[str, Any]:
    """Return the policy that is meant: by the kind of sites, or by its name."""
    kind = form.values["kind"]
    if kind in POLICY_OF:
        return {"kind": kind, "scheduler": ""}
    if kind != OWN:
        form.errors["kind"] = "One of the list."
        return {}
    text = form.values["scheduler"]
    if not text:
        form.errors["scheduler"] = "Name a policy, as R3."
    elif ":" not in text.partition(",")[0]:  # a module of the user's is loaded by the crawl alone
        form.errors |= _wrong_policy(text)
    return {"kind": "unknown", "scheduler": text}


def _wrong_policy(text: str) -> dict[str, str]:
    from counterpoint.crawler.schedulers.finding import find  # with Numba

    try:
        chosen = find(text)
        if chosen.policy.oracle:
            raise CrawlError(f"{text} wants to be told the truth, which nobody knows of real pages")
        chosen.scheduler(range(1), 1)  # judges its parameters
    except CrawlError as error:
        return {"scheduler": f"{error}."}
    return {}


def policies() -> list[str]:
    """Return the names of policies that can crawl real sites."""
    from counterpoint.crawler.schedulers.catalogue import POLICIES

    return [name for name, policy in POLICIES.items() if not policy.oracle]


def manners(told: Any, wishes: Wishes) -> tuple[Form, Wishes]:
    """Return the form of manners as it was sent, its errors, and what is wished then."""
    form = forms.read(told, *MANNERS)
    if form.values["normalize"] not in ("safe", "paper"):
        form.errors["normalize"] = "One of the list."
    agent, proxy = form.values["agent"], form.values["proxy"]
    if agent and not agent.lower().startswith("counterpoint"):
        form.errors["agent"] = "It must begin with counterpoint, as robots.txt knows it."
    elif not (agent.isascii() and agent.isprintable()):
        form.errors["agent"] = "Printable ASCII only."
    if proxy and not proxy.startswith("http://"):
        form.errors["proxy"] = "An address such as http://127.0.0.1:8080."
    if not form.values["warc"].isprintable():
        form.errors["warc"] = "The path of a folder."
    switches: dict[str, Any] = {name: bool(form.values[name]) for name in _SWITCHES}
    wishes = replace(
        wishes,
        normalize=form.values["normalize"],
        agent=agent or None,
        proxy=proxy or None,
        warc=form.values["warc"] or None,
        **switches,
    )
    return form, wishes

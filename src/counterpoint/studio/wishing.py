"""The wishes for a crawl: a form for its plan, and a form for its settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from counterpoint.crawler.beebot.amounts import budget, period
from counterpoint.crawler.beebot.plan import POLICY_OF, CrawlSettings
from counterpoint.crawler.documents.scope import ScopeRules
from counterpoint.crawler.documents.traps import Traps
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.proxies import VARIABLE, proxy_address
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.schema import settings
from counterpoint.studio import forms
from counterpoint.studio.rendering import Form

PACE = ("concurrency", "delay")
"""Wishes that a crawl follows while it runs."""
PLAN = ("kind", "scheduler", "budget", "level", "cap", *PACE, "seed", "query", "revisit",
        "every")  # fmt: skip
MANNERS = ("normalize", "stay", "include", "exclude", "sitemaps", "nofollow", "canonical", "traps",
           "robots", "allow_private", "agent", "proxy", "warc")  # fmt: skip
_SWITCHES = ("stay", "sitemaps", "nofollow", "canonical", "robots", "allow_private")
OWN = "own"
MOST = 10**9


def stored(store: Store) -> CrawlSettings:
    """Return the wishes in the store."""
    with store.reading() as connection:
        rows = connection.execute(select(settings.c.name, settings.c.value)).all()
    return CrawlSettings.of({row.name: row.value for row in rows})


def keep(store: Store, wishes: CrawlSettings, names: tuple[str, ...]) -> None:
    """Write some wishes into the store, all or none.

    Parameters
    ----------
    store : Store
    wishes : CrawlSettings
    names : tuple of str
        The wishes of the submitted form; others are not written, because another form or process
        may have changed them meanwhile.
    """
    values = wishes.to_json()
    rows = [{"name": name, "value": values[name]} for name in names]

    def put(connection: Connection) -> None:
        connection.execute(delete(settings).where(settings.c.name.in_(names)))
        connection.execute(insert(settings), rows)

    store.write(put)


def shown(wishes: CrawlSettings, names: tuple[str, ...]) -> Form:
    """Return a form that shows some wishes."""
    form = Form({name: text_of(getattr(wishes, name)) for name in names})
    if wishes.scheduler and "kind" in names:
        form.values["kind"] = OWN
    if "revisit" in names:
        plain = wishes.revisit in ("", *keepers())
        form.values["keeper"] = wishes.revisit if plain else OWN
    if "@" in form.values.get("proxy", ""):  # earlier versions stored passwords
        form.values["proxy"] = ""
    return form


def text_of(value: Any) -> str:
    """Return the value of a wish as the text of its field."""
    if value is None or value is False:
        return ""
    if isinstance(value, tuple):
        return "\n".join(value)
    return "1" if value is True else str(value)


def plan(submitted: Any, wishes: CrawlSettings) -> tuple[Form, CrawlSettings]:
    """Return the submitted form of the plan with its errors, and the changed wishes."""
    form = forms.read(submitted, *PLAN, "keeper")
    wishes = replace(
        wishes,
        level=forms.whole(form, "level", 0, MOST),
        cap=forms.whole(form, "cap", 1, MOST),
        seed=forms.whole(form, "seed", 0, 2**63 - 1) or 0,
        budget=_budget(form),
        query=form.values["query"],
        **_pace(form),
        **_policy(form),
        **_kept_fresh(form),
    )
    return form, wishes


def pace(submitted: Any, wishes: CrawlSettings) -> tuple[Form, CrawlSettings]:
    """Return the submitted form of the pace with its errors, and the changed wishes."""
    form = forms.read(submitted, *PACE)
    return form, replace(wishes, **_pace(form))


def _pace(form: Form) -> dict[str, Any]:
    return {"concurrency": forms.whole(form, "concurrency", 1, 1000) or CrawlSettings.concurrency,
            "delay": forms.number(form, "delay", 0, 3600)}  # fmt: skip


def _kept_fresh(form: Form) -> dict[str, Any]:
    """Return the policy that keeps pages fresh, and the mean time between two visits."""
    every = form.values["every"] or CrawlSettings.every
    try:
        period(every)
    except CrawlError:
        form.errors["every"] = "A time above 0 with its unit, such as 30min, 12h or 7d."
    keeper, text = form.values["keeper"], form.values["revisit"]
    if keeper == OWN:
        form.errors |= _wrong_keeper(text)
    elif keeper in ("", *keepers()):
        text = keeper
    else:
        form.errors["keeper"] = "Choose one of the list."
    return {"revisit": text, "every": every}


def _wrong_keeper(text: str) -> dict[str, str]:
    if not text:
        return {"revisit": "Name a policy, such as optimal-freshness."}
    if ":" in text.partition(",")[0]:  # only the crawl loads modules of the user
        return {}
    wrong = _wrong_policy(text)
    if wrong:
        return {"revisit": wrong["scheduler"]}
    from counterpoint.crawler.schedulers.finding import find

    if find(text).policy.scope is not Scope.KNOWN:
        return {"revisit": f"{text} finds pages, and revisits none."}
    return {}


def _budget(form: Form) -> str:
    text = form.values["budget"]
    try:
        budget(text)
    except CrawlError:
        form.errors["budget"] = "A number of pages or a time, or both: 2000, 30min, 2000,1.5h."
    return text


def _policy(form: Form) -> dict[str, Any]:
    """Return the chosen policy: by the kind of sites, or by its name."""
    kind = form.values["kind"]
    if kind in POLICY_OF:
        return {"kind": kind, "scheduler": ""}
    if kind != OWN:
        form.errors["kind"] = "Choose one of the list."
        return {}
    text = form.values["scheduler"]
    if not text:
        form.errors["scheduler"] = "Name a policy, such as R3."
    elif ":" not in text.partition(",")[0]:  # only the crawl loads modules of the user
        form.errors |= _wrong_policy(text)
    return {"kind": "unknown", "scheduler": text}


def _wrong_policy(text: str) -> dict[str, str]:
    from counterpoint.crawler.schedulers.finding import find  # with Numba

    try:
        chosen = find(text)
        if chosen.policy.oracle:
            raise CrawlError(f"{text} needs the truth, which is unknown for real pages")
        chosen.scheduler(range(1), 1)  # checks the parameters
    except CrawlError as error:
        return {"scheduler": f"{error}."}
    return {}


def policies() -> list[str]:
    """Return the names of policies that can crawl real sites."""
    from counterpoint.crawler.schedulers.catalogue import POLICIES

    return [name for name, policy in POLICIES.items() if not policy.oracle]


def keepers() -> list[str]:
    """Return the names of policies that can keep the pages of real sites fresh."""
    from counterpoint.crawler.schedulers.catalogue import POLICIES

    return [name for name, policy in POLICIES.items()
            if policy.scope is Scope.KNOWN and not policy.oracle]  # fmt: skip


def pause(store: Store, paused: bool) -> None:
    """Pause the crawl, or continue it; one that runs follows within a second."""
    keep(store, replace(stored(store), paused=paused), ("paused",))


def _check_proxy(form: Form) -> None:
    """Note what is wrong with the address of a proxy; one with a password is not shown again."""
    proxy = form.values["proxy"]
    if "@" in proxy:
        form.values["proxy"] = ""
        form.errors["proxy"] = (f"An address must not contain credentials; start the studio with "
                                f"{VARIABLE}=user:password.")  # fmt: skip
        return
    try:
        proxy_address(proxy or None)
    except CrawlError:
        form.errors["proxy"] = "Give an address such as http://127.0.0.1:8080."


def _rules(form: Form, name: str) -> tuple[str, ...]:
    """Return the rules of scope in a field, one a line; note what is wrong with them."""
    rules = tuple(filter(None, map(str.strip, form.values[name].splitlines())))
    try:
        ScopeRules(rules) if name == "include" else ScopeRules((), rules)
    except CrawlError as error:
        form.errors[name] = f"{str(error).removeprefix(f'--{name} ')}."
    return rules


def _traps(form: Form) -> str:
    """Return the detectors of traps in the form; note what is wrong with them."""
    text = form.values["traps"]
    try:
        Traps(text)
    except CrawlError as error:
        form.errors["traps"] = f"{str(error).removeprefix('--traps ')}."
    return text


def manners(submitted: Any, wishes: CrawlSettings) -> tuple[Form, CrawlSettings]:
    """Return the submitted form of settings with its errors, and the changed wishes."""
    form = forms.read(submitted, *MANNERS)
    if form.values["normalize"] not in ("safe", "paper"):
        form.errors["normalize"] = "Choose one of the list."
    agent, proxy = form.values["agent"], form.values["proxy"]
    if agent and not agent.lower().startswith("counterpoint"):
        form.errors["agent"] = "It must begin with counterpoint, the name that robots.txt uses."
    elif not (agent.isascii() and agent.isprintable()):
        form.errors["agent"] = "Use only printable ASCII characters."
    _check_proxy(form)
    include, exclude = _rules(form, "include"), _rules(form, "exclude")
    if not form.values["warc"].isprintable():
        form.errors["warc"] = "Give the path of a folder."
    switches: dict[str, Any] = {name: bool(form.values[name]) for name in _SWITCHES}
    wishes = replace(
        wishes,
        normalize=form.values["normalize"],
        agent=agent or None,
        proxy=proxy or None,
        warc=form.values["warc"] or None,
        include=include,
        exclude=exclude,
        traps=_traps(form),
        **switches,
    )
    return form, wishes

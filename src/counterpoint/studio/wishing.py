"""The wishes for a crawl: a form for its plan, and a form for its settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from counterpoint.crawler.beebot.amounts import budget
from counterpoint.crawler.beebot.plan import POLICY_OF, CrawlSettings
from counterpoint.crawler.documents.scope import ScopeRules
from counterpoint.crawler.documents.traps import Traps
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.proxies import VARIABLE, proxy_address
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.schema import settings
from counterpoint.studio import forms
from counterpoint.studio.rendering import Form

PLAN = ("kind", "scheduler", "budget", "level", "cap", "concurrency", "delay", "seed",
        "query")  # fmt: skip
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
    form = Form({name: _text(getattr(wishes, name)) for name in names})
    if wishes.scheduler and "kind" in names:
        form.values["kind"] = OWN
    if "@" in form.values.get("proxy", ""):  # earlier versions stored passwords
        form.values["proxy"] = ""
    return form


def _text(value: Any) -> str:
    if value is None or value is False:
        return ""
    if isinstance(value, tuple):
        return "\n".join(value)
    return "1" if value is True else str(value)


def plan(submitted: Any, wishes: CrawlSettings) -> tuple[Form, CrawlSettings]:
    """Return the submitted form of the plan with its errors, and the changed wishes."""
    form = forms.read(submitted, *PLAN)
    wishes = replace(
        wishes,
        level=forms.whole(form, "level", 0, MOST),
        cap=forms.whole(form, "cap", 1, MOST),
        concurrency=forms.whole(form, "concurrency", 1, 1000) or CrawlSettings.concurrency,
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

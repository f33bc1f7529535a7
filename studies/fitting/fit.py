"""Fits a profile of the synthetic web to what was measured in a captured web."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from counterpoint.sim_web.profile import Profile
from counterpoint.sim_web.sections import Change, Shares

from .measuring.changes import rates
from .measuring.contents import LANGUAGES, Contents
from .measuring.measures import Measures
from .measuring.structure import Structure
from .searching import Answer, Sought, host_exponent, searched, text_factor
from .settings import Setting, Settings, put

Tell = Callable[[str], None]
_COMPONENTS = ("scc", "in", "out", "tendrils", "tubes", "disconnected")
_DIGITS = 6
_SOUGHT = (
    Sought("hosts", "branching", (1.05, 50.0), "depth", "mean level in hosts"),
    Sought("degrees", "internal", (0.0, 1.0), "internal", "share of links within hosts"),
    Sought("degrees", "in_exponent", (2.01, 5.0), "top_in", "links to a hundredth of the pages"),
    Sought("degrees", "out_exponent", (2.05, 5.0), "top_out", "links of a tenth of the pages"),
)
"""What is searched, in this order; the second and the third again at the end, since they depend on
the others."""


@dataclass(frozen=True)
class Fit:
    """A fitted profile.

    Attributes
    ----------
    profile : Profile
    settings : tuple of Setting
        Each key that was looked at, in the order of the profile.
    """

    profile: Profile
    settings: tuple[Setting, ...]


def fitted(measures: Measures, name: str, seed: int = 0, tell: Tell | None = None) -> Fit:
    """Return the profile that fits what was measured.

    Keys that the capture determines are set, and the others keep their defaults. The sections
    ``[articles]``, ``[themes]``, ``[forms]``, ``[addresses]`` and ``[limits]``, and ``[[sites]]``,
    are not fitted.

    Parameters
    ----------
    measures : Measures
    name : str
        The name of the profile.
    seed : int
        The seed of the webs that are generated to find some of the values.
    tell : callable, optional
        Gets a line of text on the progress.
    """
    found, structure, contents = Settings(name), measures.structure, measures.contents
    found.fit("", "pages", structure.pages, "counted: HTML pages with status 200")
    _take_shares(found, structure)
    _take_degrees(found, structure, contents)
    _take_hosts(found, structure)
    _take_distances(found, structure)
    _take_changes(found, contents)
    _take_style(found, contents)
    _take_sending(found, contents)
    _take_robots(found, contents)
    _take_faults(found, measures)
    _search(found, structure, seed, tell)
    _take_text(found, contents, seed)
    return Fit(found.profile, tuple(found.all))


def _take_shares(found: Settings, structure: Structure) -> None:
    shares = {name: round(share, _DIGITS) for name, share in structure.bowtie.shares.items()}
    shares["scc"] = round(1 - sum(shares[name] for name in _COMPONENTS[1:]), _DIGITS)
    found.profile = replace(
        found.profile, shares=Shares(*(shares[name] for name in _COMPONENTS))
    )  # fmt: skip
    for name in _COMPONENTS:
        rests_on = f"counted: {structure.bowtie.counts[name]:,} of {structure.pages:,} pages"
        found.all.append(Setting("shares", name, shares[name], rests_on))


def _take_degrees(found: Settings, structure: Structure, contents: Contents) -> None:
    links, pages = structure.graph.links, structure.pages
    found.fit("degrees", "mean", structure.mean_degree,
              f"counted: {links:,} distinct links between {pages:,} pages")  # fmt: skip
    found.share("degrees", "multiplicity", contents.links, contents.distinct, "distinct links")
    alone, able = structure.orphans
    found.share("degrees", "orphans", alone, able, "pages of IN and of tendrils to OUT")


def _take_hosts(found: Settings, structure: Structure) -> None:
    hosts = len(structure.starts)
    on = f"{hosts:,} hosts" if hosts > 1 else "1 host"
    found.fit("hosts", "mean_pages", structure.pages / hosts,
              f"counted: {structure.pages:,} pages on {on}")  # fmt: skip
    menu, of = structure.menu
    if of:
        found.fit("hosts", "navigation", round(menu),
                  f"counted: pages to which 80% of their host link; on {of:,} pages")  # fmt: skip
    else:
        found.keep("hosts", "navigation", "no host has 20 pages")
    if hosts > 2:
        found.fit("hosts", "exponent", host_exponent(found.profile, structure.sizes),
                  f"nearest sizes of hosts, on {hosts:,} hosts")  # fmt: skip
    else:
        found.keep("hosts", "exponent", on)
    found.keep("hosts", "host_branching", "other links between hosts hide their tree")
    found.keep("hosts", "editions", "subtrees of languages are not distinguished from others")


def _take_distances(found: Settings, structure: Structure) -> None:
    one, two = structure.distances
    for key, far in (("directed", one), ("undirected", two)):
        if far.mean is None:
            found.keep("distances", key, "no links")
        else:
            found.fit("distances", key, far.mean, f"from {far.sources:,} pages; for comparison")
    found.fit("distances", "of_pages", structure.pages, "counted")


def _take_changes(found: Settings, contents: Contents) -> None:
    several = sum(bool(one.days) for one in contents.seen)
    default = Change()
    law = rates(contents.seen, default.static, default.spread)
    why = (
        f"{several:,} of {contents.pages:,} pages have several captures" if several
        else "one capture a page"
    )  # fmt: skip
    for key in ("static", "per_day", "spread"):
        value = getattr(law, key)
        if value is None:
            found.keep("change", key, why if law.per_day is None else "too few captures a page")
        else:
            found.fit("change", key, value, f"by maximum likelihood, on {several:,} pages")
    for key in ("passing", "life_days", "births_days"):
        found.keep("change", key, "a birth or death looks like a page that the crawl missed")


def _take_style(found: Settings, contents: Contents) -> None:
    pages = f"measured on {contents.pages:,} pages"
    for key, count in (("base", contents.based),
                       ("canonical", contents.canonical)):  # fmt: skip
        found.fit("style", key, count / contents.pages, pages)
    found.fit("style", "bad_links", contents.bad / contents.pages, pages)
    found.share("style", "relative", contents.relative, contents.internal, "internal links")
    found.share("style", "nofollow", contents.nofollow, contents.anchors, "links")
    for key in ("aliases", "frames"):
        found.fit("style", key, 0, "each captured document counts as a page")
    known = {one: contents.languages[one] for one in LANGUAGES if contents.languages[one]}
    other = contents.languages[""]
    if known:
        found.fit("style", "languages", known,
                  f"{pages}" + f"; {other:,} in other languages" * bool(other))  # fmt: skip
    else:
        found.keep("style", "languages", "no page is in en, ru, de, zh or ja")
    found.fit("style", "declared", dict(sorted(contents.declared.items())), pages)
    found.fit("style", "legacy", len(contents.legacy) / len(contents.hosts),
              f"measured on {len(contents.hosts):,} hosts")  # fmt: skip


def _take_sending(found: Settings, contents: Contents) -> None:
    hosts, sent = len(contents.hosts), contents.codings
    with_br = len(sent["br"])
    if sent["gzip"] or with_br:
        found.share("style", "gzip", len(sent["gzip"] - sent["br"]), hosts - with_br,
                    "hosts that sent no br")  # fmt: skip
    else:
        found.keep("style", "gzip", "no answer is compressed; the crawler may not have asked")
    if with_br:
        found.share("style", "brotli", with_br, hosts, "hosts")
    else:
        found.keep("style", "brotli", "no answer has br; the crawler may not have asked")
    found.share("style", "chunked", len(sent["chunked"]), hosts, "hosts")
    asked = len(contents.robots)
    if asked or contents.sitemaps:
        found.share("style", "sitemaps", len(contents.sitemaps & contents.hosts), hosts, "hosts")
    else:
        found.keep("style", "sitemaps", "no robots.txt and no sitemap was asked for")


def _take_robots(found: Settings, contents: Contents) -> None:
    asked = list(contents.robots.values())
    there = [one for one in asked if one.present]
    what = "hosts with a robots.txt"
    found.share("robots", "present", len(there), len(asked), "hosts whose robots.txt was asked for")
    found.share("robots", "disallow", sum(one.forbids for one in there), len(there), what)
    found.keep("robots", "forbidden", "a polite crawl has no forbidden pages")
    delays = [one.delay for one in there if one.delay]
    found.share("robots", "crawl_delay", len(delays), len(there), what)
    found.share("robots", "delay_seconds", sum(delays), len(delays), "hosts with a Crawl-delay")
    found.share("robots", "agent_groups", sum(one.groups for one in there), len(there), what)


def _take_faults(found: Settings, measures: Measures) -> None:
    """Set the shares of pages with faults: of the pages that could show one.

    In a synthetic web start pages have none of these, and nothing shows that links to a page would
    be redirected if there are no links.
    """
    linked, (able, reachable) = measures.linked, measures.structure.able
    counts = {
        "redirect": (measures.redirected, reachable),
        "redirect_chain": (measures.chained, reachable),
        "redirect_loop": (measures.loops, able),
        "not_found": (linked.get(404, 0), able),
        "gone": (linked.get(410, 0), able),
        "server_error": (sum(n for status, n in linked.items() if 500 <= status != 503), able),
        "unavailable": (linked.get(503, 0), able),
    }
    total = sum(count / of for count, of in counts.values() if of)
    for key, (count, of) in counts.items():
        if not of:
            found.keep("faults", key, "start pages have no faults")
            continue
        rests_on = f"counted: {count:,} for {of:,} pages"
        found.fit("faults", key, count / of / max(1.0, 1.00001 * total), rests_on)
    found.keep("faults", "truncated_chunks", "a fault of the crawl looks the same")


def _search(found: Settings, structure: Structure, seed: int, tell: Tell | None) -> None:
    """Find the values that no count gives, each with the values of the others before it."""
    settings: dict[str, Setting] = {}
    for sought in (*_SOUGHT, *_SOUGHT[1:3]):
        if tell is not None:
            tell(f"looking for {sought.section}.{sought.key}")
        wanted = float(getattr(structure, sought.measure))
        if sought.measure == "internal" and wanted == 1:
            found.profile = put(found.profile, sought.section, sought.key, 1)
            settings[sought.key] = Setting(
                sought.section, sought.key, 1, "counted: no link leads to another host"
            )
            continue
        got = searched(found.profile, sought, wanted, structure.pages, seed)
        settings[sought.key] = _setting(sought, got, wanted)
        found.profile = put(found.profile, sought.section, sought.key, settings[sought.key].value)
    found.all += settings.values()


def _setting(sought: Sought, got: Answer, wanted: float) -> Setting:
    """Return the key with the value that was found; the default if all values fit as well."""
    section, key = sought.section, sought.key
    if (got.low, got.high) == sought.bounds:
        default = getattr(getattr(Profile("default"), section), key)
        why = f"not measurable: all values have nearly the same {sought.what}"
        return Setting(section, key, default, why, fitted=False)
    rests_on = f"searched: {sought.what} {wanted:.4g}, and {got.measure:.4g} in synthetic webs"
    if not got.reached:
        rests_on += "; no value comes nearer"
    elif got.low < got.high:
        rests_on += f"; {got.low:.4g} to {got.high:.4g} fit as well"
    return Setting(section, key, got.value, rests_on)


def _take_text(found: Settings, contents: Contents, seed: int) -> None:
    text = contents.text / contents.pages
    if text < 1:
        found.fit("style", "text_bytes", 0, f"measured on {contents.pages:,} pages")
        return
    factor = text_factor(found.profile, contents.pages, seed)
    found.fit("style", "text_bytes", text / factor,
              f"measured on {contents.pages:,} pages: {text:,.1f}, and synthetic pages have "
              f"{factor:.3g} times what is given")  # fmt: skip

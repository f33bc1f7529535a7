"""A judgment in words and figures: the sections that text and page both show."""

from __future__ import annotations

from dataclasses import dataclass

from .judgment import Judgment
from .outcomes import OUTCOMES, WASTED
from .politeness import Fulfilment
from .reached import Covered


@dataclass(frozen=True)
class Section:
    """A table with a heading.

    Attributes
    ----------
    title : str
        The heading.
    columns : tuple of str
        Headings of the columns; the first column is text, the others are figures.
    rows : tuple of tuple of str
        Cells.
    note : str
        A sentence below.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def heading(of: Judgment) -> tuple[tuple[str, str], ...]:
    """Return what was judged, as pairs of a name and a text."""
    about = of.about
    mounts = f", {_many(about.mounts, 'mounted site')}" if about.mounts else ""
    agents = "; ".join(agent or "(no User-Agent)" for agent in about.agents[:3])
    more = f"; {len(about.agents) - 3:,} more names" if len(about.agents) > 3 else ""
    left_out = about.lines - about.requests
    log = f"{_many(about.requests, 'request')} in {span(about.seconds)} of virtual time"
    if left_out:
        log += f"; {_many(left_out, 'other')} left out"
    if about.broken_off:
        log += f"; it breaks off in the middle of line {about.broken_off:,}"
    return (
        ("web", f"{about.profile}, {about.pages:,} pages on {_many(about.hosts, 'host')}, "
                f"seed {about.seed}{mounts}"),
        ("log", log),
        ("crawler", f"{agents}{more}; {_many(about.clients, 'address', 'es')}"),
    )  # fmt: skip


def sections(of: Judgment) -> tuple[Section, ...]:
    """Return all sections."""
    return (
        _reached(of),
        _coverage(of),
        _quality(of),
        _freshness(of),
        _outcomes(of),
        _politeness(of),
        _levels(of),
    )


def _reached(of: Judgment) -> Section:
    rows = []
    for share in (0.25, 0.5, 0.75, 1.0):
        pages = of.coverage.fetched * share
        point = next((p for p in of.reached if p.pages >= pages), None)
        if point is not None and of.coverage.fetched:
            rows.append((f"{share:.0%} of them", number(point.pages), number(point.hosts),
                         number(point.requests), span(point.time)))  # fmt: skip
    note = f"{_many(of.hosts.fetched, 'host')} of {number(of.hosts.pages)} reached"
    if not rows:
        return Section("Pages reached", (), (), "no page was fetched")
    return Section("Pages reached", ("", "pages", "hosts", "after requests", "after"),
                   tuple(rows), note)  # fmt: skip


def _coverage(of: Judgment) -> Section:
    rows = [_covered("all pages (quantity)", of.coverage)]
    rows += [_covered(f"  {name}", part) for name, part in of.components.items()]
    return Section("Coverage", ("", "fetched", "of", "share"), tuple(rows))


def _quality(of: Judgment) -> Section:
    links = of.external_links
    external = (
        "external links found",
        number(links.found),
        number(links.total),
        per_cent(links.share),
    )
    columns = ("", "found", "of", "share")
    if of.quality is None:
        return Section("Quality", columns, (external,), "PageRank is unknown: the web is too large")
    rows = [_covered(f"top {name} by PageRank", part) for name, part in of.quality.top.items()]
    rows.append(("PageRank mass", "", "", per_cent(of.quality.mass)))
    note = (f"PageRank: damping {of.quality.damping:g}, {of.quality.iterations} rounds, "
            f"residual {of.quality.residual:.1g}")  # fmt: skip
    return Section("Quality", columns, (*rows, external), note)


def _freshness(of: Judgment) -> Section:
    fresh = of.freshness
    rows = (
        ("fresh copies", per_cent(fresh.last_fresh), per_cent(fresh.mean_fresh)),
        ("age of a copy", span(fresh.last_age), span(fresh.mean_age)),
    )
    return Section("Freshness", ("", "at the end", "on average"), rows)


def _outcomes(of: Judgment) -> Section:
    total = of.about.requests
    rows = [
        (f"{'wasted: ' if name in WASTED else ''}{OUTCOMES[name]}", number(count),
         per_cent(count / total if total else None))
        for name, count in of.outcomes.counts.items() if count
    ]  # fmt: skip
    rows.append(("wasted, in all", number(of.outcomes.wasted), per_cent(of.outcomes.wasted_share)))
    note = f"{of.outcomes.bytes:,} bytes in all; {_many(of.outcomes.duplicates, 'duplicate')}"
    return Section("What requests were for", ("", "requests", "share"), tuple(rows), note)


def _politeness(of: Judgment) -> Section:
    forbidden, busy = of.disallowed, of.concurrency
    rows = (
        _waits("Crawl-delay, kept", of.crawl_delay),
        _waits("Retry-After, kept", of.retry_after),
        ("requests at once to a host", "", "", "",
         "-" if busy.greatest is None else number(busy.greatest),
         "-" if busy.mean is None else f"{busy.mean:.2f}"),
    )  # fmt: skip
    note = f"disallowed: {number(forbidden.requests)} of {_many(forbidden.judged, 'request')}"
    if forbidden.share is not None:
        note += f" ({per_cent(forbidden.share)})"
    return Section("Politeness", ("", "tested", "broken", "least", "greatest", "mean"), rows, note)


def _waits(name: str, of: Fulfilment) -> tuple[str, ...]:
    ratios = [_times(one) for one in (of.least, of.greatest, of.mean)]
    return (name, number(of.waits), per_cent(of.broken), *ratios)


def _times(ratio: float | None) -> str:
    if ratio is None:
        return "-"
    return f"{ratio:.2f}x" if ratio < 100 else f"{ratio:,.0f}x"


def _levels(of: Judgment) -> Section:
    levels = of.levels
    if levels.mean is None:
        return Section("Levels", (), (), "no fetched page has a level")
    note = f"mean level of the fetched pages: {levels.mean:.2f}"
    if not levels.tenths:
        return Section("Levels", (), (), note)
    shown = tuple(
        "-" if one is None else f"{one:.{1 if one < 100 else 0}f}" for one in levels.tenths
    )
    return Section("Levels", ("tenth", *map(str, range(1, 11))),
                   (("mean level", *shown),), note)  # fmt: skip


def _covered(name: str, of: Covered) -> tuple[str, ...]:
    return (name, number(of.fetched), number(of.pages), per_cent(of.share))


def number(value: int | None) -> str:
    """Return a count with its thousands told apart."""
    return "unknown" if value is None else f"{value:,}"


def per_cent(share: float | None) -> str:
    """Return a share; what was never at stake has none, and only all and nothing are round."""
    if share is None:
        return "-"
    if 0 < share < 0.0001:
        return "<0.01%"
    return ">99.99%" if 0.9999 < share < 1 else f"{share:.2%}"


def span(seconds: float | None) -> str:
    """Return a time as a person says it."""
    if seconds is None:
        return "-"
    for unit, length in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:,.3g} s" if seconds < 10 else f"{seconds:,.1f} s"


def _many(count: int, what: str, ending: str = "s") -> str:
    return f"{count:,} {what}{'' if count == 1 else ending}"

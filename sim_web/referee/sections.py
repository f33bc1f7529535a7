"""The sections of a report on a judgment; the text and the HTML page both show them."""

from __future__ import annotations

from dataclasses import dataclass

from .judgment import Judgment
from .outcomes import OUTCOMES, WASTED
from .politeness import Fulfilment
from .reached import Covered


@dataclass(frozen=True)
class ReportSection:
    """A table with a heading.

    Attributes
    ----------
    title : str
        The heading.
    columns : tuple of str
        The headings of the columns. The first column is text, the others are figures.
    rows : tuple of tuple of str
        The cells of each row.
    note : str
        A sentence below the table.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def heading(judgment: Judgment) -> tuple[tuple[str, str], ...]:
    """Return the web, the log and the crawler that were judged, as pairs of a name and a text."""
    about = judgment.about
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


def sections(judgment: Judgment) -> tuple[ReportSection, ...]:
    """Return all sections."""
    return (
        _reached(judgment),
        _coverage(judgment),
        _quality(judgment),
        _freshness(judgment),
        _outcomes(judgment),
        _politeness(judgment),
        _levels(judgment),
        _sitemaps(judgment),
    )


def _reached(judgment: Judgment) -> ReportSection:
    rows = []
    for share in (0.25, 0.5, 0.75, 1.0):
        pages = judgment.coverage.fetched * share
        point = next((p for p in judgment.reached if p.pages >= pages), None)
        if point is not None and judgment.coverage.fetched:
            rows.append((f"{share:.0%} of them", number(point.pages), number(point.hosts),
                         number(point.requests), span(point.time)))  # fmt: skip
    note = f"{_many(judgment.hosts.fetched, 'host')} of {number(judgment.hosts.pages)} reached"
    if not rows:
        return ReportSection("Pages reached", (), (), "no page was fetched")
    return ReportSection("Pages reached", ("", "pages", "hosts", "after requests", "after"),
                   tuple(rows), note)  # fmt: skip


def _coverage(judgment: Judgment) -> ReportSection:
    rows = [_covered("all pages (quantity)", judgment.coverage)]
    rows += [_covered(f"  {name}", part) for name, part in judgment.components.items()]
    return ReportSection("Coverage", ("", "fetched", "of", "share"), tuple(rows))


def _quality(judgment: Judgment) -> ReportSection:
    links = judgment.external_links
    external = (
        "external links found",
        number(links.found),
        number(links.total),
        per_cent(links.share),
    )
    columns = ("", "found", "of", "share")
    if judgment.quality is None:
        return ReportSection(
            "Quality", columns, (external,), "PageRank is unknown: the web is too large"
        )
    tops = judgment.quality.top
    rows = [_covered(f"top {name} by PageRank", part) for name, part in tops.items()]
    rows.append(("PageRank mass", "", "", per_cent(judgment.quality.mass)))
    quality = judgment.quality
    note = (f"PageRank: damping {quality.damping:g}, {quality.iterations} rounds, "
            f"residual {quality.residual:.1g}")  # fmt: skip
    return ReportSection("Quality", columns, (*rows, external), note)


def _freshness(judgment: Judgment) -> ReportSection:
    fresh = judgment.freshness
    rows = (
        ("fresh copies", per_cent(fresh.last_fresh), per_cent(fresh.mean_fresh)),
        ("age of a copy", span(fresh.last_age), span(fresh.mean_age)),
    )
    return ReportSection("Freshness", ("", "at the end", "on average"), rows)


def _outcomes(judgment: Judgment) -> ReportSection:
    total = judgment.about.requests
    rows = [
        (f"{'wasted: ' if name in WASTED else ''}{OUTCOMES[name]}", number(count),
         per_cent(count / total if total else None))
        for name, count in judgment.outcomes.counts.items() if count
    ]  # fmt: skip
    outcomes = judgment.outcomes
    rows.append(("wasted, in all", number(outcomes.wasted), per_cent(outcomes.wasted_share)))
    note = f"{outcomes.bytes:,} bytes in all; {_many(outcomes.duplicates, 'duplicate')}"
    return ReportSection("Outcomes of requests", ("", "requests", "share"), tuple(rows), note)


def _politeness(judgment: Judgment) -> ReportSection:
    forbidden, busy = judgment.disallowed, judgment.concurrency
    waits = (
        _waits("Crawl-delay, kept", judgment.crawl_delay),
        _waits("Retry-After, kept", judgment.retry_after),
    )
    rows = (
        *(waits if judgment.about.real_time else ()),
        ("requests in flight to a host", "", "", "",
         "-" if busy.greatest is None else number(busy.greatest),
         "-" if busy.mean is None else f"{busy.mean:.2f}"),
    )  # fmt: skip
    note = f"disallowed: {number(forbidden.requests)} of {_many(forbidden.judged, 'request')}"
    if forbidden.share is not None:
        note += f" ({per_cent(forbidden.share)})"
    if not judgment.about.real_time:
        note += "; waits are not judged, because no wait moves the virtual time of this log"
    return ReportSection(
        "Politeness", ("", "tested", "broken", "least", "greatest", "mean"), rows, note
    )


def _waits(name: str, waits: Fulfilment) -> tuple[str, ...]:
    ratios = [_times(one) for one in (waits.least, waits.greatest, waits.mean)]
    return (name, number(waits.waits), per_cent(waits.broken), *ratios)


def _times(ratio: float | None) -> str:
    if ratio is None:
        return "-"
    return f"{ratio:.2f}x" if ratio < 100 else f"{ratio:,.0f}x"


def _levels(judgment: Judgment) -> ReportSection:
    levels = judgment.levels
    if levels.mean is None:
        return ReportSection("Levels", (), (), "no fetched page has a level")
    note = f"mean level of the fetched pages: {levels.mean:.2f}"
    if not levels.tenths:
        return ReportSection("Levels", (), (), note)
    shown = tuple(
        "-" if one is None else f"{one:.{1 if one < 100 else 0}f}" for one in levels.tenths
    )
    return ReportSection("Levels", ("tenth", *map(str, range(1, 11))),
                   (("mean level", *shown),), note)  # fmt: skip


def _sitemaps(judgment: Judgment) -> ReportSection:
    worth = judgment.sitemaps
    if worth is None:
        return ReportSection("Sitemaps", (), (), "unknown: the web is too large")
    if not worth.hosts.pages:
        return ReportSection("Sitemaps", (), (), "the web has no sitemaps")
    rows = (
        _covered("hosts whose sitemap was read", worth.hosts),
        _covered("listed pages that were fetched", worth.pages),
        _covered("found by a sitemap, linked nowhere", worth.alone),
    )
    note = f"{_many(worth.requests, 'request')} for sitemaps"
    if any(worth.entries.values()):
        parts = (f"{worth.wasted[kind]:,} for {_entries(count, kind)}"
                 for kind, count in worth.entries.items())  # fmt: skip
        note += f"; wasted requests: {', '.join(parts)}"
    return ReportSection("Sitemaps", ("", "", "of", "share"), rows, note)


def _entries(count: int, kind: str) -> str:
    return f"{count:,} {kind} {'entry' if count == 1 else 'entries'}"


def _covered(name: str, part: Covered) -> tuple[str, ...]:
    return (name, number(part.fetched), number(part.pages), per_cent(part.share))


def number(value: int | None) -> str:
    """Return a count with commas between the thousands."""
    return "unknown" if value is None else f"{value:,}"


def per_cent(share: float | None) -> str:
    """Return a share in per cent; only shares of exactly 0 and 1 are printed as 0% and 100%."""
    if share is None:
        return "-"
    if 0 < share < 0.0001:
        return "<0.01%"
    return ">99.99%" if 0.9999 < share < 1 else f"{share:.2%}"


def span(seconds: float | None) -> str:
    """Return a time in the unit that suits it: seconds, minutes, hours or days."""
    if seconds is None:
        return "-"
    for unit, length in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:,.3g} s" if seconds < 10 else f"{seconds:,.1f} s"


def _many(count: int, noun: str, ending: str = "s") -> str:
    return f"{count:,} {noun}{'' if count == 1 else ending}"

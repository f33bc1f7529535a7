"""What a crawler did wrong, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from counterpoint.studies.subjects import SubjectRun
from counterpoint.studies.subjects.measures import FOLLOWED

from .baseline import CrawlBaseline, Values, unpacked
from .moved import figure

__all__ = ["details", "dropped", "figure", "first_request", "named", "tail"]

LEAST_BEFORE, CHANCE = 0.1, 0.01
"""A kind of link is dropped if none is followed, and before at least this share of them was. Enough
addresses must have been found that only such links lead to: if each were requested with the
probability of before, none would be with less than this probability."""

_EARLY = 0.9
"""A crawl stops early if it fetches less than this share of the pages of its baseline."""

_SHIFT = 0.05
"""A site is named if its share of the pages moves by more than this."""


def named(runs: Sequence[SubjectRun], total: int, count: int | None = None) -> str:
    """Return some of all runs in words: the first one, and how many there are."""
    count = len(runs) if count is None else count
    return runs[0].name if total == 1 else f"{runs[0].name}; {count} of {total} runs"


def tail(run: SubjectRun) -> str:
    """Return the end of a run's output, indented."""
    if not run.tail:
        return f"it wrote nothing ({run.name})"
    lines = "\n".join(f"  {line}" for line in run.tail.splitlines())
    return f"the end of its output ({run.name}):\n{lines}"


def dropped(runs: Sequence[SubjectRun], before: Values) -> list[str]:
    """Return a sentence for each kind of link that is not followed any more."""
    found = []
    for kind, text in FOLLOWED.items():
        rows = before.get(f"followed.{kind}", {}).values()
        values = [value for row in rows for value in row]
        share = sum(values) / len(values) if values else 0.0
        now = [run.facts.followed[kind] for run in runs if kind in run.facts.followed]
        addresses = sum(one.found for one in now)
        by_chance = (1 - min(share, 1.0)) ** addresses
        if not addresses or share < LEAST_BEFORE or by_chance >= CHANCE:
            continue
        if any(one.requested for one in now):
            continue
        example = next(one.example for one in now if one.example)
        found.append(
            f"it does not follow {text} any more: none of {addresses} addresses that only they "
            f"lead to was requested, before {share:.0%} (for example {example})"
        )
    return found


def first_request(run: SubjectRun, packed: str) -> str:
    """Return the first request of a run that differs from those of a baseline.

    Parameters
    ----------
    run : SubjectRun
    packed : str
        The requests of the baseline for the same seed.
    """
    new, old = run.order, unpacked(packed)
    for number, (one, other) in enumerate(zip(new, old, strict=False), start=1):
        if one != other:
            return f"request {number} with {run.name} is {one}, before {other}"
    return f"{len(new)} requests with {run.name}, before {len(old)}; the first are the same"


def details(runs: Sequence[SubjectRun], before: CrawlBaseline | None) -> Iterator[str]:
    """Yield sentences on what may be the cause, each with its first example."""
    yield from _of_robots(runs)
    yield from _of_starving(runs)
    if before is not None and len(before.values) == 1:
        (name,) = before.values
        yield from _of_end(runs, before.values[name])
        yield from _of_sites(runs[0], before.sites.get(name, {}))


def _of_robots(runs: Sequence[SubjectRun]) -> Iterator[str]:
    run = next((one for one in runs if one.facts.disallowed), None)
    if run is not None:
        examples = ", ".join(run.facts.disallowed)
        yield f"robots.txt forbids, for example, {examples} ({run.name})"
        if not run.measures.get("robots"):
            yield f"it requested no robots.txt at all ({run.name})"


def _of_starving(runs: Sequence[SubjectRun]) -> Iterator[str]:
    run = next((one for one in runs if one.facts.starving), None)
    if run is not None:
        sites = run.facts.starving
        more = f" and {len(sites) - 3} more" if len(sites) > 3 else ""
        yield f"no page was fetched of {', '.join(sites[:3])}{more} ({run.name})"


def _of_end(runs: Sequence[SubjectRun], before: Values) -> Iterator[str]:
    rows = before.get("pages", {})
    for run in runs:
        old = rows.get(str(run.seed))
        pages = run.measures.get("pages")
        if old and pages is not None and pages < _EARLY * min(old):
            mean = sum(old) / len(old)
            yield (
                f"it stops early: after {pages:,.0f} pages with {run.name}, before after "
                f"{mean:,.0f}, that is at {pages / mean:.0%}"
            )
            return


def _of_sites(run: SubjectRun, before: dict[str, float] | object) -> Iterator[str]:
    total = sum(run.facts.sites.values())
    if not isinstance(before, dict) or not total:
        return
    now = {site: count / total for site, count in run.facts.sites.items()}
    moved = sorted(
        ((abs(now.get(site, 0) - old), site, now.get(site, 0.0), old)
         for site, old in before.items()),
        reverse=True,
    )  # fmt: skip
    for shift, site, new, old in moved[:3]:
        place = "of other hosts" if site == "elsewhere" else f"of {site}"
        if new == 0 < old:
            yield f"none of the fetched pages is {place}, before {old:.1%} ({run.name})"
        elif shift > _SHIFT:
            yield f"{new:.1%} of the fetched pages are {place}, before {old:.1%} ({run.name})"

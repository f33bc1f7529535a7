"""Runs all cases again and judges them; accepts what came out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from counterpoint.models.checking.processes import interrupts_held
from counterpoint.studies.comparison.comparison import compare

from . import baseline
from .baseline import Baseline
from .cases import CASES, Case
from .judging import Judged, judged

FOLDER = Path(__file__).resolve().parent.parent / "baselines"
"""What is committed."""

Tell = Callable[[str], None]


def run(
    cases: Sequence[Case] | None = None,
    folder: Path = FOLDER,
    processes: int = 2,
    tell: Tell | None = None,
    instead: Mapping[str, str] | None = None,
) -> list[Judged]:
    """Crawl all cases again and hold them against their baselines.

    Parameters
    ----------
    cases : sequence of Case, optional
        By default all; then baselines without a case are named too.
    folder : Path
        Of the baselines.
    processes : int
        How many webs are crawled at a time.
    tell : callable, optional
        Told how far it is.
    instead : mapping of str to str, optional
        For names of policies, others (``module:attribute``) that are run in their place.

    Raises
    ------
    CrawlError
        If a file of the folder is no baseline.
    """
    everything = cases is None
    cases = CASES if cases is None else cases
    found: list[Judged] = []
    known = {(case.profile, policy) for case in cases for policy in case.policies}
    before = {one: baseline.load(folder, *one) for one in sorted(known)}
    for case in cases:
        found += _case(case, before, processes, tell, instead or {})
    if everything:
        found += [_stray(*one) for one in sorted(baseline.committed(folder) - known)]
    return found


def _case(
    case: Case, before: Mapping[tuple[str, str], Baseline | None], processes: int,
    tell: Tell | None, instead: Mapping[str, str],
) -> Iterable[Judged]:  # fmt: skip
    plan = case.plan
    run_ = replace(plan, policies=tuple(instead.get(name, name) for name in case.policies))
    told = compare(run_, processes, tell and (lambda line: tell(f"{case.profile}: {line}")))
    for name, one in zip(case.policies, told.policies, strict=True):
        named = replace(one, name=name)
        yield judged(plan, named, baseline.of(plan, named), before[case.profile, name])


def _stray(profile: str, policy: str) -> Judged:
    change = (
        "a baseline is committed, but there is no such case; counterpoint gate --accept removes it"
    )
    return Judged(f"{policy} on {profile}", (change,), None, None, "counterpoint gate --accept")


def accept(found: Iterable[Judged], folder: Path = FOLDER) -> list[str]:
    """Commit what came out, all of it even if Ctrl-C comes; return a line for each file."""
    with interrupts_held():
        return list(_accepted(found, folder))


def _accepted(found: Iterable[Judged], folder: Path) -> Iterator[str]:
    for one in found:
        what = "; ".join(one.changes) or "written anew"
        if one.now is None:
            policy, _, profile = one.name.partition(" on ")
            path = baseline.path_of(folder, profile, policy)
            path.unlink()
            what = "removed"
        elif one.now != one.before:
            path = baseline.save(folder, one.now)
        else:
            continue
        yield f"{path.relative_to(folder)}: {what}"

"""What a suite is: its cases, who reads them, and why a case may differ from what we promise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

OURS = "Counterpoint"


class Case(NamedTuple):
    """A case of a suite.

    Attributes
    ----------
    name : str
        Where it stands, unique in its suite.
    given : Any
        What a reader gets.
    expected : Any
        What the suite says, in terms of what we promise.
    """

    name: str
    given: Any
    expected: Any


@dataclass
class Suite:
    """The cases of a standard.

    Attributes
    ----------
    name : str
        The row of the table.
    need : str
        What must be installed, a name of `tests.needs`; "": nothing.
    cases : callable
        Returns the cases.
    readers : mapping
        Our reader, and those of other projects, by name. A reader returns what it makes of a case.
    reasons : mapping
        Why we answer otherwise than the suite, by name; a predicate says for which cases.
    """

    name: str
    need: str
    cases: Callable[[], list[Case]]
    readers: Mapping[str, Callable[[Any], Any]]
    reasons: Mapping[str, Callable[[Case], bool]] = field(default_factory=dict)


class Measured(NamedTuple):
    """What came of a suite.

    Attributes
    ----------
    cases : int
    passed : dict of str to int
        The number of cases for each reader.
    reasons : Counter
        Our failures by their reason.
    unexplained : list
        Our failures without a reason: the case, and what we made of it.
    """

    cases: int
    passed: dict[str, int]
    reasons: Counter[str]
    unexplained: list[tuple[Case, Any]]


def measured(suite: Suite, *, peers: bool = True) -> Measured:
    """Return what came of a suite.

    Parameters
    ----------
    suite : Suite
    peers : bool
        Also let the readers of other projects read the cases.
    """
    cases = suite.cases()
    assert len({case.name for case in cases}) == len(cases), "two cases have the same name"
    passed = {}
    for name, reader in suite.readers.items():
        if name != OURS and peers:
            passed[name] = sum(_answer(reader, case) == case.expected for case in cases)
    reasons, unexplained, right = Counter[str](), [], 0
    for case in cases:
        found = suite.readers[OURS](case.given)  # none of our readers may raise
        if found == case.expected:
            right += 1
            continue
        reason = next((name for name, fits in suite.reasons.items() if fits(case)), None)
        if reason is None:
            unexplained.append((case, found))
        else:
            reasons[reason] += 1
    return Measured(len(cases), {OURS: right, **passed}, reasons, unexplained)


def _answer(reader: Callable[[Any], Any], case: Case) -> Any:
    try:
        return reader(case.given)
    except Exception as error:  # another project's fault counts as a failure
        return error

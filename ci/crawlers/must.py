"""Conditions on measures, such as ``disallowed == 0`` and ``quality.top-5% >= 40%``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from counterpoint.crawler.errors import CrawlError
from counterpoint.studies.subjects.measures import LogMeasure, measure_named

EXACT = 1e-9
"""Values that differ by less than this share of them are equal."""

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip

_FORM = re.compile(
    r"\s*(?P<name>[A-Za-z][\w.%-]*)\s*(?P<operator>[=!<>]+)\s*"
    r"(?P<number>[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(?P<share>%)?\s*"
)


@dataclass(frozen=True)
class Condition:
    """A condition on a measure.

    Attributes
    ----------
    text : str
        As it was written.
    measure : LogMeasure
    operator : str
    number : float
    """

    text: str
    measure: LogMeasure
    operator: str
    number: float

    def holds(self, value: float) -> bool:
        """Return whether the condition holds for a value of its measure."""
        if abs(value - self.number) <= EXACT * max(abs(value), abs(self.number)):
            value = self.number
        return _OPERATORS[self.operator](value, self.number)


def condition_of(text: str) -> Condition:
    """Parse a condition: the name of a measure, an operator, and a number, with % if you like.

    Raises
    ------
    CrawlError
        If the text has another form, or there is no such measure, or the number cannot be a value
        of the measure.
    """
    found = _FORM.fullmatch(text)
    operators = " ".join(_OPERATORS)
    if found is None or found["operator"] not in _OPERATORS:
        raise CrawlError(
            f"the condition {text!r} is not of the form 'pages >= 900': a measure, one of "
            f"{operators}, and a number, which may end with %"
        )
    measure = measure_named(found["name"])
    number = float(found["number"])
    if found["share"]:
        if not measure.share:
            raise CrawlError(f"the condition {text!r} has a %, but {measure.name} is no share")
        number /= 100
    if measure.share and not 0 <= number <= 1:
        raise CrawlError(
            f"the condition {text!r} can only have a number from 0 to 1, or from 0% to 100%"
        )
    return Condition(" ".join(text.split()), measure, found["operator"], number)

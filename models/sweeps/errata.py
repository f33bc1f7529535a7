"""Checks errata: specs as papers printed them, and as corrected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from counterpoint.models.checking import engines
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.models.verdict import Verdict
from counterpoint.spec.errata import Erratum


@dataclass(frozen=True)
class ErratumResult:
    """An erratum with the exhaustive engine's verdicts for both readings.

    Attributes
    ----------
    printed : Verdict
        The verdict for the property that the printed reading should violate.
    corrected : tuple of Verdict
        The verdicts for all properties under the corrected reading.
    """

    erratum: Erratum
    printed: Verdict
    corrected: tuple[Verdict, ...]

    @property
    def surprises(self) -> tuple[str, ...]:
        """How the verdicts differ from those that the erratum predicts."""
        found = []
        if self.printed.answer == "holds":
            found.append(f"as printed, {self.printed.claim.name} holds ({self.printed.extent})")
        broken = [v.claim.name for v in self.corrected if v.answer == "violated"]
        if broken:
            found.append(f"as corrected, violated: {', '.join(broken)}")
        return tuple(found)

    @property
    def unknown(self) -> str:
        """Why a verdict is unknown; empty if none is."""
        return next(
            (v.reason for v in (self.printed, *self.corrected) if v.answer == "unknown"), ""
        )

    @property
    def answer(self) -> str:
        """``confirmed``, ``not confirmed`` or ``unknown``."""
        if self.surprises:
            return "not confirmed"
        return "unknown" if self.unknown else "confirmed"

    def to_json(self) -> dict[str, Any]:
        """Return the erratum with its verdicts in the form of ``check --format json``."""
        return {
            **{n: v for n, v in vars(self.erratum).items() if isinstance(v, str)},
            "answer": self.answer,
            "surprises": list(self.surprises),
            "printed_verdict": self.printed.to_json(),
            "corrected_verdicts": [v.to_json() for v in self.corrected],
        }


def examine(erratum: Erratum, limits: Limits | None = None) -> ErratumResult:
    """Check both readings of an erratum; the limits apply to each reading."""
    limits = limits or Limits()
    printed = load(erratum.reference, _settings(erratum.bounds, erratum.as_printed))
    breaks = printed.property_named(erratum.breaks)
    wrong = engines.check(printed, limits=limits.again(), wanted=[breaks])
    corrected = load(erratum.reference, _settings(erratum.bounds, erratum.as_corrected))
    return ErratumResult(erratum, wrong[0], tuple(engines.check(corrected, limits=limits.again())))


def _settings(*parts: Mapping[str, Any]) -> list[str]:
    return [f"{name}={value}" for part in parts for name, value in part.items()]

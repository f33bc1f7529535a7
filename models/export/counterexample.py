"""Finds the run to export, with the exhaustive engine, so that it is a shortest one."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.models.checking.engines import check
from counterpoint.models.limits import Limits
from counterpoint.models.verdict import Verdict, by_length
from counterpoint.spec.notation import Model, Property, SpecError


class UndecidedExport(Exception):  # not an error: the answer is "unknown"
    """It is unknown whether there is a run to export; the message says why."""


def first_to_break(model: Model, wanted: Sequence[Property], limits: Limits) -> Verdict:
    """Return the shortest violation; if there is none, the run to one of the named witnesses.

    Parameters
    ----------
    model : Model
        The spec.
    wanted : sequence of Property
        The properties to check; if empty, all but the witnesses.
    limits : Limits
        Of the search.

    Raises
    ------
    SpecError
        If nothing is violated and no witness was named.
    UndecidedExport
        If a limit was reached before a run was found.
    """
    witnesses = [p.name for p in model.properties if p.kind == "sometimes"]
    looked = wanted or [p for p in model.all_properties if p.name not in witnesses]
    verdicts = check(model, "exhaustive", limits, looked)
    shown = [v for v in verdicts if v.trace is not None]
    broken = [v for v in shown if v.answer == "violated"]
    if broken or shown:
        return min(broken or shown, key=by_length)
    open_ones = [v for v in verdicts if v.answer == "unknown"]
    if open_ones:
        raise UndecidedExport(f"{model.name}: no run was found: {open_ones[0].reason}")
    unreached = [v.claim.name for v in verdicts if v.answer == "violated"]
    if unreached:
        raise SpecError(f"{model.name}: no run reaches {', '.join(unreached)}")
    which = ", ".join(p.name for p in wanted) or "any property"
    hint = f"; --property {witnesses[0]} exports a run that reaches it" if witnesses else ""
    raise SpecError(f"{model.name}: no run violates {which}, so there is none to export{hint}")

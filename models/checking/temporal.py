"""Which engines judge temporal properties, and the answers of the others."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.models.loading import proofs_of
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import TEMPORAL, Model, Property

JUDGES = ("exhaustive", "bounded")
"""The engines that judge all temporal properties."""

JUDGE = "exhaustive"
"""The engine that decides them; a gate leaves them to it if it is one of several."""

PROVER = "induction"
"""The engine that proves temporal properties that have a rank."""


def asked(
    engine: str, model: Model, wanted: Sequence[Property], one_of_all: bool
) -> list[Property]:
    """Return the temporal properties about which an engine is asked.

    Parameters
    ----------
    engine : str
        The engine's name.
    model : Model
        The spec.
    wanted : sequence of Property
        The properties that the user wants.
    one_of_all : bool
        Whether all engines were asked for. Those that do not judge temporal properties are then
        silent about them, and so is `induction` about those without a rank.
    """
    found = [claim for claim in wanted if claim.kind in TEMPORAL]
    if not one_of_all or engine in JUDGES:
        return found
    ranks = {method for proof in proofs_of(model) for method in proof.ranks}
    return [claim for claim in found if engine == PROVER and claim.method in ranks]


def judges(engine: str, model: Model) -> bool:
    """Return whether an engine judges temporal properties of a spec; proofs alone, if endless."""
    return engine == PROVER or (engine in JUDGES and not model.spec.endless)


def unknown(engine: str, model: Model, wanted: Sequence[Property]) -> list[Verdict]:
    """Return the answers of an engine that does not judge temporal properties of a spec."""
    if engine in JUDGES:
        why = (
            f"{model.name} is endless: what counts in it has no end, so that only a proof judges "
            f"what happens for ever: use {PROVER}"
        )
        return [Verdict(model, one, engine, "unknown", "", reason=why) for one in wanted]
    use = f"{', '.join(JUDGES)} or {PROVER}"
    since = ", since fairness is promised to each member" if engine == "any-number" else ""
    why = f"the engine {engine} does not judge temporal properties{since}: use {use}"
    return [Verdict(model, one, engine, "unknown", "", reason=why) for one in wanted]


def in_order(found: Sequence[Verdict], wanted: Sequence[Property]) -> list[Verdict]:
    """Return verdicts in the order of the wanted properties, then those on lemmas."""
    places = {claim.name: k for k, claim in enumerate(wanted)}
    return sorted(found, key=lambda verdict: places.get(verdict.claim.name, len(places)))

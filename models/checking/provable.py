"""Whether a spec has what a proof needs."""

from __future__ import annotations

from counterpoint.models.loading import proofs_of
from counterpoint.spec.notation import Model


def provable(model: Model, engine: str) -> bool:
    """Return whether a spec has what an engine's proofs need.

    Parameters
    ----------
    model : Model
        The spec under its parameters.
    engine : str
        ``any-number``, which needs indices in ``any_number``, or ``induction``, which needs lemmas
        or ranks.
    """
    if engine == "any-number":
        return any(proof.spec.any_number for proof in proofs_of(model))
    return any(proof.lemmas or proof.ranks for proof in proofs_of(model))

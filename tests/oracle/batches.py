"""What is compared for each random spec; costly parts are compared for some specs only."""

from __future__ import annotations

from tests.oracle import comparing
from tests.oracle.comparing import LIMIT, Judged, Outcome
from tests.oracle.comparing_any_number import for_any_number


def searches(source: str, seed: int, limit: int = LIMIT, one_in: int = 10) -> dict[str, Outcome]:
    """Compare the engines that search for runs; one of ``one_in`` specs is given to all of them.

    Generated Python and single steps are compared for all specs; the compiler and Hypothesis take
    long.
    """
    judged = Judged(source, limit)
    if judged.large:
        return {}
    found = {
        "single steps": comparing.steps(judged, seed=seed),
        "exhaustive": comparing.full(judged),
    }
    if seed % max(2, one_in // 5) == 0:
        found["bounded"] = comparing.in_steps(judged)
    if seed % one_in == 0:
        found["compiled"] = comparing.full(judged, "compiled")
        found["symmetry"] = comparing.reduced(judged, "symmetry")
        found["partial order"] = comparing.reduced(judged, "partial-order")
    if seed % one_in == 1:
        found["both reductions"] = comparing.reduced(judged, "symmetry", "partial-order")
    if seed % one_in == 2:
        found["stateful"] = comparing.at_random(judged)
    return found


def proofs(source: str, seed: int, limit: int = LIMIT) -> dict[str, Outcome]:
    """Compare induction with the oracle."""
    judged = Judged(source, limit)
    return {} if judged.large else {"induction": comparing.proved(judged)}


def any_number(source: str, seed: int) -> dict[str, Outcome]:
    """Compare proofs for any number of members."""
    return {"any number": for_any_number(source)}

"""The models of tlaplus/Examples in `examples/classics`, and what is published of them.

``python -m tests.docs.classics`` checks all and prints the table of the page with new times.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from counterpoint.models.checking.engines import check
from counterpoint.models.loading import load
from counterpoint.models.verdict import Verdict

from .running import ROOT

FOLDER = ROOT / "examples" / "classics"
PAGE = ROOT / "docs" / "explanation" / "classics.md"


@dataclass(frozen=True)
class Classic:
    """A model of `examples/classics` under given parameters.

    Attributes
    ----------
    file, settings : str
        The name of its file without ``.py``, and values of parameters with blanks between them.
    source : str
        The published configuration, a path in ``specifications/`` without ``.cfg``.
    states : int
        The number of states that our engine finds.
    published : int or None
        The published number of distinct states; None if there is none.
    generated : int or None
        The published number of generated states: TLC counts initial states and successors.
    more : int
        How many of them are no initial states and no transitions of ours.
    why : str
        What these are.
    violated : dict
        The properties that must be violated, and after how many steps; all others hold.
    slow : bool
        Whether it takes more than a few seconds.
    """

    file: str
    settings: str
    source: str
    states: int
    published: int | None = None
    generated: int | None = None
    more: int = 0
    why: str = ""
    violated: tuple[tuple[str, int], ...] = ()
    slow: bool = False

    @property
    def name(self) -> str:
        """The name of the test."""
        return f"{self.file} {self.settings}".strip()

    def verdicts(self) -> list[Verdict]:
        """Return our verdicts on all properties."""
        model = load(str(FOLDER / f"{self.file}.py"), tuple(self.settings.split()))
        return check(model, "exhaustive")

    def row(self, seconds: str) -> str:
        """Return the line of the table on the page."""
        code = f"[`{self.file}`](../../examples/classics/{self.file}.py)"
        with_settings = f"{code} {self.settings}".strip()
        published = "none" if self.published is None else f"{self.published:,}"
        generated = "none" if self.generated is None else f"{self.generated:,}"
        more = f": {self.more:,} {self.why}" if self.more else ""
        verdict = ", ".join(f"{name} violated after {n}" for name, n in self.violated)
        return (
            f"| {with_settings} | {self.source} | {published} | {self.states:,} | {generated}{more} "
            f"| {verdict or 'all hold'} | {seconds} |"
        )


SEVERAL = "repeat a step of the first of the queue"
TWICE = "once more for a part of an `or`"
END = "that stay at the end"
BEYOND = "beyond the bound"

CLASSICS = [
    Classic("async_termination", "nodes=4", "ewd998/AsyncTerminationDetection",
            4097, 4097, 53271, 8192, BEYOND),
    Classic("barrier", "processes=6", "barriers/Barrier", 64, 64, 194),
    Classic("barriers", "processes=6", "barriers/Barriers", 29279, 29279, 104515),
    Classic("chameneos", "creatures=4 meetings=4", "Chameneos/Chameneos", 34534, 34534, 104697),
    Classic("chang_roberts", "nodes=3", "chang_roberts/MCChangRoberts", 137, 137, 227),
    Classic("cigarette_smokers", "", "CigaretteSmokers/CigaretteSmokers", 6, 6, 15),
    Classic("coffee_can", "beans=100", "CoffeeCan/CoffeeCan100Beans", 5150, 5150, 20002, 2, END),
    Classic("die_hard", "", "DieHard/DieHard", 16, violated=(("not-solved", 6),)),
    Classic("ewd840", "nodes=3", "ewd840/EWD840", 302, 302, 2001, 184, TWICE),
    Classic("ewd840", "nodes=4", "ewd840/EWD840_json", 1566, 1566, 15986, 1024, TWICE),
    Classic("lock", "", "locks_auxiliary_vars/Lock", 12, 12, 21),
    Classic("missionaries_cannibals", "", "MissionariesAndCannibals/MissionariesAndCannibals",
            64, violated=(("somebody-stays", 11),)),
    Classic("moving_cat", "boxes=5", "Moving_Cat_Puzzle/CatOddBoxes", 30, 30, 78),
    Classic("moving_cat", "boxes=6", "Moving_Cat_Puzzle/CatEvenBoxes", 48, 48, 128),
    Classic("peterson", "fairness=weak", "locks_auxiliary_vars/Peterson", 42, 42, 77),
    Classic("philosophers_forks", "philosophers=5", "DiningPhilosophers/DiningPhilosophers",
            67, 67, 336),
    Classic("prisoners", "others=3", "Prisoners/Prisoners", 214, 214, 860),
    Classic("prisoners_one_switch", "lamp=off", "Prisoners_Single_Switch/Prisoner", 16, 16, 49),
    Classic("prisoners_one_switch", "lamp=unknown",
            "Prisoners_Single_Switch/PrisonerLightUnknown", 62, 62, 188),
    Classic("prisoners_one_switch", "others=0",
            "Prisoners_Single_Switch/PrisonerSolo", 2, 2, 3),
    Classic("prisoners_one_switch", "others=0 lamp=unknown",
            "Prisoners_Single_Switch/PrisonerSoloLightUnknown", 4, 4, 6),
    Classic("simple_allocator", "", "allocator/SimpleAllocator", 400, 400, 1633),
    Classic("single_lane_bridge", "", "SingleLaneBridge/MC", 3605, 3605, 20181, 7052, SEVERAL),
    Classic("sync_termination", "nodes=7", "ewd840/SyncTerminationDetection", 129, 129, 3722),
    Classic("teaching_concurrency", "processes=5", "TeachingConcurrency/Simple",
            723, 723, 1842, 31, END),
    Classic("token_ring", "nodes=6 values=6", "ewd426/TokenRing", 46656, 46656, 248832),
    Classic("transaction_commit", "", "transaction_commit/TCommit", 34, 34, 94),
    Classic("two_phase", "", "transaction_commit/TwoPhase", 288, 288, 1146),
]  # fmt: skip
"""All models, in the order of the page. No number is ours unless `published` is None."""


def main() -> None:
    """Check all models and print the table of the page."""
    for one in CLASSICS:
        began = time.perf_counter()
        one.verdicts()
        print(one.row(f"{time.perf_counter() - began:.1f} s"))


if __name__ == "__main__":
    main()

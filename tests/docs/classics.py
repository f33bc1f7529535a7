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
    long : bool
        Whether it takes seconds.
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
    long: bool = False

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
        generated += f": {self.more:,} {self.why}" if self.more else ""
        verdict = ", ".join(f"{name} violated after {n}" for name, n in self.violated)
        return (
            f"| {with_settings} | {self.source} | {published} | {self.states:,} | {generated} "
            f"| {verdict or 'all hold'} | {seconds} |"
        )


SEVERAL = "repeat a step of the first of the queue"
TWICE = "once more for a part of an `or`"
QUORUM = "once more for another quorum"
END = "that stay at the end"
BOTH = "once more for a part of an `or`, or that stay at the end"
STAY = "that stay anywhere"
BEYOND = "beyond the bound"

BOOK = "SpecifyingSystems"

CLASSICS = [
    Classic("alternating_bit", "", f"{BOOK}/TLC/MCAlternatingBit", 240, 240, 1392, 188, BEYOND),
    Classic("async_termination", "nodes=4", "ewd998/AsyncTerminationDetection",
            4097, 4097, 53271, 8192, BEYOND),
    Classic("atomic_commit", "participants=3", "acp/ACP_SB_TLC", 54944, 54944, 218352, 224, TWICE),
    Classic("backup_commit", "", "transaction_commit/2PCwithBTM", 1245, 1245, 5841, 998, BOTH),
    Classic("bakery", "", "Bakery-Boulangerie/Bakery", 2303),
    Classic("barrier", "processes=6", "barriers/Barrier", 64, 64, 194),
    Classic("barriers", "processes=6", "barriers/Barriers", 29279, 29279, 104515),
    Classic("bit_transfer", "", f"{BOOK}/TLC/ABCorrectness", 20, 20, 36),
    Classic("chameneos", "creatures=4 meetings=4", "Chameneos/Chameneos", 34534, 34534, 104697),
    Classic("chang_roberts", "nodes=3", "chang_roberts/MCChangRoberts", 137, 137, 227),
    Classic("cigarette_smokers", "", "CigaretteSmokers/CigaretteSmokers", 6, 6, 15),
    Classic("coffee_can", "beans=100", "CoffeeCan/CoffeeCan100Beans", 5150, 5150, 20002, 2, END),
    Classic("die_hard", "", "DieHard/DieHard", 16, violated=(("not-solved", 6),)),
    Classic("echo", "", "echo/MCEcho", 75, 75, 116, 3, END),
    Classic("elevators", "", "MultiCarElevator/ElevatorLivenessMedium",
            4122, 4122, 14296, 766, "not explained"),
    Classic("ewd687a", "", "ewd687a/MCEWD687a", 18028),
    Classic("ewd840", "nodes=3", "ewd840/EWD840", 302, 302, 2001, 184, TWICE),
    Classic("ewd840", "nodes=4", "ewd840/EWD840_json", 1566, 1566, 15986, 1024, TWICE),
    Classic("fifo", "", f"{BOOK}/FIFO/MCInnerFIFO", 3864, 3864, 9660, 1944, BEYOND),
    Classic("key_value_store", "", "KeyValueStore/KeyValueStore", 28305),
    Classic("lamport_mutex", "processes=3 latest=6", "lamport_mutex/MCLamportMutex",
            724274, 724274, 2729079, 232728, BEYOND, long=True),
    Classic("lock", "", "locks_auxiliary_vars/Lock", 12, 12, 21),
    Classic("majority", "longest=5", "Majority/MCMajority", 2733, 2733, 3459),
    Classic("memory", "addresses=3", f"{BOOK}/Liveness/MCLiveInternalMemory", 4408, 4408, 21400),
    Classic("missionaries_cannibals", "", "MissionariesAndCannibals/MissionariesAndCannibals",
            64, violated=(("somebody-stays", 11),)),
    Classic("moving_cat", "boxes=5", "Moving_Cat_Puzzle/CatOddBoxes", 30, 30, 78),
    Classic("moving_cat", "boxes=6", "Moving_Cat_Puzzle/CatEvenBoxes", 48, 48, 128),
    Classic("paxos", "", "PaxosHowToWinATuringAward/MCPaxosTiny",
            3921, 3921, 23563, 568, QUORUM),
    Classic("paxos_commit", "managers=2", "transaction_commit/PaxosCommit",
            1321761, 1321761, 16959159, 1817346, QUORUM, long=True),
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
    Classic("raft_election", "", "", 3655),
    Classic("raft_election", "votes=forgotten", "", 59327,
            violated=(("one-leader-in-a-term", 9),)),
    Classic("readers_writers", "actors=3", "ReadersWriters/MC", 21527, 21527, 59674),
    Classic("regular_registers", "processes=8", "TeachingConcurrency/SimpleRegular",
            277726, 277726, 1454776, 255, END),
    Classic("reliable_broadcast", "", "bcastByz/bcastByz",
            14424, 14424, 227344, 14424, STAY),
    Classic("scheduling_allocator", "", "allocator/SchedulingAllocator", 1690, 1690, 5854),
    Classic("simple_allocator", "", "allocator/SimpleAllocator", 400, 400, 1633),
    Classic("single_lane_bridge", "", "SingleLaneBridge/MC", 3605, 3605, 20181, 7052, SEVERAL),
    Classic("spanning_tree", "nodes=4 far=5", "SpanningTree/SpanTreeTest4Nodes",
            3984, 3984, 21784),
    Classic("sync_termination", "nodes=7", "ewd840/SyncTerminationDetection", 129, 129, 3722),
    Classic("teaching_concurrency", "processes=5", "TeachingConcurrency/Simple",
            723, 723, 1842, 31, END),
    Classic("token_ring", "nodes=6 values=6", "ewd426/TokenRing", 46656, 46656, 248832),
    Classic("transaction_commit", "", "transaction_commit/TCommit", 34, 34, 94),
    Classic("two_phase", "", "transaction_commit/TwoPhase", 288, 288, 1146),
    Classic("voting", "ballots=3", "PaxosHowToWinATuringAward/MCVoting",
            6752, 6752, 41017, 14112, QUORUM),
    Classic("write_through_cache", "", f"{BOOK}/Liveness/MCLiveWriteThroughCache",
            5196, 5196, 28170),
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

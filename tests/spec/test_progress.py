"""Progress of transactional memories: verdicts, and agreement with the specs that record all."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from counterpoint.models.checking import engines
from counterpoint.models.export.promela_formulas import promela_of_runs
from counterpoint.models.loading import load
from counterpoint.models.sweeps.readings import grid, varied
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Model, Step, Values
from counterpoint.spec.stm.memory import Status, TransactionalMemory
from tests import spin
from tests.examples import one_in

MEMORIES = ("window", "tl2", "norec", "jvstm", "dstm", "mcrt")

NOTIONS = ("livelock-freedom", "obstruction-freedom", "lock-freedom", "local-progress")

RING = "programs=r y, w x; r z, w y; r x, w z"
"""Three transactions, each of which reads what the next one writes."""


def judged(memory: str, notion: str, *settings: str) -> Verdict:
    """Return the verdict on a notion of progress; for progressiveness, on the strong one."""
    model = load(f"{memory}-progress", [f"notion={notion}", *settings])
    name = "strong-progressiveness" if notion == "progressiveness" else notion
    (found,) = engines.check(model, wanted=[model.property_named(name)])
    return found


def facts(verdict: Verdict) -> tuple[str, str, int | None]:
    """Return the answer, how far it goes, and the number of all states.

    A search that finds a lasso early does not visit all of them.
    """
    if verdict.answer == "holds":
        return verdict.answer, verdict.extent, verdict.states
    (whole,) = engines.check(verdict.model, wanted=[verdict.model.property_named("ranges")])
    assert whole.answer == "holds"
    return verdict.answer, verdict.extent, whole.states


@pytest.mark.long
@pytest.mark.parametrize(
    ("memory", "settings", "states", "opaque"),
    [
        ("window", [], 4_611, True),
        ("tl2", [], 6_851, True),
        ("norec", [], 3_359, True),
        ("jvstm", [], 3_735, True),
        ("dstm", [], 2_926, True),
        ("dstm", ["validation=versions"], 2_862, False),
        ("mcrt", [], 3_944, True),
        ("mcrt", ["read-check=nothing"], 3_804, False),
        ("window", [RING], 2_789, True),
        ("tl2", [RING], 7_888, True),
    ],
)
def test_all_are_strongly_progressive(
    memory: str, settings: list[str], states: int, opaque: bool
) -> None:
    """A transaction aborted without a conflict, or all of a group that conflicts on one object."""
    model = load(f"{memory}-progress", settings)
    names = ("opacity", "progressiveness", "strong-progressiveness")
    found = engines.check(model, wanted=[model.property_named(name) for name in names])
    answers = ["holds" if opaque else "violated", "holds", "holds"]
    assert [one.answer for one in found] == answers
    assert found[1].states == states


@pytest.mark.parametrize(
    ("memory", "notion", "settings", "expected"),
    [
        ("norec", "livelock-freedom", [], ("holds", "all runs", 11_040)),
        ("norec", "local-progress", [], ("violated", "8 steps, then 6 for ever", 11_040)),
        ("jvstm", "livelock-freedom", [], ("holds", "all runs", 12_111)),
        ("jvstm", "local-progress", [], ("violated", "0 steps, then 14 for ever", 12_111)),
        ("dstm", "livelock-freedom", [], ("violated", "2 steps, then 7 for ever", 1_919)),
        ("dstm", "local-progress", [], ("violated", "0 steps, then 7 for ever", 1_919)),
        ("dstm", "obstruction-freedom", [], ("holds", "all runs", 5_757)),
        ("dstm", "obstruction-freedom", ["validation=versions"], ("holds", "all runs", 5_793)),
        (
            "dstm",
            "obstruction-freedom",
            ["write-conflict=abort-self"],
            ("violated", "3 steps, then 3 for ever", 5_793),
        ),
        ("dstm", "lock-freedom", [], ("violated", "2 steps, then 7 for ever", 5_757)),
    ],
)
def test_verdicts(
    memory: str, notion: str, settings: list[str], expected: tuple[str, str, int]
) -> None:
    """A verdict that differs from the table in the documents, or a graph with other states."""
    assert facts(judged(memory, notion, *settings)) == expected


@pytest.mark.long
@pytest.mark.parametrize(
    ("memory", "notion", "settings", "expected"),
    [
        ("norec", "obstruction-freedom", [], ("violated", "4 steps, then none for ever", 33_120)),
        ("jvstm", "obstruction-freedom", [], ("violated", "7 steps, then none for ever", 36_333)),
        ("mcrt", "livelock-freedom", [], ("violated", "6 steps, then 10 for ever", 18_600)),
        ("mcrt", "local-progress", [], ("violated", "5 steps, then 7 for ever", 18_600)),
        ("mcrt", "obstruction-freedom", [], ("violated", "8 steps, then 3 for ever", 55_800)),
    ],
)
def test_verdicts_on_middle_graphs(
    memory: str, notion: str, settings: list[str], expected: tuple[str, str, int]
) -> None:
    """A verdict that differs from the table in the documents, or a graph with other states."""
    assert facts(judged(memory, notion, *settings)) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("memory", "notion", "settings", "expected"),
    [
        ("window", "livelock-freedom", [], ("holds", "all runs", 81_645)),
        ("window", "local-progress", [], ("violated", "0 steps, then 14 for ever", 81_645)),
        ("window", "obstruction-freedom", [], ("violated", "7 steps, then none for ever", 244_935)),
        ("window", "lock-freedom", [], ("violated", "7 steps, then none for ever", 244_935)),
        ("window", "livelock-freedom", [RING], ("holds", "all runs", 190_865)),
        ("tl2", "livelock-freedom", [], ("holds", "all runs", 266_677)),
        (
            "tl2",
            "livelock-freedom",
            ["objects=3"],
            ("violated", "22 steps, then 54 for ever", 11_636_176),
        ),
        ("tl2", "local-progress", [], ("violated", "0 steps, then 10 for ever", 266_677)),
        ("tl2", "obstruction-freedom", [], ("violated", "4 steps, then 3 for ever", 800_031)),
        ("tl2", "livelock-freedom", [RING], ("violated", "24 steps, then 27 for ever", 2_371_388)),
        ("norec", "lock-freedom", [], ("violated", "4 steps, then none for ever", 33_120)),
        ("jvstm", "lock-freedom", [], ("violated", "7 steps, then none for ever", 36_333)),
        ("mcrt", "lock-freedom", [], ("violated", "8 steps, then 3 for ever", 55_800)),
        ("norec", "livelock-freedom", [RING], ("holds", "all runs", 15_622)),
        ("jvstm", "livelock-freedom", [RING], ("holds", "all runs", 20_533)),
    ],
)
def test_verdicts_on_larger_graphs(
    memory: str, notion: str, settings: list[str], expected: tuple[str, str, int]
) -> None:
    """A verdict that differs from the table in the documents, or a graph with other states."""
    assert facts(judged(memory, notion, *settings)) == expected


@pytest.mark.long
@pytest.mark.parametrize(
    ("notion", "answer"),
    [
        ("livelock-freedom", "holds"),
        ("local-progress", "violated"),
        ("obstruction-freedom", "violated"),
    ],
)
@pytest.mark.parametrize("memory", ["window", "tl2"])
def test_one_object_each_is_enough(memory: str, notion: str, answer: str) -> None:
    """Other verdicts of the two largest memories where each transaction updates one object."""
    assert judged(memory, notion, "programs=r x, w x; r x, w x").answer == answer


def test_read_only_transactions_of_jvstm_are_never_starved() -> None:
    """A transaction that only reads and waits for others, or an update that does not."""
    assert judged("jvstm", "local-progress", "programs=r x, r y; w x, w y").answer == "holds"
    assert judged("jvstm", "local-progress", "programs=r x, w y; w x, w y").answer == "violated"
    assert judged("jvstm", "obstruction-freedom", "programs=r x, r y; w x").answer == "holds"


@pytest.mark.long
def test_no_reading_of_the_window_loses_progress() -> None:
    """A reading that keeps opacity and loses livelock freedom, which the documents deny."""
    model = load("window-progress")
    choices = {**varied(model, []), "fetch-and-increment": ("new", "old")}
    rows = grid(choices, 1)
    assert len(rows) == 14 and "notion" not in choices
    for row in rows:
        settings = [f"{name}={value}" for name, value in row.items()]
        found = judged("window", "livelock-freedom", *settings, "programs=r x, w y; r y, w x")
        assert (row, found.answer) == (row, "holds")


@pytest.mark.long
@pytest.mark.parametrize(
    ("spec", "settings"),
    [
        ("dstm-progress", ["notion=livelock-freedom"]),
        ("dstm-progress", ["notion=obstruction-freedom"]),
        ("norec-progress", ["notion=livelock-freedom"]),
        ("norec-progress", ["notion=obstruction-freedom"]),
        ("jvstm-progress", ["notion=livelock-freedom"]),
        ("mcrt-progress", ["notion=local-progress"]),
        ("scent-for-ever", ["delta-s=3"]),
        ("scent-for-ever", ["delta-s=0", "static=3"]),
        ("scent-for-ever", ["delta-s=0", "changing=1"]),
        ("r3-visits", ["budget=6"]),
    ],
)
def test_spin_agrees(spec: str, settings: list[str], tmp_path: Path) -> None:
    """A lasso that Spin does not find, or one that it finds where we find none."""
    spin.require_spin()
    model = load(spec, settings)
    for found in engines.check(model, wanted=model.temporal):
        said = spin.accepts(promela_of_runs(model, found.claim), tmp_path)
        assert (said is None) == (found.answer == "holds"), (found.claim.name, said)


def steps(model: Model, values: Values) -> dict[Step, Values]:
    """Return the possible steps, each with the state after it."""
    found = {step: model.take(values, step) for step in model.steps}
    return {step: after for step, after in found.items() if after is not None}


class _Pair:
    """The recorded memory, whose processes run several transactions, beside the one for ever."""

    def __init__(self, memory: str, settings: Sequence[str], rounds: int) -> None:
        plain = [s for s in settings if not s.startswith("programs")]
        programs = [s.partition("=")[2] for s in settings if s.startswith("programs")]
        bounds = [f"transactions={2 * rounds}", "processes=2"]
        if programs:
            bounds = [f"programs={'; '.join(programs * rounds)}", "processes=2"]
        name = "window-stm" if memory == "window" else memory
        self.recorded = load(name, [*plain, *bounds])
        self.endless = load(f"{memory}-progress", ["notion=livelock-freedom", *settings])
        self.begin()

    def begin(self) -> None:
        """Go to the initial states."""
        self.values = next(self.recorded.initial_states())
        self.other = next(self.endless.initial_states())
        self.current = [0, 1]

    def pairs(self) -> list[tuple[Step, Values, Values | None]]:
        """Return the recorded memory's steps, with both states after each."""
        found: list[tuple[Step, Values, Values | None]] = []
        for step, after in steps(self.recorded, self.values).items():
            t, *rest = step.binding
            same: Values | None = self.other
            if step.action == "begin" and t >= 2:
                same = self.endless.take(self.other, Step("again", (t % 2,)))
            if same is not None:
                same = self.endless.take(same, Step(step.action, (t % 2, *rest)))
            found.append((step, after, same))
        return found

    def possible(self) -> int:
        """Return the number of steps of the memory for ever, of processes that are not done."""
        number = 0
        last = len(self.recorded.spec.transactions) - 2  # type: ignore[attr-defined]
        for step, after in steps(self.endless, self.other).items():
            if step.action != "again":
                number += 1
            elif self.current[step.binding[0]] < last:
                number += self.endless.take(after, Step("begin", step.binding)) is not None
        return number

    def walk(self, chance: random.Random) -> int:
        """Take random steps to the end, the same in both; return how many."""
        length = 0
        while pairs := self.pairs():
            assert len(pairs) == self.possible()
            step, after, same = chance.choice(pairs)
            assert same is not None, step
            self.values, self.other = after, same
            self.current[step.binding[0] % 2] = step.binding[0]
            length += 1
        return length


WALKS: list[tuple[str, list[str]]] = [
    ("window", []),
    ("window", ["version-end=ct-1", "clock-read=commit-only", "recheck=later-or-equal"]),
    ("window", ["fetch-and-increment=old", "finite-window=pick", "unlock=object-by-object"]),
    ("tl2", []),
    ("tl2", ["clock=pass", "shortcut=if-incremented"]),
    ("tl2", ["fetch-and-increment=old"]),
    ("norec", []),
    ("jvstm", []),
    ("jvstm", ["validation=writes"]),
    ("dstm", ["validation=owners"]),
    ("dstm", ["validation=versions", "read-conflict=old-version"]),
    ("mcrt", ["read-check=all-records"]),
    ("mcrt", ["read-check=nothing", "undo-version=same"]),
]


@pytest.mark.parametrize(("memory", "settings"), WALKS)
def test_runs_for_ever_begin_like_recorded_ones(memory: str, settings: list[str]) -> None:
    """Versions or numbers moved so that a memory takes other steps than with all of them kept."""
    assert _Pair(memory, settings, rounds=3).walk(random.Random(1)) > 20


@pytest.mark.long
@pytest.mark.parametrize(("memory", "settings"), one_in(2, WALKS))
def test_many_runs_for_ever_begin_like_recorded_ones(memory: str, settings: list[str]) -> None:
    """A memory that takes other steps in rare runs: neighbours moved apart, say, or together."""
    pair = _Pair(memory, settings, rounds=3)
    for seed in range(60):
        pair.begin()
        assert pair.walk(random.Random(seed)) > 10


def test_every_status_ends_a_transaction_once() -> None:
    """A transaction that begins anew before it has ended, or not at all."""
    model = load("norec-progress", ["notion=livelock-freedom"])
    values = next(model.initial_states())
    chance, ended = random.Random(1), 0
    for _ in range(300):
        step, after = chance.choice(list(steps(model, values).items()))
        state = model.at(values)
        assert isinstance(state, TransactionalMemory)
        is_over = int(state.status[step.binding[0]]) >= Status.COMMITTED
        assert is_over == (step.action == "again")
        ended += is_over
        values = after
    assert ended > 10

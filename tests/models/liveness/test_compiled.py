"""The graph in C and the graph in Python: the same verdicts and the same lassos."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from counterpoint.models.checking.engines import Options, check
from counterpoint.models.explore.compiled.explorer import CompiledExploration, CompiledExplorer
from counterpoint.models.explore.exhaustive import explore
from counterpoint.models.explore.liveness import judging
from counterpoint.models.explore.liveness.judging import graph_of, verdict_from
from counterpoint.models.limits import LimitReached, Limits, resident_bytes
from counterpoint.models.loading import load
from counterpoint.models.symbolic.trace import trace
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Model
from tests.needs import need

from .brute_force import KINDS


@pytest.fixture(autouse=True, scope="module")
def compiler_is_there() -> None:
    """Require a C compiler for all tests of this file."""
    need("gcc")


def drawn(seed: int, folder: Path, most: int) -> Model:
    """Return a random machine with up to 120 promises, one property of each kind, two formulas."""
    chance = random.Random(seed)
    size = chance.choice((5, 30, most))
    lines = [
        "from counterpoint import Index, Integer, Spec, action, require",
        "from counterpoint import always, implies, some, sometime, temporal",
        f"from counterpoint import {', '.join(kind.replace('-', '_') for kind in KINDS)}",
        "class Drawn(Spec):",
        '    """A drawn machine."""',
        f"    at = Integer(0, {size - 1})",
    ]
    numbers = [chance.choice((1, 5, size, 40)) for _ in range(3)]
    for k, number in enumerate(numbers):
        lines.append(f"    moves{k} = Index({number}, names='m{k}', labels='m{k}_', at_most=300)")
    for k, number in enumerate(numbers):
        whole = chance.choice(("", ", fair_for=()"))
        fair = chance.choice(("none", "weak", "strong"))
        begins = [chance.randrange(size) for _ in range(number)]
        ends = [begin if chance.random() < 0.1 else chance.randrange(size) for begin in begins]
        lines += [
            f"    @action(fair={fair!r}{whole})",
            f"    def act{k}(s, m{k}):",
            f"        require(s.at == {tuple(begins)}[m{k}])",
            f"        s.at = {tuple(ends)}[m{k}]",
        ]
    for kind in KINDS:
        part = chance.choice((2, 3, 7))
        first = f"s.at % {part} {chance.choice(('!=', '=='))} {chance.randrange(part)}"
        second = f"s.at % 5 == {chance.randrange(5)}"
        both = f"{first}, {second}" if kind in ("leads-to", "until") else first
        name = kind.replace("-", "_")
        lines += [f"    @{name}", f"    def claim_{name}(s):", f"        return {both}"]
    lines += [
        "    @temporal",
        "    def claim_answered(s):",
        f"        return always(implies(s.at % 3 == 1, sometime(s.at % 5 == {size % 5})))",
        "    @temporal",
        "    def claim_one_of_ten(s):",
        f"        at = s.at // 2 if s.at % 2 == {size % 2} else 10",
        "        return some(always(sometime(at % 11 == k)) for k in range(10))",
    ]
    path = folder / f"drawn{seed}.py"
    path.write_text("\n".join(lines))
    return load(str(path))


def in_c(model: Model, threads: int) -> CompiledExploration:
    """Explore with the compiled explorer alone, for all temporal properties."""
    explorer = CompiledExplorer(trace(model), (), (), model.temporal)
    return explorer.explore(Limits(), threads)


def by_both(model: Model, threads: int = 1) -> list[tuple[Verdict, Verdict]]:
    """Return for each temporal property the verdict in Python and the one in C."""
    one = graph_of(explore(model, Limits(), (), "python"), Limits())
    two = graph_of(in_c(model, threads), Limits())
    assert one.size == two.size
    return [
        (verdict_from(one, claim, Limits()), verdict_from(two, claim, Limits()))
        for claim in model.temporal
    ]


def compare(model: Model, threads: int) -> set[str]:
    """Compare all verdicts, and return the answers."""
    answers = set()
    for one, two in by_both(model, threads):
        assert (one.answer, one.extent, one.notes) == (two.answer, two.extent, two.notes)
        assert one.trace == two.trace, one.claim.name
        numbers = (one.states, one.transitions, one.depth)
        assert numbers == (two.states, two.transitions, two.depth)
        answers.add(one.answer)
    return answers


MANY_PROMISES = 11
"""The seed of a machine whose promises need two words of a mask."""


def test_random_machines(tmp_path: Path) -> None:
    """A step, a promise, a region or a part that C has and Python has not, or the reverse."""
    found = [
        compare(drawn(seed, tmp_path, 40), 1 + seed % 2) for seed in (*range(5), MANY_PROMISES)
    ]
    assert set().union(*found) == {"holds", "violated"}
    assert len(drawn(MANY_PROMISES, tmp_path, 40).fairness) > 64


@pytest.mark.slow
@pytest.mark.parametrize("begin", range(100, 500, 50))
def test_many_random_machines(begin: int, tmp_path: Path) -> None:
    """The same, on more machines."""
    for seed in range(begin, begin + 50):
        compare(drawn(seed, tmp_path, 300), 1 + seed % 2)


RING = """
from counterpoint import Boolean, Choice, Index, Array, Spec, action, every, require, stays
from counterpoint import infinitely_often, leads_to, no

class Ring(Spec):
    \"\"\"Neighbours change places of marks; each mark may also be turned.\"\"\"
    places = Index(12, names="p", labels="P")
    fairness = Choice("none", "weak", "strong")
    marked = Array(places, Boolean(), initially=lambda s, p: p % 2 == 0)

    @action(fair=lambda s: s.fairness)
    def turn(s, p):
        s.marked[p] = ite(s.marked[p], False, True)

    @action(fair=lambda s: s.fairness)
    def clear(s, p):
        require(s.marked[p], s.marked[(p + 1) % 12])
        s.marked[p] = False

    @leads_to
    def a_mark_goes(s):
        return s.marked[0], no(s.marked[p] for p in s.places)

    @infinitely_often
    def the_first_is_marked(s):
        return s.marked[0]

    @stays
    def not_all(s):
        return no(s.marked[p] for p in s.places)
""".replace("no\n", "ite, no\n", 1)


@pytest.mark.parametrize(
    "fairness",
    ["strong", *(pytest.param(name, marks=pytest.mark.slow) for name in ("none", "weak"))],
)
def test_a_graph_of_many_blocks(fairness: str, tmp_path: Path) -> None:
    """Blocks of states that are put together in a wrong order, or a part over several of them."""
    path = tmp_path / "ring.py"
    path.write_text(RING)
    model = load(str(path), [f"fairness={fairness}"])
    assert compare(model, 2) == ({"violated"} if fairness == "none" else {"holds", "violated"})


def test_no_more_memory_than_allowed(tmp_path: Path) -> None:
    """A graph that is built although it needs more memory than is allowed."""
    path = tmp_path / "ring.py"
    path.write_text(RING)
    model = load(str(path))
    explorer = CompiledExplorer(trace(model), (), (), model.temporal)
    limits = Limits(bytes=resident_bytes() + 400_000)
    run = explorer.explore(limits, 1)
    assert run.complete
    with pytest.raises(LimitReached, match="the memory limit of"):
        graph_of(run, limits)


def test_the_explorer_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph in Python for a user who asks for C."""
    made: list[object] = []
    monkeypatch.setattr(judging, "GeneratedGraph", lambda *_: made.append("python"))
    model = drawn(1, tmp_path, 5)
    found = check(model, wanted=model.temporal, options=Options(explorer="compiled"))
    assert {verdict.answer for verdict in found} <= {"holds", "violated"}
    assert not made

"""The oracle's own tests: counts made by hand, and the meaning of each construct."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.oracle import functions, notation, search
from tests.oracle.functions import Leaves, SpecError
from tests.oracle.random_specs import random_spec
from tests.oracle.random_specs_for_any_number import random_spec_for_any_number
from tests.oracle.search import Found, Runner, executed, spec_in

ROOT = Path(__file__).parents[2]


def found(source: str, **given: int) -> Found:
    """Return all that the oracle finds about a spec."""
    return search.search(
        Runner(spec_in("from counterpoint.spec.notation import *\n" + source)(**given))
    )


def test_the_oracle_shares_no_code_with_what_it_judges() -> None:
    """An oracle that imports the code that it judges, so that both have the same slip."""
    for module in (functions, notation, search):
        tree = ast.parse(Path(module.__file__ or "").read_text())
        names = [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
        names += [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
        for name in names:
            own = name in ("tests.oracle.functions", "tests.oracle.notation")
            assert own or name.partition(".")[0] in sys.stdlib_module_names, name


@pytest.mark.parametrize(
    ("path", "counts", "first"),
    [
        ("locks/peterson.py", (20, 34), {"both-wait": 4}),
        (
            "locks/philosophers.py",
            (1363, 5650),
            {"somebody-eats": 3, "two-eat": 6, "no-deadlock": 10},
        ),
        ("crawl/measures.py", (256, 512), {"half-precise-and-all-recalled": 2}),
    ],
)
def test_specs_of_the_repository(path: str, counts: tuple[int, int], first: dict[str, int]) -> None:
    """An oracle that visits too few or too many states; Spin finds the same counts."""
    there = search.search(Runner(spec_in((ROOT / "spec" / path).read_text())()))
    assert (len(there.states), there.transitions) == counts
    assert there.first == first
    assert there.complete


def test_a_spec_in_two_modules() -> None:
    """Declarations of a base class that are forgotten or out of order."""
    sources = [(ROOT / "spec" / "crawl" / name).read_text() for name in ("pages.py", "frontier.py")]
    space = executed(sources[0], sources[1].replace("from .pages import Crawl, Place\n", ""))
    there = search.search(Runner(space["Frontier"](pages=2)))
    assert (len(there.states), there.transitions) == (46, 99)


SWITCHES = """
class Switches(Spec):
    members = Index(3, names="p")
    on = Array(members, Boolean())
    pressed = Integer(0, 2)

    @action
    def flip(s, p):
        s.on[p] = not s.on[p]

    @action
    def press(s):
        s.pressed = s.pressed + 1

    @action
    def never(s):
        require(s.pressed == 2, no(s.pressed == 2))

    @invariant
    def not_all(s):
        return count(s.on[p] for p in s.members) <= 2

    @transition
    def never_down(s, after):
        return every(after.on[p] or not s.on[p] for p in s.members)

    @sometimes
    def two_and_two(s):
        return every(s.pressed == 2, count(s.on[p] for p in s.members) == 2)
"""


def test_counts_made_by_hand() -> None:
    """A wrong number of states or steps; the correct ones (2 x 2 x 2 x 3 states) are known."""
    there = found(SWITCHES)
    assert (len(there.states), there.transitions) == (24, 96)
    assert there.first == {"not-all": 3, "never-down": 2, "two-and-two": 4, "ranges": 3}
    assert there.leaves == 3
    assert there.possible == {"flip", "press"}
    assert max(there.states.values()) == 5
    assert len(found(SWITCHES, members=1).states) == 6
    assert "not-all" not in found(SWITCHES, members=2).first


LOST_UPDATE = """
from enum import IntEnum

class Step(IntEnum):
    READ, WRITE, DONE = range(3)

class Counter(Spec):
    processes = Index(2, names="p", labels="P")
    counter = Integer(0, lambda s: len(s.processes))
    copy = Array(processes, Integer(0, lambda s: len(s.processes)))
    step = Array(processes, Member(Step))

    @action
    def read(s, p):
        require(s.step[p] == Step.READ)
        s.copy[p], s.step[p] = s.counter, Step.WRITE

    @action
    def write(s, p):
        require(s.step[p] == Step.WRITE)
        s.counter, s.step[p] = s.copy[p] + 1, Step.DONE

    @finished
    def all_done(s):
        return every(s.step[p] == Step.DONE for p in s.processes)

    @invariant
    def nothing_is_lost(s):
        return implies(s.all_done(), s.counter == len(s.processes))
"""


def test_the_example_of_the_readme() -> None:
    """The lost update missed, or found after another number of steps."""
    assert found(LOST_UPDATE).first == {"nothing-is-lost": 4}
    assert found(LOST_UPDATE, processes=1).first == {}
    assert len(found(LOST_UPDATE, processes=1).states) == 3


def ending(claims: str, action: str = "pass") -> Found:
    """Return what the oracle finds about a spec with these methods and one action."""
    return found(f"""
from enum import IntEnum
class Nobody(IntEnum):
    LOST, NOBODY = -2, -1
class Ending(Spec):
    members = Index(2, names="p q")
    n = Array(members, Integer(-1, 1))
    who = Reference(members, Nobody)
    yes = Boolean(initially=True)
    high = Integer(2, 5)
    low = Integer(-4, -3)
    @action
    def go(s, p):
        {action}
    def method(s):
        return True
{claims}""")


def value(expression: str) -> bool | str:
    """Return the value of an expression in the initial state, or ``error``."""
    claim = f"    @invariant\n    def claim(s):\n        return {expression}\n"
    try:
        return "claim" not in ending(claim).first
    except SpecError:
        return "error"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("s.who == Nobody.LOST and s.who == -2", True),
        ("s.high == 2 and s.low == -3 and s.n[0] == 0", True),
        ("s.yes is True", True),
        ("every()", True), ("some()", False), ("no()", True),
        ("every(True, 2, s.yes)", True), ("every([True, 0])", False),
        ("some(s.n[p] == 1 for p in s.members)", False),
        ("no(0, False)", True), ("implies(0, 0)", True), ("implies(1, 0)", False),
        ("count([1, 0, 3]) == 2", True), ("count(s.n[p] == 0 for p in s.members) == 2", True),
        ("minimum(3, 1, 2) == 1", True), ("maximum([3, 1]) == 3", True), ("minimum()", "error"),
        ("ite(s.yes, 3, 4) == 3", True), ("tabulated(lambda a, b: a - b, 3, True) == 2", True),
        ("every(False, s.n[2])", "error"), ("some(True, s.n[s.who])", "error"),
        ("every(s.n[p + 1] for p in s.members)", "error"),
        ("some(p == 0 or s.n[p + 1] for p in s.members)", "error"),
        ("some(p == 0 or s.n[p] == 0 for p in s.members)", True),
        ("implies(False, s.n[2])", "error"), ("ite(True, 1, s.n[2])", "error"),
        ("s.yes or s.n[2]", True), ("False and s.n[2]", False),
        ("every(s.method, True)", "error"), ("every(s.method(), True)", True),
        ("every(None)", "error"), ("some('ab')", "error"), ("no([1], [0])", "error"),
        ("some((p for p in s.members), True)", "error"),
        ("implies(None, True)", "error"), ("ite(True, 1, None)", "error"),
        ("count(s.method for p in s.members)", "error"), ("maximum(1, '2')", "error"),
        ("s.n[0, 0] == 0", "error"), ("s.unknown", "error"), ("s.n['0']", "error"),
        ("require(True) is None", "error"), ("setattr(s, 'yes', False) is None", "error"),
    ],
)  # fmt: skip
def test_what_an_expression_means(expression: str, expected: bool | str) -> None:
    """A part of an expression that is not evaluated, or a missing value taken for one."""
    assert value(expression) == expected


def test_a_step_that_is_not_possible_changes_nothing() -> None:
    """Assignments that are kept although a later requirement failed."""
    there = ending("", "s.n[p] = 1; require(s.n[0] == s.n[1])")
    assert (len(there.states), there.transitions, there.possible) == (1, 0, set())


@pytest.mark.parametrize(
    "action", ["s.n[p] = 2", "s.n[p] = -2", "s.n[p + 1] = 0", "s.n[s.who] = 0", "s.yes = 2"]
)
def test_a_step_that_leaves_a_range_leads_nowhere(action: str) -> None:
    """A wrapped or clamped value, a negative index, or a successor of such a step."""
    there = ending("", f"s.high = 3; {action}")
    assert there.first == {"ranges": 1}
    assert there.possible == {"go"}
    assert all(values[4] == 2 for values in there.states) or action == "s.n[p + 1] = 0"


def test_a_range_that_grows_ends_only_for_the_search() -> None:
    """A proof that uses the search's bound of a growing range, or an unbounded search."""
    source = """
class Growing(Spec):
    n = Integer(0, 2, grows=True)
    @action
    def go(s):
        s.n = s.n + 1
"""
    there = found(source)
    assert (len(there.states), there.first, there.leaves) == (3, {"ranges": 3}, None)
    spec = spec_in("from counterpoint.spec.notation import *\n" + source)
    assert Runner(spec(endless=True)).take((2,), ("go", ())) == (3,)
    with pytest.raises(Leaves):
        Runner(spec()).take((2,), ("go", ()))


def test_initial_states_and_deadlocks() -> None:
    """A wrong set of initial states, or a deadlock confused with the end of a run."""
    source = """
class Starting(Spec):
    members = Index(2, names="p")
    n = Array(members, Integer(0, 1), initially=ANY)
    first = Array(members, Integer(0, 1), initially=lambda s, p: p)
    @action
    def go(s):
        require(s.n[0] > s.n[1])
        s.n[0] = 0
    @initially
    def not_both(s):
        return s.n[0] + s.n[1] < 2
    @finished
    def ends(s):
        return s.n[1] == 1
"""
    there = found(source)
    assert list(there.states) == [(0, 0, 0, 1), (0, 1, 0, 1), (1, 0, 0, 1)]
    assert there.first == {"no-deadlock": 0}
    assert there.transitions == 1


def test_the_same_seed_gives_the_same_text() -> None:
    """A text that depends on the order of a set, so that a seed cannot be repeated."""
    script = (
        "import zlib; from tests.oracle.random_specs import random_spec as a;"
        "from tests.oracle.random_specs_for_any_number import random_spec_for_any_number as b;"
        "print(zlib.crc32(''.join(f(s) for f in (a, b) for s in range(40)).encode()))"
    )
    completed = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True, text=True, check=True, cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT / "src")},
        ).stdout
        for seed in (1, 2)
    }  # fmt: skip
    assert len(completed) == 1


WORDS = (
    "and ", "or ", "not ", "if ", "elif ", "else:", "ite(", "sum(", "count(", "minimum(",
    "maximum(", "// ", "% ", "* ", "abs(", "tabulated(", "for m in s.", "initially=ANY",
    "initially=lambda", "@initially", "@transition", "@sometimes", "@finished", "@lemma",
    "grows=True", "Array((", "Reference(", "Member(", "Boolean(", "Integer(-", "+= 1", "helper0(",
    " + 1]", "Index(1,", "Index(3,", "return\n", "lambda s: len(", "every(", "some(", "no(",
    "implies(", "any(", "all(", " & ", " | ", " in (", "LOST = -2", "old0",
)  # fmt: skip


def test_random_specs_use_all_of_the_notation() -> None:
    """A construct of the notation that no random spec uses, and so no test covers."""
    texts = [random_spec(seed) for seed in range(400)]
    for word in WORDS:
        assert sum(word in text for text in texts) >= 4, word
    assert sum(text.count(" = Index(") == 3 for text in texts) > 10


@pytest.mark.long
@pytest.mark.parametrize("write", [random_spec, random_spec_for_any_number])
def test_random_specs_can_be_written_and_read(write: Callable[[int], str]) -> None:
    """A seed without a spec, or with a text that is not valid Python."""
    for seed in range(1000, 1600):
        compile(write(seed), f"{write.__name__}({seed})", "exec")


def test_random_specs_have_something_to_say() -> None:
    """Specs with one state, or claims that all hold or all fail at once."""
    depths: list[int | None] = []
    sizes: list[int] = []
    for seed in range(60):
        runner = Runner(spec_in(random_spec(seed))())
        try:
            there = search.search(runner, 500)
        except SpecError:
            continue
        sizes.append(len(there.states))
        claims = [n for n, kind in runner.kinds.items() if kind == "invariant"]
        depths += [there.first.get(name) for name in claims]
    assert len(sizes) >= 50
    assert sorted(sizes)[len(sizes) // 2] >= 10
    assert 0.3 < sum(d is None for d in depths) / len(depths) < 0.8
    assert sum(d is not None and d >= 2 for d in depths) / len(depths) > 0.12


def test_random_claims_for_any_number_fail_at_various_sizes() -> None:
    """Claims that all hold, or that one member already violates."""
    first: list[int | None] = []
    for seed in range(40):
        of = spec_in(random_spec_for_any_number(seed))
        names = of.any_number
        runners = [Runner(of(**dict.fromkeys(names, size))) for size in (1, 2, 3)]
        try:
            violated = [search.search(runner, 200).first for runner in runners]
        except SpecError:
            continue
        for name, kind in runners[0].kinds.items():
            if kind == "invariant":
                first.append(next((n for n, v in enumerate(violated, 1) if name in v), None))
    assert sum(n is None for n in first) > len(first) * 0.4
    assert sum(n is not None and n >= 2 for n in first) > len(first) * 0.1

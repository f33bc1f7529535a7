"""The explorer in C: the states it visits, their order, and its behaviour without a compiler."""

from __future__ import annotations

import random
import re
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from counterpoint.models.explore import exhaustive
from counterpoint.models.explore.compiled.circuit import Circuit
from counterpoint.models.explore.compiled.compiler import Compilation, NoCompiler, found
from counterpoint.models.explore.compiled.explorer import CompiledExploration, CompiledExplorer
from counterpoint.models.explore.compiled.layout import WORD, bit_packing
from counterpoint.models.explore.python.exploration import Exploration
from counterpoint.models.limits import Limits, resident_bytes
from counterpoint.models.loading import load
from counterpoint.models.symbolic.trace import trace
from counterpoint.models.verdict import Disagreement, Trace, confirm
from counterpoint.spec.notation import Model, Property, SpecError, action, invariant, nodes
from counterpoint.spec.notation.nodes import Node
from counterpoint.spec.stm.window import Window
from tests import strategies
from tests.examples import one_in
from tests.models.test_agreement import MODELS
from tests.models.test_soundness import CELLS, STATES, integer, truth
from tests.needs import need


@pytest.fixture(autouse=True, scope="module")
def compiler_is_there() -> None:
    """Require a C compiler for all tests of this file."""
    need("gcc")


def in_c(
    model: Model, threads: int = 1, wanted: Sequence[Property] | None = None
) -> CompiledExploration:
    """Explore with the compiled explorer alone."""
    wanted = model.properties if wanted is None else wanted
    return CompiledExplorer(trace(model), wanted).explore(Limits(), threads)


def assert_same(ours: Exploration, reference: Exploration) -> None:
    """Compare all results of two explorations."""
    assert len(ours.states) == len(reference.states)
    for state in range(0, len(ours.states), 1 + len(ours.states) // 5000):
        ours_there, there = ours.states[state], reference.states[state]
        assert ours.layout.unpack(ours_there) == reference.layout.unpack(there)
    assert ours.levels == reference.levels
    assert ours.transitions == reference.transitions
    assert ours.failures == reference.failures
    assert ours.taken == reference.taken
    assert (ours.complete, ours.reason) == (reference.complete, reference.reason)
    for state in range(0, len(ours.states), 1 + len(ours.states) // 200):
        assert ours.origin(state) == reference.origin(state)


@pytest.mark.long
@pytest.mark.parametrize("name", one_in(4, (n for n in MODELS if n != "window 3 x 2")))
def test_same_states_in_the_same_order(name: str) -> None:
    """A state lost, added or visited in another order, or a wrong count, depth or failure."""
    model = MODELS[name]()
    ours = in_c(model)
    reference = exhaustive.explore(model, explorer="python")
    assert_same(ours, reference)
    for verdict, expected in zip(
        exhaustive.verdicts(ours, model.properties, 0.0),
        exhaustive.verdicts(reference, model.properties, 0.0),
        strict=True,
    ):
        assert verdict.to_json() == expected.to_json()


@pytest.mark.long
@given(source=strategies.sources())
@settings(deadline=None, max_examples=10, suppress_health_check=list(HealthCheck))
def test_random_specs_are_explored_alike(source: str) -> None:
    """Arithmetic, division or choice printed wrongly in C or as bits."""
    model = strategies.build(source)
    assert_same(in_c(model), exhaustive.explore(model, explorer="python"))


@pytest.mark.slow
@given(source=strategies.sources())
@settings(deadline=None, max_examples=120, suppress_health_check=list(HealthCheck))
def test_many_random_specs_are_explored_alike(source: str) -> None:
    """The same errors, on enough specs that rare expressions occur."""
    model = strategies.build(source)
    assert_same(in_c(model), exhaustive.explore(model, explorer="python"))


def test_all_states_of_three_transactions() -> None:
    """A state lost when the table grows while two threads insert."""
    run = in_c(Model(Window(transactions=3)), threads=2)
    assert (len(run.states), run.transitions, run.complete) == (804_480, 1_378_917, True)


def test_two_threads_number_states_as_one_does() -> None:
    """An order of states, and so a counterexample, that depends on the threads' speed."""
    model = Model(Window(transactions=3, operations=1))
    one, two = in_c(model), in_c(model, threads=2)
    assert one.states[:] == two.states[:]
    assert len(one.states) > 20_000
    assert one.failures == two.failures


def test_expressions_become_bits() -> None:
    """Arithmetic or a comparison on bits whose result differs from that on numbers."""
    layout = bit_packing([c.args[0] for c in CELLS])
    planes = [0] * (layout.words * WORD)
    for i, state in enumerate(STATES):
        packed = int.from_bytes(layout.pack(tuple(map(int, state.values()))), "little")
        for bit in range(packed.bit_length()):
            planes[bit] |= (packed >> bit & 1) << i
    chance = random.Random(5)
    for i in range(1500):
        node, compute = (integer if i % 2 else truth)(chance, 3)
        circuit = Circuit(layout)
        numbers = evaluated(circuit, node, planes)
        assert numbers == [int(compute(state)) for state in STATES], node


def evaluated(circuit: Circuit, node: Node, planes: list[int]) -> list[int]:
    """Return the value of an expression in every state."""
    every = (1 << len(STATES)) - 1
    if node.boolean:
        offset, literals = 0, [circuit.truth(node)]
    else:
        found = circuit.number(node)
        offset, literals = found.offset, list(found.digits)
    values: list[int] = []
    for gate in circuit.gates:
        inputs = [] if gate.kind == "input" else [values[i >> 1] ^ -(i & 1) & every
                                                  for i in gate.inputs]  # fmt: skip
        if gate.kind == "input":
            values.append(planes[gate.inputs[0]] if gate.inputs else 0)
        elif gate.kind == "xor":
            values.append(inputs[0] ^ inputs[1])
        else:
            total = every
            for one in inputs:
                total &= one
            values.append(total)
    digits = [values[i >> 1] ^ -(i & 1) & every for i in literals]
    return [
        offset + sum((digit >> place & 1) << k for k, digit in enumerate(digits))
        for place in range(len(STATES))
    ]


def test_states_survive_packing() -> None:
    """A cell that is truncated or shares bits with another."""
    model = MODELS["window every reading changed"]()
    layout = bit_packing(model.cells)
    chance = random.Random(1)
    for _ in range(200):
        values = tuple(chance.randint(c.low, c.high) for c in model.cells)
        assert layout.unpack(layout.pack(values)) == values
    masks = [(p.word, p.mask) for p in layout.places.values()]
    for i, (word, mask) in enumerate(masks):
        assert all(word != w or not mask & m for w, m in masks[:i])


# Without a compiler, and beyond its limits


def big() -> Model:
    """Return a model with so many states that the compiler is started."""
    return Model(Window(transactions=3, operations=1))


def test_without_a_compiler_python_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing compiler that is an error, or that is not mentioned."""
    monkeypatch.setenv("CC", "no-such-compiler")
    verdicts = exhaustive.check(big())
    assert {v.answer for v in verdicts} == {"holds"}
    assert verdicts[0].notes == ("explored in Python: there is no C compiler no-such-compiler",)
    small = exhaustive.check(Model(Window()))
    assert small[0].notes == ()
    with pytest.raises(SpecError, match="there is no C compiler no-such-compiler"):
        exhaustive.check(big(), explorer="compiled")


def test_a_compiler_that_fails_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A broken compiler that ends the check instead of leaving it to Python."""
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\necho 'no disk' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CC", str(broken))
    verdicts = exhaustive.check(big())
    assert verdicts[0].extent == "all states"
    assert verdicts[0].notes == ("explored in Python: the C compiler failed: no disk",)


@pytest.mark.long
def test_limits_hold_in_c() -> None:
    """A run in C that ignores the time limit or the memory limit."""
    model = Model(Window(transactions=3, objects=3, operations=3))
    late, full = (
        exhaustive.check(model, limits, explorer="compiled")
        for limits in (Limits(seconds=3), Limits(bytes=resident_bytes() + 40 * 2**20))
    )
    assert {v.answer for v in late if v.claim.kind == "invariant"} == {"unknown"}
    assert late[0].reason == "the time limit of 3 s was reached"
    assert late[0].seconds < 10
    assert re.fullmatch(r"the memory limit of \d+ MB was reached", full[0].reason)
    assert full[0].extent != "all states"


def test_a_wrong_report_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A violation or a witness that only the generated code reports."""
    model = Model(Window(fetch_and_increment="old"))
    run = exhaustive.explore(model)
    for name in ("opacity", "all-commit"):
        claim = model.property_named(name)
        right, wrong = run.failures[name], (0, -1)
        confirm(model, claim, run.trace_to(*right))
        run.failures[name] = wrong
        with pytest.raises(Disagreement, match=f"does not confirm {name}"):
            exhaustive.verdicts(run, [claim], 0.0)
    start = next(model.initial_states())
    with pytest.raises(Disagreement):
        confirm(model, model.property_named("no-deadlock"), Trace((start,), ()))


class Divides(Window):
    """A spec whose intermediate numbers do not fit into a machine word."""

    name = "divides"

    @action
    def large(s) -> None:
        """Compute with numbers beyond 64 bits and return to a small one."""
        s.clock = (s.clock + 1) * 10**30 // 10**30 - 1

    @invariant
    def fine(s) -> object:
        """A claim that holds."""
        return s.clock >= 0


def test_numbers_beyond_machine_words_are_left_to_python() -> None:
    """An overflow that C ignores."""
    with pytest.raises(SpecError, match="large computes numbers beyond machine words"):
        exhaustive.check(Model(Divides()), explorer="compiled")
    assert nodes.constant(10**30).high > 2**63
    found = exhaustive.check(Model(Divides()))
    assert found[0].extent == "all states"


def test_a_compiler_is_ended_with_all_it_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A compiler process that keeps running after the check has ended, or files that it leaves."""
    slow = tmp_path / "cc"
    slow.write_text(f"#!/bin/sh\nsleep 300 &\necho $! > {tmp_path}/new\nmv {tmp_path}/new "
                    f"{tmp_path}/child\nwait\n")  # fmt: skip
    slow.chmod(0o755)
    monkeypatch.setenv("CC", str(slow))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    compilation = Compilation("int x;")
    until = time.monotonic() + 20
    while not (tmp_path / "child").exists():
        assert time.monotonic() < until
        assert not compilation.wait(0.02)
    child = Path(f"/proc/{(tmp_path / 'child').read_text().strip()}/stat")
    assert child.exists()
    compilation.stop()
    with suppress(OSError):  # it is gone
        while child.read_text().rpartition(")")[2].split()[0] != "Z":
            assert time.monotonic() < until
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cc", "child"]


def test_a_command_with_an_open_quotation_mark_is_no_compiler(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A traceback where Python could explore the states."""
    monkeypatch.setenv("CC", 'gcc "')
    with pytest.raises(NoCompiler, match="not a command"):
        found()


def test_no_state_is_there_twice_after_the_table_grew() -> None:
    """Next states that are looked for in the part of the smaller table, and so inserted again."""
    path = Path(__file__).parents[2] / "examples" / "classics" / "readers_writers.py"
    model = load(str(path), ["actors=3"])
    run = CompiledExplorer(trace(model), ()).explore(Limits(), threads=2)
    assert len(run.states) == len(set(run.states)) == 21_527
    assert run.transitions == 59_673

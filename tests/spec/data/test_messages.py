"""Messages, chosen values and subsets in steps, traces and files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterpoint.models.checking.engines import check
from counterpoint.models.checking.replaying import replay_record
from counterpoint.models.loading import load
from counterpoint.models.present.chart import chart
from counterpoint.models.present.formats import as_json
from counterpoint.spec.notation import SpecError

TEXT = """
from counterpoint import *

class Vote(Spec):
    \"\"\"Nodes vote for a number; messages are lost, and may come twice.\"\"\"
    nodes = Index(3, names="p", labels="A B C")
    network = Choice("keeps", "loses")
    net = Messages(COPIES vote=dict(by=nodes, on=Integer(4, 5)), stop=dict())
    heard = Array(nodes, Set(Integer(4, 5)))

    @action
    def ask(s, p, n=choose(Integer(4, 5))):
        s.net.vote.send(by=p, on=n)

    @action
    def hear(s, p, m=choose(net.vote)):
        s.net.receive(m)
        s.heard[p].add(m.on)

    @action(when=lambda s: s.network == "loses")
    def lose(s, m=choose(net)):
        s.net.remove(m)

    @action
    def stop(s, q=some_subset(nodes), how=choose("soft", "hard")):
        require(len(q) == 2, every(s.heard[p].has(4) for p in q))
        require(how == "hard")
        s.net.stop.send()

    @invariant
    def nobody_stops(s):
        return no(s.net.stop.has())
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a spec with messages as a set."""
    found = tmp_path / "vote.py"
    found.write_text(TEXT.replace("COPIES ", ""))
    return found


def test_steps_show_messages_and_subsets(path: Path) -> None:
    """A step whose message, number, subset or text is shown as a number, or cannot be read."""
    model = load(str(path))
    shown = [model.show_step(step) for step in model.steps]
    assert len(shown) == 6 + 3 * 6 + 8 * 2
    for text in ("ask(p=B, n=5)", "hear(p=A, m=vote(by=C, on=4))", "stop(q={A, C}, how=hard)"):
        assert text in shown
    for step in model.steps:
        assert model.read_step(step.action, model.show_binding(step)) == step
    lossy = load(str(path), ["network=loses"])
    assert "lose(m=stop)" in [lossy.show_step(step) for step in lossy.steps]


def test_a_trace_with_messages_is_replayed(path: Path) -> None:
    """A counterexample that cannot be stored and replayed because of its parameters."""
    (verdict,) = [v for v in check(load(str(path))) if v.claim.name == "nobody-stops"]
    assert verdict.trace is not None
    assert len(verdict.trace.steps) == 5  # two send and hear, and one stops
    assert "q={" in chart(verdict)
    (record,) = json.loads(as_json([verdict]))
    assert replay_record(record).agrees


def test_copies_are_counted(tmp_path: Path) -> None:
    """Two copies of a message that become one."""
    path = tmp_path / "vote.py"
    path.write_text(TEXT.replace("COPIES", "copies=2,"))
    model = load(str(path))
    values = next(model.initial_states())
    (ask,) = [s for s in model.steps if model.show_step(s) == "ask(p=A, n=4)"]
    (hear,) = [s for s in model.steps if model.show_step(s) == "hear(p=B, m=vote(by=A, on=4))"]
    for step in (ask, ask, hear, hear):
        after = model.take(values, step)
        assert after is not None
        values = after
    assert model.take(values, hear) is None
    (verdict,) = [v for v in check(model) if v.claim.name == "ranges"]
    assert verdict.answer == "violated"
    assert verdict.trace is not None
    assert len(verdict.trace.steps) == 3  # the third copy does not fit


def test_a_default_that_is_no_domain(path: Path) -> None:
    """A default value of an action's parameter that is ignored."""
    path.write_text(TEXT.replace("COPIES ", "").replace('choose("soft", "hard")', "3"))
    with pytest.raises(SpecError, match="action stop: how=3: write how=choose"):
        check(load(str(path)))


def test_the_messages_of_one_kind_are_counted(tmp_path: Path) -> None:
    """A number of messages that counts those of other kinds, or each copy once."""
    for copies, number in (("", 1), ("copies=2, ", 2)):
        path = tmp_path / f"kinds{number}.py"
        more = f"""
    @invariant
    def few(s):
        return s.net.vote.size < {number}

    @invariant
    def one_stop(s):
        return s.net.stop.size <= {number}
"""
        path.write_text(TEXT.replace("COPIES ", copies) + more)
        model = load(str(path))
        wanted = [model.property_named(name) for name in ("few", "one-stop")]
        few, stop = check(model, "bounded", wanted=wanted)
        assert (few.answer, few.depth, stop.answer) == ("violated", number, "holds")


def test_a_subset_of_numbers_is_refused_without_an_address(tmp_path: Path) -> None:
    """A message with the address of an object."""
    path = tmp_path / "subset.py"
    text = "    @action\n    def go(s, q=some_subset(Integer(0, 2))):\n        s.x = True\n"
    path.write_text("from counterpoint import *\n\nclass N(Spec):\n    x = Boolean()\n\n" + text)
    with pytest.raises(SpecError, match=r"takes an index, not Integer\(\)"):
        load(str(path))

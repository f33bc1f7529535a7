"""Published models, written anew, have the published numbers of states and the same verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.models.checking.engines import Options, check
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load

from .classics import CLASSICS, FOLDER, PAGE, Classic


def _cases() -> list[object]:
    return [
        pytest.param(one, id=one.name, marks=[pytest.mark.long] if one.long else [])
        for one in CLASSICS
    ]


@pytest.mark.parametrize("one", _cases())
def test_classic(one: Classic) -> None:
    """An engine that leaves out states or finds others than TLC, or judges otherwise."""
    found = one.verdicts()
    assert {v.states for v in found} == {one.states}
    violated = {v.claim.name: v.depth for v in found if v.answer == "violated"}
    assert violated == dict(one.violated)
    assert {v.answer for v in found} <= {"holds", "violated"}
    if one.generated is not None:
        initial = sum(1 for _ in found[0].model.initial_states())
        transitions = {v.transitions for v in found}
        assert {t + initial for t in transitions if t is not None} == {one.generated - one.more}


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted({one.file for one in CLASSICS}))
@pytest.mark.parametrize(
    ("engine", "options"), [("bounded", Options(steps=3)), ("stateful", Options(runs=20))]
)
def test_other_engines_find_no_other_errors(file: str, engine: str, options: Options) -> None:
    """An engine that violates what holds in all states, on symbols or in random runs."""
    model = load(str(FOLDER / f"{file}.py"), ())
    holding = {v.claim.name for v in check(model, "exhaustive") if v.answer == "holds"}
    found = check(model, engine, Limits(seconds=60), options=options)
    assert [v.claim.name for v in found if v.answer == "violated" and v.claim.name in holding] == []


def test_the_bakery_is_proved() -> None:
    """Lemmas of the bakery that steps do not keep, or that do not imply that one is inside."""
    found = check(load(str(FOLDER / "bakery.py"), ()), "induction")
    answers = {v.claim.name: v.answer for v in found}
    assert {"one-inside", "ranges"} < set(answers)
    assert set(answers.values()) == {"holds"}


def test_no_number_is_adjusted() -> None:
    """A model whose number of states is not the published one."""
    assert [one.name for one in CLASSICS if one.published not in (None, one.states)] == []


def test_every_classic_is_in_the_list() -> None:
    """A model that no test runs."""
    assert {path.stem for path in FOLDER.glob("*.py")} == {one.file for one in CLASSICS}


def test_the_table_of_the_page() -> None:
    """A row that is missing on the page, or says something else than the tests check."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| [`")]
    without_time = [line.rsplit("|", 2)[0] for line in lines]
    assert without_time == [one.row("").rsplit("|", 2)[0] for one in CLASSICS]


def test_paxos_that_proposes_anything_is_no_voting(tmp_path: Path) -> None:
    """A refinement that holds whatever the messages are."""
    text = (FOLDER / "paxos.py").read_text()
    wrong = text.replace(
        "        require(some(s.allows(quorum, b, v) for quorum in s.quorums()))\n", ""
    )
    assert wrong != text
    (tmp_path / "paxos.py").write_text(wrong)
    (tmp_path / "voting.py").write_text((FOLDER / "voting.py").read_text())
    model = load(str(tmp_path / "paxos.py"), ())
    (found,) = check(model, wanted=[model.property_named("is-a-vote")])
    assert (found.answer, found.depth) == ("violated", 2)

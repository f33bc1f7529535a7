"""Scenarios: what a file may say, how it fails, and every error with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.models.runs.walk import Walk
from counterpoint.models.scenarios import as_scenario, play, read_scenarios
from counterpoint.models.verdict import replay
from counterpoint.spec.notation import SpecError
from counterpoint.testing import assert_scenario, load, scenario

from .starting import ROOT
from .test_command_line import call
from .walking import COUNTER, QUORUM

OWN = sorted((ROOT / "examples" / "scenarios").glob("*.scenario"))

LOST = """\
scenario: an addition is lost
spec: counter.py

# Both read 0.
read P0
read P1
expect copy[P1] == 0
must P0: write
must: write P0; write P1
write P0
expect counter == 1
expect copy[P0] < counter
expect impossible: write P0
write P1
expect counter == 1
expect property nothing-is-lost violated
expect done reached
must: nothing
"""


@pytest.fixture(autouse=True)
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder with two specs."""
    (tmp_path / "counter.py").write_text(COUNTER)
    (tmp_path / "quorum.py").write_text(QUORUM)
    monkeypatch.chdir(tmp_path)


def replayed(capsys: pytest.CaptureFixture[str], text: str) -> tuple[int, str, str]:
    """Replay a text as a file."""
    Path("f.scenario").write_text(text)
    return call(capsys, "replay", "f.scenario")


def test_the_repository_has_scenarios() -> None:
    """A folder that was moved, so that nothing is played below."""
    assert [path.name for path in OWN] == [
        "peterson.scenario", "philosophers.scenario", "window-old-clock.scenario"
    ]  # fmt: skip


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_scenarios_of_the_repository(path: Path) -> None:
    """A spec that no longer does what its scenario tells its readers."""
    assert_scenario(path)


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_each_expectation_of_the_repository_can_fail(path: Path) -> None:
    """An expectation that is met whatever the spec does: its opposite must not be met."""
    opposite = {" == ": " != ", "impossible:": "possible:", "possible:": "impossible:",
                " violated": " holds", " holds": " violated",
                " reached": " not reached"}  # fmt: skip
    lines = path.read_text().splitlines()
    tried, step = 0, ""
    for number, line in enumerate(lines):
        if line.startswith("must"):
            nothing = f"expect possible: {step}"  # which was taken, and is not possible twice
            changed = nothing if "nothing" in line else f"{line.partition(':')[0]}: nothing"
        elif line.startswith("expect"):
            word = next(word for word in opposite if word in line)
            changed = line.replace(word, opposite[word])
        else:
            step = line or step
            continue
        text = "\n".join([*lines[:number], changed, *lines[number + 1 :]])
        played = [play(one) for one in read_scenarios(text, path.name)]
        assert any(one.failure and one.failure.line == number + 1 for one in played), line
        tried += 1
    assert tried > 5


def test_a_scenario_that_is_met(capsys: pytest.CaptureFixture[str]) -> None:
    """A notation that is not read as the page says."""
    assert replayed(capsys, LOST) == (
        0, "agrees  f.scenario: an addition is lost: 4 steps, all 10 expectations are met\n", ""
    )  # fmt: skip


def test_a_scenario_that_fails_shows_where_and_what_was_possible(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A failure without its line, the state, or the steps that were possible."""
    code, out, err = replayed(capsys, LOST.replace("write P1\nexpect", "read P1\nexpect"))
    assert (code, err) == (1, "")
    assert (
        out
        == """\
differs  f.scenario: an addition is lost
  f.scenario:14: read P1 is not possible after 3 steps: counter.py:12 does not
  hold: require(s.step[p] == 0)
  The state after 3 steps:
  * counter  1 (was 0)
    copy     all 0
  * step     [P0] 2 (was 1), [P1] 1
  Possible then:
    1 write p=P1
"""
    )


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("copy[P1] == 0", "copy[P1] > 0", 7, "copy[P1] > 0 should be true after 2 steps; "
         "copy[P1] is 0"),
        ("copy[P0] < counter", "copy[P0] == counter", 12, "copy[P0] == counter should be true "
         "after 3 steps; copy[P0] is 0, counter is 1"),
        ("must P0: write", "must P0: write; read", 8, "read of P0 should be possible after 2 "
         "steps, and is not"),
        ("write P0; write P1", "write P0", 9, "write P0 should be all that is possible after 2 "
         "steps; possible too: write p=P1"),
        ("must: nothing", "expect possible: read P0", 18, "read P0 is not possible after 4 steps: "
         "counter.py:12 does not hold: require(s.step[p] == 0)"),
        ("impossible: write P0", "impossible: write", 13, "write (write p=P1) should be impossible "
         "after 3 steps, and is possible"),
        ("nothing-is-lost violated", "nothing-is-lost holds", 16, "nothing-is-lost should be true "
         "after 4 steps, and is violated"),
        ("done reached", "done not reached", 17, "done should be not reached after 4 steps, and is "
         "reached"),
        ("expect property nothing-is-lost violated\n", "", 17, "nothing-is-lost is violated after "
         "4 steps; if this is meant, say so: expect property nothing-is-lost violated"),
        ("must: nothing\n", "read P0\n", 18, "read P0 is not possible after 4 steps: "
         "counter.py:12 does not hold: require(s.step[p] == 0)"),
    ],
)  # fmt: skip
def test_each_kind_of_failure(old: str, new: str, line: int, reason: str) -> None:
    """A scenario that is met although a line of it is not true."""
    assert LOST.count(old) >= 1
    before, _, after = LOST.rpartition(old)
    [played] = [play(one) for one in read_scenarios(before + new + after, "f")]
    assert played.failure is not None
    assert (played.failure.line, played.failure.reason) == (line, reason)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("spec: counter.py\n", "f.scenario:1: the scenario has no step and no expectation"),
        ("scenario: x\nread P0\n", "f.scenario:1: a scenario names its spec, as in spec: window"),
        ("scenario:\nspec: counter.py\nread P0\n", "f.scenario:1: scenario: stands before the "),
        ("spec: counter.py\nread P0\nscenario: x\nread P0\n", "f.scenario:3: scenario: stands bef"),
        ("spec: counter.py\nread P0\nset: processes=3\n", "f.scenario:3: set: stands before the s"),
        ("spec: counter.py\nset: processes\nread P0\n", "f.scenario:2: set: 'processes' is no val"),
        ("spec: counter.py\nset:\nread P0\n", "f.scenario:2: set: has no value"),
        ("spec: counter.py\nset: x=3\nread P0\n", "f.scenario:1: counter has no parameter 'x'"),
        ("spec: none.py\nread P0\n", "f.scenario:1: there is no file none.py"),
        ("spec: quorum.py\nsend A 3\n", "f.scenario:1: quorum has several initial states: say whi"),
        ("spec: quorum.py\ninitial: level = 7\nsend A 3\n", "f.scenario:1: level cannot be 7; it"),
        ("spec: quorum.py\ninitial: lvel = 1\nsend A 3\n", "f.scenario:1: quorum has no variable "
         "lvel; did you mean level?"),
        ("spec: counter.py\ninitial: counter = 1\nread P0\n", "f.scenario:1: no initial state of "
         "counter has counter = 1"),
        ("spec: counter.py\nraed P0\n", "f.scenario:2: counter has no action 'raed'; did you mean"),
        ("spec: counter.py\nread\n", "f.scenario:2: read fits 2 possible steps: read p=P0; read p"),
        ("spec: counter.py\nread P9\n", "f.scenario:2: p cannot be 'P9' (it is one of: P0, P1)"),
        ("spec: counter.py\nexpect\n", "f.scenario:2: expect says nothing"),
        ("spec: counter.py\nexpect nonsense\n", "f.scenario:2: expect nonsense: an expectation is"),
        ("spec: counter.py\nexpect cuonter == 1\n", "f.scenario:2: counter has no variable cuonter"
         "; did you mean counter?"),
        ("spec: counter.py\nexpect counter == 9\n", "f.scenario:2: counter cannot be 9; it is one "
         "of: 0, 1, 2"),
        (f"spec: counter.py\nexpect counter == {'9' * 5000}\n", "f.scenario:2: counter cannot be"),
        ("spec: peterson\nexpect place[P0] == INSIED\n", "f.scenario:2: place[P0] cannot be INSIED"
         "; did you mean INSIDE?"),
        ("spec: peterson\nexpect place[P0] < INSIDE\n", "f.scenario:2: place[P0] < INSIDE: only n"),
        ("spec: counter.py\nexpect lost violated\n", "f.scenario:2: counter has no property 'lost"),
        ("spec: counter.py\nexpect done violated\n", "f.scenario:2: done is a witness: write rea"),
        ("spec: counter.py\nexpect nothing-is-lost reached\n", "f.scenario:2: nothing-is-lost is "
         "no witness: write violated or holds"),
        ("spec: counter.py\nmust P0\n", "f.scenario:2: must P0: write must T0: STEP; STEP, or m"),
        ("spec: counter.py\nmust P9: read\n", "f.scenario:2: must P9: no action has a parameter "),
        ("spec: quorum.py\ninitial: level = 0\nexpect ready == {A, D}\n", "f.scenario:3: ready has "
         "no member D (it can have: A, B, C)"),
        ("spec: quorum.py\ninitial: level = 0\nexpect level-rises-alone holds\n", "f.scenario:3: "
         "level-rises-alone is a property of steps, and there is no step before"),
        ("spec: philosophers\nset: fairness=weak\nget_hungry P0\nexpect who-is-hungry-eats "
         "violated\n", "f.scenario:4: who-is-hungry-eats is a temporal property, of runs without "),
        ("spec: counter.py\nfor ever:\nfor ever:\n", "f.scenario:3: for ever: stands twice"),
    ],
)  # fmt: skip
def test_what_is_wrong_has_a_line(
    capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    """A mistake in a scenario that is answered by a traceback, without its line, or not at all."""
    code, out, err = replayed(capsys, text)
    assert (code, out) == (2, "")
    assert err.startswith(f"counterpoint: {message}")
    assert err.count("\n") == 1


def test_a_run_without_end(capsys: pytest.CaptureFixture[str]) -> None:
    """A cycle that does not close, is not fair, or does not violate what it should."""
    path = next(path for path in OWN if path.stem == "philosophers")
    text = path.read_text()
    assert "   for ever:" in play(read_scenarios(text, "f")[2]).chart()
    for old, new, line, reason in (
        ("\nput_other P1", "", -1, "the steps after for ever: do not lead back to where they began:"
         " place[P1] THINKS→HAS_OTHER, free[P0] True→False"),
        ("fairness=weak", "fairness=strong", -1, "the cycle does not keep take_one(p=P0) fair, so "
         "the run says nothing about who-is-hungry-eats"),
        ("eats violated", "eats holds", -1, "who-is-hungry-eats should be true; the run violates "
         "it"),
    ):  # fmt: skip
        assert text.count(old) >= 1
        before, _, after = text.rpartition(old)
        played = play(read_scenarios(before + new + after, "f")[2])
        assert played.failure is not None
        assert played.failure.reason == reason
        assert played.failure.line == played.scenario.lines[line].number


UNTIL = """
    @until
    def none_is_added_until_both_have_read(s):
        return s.counter == 0, every(s.step[p] >= 1 for p in s.processes)
"""


def test_a_run_that_breaks_an_until_needs_no_cycle() -> None:
    """An `until` that a finite run breaks, and a scenario cannot say so; or one that it keeps."""
    Path("counter.py").write_text(COUNTER + UNTIL)
    text = "spec: counter.py\nread P0\nwrite P0\nexpect none-is-added-until-both-have-read WORD\n"
    [one] = read_scenarios(text.replace("WORD", "violated"), "f")
    assert play(one).failure is None
    [one] = read_scenarios(text.replace("write P0", "read P1").replace("WORD", "violated"), "f")
    failure = play(one).failure
    assert failure is not None
    assert "the run does not violate it" in failure.reason
    [one] = read_scenarios(text.replace("WORD", "holds"), "f")
    with pytest.raises(SpecError, match=r"f:4: .* write for ever: before the steps"):
        play(one)


@pytest.mark.parametrize("settings", [["left-handed=all-but-one", "fairness=weak"], []])
def test_an_exported_counterexample_is_met(
    capsys: pytest.CaptureFixture[str], settings: list[str]
) -> None:
    """An exported run, or lasso, that replay does not confirm."""
    given = [text for one in ["philosophers=2", *settings] for text in ("--set", one)]
    name = "who-is-hungry-eats" if settings else "no-deadlock"
    code, out, err = call(capsys, "export", "philosophers", *given, "--to", "scenario",
                          "--property", name)  # fmt: skip
    assert (code, err) == (0, "")
    assert ("for ever:" in out) == bool(settings)
    code, out, _ = replayed(capsys, out)
    assert (code, out[:6]) == (0, "agrees")


def test_a_step_out_of_a_range_must_be_expected() -> None:
    """A run that leaves a range without a word, or cannot say that it should."""
    text = "spec: quorum.py\ninitial: level = 2\nstep: back\n"
    [left] = read_scenarios(text, "f")
    failure = play(left).failure
    assert failure is not None
    assert failure.reason == (
        "ranges is violated after 1 step (level would become 3, outside 0..2, in back() at "
        "quorum.py:27); if this is meant, say so: expect property ranges violated"
    )
    [left] = read_scenarios(text + "expect property ranges violated\n", "f")
    assert play(left).failure is None


def test_sets_messages_and_texts() -> None:
    """A label that a scenario cannot say, or a set that it cannot compare."""
    text = """
        send A 4
        expect net.vote == {(A, 4)}
        expect net.vote[A,4] == true
        hear vote(on=4, by=A)
        elect q={C, A} how="some; not all"
        expect ready == {C, A}
        expect ready != {}
        must n=A: send v=3; send v=4
        expect impossible: elect {} "a=b"
    """
    with scenario("quorum.py", initial=["level = 1"]) as run:
        run.follow(text)
        assert run["ready[C]"] is True
        assert "send n=B v=3" in run.possible
    with pytest.raises(AssertionError, match=r"line 2: ready == {B} .*; ready is {A, C}"):
        run.follow("\nexpect ready == {B}")


def test_in_python() -> None:
    """A scenario of a test that differs from that of a file."""
    with scenario("counter.py") as run:
        run.take("read", p="P0").take("read p=P1").must("P0", "write").expect("counter == 0")
        run.take("write P0").take("write P1")
        run.expect("counter == 1", "property nothing-is-lost violated", "done reached")
        run.must("")
        assert run["counter"] == 1
        assert run.possible == []


def test_failures_in_python_show_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    """A failed test that does not show state, possible steps and run."""
    with pytest.raises(AssertionError) as caught:
        scenario("counter.py").take("read P0").take("read P0")
    assert str(caught.value).splitlines() == [
        "read P0 is not possible after 1 step: counter.py:12 does not hold: "
        "require(s.step[p] == 0)",
        "", "The state after 1 step:", "  counter  0", "  copy     all 0",
        "* step     [P0] 1 (was 0), [P1] 0", "Possible then:", "  1 read p=P1", "  2 write p=P0",
        "", "   P0   P1", "1  read │   step[P0] 0→1",
    ]  # fmt: skip
    with pytest.raises(SpecError, match="counter has no action 'raed'"):
        scenario("counter.py").take("raed")
    with (
        pytest.raises(AssertionError, match="nothing-is-lost is violated after 4 steps"),
        scenario("counter.py") as run,
    ):
        run.follow("read P0\nread P1\nwrite P0\nwrite P1")
    Path("f.scenario").write_text(LOST.replace("counter == 1", "counter == 2"))
    with pytest.raises(AssertionError) as caught:
        assert_scenario("f.scenario")
    assert str(caught.value).startswith("f.scenario:11: counter == 2 should be true after 3 steps;")
    assert str(caught.value).endswith("To reproduce: counterpoint replay f.scenario")


def test_what_is_written_is_met_again() -> None:
    """A saved run whose scenario is another run, or not met."""
    for name, settings, count in (
        ("counter.py", [], 4), ("quorum.py", [], 6), ("philosophers", ["philosophers=2"], 9),
        ("window-stm", ["fetch-and-increment=old"], 20), ("peterson", ["first=turn"], 20),
    ):  # fmt: skip
        for seed in range(5):
            walk = Walk(load(name, settings))
            for k in range(count):
                if walk.options and not walk.violated:
                    walk.go(walk.options[(seed * 7 + k * k) % len(walk.options)])
            text = as_scenario(walk.model, walk.trace, "random")
            [again] = [play(one) for one in read_scenarios(text, "f")]
            assert again.failure is None
            assert again.walk.trace == walk.trace
            if not walk.fault:
                assert replay(walk.model, walk.trace.steps, walk.trace.states[0]) == walk.trace


def test_a_spec_beside_the_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A scenario that is found in one folder, and its spec looked for in another one."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "counter.py").rename(tmp_path / "specs" / "counter.py")
    (tmp_path / "specs" / "lost.scenario").write_text(LOST)
    code, out, _ = call(capsys, "replay", "specs/lost.scenario")
    assert (code, out[:6]) == (0, "agrees")

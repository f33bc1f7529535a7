"""``counterpoint step``, as a user types it: what it answers, and every error in one line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .test_command_line import call
from .walking import COUNTER, QUORUM, walk

Walk = Callable[..., str]


@pytest.fixture
def typed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Walk:
    """Return a function that types lines into a walk, and returns its output."""
    (tmp_path / "counter.py").write_text(COUNTER)
    (tmp_path / "quorum.py").write_text(QUORUM)
    monkeypatch.chdir(tmp_path)

    def type_(lines: str, *arguments: str, code: int = 0) -> str:
        given = arguments or ("counter.py",)
        found, out, err = walk(capsys, monkeypatch, lines, *given)
        assert (found, err) == (code, "")
        return out

    return type_


def answer(out: str) -> list[str]:
    """Return the lines after the last command."""
    return out.rpartition("\n> ")[2].splitlines()[1:]


def test_a_walk_shows_the_state_and_what_is_possible(typed: Walk) -> None:
    """A state without its values, a change without a mark, a step without number or parameters."""
    assert (
        typed("1\nread p=P1\n")
        == """\
counter
The initial state:
  counter  0
  copy     all 0
  step     all 0
Possible now:
  1 read p=P0
  2 read p=P1
> 1
step 1: read p=P0
The state after 1 step:
  counter  0
  copy     all 0
* step     [P0] 1 (was 0), [P1] 0
Possible now:
  1 read p=P1
  2 write p=P0
> read p=P1
step 2: read p=P1
The state after 2 steps:
  counter  0
  copy     all 0
* step     [P0] 1, [P1] 1 (was 0)
Possible now:
  1 write p=P0
  2 write p=P1
"""
    )


def test_a_violation_and_the_end_are_one_line_each(typed: Walk) -> None:
    """A walk past a violated property that does not say so, or does not say why it ends."""
    assert answer(typed("1\n1\n1\nwrite P1\n")) == [
        "step 4: write p=P1",
        "  false        nothing-is-lost  (was true)",
        "  true         done  (was false)",
        "The state after 4 steps:",
        "  counter  1",
        "  copy     all 0",
        "* step     [P0] 2, [P1] 2 (was 1)",
        "Violated: nothing-is-lost",
        "Finished: no step is possible, and the run may end here.",
    ]


def test_a_deadlock_is_one_line(typed: Walk) -> None:
    """A deadlock that looks like the end of a run."""
    out = typed("get_hungry 0\nget_hungry 1\ntake_one 0\ntake_one 1\n", "philosophers",
                "--set", "philosophers=2")  # fmt: skip
    assert answer(out)[-2:] == [
        "Violated: no-deadlock",
        "Deadlock: no step is possible, and the run may not end here.",
    ]


def test_a_step_that_leaves_a_range(typed: Walk) -> None:
    """A step out of a range that is not marked, or after which the walk goes on."""
    out = typed("step: back\nstep: back\nsteps back\nstep: back\nsend A 3\nback\n", "quorum.py")
    assert re.search(r"> steps back\n +\d+ back  \(leaves a range\)\n", out)
    ended = out[out.index("step 3: back") :]
    assert ended.splitlines()[:2] == ["step 3: back", "  false        ranges  (was true)"]
    why = "level would become 3, outside 0..2, in back() at quorum.py:27."
    assert f"Violated: ranges The run ends here: {why}" in " ".join(ended.split())
    assert "\nwrong: send A 3 is not possible after 3 steps: level would become 3" in ended
    assert "The state before step 3:" in ended
    assert answer(ended)[:2] == ["1 step taken back", "The state after 2 steps:"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("raed", "there is no command and no action 'raed'; did you mean read?"),
        ("xyzzy 1", "there is no command and no action 'xyzzy'; help lists the commands"),
        ("9", "there is no step 9 here: the numbers go from 1 to 2"),
        ("0", "there is no step 0 here: the numbers go from 1 to 2"),
        ("9" * 5000, "there is no step 999999999999 here: the numbers go from 1 to 2"),
        ("read", "read fits 2 possible steps: read p=P0; read p=P1"),
        ("read P7", "p cannot be 'P7' (it is one of: P0, P1)"),
        ("read q=P1", "read has no parameter 'q' (its parameters: p)"),
        ("read P0 P1", "read P0 P1: read has fewer parameters (they are: p)"),
        ("read p=P0 p=P1", "read p=P0 p=P1: p is given twice"),
        ("read (P0", "read (P0: a bracket is not closed, or was not opened"),
        ('read "P0', 'read "P0: "P0 is no text in quotation marks'),
        ("write P0", "write P0 is not possible in the initial state: counter.py:17 does not hold: "
                     "require(s.step[p] == 1)"),
        ("step: 1", "'1' is no step: a step begins with the name of an action"),
        ("back", "there is no step to take back"),
        ("back x", "back takes a whole number from 1 on, not 'x'"),
        ("random 0", "random takes a whole number from 1 on, not '0'"),
        ("goto 3", "write goto initial, or goto initial 2"),
        ("goto initial 2", "counter has 1 initial state"),
        ("show colour", "counter has no variable 'colour' (it has: counter, copy, step)"),
        ("steps go", "there is no action 'go' (there are: read, write)"),
        ("properties x", "properties takes nothing after it, not 'x'"),
        ("chart", "the run has no step yet"),
        ("save", "save takes the name of one file"),
        ("save a b", "save takes the name of one file"),
        ("save none/x.scenario", "none/x.scenario: No such file or directory"),
        ("save counter.py", "counter.py exists; save --force counter.py replaces it"),
        ("save x.json", "the run violates no property and reaches no witness, so a replay of JSON "
                        "would compare nothing: save it as a scenario"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line_and_changes_nothing(
    typed: Walk, line: str, message: str
) -> None:
    """A wrong line that ends the walk, takes a step, or is answered by a traceback."""
    out = typed(f"{line}\n\n")
    first, said, second = re.split(r"\n> .*\n|\n>\n", out)
    assert said == f"wrong: {message}"
    assert second.rstrip() == first.partition("\n")[2]


def test_labels_of_messages_sets_and_texts(typed: Walk) -> None:
    """A parameter that is shown but cannot be typed; a message or a set in another order."""
    lines = ("send A 4", "hear vote(on=4,by=A)", "send n=B v=3", "hear(m=vote(by=B, on=3))",
             "elect {C,A} \"some; not all\"")  # fmt: skip
    out = typed("\n".join(lines) + "\n", "quorum.py")
    assert re.findall(r"^step \d: (.*)$", out, re.MULTILINE) == [
        "send n=A v=4", "hear m=vote(by=A, on=4)", "send n=B v=3", "hear m=vote(by=B, on=3)",
        'elect q={A, C} how="some; not all"',
    ]  # fmt: skip
    assert "* net.vote  {(A, 4)} (was {})" in out
    assert "* ready     {A, C} (was {})" in out


def test_every_step_that_is_shown_can_be_typed(typed: Walk) -> None:
    """A step whose text is read as another step, or as several."""
    out = typed("send A 3\nsend C 4\nsteps\n", "quorum.py")
    shown = answer(out)
    texts, action = [], ""
    for line in shown:
        found = re.findall(r"(\d+) (.*?)(?=  \d|$)", line)
        if line.startswith("    "):
            texts += [(int(number), f"{action} {text}") for number, text in found]
        elif found:
            texts += [(int(number), text) for number, text in found]
        else:
            action = line.strip()
    assert [number for number, _ in texts] == list(range(1, len(texts) + 1))
    assert len(texts) == 6 + 2 + 8 * 3 + 1
    for number, text in texts:
        again = typed(f"send A 3\nsend C 4\nstep: {text.replace('  (leaves a range)', '')}\n",
                      "quorum.py")  # fmt: skip
        by_number = typed(f"send A 3\nsend C 4\n{number}\n", "quorum.py")
        assert answer(again) == answer(by_number)


def test_initial_states_are_listed_and_chosen(typed: Walk) -> None:
    """A spec with several initial states of which only one can be visited."""
    out = typed("goto initial\ngoto initial 3\n", "quorum.py")
    assert "There are 3 initial states; this is the first: goto initial lists them." in out
    assert (
        "   1  level=0\n   2  level=1\n   3  level=2\n> goto initial 3\nThe initial state:" in out
    )
    assert "  level     2" in answer(out)


def test_many_steps_are_grouped_by_action(typed: Walk) -> None:
    """A list of steps that fills the screen."""
    first = typed("", "quorum.py")
    rows = first[first.index("Possible now:") :].splitlines()
    assert rows == [
        "Possible now:",
        "  send",
        "    1 n=A v=3  2 n=A v=4  3 n=B v=3  4 n=B v=4  5 n=C v=3  6 n=C v=4",
        "  elect",
        '    7 q={} how="with all"               8 q={} how="some; not all"',
        '    9 q={} how=a=b                      10 q={A} how="with all"',
        '    11 q={A} how="some; not all"        12 q={A} how=a=b',
        '    13 q={B} how="with all"             14 q={B} how="some; not all"',
        "    and 16 more: steps elect shows all",
        "  31 back",
    ]


def test_random_steps_follow_the_seed_and_stop_at_a_violation(typed: Walk) -> None:
    """Random steps that differ from run to run, or that pass by what is violated."""
    once = typed("random 50\n", "philosophers", "--set", "philosophers=2", "--seed", "3")
    assert once == typed("random 50\n", "philosophers", "--set", "philosophers=2", "--seed", "3")
    assert once != typed("random 50\n", "philosophers", "--set", "philosophers=2", "--seed", "4")
    assert answer(once)[-2] == "Violated: no-deadlock"
    out = typed("random 4\n")
    assert sum(line.startswith("step ") for line in answer(out)) == 4


def test_properties_and_temporal_conditions(typed: Walk) -> None:
    """A property that is left out, or a condition of a temporal property taken for a verdict."""
    out = typed("properties\nget_hungry 0\n", "philosophers", "--set", "fairness=weak")
    assert (
        "  true         neighbours-do-not-eat-together  (invariant)\n"
        "  false        somebody-eats  (sometimes)\n"
        "  false        two-eat  (sometimes)\n"
        "  true         no-deadlock  (deadlock)\n"
        "  true         ranges  (of each step)\n"
        "  false, false who-is-hungry-eats  (leads-to: its two conditions)\n"
    ) in out
    assert "step 1: get_hungry p=P0\n  true, false  who-is-hungry-eats  (was false, false)" in out


def test_a_property_of_steps_needs_a_step(typed: Walk) -> None:
    """A transition property that is said to hold, or be violated, before the first step."""
    out = typed("properties\nsend A 3\nproperties\n", "quorum.py")
    assert "  no step yet  level-rises-alone  (of the last step)" in out
    assert answer(out)[0] == "  true         level-rises-alone  (of the last step)"


def test_show_chart_and_help(typed: Walk) -> None:
    """A command that the help names and nobody answers."""
    out = typed("read P0\nwrite P0\nchart\nshow step\nshow step[P1]\nshow\nhelp\nquit\nread P1\n")
    assert (
        "> chart\n   P0    P1\n1  read  │   step[P0] 0→1\n2  write │   counter 0→1, step[P0] 1→2\n"
    ) in out
    assert "> show step\n* step  [P0] 2 (was 1), [P1] 0\n> show step[P1]\n  step  [P1] 0\n" in out
    helped = out[out.index("> help") :]
    for word in ("back", "random", "show", "steps", "properties", "chart", "goto", "save", "quit"):
        assert f"  {word}" in helped or f", {word}" in helped
    assert out.endswith("> quit\n")
    assert all(len(line) <= 80 for line in out.splitlines())


def test_a_run_is_saved_and_begun_again(
    typed: Walk, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A saved run that replay refuses, or that a later walk does not begin with."""
    typed("1\n1\n1\n1\nsave lost.scenario\nsave lost.json\nback\nsave --force lost.scenario\n")
    saved = json.loads((tmp_path / "lost.json").read_text())
    assert [(v["property"], v["verdict"], v["depth"]) for v in saved] == [
        ("nothing-is-lost", "violated", 4), ("done", "holds", 4)
    ]  # fmt: skip
    code, out, _ = call(capsys, "replay", "lost.json", "lost.scenario")
    assert (code, out) == (0, (
        "agrees  counter nothing-is-lost: violated after 4 steps\n"
        "agrees  counter done: reached after 4 steps\n"
        "agrees  lost.scenario: lost: 3 steps, all 2 expectations are met\n"
    ))  # fmt: skip
    out = typed("back 2\n", "--from", "lost.json")
    assert out.startswith("lost.json: nothing-is-lost, 4 steps\ncounter\nThe state after 4 steps:")
    assert "The state after 2 steps:" in answer(out)
    out = typed("", "--from", "lost.scenario")
    assert out.startswith("lost.scenario: lost, 3 steps\ncounter\nThe state after 3 steps:")
    out = typed("", "counter.py", "--set", "processes=3", "--from", "lost.json")
    assert out.startswith("lost.json: nothing-is-lost, 4 steps\ncounter processes=3\n")
    assert "Possible now:\n  1 read p=P2\n" in out


def test_a_counterexample_under_another_reading(
    typed: Walk, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A run that is silently cut where another reading does not allow it."""
    code, out, _ = call(capsys, "check", "window-stm", "--set", "fetch-and-increment=old",
                        "--property", "opacity", "--format", "json")  # fmt: skip
    assert code == 1
    (tmp_path / "old.json").write_text(out)
    same = typed("", "--from", "old.json")
    assert same.startswith("old.json: opacity, 13 steps\nwindow-stm fetch-and-increment=old\n")
    assert "Violated: virtual-world-consistency, opacity, tms2\n" in same
    new = typed("", "window-stm", "--from", "old.json")
    assert new.startswith("old.json: opacity, 13 steps\nwindow-stm\nThe state after 13 steps:\n")
    assert "* status         [T0] ABORTED (was LIVE), [T1] COMMITTED\n" in new
    assert "Violated" not in new
    cut = typed("", "window-stm", "--set", "objects=1", "--from", "old.json")
    assert cut.splitlines()[1] == "It goes no further: x cannot be 'y' (it is one of: x)"


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        ((), "", "Missing argument 'SPEC', or an option --from FILE."),
        (("counter",), "", "counter"),
        (("counter.py", "--set", "x=1"), "", "has no parameter 'x'"),
        (("--from", "none"), "", "none: No such file or directory"),
        (("--from", "f", "--set", "x=1"), "", "--set needs SPEC"),
        (("--from", "f"), "hello", "f:1: Expecting value"),
        (("--from", "f"), "[]", "f has no trace"),
        (("--from", "f"), "{}", "f: entry 1 is not a verdict of check --format json"),
        (("--from", "f"), "spec: counter.py\nread P9\n", "f:2: p cannot be 'P9'"),
        (("--from", "f"), "spec: none.py\nread P9\n", "f:1: there is no file none.py"),
        (("--from", "f"), "\xff", "f is no text in UTF-8: invalid start byte"),
    ],
)
def test_wrong_commands(
    typed: Walk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...], text: str, message: str,
) -> None:  # fmt: skip
    """A wrong command or a damaged file that is answered by a traceback, or with another code."""
    Path("f").write_bytes(text.encode("latin-1"))
    code, out, err = walk(capsys, monkeypatch, "1\n", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("counterpoint: ")
    assert message in err
    assert err.count("\n") == 1


def test_a_spec_that_fails_on_the_way(typed: Walk, tmp_path: Path) -> None:
    """A spec's own error that ends the walk, or leaves it in a state that cannot be shown."""
    (tmp_path / "bad.py").write_text(
        COUNTER.replace("return implies(", "return 1 // (1 - s.counter) < 9 and implies(")
    )
    out = typed("1\nwrite P0\nread P1\n", "bad.py", code=2)
    assert re.search(r"> write P0\nwrong: \S*bad.py:22: in nothing_is_lost: .*\n> read P1\n", out)
    assert answer(out)[0] == "step 2: read p=P1"

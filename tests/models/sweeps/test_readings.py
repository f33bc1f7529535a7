"""Readings: the rows, the conclusions drawn from them, and runs that are interrupted."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from counterpoint.commands.specs.readings import _where_kept, summary, to_json
from counterpoint.console import run
from counterpoint.main import counterpoint as commands
from counterpoint.models.checking.processes import cores
from counterpoint.models.explore import exhaustive
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.models.sweeps import readings
from counterpoint.models.sweeps.deciding import conjunctions, cover, deciding, hopeless, widest
from counterpoint.models.sweeps.fingerprint import fingerprint
from counterpoint.models.sweeps.page import page
from counterpoint.models.sweeps.readings import ReadingsStudy, grid, study
from counterpoint.models.sweeps.results import ModelOutcome, Results
from counterpoint.spec.notation import SpecError
from counterpoint.spec.stm.window import Window

NEAR = {
    (): "kept",
    ("clock-read=commit-only",): "both clean",
    ("recheck=later-or-equal",): "both clean",
    ("recheck=every-read",): "both clean",
    ("recheck=never",): "both broken",
    ("recheck-locked=wait",): "kept",
    ("recheck-locked=ignore",): "kept",
    ("empty-window=passes",): "both broken",
    ("version-end=ct-1",): "kept",
    ("readers-wait=no",): "both broken",
    ("finite-window=pick",): "kept",
    ("locks=writes",): "both broken",
    ("unlock=object-by-object",): "kept",
}
"""The outcome of the claim at 2 x 2 when one choice differs from the default."""


FEW = [
    "clock-read=begin", "recheck-locked=abort", "version-end=ct", "readers-wait=yes",
    "finite-window=abort", "unlock=at-the-end", "locks=reads-and-writes",
]  # fmt: skip
"""Settings that leave only recheck and empty-window to vary."""


USER = '''
from counterpoint.spec.notation import *


class Jar(Spec):
    """Two put a coin in."""

    hands = Index(2, names="h")
    steps = Choice("one", "two", help="put in one step or in two")
    colour = Choice("red", "blue", help="of the jar, which does not matter")
    lock = Choice("no", "yes", help="hold the jar meanwhile")
    published_claim = Claim("steps", broken="two", clean="one", criterion="all-there")
    n = Integer(0, 2)
    copied = Array(hands, Integer(0, 3))
    done = Array(hands, Boolean())

    @action
    def put(s, h):
        """Put a coin in."""
        require(s.steps == "one", no(s.done[h]))
        s.n, s.done[h] = s.n + 1, True

    @action
    def look(s, h):
        """Count."""
        require(s.steps == "two", no(s.done[h]), s.copied[h] == 0)
        require(s.lock == "no" or no(s.copied[g] > 0 for g in s.hands))
        s.copied[h] = s.n + 1

    @action
    def write(s, h):
        """Write the new count."""
        require(s.copied[h] > 0)
        s.n, s.copied[h], s.done[h] = s.copied[h], 0, True

    @invariant
    def all_there(s):
        """No coin is lost."""
        return implies(every(s.done[h] for h in s.hands), s.n == 2)
'''


@pytest.fixture(scope="module")
def near() -> ReadingsStudy:
    """The default reading of the window protocol and its neighbours."""
    return study("window-stm", changes=1)


@pytest.fixture(scope="module")
def few() -> ReadingsStudy:
    """All combinations of two choices."""
    return study("window-stm", FEW)


@pytest.mark.slow
def test_which_single_choice_decides(near: ReadingsStudy) -> None:
    """A reading whose outcome has changed, or rows that are mixed up."""
    found = {
        tuple(f"{n}={v}" for n, v in near.changes(row).items()): row.kind("opacity")
        for row in near.rows
    }
    assert found == NEAR
    assert list(found) == list(NEAR)
    assert (near.models, near.complete) == (26, False)
    text = " ".join(summary(near))
    assert "the claim is kept with recheck-locked=wait, recheck-locked=ignore," in text
    assert "old is clean too with clock-read=commit-only, recheck=later-or-equal or" in text
    assert "new is broken too with recheck=never, empty-window=passes, readers-wait=no" in text


@pytest.mark.slow
def test_bounds_are_put_together() -> None:
    """A table that reports "clean" although a run with four programs shows the slip."""
    late = "programs=w x; w z; r x, r z; r z, r x"
    given = [s for s in FEW if not s.startswith("recheck-locked")]
    given += ["recheck=later", "empty-window=reaches"]
    found = study("window-stm", [*given, "objects=2"], also=["operations=1", late])
    kinds = {row.choices["recheck-locked"]: row.kind("opacity") for row in found.rows}
    assert kinds == {"abort": "kept", "wait": "kept", "ignore": "both broken"}
    assert found.default.broken.violated["opacity"] == 13
    assert found.rows[2].clean.violated["opacity"] == 20
    assert found.models == 18


@pytest.mark.long
def test_rows_are_what_a_check_says(few: ReadingsStudy) -> None:
    """A row that shows the outcome of another model."""
    for row in few.rows:
        for value, outcome in (("old", row.broken), ("new", row.clean)):
            spec = Window(**dict(row.choices), **dict(s.split("=") for s in FEW),
                          fetch_and_increment=value)  # fmt: skip
            model = load("window-stm", [f"{n}={v}" for n, v in spec.parameters.items() if v != ""])
            wanted = [p for p in model.properties if p.name in ("serializability", "opacity")]
            verdicts = exhaustive.check(model, wanted=wanted)
            depths = {v.claim.name: v.depth for v in verdicts if v.answer == "violated"}
            mine = {
                n: d for n, d in outcome.violated.items() if n in ("serializability", "opacity")
            }
            assert mine == depths


def test_weaker_criteria_are_clean_where_stronger_ones_are(few: ReadingsStudy) -> None:
    """A reading that satisfies a stronger criterion and violates a weaker one."""
    for row in few.rows:
        for outcome in (row.broken, row.clean):
            depths = [outcome.violated.get(name, 99) for name in few.criteria]
            assert depths == sorted(depths, reverse=True)


def test_what_follows_from_all_rows(few: ReadingsStudy) -> None:
    """Conjunctions that describe other rows than those in which the claim holds."""
    assert few.complete
    kept = {tuple(r.choices.items()) for r in few.rows if r.kind("opacity") == "kept"}
    described = {
        tuple(r.choices.items())
        for r in few.rows
        for term, _ in conjunctions(few)
        if all(r.choices[n] in values for n, values in term.items())
    }
    assert described == kept
    assert conjunctions(few) == [({"recheck": ("later",), "empty-window": ("reaches",)}, 1)]
    assert set(hopeless(few)) == {
        ("recheck", "later-or-equal"), ("recheck", "every-read"), ("recheck", "never"),
        ("empty-window", "passes"),
    }  # fmt: skip
    assert deciding(few) == {"recheck": 4, "empty-window": 2}


@pytest.mark.slow
def test_all_readings() -> None:
    """A change in the outcome of one of the 1,536 readings."""
    found = study("window-stm", processes=cores())
    kinds = [row.kind("opacity") for row in found.rows]
    assert (len(kinds), found.models, found.complete) == (1536, 3072, True)
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        "kept": 30, "both clean": 157, "both broken": 1332, "reversed": 17,
    }  # fmt: skip
    always = {
        "clock-read": ("begin",), "recheck": ("later",),
        "readers-wait": ("yes",), "locks": ("reads-and-writes",),
    }  # fmt: skip
    mostly = {"recheck-locked": ("abort", "wait")}
    ends = ({"empty-window": ("reaches",)}, {"version-end": ("ct-1",)})
    at_the_end = {"unlock": ("at-the-end",)}
    terms = [(term, number) for term, number in conjunctions(found)]
    assert len(terms) == 4
    for end in ends:
        assert ({**always, **mostly, **end}, 16) in terms
        assert ({**always, **at_the_end, **end}, 12) in terms


@pytest.mark.slow
def test_equal_models_share_a_fingerprint_and_others_do_not() -> None:
    """Different models taken for one, or the same model checked twice."""
    criteria = Window.criteria

    def of(**given: str) -> str:
        return fingerprint(load("window-stm", [f"{n}={v}" for n, v in given.items()]), criteria)

    assert of(recheck="never") == of(**{"recheck": "never", "empty-window": "passes"})
    assert of(recheck="never") == of(**{"recheck": "never", "version-end": "ct-1"})
    for value in ("old", "new"):
        given = ["recheck=never", f"fetch-and-increment={value}"]
        assert of(**dict(s.split("=") for s in given)) == of(
            **dict(s.split("=") for s in given), **{"version-end": "ct-1"}
        )
        one, other = (
            readings.outcome_of("window-stm", criteria, Limits(), [*given, *more])
            for more in ([], ["version-end=ct-1"])
        )
        assert one.violated == other.violated != {}
    plain = of()
    for name, parameter in Window.declared_parameters.items():
        for value in getattr(parameter, "values", ())[1:]:
            assert of(**{name: value}) != plain or name == "recheck-locked", name
    assert of(transactions="1") != of(objects="1")


def test_the_widest_cubes_cover_exactly() -> None:
    """A cover that misses a point, includes a wrong one, or could be wider (by brute force)."""
    sizes = (2, 3, 2)
    points = list(product(*map(range, sizes)))
    for bits in range(0, 2 ** len(points), 37):
        kept = frozenset(p for i, p in enumerate(points) if bits >> i & 1)
        cubes = widest(kept, sizes)
        inside = [set(product(*cube)) for cube in cubes]
        assert all(one <= kept for one in inside)
        for cube in cubes:
            for place, size in enumerate(sizes):
                for value in set(range(size)) - cube[place]:
                    wider = (*cube[:place], cube[place] | {value}, *cube[place + 1 :])
                    assert not set(product(*wider)) <= kept
        chosen = cover(kept, sizes)
        assert set().union(*(set(product(*cube)) for cube in chosen)) == kept
        assert set(chosen) <= set(cubes)


def test_the_grid_begins_with_the_default() -> None:
    """Rows in an order that varies, or a limit on the number of changes that is off by one."""
    choices = {"a": ("1", "2"), "b": ("x", "y", "z")}
    rows = [tuple(r.values()) for r in grid(choices, None)]
    assert rows == [("1", "x"), ("2", "x"), ("1", "y"), ("1", "z"), ("2", "y"), ("2", "z")]
    assert [tuple(r.values()) for r in grid(choices, 1)] == rows[:4]
    assert [tuple(r.values()) for r in grid(choices, 0)] == rows[:1]
    with pytest.raises(SpecError, match="more than 50,000 models"):
        grid({str(i): ("a", "b") for i in range(20)}, None)


@pytest.mark.long
def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A resumed run that starts from the beginning, reads a truncated line, or loses rows."""
    path = tmp_path / "results.jsonl"
    user = tmp_path / "jar.py"
    user.write_text(USER)
    whole = study(str(user))
    asked: list[object] = []
    outcome_of = readings.outcome_of

    def counted(*given: object) -> ModelOutcome:
        asked.append(given)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return outcome_of(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(readings, "outcome_of", counted)
    with pytest.raises(KeyboardInterrupt):
        study(str(user), path=path)
    with path.open("a") as file:
        file.write('{"kind": "counterpoint readings", "sour')
    again = study(str(user), path=path)
    assert again.rows == whole.rows
    assert (again.known, again.different) == (1, 3)
    assert len(asked) == 4
    third = study(str(user), path=path)
    assert (third.rows, third.known, len(asked)) == (whole.rows, 3, 4)
    user.write_text(USER.replace("s.n == 2", "s.n >= 1"))
    changed = study(str(user), path=path)
    assert changed.rows != whole.rows
    assert changed.known == 0


def test_an_interrupted_command_says_where_its_results_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An interrupted command that does not say where its results are stored."""

    def interrupted(*_: object) -> ModelOutcome:
        raise KeyboardInterrupt

    monkeypatch.setattr(readings, "outcome_of", interrupted)
    path = tmp_path / "results.jsonl"
    given = ["readings", "tl2", "--changes", "0", "--processes", "1"]
    assert run(commands, [*given, "--results", str(path)]) == 130
    assert (
        f"interrupted; run the same command again to resume with the results in {path}"
        in capsys.readouterr().err
    )
    assert path.exists()
    assert run(commands, given) == 130
    assert "interrupted; nothing was written" in capsys.readouterr().err


def test_results_of_something_else_are_left_alone(tmp_path: Path) -> None:
    """Results that are appended to an unrelated file of the user."""
    nested = "[" * 100_000 + "\n"
    for text in ("my notes\n", nested, '{"a": 1}\n', '[1]\n{"kind": "counterpoint readings"}\n'):
        path = tmp_path / "notes"
        path.write_text(text)
        with pytest.raises(SpecError, match="is not a result"):
            Results(path, "window-stm")
        assert path.read_text() == text


def test_a_time_limit_leaves_rows_unknown(tmp_path: Path) -> None:
    """A row that was not checked, reported as clean."""
    found = study("window-stm", changes=0, limits=Limits(1e-9), path=tmp_path / "r")
    assert [r.kind("opacity") for r in found.rows] == ["unknown"]
    assert "the time limit of" in found.rows[0].broken.unknown


def test_what_all_terms_share_is_said_once() -> None:
    """A summary that repeats the common part of all terms, or leaves a part out."""
    terms = [({"a": ("1",), "b": ("x", "y")}, 2), ({"a": ("1",), "c": ("u",)}, 1)]
    assert list(_where_kept(terms)) == [
        "The claim is kept exactly with a=1, and one of these (a row may be in several):",
        "- b=x or y (2 rows)",
        "- c=u (1 row)",
    ]


def test_json_and_page_say_what_the_rows_say(few: ReadingsStudy) -> None:
    """A JSON report or page that differs from the rows."""
    found = to_json(few)
    assert len(found["rows"]) == 8
    assert sum(found["counts"].values()) == 8
    assert found["counts"]["kept"] == 1
    assert found["rows"][0]["old"]["violated"]["opacity"] == 13
    assert found["rows"][0]["new"]["violated"] == {}
    shown = page(few, list(summary(few)))
    assert shown.count('data-kind="kept"') == 1
    assert "exactly with recheck=later; empty-window=reaches (1 row)." in shown

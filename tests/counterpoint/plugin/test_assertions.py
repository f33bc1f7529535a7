"""Assertions about specs: what passes, and what the message of a failure says."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from counterpoint import Integer, Spec, SpecError, action, invariant, require
from counterpoint.models.loading import load as load_model
from counterpoint.spec.notation import Model
from counterpoint.testing import (
    Options,
    assert_holds,
    assert_mutants_killed,
    assert_reaches,
    assert_violated,
    load,
)

from .buffer import Buffer, Hasty

HERE = Path(__file__).parent
BUFFER = f"{(HERE / 'buffer.py').relative_to(Path.cwd())}:Buffer"

FORMS: list[Callable[[], Any]] = [
    lambda: Buffer(producers=3),
    lambda: Model(Buffer(producers=3)),
    lambda: load_model(BUFFER, ["producers=3"]),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("engine", ["exhaustive", "bounded", "stateful"])
def test_a_spec_is_given_in_several_forms(form: Callable[[], Any], engine: str) -> None:
    """A form that is checked under other parameters, or by another engine."""
    states = 12 if engine == "exhaustive" else None
    found = assert_holds(form(), engine=engine, states=states, options=Options(runs=50))
    assert [(v.claim.name, v.engine) for v in found] == [
        ("never-overfull", engine), ("full", engine), ("ranges", engine)
    ]  # fmt: skip
    assert found[0].model.spec.parameters["producers"] == 3
    assert found[0].model.reference in (BUFFER, f"{Buffer.__module__}:Buffer")


@pytest.mark.parametrize("spec", [Buffer, BUFFER, f"{Buffer.__module__}:Buffer"])
def test_a_class_or_a_name_takes_parameters(spec: Any) -> None:
    """Parameters that are dropped."""
    (verdict,) = assert_holds(spec, "never_overfull", parameters={"producers": 3}, states=12)
    assert verdict.claim.name == "never-overfull"
    assert_reaches(spec, "full", steps=6, parameters={"capacity": 3})
    assert_reaches(spec, "full", steps=4)


def test_a_spec_with_its_parameters_takes_no_others() -> None:
    """Parameters that are silently ignored."""
    with pytest.raises(SpecError, match="has its parameters already"):
        assert_holds(Buffer(), parameters={"producers": 3})


def test_a_known_error_is_violated() -> None:
    """A violation that is found and yet fails the test."""
    for engine in ("exhaustive", "bounded"):
        verdict = assert_violated(Hasty(producers=3), "never-overfull", steps=6, engine=engine)
        assert verdict.trace is not None
    assert_violated(Hasty, "never-overfull", engine="stateful", options=Options(seed=5))


def failure(check: Callable[[], Any]) -> str:
    """Return the message of a check that must fail."""
    with pytest.raises(AssertionError) as found:
        check()
    assert found.value.__cause__ is found.value.__context__ is None
    return str(found.value)


MESSAGE = f"""\
never-overfull is violated after 6 steps
buffer/hasty producers=3: exhaustive, 28 states

   P0      P1      P2
1  reserve │       │        reserved[P0]→True
2  │       reserve │        reserved[P1]→True
3  │       │       reserve  reserved[P2]→True
4  put     │       │        items 0→1, reserved[P0]→False
5  │       put     │        items 1→2, reserved[P1]→False
6  │       │       put      items 2→3, reserved[P2]→False

never-overfull is violated after step 6.

To reproduce: counterpoint check {Hasty.__module__}:Hasty \
--set producers=3 --property never-overfull"""


def test_a_violation_is_shown_with_its_run_and_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure without the run, with a run for another property, or with another command."""
    monkeypatch.setenv("COLUMNS", "80")
    assert failure(lambda: assert_holds(Hasty(producers=3))) == MESSAGE


@pytest.mark.parametrize(
    ("check", "sentence"),
    [
        (lambda: assert_holds(Buffer, states=9), "8 reachable states; there should be 9"),
        (lambda: assert_holds(Buffer, "full", time_limit=0),
         "full is unknown: the time limit of 0 s was reached"),
        (lambda: assert_holds(Buffer(capacity=1), "full", engine="bounded", steps=1),
         "full is unknown: "),
        (lambda: assert_violated(Buffer, "never-overfull", steps=6),
         "never-overfull holds (all states); it should be violated after 6 steps"),
        (lambda: assert_violated(Buffer, "full"), "full is reached; it should be violated"),
        (lambda: assert_violated(Hasty, "never-overfull", steps=7),
         "never-overfull is violated after 6 steps; it should be after 7 steps"),
        (lambda: assert_reaches(Buffer, "full", steps=5),
         "full is reached after 4 steps; it should be after 5 steps"),
        (lambda: assert_reaches(Buffer(producers=1, capacity=9), "full", time_limit=0),
         "full is unknown"),
    ],
)  # fmt: skip
def test_what_differs_is_said_first(check: Callable[[], Any], sentence: str) -> None:
    """A difference that passes, or a message that another difference would have, too."""
    first, *others = failure(check).splitlines()
    assert first.startswith(sentence)
    assert others[-1].startswith("To reproduce: counterpoint check ")


class Small(Spec):
    """Two errors: the witness cannot be reached, and a step too many is possible."""

    step = Integer(0, 3)

    @action
    def up(s: Any) -> None:
        require(s.step < 2)
        s.step = s.step + 1

    @invariant
    def below_two(s: Any) -> Any:
        return s.step < 2

    @invariant
    def below_one(s: Any) -> Any:
        return s.step < 1


def test_all_differences_are_named_and_the_shortest_run_is_shown() -> None:
    """A second violation that is seen only after the first is mended; the longer run."""
    lines = failure(lambda: assert_holds(Small())).splitlines()
    assert lines[:3] == [
        "below-two is violated after 2 steps", "below-one is violated after 1 step",
        "small: exhaustive, 3 states",
    ]  # fmt: skip
    assert "below-one is violated after step 1." in lines
    assert lines[-1].endswith("test_assertions:Small --property below-one")


def test_several_engines_are_told_apart() -> None:
    """A difference that does not say which engine found it, or the command of another engine."""
    found = failure(lambda: assert_holds(Small(), "below-two", engine="all")).splitlines()
    assert found[:2] == [
        "exhaustive: below-two is violated after 2 steps",
        "bounded: below-two is violated after 2 steps",
    ]
    assert "small: exhaustive, 3 states" in found


def test_an_error_in_the_assertion_is_no_failed_property() -> None:
    """A wrong name that counts as a violation, or that passes."""
    with pytest.raises(SpecError, match="has no property 'fulll'"):
        assert_violated(Buffer, "fulll")
    with pytest.raises(SpecError, match="name one of the engines, not all"):
        assert_violated(Buffer, "full", engine="all")
    with pytest.raises(SpecError, match="or its name is expected, not 3"):
        assert_holds(3)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="with their own parameters"):
        assert_mutants_killed(Buffer(producers=3))
    with pytest.raises(SpecError, match="is no witness"):
        assert_reaches(Buffer, "never-overfull")
    with pytest.raises(SpecError, match="there is no engine 'none'"):
        assert_holds(Buffer, engine="none")
    with pytest.raises(SpecError, match="there is no engine 'none'"):
        assert_mutants_killed(Buffer, engine="none")
    with pytest.raises(SpecError, match="only the engine exhaustive counts states"):
        assert_holds(Buffer, engine="bounded", states=8)


def test_mutants_are_killed_as_they_declare() -> None:
    """A mutant that survives and passes."""
    assert [one.name for one in assert_mutants_killed(Buffer)] == ["hasty"]
    assert [one.name for one in assert_mutants_killed(Buffer(), engine="bounded")] == ["hasty"]
    assert [one.name for one in assert_mutants_killed(BUFFER, engine="stateful")] == ["hasty"]
    with pytest.raises(SpecError, match="test_assertions:Small has no mutants"):
        assert_mutants_killed(Small)


def test_a_surviving_mutant_is_named(tmp_path: Path) -> None:
    """A failure that does not say which mutant survives, or what it would have been killed by."""
    text = (HERE / "buffer.py").read_text()
    path = tmp_path / "kept.py"
    path.write_text(text.replace("s.items < s.capacity)", "s.items < s.capacity - 1)"))
    found = failure(lambda: assert_mutants_killed(f"{path}:Buffer"))
    assert found.splitlines()[0] == f"{path}:Buffer (exhaustive): 1 of 1 mutants are not killed " \
                                    "as they declare"  # fmt: skip
    assert "hasty: A producer sees room that another one has reserved." in found
    assert "  never-overfull holds; it is declared to be violated" in found
    assert found.endswith(f"To reproduce: counterpoint check {path}:Buffer --mutants")


def test_a_spec_within_a_function_names_the_test() -> None:
    """A command that finds no such spec."""

    class Local(Small):
        """A spec that no command can name."""

    found = failure(lambda: assert_holds(Local()))
    assert found.splitlines()[-1] == (
        "To reproduce: pytest 'tests/counterpoint/plugin/test_assertions.py::"
        "test_a_spec_within_a_function_names_the_test'"
    )
    with pytest.raises(SpecError, match="define it at the top of a module"):
        assert_mutants_killed(Local)


def test_loading_leaves_the_modules_of_the_test_run_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test that imports the helper of a spec for its own, or whose assertions are not rewritten.

    The folder of the spec has a module with the name of one that the tests have loaded, and one
    with a name that another test may want to load.
    """
    for folder, value in (("specs", 2), ("theirs", 5)):
        (tmp_path / folder).mkdir()
        for name in ("helper_of_both", "loaded_before"):
            (tmp_path / folder / f"{name}.py").write_text(f"CAPACITY = {value}\n")
    text = (HERE / "buffer.py").read_text().replace("Number(2)", "Number(CAPACITY + LESS - 2)")
    (tmp_path / "specs" / "buffer.py").write_text(
        "from helper_of_both import CAPACITY\nfrom loaded_before import CAPACITY as LESS\n" + text
    )
    monkeypatch.syspath_prepend(str(tmp_path / "theirs"))
    import loaded_before  # type: ignore[import-not-found]

    finders = list(sys.meta_path)
    reference = str(tmp_path / "specs" / "buffer.py:Buffer")
    assert load(reference).spec.parameters["capacity"] == 2
    assert_holds(reference)
    assert_mutants_killed(reference)
    assert sys.meta_path == finders
    assert sys.modules["loaded_before"] is loaded_before
    import helper_of_both  # type: ignore[import-not-found]

    assert helper_of_both.CAPACITY == loaded_before.CAPACITY == 5
    del sys.modules["loaded_before"], sys.modules["helper_of_both"]

"""``conforms``: an object of a stranger beside a spec, right and with planted faults."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from counterpoint import Boolean, Spec, SpecError, action, no, require
from counterpoint.testing import conforms
from tests.models.conforming.shelf import (
    BoundedCounter,
    Buffer,
    Cache,
    Counter,
    FullError,
    Ring,
)

CALLS: dict[str, Any] = {"returns": {"take": "item"}, "refuses": FullError, "forbidden": True}
SHORT: dict[str, Any] = {"runs": 30, "calls": 10}


def content(ring: Ring) -> dict[str, Any]:
    """Return the state of a ring, as the spec has it."""
    return {"items": ring.content}


def failure(test: Callable[[], None]) -> str:
    """Run a test that must fail, and return what it says."""
    with pytest.raises(AssertionError) as error:
        test()
    return str(error.value)


def buffer(fault: str = "", **more: Any) -> Callable[[], None]:
    """Return the test of a ring."""
    return conforms(partial(Ring, fault), Buffer, content, **CALLS | SHORT | more)


test_right_code_conforms = buffer()


@pytest.mark.parametrize(
    ("fault", "calls", "reason"),
    [
        ("small", 2, "the code refuses this call (FullError: no room), though the spec allows it"),
        ("big", 3, "the code does not refuse this call, though the spec forbids it"),
        ("last-first", 3, "and the spec allows"),
        ("wrong-result", 2, "the call returned 2, and the spec allows 0"),
        ("other-error", 3, "the call raised KeyError: 1, which is no refusal (refuses: FullError)"),
        ("empty", 1, "the code does not refuse this call, though the spec forbids it"),
        ("half", 3, "the code refused the call and changed its state"),
    ],
)
def test_planted_faults_are_found_with_the_shortest_run(
    fault: str, calls: int, reason: str
) -> None:
    """Catches a fault that is not found, another reason, or calls that could be left out."""
    said = failure(buffer(fault))
    plural = "s" if calls > 1 else ""
    assert said.startswith(f"Ring differs from buffer after {calls} call{plural}: ")
    assert reason in said.partition("\n")[0]
    assert said.count("\n  ") == calls + 2  # the calls, and a row below the heads of the columns


def test_every_fault_is_tried() -> None:
    """Catches a fault of the ring that no test plants."""
    marks = test_planted_faults_are_found_with_the_shortest_run.pytestmark  # type: ignore[attr-defined]
    assert {fault for fault, _, _ in marks[0].args[1]} == set(Ring.FAULTS)


def test_the_columns() -> None:
    """Catches two columns that are not those of the spec and of the code, or no mark."""
    said = failure(buffer("big"))
    assert said.splitlines()[1:8] == [
        "",
        "   1  put(item=0)",
        "   2  put(item=0)",
        "   3  put(item=0)",
        "",
        "         spec    code",
        "  items  ⟨0, 0⟩  [0, 0, 0]  differs",
    ]
    one = [line for line in failure(buffer("last-first")).splitlines() if "items" in line]
    assert one in (["  items  ⟨0⟩   ⟨1⟩   differs"], ["  items  ⟨1⟩   ⟨0⟩   differs"])
    assert "To reproduce: pytest 'tests/counterpoint/test_conforms.py::test_the_columns'" in said


def test_forbidden_calls_are_made_only_if_asked_for() -> None:
    """Catches that code without a bound of its own fails where nobody asked for refusals."""
    buffer("big", forbidden=False)()
    buffer("empty", forbidden=False)()
    assert "refuses this call" in failure(buffer("small", forbidden=False))


def test_the_same_seed_makes_the_same_run() -> None:
    """Catches choices that do not follow from the seed; and a seed that is not used."""
    made: list[list[str]] = []

    class Noted(Ring):
        def put(self, item: int) -> None:
            made[-1].append(f"put {item}")
            super().put(item)

    def of(seed: int) -> list[str]:
        made.append([])
        conforms(Noted, Buffer, content, **CALLS, runs=8, calls=10, seed=seed)()
        return made[-1]

    assert of(3) == of(3)
    assert of(3) != of(4)


class Dropping:
    """A cache that drops the oldest key, or a wrong one."""

    def __init__(self, fault: bool = False) -> None:
        self.keys: list[int] = []
        self._fault = fault

    def load(self, k: int) -> None:
        """Load a key."""
        if len(self.keys) == 2:
            self.keys.pop(0)
            if self._fault:
                self.keys.pop(0)
        self.keys.append(k)


def cache(fault: bool, mapping: Callable[[Dropping], dict[str, Any]]) -> Callable[[], None]:
    """Return the test of a cache, which decides what it drops."""
    return conforms(partial(Dropping, fault), Cache, mapping, decides={"load": ["v"]}, **SHORT)


@pytest.mark.parametrize(
    "mapping",
    [lambda c: {"inside": c.keys}, lambda c: {"inside[K0]": 0 in c.keys},
     lambda c: {"inside[K0]": 0 in c.keys, "inside[K1]": 1 in c.keys}],
)  # fmt: skip
def test_what_the_code_decides_is_one_of_what_the_spec_allows(mapping: Any) -> None:
    """Catches right code that fails since the spec is followed along one choice alone."""
    cache(False, mapping)()


def test_a_choice_that_the_spec_does_not_have() -> None:
    """Catches code that takes a way which no choice of the spec has, with a partial mapping too."""
    assert "after 3 calls" in failure(cache(True, lambda c: {"inside": c.keys}))
    partial_ = cache(True, lambda c: {"inside[K0]": 0 in c.keys, "inside[K1]": 1 in c.keys})
    assert "differs" in failure(partial_)


class Loose:
    """A counter without bounds, which a clock can reset."""

    def __init__(self) -> None:
        self.count = 0
        self.most = 0

    def add(self) -> None:
        """Count."""
        self.count += 1
        self.most = max(self.count, self.most)

    def drop(self) -> None:
        """Count down."""
        if not self.count:
            raise ValueError("nothing")
        self.count -= 1


@pytest.mark.parametrize(("spec", "most"), [(Counter, 5), (BoundedCounter, 2)])
def test_bounds_of_a_spec_forbid_nothing(spec: Any, most: int) -> None:
    """Catches a range or a constraint of the spec that the code is blamed for."""
    made: list[Loose] = []

    def make() -> Loose:
        made.append(Loose())
        return made[-1]

    conforms(make, spec, lambda c: {"count": c.count}, refuses=ValueError, forbidden=True,
             runs=40, calls=20)()  # fmt: skip
    assert max(one.most for one in made) == most


def test_silent_steps_happen_between_calls() -> None:
    """Catches right code that fails since it takes a step by itself, or any code that passes."""

    class Leaks(Loose):
        def add(self) -> None:
            super().add()
            self.count -= self.count == 1

    def count(c: Loose) -> dict[str, Any]:
        return {"count": c.count}

    def of(silent: tuple[str, ...], names: dict[str, Any]) -> Callable[[], None]:
        return conforms(Leaks, Counter, count, silent=silent, names=names, runs=20, calls=10)

    of(("drop",), {})()  # the first count is lost within its own call
    assert "this count" in failure(of((), {"drop": None}))


def test_names_and_functions() -> None:
    """Catches a name, or a function, that is not used for the action."""

    class Other:
        def __init__(self) -> None:
            self.count = 0

        def change(self, by: int) -> None:
            self.count += by

    names = {"add": lambda c: c.change(1), "drop": "minus"}
    test = conforms(Other, Counter, lambda c: {"count": c.count}, names=names, **SHORT)
    with pytest.raises(SpecError, match="Other has no method minus for the action drop: say names"):
        test()
    names["drop"] = lambda c: c.change(-1)
    conforms(Other, Counter, lambda c: {"count": c.count}, names=names, **SHORT)()


def test_an_action_that_is_never_taken_fails() -> None:
    """Catches a test that passes though it has tried nothing of an action."""
    said = failure(conforms(Loose, Counter, lambda c: {"count": c.count}, runs=1, calls=1))
    assert "never taken: " in said and "names={" in said


def test_a_wrong_beginning() -> None:
    """Catches an object whose first state is not compared."""
    said = failure(conforms(Ring, Buffer, lambda r: {"items": [1]}, **CALLS))
    assert said.startswith("Ring differs from buffer: the code begins in another state")


def test_code_that_is_not_steady_is_said_to_be() -> None:
    """Catches a run that is shown though the same calls do not fail again."""
    wrong: list[int] = []

    class Once(Ring):
        def take(self) -> int:
            if not wrong and len(set(self.content)) == 2:
                wrong.append(self.content.pop())
                return wrong[0]
            return super().take()

    said = failure(conforms(Once, Buffer, content, **CALLS, runs=50))
    assert wrong
    assert said == "buffer: the code does not do the same when the same calls are repeated"


@pytest.mark.parametrize("fault", ["", "big"])
def test_each_object_is_finished(fault: str) -> None:
    """Catches an object that is left open, in runs that fail too."""
    made: list[Ring] = []
    ended: list[Ring] = []

    def make() -> Ring:
        made.append(Ring(fault))
        return made[-1]

    test = conforms(make, Buffer, content, **CALLS | SHORT, finish=ended.append)
    if fault:
        failure(test)
    else:
        test()
    assert made and list(map(id, made)) == list(map(id, ended))


@pytest.mark.long
def test_pytest_collects_it(tmp_path: Path) -> None:
    """Catches a test that pytest does not collect, warns of, or does not fail."""
    file = tmp_path / "test_ring.py"
    file.write_text(
        "from functools import partial\n"
        "from counterpoint.testing import conforms\n"
        "from tests.models.conforming.shelf import Buffer, FullError, Ring\n"
        "more = dict(returns={'take': 'item'}, refuses=FullError, runs=20)\n"
        "def content(ring): return {'items': ring.content}\n"
        "test_right = conforms(Ring, Buffer, content, **more)\n"
        "test_wrong = conforms(partial(Ring, 'last-first'), Buffer, content, **more)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", str(file)],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 1, done.stdout
    assert "1 failed, 1 passed" in done.stdout
    assert "Ring differs from buffer after 3 calls" in done.stdout
    assert "hypothesis" not in done.stdout


class Box(Spec):
    """A box that may be emptied at any time, without a call."""

    full = Boolean()

    @action
    def put(s) -> None:
        """Fill it."""
        require(no(s.full))
        s.full = True

    @action
    def clean(s) -> None:
        """Empty it."""
        require(s.full)
        s.full = False


class FullError(Exception):
    """The box is full."""


class CleanedBox:
    """A box that is emptied just after it has refused."""

    def __init__(self) -> None:
        self.full = False

    def put(self) -> None:
        """Fill it, or refuse."""
        if self.full:
            self.full = False
            raise FullError
        self.full = True


def test_silent_steps_can_follow_a_refusal() -> None:
    """Catches a false difference: what is silent can come between the refusal and the look."""
    conforms(
        CleanedBox, Box, lambda box: {"full": box.full}, silent=["clean"], refuses=FullError,
        forbidden=True,
    )()  # fmt: skip


def test_an_object_that_begins_wrongly_is_finished() -> None:
    """Catches objects that stay open, such as servers, since they were never compared."""
    counts = {"made": 0, "finished": 0}

    def made() -> CleanedBox:
        counts["made"] += 1
        box = CleanedBox()
        box.full = True
        return box

    def finish(box: object) -> None:
        counts["finished"] += 1

    with pytest.raises(AssertionError, match="begins in another state"):
        conforms(made, Box, lambda box: {"full": box.full}, silent=["clean"], finish=finish)()
    assert counts["made"] == counts["finished"] > 0


def test_a_failing_finish_does_not_hide_a_difference() -> None:
    """Catches an error of ``finish`` that is shown in the place of the difference before it."""

    def close(ring: Ring) -> None:
        if len(ring.content) > 2:
            raise OSError("too full to close")

    said = failure(buffer("big", finish=close))
    assert said.startswith("Ring differs from buffer after 3 calls: the code does not refuse")
    assert "After this, finish raised OSError: too full to close (test_conforms.py:" in said

    def begun() -> CleanedBox:
        box = CleanedBox()
        box.full = True
        return box

    def fail(_: object) -> None:
        raise OSError("is open")

    said = failure(conforms(begun, Box, lambda box: {"full": box.full}, finish=fail))
    assert said.startswith("CleanedBox differs from box: the code begins in another state")
    assert "After this, finish raised OSError: is open" in said


def test_refuses_takes_exception_classes() -> None:
    """Catches a name in quotes, which passes until the first refusal and is a TypeError then."""
    with pytest.raises(SpecError, match="refuses: an exception class or several, and not 'Full'"):
        conforms(CleanedBox, Box, lambda box: {"full": box.full}, refuses="Full")  # type: ignore[arg-type]

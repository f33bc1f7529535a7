"""Ranges too wide for Python, and for machine words: what explores them, and what is said."""

from __future__ import annotations

import pytest

from counterpoint.models.checking.engines import check
from counterpoint.models.explore import exhaustive
from counterpoint.models.explore.compiled.compiler import NoCompiler
from counterpoint.spec.notation import Integer, Model, Spec, SpecError, action, require
from tests.needs import find, need


class Wide(Spec):
    """A range of more values than two bytes have; few are reached."""

    x = Integer(0, 70_000)

    @action
    def up(s) -> None:
        """Add one."""
        require(s.x < 3)
        s.x = s.x + 1


class Huge(Wide):
    """A range of more values than a machine word has."""

    x = Integer(0, 10**30)


def test_a_wide_range_is_explored_in_c() -> None:
    """A spec that is refused, with the advice to add an option that could have been taken."""
    need("gcc")
    (verdict,) = check(Model(Wide()))
    assert (verdict.answer, verdict.states) == ("holds", 4)
    (verdict,) = check(Model(Wide()), "stateful")
    assert verdict.answer == "holds"


def test_a_wide_range_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback, or a message that does not say what is missing."""

    def missing(*_: object) -> None:
        raise NoCompiler("there is no C compiler")

    monkeypatch.setattr(exhaustive, "CompiledExplorer", missing)
    with pytest.raises(SpecError, match=r"70001 values; .* takes more, but there is no"):
        check(Model(Wide()))
    (verdict,) = check(Model(Wide()), "stateful")
    assert verdict.answer == "holds"


def test_the_advice_for_a_huge_range_helps() -> None:
    """Advice to use an explorer or an engine that refuses the same range."""
    if find("gcc"):
        (verdict,) = check(Model(Huge()))
        assert verdict.answer == "unknown"
        assert verdict.reason == "up computes numbers beyond machine words: use --engine bounded"
    with pytest.raises(SpecError, match=r"1000000000000000000000000000001 .*use --engine bounded"):
        exhaustive.check(Model(Huge()), explorer="python")
    (verdict,) = check(Model(Huge()), "bounded")
    assert verdict.answer == "holds"
    assert {v.engine: v.answer for v in check(Model(Huge()), "all")}["bounded"] == "holds"

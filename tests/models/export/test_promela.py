"""The exported Promela, run under Spin: as many states as here, and the same verdicts."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, assume, given, settings

from models import exhaustive
from models.export.promela import promela
from spec.notation import Model, Property
from tests import reference, spin, strategies
from tests.models.test_agreement import MODELS

FEW = ("peterson", "window new", "window old", "window every reading changed")


@pytest.fixture(autouse=True)
def _needs_spin() -> None:
    spin.require_spin()


def flag(claim: Property) -> str:
    """Return the name that Spin's message has for a property."""
    verb = "reached" if claim.kind == "sometimes" else "violated"
    return f"{verb}_{claim.name.replace('-', '_')}"


def agree(model: Model, folder: Path) -> None:
    """Hold Spin's count of states and its verdict on every property to the exhaustive engine's."""
    wanted = model.properties
    found = promela(model, wanted)
    answer = spin.run(found.text, folder)
    everything = exhaustive.explore(model, wanted=())
    assert answer.states - found.extra_states == len(everything.states)
    failures = exhaustive.explore(model, wanted=wanted).failures
    assert answer.failed == {flag(p) for p in wanted if p.name in failures}


@pytest.mark.parametrize("name", FEW)
def test_spin_counts_the_same_states(name: str, tmp_path: Path) -> None:
    """A state too many or too few, or another verdict, on a spec of the repository."""
    agree(MODELS[name](), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in MODELS if n not in FEW])
def test_spin_counts_the_same_states_on_large_specs(name: str, tmp_path: Path) -> None:
    """As above, where conditions become C functions: with three and four transactions."""
    agree(MODELS[name](), tmp_path)


def on_random(source: str) -> None:
    """Compare on one random spec."""
    model = strategies.build(source)
    naive = reference.explore(model, limit=2000)
    assume(naive is not None and naive.states)
    assert naive is not None
    found = promela(model, model.properties)
    with TemporaryDirectory() as folder:
        answer = spin.run(found.text, Path(folder))
    assert answer.states - found.extra_states == len(naive.states)
    assert answer.failed == {flag(p) for p in model.properties if p.name in naive.first}


random_specs = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@given(source=strategies.sources())
@settings(random_specs, max_examples=25)
def test_random_specs_have_the_same_states(source: str) -> None:
    """Any construct printed wrongly: quotients, choices, arrays, cells that change places."""
    on_random(source)


@pytest.mark.slow
@given(source=strategies.sources())
@settings(random_specs, max_examples=300)
def test_many_random_specs_have_the_same_states(source: str) -> None:
    """As above, on some hundred specs."""
    on_random(source)

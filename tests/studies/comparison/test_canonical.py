"""The digest of how measures are computed follows their code, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from counterpoint.crawler.policy.protocol import Scope
from counterpoint.studies.comparison import canonical, measures, planted, revisits, run


def digest() -> str:
    """Return the digest, computed anew."""
    return canonical.digest_of_policy_measures.__wrapped__()


def test_the_digest_is_the_same_each_time() -> None:
    """A digest that depends on the process, or on what was computed before."""
    assert digest() == digest() == canonical.digest_of_policy_measures()


def test_it_does_not_depend_on_the_synthetic_web(monkeypatch: pytest.MonkeyPatch) -> None:
    """A web that is generated differently, and is taken for other measures."""
    before = digest()

    def gone(*given: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(planted, "Web", gone)
    monkeypatch.setattr(planted, "TextSizes", gone)
    assert digest() == before


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (planted, "TOP", 10),
        (canonical, "ANSWER", 50),
        (revisits, "HOUR", 60.0),
        (canonical, "by_site", lambda web, order: np.zeros(4)),
        (run, "discovery", lambda *given: {"external": np.ones(6)}),
    ],
)
def test_it_follows_the_code_of_the_measures(
    module: Any, name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change of a measure that is taken for a change of all policies."""
    before = digest()
    monkeypatch.setattr(module, name, value)
    assert digest() != before


def test_the_canonical_crawl_moves_every_measure() -> None:
    """A measure that is 0 or 1 whatever its code does, because the web is too simple."""
    web = canonical.CanonicalWeb()
    grid = np.array([1, 3, 10, 40, 90])
    order, came = (np.arange(90) * 37 + 5) % canonical.PAGES, np.arange(90) % 7 != 3
    copies = revisits.CopyQuality(web, np.arange(canonical.PAGES), 3600.0, grid)
    seen = set()
    for scope in (Scope.WEB, Scope.KNOWN):
        _, curves = run.measured_crawl(web, scope, order, came, grid, lambda: copies)
        for name, curve in curves.items():
            assert len(set(curve.tolist())) > 2, name
        seen |= set(curves)
    values, points = measures.answered(web, Scope.WEB, order[came].tolist())
    assert all(0 < value < 1 for value in values.values()), values
    assert len(set(points.tolist())) > 3
    planted = {name for name, one in measures.BY_NAME.items() if not one.of_capture}
    assert seen | set(values) == planted

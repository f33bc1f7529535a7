"""The digest of the measures of logs follows what they come to, and not the text of their code."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from counterpoint.sim_web.referee import freshness, judgment, outcomes, politeness
from counterpoint.sim_web.referee import reached as reaching
from counterpoint.studies.subjects import canonical, judging, measures

PRINT = "from {0} import digest_of_log_measures; print(digest_of_log_measures())"


def digest() -> str:
    """Return the digest, computed anew."""
    return canonical.digest_of_log_measures.__wrapped__()


@pytest.mark.long
def test_the_digest_is_the_same_in_each_process() -> None:
    """A digest that depends on hashes of texts, or on what was computed before."""
    assert digest() == digest() == canonical.digest_of_log_measures()
    other = subprocess.run(
        [sys.executable, "-c", PRINT.format(canonical.__name__)], check=True, text=True,
        capture_output=True, env={**os.environ, "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert other.stdout.strip() == digest()


def test_the_canonical_log_moves_every_measure() -> None:
    """A measure whose computation can change without another digest, because nothing has it."""
    found = canonical.canonical_values()
    assert list(found) == list(measures.MEASURES)
    assert [name for name, value in found.items() if isinstance(value, str)] == []
    assert [name for name, value in found.items() if value == 0] == ["mounted"]  # needs a folder
    shares = {name for name, one in measures.MEASURES.items() if one.share}
    assert [name for name in shares if found[name] == 1] == []


def _without_waits(*given: Any) -> politeness.Fulfilment:
    return replace(politeness.crawl_delay(*given), broken=0.0)


def _more_wasted(*given: Any) -> outcomes.Outcomes:
    found = outcomes.outcomes(*given)
    return replace(found, wasted=found.wasted + 1)


def _fresher(*given: Any) -> freshness.CopyFreshness:
    return replace(freshness.freshness(*given), mean_fresh=1.0)


def _deeper(*given: Any) -> reaching.Levels:
    return replace(reaching.levels(*given), mean=9.0)


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (judgment.politeness, "crawl_delay", _without_waits),
        (judgment.outcome, "outcomes", _more_wasted),
        (judgment.freshnesses, "freshness", _fresher),
        (judgment.reaching, "levels", _deeper),
        (judging, "reachable", lambda planted, starts, allowed: allowed),
        (judging, "first_fetches", lambda requests: reaching.first_fetches(requests)[:5]),
        (measures, "_share", lambda part: 0.25),
    ],
    ids=["waits", "outcomes", "freshness", "levels", "reachable", "first fetches", "shares"],
)
def test_it_follows_what_the_measures_come_to(
    module: Any, name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change of a measure that is taken for a change of a crawler."""
    before = digest()
    real = getattr(module, name)

    def changed(*given: Any) -> Any:
        with monkeypatch.context() as original:
            original.setattr(module, name, real)
            return value(*given)

    monkeypatch.setattr(module, name, changed)
    assert digest() != before


def test_other_code_with_the_same_results_has_the_same_digest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A comment or a new name that makes every baseline look outdated."""
    before, real = digest(), measures._share
    monkeypatch.setattr(measures, "_share", lambda part: real(part))
    assert digest() == before

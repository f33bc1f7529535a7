"""Conditions and bands: what they accept, mean and refuse."""

from __future__ import annotations

import pytest

from counterpoint.ci.crawlers import bands_of, condition_of
from counterpoint.ci.crawlers.bands import USUAL, pairs_of
from counterpoint.crawler.errors import CrawlError
from counterpoint.studies.subjects import MEASURES


@pytest.mark.parametrize(
    ("text", "holding", "broken"),
    [
        ("disallowed == 0", [0], [1]),
        ("disallowed!=0", [1], [0]),
        ("pages >= 900", [900, 901], [899.5]),
        ("pages>900", [901], [900]),
        ("pages <= 9e2", [900], [901]),
        ("pages < 1_000", [999], [1000]),
        ("quality.top-5% >= 0.40", [0.4, 0.39999999999999997], [0.39]),
        ("quality.top-5% >= 40%", [0.4], [0.39]),
        ("coverage == .3", [0.1 + 0.2], [0.31]),
    ],
)
def test_what_a_condition_means(text: str, holding: list[float], broken: list[float]) -> None:
    """An operator taken for another, or a per cent sign that is ignored."""
    condition = condition_of(text)
    assert all(map(condition.holds, holding))
    assert not any(map(condition.holds, broken))


@pytest.mark.parametrize("name", ["quality-mass", "quality.mass", "QUALITY_mass"])
def test_names_are_read_with_dots_and_dashes(name: str) -> None:
    """A key of TOML, which has no dots, that names nothing."""
    assert condition_of(f"{name} > 0").measure.name == "quality.mass"


def test_no_two_measures_have_one_name() -> None:
    """Two measures that differ in dots and dashes alone, so that one cannot be named."""
    assert {condition_of(f"{name} >= 0").measure.name for name in MEASURES} == set(MEASURES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("disalowed == 0", "no measure 'disalowed' (did you mean disallowed"),
        ("top >= 0.4", "no measure 'top'"),
        ("pages = 0", "not of the form 'pages >= 900'"),
        ("pages =! 0", "not of the form"),
        ("pages >= many", "not of the form"),
        ("pages", "not of the form"),
        ("pages >= 1 or 1", "not of the form"),
        ("__import__('os') == 0", "not of the form"),
        ("pages >= 50%", "pages is no share"),
        ("coverage >= 40", "from 0 to 1"),
    ],
)
def test_what_a_condition_refuses(text: str, message: str) -> None:
    """A wrong condition that never falls, or code that is run."""
    with pytest.raises(CrawlError) as error:
        condition_of(text)
    assert message in str(error.value)


def test_bands() -> None:
    """A share taken for a number, a measure that another band hides, a default that is lost."""
    bands = bands_of({"default": "10%", "disallowed": 0, "quality-mass": 0.01, "wasted": "5"})
    assert bands.of("pages").around(-200) == 20
    assert bands.of("disallowed").around(1000) == 0
    assert bands.of("quality.mass").around(0.5) == 0.01
    assert bands.of("wasted").around(100) == 5
    assert {"wasted", "disallowed", "pages"} <= set(bands.compared())
    assert "duplicates" not in bands.compared()
    assert bands_of({}).of("pages") == USUAL
    assert bands_of(pairs_of(["3%", "bytes=7"])) == bands_of({"default": "3%", "bytes": 7.0})


@pytest.mark.parametrize("value", ["ten", "-1%", -1, float("nan"), True, "10%%", "inf"])
def test_bands_that_are_refused(value: float | str) -> None:
    """A band that is never left."""
    with pytest.raises(CrawlError, match="the band of pages is a number from 0 on"):
        bands_of({"pages": value})
    with pytest.raises(CrawlError, match="no measure 'page-rank'"):
        bands_of({"page-rank": "1%"})

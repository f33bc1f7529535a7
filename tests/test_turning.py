"""The order of modules in runs that cannot run all tests."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("begin", "order"),
    [("0", "aabc"), ("1", "bcaa"), ("2", "caab"), ("3", "aabc"), ("0xffffffb", "caab")],
)
def test_each_module_has_its_turn(pytester: pytest.Pytester, begin: str, order: str) -> None:
    """A module that is lost or divided, or a module without a chosen test that is counted."""
    pytester.makeini("[pytest]\nmarkers = slow")
    chosen = "import pytest\n@pytest.mark.slow\n@pytest.mark.parametrize('n', range({}))\n"
    for name, number in (("a", 2), ("b", 1), ("c", 1)):
        text = chosen.format(number) + f"def test_{name}(n): pass\n"
        pytester.makepyfile(**{f"test_{name}": text, f"test_{name}_quick": "def test(): pass"})
    result = pytester.runpytest(
        "-p", "tests.turning", "-m", "slow", "--collect-only", "-q", "--begin-with", begin
    )
    names = [line[5] for line in result.outlines if "::" in line]
    assert "".join(names) == order

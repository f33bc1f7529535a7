"""The access log of a synthetic web, and whether the order of a crawl is breadth first."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.models.loading import find_any, load
from counterpoint.models.logs.explaining import Explanation, explained
from counterpoint.models.logs.reading import lines_of, read_log
from counterpoint.sim_web import profile as profiles
from counterpoint.sim_web import record
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.server import AccessLog
from counterpoint.sim_web.world.site import SyntheticSite
from tests.sim_web.threaded import running

EXAMPLE = Path(__file__).parents[3] / "examples" / "breadth_first_log.py"
OWN = "tests.models.logs.policies:"
VISITS = 39
"""So many pages can be reached from the start page."""


def logged(policy: str, folder: Path) -> Path:
    """Crawl the web of the example, and return the access log of its server."""
    web, log = find_any(f"{EXAMPLE}:WEB"), folder / "access.jsonl"
    header = record.Header(profiles.to_mapping(web.profile), web.pages, web.seed, {}, False)
    with running(SyntheticSite(web), log=AccessLog(log, header)) as proxy:
        assert run(counterpoint, ["try", policy, "--start", address(web, 0), "--proxy", proxy]) == 0
    return log


def held_against(log: Path, order: str) -> Explanation:
    """Return whether the order of a log is breadth first."""
    model = load(f"{EXAMPLE}:Order", [f"order={order}"])
    with log.open("rb") as file:
        lines = read_log(model, lines_of(file), find_any(f"{EXAMPLE}:as_visit"))
    assert len(lines) == VISITS
    return explained(model, lines, ())


@pytest.mark.parametrize(
    ("policy", "first_found", "by_level"),
    [
        ("breadth-first", VISITS, VISITS),
        (f"{OWN}TakesLinksBackwards", 7, VISITS),
        (f"{OWN}JumpsTheQueue", 8, 8),
        ("random", 1, 4),
    ],
)
def test_the_log_of_a_crawl(
    policy: str, first_found: int, by_level: int, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """An order that is breadth first and refused, or one that is not and accepted."""
    log = logged(policy, tmp_path)
    capsys.readouterr()
    for order, expected in (("first-found", first_found), ("by-level", by_level)):
        found = held_against(log, order)
        assert found.explained == expected, (order, found.obstacle)
        assert (found.answer == "holds") == (expected == VISITS)
        if found.obstacle is not None:
            allowed = {step.binding[0] for step in found.obstacle.allowed}
            assert allowed and found.obstacle.line.steps[0].binding[0] not in allowed

"""Topical crawls over real documentation, evaluated with relevance judgments made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.crawler.evaluation.measures import evaluate
from counterpoint.crawler.evaluation.trec import read_qrels, read_run
from counterpoint.sim_web import profile
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.world.site import SyntheticSite
from tests.counterpoint.test_command_line import call
from tests.documentation import site_of
from tests.sim_web.threaded import running

QRELS = Path("studies/topical/judged/text-encoding.qrels").resolve()
GUIDE = Path("docs/how-to/search-for-a-topic.md").resolve()
QUERY = "unicode text encoding codec character set"
SITES = {"python.test": "python3-doc", "git.test": "git-doc"}
"""For each host, the Debian package whose pages it has."""
BUDGET = 60


def test_the_judgments_can_be_read() -> None:
    """A broken line, a page judged for another topic, or other numbers than the README states."""
    judged = read_qrels(QRELS)
    assert list(judged) == ["text-encoding"]
    grades = judged["text-encoding"]
    relevant = sum(grade > 0 for grade in grades.values())
    text = QRELS.with_name("README.md").read_text()
    assert f"{len(grades)} pages are judged, {relevant} of them relevant" in text
    assert f"of the {relevant} relevant ones" in GUIDE.read_text()
    assert set(grades.values()) == {0, 1, 2}
    assert {page.split("/")[2] for page in grades} == set(SITES)


@pytest.mark.long
def test_reading_finds_more_than_the_order_of_discovery(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A crawler that reads pages and does not find the topic; an index that cannot be judged."""
    mounts = {host: str(site_of(package).resolve()) for host, package in SITES.items()}
    found = {}
    with running(SyntheticSite(Web(profile.load("sample"), 2000, 0)), mounts) as proxy:
        for policy in ("breadth-first", "hits", "tfidf", "tfidf+hits"):
            path = tmp_path / f"{policy}.run"
            starts = [part for host in SITES for part in ("--start", f"http://{host}/")]
            code, _, errors = call(
                capsys, "try", policy, *starts, "--stay", "--pages", str(BUDGET), "--query",
                QUERY, "--proxy", proxy, "--run", str(path), "--topic", "text-encoding",
            )  # fmt: skip
            assert code == 0, errors
            returned = read_run(path)
            assert len(returned["text-encoding"]) <= BUDGET
            found[policy] = evaluate(returned, read_qrels(QRELS))["text-encoding"]
    print(
        {
            name: (one["num_rel_ret"], one["map"], one["P_10"], one["ndcg"])
            for name, one in found.items()
        }
    )
    assert found["tfidf"]["num_rel_ret"] > found["breadth-first"]["num_rel_ret"]
    assert found["tfidf"]["map"] > found["breadth-first"]["map"]
    assert found["tfidf+hits"]["map"] > found["hits"]["map"]

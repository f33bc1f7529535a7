"""``counterpoint web topics`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from counterpoint.crawler.evaluation.trec import read_qrels
from counterpoint.sim_web import profile
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.world import topics

from .test_command_line import call

SMALL = ("--profile", "local", "--pages", "600", "--seed", "2")


@pytest.fixture(scope="module")
def web() -> Web:
    """Return the web of the command."""
    return Web(profile.load("local"), 600, 2)


def test_topics_are_listed(web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    """A count of another topic or another web; an empty query."""
    code, out, err = call(capsys, "web", "topics", *SMALL)
    assert (code, err) == (0, "")
    rows = [line.split(None, 2) for line in out.splitlines()[1:]]
    assert [int(topic) for topic, _, _ in rows] == list(range(40))
    for topic, relevant, query in rows:
        assert int(relevant) == web.relevant_to(int(topic)).sum()
        assert query == topics.query(web, int(topic))


def test_judgments_are_the_planted_ones(
    web: Web, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A topic judged twice or not requested; a file that `evaluate` cannot read."""
    path = tmp_path / "local.qrels"
    wanted = ("--topic", "7", "--topic", "3", "--topic", "7")
    code, out, err = call(capsys, "web", "topics", *SMALL, *wanted, "--qrels", str(path),
                          "--format", "json")  # fmt: skip
    assert code == 0 and str(path) in err
    assert [one["topic"] for one in json.loads(out)] == [7, 3]
    assert read_qrels(path) == {
        str(topic): {address(web, int(page)): 1 for page in np.flatnonzero(web.relevant_to(topic))}
        for topic in (7, 3)
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--profile", "lokal"), "there is no profile 'lokal'"),
        (("--profile", "universities"), "the web has no topics"),
        ((*SMALL, "--topic", "40"), "topic 40: local has topics 0 to 39"),
        ((*SMALL, "--topic", "-1"), "topic -1: local has topics 0 to 39"),
        ((*SMALL, "--qrels", "/nowhere/a.qrels"), "--qrels: there is no folder /nowhere"),
        (("--profile", "local", "--pages", "3"), "3 pages: a web has from 20"),
        (("--profile", "local", "--pages", "100000000000"), "too many to be measured here"),
        ((), "Missing option '--profile'"),
    ],
)
def test_errors(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A traceback, an error without its reason, or a part of a table."""
    code, out, err = call(capsys, "web", "topics", *arguments)
    assert (code, out) == (2, "")
    assert message in err and err.count("\n") == 1


def test_topics_of_articles_have_names(capsys: pytest.CaptureFixture[str]) -> None:
    """Topics that a profile names, and that are listed as numbers."""
    wanted = ("web", "topics", "--profile", "editions", "--pages", "2000", "--topic", "1",
              "--topic", "2")  # fmt: skip
    code, out, _ = call(capsys, *wanted)
    assert code == 0
    head, one, two = out.splitlines()
    assert head.split() == ["topic", "relevant", "name", "query"]
    assert one.split()[2] == "quantum-computer" and one.index("quantum") == head.index("name")
    assert one[head.index("query") - 1] == two[head.index("query") - 1] == " "
    _, out, _ = call(capsys, *wanted, "--format", "json")
    assert [found.get("name") for found in json.loads(out)] == ["quantum-computer", None]

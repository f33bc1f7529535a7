"""``counterpoint graph bowtie|wcc|scc|bfs|distances|degrees|rank``, as a user types them."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterpoint.commands.graph.degrees import tail_shares
from counterpoint.console import run
from counterpoint.graph.csr import both, csr
from counterpoint.graph.ranking.pagerank import pagerank
from counterpoint.main import counterpoint
from counterpoint.sim_web import profile
from counterpoint.sim_web.generator import Explicit, Web

PAGES = 3000


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set a width of 80 columns for every test."""
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(scope="module")
def web() -> Web:
    """Return a web whose bow-tie is planted."""
    return Web(profile.load("broder-1999"), PAGES, 3)


@pytest.fixture(scope="module")
def links(web: Web, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the file of the links of the web."""
    path = tmp_path_factory.mktemp("graph") / "web.npz"
    web.explicit().save(path)
    return str(path)


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run a command in this process; return its exit code and its output."""
    code = run(counterpoint, ["graph", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Return the JSON of a command."""
    code, out, _ = call(capsys, *arguments, "--format", "json")
    assert code == 0
    return json.loads(out)


def test_the_bowtie_is_the_planted_one(
    capsys: pytest.CaptureFixture[str], web: Web, links: str, tmp_path: Path
) -> None:
    """Shares of other components; an array or a picture of another graph."""
    picture, array = tmp_path / "bowtie.svg", tmp_path / "bowtie.npy"
    found = report(capsys, "bowtie", links, "--picture", str(picture), "--save", str(array))
    planted = web.components()
    assert list(found["counts"].values()) == np.bincount(planted, minlength=6).tolist()
    assert sum(found["shares"].values()) == pytest.approx(1)
    assert (np.load(array) == planted).all()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bowtie.npy", "bowtie.svg"]
    text = " ".join(ET.parse(picture).getroot().itertext())
    assert "SCC" in text and f"{found['shares']['scc']:.1%}" in text and "3,000 pages" in text
    code, out, err = call(capsys, "bowtie", links)
    assert (code, err) == (0, "")
    lines = {line.split()[0]: line.split()[1] for line in out.splitlines()[1:7]}
    assert lines == {name.upper(): f"{n:,}" for name, n in found["counts"].items()}


def test_components_and_levels(
    capsys: pytest.CaptureFixture[str], links: str, tmp_path: Path
) -> None:
    """Sizes whose sum is not the number of pages; levels in the wrong direction."""
    for kind in ("wcc", "scc"):
        array = tmp_path / "labels.npy"
        found = report(capsys, kind, links, "--save", str(array), "--force")
        assert sum(size * number for size, number in found["sizes"]) == PAGES
        assert sum(number for _, number in found["sizes"]) == found["components"]
        assert int(np.load(array).max()) + 1 == found["components"]
        code, out, _ = call(capsys, kind, links)
        assert code == 0 and f"{found['components']:,}" in out
    forward = report(capsys, "bfs", links, "--start", "0")
    backward = report(capsys, "bfs", links, "--start", "0", "--direction", "backward")
    either = report(
        capsys, "bfs", links, "--start", "0", "--start", "7", "--direction", "undirected"
    )
    assert forward["levels"][0] == 1 and either["levels"][0] == 2
    assert forward["reached"] == sum(forward["levels"]) != backward["reached"]
    assert either["reached"] > max(forward["reached"], backward["reached"])
    code, out, _ = call(capsys, "bfs", links, "--start", "0")
    assert code == 0 and out.startswith(f"{forward['reached']:,} of 3,000 pages are reached")


def test_distances_have_intervals(capsys: pytest.CaptureFixture[str], links: str) -> None:
    """A figure outside its interval; an unused seed; an exact figure with an interval."""
    found = report(capsys, "distances", links, "--sources", "100")
    for direction in ("directed", "undirected"):
        low, high = found[direction]["interval"]
        assert low < found[direction]["mean"] < high
    assert found["directed"]["mean"] > found["undirected"]["mean"]
    assert report(capsys, "distances", links, "--sources", "100") == found
    assert report(capsys, "distances", links, "--sources", "100", "--seed", "1") != found
    exact = report(capsys, "distances", links, "--sources", "3000")["directed"]
    assert exact["interval"] == [exact["mean"], exact["mean"]]
    code, out, _ = call(capsys, "distances", links, "--sources", "100")
    assert code == 0 and f"{found['directed']['mean']:.3f}" in out


def test_degrees(capsys: pytest.CaptureFixture[str], links: str, tmp_path: Path) -> None:
    """Degrees whose sum is not the number of links; a picture without the fitted law."""
    picture = tmp_path / "degrees.svg"
    found = report(capsys, "degrees", links, "--picture", str(picture), "--resamples", "5")
    for kind in ("in_degrees", "out_degrees"):
        held = found[kind]
        assert (
            sum(d * n for d, n in zip(held["degrees"], held["pages"], strict=True))
            == (found["links"])
        )
        assert held["mean"] == pytest.approx(found["links"] / PAGES)
    law = found["out_degrees"]["tail"]
    low, high = law["interval"]
    assert law["exponent"] - 0.3 < low < high < law["exponent"] + 0.3
    assert f"k^-{law['exponent']:.2f}" in " ".join(ET.parse(picture).getroot().itertext())
    code, out, _ = call(capsys, "degrees", links)
    assert code == 0 and f"{law['exponent']:.3f}" in out and "maximum likelihood" in out


def test_the_points_of_the_degree_plot() -> None:
    """Shares of pages with more links, instead of at least as many."""
    degrees, share = tail_shares(np.array([0, 1, 3]), np.array([5, 3, 2]))
    assert degrees.tolist() == [1, 3]
    assert share.tolist() == [0.5, 0.2]


def test_ranks(capsys: pytest.CaptureFixture[str], links: str, tmp_path: Path) -> None:
    """Weights of other pages; a residual or a rule that is not printed."""
    with np.load(links) as held:
        graph = both(csr(held["offsets"], held["targets"]))
    scores = pagerank(graph).scores
    array = tmp_path / "scores.npy"
    found = report(capsys, "rank", links, "--top", "5", "--save", str(array))
    assert np.load(array) == pytest.approx(scores)
    assert [one["page"] for one in found["top"]] == np.argsort(-scores, kind="stable")[:5].tolist()
    assert found["converged"] and found["residual"] <= 1e-9 < found["bound"]
    assert found["settled"] <= found["iterations"]
    assert 0 <= found["certain"]["ranks"] <= found["certain"]["members"] <= 5
    in_blocks = report(capsys, "rank", links, "--top", "5", "--block", "700")
    assert [one["page"] for one in in_blocks["top"]] == [one["page"] for one in found["top"]]
    average = report(capsys, "rank", links, "--block", "700", "--outside", "average")
    assert average["bound"] is None and average["converged"]
    for kind in ("hubs", "authorities", "in-links"):
        one = report(capsys, "rank", links, "--by", kind, "--perturb", "2")
        assert len(one["perturbed"]["runs"]) == 2
        assert one["top"] != found["top"]
    code, out, _ = call(capsys, "rank", links, "--perturb", "1", "--iterations", "3")
    assert code == 0
    assert "is NOT small enough" in out and "without 10% of the links" in " ".join(out.split())


def test_ranks_of_a_base_set(
    capsys: pytest.CaptureFixture[str], links: str, tmp_path: Path
) -> None:
    """Pages outside the base set, too many pages that link to a root, other weights."""
    with np.load(links) as held:
        graph = csr(held["offsets"], held["targets"])
    matrix = np.zeros((PAGES, PAGES))
    for page in range(PAGES):
        matrix[page, graph.targets[graph.offsets[page] : graph.offsets[page + 1]]] = 1
    roots = np.argsort(-matrix.sum(axis=0), kind="stable")[[0, 5]].tolist()
    array = tmp_path / "weights.npy"
    for into, given in ((3, ["--into", "3"]), (0, ["--into", "0"]), (50, [])):
        near = [np.flatnonzero(matrix[:, root])[:into].tolist() for root in roots]
        led = [np.flatnonzero(matrix[root]).tolist() for root in roots]
        base = sorted(set(roots).union(*near, *led))
        found = report(capsys, "rank", links, "--by", "authorities", "--top", "3000", "--save",
                     str(array), *(text for root in roots for text in ("--root", str(root))),
                     *given, "--force")  # fmt: skip
        assert found["base"] == len(base)
        own = matrix[np.ix_(base, base)]
        weights = np.zeros(PAGES)
        weights[base] = 1.0
        for _ in range(found["iterations"]):
            weights[base] = own.T @ (own @ weights[base])
            weights /= weights.sum()
        assert np.load(array) == pytest.approx(weights, abs=1e-6)
        listed = [one["page"] for one in found["top"]]
        assert listed and set(listed) == set(np.flatnonzero(np.load(array)).tolist()) <= set(base)
    code, out, _ = call(capsys, "rank", links, "--by", "hubs", "--root", str(roots[0]))
    assert code == 0 and "the base set has" in out


def test_a_store_packed_and_expanded(
    capsys: pytest.CaptureFixture[str], web: Web, tmp_path: Path
) -> None:
    """Packed links that are followed differently; an address of another page."""
    store = str(tmp_path / "web.graph")
    built = call(
        capsys, "build", "--web", "broder-1999", "--pages", str(PAGES), "--seed", "3", store
    )
    assert built[0] == 0
    for held in ("packed", "expanded", "auto"):
        found = report(capsys, "bowtie", store, "--held", held)
        assert list(found["counts"].values()) == (
            np.bincount(web.components(), minlength=6).tolist()
        )
    one, other = (
        report(capsys, "rank", store, "--top", "3", "--held", held)
        for held in ("packed", "expanded")
    )
    assert one["residual"] == pytest.approx(other["residual"], rel=1e-6)
    first = one["top"][0]
    assert [page["address"] for page in one["top"]] == [page["address"] for page in other["top"]]
    by_number = report(capsys, "bfs", store, "--start", str(first["page"]), "--held", "packed")
    assert report(capsys, "bfs", store, "--start", first["address"]) == by_number
    code, out, err = call(capsys, "bfs", store, "--start", "http://nobody.test/")
    assert (code, out) == (2, "") and "no page has this address" in err


def test_a_wrong_command_gets_one_line(
    capsys: pytest.CaptureFixture[str], links: str, tmp_path: Path
) -> None:
    """A traceback, or long work before a wrong option is refused."""
    torn, foreign = tmp_path / "torn.npz", tmp_path / "foreign.graph"
    torn.write_bytes(Path(links).read_bytes()[:500])
    foreign.write_text("no store")
    broken = tmp_path / "broken.npz"
    Explicit(np.array([0, 1]), np.array([5])).save(broken)
    for arguments, message in (
        (("bowtie", str(tmp_path / "none.npz")), "none.npz"),
        (("bowtie", str(tmp_path / "none.graph")), "none.graph"),
        (("bowtie", str(torn)), "is not a saved web"),
        (("bowtie", str(foreign)), "foreign.graph"),
        (("bowtie", str(broken)), "an id is out of range"),
        (("bowtie", links, "--picture", "x.gif"), "ends neither"),
        (("bowtie", links, "--save", str(tmp_path / "no" / "x.npy")), "there is no folder"),
        (("bfs", links, "--start", "3000"), "there is no page 3,000"),
        (("bfs", links, "--start", "http://a.example/"), "numbers only"),
        (("bfs", links), "--start"),
        (("rank", links, "--damping", "1"), "damping"),
        (("rank", links, "--tolerance", "nan"), "tolerance"),
        (("rank", links, "--by", "hubs", "--block", "5"), "need --by pagerank"),
        (("rank", links, "--outside", "average"), "--block"),
        (("rank", links, "--root", "5"), "--root needs --by hubs"),
        (("rank", links, "--by", "hubs", "--into", "5"), "--into needs --root"),
        (("rank", links, "--by", "hubs", "--root", "3000"), "there is no page 3000"),
        (("rank", links, "--by", "hubs", "--root", "9" * 50), "there is no page 999"),
    ):
        code, out, err = call(capsys, *arguments)
        assert (code, out) == (2, ""), arguments
        assert message in err and err.count("\n") == 1 and "Traceback" not in err

"""Profiles that are fitted to captures of synthetic webs are near the planted ones."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.sim_web import profile
from counterpoint.sim_web.generator import Web
from counterpoint.studies.fitting.distance import compared
from counterpoint.studies.fitting.fit import Fit, _setting, fitted
from counterpoint.studies.fitting.measuring.measures import Measures, measured
from counterpoint.studies.fitting.searching import Answer, Sought, generated
from counterpoint.studies.fitting.writing import to_toml
from tests.crawler.archives.standard import written
from tests.studies.captured.webs import answer, links

from .planted import capture, web

PAGES = 1_000


@pytest.fixture(scope="module")
def planted() -> Web:
    """A web of which all pages are captured once."""
    return web(PAGES)


@pytest.fixture(scope="module")
def found(planted: Web, tmp_path_factory: pytest.TempPathFactory) -> Measures:
    """What is measured in the capture of the web."""
    return measured(capture(tmp_path_factory.mktemp("capture"), planted))


@pytest.fixture(scope="module")
def made(found: Measures) -> Fit:
    """The profile that is fitted to the capture."""
    return fitted(found, "again", seed=90)


@pytest.mark.long
def test_counts_are_exact(planted: Web, made: Fit) -> None:
    """Catches a count that is rounded, or a key that is set from another measure."""
    again, first = made.profile, planted.profile
    assert again.pages == PAGES
    assert again.shares.all() == pytest.approx(first.shares.all(), abs=0.001)
    assert again.hosts.mean_pages == pytest.approx(PAGES / planted.hosts, rel=1e-5)
    assert again.hosts.navigation == first.hosts.navigation
    there = generated(first, PAGES, planted.seed)
    assert again.degrees.mean == pytest.approx(there.mean_degree, rel=1e-5)
    assert again.degrees.orphans == pytest.approx(there.orphans[0] / there.orphans[1], rel=1e-5)


@pytest.mark.long
def test_fitted_values_are_near_the_planted_ones(planted: Web, made: Fit) -> None:
    """Catches a search that looks at another measure, or stops at an end of its range."""
    again, first = made.profile, planted.profile
    assert again.hosts.exponent == pytest.approx(first.hosts.exponent, abs=0.02)
    assert again.hosts.branching == pytest.approx(first.hosts.branching, rel=0.25)
    assert again.degrees.out_exponent == pytest.approx(first.degrees.out_exponent, abs=0.35)
    assert again.degrees.internal == pytest.approx(first.degrees.internal, abs=0.12)
    assert again.degrees.multiplicity == pytest.approx(first.degrees.multiplicity, abs=0.05)
    assert again.degrees.orphans == pytest.approx(first.degrees.orphans, abs=0.04)
    assert again.style.text_bytes == pytest.approx(first.style.text_bytes, rel=0.12)
    for key in ("base", "relative", "canonical", "nofollow"):
        planted_share, share = getattr(first.style, key), getattr(again.style, key)
        assert share == pytest.approx(planted_share, abs=0.05), key
    for key in ("redirect", "redirect_chain", "redirect_loop", "not_found", "gone"):
        planted_share, share = getattr(first.faults, key), getattr(again.faults, key)
        assert share == pytest.approx(planted_share, abs=4 * (planted_share / PAGES) ** 0.5), key


@pytest.mark.long
def test_the_toml_is_the_fitted_profile(made: Fit) -> None:
    """Catches a value that is written so that it is read as another, and keys without a reason."""
    text = to_toml(made, 'a "source"\nof two lines')
    again = profile.read(text, "mine.toml", "again")
    assert profile.to_mapping(again) | {"about": "", "source": ""} == profile.to_mapping(
        made.profile
    ) | {"about": "", "source": ""}
    Web.check(again)
    for line in text.splitlines():
        if " = " in line and not line.startswith(("about", "source")):
            assert len(line.partition("  # ")[2]) > 5, line


@pytest.mark.long
def test_another_seed_of_the_profile_is_near_the_capture(found: Measures, made: Fit) -> None:
    """Catches measures of the two webs that are not made in the same way."""
    rows = {row.name: row for row in compared(found, made, seed=91)}
    assert {row.fitted for row in rows.values()} == {True, False}
    for name in ("SCC", "IN", "OUT", "TENDRILS", "TUBES", "DISCONNECTED"):
        assert rows[name].difference == pytest.approx(0, abs=0.001)
    for name, most in (
        ("within a host", 0.05), ("links of a page", 0.8), ("mean level in hosts", 0.2),
        ("relative links", 0.05), ("nofollow links", 0.03), ("directed", 1.0),
        ("answered by a link back", 0.08), ("pages without in-links", 0.03),
    ):  # fmt: skip
        difference = rows[name].difference
        assert difference is not None and abs(difference) < most, rows[name]
    assert not rows["answered by a link back"].fitted
    assert rows["links of a page"].fitted


@pytest.mark.long
def test_changes_between_captures(tmp_path: Path) -> None:
    """Catches captures of one address that are compared in the wrong order, or not at all."""
    text = "[change]\nstatic = 0.4\nper_day = 0.5\nspread = 0.5\n[style]\naliases = 0\nframes = 0\n"
    days = [0, 1, 2, 4, 6, 9, 13, 17]
    source = capture(tmp_path, web(300, 3, text), [day * 86_400.0 for day in days])
    one = measured(source)
    assert len(one.contents.seen) == 300
    assert {len(page.days) for page in one.contents.seen} == {len(days) - 1}
    law = fitted(one, "x", 1).profile.change
    assert law.static == pytest.approx(0.4, abs=0.12)
    assert law.per_day == pytest.approx(0.5, rel=0.4)


def test_a_value_that_does_not_matter_stays_at_its_default() -> None:
    """Catches a value that is called measured, though every other one fits as well."""
    sought = Sought("degrees", "in_exponent", (2.01, 5.0), "top_in", "links to the top")
    free = _setting(sought, Answer(3.0, 0.1, 2.01, 5.0, reached=True), 0.1)
    assert (free.value, free.fitted) == (2.09, False)
    some = _setting(sought, Answer(3.0, 0.1, 2.5, 3.5, reached=True), 0.1)
    assert (some.value, some.fitted) == (3.0, True)
    assert some.rests_on.endswith("; 2.5 to 3.5 fit as well")
    none = _setting(sought, Answer(5.0, 0.2, 5.0, 5.0, reached=False), 0.1)
    assert none.rests_on.endswith("; no value comes nearer")


def _one_host(folder: Path) -> Path:
    """Write a capture of one host on which all pages reach each other."""
    pages = [f"/p{k}" for k in range(30)]
    records = [answer(1, "http://a.test/", links(*pages))]
    records += [answer(2, f"http://a.test{page}", links("/", pages[k - 1]) + "<p>the text of it")
                for k, page in enumerate(pages)]  # fmt: skip
    return written(folder / "one.warc.gz", records, "gzip")


@pytest.mark.long
def test_one_host(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches a division by the links between hosts, or an exponent of the sizes of one host."""
    path = _one_host(tmp_path)
    out = tmp_path / "mine.toml"
    assert run(counterpoint, ["web", "fit", str(path), "--out", str(out), "--report"]) == 0
    shown = capsys.readouterr().out
    assert all(len(line) <= 80 for line in shown.splitlines())
    text = out.read_text()
    assert "exponent = 0.917  # default; not measurable: 1 host\n" in text
    assert "internal = 1  # counted: no link leads to another host\n" in text
    one = tomllib.loads(text)
    assert one["pages"] == 31 and one["hosts"]["mean_pages"] == 31
    assert one["shares"]["scc"] == 1
    Web.check(profile.load(str(out)))


@pytest.mark.long
def test_json_has_keys_and_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches JSON whose profile is not the one of the TOML, or rows without a difference."""
    _one_host(tmp_path)
    path = tmp_path / "captured.toml"
    path.write_text('[captured]\nfiles = ["one.warc.gz"]\nindex = "indexes"\n')
    (tmp_path / "indexes").mkdir()
    command = ["web", "fit", str(path), "--format", "json", "--report", "--seed", "4"]
    assert run(counterpoint, command) == 0
    assert list((tmp_path / "indexes").iterdir())
    shown = json.loads(capsys.readouterr().out)
    assert shown["pages"] == 31 and shown["hosts"] == 1 and shown["seed"] == 4
    again = profile.read(shown["profile"], "json", "x")
    keys = {(one["section"], one["key"]): one for one in shown["keys"]}
    assert keys["degrees", "mean"]["value"] == again.degrees.mean
    assert keys["change", "static"]["fitted"] is False
    for row in shown["compared"]:
        if row["captured"] is not None and row["synthetic"] is not None:
            assert row["difference"] == row["synthetic"] - row["captured"]


@pytest.mark.parametrize("contents", [b"", b"<html>no archive</html>"])
def test_files_that_are_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], contents: bytes
) -> None:
    """Catches a traceback for an empty file, or one of another kind."""
    path = tmp_path / "x.warc"
    path.write_bytes(contents)
    assert run(counterpoint, ["web", "fit", str(path)]) == 2
    shown = capsys.readouterr()
    assert not shown.out and len(shown.err.strip().splitlines()) == 1
    assert str(path) in shown.err


def test_other_errors_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches a traceback for an empty folder, TOML of something else, a graph, and few pages."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "other.toml").write_text("pages = 100\n")
    (tmp_path / "graph.toml").write_text("[captured]\ngraph = 'x.graph'\n")
    few = written(tmp_path / "few.warc", [answer(1, "http://a.test/", links("/x"))], "plain")
    none = written(tmp_path / "none.warc", [answer(1, "http://a.test/", "", "404 Not Found")],
                   "plain")  # fmt: skip
    star = [answer(1, f"http://a.test/{k}", links("/0")) for k in range(30)]
    written(tmp_path / "star.warc", star, "plain")
    for names, message in (
        (["star.warc"], "no 3 captured pages reach each other by links"),
        (["empty"], "has no WARC files"),
        (["other.toml"], "has no table [captured]"),
        (["other.toml", "few.warc"], "give it alone"),
        (["graph.toml"], "names a graph; web fit needs WARC files"),
        ([few.name], "has 1 HTML page with status 200"),
        ([none.name], "no HTML page was captured"),
    ):
        assert run(counterpoint, ["web", "fit", *(str(tmp_path / name) for name in names)]) == 2
        shown = capsys.readouterr()
        assert message in shown.err and len(shown.err.strip().splitlines()) == 1, shown.err
        assert not shown.out


@pytest.mark.long
def test_a_damaged_file_is_used_as_far_as_it_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Catches a fit that loses the whole file for one record, or does not say that it is cut."""
    path = _one_host(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    out = tmp_path / "mine.toml"
    assert run(counterpoint, ["web", "fit", str(path), "--out", str(out)]) == 0
    assert 29 <= tomllib.loads(out.read_text())["pages"] <= 31
    assert f"counterpoint: {path}: at byte " in capsys.readouterr().err

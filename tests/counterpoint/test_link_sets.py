"""``counterpoint links companions`` and ``links placement`` as a user types them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from sqlalchemy import update

from counterpoint.commands.crawls import link_pictures
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.schema import pages
from tests.crawler.store.test_link_sets import PLANTED, plant

from .test_command_line import call


@pytest.fixture
def stored(place: str) -> str:
    """Plant a store."""
    with open_store(place, create=True) as store:
        plant(store, PLANTED)
    return place


def test_companions(stored: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A part, a component or a companion that is left out, in one of the formats."""
    command = ("links", "companions", "--db", stored)
    code, out, err = call(capsys, *command)
    assert (code, err) == (0, "")
    assert out.startswith("4 target sites, 4 companions with 7 links; 1 link within the target set")
    assert "  2 target sites (1, 2), 2 companions" in out
    found = json.loads(call(capsys, *command, "--format", "json", "--top", "1")[1])
    assert found["parts"][0] == {"target_sites": 2, "companions": 2, "links": 5}
    assert found["strongest"] == [{"name": "lib.test", "target_sites": [1, 2], "links": 3}]
    assert found["links_within"] == [{"from": 1, "to": "s2.test", "links": 1}]
    rows = list(csv.reader(io.StringIO(call(capsys, *command, "--format", "csv")[1])))
    assert rows[:2] == [["host", "target_sites", "links", "from"], ["lib.test", "2", "3", "1 2"]]
    assert len(rows) == 5
    by_domain = call(capsys, *command, "--by", "domain", "--format", "csv")[1].splitlines()
    assert by_domain[:2] == ["domain,target_sites,links,from", "lib.test,3,4,1 2 3"]


def test_placement(stored: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A site, a level or a tenth that is left out, in one of the formats."""
    command = ("links", "placement", "--db", stored)
    code, out, err = call(capsys, *command)
    assert (code, err) == (0, "")
    assert "1 http://s1.test/\n  3 pages, 2 with external links (66.7%), 4 links" in out
    assert "all sites\n  10 pages, 6 with external links (60.0%), 8 links" in out
    found = json.loads(call(capsys, *command, "--format", "json")[1])
    assert [one["site"] for one in found] == [1, 2, 3, 4, None]
    assert found[0]["levels"][0] == {"level": 0, "pages": 1, "with_links": 1, "links": 3}
    assert len(found[0]["tenths"]) == 10
    rows = list(csv.DictReader(io.StringIO(call(capsys, *command, "--format", "csv")[1])))
    assert rows[0]["links"] == "4" and rows[0]["on_1_percent"] == "0.7500"
    assert [row["value"] for row in rows if row["by"] == "level"][:3] == ["0", "1", "2"]


def test_one_page_with_one_link(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One page that is "1 pages"."""
    with open_store(place, create=True) as store:
        plant(store, {1: [["a.test"]]})
    out = call(capsys, "links", "placement", "--db", place)[1]
    assert "  1 page, 1 with external links (100.0%), 1 link\n" in out


def test_a_site_without_end_has_few_rows(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A row for each of thousands of levels, as a calendar has them; pages that no row counts."""
    with open_store(place, create=True) as store:
        plant(store, {1: [["a.test"]] * 400})
        with store.transaction() as connection:
            connection.execute(update(pages).values(level=pages.c.id))
    _, out, _ = call(capsys, "links", "placement", "--db", place)
    assert len(out.splitlines()) < 45
    (last,) = [line.split() for line in out.splitlines() if "30 and deeper" in line]
    assert last[3] == "370"
    _, out, _ = call(capsys, "links", "placement", "--db", place, "--format", "csv")
    assert "level,30 and deeper,370," in out
    _, out, _ = call(capsys, "links", "placement", "--db", place, "--format", "json")
    levels = json.loads(out)[0]["levels"]
    assert sum(one["pages"] for one in levels) == 400 and levels[-1]["level"] == 30


@pytest.mark.parametrize("command", ["companions", "placement"])
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_pictures(
    command: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A picture that is empty, differs from run to run, or fails for a store without links."""
    for name, sites in (("full", PLANTED), ("poor", {1: [["a.test"]]})):
        with open_store(f"{tmp_path}/{name}.db", create=True) as store:
            plant(store, sites)
    open_store(f"{tmp_path}/empty.db", create=True).close()
    written = []
    for number, store_name in enumerate(("full", "full", "poor", "empty")):
        picture = tmp_path / f"{number}.{kind}"
        arguments = ("--db", f"{tmp_path}/{store_name}.db", "--picture", str(picture))
        assert call(capsys, "links", command, *arguments)[0] == 0
        written.append(picture.read_bytes())
    assert written[0] == written[1]
    assert all(len(one) > 2000 for one in written)
    if kind == "svg":
        assert b"all sites" in written[0] or b"lib.test" in written[0]


def test_a_site_without_links_to_the_shown_companions_has_no_row(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blank rows in the picture, in place of sites that have links."""
    with open_store(place, create=True) as store:
        plant(store, {1: [["x.test"]], 2: [["x.test"]], 3: [["y.test"]]})
    monkeypatch.setattr(link_pictures, "MOST_COLUMNS", 1)
    picture = tmp_path / "a.svg"
    assert call(capsys, "links", "companions", "--db", place, "--picture", str(picture))[0] == 0
    drawn = picture.read_text()
    assert "s1.test" in drawn and "s2.test" in drawn and "s3.test" not in drawn


@pytest.mark.parametrize("command", ["companions", "placement"])
def test_wrong_commands(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A store that is made or lost, a traceback, or an option without effect."""
    missing, path = tmp_path / "none.db", tmp_path / "a.svg"
    open_store(str(path), create=True).close()
    before = path.read_bytes()
    for arguments, message in (
        (("--db", str(missing)), f"{missing}: there is no such file"),
        ((), "Missing option '--db'"),
        (("--db", str(path), "--picture", "x.gif"), "--picture: x.gif ends neither in .png nor"),
        (("--db", str(path), "--picture", str(path)), f"--picture: {path} is the store itself"),
        (("--db", str(path), "--picture", "/nowhere/x.svg"), "--picture: there is no folder"),
        (("--db", str(path), "--format", "xml"), "Invalid value for '--format'"),
    ):
        code, out, err = call(capsys, "links", command, *arguments)
        assert (code, out) == (2, "")
        assert err.startswith(f"counterpoint: {message}") and err.count("\n") == 1
    kinds = "--internal, --external or --bad"
    for text, said in (("--db x", "--db"), ("--bad", kinds), ("--external", kinds),
                       ("--filter site=1", "--filter"), ("--sort found", "--sort"),
                       ("--descending", "--descending"), ("--limit 1", "--limit"),
                       ("--format csv", "--format"), ("--out x", "--out")):  # fmt: skip
        code, out, err = call(capsys, "links", *text.split(), command, "--db", str(path))
        assert (code, out) == (2, "")
        assert f"{said}: the options of {command} stand after it" in err
    assert path.read_bytes() == before and not missing.exists()

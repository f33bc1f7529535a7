"""The reference pages are complete and show the true defaults."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

import counterpoint
from counterpoint import crawler, testing
from counterpoint.console import FELL, INTERRUPTED, OK, UNKNOWN, WRONG
from counterpoint.crawler.archives.cdxj import Capture, line_of
from counterpoint.crawler.archives.warc_bytes import Place
from counterpoint.histories import recording
from counterpoint.main import COMMANDS
from counterpoint.sim_web.profile import _SECTIONS, Profile
from counterpoint.sim_web.sections import Site

from .blocks import read_page
from .running import ROOT, run_page

REFERENCE = ROOT / "docs" / "reference"


def sections_of(page: Path) -> dict[str, list[list[str]]]:
    """Return the rows of the tables of a page, by the heading above them, in order."""
    found: dict[str, list[list[str]]] = {}
    heading = ""
    for line in page.read_text().splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ").strip("`")
        elif line.startswith("| `"):
            found.setdefault(heading, []).append([cell.strip() for cell in line.split("|")[1:-1]])
    return found


def as_number(text: str) -> float:
    """Return a number as the tables write it."""
    return float(text.replace(",", ""))


def test_keys_of_profiles() -> None:
    """A key of a profile that the page leaves out, or a default or a range that has changed."""
    tables = sections_of(REFERENCE / "profile-keys.md")
    top = tables.pop("At the top of the file")
    kinds = {f"[{name}]": kind for name, kind in _SECTIONS.items()} | {"[[sites]]": Site}
    plain = [one.name for one in fields(Profile) if one.name not in (*_SECTIONS, "sites")]
    assert [row[0] for row in top] == [f"`{name}`" for name in plain]
    assert list(tables) == list(kinds)
    for heading, rows in tables.items():
        declared = {f"`{one.name.rstrip('_')}`": one for one in fields(kinds[heading])}
        assert [row[0] for row in rows] == list(declared), heading
        for key, default, span, meaning in rows:
            assert meaning
            if one := declared[key].metadata:
                least, _, most = span.partition(" to ")
                shown = [as_number(cell) for cell in (default, least, most)]
                assert shown == [declared[key].default, one["least"], one["most"]], (heading, key)


def documented(page: str) -> list[str]:
    """Return the Python names that a page of the reference describes."""
    return re.findall(r"^::: (\S+)$", (REFERENCE / page).read_text(), re.MULTILINE)


def test_names_of_the_python_interface() -> None:
    """A public name that the reference leaves out, or one that is no longer public."""
    names = documented("python.md")
    specs = [name for name in names if name.count(".") == 1]
    tests = [name for name in names if name.startswith("counterpoint.testing.")]
    memories = [name for name in names if name.startswith("counterpoint.histories.recording.")]
    policies = documented("policy-interface.md")
    assert sorted(specs) == [f"counterpoint.{name}" for name in sorted(counterpoint.__all__)]
    assert sorted(tests) == [f"counterpoint.testing.{name}" for name in sorted(testing.__all__)]
    public = [f"counterpoint.histories.recording.{name}" for name in recording.__all__]
    assert sorted(memories) == sorted(public)
    assert sorted(policies) == [f"counterpoint.crawler.{name}" for name in sorted(crawler.__all__)]


def test_fields_of_the_policy_interface() -> None:
    """A field that the tables of the page leave out, for readers of the checkout."""
    tables = sections_of(REFERENCE / "policy-interface.md")
    shown = {heading.partition("`")[0]: [row[0].strip("`") for row in rows]
             for heading, rows in tables.items()}  # fmt: skip
    assert shown["Setting"] == [one.name for one in fields(crawler.Setting)]
    assert shown["Outcome"] == list(crawler.Outcome._fields)


def test_exit_codes() -> None:
    """An exit code that the page leaves out, or a command that no longer exists."""
    tables = sections_of(REFERENCE / "exit-codes.md")
    text = (REFERENCE / "exit-codes.md").read_text()
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}
    assert codes == {OK, FELL, WRONG, UNKNOWN, INTERRUPTED}
    named = re.findall(r"`([a-z]+)[^`]*`", " ".join(row[0] for row in tables["Exit codes"]))
    assert set(named) <= set(COMMANDS)


VARIABLE = re.compile(
    r"^((?:\[\]\.)?parameters|(?:.*\.)?trace\[\]\.(?:parameters|changes)|initial"
    r"|expected|observed|shares\.\w+|policies\[\]\.(?:measures|curves|sites|why|digests)|distance(?=\.\w+\.)|components"
    r"|quality\.top|outcomes\.counts|keys\[\]\.value)\.[^\n]*?"
    r"(?=\.(?:from|to|mean|interval|values|against\b.*"
    r"|connected|connected_interval|greatest|sources|source|source_at_this_size|fetched|pages"
    r"|share|unknown)$|$)"
)


def keys_of(value: object, place: str = "") -> Iterator[str]:
    """Yield the keys of a JSON value that lead to no further object, as the page writes them."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from keys_of(inner, f"{place}.{key}" if place else key)
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        for one in value:
            yield from keys_of(one, f"{place}[]" if place else "")
    elif value != {}:
        yield VARIABLE.sub(r"\1.*", place)


NO_DOCUMENTS = {"gate", "Indexes of WARC files"}
"""Sections of which no command of the page prints a document."""
OPTIONAL = {"check": {"initial.*", "loop", "trace"}}
"""Keys that the documents of the page do not have, and others of the same command do."""
ALSO = {"check --mutants": "check", "search": "check", "compare --beside": "compare"}
"""Sections whose documents also have the keys of another section."""


@pytest.mark.long
def test_keys_of_json(tmp_path: Path) -> None:
    """A key that a command prints and the page leaves out, or one that is no longer printed."""
    path = REFERENCE / "json-formats.md"
    run_page(path.name, read_page(path.read_text()), tmp_path, database=str)
    tables = {name: {row[0].strip("`") for row in rows} for name, rows in sections_of(path).items()}
    printed = {"check": ["violated", "check"], "check --mutants": ["mutants"],
               "drive --explore": ["explore"], "compare": ["compare", "captured"],
               "compare --beside": ["beside"]}  # fmt: skip
    for section in set(tables) - NO_DOCUMENTS:
        names = printed.get(section, [section.rpartition(" ")[2]])
        documents = [json.loads((tmp_path / f"{name}.json").read_text()) for name in names]
        found = {key for document in documents for key in keys_of(document)}
        assert not [key for key in found if key.startswith(".")], found
        also = tables[ALSO[section]] if section in ALSO else set()
        found = {key for key in found if not key.startswith("beside.")}  # of `compare` again
        assert found - also - tables[section] == set(), f"{section}: not on the page"
        assert tables[section] - found - OPTIONAL.get(section, set()) == set(), (
            f"{section}: no longer printed"
        )


def test_keys_of_indexes() -> None:
    """A key in the line of a capture that the page leaves out, or one that is no longer written."""
    rows = sections_of(REFERENCE / "json-formats.md")["Indexes of WARC files"]
    shown = {name for row in rows for name in re.findall(r"`([a-z-]+)`", row[0])}
    place, refers = Place(4, 2), ("http://a.test/", "20200102030405", "urn:x")
    capture = Capture("http://a.test/", "20200102030405", "revisit", 0, "text/html", "sha1:A",
                      "a.warc", place, 7, refers, cut=True)  # fmt: skip
    assert set(json.loads(line_of(capture).decode().split(" ", 2)[2])) == shown


def test_the_citation() -> None:
    """A citation of another version than this one."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert citation["version"] == project["version"]
    assert citation["authors"] == [{"name": "The Counterpoint contributors"}]

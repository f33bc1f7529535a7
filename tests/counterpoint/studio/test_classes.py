"""The classes of the style sheet, and those that templates and scripts give to elements."""

from __future__ import annotations

import re
from pathlib import Path

import counterpoint.studio
from counterpoint.crawler.store.schema import Standing
from counterpoint.studio.links import COLUMNS

FOLDER = Path(counterpoint.studio.__file__).parent
COMPUTED = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|[\w-]*\$\{.*?\}", re.S)
STANDINGS = {"unavailable" if one is Standing.UNAVAILABLE else one.value for one in Standing}
STATES = {"running", "paused", "stopping", "failed", "ended", "idle"}  # of `standing` in live.js
COLOURS = {*(f"k{number}" for number in range(6)), "kr"}
PLAIN = {"started", "ended", "idle"}
"""States whose pill looks like a pill without a state."""


def known() -> set[str]:
    """Return the classes in the selectors of the style sheet."""
    css = re.sub(r"/\*.*?\*/", "", (FOLDER / "static/studio.css").read_text(), flags=re.S)
    selectors = " ".join(re.findall(r"([^{}]+)\{", css))
    return set(re.findall(r"\.([a-zA-Z][\w-]*)", re.sub(r"\[[^\]]*\]", "", selectors)))


def used() -> set[str]:
    """Return the classes in templates and scripts, with those that they compute."""
    found = set()
    for template in (FOLDER / "templates").glob("*.j2"):
        text = template.read_text()
        found |= set(re.findall(r'\bclass="([a-z ]+)"(?=[,) ])', text))  # an argument of a macro
        for value in re.findall(r'\bclass="((?:\{\{.*?\}\}|\{%.*?%\}|[^"{])*)"', text):
            found.add(COMPUTED.sub(" ", value))
            found |= set(re.findall(r"'\s?([a-z]+)'", value))
    for script in (FOLDER / "static").glob("*.js"):
        text = script.read_text()
        for pattern in (r"class: ([`\"])(.*?)\1", r"className = ([`\"])(.*?)\1",
                        r"classList\.\w+\(([`\"])(.*?)\1"):  # fmt: skip
            found |= {COMPUTED.sub(" ", value) for _, value in re.findall(pattern, text)}
    found |= {column.style for columns in COLUMNS.values() for column in columns}
    return {name for value in found for name in value.split()} | STANDINGS | STATES | COLOURS


def test_every_class_has_a_rule_and_every_rule_an_element() -> None:
    """A class that does nothing because it is misspelled, or rules that are left over."""
    assert used() - known() == PLAIN
    assert known() - used() == set()

"""The HTML page: well-formed, safe, self-contained, and right about logical time."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import pytest

from counterpoint.models.explore.exhaustive import check
from counterpoint.models.present.page import page, write
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import (
    Array,
    Explanation,
    Index,
    Integer,
    Model,
    Spec,
    SpecError,
    Value,
    action,
    invariant,
)
from counterpoint.spec.stm.window import Window

VOID = {"meta", "input", "wbr"}
ATTACK = "</script><b>"


class Sneaky(Spec):
    """A counter for each process; one process has a name that ends a script element."""

    processes = Index(2, names="p", labels=f"{ATTACK} &amp;")
    counter = Array(processes, Integer(0, 2))

    @action
    def add(s, p: int) -> None:
        """Add one to <b>one's own</b> counter."""
        s.counter[p] = s.counter[p] + 1

    @invariant
    def behind(s) -> Value:
        """Not both <i>counters</i> have moved."""
        return s.counter[0] + s.counter[1] < 2

    def explain(self, violated, states):
        """Return an explanation with a label that contains markup."""
        return Explanation((f"{ATTACK} is to blame.",), ((ATTACK, "&amp;", f"{ATTACK} moved"),))


class Reader(HTMLParser):
    """A parser that checks that every tag is closed, and keeps the data that the tests need."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.trace = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        """Open a tag."""
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        """Note a tag that closes itself."""
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        """Close the tag that was opened last."""
        assert self.open.pop() == tag

    def handle_data(self, data):
        """Keep the visible text and the data separately."""
        if self.open[-1:] == ["script"]:
            if self.tags[-1][1].get("id") == "trace":
                self.trace += data
        elif self.open[-1:] != ["style"]:
            self.text += data


@cache
def verdict(spec: type[Spec], name: str, **settings: object) -> Verdict:
    """Return the exhaustive engine's verdict on one property."""
    model = Model(spec(**settings))
    return check(model, wanted=[model.property_named(name)])[0]


def old() -> Verdict:
    """Return the violation of opacity by the protocol that fetches the old value."""
    return verdict(Window, "opacity", fetch_and_increment="old")


def drawn(text: str, step: int) -> dict[tuple[str, str], dict[str, object] | None]:
    """Return the bars that the page draws after a step, by group and name."""
    tracks = json.loads(Reader(text).trace)["drawing"]["tracks"]
    return {(t["group"], t["name"]): t["bars"][step] for t in tracks}


PAGES = [
    pytest.param(old, id="picture"),
    pytest.param(lambda: verdict(Sneaky, "behind"), id="no picture"),
    pytest.param(lambda: verdict(Sneaky, "ranges"), id="out of range"),
    pytest.param(lambda: verdict(Window, "all-commit"), id="witness"),
]


@pytest.mark.parametrize("make", PAGES)
def test_the_page_needs_nothing_else(make):
    """A page that fetches something, and so cannot be read off line or years later."""
    text = page(make(), "counterpoint check")
    assert "://" not in text
    for tag, attributes in Reader(text).tags:
        assert not {"src", "srcset", "data", "action"} & attributes.keys()
        assert attributes.get("href", "#").startswith("#"), tag
        assert tag not in {"link", "iframe", "object", "embed", "base"}
    assert not re.search(r"@import|url\(", text)


@pytest.mark.parametrize("make", PAGES)
def test_the_list_of_steps_is_there_without_scripts(make):
    """A page that is empty where scripts are off."""
    shown = make()
    tags = Reader(page(shown)).tags
    labels = [a["aria-label"] for t, a in tags if t == "a" and "aria-label" in a]
    assert len(labels) == len(shown.trace.steps)
    for step, label in zip(shown.trace.steps, labels, strict=True):
        assert step.action in label
        assert all(text in label for text in shown.model.show_binding(step).values())
    rows = {a["id"] for t, a in tags if t == "li" and "id" in a}
    assert rows == {f"step={k}" for k in range(len(labels) + 1)}


@pytest.mark.parametrize("make", PAGES)
def test_every_variable_of_every_state_is_there(make):
    """A state that is shown only partly, so that the reason of the next step is hidden."""
    shown = make()
    text = Reader(page(shown)).text
    for place, cell in enumerate(shown.model.cells):
        values = [str(shown.model.show_value(cell, s[place])) for s in shown.trace.states]
        if len(set(values)) == 1:
            assert f"{cell.label} = {values[0]}\n" in text
        else:
            assert f"\n{cell.label}{''.join(values)}\n" in text


def test_a_label_cannot_end_the_script():
    """A spec from elsewhere that runs a script of its own in the reader's browser."""
    text = page(verdict(Sneaky, "behind"), f"check {ATTACK}")
    read = Reader(text)
    assert ATTACK not in text
    assert sum(t == "script" for t, _ in read.tags) == 2
    assert f"check {ATTACK}" in read.text
    assert "Not both <i>counters</i> have moved." in read.text
    assert f"{ATTACK} is to blame." in read.text
    assert ATTACK in "".join(json.loads(read.trace)["say"])


def test_versions_last_from_their_date_until_they_are_overwritten():
    """A drawing that shows a version already overwritten, or hides one."""
    text = page(verdict(Window, "a-new-version-is-read"))
    last = len(verdict(Window, "a-new-version-is-read").trace.steps)
    written = [k for k in drawn(text, 0) if drawn(text, 0)[k] is None and k[0] != "windows"]
    assert len(written) == 1
    ((group, writer),) = written
    assert drawn(text, 0)[group, "first"] == {"from": 0, "to": None}
    assert drawn(text, last)[group, "first"] == {"from": 0, "to": 1}
    assert drawn(text, last)[group, writer] == {"from": 1, "to": None}


def test_the_old_counterexample_shows_its_fault():
    """A page that does not show that T1's versions date from 0 although the clock is at 1."""
    text = page(old())
    before, after, end = drawn(text, 9), drawn(text, 10), drawn(text, 13)
    assert before["versions of x", "first"] == {"from": 0, "to": None}
    assert before["versions of x", "T1"] is None
    assert before["windows", "T0"] == {"from": 0, "to": None}
    assert after["versions of x", "first"] == {"from": 0, "to": 0}
    assert after["versions of x", "T1"] == {"from": 0, "to": None}
    assert after["versions of y", "T1"] is None
    assert after["windows", "T0"] == {"from": 0, "to": 0, "was": [0, None]}
    assert after["windows", "T1"] == {"from": 0, "to": None}
    assert end["versions of y", "T1"] == {"from": 0, "to": None}
    assert end["windows", "T1"] is None
    assert json.loads(Reader(text).trace)["drawing"]["now"] == [0] * 9 + [1] * 5


def test_the_contradiction_is_marked_at_the_steps_that_make_it():
    """Letters of the cycle at steps that have nothing to do with it."""
    rows = re.findall(r'<li class="row" id="step=(\d+)".*?</li>', page(old()), re.S)
    assert rows == [str(k) for k in range(14)]
    marked = re.findall(r'href="#step=(\d+)"[^\n]*?<b class="badge">(\w)</b></a>', page(old()))
    assert marked == [("3", "A"), ("10", "A"), ("11", "B"), ("13", "B")]
    arrows = re.findall(r'<div class="arrow (right|left)"', page(old()))
    assert arrows == ["right", "left"]


def test_real_time_is_marked_where_it_arises():
    """A real-time edge, which names no value, marked nowhere or everywhere."""
    shown = verdict(Window, "all-commit", processes=1)
    edge = ("T0", "T1", "T0 had ended when T1 began")
    text = page(replace(shown, explanation=Explanation((), (edge,))))
    (marked,) = re.findall(r'aria-label="([^"]*)"[^\n]*?<b class="badge">A</b></a>', text)
    assert marked.endswith("T1: begin")


def test_a_step_out_of_range_has_no_state():
    """A script that looks for a missing state, or a page without the reason why it is missing."""
    shown = verdict(Sneaky, "ranges")
    assert len(shown.trace.states) == len(shown.trace.steps)
    read = Reader(page(shown))
    assert json.loads(read.trace)["last"] == len(shown.trace.steps)
    assert "ranges is violated by step 3: counter" in read.text


def test_there_is_no_drawing_without_a_picture():
    """An empty box for a spec without logical time."""
    read = Reader(page(verdict(Sneaky, "behind")))
    assert json.loads(read.trace)["drawing"] is None
    assert "svg" not in {t for t, _ in read.tags}
    assert "Logical time" not in read.text


def test_settings_that_differ_from_the_default_stand_out():
    """The wrong setting hidden among fourteen parameters."""
    text = Reader(page(old(), "counterpoint check window-stm")).text
    assert "Parameters\n\nfetch-and-increment=old\n" in text
    assert "counterpoint check window-stm" in text


def test_the_same_verdict_gives_the_same_bytes():
    """A page that changes without a reason, so that two cannot be compared."""
    again = check(old().model, wanted=[old().claim])[0]
    assert page(again) == page(old())


def test_a_page_is_written_wholly_or_not_at_all(tmp_path, monkeypatch):
    """Half a page, or a stray temporary file, after an interrupted run."""
    path = tmp_path / "old.html"
    write(path, old())
    whole = path.read_text(encoding="utf-8")
    assert whole == page(old())

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write(path, verdict(Sneaky, "behind"))
    with pytest.raises(SpecError, match="no trace"):
        write(path, replace(old(), trace=None))
    assert path.read_text(encoding="utf-8") == whole
    assert os.listdir(tmp_path) == ["old.html"]

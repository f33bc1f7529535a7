"""Spec files in Python, recorded counterexamples, and scenarios."""

from __future__ import annotations

from pathlib import Path

from counterpoint.models.checking.replaying import read_records, replay_record
from counterpoint.models.loading import load
from counterpoint.models.scenarios import play_file
from counterpoint.models.sweeps.results import Results
from counterpoint.spec.notation import SpecError

from ..inputs import changed, corpus
from ..reader import Reader, through_file

_PYTHON = (b"    ", b"\t", b"\n", b":", b"def ", b"class ", b"lambda: ", b"yield ", b"return ",
           b"await ", b"async ", b"@action\n", b"@invariant\n", b"s.", b"p", b"Integer(0, 9)",
           b"Array(", b"Index(", b"Spec", b"require(", b"implies(", b"every(", b"self", b"*", b"**",
           b"f'{", b"'''", b"None", b"...", b"# -*- coding: latin-9 -*-\n", b"match s:\n", b":=",
           b"raise SystemExit", b"del ", b"global ", b"1/0", b"x" * 300, b"or ", b"-", b"1e400",
           b"__init__", b"__class__", b"__slots__ = ()\n")  # fmt: skip
_JSON = (b", ", b": ", b'"trace": ', b'"spec": "peterson"', b'"initial": {}', b'"T9"', b"[]", b"{}",
         b'"parameters": {}', b'"verdict": "holds"', b'"action": "', b'"changes": {}')  # fmt: skip
_SCENARIO = (b"expect ", b"must ", b"must P0: ", b"for ever:\n", b"scenario: x\n", b"spec: ",
             b"set: ", b"initial: place[P0] = INSIDE\n", b"possible: ", b"impossible: ", b" == ",
             b"<", b"property ", b" violated", b" reached", b"; ", b"nothing", b"(", b"{P0", b'"',
             b"\\", b"p=", b"P0", b"step: ", b" = ", b"ranges", b"#", b"\n")  # fmt: skip


def _spec(path: Path) -> None:
    assert load(str(path)).steps is not None


def _replayed(data: bytes) -> None:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return  # the command says so
    for record in read_records(text, "a.json"):
        replay_record(record)


def _scenarios(path: Path) -> None:
    for played in play_file(path):
        assert played.outcome
        assert bool(played.details()) == (played.failure is not None)
        assert played.chart()


def _results(path: Path) -> None:
    Results(path, "tl2")


READERS = (
    Reader("spec", through_file("a_spec.py", _spec), changed(corpus("spec"), _PYTHON),
           (SpecError,), factor=20_000, smallest=64 << 20, example=corpus("spec")[0],
           examples=10),
    Reader("counterexamples", _replayed, changed(corpus("counterexamples"), _JSON), (SpecError,),
           factor=2000, smallest=64 << 20, example=corpus("counterexamples")[0],
           examples=10),
    Reader("scenarios", through_file("a.scenario", _scenarios),
           changed(corpus("scenarios"), _SCENARIO), (SpecError,), factor=2000, smallest=64 << 20,
           example=corpus("scenarios")[0], examples=30),
    Reader("results", through_file("a.jsonl", _results), changed(corpus("results"), _JSON),
           (SpecError,), examples=3),
)  # fmt: skip

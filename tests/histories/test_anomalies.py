"""Published anomalies, found under their names."""

from __future__ import annotations

import io
from typing import Any

import pytest

from counterpoint.histories.checking import check
from counterpoint.histories.history import History
from counterpoint.histories.reading.files import read_history
from counterpoint.histories.report import Report
from counterpoint.histories.resolving import sources_of
from counterpoint.histories.showing.anomalies import anomaly
from counterpoint.models.explore.exhaustive import check as explore
from counterpoint.models.limits import Limits
from counterpoint.spec.notation import Model
from counterpoint.spec.stm.dstm import DSTM
from counterpoint.spec.stm.mcrt import McRT

from .from_specs import Event, events_of, recorded
from .writing import history_of

ANOMALIES: dict[str, tuple[str, str, str, str]] = {
    # name: what happened; the strongest that holds; the weakest that does not; its name
    "G0": ("0: +x1; 1: +x2 +y3; 0: +y4 c; 1: c; 2: x[1,2] y[3,4] c",
           "", "read-committed", "write cycle (G0)"),
    "G1a": ("0: x1; 1: x?1 c; 0: a", "", "read-committed", "aborted read (G1a)"),
    "G1b": ("0: x1; 1: x?1 c; 0: x2 c", "", "read-committed", "intermediate read (G1b)"),
    "G1c": ("0: x1; 1: y2; 0: y?2 c; 1: x?1 c", "", "read-committed",
            "circular information flow (G1c)"),
    "fractured read": ("0: x1 y2 c; 1: x?1 y?- c", "read-committed", "read-atomic",
                       "read skew (G-single)"),
    "fractured read of a later version": ("0: x1 y2 c; 0: x3 y4 c; 1: x?3 y?2 c; 1: x?1 c",
                                          "read-committed", "read-atomic", "fractured read"),
    "causality violation": ("0: x1 c; 1: x?1 y2 c; 2: y?2 x?- c", "read-atomic", "causal",
                            "read skew (G-single)"),
    "long fork": ("0: x1 c; 1: y2 c; 2: x?1 y?- c; 3: x?- y?2 c", "causal", "snapshot-isolation",
                  "long fork (G-nonadjacent)"),
    "lost update": ("0: x?-; 1: x?- x1 c; 0: x2 c", "causal", "snapshot-isolation",
                    "lost update (G-single)"),
    "read skew": ("0: x?-; 1: x1 y2 c; 0: y?2 c", "read-committed", "read-atomic",
                  "read skew (G-single)"),
    "write skew": ("0: x?-; 1: y?-; 0: y1 c; 1: x2 c", "causal and snapshot-isolation",
                   "serializability", "write skew (G2-item)"),
    "stale read": ("0: x1 c; 1: x?- c", "serializability and causal", "strict-serializability",
                   "stale read (G-single), with real time"),
    "zombie": ("0: x?-; 1: x1 y2 c; 0: y?2 a", "strict-serializability",
               "virtual-world-consistency", "read skew (G-single)"),
    "real time of an aborted transaction": (
        "0: x1 c; 2: x?- a", "virtual-world-consistency", "opacity",
        "stale read (G-single), with real time"),
    "garbage": ("0: x?7 c", "", "read-committed", "garbage read"),
    "internal": ("0: x1 c; 1: x2 x?1 c", "read-committed", "read-atomic",
                 "internal inconsistency"),
    "non-repeatable read": ("0: x?-; 1: x1 c; 0: x?1 c", "read-committed", "read-atomic",
                            "non-repeatable read"),
    "early read": ("0: y1; 1: y?1; 0: t c; 1: c", "strict-serializability",
                   "virtual-world-consistency", "early read"),
    "incompatible order": ("0: +x1 c; 1: +x2 c; 2: x[1,2] c; 3: x[2,1] c", "", "read-committed",
                           "incompatible order"),
}  # fmt: skip


def _first(report: Report) -> tuple[str, str]:
    result = report.first_violated()
    assert result is not None
    return result.criterion.name, anomaly(result.judgement)


@pytest.mark.parametrize("name", ANOMALIES)
def test_anomalies_have_their_names(name: str) -> None:
    """Catches an anomaly of the literature that is not found, or under another name."""
    text, strongest, weakest, called = ANOMALIES[name]
    report = check(history_of(text))
    assert _first(report) == (weakest, called)
    assert set(report.strongest()) == set(strongest.split(" and ")) - {""}


ELLE = b"""
{:index 0 :type :invoke  :value [[:append 253 1] [:append 255 2] [:append 256 1]]}
{:index 1 :type :ok      :value [[:append 253 1] [:append 255 2] [:append 256 1]]}
{:index 2 :type :invoke, :value [[:append 255 8] [:r 253 nil]]}
{:index 3 :type :ok,     :value [[:append 255 8] [:r 253 [1]]]}
{:index 4 :type :invoke, :value [[:append 256 4] [:r 255 nil] [:r 256 nil] [:r 253 nil]]}
{:index 5 :type :ok,     :value [[:append 256 4] [:r 255 [2 8]] [:r 256 [1 4]] [:r 253 [1]]]}
{:index 6 :type :invoke, :value [[:append 250 10] [:r 253 nil] [:r 255 nil] [:append 256 3]]}
{:index 7 :type :ok      :value [[:append 250 10] [:r 253 [1]] [:r 255 [2]] [:append 256 3]]}
"""


def test_the_cycle_of_elles_documentation_is_found() -> None:
    """Catches that the example which Elle's documentation explains is explained otherwise."""
    report = check(read_history(io.BytesIO(ELLE)))
    assert _first(report) == ("snapshot-isolation", "read skew (G-single)")
    found = report.first_violated()
    assert found is not None
    names = [(e.source, e.kind.value if e.kind else "", e.target) for e in found.judgement.cycle]
    assert names == [(1, "wr", 2), (2, "ww", 3), (3, "rw", 1)]


def _counterexample(model: Model, name: str) -> tuple[Event, ...]:
    """Return the events of the shortest counterexample."""
    (verdict,) = explore(model, Limits(), [model.property_named(name)])
    assert verdict.trace is not None
    return events_of(model, verdict.trace.states)


def _called(history: History, criterion: str) -> Any:
    (result,) = check(history, [criterion]).results
    return result.answer, anomaly(result.judgement)


def test_the_write_skew_of_dstm_is_named() -> None:
    """Catches that Lesani and Palsberg's fault of DSTM has another name in its history."""
    history = recorded(_counterexample(Model(DSTM()), "serializability"))
    assert _called(history, "serializability") == ("violated", "write skew (G2-item)")
    assert check(history).strongest() == ["causal", "snapshot-isolation"]


def test_the_exposed_write_of_mcrt_is_named() -> None:
    """Catches that Lesani and Palsberg's fault of McRT has another name in its history."""
    history = recorded(_counterexample(Model(McRT()), "opacity"))
    answer, name = _called(history, "opacity")
    assert (answer, name) == ("violated", "aborted read (G1a)")
    assert check(history).strongest() == ["strict-serializability"]


def test_sources_are_named_in_a_finding() -> None:
    """Catches a finding that does not name who read, who wrote and where."""
    (found,) = sources_of(history_of("0: x1; 1: x?1 c; 0: a")).findings
    assert found.text == "T1 read x = 1 of T0, which aborted"
    assert (found.transaction, found.writer) == (1, 0)

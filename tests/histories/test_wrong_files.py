"""Files that are wrong: each error names its line, and nothing is guessed."""

from __future__ import annotations

import io
import json
import random
import string
from typing import Any

import pytest

from counterpoint.histories.history import Fate, HistoryError
from counterpoint.histories.reading.edn import forms_of
from counterpoint.histories.reading.files import read_history
from counterpoint.histories.resolving import sources_of


def _lines(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in events)


BEGIN = {"type": "begin", "process": 0}
READ = {"type": "read", "process": 0, "object": "x", "value": 1}
WRITE = {"type": "write", "process": 0, "object": "x", "value": 1}
COMMIT = {"type": "commit", "process": 0}

WRONG: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "the file is empty"),
    "broken off": (_lines(BEGIN) + b'{"type":"com', "line 2: the file breaks off within this line"),
    "no JSON": (_lines(BEGIN) + b"{,}\n", "line 2: it is no JSON"),
    "no history": (b"hello\n", "line 1: it begins neither as JSON nor as EDN"),
    "type": (_lines(BEGIN, {"type": "comit", "process": 0}), "line 2: the type is 'comit'"),
    "key": (_lines(BEGIN | {"proces": 1}), "line 1: an event of type begin has no 'proces'"),
    "no process": (_lines({"type": "begin"}), "line 1: 'process' is missing"),
    "process": (_lines({"type": "begin", "process": 1.5}), "line 1: 'process' is 1.5"),
    "no value": (_lines(BEGIN, {k: v for k, v in READ.items() if k != "value"}),
                 "line 2: a read needs the value that it returned"),
    "value": (_lines(BEGIN, WRITE | {"value": True}), "line 2: 'value' is true"),
    "commit without begin": (_lines(COMMIT), "line 1: a commit of process 0, which has begun no"),
    "read without begin": (_lines(READ), "line 1: a read of x of process 0, which has begun no"),
    "begin twice": (_lines(BEGIN, BEGIN), "line 2: process 0 begins a transaction, and the one "
                                          "that it began on line 1 has no end"),
    "after the end": (_lines(BEGIN, COMMIT, WRITE), "line 3: a write of x of process 0"),
    "after try-commit": (_lines(BEGIN, {"type": "try-commit", "process": 0}, WRITE),
                         "line 3: process 0 goes on after it asked to commit on line 2"),
    "clock": (_lines(BEGIN | {"time": 9}, COMMIT | {"time": 8}),
              "line 2: the time goes back: 8 after 9 on line 1"),
    "long line": (_lines(BEGIN, WRITE | {"value": "a" * (1 << 20)}),
                  "line 2: it is longer than 1,048,576 bytes"),
    "version of nothing": (_lines(BEGIN, COMMIT | {"versions": {"x": 1}}),
                           "line 2: the commit installs a version of x, which the transaction did"),
    "version 0": (_lines(BEGIN, WRITE, COMMIT | {"versions": {"x": 0}}),
                  "line 3: version 0 of x: commits install versions from 1 on"),
    "list and value": (_lines(BEGIN, WRITE, READ | {"value": [1]}),
                       "line 3: x is used as a list, and on line 2 as a value"),
    "after an unknown end": (_lines(BEGIN, {"type": "indeterminate", "process": 0}, BEGIN),
                             "line 3: process 0 begins a transaction, though what became"),
    "header": (_lines(BEGIN, {"type": "history"}), 'line 2: only the first line can be of type'),
    "jepsen type": (b'{:type :invok :value []}\n', "line 1: the type is 'invok'"),
    "jepsen answer": (b'{:type :invoke :process 1 :value [[:r 1 nil]]}\n'
                      b'{:type :ok :process 1 :value [[:r 2 nil]]}\n',
                      "line 2: the answer is to another transaction than line 1 invoked"),
    "micro": (b'{:type :invoke :process 1 :value [[:cas 1 2]]}\n{:type :ok :process 1 '
              b':value [[:cas 1 2]]}', "line 2: ('cas', 1, 2) is none of [append k v]"),
    "edn": (b'{:type :invoke\n :value [}', "line 2: } closes the [ of line 2"),
    "edn end": (b'{:type :invoke\n :value [', "line 2: the text ends within the collection of"),
    "json array": (b'[{"type":"invoke","process":0,"value":[["r",1,null]]},\n{"type":',
                   "line 2: it is no JSON"),
    "json array open": (b'[{"type":"invoke","process":0,"value":[["r",1,null]]},\n',
                        "line 2: the file breaks off before the array is closed"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_are_refused_with_their_line(name: str) -> None:
    """Catches a file that is taken though it cannot be a history, or a message without its line."""
    data, message = WRONG[name]
    with pytest.raises(HistoryError) as caught:
        sources_of(read_history(io.BytesIO(data)))
    assert str(caught.value).startswith(message)


AMBIGUOUS = {
    "two writers": (_lines(BEGIN, WRITE, COMMIT, BEGIN, WRITE, COMMIT,
                           {"type": "begin", "process": 1}, READ | {"process": 1}),
                    "line 8: x = 1 was written on line 2 and line 5"),
    "initial value": (_lines({"type": "history", "initial": 1}, BEGIN, WRITE, COMMIT,
                             {"type": "begin", "process": 1}, READ | {"process": 1}),
                      "line 6: x = 1 was written on line 3 and is the initial value"),
    "two versions": (_lines(BEGIN, WRITE, COMMIT | {"versions": {"x": 1}},
                            BEGIN, WRITE | {"value": 2}, COMMIT | {"versions": {"x": 1}}),
                     "line 6: version 1 of x was installed by T0 already"),
}  # fmt: skip


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_a_read_with_two_possible_writers_is_refused(name: str) -> None:
    """Catches a guess of the writer."""
    data, message = AMBIGUOUS[name]
    with pytest.raises(HistoryError) as caught:
        sources_of(read_history(io.BytesIO(data)))
    assert str(caught.value).startswith(message)


def test_random_damage_is_an_error_or_a_history() -> None:
    """Catches a traceback: bytes of three good files are changed, dropped and doubled."""
    good = [
        _lines(BEGIN | {"time": 1}, READ, WRITE | {"value": 2}, COMMIT | {"versions": {"x": 3}}),
        b'{:type :invoke :process 1 :f :txn :value [[:append 1 2] [:r "k" nil]]}\n'
        b'{:type :ok, :process 1 :f :txn :value [[:append 1 2] [:r "k" [2 3]]]} ; and\n',
        b'[{"type":"invoke","process":0,"f":"txn","value":[["w",1,2],["r",2,null]]},\n'
        b' {"type":"info","process":0,"f":"txn","value":[["w",1,2],["r",2,null]]}]\n',
    ]
    chance = random.Random(1)
    signs = (string.printable + "é\x00").encode()
    refused = 0
    for _ in range(6_000):
        data = bytearray(chance.choice(good))
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(data))
            cut = chance.choice([0, 1, 1, 5])
            new = bytes(chance.choice(signs) for _ in range(chance.choice([0, 1, 1, 3])))
            data[place : place + cut] = new
            if not data:
                data = bytearray(b" ")
        try:
            sources_of(read_history(io.BytesIO(bytes(data))))
        except HistoryError as error:
            refused += 1
            assert "\n" not in str(error)
    assert refused > 3_000


def test_ends_that_are_missing() -> None:
    """Catches that a transaction without an end is taken for aborted, or for asking to commit."""
    other = {"type": "begin", "process": 1}
    asks = {"type": "try-commit", "process": 1}
    fates = [t.fate for t in read_history(io.BytesIO(_lines(BEGIN, other))).transactions]
    assert fates == [Fate.COMMITTING, Fate.COMMITTING]  # nobody records when they ask
    fates = [t.fate for t in read_history(io.BytesIO(_lines(BEGIN, other, asks))).transactions]
    assert fates == [Fate.LIVE, Fate.COMMITTING]


def test_jepsen_operations_of_others_are_left_out() -> None:
    """Catches that the nemesis or another kind of operation becomes a transaction."""
    data = (b'{:type :info :process :nemesis :f :start :value nil}\n'
            b'{:type :invoke :process 0 :f :read :value nil}\n'
            b'{:type :invoke :process 3 :f :txn :value [[:append 1 2]]}\n'
            b'#jepsen.history.Op{:type :fail :process 3 :f :txn :value [[:append 1 2]] :error '
            b'[:a #inst "2026-01-01" \\a]}\n')  # fmt: skip
    (one,) = read_history(io.BytesIO(data)).transactions
    assert (one.fate, one.begin, one.end) == (Fate.ABORTED, 3, 4)
    assert [(op.kind, op.object, op.value) for op in one.operations] == [("append", 1, 2)]


def test_edn_is_read_as_its_documentation_says() -> None:
    """Catches a form that is read as another value."""
    text = '(1 -2N "a\\n\\"b" :k/w nil true [1, #{2} {:a 1 "b" 2}] #_ ignored 3.5 ; end\n sym)'
    values = [value for _, value in forms_of(text)]
    assert values == [1, -2, 'a\n"b', "k/w", None, True, (1, (2,), {"a": 1, "b": 2}), 3.5, "sym"]
    assert [line for line, _ in forms_of("1\n\n[2\n3]\n4")] == [1, 3, 5]


NULLS = (
    b"{:type :ok :process 0 :value [[:r 1 nil] [:append 1 1] [:r 1 [1]]]}",
    b"{:type :ok :process 0 :value [[:r 1 nil] [:r 1 []]]}",
    _lines({"type": "history", "initial": 0}, BEGIN, READ | {"value": None}, READ | {"value": 0},
           COMMIT),
)  # fmt: skip


@pytest.mark.parametrize("data", NULLS)
def test_null_and_the_empty_list_are_one_version(data: bytes) -> None:
    """Catches a non-repeatable read of two names of the initial version."""
    assert sources_of(read_history(io.BytesIO(data))).findings == []


def test_an_invocation_without_an_answer_may_have_written() -> None:
    """Catches a garbage read in the history of a test that was killed."""
    data = (b'{:type :invoke :process 0 :value [[:w "x" 1] [:r "y" nil]]}\n'
            b'{:type :invoke :process 1 :value [[:r "x" nil]]}\n'
            b'{:type :ok :process 1 :value [[:r "x" 1]]}\n')  # fmt: skip
    history = read_history(io.BytesIO(data))
    assert [op.kind for op in history.transactions[0].operations] == ["write"]
    assert history.transactions[0].fate is Fate.COMMITTING
    sources = sources_of(history)
    assert sources.findings == [] and sources.reads[1][0].writer == 0


def _versioned(read: int, value: int, last: dict[str, Any]) -> list[str]:
    """Return what is wrong with the read of a version, after x = 1 was installed as version 2."""
    other = {"type": "begin", "process": 1}
    rows = [
        BEGIN,
        WRITE,
        COMMIT | {"versions": {"x": 2}},
        other,
        {"type": "write", "process": 1, "object": "x", "value": 5},
        last,
        {"type": "begin", "process": 2},
        {"type": "read", "process": 2, "object": "x", "value": value, "version": read},
    ]
    sources = sources_of(read_history(io.BytesIO(_lines(*rows))))
    assert set(sources.versions) == {"x"}
    return [one.fault.value for one in sources.findings] + list(map(str, sources.versions["x"]))


def test_versions_that_were_read_are_facts() -> None:
    """Catches a version that nobody installed, and one that only its reader knows."""
    lost = {"type": "indeterminate", "process": 1}
    assert _versioned(2, 1, lost) == ["0"]
    assert _versioned(7, 1, lost) == ["garbage read", "0"]
    assert _versioned(1, 5, lost) == ["1", "0"]
    assert _versioned(3, 5, lost) == ["0", "1"]
    assert _versioned(2, 5, lost) == ["garbage read", "0"]

"""The kernel in C against the judging in Python: the same answers, in the same words."""

from __future__ import annotations

import json
import random
import string
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from counterpoint.histories.deciding import judging
from counterpoint.histories.history import HistoryError
from counterpoint.histories.kernel import library
from counterpoint.histories.ladder import LADDER, Question
from counterpoint.histories.large.judging import by_kernel, check_file
from counterpoint.histories.large.recording import FORMS, HandedOver
from counterpoint.histories.resolving import sources_of
from counterpoint.histories.showing.anomalies import summary
from counterpoint.histories.showing.formats import as_json
from counterpoint.models.explore.compiled.compiler import NoCompiler, found
from counterpoint.models.limits import Limits

from .drawing import drawn
from .files import as_file

pytestmark = pytest.mark.skipif(found() is None, reason="there is no C compiler")

NAMES = [one.name for one in LADDER]


def _answer(
    data: bytes, criteria: Sequence[str], kernel: bool, sessions: bool = False, form: str = "auto"
) -> Any:
    """Return what is answered about a file, or the message of its error; None: handed over."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        try:
            if kernel:
                report = by_kernel(file, form, criteria, sessions)
            else:
                report = check_file(file, form, criteria, sessions=sessions, kernel="python")
        except HandedOver:
            return None
        except HistoryError as error:
            return str(error)
        return summary(report.sources.history), as_json(report)


def _file(seed: int, form: str, kind: str) -> bytes:
    chance = random.Random(seed)
    size, objects = chance.choice([3, 4, 5, 8, 12, 25]), chance.choice([1, 2, 3, 5])
    history = drawn(chance, size, objects, lists=kind == "lists", versions=kind == "versions")
    return as_file(history, form, chance)


@pytest.mark.parametrize(
    "seeds",
    [range(25), pytest.param(range(1000, 1100), marks=pytest.mark.long),
     pytest.param(range(1100, 1700), marks=pytest.mark.slow)],
)  # fmt: skip
@pytest.mark.parametrize(
    ("form", "kind"),
    [("events", "registers"), ("events", "lists"), ("events", "versions"),
     ("jepsen-json", "registers"), ("jepsen-json", "lists"), ("jepsen-edn", "registers"),
     ("jepsen-edn", "lists")],
)  # fmt: skip
def test_the_kernel_says_what_python_says(form: str, kind: str, seeds: range) -> None:
    """Catches another answer, cycle or number than in Python, in any format."""
    met: Counter[Any] = Counter()
    for seed in seeds:
        data = _file(seed, form, kind)
        for sessions in (False, True):
            for name in NAMES:
                given = _answer(data, [name], True, sessions)
                if given is None:
                    met[name, "handed over"] += 1
                    continue
                assert given == _answer(data, [name], False, sessions), (seed, name, sessions)
                met[name, given[1]["criteria"][0]["answer"]] += 1
            given = _answer(data, [], True, sessions)
            assert given is None or given == _answer(data, [], False, sessions)
    for name in NAMES:
        assert met[name, "holds"] > met[name, "handed over"]
    assert met["strict-serializability", "violated"] > 0


STRANGE = (
    b'"\\u0041"', b'"A"', b'"\\ud83d\\ude00"', b'"\\ud83d"', b'"\xc3\xa9"', b'"\xff"', b"1.0",
    b"-0", b"01", b"9223372036854775808", b"-9223372036854775808", b"2305843009213693952",
    b"1e3", b"NaN", b"true", b"null", b"[]", b"[[]]", b"[1,null]", b"{}", b'"\\u0000"', b"\x00",
    b'"type"', b'"f"', b'"nemesis"', b"[1,]", b"0", b'""', b'"0"', b"99999999999999999999999",
)  # fmt: skip
"""Values at the edge of what a reader of JSON takes."""


def _damaged(chance: random.Random, data: bytes) -> bytes:
    """Return a file with some bytes changed, or with a value replaced by a strange one."""
    signs = (string.printable + "é\x00").encode()
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2])):
        place = chance.randrange(len(changed))
        if chance.random() < 0.5:
            begin = max(changed.rfind(sign, 0, place) for sign in (b",", b":", b"[", b" ")) + 1
            end = min((k for sign in (b",", b"]", b"}", b" ", b"\n")
                       if (k := changed.find(sign, begin)) >= 0), default=begin)  # fmt: skip
            changed[begin:end] = chance.choice(STRANGE)
        else:
            new = bytes(chance.choice(signs) for _ in range(chance.choice([0, 1, 1, 3])))
            changed[place : place + chance.choice([0, 1, 1, 5])] = new
        if not changed:
            changed = bytearray(b" ")
    return bytes(changed)


@pytest.mark.parametrize("count", [60, pytest.param(3_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("form", FORMS)
def test_damaged_files_are_answered_as_in_python(form: str, count: int) -> None:
    """Catches a wrong file that the kernel takes, or takes for another history."""
    chance = random.Random(count)
    taken = 0
    for seed in range(count):
        kind = chance.choice(["registers", "lists", *["versions"] * (form == "events")])
        data = _damaged(chance, _file(seed % 200, form, kind))
        given = _answer(data, ["snapshot-isolation", "opacity"], True)
        if given is not None:
            taken += 1
            assert given == _answer(data, ["snapshot-isolation", "opacity"], False), data
    assert taken > count / 100


def _large(form: str) -> bytes:
    """Return a file that is larger than the kernel's window."""
    lines = []
    for k in range(12_000):
        if form == "events":
            lines += [{"type": "begin", "process": k % 7},
                      {"type": "write", "process": k % 7, "object": k % 50, "value": k},
                      {"type": "write", "process": k % 7, "object": "y", "value": f"é{k}" * 40},
                      {"type": "read", "process": k % 7, "object": k % 50, "value": k},
                      {"type": "commit", "process": k % 7,
                       "versions": {str(k % 50): k + 1, "y": k + 1}}]  # fmt: skip
        else:
            value = [["append", k % 50, k], ["r", k % 50, list(range(k % 50, k + 1, 50))]]
            lines.append({"type": "ok", "process": k % 7, "f": "txn", "value": value})
    if form == "array":
        return json.dumps(lines, indent=0).encode()
    if form == "one line":
        return json.dumps(lines).encode()
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in lines).encode()


@pytest.mark.parametrize("form", ["events", "array", "one line"])
def test_files_larger_than_the_window(form: str) -> None:
    """Catches an operation that is lost or read twice where the window ends."""
    data = _large(form)
    assert len(data) > 5 << 20
    given = "events" if form == "events" else "jepsen-json"
    words, answer = _answer(data, ["strict-serializability"], True, form=given)
    assert answer["transactions"] == 12_000
    assert "12,000 transactions of 7 processes (12,000 committed)" in words
    assert answer["criteria"][0]["answer"] == "holds"


def test_a_violation_in_a_large_file_is_explained_by_its_lines() -> None:
    """Catches that the transactions of a cycle are looked for at wrong places."""
    lines = _large("events").splitlines()
    bad = json.loads(lines[5 * 9_000 + 3]) | {"process": 99}
    head = {"type": "begin", "process": 99}
    stale = [json.dumps(one).encode() for one in (head, bad, {"type": "commit", "process": 99})]
    words, answer = _answer(b"\n".join(lines + stale), ["strict-serializability"], True)
    assert "12,001 transactions" in words
    assert answer["criteria"][0]["anomaly"] == "stale read (G-single), with real time"
    assert "T12000 read 0 = 9000 (line 60,002), before T9050 overwrote 0 with 9050" in \
        answer["criteria"][0]["why"]  # fmt: skip


@pytest.mark.parametrize("seeds", [range(100), pytest.param(range(1000, 3000),
                                                            marks=pytest.mark.long)])  # fmt: skip
def test_forced_orders_are_those_of_python(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches a pair of versions that the kernel orders otherwise, or leaves open."""
    opened = 0
    for seed in seeds:
        chance = random.Random(seed)
        sources = sources_of(drawn(chance, chance.choice([4, 8, 12, 20]), chance.choice([1, 2, 3])))
        for sessions in (False, True):
            question = Question(sources, sessions, Limits())
            for one in LADDER[3:]:
                monkeypatch.setattr(judging, "MANY_CHOICES", 1 << 30)
                expected = one.judge(question)
                monkeypatch.setattr(judging, "MANY_CHOICES", 0)
                given = one.judge(question)
                assert (given.fits, given.opened) == (expected.fits, expected.opened), (seed, one)
                assert given.fits is False or given.forced == expected.forced
                assert bool(given.cycle) == bool(expected.cycle)
                opened += expected.opened > 0
    assert opened > 10


def test_without_a_compiler_python_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches that a machine without a C compiler gets no answer."""
    library.library.cache_clear()
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setattr(library, "_folders", lambda: iter(()))
    monkeypatch.setattr("counterpoint.histories.large.judging.LEAST", 0)
    try:
        with tempfile.TemporaryFile() as file:
            file.write(_file(1, "events", "lists"))
            file.seek(0)
            assert len(check_file(file).sources.history) > 0
            file.seek(0)
            with pytest.raises(NoCompiler, match="no-such-compiler"):
                check_file(file, kernel="c")
    finally:
        library.library.cache_clear()


def test_the_kernel_compiles_without_warnings(tmp_path: Path) -> None:
    """Catches a warning of the compiler."""
    flags = (*library.FLAGS, "-Wall", "-Wextra", "-Werror")
    library.compile_into(tmp_path / "kernel.so", library.text(), flags)


@pytest.mark.long
def test_no_sanitizer_complains(tmp_path: Path) -> None:
    """Catches a read behind a block, memory that is lost, and undefined numbers."""
    program = tmp_path / "driver.c"
    driver = Path(__file__).with_name("driver.c").read_text()
    program.write_text(library.text() + driver)
    command = found() or []
    flags = ["-g", "-O1", "-std=gnu11", "-fsanitize=address,undefined", "-fno-sanitize-recover"]
    subprocess.run([*command, *flags, program, "-o", tmp_path / "driver"], check=True)
    chance = random.Random(1)
    for number, form in enumerate(FORMS):
        files = []
        for seed in range(900):
            kinds = ["registers", "lists", *["versions"] * (form == "events")]
            data = _file(seed, form, chance.choice(kinds))
            files.append(tmp_path / f"{form}-{seed}")
            files[-1].write_bytes(_damaged(chance, data) if seed % 3 else data)
        run = subprocess.run([tmp_path / "driver", str(number), *files], check=False,
                             capture_output=True, text=True)  # fmt: skip
        assert run.returncode == 0, run.stderr[-3000:]
        assert run.stdout.count("0") > 100

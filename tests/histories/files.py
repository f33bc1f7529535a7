"""Writes histories to files in all formats, as recorders would."""

from __future__ import annotations

import json
import random
from typing import Any

from counterpoint.histories.history import Fate, History, Operation, Transaction

FORMS = ("events", "jepsen-json", "jepsen-edn")

Line = dict[str, Any]


def as_file(history: History, form: str, chance: random.Random | None = None) -> bytes:
    """Return a history in a format.

    Parameters
    ----------
    history : History
        Places say in which order the lines stand.
    form : str
        One of `FORMS`. Jepsen's forms lose what aborted transactions read.
    chance : random.Random, optional
        Draws spaces, the order of keys, and names of objects as texts.
    """
    chance = chance or random.Random(0)
    writer = {"events": _events, "jepsen-json": _json, "jepsen-edn": _edn}[form]
    return writer(history, chance)


def _events(history: History, chance: random.Random) -> bytes:
    lines: list[tuple[int, Line]] = []
    for one in history.transactions:
        lines.append((one.begin, {"type": "begin", "process": one.process}))
        lines += [(op.place, _event(one, op)) for op in one.operations]
        if one.asked is not None:
            lines.append((one.asked, {"type": "try-commit", "process": one.process}))
        if one.end is not None:
            kind = "commit" if one.fate is Fate.COMMITTED else "abort"
            line: Line = {"type": kind, "process": one.process}
            if one.versions:
                line["versions"] = {str(what): number for what, number in one.versions.items()}
            lines.append((one.end, line))
    return _dumped((line for _, line in sorted(lines, key=lambda pair: pair[0])), chance)


def _event(one: Transaction, op: Operation) -> Line:
    value = list(op.value) if isinstance(op.value, tuple) else op.value
    line = {"type": op.kind, "process": one.process, "object": op.object, "value": value}
    return line if op.version is None else line | {"version": op.version}


def _dumped(lines: Any, chance: random.Random) -> bytes:
    between = chance.choice([(",", ":"), (", ", ": "), (" ,  ", "\t: ")])
    text = []
    for line in lines:
        keys = list(line)
        if chance.random() < 0.2:
            chance.shuffle(keys)
        text.append(json.dumps({key: line[key] for key in keys}, separators=between))
    return ("\n".join(text) + chance.choice(["", "\n", "\n\n"])).encode()


def _operations(history: History, chance: random.Random) -> list[Line]:
    lines: list[tuple[int, Line]] = []
    names = {"read": "r", "write": "w", "append": "append"}
    for one in history.transactions:
        asked = [[names[op.kind], op.object, None if op.kind == "read" else op.value]
                 for op in one.operations]  # fmt: skip
        head = {"f": "txn", "process": one.process}
        lines.append((one.begin, {"type": "invoke", **head, "value": asked}))
        if one.end is None:
            if chance.random() < 0.5:
                lines.append((10**6 + one.begin, {"type": "info", **head, "value": asked}))
            continue
        answer = asked
        if one.fate is Fate.COMMITTED:
            answer = [[names[op.kind], op.object, op.value] for op in one.operations]
        elif chance.random() < 0.3:
            answer = None
        kind = "ok" if one.fate is Fate.COMMITTED else "fail"
        lines.append((one.end, {"type": kind, **head, "value": answer}))
    return [line for _, line in sorted(lines, key=lambda pair: pair[0])]


def _json(history: History, chance: random.Random) -> bytes:
    lines = _operations(history, chance)
    how = chance.choice(["lines", "lines", "array", "indented"])
    if how == "lines":
        return _dumped(lines, chance)
    if how == "indented":
        return json.dumps(lines, indent=1).encode()
    return ("[" + ",\n".join(map(json.dumps, lines)) + "]").encode()


def _edn(history: History, chance: random.Random) -> bytes:
    lines = [_form(line) for line in _operations(history, chance)]
    how = chance.choice(["lines", "vector", "tags"])
    if how == "tags":
        lines = [f"#jepsen.history.Op{line}" for line in lines]
    text = "\n".join(lines)
    return (f"[{text}]" if how == "vector" else text + "\n").encode()


_KEYWORDS = ("invoke", "ok", "fail", "info", "txn", "r", "w", "append")


def _form(value: Any, *, is_key: bool = False) -> str:
    """Return a value as EDN."""
    if value is None:
        return "nil"
    if isinstance(value, dict):
        pairs = (f"{_form(k, is_key=True)} {_form(v)}" for k, v in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{' '.join(map(_form, value))}]"
    if isinstance(value, str):
        return f":{value}" if is_key or value in _KEYWORDS else json.dumps(value)
    return str(value)

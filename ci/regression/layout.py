"""The text of a baseline: sorted keys and short lines, so that a small change is a small diff."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

WIDTH = 100
PER_LINE = 8
"""Numbers in a line of a long list; of texts there is one."""

ORDER = "order"
"""The key of the order of visits."""

_ENDS, _MOST = 10, 16


def text_of(values: Mapping[str, Any]) -> str:
    """Return values as JSON with sorted keys."""
    return _object(values, "") + "\n"


def _object(values: Mapping[str, Any], indent: str) -> str:
    inner = indent + " "
    lines = (f"{inner}{json.dumps(key)}: {_value(key, values[key], inner)}"
             for key in sorted(values))  # fmt: skip
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}" if values else "{}"


def _value(key: str, value: Any, indent: str) -> str:
    if isinstance(value, Mapping):
        return _object(value, indent)
    if not isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    short = json.dumps(value, ensure_ascii=False)
    if not value or (len(indent) + len(key) + len(short) + 5 <= WIDTH and key != ORDER):
        return short
    rows = _visits(value) if key == ORDER else _equal(value)
    inner = indent + " "
    lines = (inner + json.dumps(row, ensure_ascii=False)[1:-1] for row in rows)
    return "[\n" + ",\n".join(lines) + f"\n{indent}]"


def _equal(values: Sequence[Any]) -> Sequence[Sequence[Any]]:
    number = 1 if isinstance(values[0], str) else PER_LINE
    return [values[k : k + number] for k in range(0, len(values), number)]


def _visits(pages: Sequence[int]) -> Sequence[Sequence[int]]:
    """Break an order of visits into lines that end at certain pages.

    So a visit that is added or left out changes its own line, and does not move all that follow.
    """
    rows: list[list[int]] = [[]]
    for page in pages:
        rows[-1].append(page)
        if page % _ENDS == 0 or len(rows[-1]) == _MOST:
            rows.append([])
    return rows if rows[-1] or len(rows) == 1 else rows[:-1]

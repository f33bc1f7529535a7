"""Baselines of crawlers: the measures of their runs in a text file that a review can read."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ..baseline_files import files

SCHEMA = 1
Values = Mapping[str, Mapping[str, Sequence[float]]]
"""By measure, by seed: a value for each repeat."""


@dataclass(frozen=True)
class CrawlBaseline:
    """What crawlers, or policies, reached on the webs of a profile.

    Attributes
    ----------
    counterpoint : str
        The version that made it.
    web : str
        The name of the profile.
    web_digest, measures_digest : str
        Digests of the web of the first seed, and of how measures are computed.
    pages : int or None
        The budget of each run.
    web_pages : int
    values : mapping
        By name, by measure, by seed: a value for each repeat.
    orders : mapping
        By name, by seed: a digest of the order of requests for each repeat.
    requests : mapping
        By name, by seed: the requests of the first repeat in their order, packed as text. Empty
        where the order does not matter.
    sites : mapping
        By name: the share of the fetched pages of each site, on the first seed.
    """

    counterpoint: str
    web: str
    web_digest: str
    measures_digest: str
    pages: int | None
    web_pages: int
    values: Mapping[str, Values] = field(default_factory=dict)
    orders: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    requests: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    sites: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def seeds(self, name: str) -> list[str]:
        """Return the seeds of a crawler, ascending."""
        return sorted({seed for row in self.values[name].values() for seed in row}, key=int)


def digest_of_order(order: Sequence[str]) -> str:
    """Return a digest of an order of requests."""
    return hashlib.blake2b("\n".join(order).encode(), digest_size=8).hexdigest()


def packed(order: Sequence[str]) -> str:
    """Return an order of requests as one line of text."""
    return base64.b64encode(zlib.compress("\n".join(order).encode(), 9)).decode()


def unpacked(text: str) -> list[str]:
    """Return the order that `packed` made into text; raise ValueError if it did not."""
    try:
        return zlib.decompress(base64.b64decode(text, validate=True)).decode().split("\n")
    except zlib.error as error:
        raise ValueError(str(error)) from None


def load(path: Path) -> CrawlBaseline | None:
    """Return a baseline; None if there is no such file.

    Raises
    ------
    CrawlError
        If the file is no baseline.
    """
    return files.load(path, SCHEMA, _made, "crawlers", "remove it to make another")


def _made(content: dict[str, Any]) -> CrawlBaseline:
    baseline = CrawlBaseline(**content)
    _check(baseline)
    return baseline


def _check(baseline: CrawlBaseline) -> None:
    """Refuse a baseline whose parts contradict each other, as after a bad merge."""
    for name, values in baseline.values.items():
        for measure, rows in values.items():
            for seed, row in rows.items():
                int(seed)
                if not row or not all(_is_number(value) for value in row):
                    raise ValueError(f"{name}: {measure} of seed {seed} has no numbers")
    for name, texts in baseline.requests.items():
        for seed, text in texts.items():
            if digest_of_order(unpacked(text)) != baseline.orders[name][seed][0]:
                raise ValueError(f"{name}: an order of requests does not match its digest")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def save(path: Path, baseline: CrawlBaseline) -> None:
    """Write a baseline, complete or not at all."""
    files.save(path, text_of(baseline))


def text_of(baseline: CrawlBaseline) -> str:
    """Return a baseline as JSON: keys sorted, a line for each measure."""
    values = {one.name: getattr(baseline, one.name) for one in fields(baseline)}
    kept = {name: value for name, value in values.items() if value != {}}
    return _written({"schema": SCHEMA, **kept}, "") + "\n"


def _written(value: Any, indent: str) -> str:
    """Return a value as JSON; an object of numbers or lists takes one line."""
    if not isinstance(value, Mapping) or not any(
        isinstance(one, Mapping) for one in value.values()
    ):
        return json.dumps(_sorted(value), ensure_ascii=False)
    inner = indent + " "
    lines = [
        f"{inner}{json.dumps(key, ensure_ascii=False)}: {_written(value[key], inner)}"
        for key in _sorted(dict.fromkeys(value))
    ]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


def _sorted(value: Any) -> Any:
    """Return a value with sorted keys (seeds as numbers), and whole numbers without a point."""
    if isinstance(value, (list, tuple)):
        return [_sorted(one) for one in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, Mapping):
        return value
    keys = sorted(value, key=lambda key: (0, int(key), "") if key.isdigit() else (1, 0, key))
    return {key: _sorted(value[key]) for key in keys}

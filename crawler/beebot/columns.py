"""The columns of the tables of links that differ from table to table."""

from __future__ import annotations

import re
from collections.abc import Callable

from counterpoint.crawler.documents.addresses import domain, site
from counterpoint.crawler.documents.links import Kind, Reference
from counterpoint.crawler.store.recording import Row


def storable(text: str) -> str:
    """Return a text that databases accept: NUL and lone surrogates are replaced by U+FFFD."""
    return _NOT_STORABLE.sub("\ufffd", text)


_NOT_STORABLE = re.compile("[\0\ud800-\udfff]")

COLUMNS: dict[Kind, Callable[[Reference, int | None, int], Row]] = {
    Kind.INTERNAL: lambda one, target, mark: {"target": target, "mark": mark},
    Kind.EXTERNAL: lambda one, target, mark: {
        "address": one.address, "host": site(one.address), "domain": domain(one.address),
        "anchor": storable(one.anchor), "target": target, "mark": mark,
    },
    Kind.BAD: lambda one, target, mark: {"text": storable(one.text), "reason": str(one.reason)},
}  # fmt: skip
"""For each table of links, a function that returns the columns that only this table has."""

"""The rows of the tables of links."""

from __future__ import annotations

import re
from collections.abc import Callable

from counterpoint.crawler.documents.addresses import domain, site
from counterpoint.crawler.documents.links import Kind, Reference
from counterpoint.crawler.store.recording import Page, Row


def storable(text: str) -> str:
    """Return a text that databases accept: NUL and lone surrogates are replaced by U+FFFD."""
    return _NOT_STORABLE.sub("\ufffd", text)


_NOT_STORABLE = re.compile("[\0\ud800-\udfff]")


def _internal(page: Page, one: Reference, target: int | None, mark: int) -> Row:
    return {"page": page.id, "position": one.position, "seed": page.seed, "target": target,
            "mark": mark}  # fmt: skip


def _external(page: Page, one: Reference, target: int | None, mark: int) -> Row:
    return {
        "page": page.id, "position": one.position, "seed": page.seed, "address": one.address,
        "host": site(one.address), "domain": domain(one.address), "anchor": storable(one.anchor),
        "target": target, "mark": mark,
    }  # fmt: skip


def _bad(page: Page, one: Reference, target: int | None, mark: int) -> Row:
    return {"page": page.id, "position": one.position, "seed": page.seed,
            "text": storable(one.text), "reason": str(one.reason)}  # fmt: skip


ROW: dict[Kind, Callable[[Page, Reference, int | None, int], Row]] = {
    Kind.INTERNAL: _internal, Kind.EXTERNAL: _external, Kind.BAD: _bad,
}  # fmt: skip
"""For each table of links, a function that returns the row of a link: of the page that has it, the
reference, the linked page if it may be followed, and the mark."""

"""Documents made to take a parser for ever: elements in elements in elements, endless tags.

A parser of HTML looks through the elements that are open at every tag, and through a tag's
attributes at every attribute, so its time grows with the square of their number: a megabyte of
``<div>`` takes minutes. Browsers stop at some hundred elements; what a document links to from
deeper than `DEEPEST` is not read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

DEEPEST = 1_000
"""Elements within each other that are read."""
LONGEST_TAG = 100_000
"""Bytes without a tag in between that may be one tag, and be read."""

_TAG = re.compile(r"<(/?)([a-z][^\s/>]*)[^<>]*?(/?)>", re.I)
_ALONE = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
    # Their end may be missing, and the next of them ends them.
    "body", "caption", "colgroup", "dd", "dt", "head", "html", "li", "optgroup", "option", "p",
    "rb", "rp", "rt", "tbody", "td", "tfoot", "th", "thead", "tr",
))  # fmt: skip
"""Elements that are never within their like, or need no end."""


class Readable(NamedTuple):
    """What can be read of a document.

    Attributes
    ----------
    text : str
    problem : str
        Why that is not all; "": it is.
    """

    text: str
    problem: str = ""


def readable(document: str) -> Readable:
    """Return what of a document can be parsed in time: nearly always all of it."""
    if len(document) <= LONGEST_TAG and document.count("<") <= DEEPEST:
        return Readable(document)
    coded = np.frombuffer(document.encode("utf-8", "replace"), dtype=np.uint8)
    at = np.flatnonzero(coded[:-1] == ord("<"))
    if not len(at):
        return Readable(document)
    following = coded[at + 1]
    letter = following | 32
    steps = ((letter >= ord("a")) & (letter <= ord("z"))).astype(np.int64)
    steps[following == ord("/")] = -1
    if int(np.diff(at, append=len(coded)).max()) > LONGEST_TAG:
        document = _without_endless_tags(document)
    # As many may be open, if all that begins must end.
    if int(np.cumsum(steps).max()) <= DEEPEST:
        return Readable(document)
    return _shallow(document)


def _shallow(document: str) -> Readable:
    """Return a document up to where elements are too deep in each other."""
    depth = 0
    for tag in _TAG.finditer(document):
        if tag[2].lower() in _ALONE or tag[3]:
            continue
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if depth > DEEPEST:
            problem = f"elements are more than {DEEPEST:,} deep in each other: read up to there"
            return Readable(document[: tag.start()], problem)
    return Readable(document)


def _without_endless_tags(document: str) -> str:
    """Return a document without tags that are too long to be read."""
    return re.sub(rf"<[a-zA-Z/][^<>]{{{LONGEST_TAG},}}>?", "", document)

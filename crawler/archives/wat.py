"""Reads WAT: metadata records with JSON, which have the links of captured pages without bodies.

The format is that of the Internet Archive (Web Archive Transformation), as Common Crawl publishes
it: a record of the type ``metadata`` for each record of the WARC file, whose ``Envelope`` has the
headers of that record, the status and the headers of the answer, and what was found in its HTML.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from counterpoint.crawler.documents.addresses import joined, normalized
from counterpoint.crawler.documents.links import is_page_relation

MOST = 1 << 23
"""The most bytes of JSON that are read of one record."""
_ANCHORS = frozenset(["A@/href", "AREA@/href", "FRAME@/src", "IFRAME@/src"])


class WatPage(NamedTuple):
    """What a WAT file says about the answer to a request.

    Attributes
    ----------
    address : str
        Normalized.
    status : int
    headers : dict of str to str
        Headers of the answer by name in lower case.
    date : str
        When it was captured, as the WARC file said it; "" if it is not said.
    links : tuple of str
        The normalized addresses to which the page links: first those in the head of the document,
        then those in its body, in the order of the document, repeated ones included.
    filename, offset : str, str
        The WARC file of the answer and where it is there; "" if that is not said.
    """

    address: str
    status: int
    headers: dict[str, str]
    date: str
    links: tuple[str, ...]
    filename: str = ""
    offset: str = ""


def page_of(data: bytes) -> WatPage | None:
    """Return what the JSON of a metadata record says; None if it is about no answer.

    Raises
    ------
    ValueError
        If it is no JSON.
    """
    try:
        whole = json.loads(data)
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None
    envelope = _table(whole, "Envelope")
    about = _table(envelope, "WARC-Header-Metadata")
    answer = _table(envelope, "Payload-Metadata", "HTTP-Response-Metadata")
    address = normalized(_text(about, "WARC-Target-URI"))
    status = _text(_table(answer, "Response-Message"), "Status")
    if address is None or _text(about, "WARC-Type") not in ("response", "resource"):
        return None
    if not (len(status) == 3 and status.isdigit() and status.isascii()):
        return None
    headers = {str(name).lower(): value if isinstance(value, str) else ""
               for name, value in _table(answer, "Headers").items()}  # fmt: skip
    container = _table(whole, "Container")
    return WatPage(address, int(status), headers, _text(about, "WARC-Date"),
                   _links(address, _table(answer, "HTML-Metadata")),
                   _text(container, "Filename"), _text(container, "Offset"))  # fmt: skip


def _table(found: Any, *names: str) -> dict[str, Any]:
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _text(table: dict[str, Any], name: str) -> str:
    found = table.get(name)
    return str(found) if isinstance(found, str | int) else ""


def _rows(table: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = table.get(name)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def _links(address: str, html: dict[str, Any]) -> tuple[str, ...]:
    head = _table(html, "Head")
    base = joined(address, _text(head, "Base")) or address
    references = [_text(row, "url") for row in _rows(head, "Link")
                  if is_page_relation(_text(row, "rel"), _text(row, "type"))]  # fmt: skip
    references += [_text(row, "url") for row in _rows(html, "Links")
                   if _text(row, "path") in _ANCHORS]  # fmt: skip
    found = (joined(base, reference) for reference in references)
    return tuple(one for one in found if one is not None)

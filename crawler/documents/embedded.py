"""Reads which resources an HTML document needs to be shown: images, style sheets, scripts, frames.

These are read:

- ``src`` of ``img``, ``script``, ``frame``, ``iframe``, ``embed``, ``audio``, ``video`` and of an
  ``input`` that is an image; of an ``img`` with ``srcset`` alone, its first candidate;
- ``data`` of ``object``, ``poster`` of ``video``, ``background`` of ``body``;
- ``href`` of ``link`` if its ``rel`` names a style sheet that is no alternative.

What a style sheet or a script loads itself is not read, and neither are the sources among which
``picture``, ``audio`` and ``video`` let a browser choose. A resource that is in the address itself
(``data:``) is there with the document. What stands in ``noscript`` is for browsers without scripts,
and is not needed.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from counterpoint.crawler.limits import LINKS

from . import apart
from .addresses import joined

_PLACES = (
    "img, script[src], frame[src], iframe[src], embed[src], audio[src], video, object[data], "
    "input[type=image i][src], link[rel~=stylesheet i][href], body[background]"
)
_NAMES = {"object": ("data",), "link": ("href",), "video": ("src", "poster"),
          "body": ("background",)}  # fmt: skip
"""The attributes of elements that name a resource; of other elements it is ``src``."""


def embedded(document: str, address: str) -> tuple[str, ...] | str:
    """Return the distinct addresses of the resources that a document needs to be shown.

    Parameters
    ----------
    document : str
        The text of the document.
    address : str
        The normalized address of the document.

    Returns
    -------
    tuple of str, or str
        Normalized addresses in the order of the document; or why it could not be read.
    """
    if not apart.wanted(document):
        return embedded_here(document, address)
    found: tuple[str, ...] | str = apart.READER.call("embedded", document, address)
    return found


def embedded_here(document: str, address: str) -> tuple[str, ...]:
    """Return the addresses of resources as `embedded` does, without a limit of time."""
    tree = LexborHTMLParser(_with_scripts(document))
    base = address
    for node in tree.css("base[href]")[:1]:
        base = joined(address, node.attributes["href"] or "") or address
    found: dict[str, None] = {}
    for node in tree.css(_PLACES):
        for text in _references(node):
            target = joined(base, text)
            if target is not None and target != address:
                found[target] = None
        if len(found) >= LINKS:
            break
    return tuple(found)


_OPENERS = re.compile(r"<!--|<(script|style|noscript)(?=[\s/>])", re.IGNORECASE)


def _with_scripts(document: str) -> str:
    """Return a document without ``noscript``, as a browser with scripts reads it.

    The parser reads it as a browser without scripts: in the head of a document, an image in
    ``noscript`` begins the body, where nothing shows any more that it stood there.
    """
    kept, at, begin = [], 0, 0
    while opener := _OPENERS.search(document, at):
        tag = (opener[1] or "").lower()
        end = "-->" if not tag else f"</{tag}"
        closer = re.compile(re.escape(end), re.IGNORECASE).search(document, opener.end())
        if closer is None:
            break
        at = closer.end()
        if tag == "noscript":
            kept.append(document[begin : opener.start()])
            begin = closer.start()
    return "".join([*kept, document[begin:]])


def _references(node: LexborNode) -> list[str]:
    """Return the references of an element to its resources."""
    tag, attributes = node.tag or "", node.attributes
    if tag == "link" and "alternate" in (attributes["rel"] or "").lower().split():
        return []
    texts = [attributes.get(name) for name in _NAMES.get(tag, ("src",))]
    if tag == "img" and not texts[0]:
        candidates = (attributes.get("srcset") or "").split()
        texts = [candidates[0].rstrip(",")] if candidates else []
    return [text for text in texts if text and text.strip()]

"""Digests of webs: whether a web is the one of a baseline, and whether a policy has changed it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from counterpoint.crawler.policy.protocol import Outcome, Scope

from .planted import Planted
from .world import World

SAMPLE = 64
"""The number of pages whose answers are part of the digest of a web."""

_MONTH = 30 * 86_400.0
_OURS = ("counterpoint.sim_web", "counterpoint.studies.comparison")

Found = tuple[Any, bytes]
"""An object, and a digest of its numbers; empty if it is no array."""


def digest_of_web(planted: Planted) -> str:
    """Return a digest of what policies can learn of a web, and of what they are measured by.

    It has all links, hosts, sites, sizes of texts and versions after a month, and for `SAMPLE`
    pages the whole answer. It depends on the generated web alone, and not on the parameters from
    which it was generated.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    digest = hashlib.blake2b(digest_size=8)
    pages = np.arange(planted.web.pages)
    never = np.zeros(len(pages), dtype=np.int64)
    for array in (
        planted.links.offsets, planted.links.targets, planted.host, planted.external,
        np.array(planted.sites), planted.texts.compared(pages, never, never)[0],
        planted.texts.versions(pages, np.full(len(pages), _MONTH)),
    ):  # fmt: skip
        digest.update(array.astype("<i8").tobytes())
    for outcome in _answers(planted):
        digest.update(outcome.links.astype("<i8").tobytes())
        digest.update(repr(outcome._replace(links=outcome.links[:0])).encode())
    if planted.topical:
        digest.update(planted.query.encode() + planted.relevant.tobytes())
    return digest.hexdigest()


def _answers(planted: Planted) -> Iterator[Outcome]:
    """Yield the answers for some pages, a day after each other."""
    pages = np.unique(np.linspace(0, planted.web.pages - 1, SAMPLE).astype(np.int64)).tolist()
    world = World(planted, Scope.WEB, 86_400.0, len(pages), reads=planted.topical)
    for page in pages:
        yield world.fetch(page)


def snapshot(planted: Planted) -> dict[str, Found]:
    """Return the parts of a web with digests of their numbers, by their names."""
    return dict(_parts(planted, "web", set()))


def changed(planted: Planted, before: Mapping[str, Found]) -> list[str]:
    """Return the names of the parts that are no longer as in a snapshot; new parts do not count."""
    now = snapshot(planted)
    return [
        name for name, (found, digest) in before.items()
        if name not in now or now[name][0] is not found or now[name][1] != digest
    ]  # fmt: skip


def _parts(found: Any, name: str, seen: set[int]) -> Iterator[tuple[str, Found]]:
    """Yield an object with its digest, and the objects in it, if they are ours."""
    if isinstance(found, np.ndarray):
        yield name, (found, hashlib.blake2b(np.ascontiguousarray(found).data).digest())
        return
    yield name, (found, b"")
    if id(found) in seen:
        return
    seen.add(id(found))
    for key, inner in _inner(found):
        yield from _parts(inner, f"{name}.{key}", seen)


def _inner(found: Any) -> list[tuple[str, Any]]:
    if isinstance(found, dict):
        return [(str(key), inner) for key, inner in found.items()]
    if isinstance(found, tuple):
        return [(str(key), inner) for key, inner in enumerate(found)]
    if type(found).__module__.startswith(_OURS) and hasattr(found, "__dict__"):
        return list(vars(found).items())
    return []

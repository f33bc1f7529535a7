"""Weights of the pages of a sample, from the links among them."""

from __future__ import annotations

from typing import Any

import numpy as np

from crawler.protocol import Pages

from .samplers import Web

Array = np.ndarray[Any, Any]

DAMPING, TOLERANCE, ROUNDS = 0.85, 1e-10, 200

SIGNALS = ("pagerank", "hub", "authority", "in-degree")


def among(web: Web, pages: Pages) -> tuple[Array, Array]:
    """Return the links among some distinct pages, as offsets and places in ``pages``."""
    ascending = np.argsort(pages)
    ordered = pages[ascending]
    offsets, targets = np.zeros(len(pages) + 1, dtype=np.int64), []
    for place, page in enumerate(pages.tolist()):
        links = web.links(page)
        at = np.minimum(np.searchsorted(ordered, links), len(pages) - 1)
        kept = ascending[at[ordered[at] == links]]
        targets.append(kept)
        offsets[place + 1] = offsets[place] + len(kept)
    return offsets, np.concatenate(targets) if targets else np.zeros(0, dtype=np.int64)


def weights(signal: str, offsets: Array, targets: Array) -> Array:
    """Return a weight for each page of a graph in compressed sparse rows, float64[n]."""
    if signal == "pagerank":
        return page_rank(offsets, targets)
    if signal == "in-degree":
        return np.bincount(targets, minlength=len(offsets) - 1).astype(np.float64)
    hubs, authorities = hits(offsets, targets)
    return hubs if signal == "hub" else authorities


def page_rank(offsets: Array, targets: Array) -> Array:
    """Return PageRank; pages without links give to all alike."""
    pages = len(offsets) - 1
    degrees = np.diff(offsets)
    sources = np.repeat(np.arange(pages), degrees)
    values = np.full(pages, 1.0 / max(1, pages))
    for _ in range(ROUNDS):
        given = (values / np.maximum(degrees, 1))[sources]
        moved = np.bincount(targets, weights=given, minlength=pages)
        rest = 1 - DAMPING + DAMPING * float(values[degrees == 0].sum())
        new = DAMPING * moved + rest / pages
        residual = float(np.abs(new - values).sum())
        values = new
        if residual < TOLERANCE:
            break
    return values


def hits(offsets: Array, targets: Array) -> tuple[Array, Array]:
    """Return hub and authority weights, each of sum 1."""
    pages = len(offsets) - 1
    sources = np.repeat(np.arange(pages), np.diff(offsets))
    hubs = np.full(pages, 1.0 / max(1, pages))
    authorities = hubs
    for _ in range(ROUNDS):
        authorities = _scaled(np.bincount(targets, weights=hubs[sources], minlength=pages))
        new = _scaled(np.bincount(sources, weights=authorities[targets], minlength=pages))
        residual = float(np.abs(new - hubs).sum())
        hubs = new
        if residual < TOLERANCE:
            break
    return hubs, authorities


def _scaled(values: Array) -> Array:
    total = float(values.sum())
    return values / total if total else values

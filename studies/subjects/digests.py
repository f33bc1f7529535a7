"""A digest of a web as crawlers see it: it says of which web a baseline is."""

from __future__ import annotations

import hashlib

import numpy as np

from counterpoint.sim_web import profile as profiles
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.pages import robots
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.world.site import SyntheticSite
from counterpoint.studies.comparison.planted import Planted

PROBED = 100
"""How many pages and hosts of a web are written for its digest; its links count completely."""

_TEXTS = ("about", "source")
"""Keys of a profile that do not influence the web."""

_ADDED = ("endless_paths", "endless_queries", "sitemap_errors")
"""Faults that earlier versions did not have; 0 stands for none."""


def digest_of_web(planted: Planted) -> str:
    """Return a digest of a web: its profile, all of its links, and its first pages as written."""
    web, site = planted.web, SyntheticSite(planted.web)
    profile = profiles.to_mapping(web.profile)
    digest = hashlib.blake2b(digest_size=8)
    kept = {key: value for key, value in profile.items() if key not in _TEXTS}
    # Webs from before there were these keys are the same.
    if not web.profile.forms.hidden:
        del kept["forms"]
    kept["faults"] = {key: value for key, value in kept["faults"].items()
                      if value or key not in _ADDED}  # fmt: skip
    digest.update(repr((sorted(kept.items()), web.pages, web.seed)).encode())
    for array in (planted.links.offsets, planted.links.targets):
        digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    for page in range(min(PROBED, web.pages)):
        answer = site.answer(Question(address(web, page), 0.0))
        digest.update(repr((answer.status, answer.headers)).encode() + answer.body)
    for host in range(min(PROBED, web.hosts)):
        digest.update((robots.text(web, host) or "").encode())
    return digest.hexdigest()

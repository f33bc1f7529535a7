"""How far the synthetic web of a fitted profile is from the captured web, measure by measure.

Both webs are measured by the same code: the synthetic web is written as a capture first.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from counterpoint.sim_web.generator import Web
from counterpoint.studies.captured.settings import CapturedSource

from .fit import Fit
from .measuring.contents import LANGUAGES
from .measuring.measures import Measures, measured
from .measuring.recording import record

Tell = Callable[[str], None]


class Row(NamedTuple):
    """A measure of both webs.

    Attributes
    ----------
    group, name : str
    captured, synthetic : float or None
        None: the web does not have it.
    fitted : bool
        Whether a key of the profile was fitted to this measure. If not, the row is a test of the
        profile.
    share : bool
        Whether it is a share, which is printed in percent.
    """

    group: str
    name: str
    captured: float | None
    synthetic: float | None
    fitted: bool
    share: bool = False

    @property
    def difference(self) -> float | None:
        """The synthetic value minus the captured one."""
        if self.captured is None or self.synthetic is None:
            return None
        return self.synthetic - self.captured


def compared(measures: Measures, fit: Fit, seed: int, tell: Tell | None = None) -> list[Row]:
    """Generate the web of a fitted profile, and compare it with the captured web.

    Parameters
    ----------
    measures : Measures
        Of the captured web.
    fit : Fit
    seed : int
        The seed of the synthetic web. With another seed than that of the fit, no value was fitted
        to this very web.
    tell : callable, optional
        Gets a line of text on the progress.

    Raises
    ------
    WebError
        If the profile cannot be planted on so many pages.
    CrawlError
        If the synthetic web cannot be written to a temporary file.
    """
    web = Web(fit.profile, measures.structure.pages, seed)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "synthetic.warc"
        record(web, path, tell=tell)
        other = measured(CapturedSource("synthetic", (str(path),)), tell)
    kept = {f"{one.section}.{one.key}" for one in fit.settings if not one.fitted}
    return [
        Row(group, name, mine, other_, bool(key) and key not in kept, share)
        for (group, name, mine, key, share), (_, _, other_, _, _) in zip(
            _values(measures), _values(other), strict=True
        )
    ]


_Value = tuple[str, str, float | None, str, bool]
"""The group, the name, the value, the key that is fitted to it or "", and whether it is a share."""


def _values(of: Measures) -> list[_Value]:
    return [*_hosts(of), *_components(of), *_links(of), *_distances(of), *_contents(of)]


def _hosts(of: Measures) -> list[_Value]:
    one = of.structure
    group = "Pages and hosts"
    return [
        (group, "pages", one.pages, "pages", False),
        (group, "hosts", len(one.starts), "hosts.mean_pages", False),
        (group, "pages of the largest host", int(one.sizes[0]), "", False),
        (group, "pages of the median host", float(np.median(one.sizes)), "", False),
        (group, "mean level in hosts", one.depth, "hosts.branching", False),
        (group, "greatest level", one.deepest, "", False),
        (group, "not reached in its host", one.unreached, "", True),
    ]


def _components(of: Measures) -> list[_Value]:
    return [("Bow-tie", name.upper(), share, f"shares.{name}", True)
            for name, share in of.structure.bowtie.shares.items()]  # fmt: skip


def _links(of: Measures) -> list[_Value]:
    one, contents = of.structure, of.contents
    group, into, out = "Links", one.graph.in_degrees, one.graph.out_degrees
    tails = [None if fit is None else fit.exponent for fit in one.tails]
    return [
        (group, "links of a page", one.mean_degree, "degrees.mean", False),
        (group, "links to 1% of the pages", one.top_in, "degrees.in_exponent", True),
        (group, "links on 10% of the pages", one.top_out, "degrees.out_exponent", True),
        (group, "in-degree exponent", tails[0], "", False),
        (group, "out-degree exponent", tails[1], "", False),
        (group, "in-degree, median", float(np.median(into)), "", False),
        (group, "in-degree, 90%", float(np.quantile(into, 0.9)), "", False),
        (group, "in-degree, greatest", int(into.max()), "", False),
        (group, "out-degree, median", float(np.median(out)), "", False),
        (group, "out-degree, 90%", float(np.quantile(out, 0.9)), "", False),
        (group, "out-degree, greatest", int(out.max()), "", False),
        (group, "within a host", one.internal, "degrees.internal", True),
        (group, "answered by a link back", one.reciprocal, "", True),
        (group, "pages without in-links", float((into == 0).mean()), "", True),
        (group, "copies of a link", contents.links / max(1, contents.distinct),
         "degrees.multiplicity", False),
    ]  # fmt: skip


def _distances(of: Measures) -> list[_Value]:
    one, two = of.structure.distances
    return [
        ("Distances", "directed", one.mean, "", False),
        ("Distances", "undirected", two.mean, "", False),
        ("Distances", "pairs with a path", one.connected, "", True),
    ]


def _contents(of: Measures) -> list[_Value]:
    one, pages = of.contents, max(1, of.contents.pages)
    group, statuses = "Contents", "Statuses, by page"
    found: list[_Value] = [
        (group, "text of a page, bytes", one.text / pages, "style.text_bytes", False),
        (group, "page, mean bytes", float(np.mean(one.sizes)), "", False),
        (group, "page, median bytes", float(np.median(one.sizes)), "", False),
        (group, "page, 90% bytes", float(np.quantile(one.sizes, 0.9)), "", False),
        (group, "relative links", one.relative / max(1, one.internal), "style.relative", True),
        (group, "nofollow links", one.nofollow / max(1, one.anchors), "style.nofollow", True),
        (group, "bad references of a page", one.bad / pages, "style.bad_links", False),
    ]
    for name in LANGUAGES:
        found.append((group, f"pages in {name}", one.languages[name] / pages, "style.languages",
                      True))  # fmt: skip
    linked = of.linked
    found += [
        (statuses, "one redirect", of.redirected / pages, "faults.redirect", True),
        (statuses, "several redirects", of.chained / pages, "faults.redirect_chain", True),
        (statuses, "404", linked.get(404, 0) / pages, "faults.not_found", True),
        (statuses, "410", linked.get(410, 0) / pages, "faults.gone", True),
        (statuses, "links not captured", of.uncaptured, "", True),
    ]
    return found

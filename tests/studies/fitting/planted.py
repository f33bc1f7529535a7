"""Captures of synthetic webs whose profiles are known."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from counterpoint.sim_web import profile
from counterpoint.sim_web.generator import Web
from counterpoint.studies.captured.settings import CapturedSource
from counterpoint.studies.fitting.measuring.recording import record

TEXT = """
[shares]
scc = 0.4
in = 0.2
out = 0.2
tendrils = 0.1
tubes = 0.02
disconnected = 0.08

[degrees]
mean = 8
out_exponent = 2.6
internal = 0.6
multiplicity = 1.3
orphans = 0.3

[hosts]
mean_pages = 25
exponent = 0.5
branching = 2.5
navigation = 2

[style]
text_bytes = 900
aliases = 0
frames = 0
base = 0.1
relative = 0.7
canonical = 0.2
nofollow = 0.1
bad_links = 0.5
sitemaps = 0.6
languages = { en = 2, de = 1, ru = 1 }
declared = { header = 1, meta = 1 }

[robots]
present = 0.7
disallow = 0.5
crawl_delay = 0.4
delay_seconds = 3
agent_groups = 0.3

[faults]
redirect = 0.06
redirect_chain = 0.03
redirect_loop = 0.02
not_found = 0.05
gone = 0.04
"""


def web(pages: int, seed: int = 5, text: str = TEXT) -> Web:
    """Return a web of which most values of the profile differ from the defaults."""
    return Web(profile.read(text, "planted", "planted"), pages, seed)


def capture(folder: Path, planted: Web, times: Iterable[float] = (0.0,)) -> CapturedSource:
    """Return a capture of a web, of all pages at each of some times."""
    path = folder / "planted.warc"
    record(planted, path, times)
    return CapturedSource("planted", (str(path),))

"""Equal seeds give equal bytes in every process: pages, files, traps and faults."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from counterpoint.sim_web import profile

ROOT = Path(__file__).resolve().parents[2]

CODE = """
import hashlib, sys
from counterpoint.sim_web import profile
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages import faults, robots, traps
from counterpoint.sim_web.pages.address import address, base36, place_of
from counterpoint.sim_web.pages.host import host
from counterpoint.sim_web.pages.plan import plan
from counterpoint.sim_web.pages.resolve import own_fault
from counterpoint.sim_web.world.site import SyntheticSite

FILES = ("robots.txt", "sitemap.xml", "calendar/2000/01.html", "index.html", "none")
seed = int(sys.argv[1])
for name in profile.names():
    loaded = profile.load(name)
    web = Web(loaded, 20_000 if loaded.sites else 2_000, seed)
    site, digest, seen = SyntheticSite(web), hashlib.blake2b(digest_size=16), set()
    pages = range(0, web.pages, web.pages // (600 if loaded.faults.bomb else 200))
    urls, bombs = [address(web, page) for page in pages], 0
    for page in range(web.pages) if loaded.faults.bomb else ():
        held = plan(web)
        number, code, way = place_of(held.whole, held.real, held.chances, page)
        folder = faults.OWN_FOLDERS.get(own_fault(held, page, code))
        if folder and not (folder == "bomb" and bombs):
            bombs += folder == "bomb"
            tail = "/a" if folder == "loop" else ".html"
            urls.append(f"http://{web.name(number)}/{folder}/{base36(code).decode()}{tail}")
    for number in range(0, web.hosts, max(1, web.hosts // 80)):
        urls += [f"http://{web.name(number)}/{file}" for file in FILES]
        if host(web, number).session_ids:
            path = traps.session(web, web.pages_of(number).start, b"/", 3.0).decode()
            urls.append(f"http://{web.name(number)}{path}")
    for k, url in enumerate(urls):
        question = Question(url, 1e5 * (k % 7), accept_encoding=(None, "gzip", "br")[k % 3])
        answer = site.answer(question)
        digest.update(repr(answer).encode())
        seen |= {str(answer.kind), str(answer.fault)}
    print(name, len(urls), ",".join(sorted(seen)), digest.hexdigest())
"""


def served(seed: int, hash_seed: str) -> list[list[str]]:
    """Return, for each profile, the kinds and faults that a new process saw, and a digest."""
    completed = subprocess.run(
        [sys.executable, "-c", CODE, str(seed)], cwd=ROOT, capture_output=True, text=True,
        check=True, timeout=300, env={**os.environ, "PYTHONHASHSEED": hash_seed},
    ).stdout  # fmt: skip
    return [line.split() for line in completed.splitlines()]


@pytest.mark.long
def test_a_seed_gives_the_same_bytes_in_every_process() -> None:
    """Bytes that depend on a set's order, a hash, an id, a time or a path."""
    with ThreadPoolExecutor() as threads:
        one, other, elsewhere = threads.map(served, (4, 4, 3), ("1", "2", "1"))
    assert one == other
    assert [line[0] for line in one] == profile.names()
    for (name, urls, _, digest), (*_, another) in zip(one, elsewhere, strict=True):
        assert int(urls) >= 200, name
        assert digest != another, name
    seen = set(next(line for line in one if line[0] == "hostile")[2].split(","))
    assert {"page", "robots", "sitemap", "alias", "redirect", "trap", "missing"} <= seen
    assert {"server-error", "unavailable", "reset", "slow-headers", "truncated-chunks",
            "wrong-length", "wrong-type", "huge-page", "redirect-loop", "gone", "endless-body",
            "decompression-bomb", "robots-timeout", "vanished"} <= seen, seen  # fmt: skip

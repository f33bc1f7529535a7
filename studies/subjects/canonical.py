"""A digest of how measures of logs are computed, so that a change of them is told from others.

The measures of one log of one small web are computed. Its requests follow from arithmetic, and its
answers from the web: redirects, faults, robots.txt and waits are among them. So the digest also
changes with the synthetic web; the digest of its web then says so of a baseline, too.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from counterpoint.crawler.policy.protocol import Scope
from counterpoint.sim_web import profile as profiles
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages import sitemap
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.pages.host import has_sitemap, host
from counterpoint.sim_web.pages.truth import documents, links
from counterpoint.sim_web.record import Header, Record
from counterpoint.sim_web.world.site import SyntheticSite
from counterpoint.studies.comparison.canonical import digest_of_results
from counterpoint.studies.comparison.plan import ComparisonPlan

from .judging import LogJudge, OpenWeb
from .measures import MEASURES

PAGES, SITES, REQUESTS, SEED = 300, 20, 160, 4
"""Pages and sites of the web, requests of the log, and the seed of the web."""

SECONDS = 1.7
"""Virtual time between two requests."""

_PROFILE = profiles.from_mapping(
    {
        "name": "canonical",
        "hosts": {"mean_pages": 12},
        "change": {"static": 0.2, "per_day": 400},
        "style": {"frames": 0.2, "nofollow": 0.3, "aliases": 0.1, "text_bytes": 100},
        "robots": {"present": 0.8, "disallow": 0.6, "forbidden": 0.2, "crawl_delay": 0.5,
                   "delay_seconds": 3},
        "faults": {"redirect": 0.1, "redirect_chain": 0.05, "not_found": 0.1, "gone": 0.05,
                   "server_error": 0.1, "unavailable": 0.3, "reset": 0.05, "calendar": 0.5,
                   "sitemap_errors": 0.7, "retry_after": 30},
    },
    "the canonical log",
    "canonical",
)  # fmt: skip


@cache
def digest_of_log_measures() -> str:
    """Return a digest of all measures of the canonical log: 16 hexadecimal digits."""
    return digest_of_results({name: -1.0 if isinstance(value, str) else value
                              for name, value in canonical_values().items()})  # fmt: skip


def canonical_values() -> dict[str, float | str]:
    """Return the measures of the canonical log, computed anew."""
    plan = ComparisonPlan(("log",), _PROFILE, REQUESTS, PAGES, (SEED,), SITES)
    planted = OpenWeb(plan, SEED)
    starts = [int(page) for page in planted.starts(Scope.WEB)[:2]]
    apart = range(planted.web.pages - 1, planted.web.pages - 4, -1)
    with TemporaryDirectory(prefix="counterpoint-") as folder:
        log = Path(folder) / "canonical.jsonl"
        log.write_text(text_of_log(planted.web, [*starts, *apart]), encoding="utf-8")
        values = LogJudge(planted).judge(log, None, starts, None).values
    return {name: values[name] for name in MEASURES}


def text_of_log(web: Web, starts: list[int]) -> str:
    """Return the text of the log of a crawl that begins with some pages."""
    header = Header(profiles.to_mapping(web.profile), web.pages, web.seed, {}, True)
    asked = _addresses(web, starts)
    site = SyntheticSite(web)
    lines = [json.dumps(asdict(_record(site, k, asked[_number(k)]))) for k in range(REQUESTS)]
    return header.line() + "\n".join(lines) + "\n"


def _number(request: int) -> int:
    """Return which address a request is for; some are for one that was requested before.

    The second request comes soon, so that waits are broken, or late, so that copies are stale.
    """
    return {3: request - 3, 6: request - 3, 8: request // 2}.get(request % 9, request)


def _addresses(web: Web, starts: list[int]) -> list[str]:
    """Return addresses in the order of a search; of those that a page names, one in five is missed.

    A host's robots.txt comes before its first page, on two hosts of three. Some addresses are
    none that a page names.
    """
    found = ["http://elsewhere.example/", "http:///", *(address(web, page) for page in starts)]
    found += [f"http://{web.name(host)}/sitemap.xml" for host in range(web.hosts)
              if has_sitemap(web, host) and web.orphans_of(host)][-1:]  # fmt: skip
    seen = set(found)
    by_address = {address(web, page): page for page in range(web.pages)}
    for url in found:
        if url.endswith("/sitemap.xml"):
            named = [one for one in _named_alone(web, url) if one not in seen]
            seen.update(named)
            found += named
        if (page := by_address.get(url)) is None:
            continue
        top = f"http://{web.name(web.host(page))}"
        others = [f"{top}/robots.txt"] * (web.host(page) % 3 < 2)
        others += [f"{top}/sitemap.xml", f"{top}/calendar/2026/01.html"] * (page % 7 == 0)
        named = others + documents(web, page)[1:] + links(web, page)
        for k, one in enumerate(named):
            if one not in seen and k % 5 != 4:
                seen.add(one)
                found.append(one)
    return found


def _named_alone(web: Web, url: str) -> list[str]:
    """Return some of what a sitemap names and no page links to: pages and errors."""
    number = web.named(url.split("/")[2])
    if number is None or not has_sitemap(web, number):
        return []
    wrong = [one for _, one in sitemap.errors(web, host(web, number), 0.0)]
    return [*(address(web, page) for page in web.orphans_of(number)[:2]), *wrong[:2]]


def _record(site: SyntheticSite, number: int, url: str) -> Record:
    """Return a request as a log has it; of those to one client, some run at the same time."""
    started = number * SECONDS
    method = "HEAD" if number % 31 == 30 else "GET"
    has_copy = "*" if number % 18 == 8 else None
    answer = site.answer(Question(url, started, method, has_copy))
    host = url.partition("://")[2].partition("/")[0].lower()
    wait = next((int(value) for name, value in answer.headers if name == "Retry-After"), 0)
    return Record(
        started, started + 0.5 + number % 4, "127.0.0.1", "canonical", method, url, host,
        answer.status, 500 + 11 * (number % 17), answer.kind.value, answer.fault.value,
        answer.page, answer.version, wait,
    )  # fmt: skip

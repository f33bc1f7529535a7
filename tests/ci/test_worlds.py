"""One scheduler in several worlds: the same order of visits in each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.documents.exchange import Exchange, Source, with_links
from counterpoint.crawler.fetching.manners import Limits, Manners
from counterpoint.crawler.policy.protocol import Policy, Scope
from counterpoint.crawler.schedulers.catalogue import POLICIES
from counterpoint.crawler.schedulers.finding import ChosenPolicy
from counterpoint.crawler.worlds.capture import Capture, Recorder
from counterpoint.crawler.worlds.client import Client
from counterpoint.crawler.worlds.crawl import crawl
from counterpoint.crawler.worlds.web_world import Handles, WebWorld
from counterpoint.sim_web import profile
from counterpoint.sim_web.pages.address import address, page_at
from counterpoint.sim_web.world.fetcher import Simulated
from counterpoint.sim_web.world.site import SyntheticSite
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Oracle, Planted
from counterpoint.studies.comparison.world import World
from tests.crawler.scripted import FakeTime
from tests.documentation import site_of
from tests.examples import few_and_many
from tests.sim_web.serving import QUICK
from tests.sim_web.threaded import running
from tests.sim_web.webs import hostile

ALL = [policy for policy in POLICIES.values() if policy.scope is not Scope.KNOWN]
QUERY = "library gardens библиотека сада Bücherei 图书馆 図書館"
"""What those look for that read."""
FOR_ALL = pytest.mark.parametrize("policy", ALL, ids=lambda policy: policy.name)
"""Every policy that finds its pages."""


class ByAddress:
    """A world whose pages are written in process and read by the crawler."""

    def __init__(self, site: SyntheticSite, *, contents: bool = False) -> None:
        self._web, self._contents = Simulated(site), contents

    def get(self, address: str) -> Exchange:
        """Return the response of the site."""
        answer = self._web.get(address)
        kind = dict(answer.headers)["Content-Type"]
        exchange = Exchange(address, answer.status)
        return with_links(exchange, answer.body, kind, contents=self._contents)


class ByHandle:
    """The truth that an oracle reads, in a world of addresses."""

    def __init__(self, planted: Planted, handles: Handles) -> None:
        self._known, self._web, self._handles = Oracle(planted), planted.web, handles

    def external(self, page: int) -> int:
        """Return the external links of a page."""
        found = page_at(self._web, self._handles.address(page))
        assert found is not None
        return self._known.external(found)

    def rate(self, page: int) -> float:
        """Return the change rate of a page."""
        raise NotImplementedError


def visits(
    policy: Policy, world: Any, starts: Sequence[int], budget: int, truth: Any, hosts: Any
) -> list[int]:
    """Return the order of visits of a policy in a world."""
    scheduler = ChosenPolicy(policy.name, policy).scheduler(
        starts, budget, 5, truth, query=QUERY, hosts=hosts
    )
    ended = crawl(
        policy.name, scheduler, world, starts, budget, policy.scope,
        may_overspend=policy.overspends,
    )  # fmt: skip
    # As printed, R3 divides by zero on sites without links: it must do so in each world.
    assert not ended.failed or policy.overspends, ended.why
    return [int(page) for page in ended.order]


def by_number(policy: Policy, planted: Planted, budget: int) -> list[str]:
    """Return the addresses that a policy visits in a world of page numbers."""
    starts = planted.starts(policy.scope)
    world = World(planted, policy.scope, 0.1, budget, reads=policy.reads)
    order = visits(policy, world, starts, budget, Oracle(planted), planted.host.item)
    return [address(planted.web, page) for page in order]


def by_address(
    policy: Policy, source: Source, starts: Sequence[str], budget: int,
    planted: Planted | None = None,
) -> list[str]:  # fmt: skip
    """Return the addresses that a policy visits in a world of addresses.

    On a web whose profile names sites, no links out of them are followed.
    """
    stay = planted is not None and bool(planted.web.profile.sites)
    world = WebWorld(source, starts, policy.scope, stay=stay, reads=policy.reads)
    truth = ByHandle(planted, world.handles) if planted is not None else None
    order = visits(policy, world, world.starts, budget, truth, world.host)
    return [world.handles.address(page) for page in order]


def start_addresses(planted: Planted) -> list[str]:
    """Return the addresses of the start pages of the target set."""
    return [address(planted.web, page) for page in planted.starts(Scope.SITE)]


@lru_cache(maxsize=64)
def one_address_each(
    seed: int, style: float, sites: bool, count: int = 4, declared: bool = False
) -> Planted:
    """Plant a web in which every page has one address: no frames, aliases or faults.

    With ``declared``, every page declares its encoding, so that its text can be read reliably.
    """
    random = Random(seed)
    mapping: dict[str, Any] = {
        "hosts": {"mean_pages": 25},
        "degrees": {"multiplicity": 1.4, "internal": 0.8},
        "style": {
            "frames": 0.0, "aliases": 0.0, "base": style, "relative": style, "canonical": style,
            "nofollow": style, "bad_links": 3 * style, "gzip": style, "brotli": style,
            "chunked": style, "legacy": style, "text_bytes": 200,
            "languages": {"en": 1, "ru": 1, "de": 1, "zh": 1, "ja": 1},
            "declared": {"header": 1, "meta": 1} | ({} if declared else {"wrong": 1, "none": 1}),
        },
        "robots": {"present": 0.5, "disallow": 0.0, "crawl_delay": 0.0, "agent_groups": 0.5},
    }  # fmt: skip
    if sites:
        mapping["shares"] = {"scc": 0.8, "in": 0, "out": 0.2, "tendrils": 0, "tubes": 0,
                          "disconnected": 0}  # fmt: skip
        mapping["sites"] = [
            {"name": f"s{k}", "pages": random.randint(5, 90),
             "external_links": random.randint(1, 40), "spread": 0.5,
             "holders": random.choice([0.02, 0.2, 0.6]), "depth": 6}
            for k in range(5)
        ]  # fmt: skip
    plan = ComparisonPlan((), profile.from_mapping(mapping, "test", "test"), 150, 300, sites=count)
    return Planted(plan, seed)


webs = st.tuples(
    st.integers(0, 9), st.sampled_from([0.0, 0.1, 0.5]), st.booleans(), st.integers(1, 5)
)
"""Arguments of `one_address_each`; a strategy of webs would take too long."""


@few_and_many(given(web=webs, budget=st.integers(1, 150)), 6, 20, FOR_ALL)
def test_a_world_of_numbers_and_one_of_addresses(
    policy: Policy, web: tuple[int, float, bool, int], budget: int
) -> None:
    """A decision that depends on the number of a handle, or links read in another order."""
    planted = one_address_each(*web, declared=policy.reads)
    order = by_number(policy, planted, budget)
    source = ByAddress(SyntheticSite(planted.web), contents=policy.reads)
    starts = start_addresses(planted)
    assert by_address(policy, source, starts, budget, planted) == order
    assert len(order) >= 1 and (len(order) <= budget or policy.overspends)


SERVED = [(1, 0.5, False), (2, 0.2, True), (3, 0.0, True)]


@pytest.fixture(scope="module", params=SERVED, ids=str)
def served_web(request: pytest.FixtureRequest) -> Iterator[tuple[Planted, str]]:
    """Serve a web; yield the web and the address of its proxy."""
    planted = one_address_each(*request.param, declared=True)
    with running(SyntheticSite(planted.web)) as proxy:
        yield planted, proxy


@FOR_ALL
def test_over_http(policy: Policy, served_web: tuple[Planted, str], tmp_path: Path) -> None:
    """Another order of visits over HTTP, or when the crawl is replayed from its capture."""
    planted, proxy = served_web
    starts = start_addresses(planted)
    order = by_number(policy, planted, 90)
    assert len(set(order)) == len(order) > 4
    asking = Client(proxy, contents=policy.reads)
    with asking as client, Recorder(client, tmp_path / "c.gz") as recorder:
        assert by_address(policy, recorder, starts, 90, planted) == order
    assert by_address(policy, Capture(tmp_path / "c.gz"), starts, 90, planted) == order


@pytest.mark.parametrize("name", ["R3", "random", "opic"])
def test_a_hostile_web_is_replayed(name: str, tmp_path: Path) -> None:
    """A fault that the capture lacks or replays differently."""
    web, policy = hostile(4), POLICIES[name]
    starts = [address(web, web.pages_of(host).start) for host in range(0, web.hosts, 9)]
    limits, clock = Limits(seconds=5, body=200_000), FakeTime()
    with (
        running(SyntheticSite(web), settings=QUICK) as proxy,
        Client(proxy, Manners(delay=0.0), limits, now=clock, sleep=clock.sleep) as client,
        Recorder(client, tmp_path / "c") as recorder,
    ):
        live = by_address(policy, recorder, starts, 60)
    assert by_address(policy, Capture(tmp_path / "c"), starts, 60) == live
    assert len(live) > 10


def write_site(folder: Path, random: Random, others: Sequence[str]) -> None:
    """Write a folder of HTML with links of all kinds."""
    places = ["index.html", "a.html", "b/index.html", "b/c.html", "b/d/e.html", "Ü ber.html",
              "f.html", "frames.html", "b/g.txt"]  # fmt: skip
    for place in places:
        up = "../" * place.count("/")
        links = random.choices([up + p.replace(" ", "%20") for p in places], k=6)
        links += random.choices(others, k=random.randrange(4))
        links += ["missing.html", "b", "mailto:x@y.test", "#top", f"{up}b/?q=1"]
        random.shuffle(links)
        body = "".join(f'<a href="{link}">x</a>\n' for link in links)
        if place == "frames.html":
            body = '<frameset><frame src="a.html"><frame src="b/">'
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(f"<!DOCTYPE html><title>{place}</title>{body}")


def capture_crawl(path: Path, mounts: dict[str, str], scope: Scope) -> list[str]:
    """Crawl all pages of mounted sites breadth first into a capture; return the order."""
    whole = next(p for p in ALL if p.name == "breadth-first")
    policy = Policy("whole", "", whole.make, scope)
    starts = [f"http://{host}/" for host in mounts]
    site = SyntheticSite(one_address_each(1, 0.0, False).web)
    with ExitStack() as stack:
        proxy = stack.enter_context(running(site, mounts))
        manners = Manners(leaves_site=scope is not Scope.SITE)
        client = stack.enter_context(Client(proxy, manners, contents=True))
        return by_address(policy, stack.enter_context(Recorder(client, path)), starts, 10**6)


@pytest.fixture(scope="module")
def mounted_sites(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], Path]:
    """Mount folders of HTML; return their hosts and a capture of all reachable pages."""
    top = tmp_path_factory.mktemp("mounted")
    mounts = {f"{name}.test": str(top / name) for name in ("one", "two", "three")}
    others = [f"http://{host}/" for host in mounts] + ["http://elsewhere.example/", "//one.test/b/"]
    for seed, folder in enumerate(mounts.values()):
        write_site(Path(folder), Random(seed), others)
    order = capture_crawl(top / "capture", mounts, Scope.WEB)
    assert len(order) > 30
    return mounts, top / "capture"


@FOR_ALL
def test_mounted_sites(policy: Policy, mounted_sites: tuple[dict[str, str], Path]) -> None:
    """A capture by one policy that lacks pages another policy visits."""
    if policy.oracle:
        pytest.skip("of real sites nobody knows the truth")
    mounts, capture = mounted_sites
    starts = [f"http://{host}/" for host in mounts]
    site = SyntheticSite(one_address_each(1, 0.0, False).web)
    for budget in (7, 10**3):
        with running(site, mounts) as proxy, Client(proxy, contents=policy.reads) as client:
            live = by_address(policy, client, starts, budget)
        assert by_address(policy, Capture(capture), starts, budget) == live
        assert len(live) >= 7


@pytest.mark.long
def test_a_real_documentation_site(tmp_path: Path) -> None:
    """Pages of a real site that are read differently twice, or visited in another order."""
    root = site_of("python3-doc").resolve()
    mounts = {"docs.test": str(root)}
    mounts |= {f"{part}.test": str(root / part) for part in ("c-api", "tutorial")}
    order = capture_crawl(tmp_path / "c.gz", mounts, Scope.SITE)
    assert len(order) > 500
    starts = [f"http://{host}/" for host in mounts]
    site = SyntheticSite(one_address_each(1, 0.0, False).web)
    with running(site, mounts) as proxy, Client(proxy) as client:
        for policy in ALL:
            if policy.scope is Scope.SITE and not policy.oracle:
                live = by_address(policy, client, starts, 15)
                assert by_address(policy, Capture(tmp_path / "c.gz"), starts, 15) == live
                assert len(live) >= 15

"""Addresses of hosts are allocated as the profile says, and both directions agree."""

from __future__ import annotations

import dataclasses
from collections import Counter
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.sim_web import profile
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.generator.allocation import GROUND, AddressUse, Allocation
from counterpoint.sim_web.sections import Addresses

from .profiles import webs

addresses = st.builds(
    Addresses,
    serving=st.floats(0.05, 1),
    defaults=st.floats(0, 0.5),
    own=st.floats(0, 1),
    sharing=st.floats(1, 10),
    hidden=st.floats(0, 1),
    blocks=st.integers(1, 20),
    version=st.sampled_from([4, 6]),
)


def planted(web: Web, settings: Addresses) -> Allocation:
    """Return the addresses of a web whose profile has another section."""
    other = dataclasses.replace(web.profile, addresses=settings)
    return Allocation(Web(other, web.pages, web.seed))


@settings(max_examples=60, deadline=None)
@given(webs(), addresses)
def test_each_host_is_where_its_name_leads(web: Web, section: Addresses) -> None:
    """A host with no or two addresses, or shown at another's, or overlapping blocks."""
    found = planted(web, section)
    assert found.size == sum(block.num_addresses for block in found.blocks)
    assert list(found.blocks) == sorted(found.blocks)
    ground = ip_network(GROUND[int(section.version)])
    for block in found.blocks:
        assert block.version == ground.version
        assert block.subnet_of(ground)  # type: ignore[arg-type]  # they are of one version
    for one, other in zip(found.blocks, found.blocks[1:], strict=False):
        assert not one.overlaps(other)
    at = {address: found.at(address) for block in found.blocks for address in block}
    hosts = [(host, address) for address, told_ in at.items() for host in told_.hosts]
    assert Counter(host for host, _ in hosts) == Counter(range(web.hosts))
    assert all(found.address_of(host) == address for host, address in hosts)
    serving = [one for one in at.values() if one.default or one.shown is not None]
    assert len(serving) == found.serving
    assert sum(one.default and not one.hosts for one in serving) == found.defaults
    for one in serving:
        assert (one.shown is None) == one.default
        assert one.default or one.shown in one.hosts
    assert found.size >= found.serving


@given(webs())
def test_nothing_is_where_nothing_is_allocated(web: Web) -> None:
    """An address outside of all blocks that answers."""
    found = Allocation(web)
    for text in ("1.2.3.4", "::1"):
        assert found.at(ip_address(text)) == AddressUse()


def test_shares_are_those_of_the_profile() -> None:
    """A key of the section that is read wrongly or ignored."""
    web = Web(profile.load("broder-1999"), 100_000, 3)
    section = Addresses(serving=0.02, defaults=0.25, own=0.2, sharing=4, hidden=0.3)
    found = planted(web, section)
    groups = [found.at(address).hosts for address in map(found.address_of, range(web.hosts))]
    distinct = set(groups)
    alone = round(0.2 * web.hosts)
    assert abs(len(distinct) - alone - (web.hosts - alone) / 4) <= 8
    assert found.defaults / found.serving == pytest.approx(0.25, abs=0.001)
    assert found.serving / found.size == pytest.approx(0.02, abs=0.0001)
    shared = [hosts for hosts in distinct if len(hosts) > 1]
    hidden = sum(found.at(found.address_of(hosts[0])).default for hosts in shared)
    assert hidden / len(shared) == pytest.approx(0.3, abs=0.05)
    assert max(map(len, shared)) > 15  # heavy-tailed
    largest = max(range(web.hosts), key=lambda host: len(web.pages_of(host)))
    assert found.at(found.address_of(largest)) == AddressUse((largest,), largest)


def test_the_same_seed_plants_the_same() -> None:
    """Addresses that depend on more than the seed, or not on the seed."""
    kind = profile.load("broder-1999")
    one, same, other = (Allocation(Web(kind, 2000, seed)) for seed in (1, 1, 2))
    assert one.blocks == same.blocks
    assert [one.address_of(host) for host in range(50)] == [same.address_of(h) for h in range(50)]
    assert one.blocks != other.blocks


def test_a_web_of_any_size_costs_nothing() -> None:
    """Memory that grows with the number of hosts or addresses."""
    web = Web(profile.load("broder-1999"), 10**10, 5)
    found = planted(web, Addresses(version=6))
    for host in (0, 12_345_678, web.hosts - 1):
        assert host in found.at(found.address_of(host)).hosts


def test_too_few_addresses_are_reported() -> None:
    """A traceback, or blocks outside the reserved addresses."""
    web = Web(profile.load("broder-1999"), 10**10, 5)
    with pytest.raises(WebError, match=r"no room for them in 240\.0\.0\.0/4"):
        Allocation(web)


@pytest.mark.parametrize("text", ["version = 5", "serving = 0", "sharing = 0.5"])
def test_an_impossible_profile_is_refused(text: str) -> None:
    """A profile that fails when it is used instead of when it is read."""
    with pytest.raises(WebError, match="addresses"):
        profile.read(f"[addresses]\n{text}\n", "mine.toml", "mine")

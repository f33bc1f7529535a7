"""Address blocks laid end to end: the numbering is a bijection for every list of blocks."""

from __future__ import annotations

from collections import Counter
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from counterpoint.crawler.coverage.blocks import Block, Blocks
from counterpoint.crawler.errors import CrawlError


@st.composite
def fours(draw: st.DrawFn, least: int = 0) -> IPv4Network:
    """Return an IPv4 block of any size."""
    length = draw(st.integers(least, 32))
    return IPv4Network((draw(st.integers(0, 2**length - 1)) << (32 - length), length))


@st.composite
def sixes(draw: st.DrawFn, least: int = 0) -> IPv6Network:
    """Return an IPv6 block of any size."""
    length = draw(st.integers(least, 128))
    return IPv6Network((draw(st.integers(0, 2**length - 1)) << (128 - length), length))


def laid(blocks: list[Block]) -> Blocks:
    """Lay blocks end to end; examples with overlapping blocks are skipped."""
    apart = all(
        one.version != other.version or not one.overlaps(other)
        for place, one in enumerate(blocks)
        for other in blocks[:place]
    )
    assume(apart)
    return Blocks.of(blocks)


@given(st.lists(fours() | sixes(), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_there_and_back(blocks: list[Block], chance: object) -> None:
    """A block's end counted never or twice, sizes beyond 64 bits, or the order of the list."""
    found = laid(blocks)
    assert found.size == sum(block.num_addresses for block in blocks)
    for block in blocks:
        for address in (block[0], block[-1], block[block.num_addresses // 2]):
            assert found.address(found.number(address)) == address
    for number in {0, found.size // 3, found.size - 1, *found.starts[:-1]}:
        address = found.address(number)
        assert found.number(address) == number
        assert any(address in block for block in blocks)
    chance.shuffle(blocks)  # type: ignore[attr-defined]
    assert Blocks.of(blocks) == found


@given(st.lists(fours(28) | sixes(124), min_size=1, max_size=5))
def test_all_addresses_in_order(blocks: list[Block]) -> None:
    """A number with two addresses, or with none."""
    found = laid(blocks)
    listed = [address for block in blocks for address in block]
    assert sorted(found.number(address) for address in listed) == list(range(len(listed)))
    assert [found.address(k) for k in range(found.size)] == sorted(
        listed, key=lambda address: (address.version, int(address))
    )


@given(st.lists(fours(20), min_size=1, max_size=8))
def test_merged_blocks_hold_each_address_once(blocks: list[IPv4Network]) -> None:
    """An address lost or counted twice where overlapping blocks are merged."""
    found = Blocks.of(blocks, overlaps="merge")
    spans = sorted((int(b.network_address), int(b.broadcast_address) + 1) for b in blocks)
    total, end = 0, 0
    for first, last in spans:
        total += max(0, last - max(first, end))
        end = max(end, last)
    assert found.size == total
    for block in blocks:
        assert found.address(found.number(block[0])) == block[0]


@given(fours(1), st.data())
def test_overlapping_blocks_are_refused(block: IPv4Network, data: st.DataObject) -> None:
    """Overlapping blocks accepted, from which some addresses would be drawn twice as often."""
    within = data.draw(st.sampled_from([block, block.supernet()]))
    with pytest.raises(CrawlError, match="overlap: an address would count twice"):
        Blocks.of([block, ip_network("::/128"), within])


def test_what_is_not_there() -> None:
    """A result for a number or an address outside of all blocks."""
    found = Blocks.read(["198.51.100.0/30  # one", "", "# none", "2001:db8::/127"])
    assert found.size == 6
    for number in (-1, 6):
        with pytest.raises(CrawlError, match=f"^{number} is the number of no address"):
            found.address(number)
    for text in ("198.51.99.255", "198.51.100.4", "2001:db8::2", "::", "255.255.255.255"):
        with pytest.raises(CrawlError, match=f"address {text} is in no block"):
            found.number(ip_address(text))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], "no block of addresses is given"),
        (["10.0.0.0/8", "10.0.0.1/8"], r"mine, line 2: 10\.0\.0\.1/8 has host bits set"),
        (["nonsense"], "mine, line 1: 'nonsense' does not appear"),
        (["10.0.0.0/33"], "mine, line 1: "),
        (["10.0.0.0/8", "10.1.0.0/16"], r"blocks 10\.0\.0\.0/8 and 10\.1\.0\.0/16 overlap"),
    ],
)
def test_wrong_lists(lines: list[str], expected: str) -> None:
    """A traceback, or a message that does not name the line."""
    with pytest.raises(CrawlError, match=expected):
        Blocks.read(lines, name="mine")


@given(st.integers(0, 2**32), st.integers(0, 40))
def test_draws(seed: int, count: int) -> None:
    """Draws that wrongly repeat, lie outside, or depend on more than the seed."""
    found = Blocks.read(["10.0.0.0/27", "192.0.2.8/29"])
    drawn = list(found.draw(count, seed))
    assert drawn == list(found.draw(count, seed))
    assert len(set(drawn)) == count
    assert all(found.address(found.number(address)) == address for address in drawn)
    assert len(list(found.draw(100, seed, distinct=False))) == 100


@pytest.mark.parametrize("distinct", [False, True])
def test_draws_have_equal_chances(distinct: bool) -> None:
    """A block or its ends drawn too often (chi-square with 39 degrees of freedom, 1 in 10^6)."""
    found = Blocks.read(["10.0.0.0/27", "192.0.2.8/29"])
    counts: Counter[object] = Counter()
    for seed in range(400):
        counts.update(found.draw(10, seed, distinct))
    square = sum((counts[found.address(k)] - 100) ** 2 / 100 for k in range(40))
    assert square < 100


def test_too_many_are_refused_at_once() -> None:
    """A draw that never ends."""
    with pytest.raises(CrawlError, match="9 distinct addresses of 8 cannot be drawn"):
        Blocks.read(["192.0.2.8/29"]).draw(9, 0)

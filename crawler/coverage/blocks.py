"""Numbers the addresses of allocated blocks (the bijection F of [COV]), and draws random addresses.

F maps the addresses of the allocated blocks onto 0..M-1, so that a random integer from that range
gives a random address. The blocks are sorted by address, IPv4 before IPv6, whatever their order in
the registry's list. So a seed draws the same addresses whenever the allocation is the same.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    collapse_addresses,
    ip_network,
)
from itertools import accumulate, pairwise
from typing import TypeAlias

from counterpoint.crawler.errors import CrawlError

Address: TypeAlias = IPv4Address | IPv6Address
Block: TypeAlias = IPv4Network | IPv6Network


@dataclass(frozen=True)
class Blocks:
    """Allocated blocks that do not overlap.

    Made by `of` and `read`. The method `number` is F, and `address` is its inverse.

    Attributes
    ----------
    blocks : tuple of network
        Ascending, IPv4 before IPv6.
    starts : tuple of int
        F of each block's first address; the last item is M, the number of all addresses.
    """

    blocks: tuple[Block, ...]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, blocks: Iterable[Block], overlaps: str = "refuse") -> Blocks:
        """Return blocks in their order.

        Parameters
        ----------
        blocks : iterable of network
        overlaps : {"refuse", "merge"}
            Whether overlapping blocks are an error or are merged, so that no address is counted
            twice. Merging also joins neighbouring blocks that can be written as one; that does not
            change F, since neighbours keep their order.

        Raises
        ------
        CrawlError
            If there is no block, or if two blocks overlap and `overlaps` is ``"refuse"``.
        """
        ordered = sorted(blocks, key=_place)
        if overlaps == "merge":
            ordered = _merged(ordered)
        if not ordered:
            raise CrawlError("no block of addresses is given")
        for one, other in pairwise(ordered):
            if one.version == other.version and one.overlaps(other):
                raise CrawlError(f"blocks {one} and {other} overlap: an address would count twice")
        sizes = (block.num_addresses for block in ordered)
        return cls(tuple(ordered), tuple(accumulate(sizes, initial=0)))

    @classmethod
    def read(cls, lines: Iterable[str], overlaps: str = "refuse", name: str = "blocks") -> Blocks:
        """Return the blocks of a list.

        Parameters
        ----------
        lines : iterable of str
            A block per line in CIDR notation; ``#`` begins a comment.
        overlaps : {"refuse", "merge"}
            As for `of`.
        name : str
            The name of the list in error messages.

        Raises
        ------
        CrawlError
            If a line is not a block; the message names the list and the line. Also as for `of`.
        """
        found = []
        for number, line in enumerate(lines, 1):
            if text := line.partition("#")[0].strip():
                try:
                    found.append(ip_network(text))
                except ValueError as error:
                    raise CrawlError(f"{name}, line {number}: {error}") from None
        return cls.of(found, overlaps)

    @property
    def size(self) -> int:
        """M, the number of addresses."""
        return self.starts[-1]

    def number(self, address: Address) -> int:
        """Return F of an address.

        Raises
        ------
        CrawlError
            If the address is in no block.
        """
        place = bisect_right(self.blocks, _place(address), key=_place) - 1
        if place < 0 or address not in self.blocks[place]:
            raise CrawlError(f"address {address} is in no block")
        return self.starts[place] + int(address) - int(self.blocks[place].network_address)

    def address(self, number: int) -> Address:
        """Return the address whose F is a number.

        Raises
        ------
        CrawlError
            If the number is not in 0..M-1.
        """
        if not 0 <= number < self.size:
            raise CrawlError(f"{number} is the number of no address: there are {self.size:,}")
        place = bisect_right(self.starts, number) - 1
        return self.blocks[place][number - self.starts[place]]

    def draw(self, count: int, seed: int, distinct: bool = True) -> Iterator[Address]:
        """Yield random addresses, each with the same probability.

        Parameters
        ----------
        count : int
        seed : int
        distinct : bool
            Whether to draw without replacement. [COV] does not say whether it does; a million
            draws with replacement from 3 * 10^9 addresses repeat about 170 of them.

        Raises
        ------
        CrawlError
            If `distinct` is set, and there are fewer than `count` addresses.
        """
        if distinct and count > self.size:
            raise CrawlError(f"{count:,} distinct addresses of {self.size:,} cannot be drawn")
        return self._drawn(count, random.Random(seed), distinct)

    def _drawn(self, count: int, chance: random.Random, distinct: bool) -> Iterator[Address]:
        if distinct and 2 * count > self.size:
            yield from map(self.address, chance.sample(range(self.size), count))
            return
        drawn: set[int] = set()
        while count:
            number = chance.randrange(self.size)
            if distinct:
                if number in drawn:
                    continue
                drawn.add(number)
            count -= 1
            yield self.address(number)


def _place(one: Address | Block) -> tuple[int, int]:
    """Return the sort key of a block or an address: IP version and first address."""
    first = one if isinstance(one, IPv4Address | IPv6Address) else one.network_address
    return one.version, int(first)


def _merged(blocks: Iterable[Block]) -> list[Block]:
    held = list(blocks)
    fours = [block for block in held if isinstance(block, IPv4Network)]
    sixes = [block for block in held if isinstance(block, IPv6Network)]
    return [*collapse_addresses(fours), *collapse_addresses(sixes)]

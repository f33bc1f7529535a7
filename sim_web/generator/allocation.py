"""The IP addresses of a web: the allocated blocks, and the hosts at each address.

Everything is a pure function of the web: nothing is stored for an address or a host. The addresses
of all blocks are numbered consecutively, and a keyed permutation maps a number to a *slot*. The
first slots are default pages, addresses with hosts follow, and all other slots are empty. So the
addresses with a server are spread randomly over the blocks.

The addresses do not belong to anyone: 240.0.0.0/4 is reserved, and 2001:db8::/32 is for
documentation.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from itertools import accumulate
from typing import NamedTuple, TypeAlias

import numpy as np

from counterpoint.sim_web.errors import WebError

from . import Web
from .kernels import permuted, unpermuted, zipf_mass

Address: TypeAlias = IPv4Address | IPv6Address
Block: TypeAlias = IPv4Network | IPv6Network

GROUND = {4: "240.0.0.0/4", 6: "2001:db8::/32"}
"""The networks in which blocks are allocated, by version."""

_SPREAD, _SHIFT = 0.9, 3.0
"""The exponent and the shift of the law by which the numbers of hosts at shared addresses fall with
the rank."""

MOST_ADDRESSES = 1 << 60


class AddressUse(NamedTuple):
    """The hosts and pages at an address.

    Attributes
    ----------
    hosts : tuple of int
        The hosts whose names resolve to the address.
    shown : int or None
        The host whose start page answers a request without a host name.
    default : bool
        Whether a default page answers such a request instead. If neither, there is no server.
    """

    hosts: tuple[int, ...] = ()
    shown: int | None = None
    default: bool = False


class Allocation:
    """The addresses of a web's hosts, from the section ``[addresses]`` of its profile.

    Parameters
    ----------
    web : Web

    Attributes
    ----------
    blocks : tuple of network
        The allocated blocks, ascending, without overlap.
    size : int
        The number of addresses in all blocks.
    defaults, serving : int
        The number of addresses with a default page and no host, and of all addresses with a server.

    Raises
    ------
    WebError
        If there is no room for so many addresses.
    """

    def __init__(self, web: Web) -> None:
        section = web.profile.addresses
        self._web, self._section = web, section
        self._own = np.ceil(section.own * web.layout.regions[:, 3]).astype(np.int64)
        self._own_before = np.concatenate(([0], np.cumsum(self._own)))
        self._alone = int(self._own.sum())
        self._others = web.hosts - self._alone
        self._shared = math.ceil(self._others / section.sharing)
        with_hosts = self._alone + self._shared
        self.defaults = round(with_hosts * section.defaults / max(1e-6, 1 - section.defaults))
        self.serving = self.defaults + with_hosts
        self.size = math.ceil(self.serving / section.serving)
        self._keys = tuple(np.uint64(web.bits("addresses", use)) for use in range(2))
        self.blocks: tuple[Block, ...] = self._laid(int(section.version))
        self._starts = [0, *accumulate(block.num_addresses for block in self.blocks)]
        self._firsts = [int(block.network_address) for block in self.blocks]

    # Addresses and their numbers

    def _laid(self, version: int) -> tuple[Block, ...]:
        """Lay out blocks of falling sizes in random order, with gaps between them."""
        ground = ip_network(GROUND[version])
        sizes = _sizes(self.size, int(self._section.blocks))
        order = sorted(range(len(sizes)), key=lambda k: self._web.bits("blocks", k))
        at, laid = int(ground.network_address), []
        for place in order:
            size = sizes[place]
            at += self._web.bits("gaps", place) % size
            at = -(-at // size) * size  # a block begins at a multiple of its size
            laid.append((at, ground.max_prefixlen - size.bit_length() + 1))
            at += size
        if self.size > MOST_ADDRESSES or at > int(ground.broadcast_address):
            raise WebError(f"{self.size:,} addresses: there is no room for them in {ground}; raise "
                           "the share 'serving', or use version 6")  # fmt: skip
        kind = IPv4Network if version == 4 else IPv6Network
        return tuple(kind((first, length)) for first, length in laid)

    def _number(self, address: Address) -> int | None:
        place = bisect_right(self._firsts, int(address)) - 1
        if place < 0 or address not in self.blocks[place]:
            return None
        return self._starts[place] + int(address) - self._firsts[place]

    def _address(self, number: int) -> Address:
        place = bisect_right(self._starts, number) - 1
        return self.blocks[place][number - self._starts[place]]

    # Slots and their hosts

    def at(self, address: Address) -> AddressUse:
        """Return the hosts and pages at an address; there are none if it is not allocated."""
        number = self._number(address)
        if number is None:
            return AddressUse()
        slot = int(unpermuted(self._keys[0], number, self.size))
        if slot < self.defaults:
            return AddressUse(default=True)
        if slot >= self.serving:
            return AddressUse()
        place = slot - self.defaults
        if place < self._alone:
            host = self._of_own(place)
            return AddressUse((host,), host)
        group = place - self._alone
        places = range(self._group_start(group), self._group_start(group + 1))
        hosts = tuple(self._of_other(place) for place in places)
        if len(hosts) > 1 and self._web.chance("hidden", group) < self._section.hidden:
            return AddressUse(hosts, default=True)
        return AddressUse(hosts, hosts[0])

    def address_of(self, host: int) -> Address:
        """Return the address to which a host's name resolves."""
        region = int(np.searchsorted(self._web.layout.regions[:, 2], host, side="right")) - 1
        rank = host - int(self._web.layout.regions[region, 2])
        if rank < self._own[region]:
            place = int(self._own_before[region]) + rank
        else:
            number = host - int(self._own_before[region + 1])
            other = int(permuted(self._keys[1], number, self._others))
            place = self._alone + self._group_of(other)
        slot = self.defaults + place
        return self._address(int(permuted(self._keys[0], slot, self.size)))

    def _of_own(self, place: int) -> int:
        """Return the host at an index among those with an address of their own."""
        region = bisect_right(self._own_before.tolist(), place) - 1
        rank = place - int(self._own_before[region])
        return int(self._web.layout.regions[region, 2]) + rank

    def _of_other(self, place: int) -> int:
        """Return the host at an index among those that share addresses."""
        number = int(unpermuted(self._keys[1], place, self._others))
        before = self._web.layout.regions[:, 2] - self._own_before[:-1]  # others before a region
        region = int(np.searchsorted(before, number, side="right")) - 1
        return number + int(self._own_before[region + 1])

    def _group_start(self, group: int) -> int:
        """Return the index of the first host at a shared address; after the last, their number."""
        if group >= self._shared:
            return self._others
        mass = float(zipf_mass(float(group), float(self._shared), _SPREAD, _SHIFT))
        return group + int((self._others - self._shared) * mass)

    def _group_of(self, place: int) -> int:
        """Return the shared address of the host at an index."""
        return bisect_right(range(self._shared), place, key=self._group_start) - 1


def _sizes(total: int, number: int) -> list[int]:
    """Return sizes of blocks that sum to ``total``: powers of two, about as 1, 1/2, 1/3 ...

    The rest is divided into further powers of two.
    """
    whole = sum(1 / rank for rank in range(1, number + 1))
    sizes = []
    for rank in range(1, number + 1):
        if (size := int(total / whole / rank)) > 0:
            sizes.append(1 << (size.bit_length() - 1))
    rest = total - sum(sizes)
    return sizes + [1 << bit for bit in range(rest.bit_length()) if rest >> bit & 1]

"""Decides which addresses may be requested: http and https on the public Internet, by default.

A name is resolved once per connection, all its IP addresses are checked, and the connection is made
to one of them. So there is no second look-up in which the name could resolve to a private address.
Numeric addresses are checked in every notation that systems understand (``2130706433`` and
``0x7f.1`` are 127.0.0.1), for the last time when the socket is opened.

With a proxy, the proxy resolves names. Then only the scheme, the site and numeric addresses can be
checked; the proxy decides what it connects to.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

_CLOSED_4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
            "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
            "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        ),
    )
)  # fmt: skip
"""IANA's special-purpose registry (RFC 6890), multicast, and the reserved rest."""

_OPEN_6 = IPv6Network("2000::/3")
_CLOSED_6 = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "3fff::/20")))
_HOLD_4 = ((IPv6Network("::ffff:0:0/96"), 0), (IPv6Network("64:ff9b::/96"), 0),
           (IPv6Network("2002::/16"), 80))  # fmt: skip
"""IPv4-mapped, NAT64 and 6to4: in them is an IPv4 address, that many bits from the right."""


class ForbiddenError(OSError):
    """The address may not be requested; the message says why."""


def is_public(address: str) -> bool:
    """Return whether an IP address is public; an address with a scope is not."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv4Address):
        return _is_public_4(found)
    if found.scope_id is not None:
        return False
    for network, shift in _HOLD_4:
        if found in network:
            return _is_public_4(IPv4Address(int(found) >> shift & 0xFFFF_FFFF))
    return _is_public_6(found)


def _is_public_4(address: IPv4Address) -> bool:
    return not any(address in network for network in _CLOSED_4)


def _is_public_6(address: IPv6Address) -> bool:
    return address in _OPEN_6 and not any(address in network for network in _CLOSED_6)


@lru_cache(maxsize=8_192)
def number(host: str) -> str | None:
    """Return the IP address of a host that is written as a number; None if the host is a name.

    Parameters
    ----------
    host : str
        A host without a port; an IPv6 address with or without brackets.
    """
    host = host.strip("[]").rstrip(".")
    try:
        return str(ip_address(host))
    except ValueError:
        pass
    if not host[-1:].isalnum() or not host[:1].isdigit():
        return None
    try:
        return socket.inet_ntoa(socket.inet_aton(host))  # 1, 2 or 3 parts, octal, hexadecimal
    except (OSError, UnicodeError):
        return None


class Guard:
    """Refuses addresses that may not be requested.

    Parameters
    ----------
    private : bool
        Whether addresses of private networks and of this machine may be requested.
    """

    def __init__(self, *, private: bool = False) -> None:
        self.private = private

    def problem(self, address: str) -> str:
        """Return why an address may not be requested; "" if it may, as far as its text shows."""
        if not address.startswith(("http://", "https://")):
            return "is no address of http or https"
        if self.private:
            return ""
        authority = address.split("/", 3)[2].rpartition("@")[2]
        mark = "]" if authority.startswith("[") else ":"
        found = number(authority.partition(mark)[0])
        return "" if found is None else self.of_number(found)

    def of_number(self, found: str) -> str:
        """Return why an IP address may not be requested; "" if it may."""
        if self.private or is_public(found):
            return ""
        return f"{found} is no public address"

    def opened(self, info: Sequence[Any]) -> socket.socket:
        """Make the socket for a connection, after a last check of the IP address.

        Raises
        ------
        ForbiddenError
            If the address may not be requested.
        """
        family, kind, protocol, _, name = info
        if problem := self.of_number(str(name[0])):
            raise ForbiddenError(problem)
        made = socket.socket(family, kind, protocol)
        made.setblocking(False)
        return made


class Resolver(AbstractResolver):
    """Resolves names, and refuses a name if any of its IP addresses may not be requested.

    The name is refused even if other addresses are allowed: a mixture suggests an attack.

    Parameters
    ----------
    guard : Guard
    resolver : AbstractResolver, optional
        Resolves names; by default the system's resolver.
    """

    def __init__(self, guard: Guard, resolver: AbstractResolver | None = None) -> None:
        self._guard, self._resolver = guard, resolver or ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the IP addresses of a name.

        Raises
        ------
        ForbiddenError
            If one of them may not be requested.
        """
        found = await self._resolver.resolve(host, port, family)
        for one in found:
            if problem := self._guard.of_number(one["host"]):
                raise ForbiddenError(f"{host} is {problem.replace(' is', ', which is', 1)}")
        return found

    async def close(self) -> None:
        """Close the resolver."""
        await self._resolver.close()

"""Which addresses may be requested: all spellings, changing names, redirects to the inside."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from hypothesis import example, given
from hypothesis import strategies as st

from counterpoint.crawler.fetching.guard import ForbiddenError, Guard, Resolver, is_public, number
from counterpoint.crawler.fetching.network import Network, PageRequest

from .loopback import serving

CLOSED = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.9.9.9", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1",
    "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1",
    "2002:7f00:1::", "2002:c0a8:101::1", "2001::1", "2001:db8::1", "3fff::1", "fc00::1", "fd12::1",
    "fe80::1", "fe80::1%lo", "fec0::1", "ff02::1", "100::1", "5f00::1", "4000::1",
    "no address", "",
]  # fmt: skip
OPEN = ["1.1.1.1", "93.184.216.34", "172.32.0.1", "192.0.1.1", "2606:4700::1111", "2a00:1450::1",
        "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]  # fmt: skip


@pytest.mark.parametrize("address", CLOSED)
def test_closed(address: str) -> None:
    """A public-looking address that leads into a private network."""
    assert not is_public(address)


@pytest.mark.parametrize("address", OPEN)
def test_open(address: str) -> None:
    """An address of the public Web that is refused."""
    assert is_public(address)


@given(st.integers(0, 2**32 - 1).map(IPv4Address) | st.integers(0, 2**128 - 1).map(IPv6Address))
@example(IPv4Address("10.0.0.1"))
def test_what_the_standard_library_calls_private(address: IPv4Address | IPv6Address) -> None:
    """A private block that is missing here and in the standard library's list."""
    inner = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    judged = inner or address
    if judged.is_private or judged.is_multicast or judged.is_reserved or judged.is_link_local:
        assert not is_public(str(address))


@given(st.integers(0, 2**32 - 1), st.sampled_from(["{}", "0x{:x}", "0{:o}"]), st.integers(0, 3))
def test_odd_spellings(value: int, form: str, parts: int) -> None:
    """127.0.0.1 spelled 2130706433, 0x7f.1 or 0177.0.0.1, which systems understand."""
    octets = list(value.to_bytes(4, "big"))
    rest = int.from_bytes(octets[parts:], "big")
    spelled = ".".join([form.format(octet) for octet in octets[:parts]] + [form.format(rest)])
    assert number(spelled) == str(IPv4Address(value))
    problem = Guard().problem(f"http://{spelled}:81/")
    assert bool(problem) == (not is_public(str(IPv4Address(value))))
    assert not Guard(private=True).problem(f"http://{spelled}/")


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("http://[::1]/", False), ("http://[::ffff:7f00:1]:80/", False), ("https://127.1/", False),
        ("http://127.0.0.1./", False), ("http://u:p@10.0.0.1/", False), ("http://1.1.1.1/", True),
        ("https://[2606:4700::1111]/", True), ("http://example.org/", True),
        ("http://3.org/", True),
        ("http://1e100.net/", True), ("ftp://example.org/", False), ("file:///etc/passwd", False),
    ],
)  # fmt: skip
def test_addresses(address: str, allowed: bool) -> None:
    """A number that passes for a host name, or a scheme other than http and https."""
    assert bool(Guard().problem(address)) != allowed


class Names(AbstractResolver):
    """A resolver that returns the given answers in turn, and counts its calls."""

    def __init__(self, *turns: list[str]) -> None:
        self.turns, self.asked = list(turns), 0

    async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[ResolveResult]:
        """Return the next answer; the last one is repeated."""
        self.asked += 1
        found = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        kind = socket.AF_INET
        return [
            ResolveResult(hostname=host, host=one, port=port, proto=0, flags=0,
                          family=socket.AF_INET6 if ip_address(one).version == 6 else kind)
            for one in found
        ]  # fmt: skip

    async def close(self) -> None:
        """Do nothing, as nothing is open."""


@pytest.mark.parametrize(
    "addresses", [["127.0.0.1"], ["1.1.1.1", "10.0.0.1"], ["::ffff:127.0.0.1"]]
)
def test_names_of_private_addresses(addresses: list[str]) -> None:
    """A name whose addresses include one of this machine."""
    with pytest.raises(ForbiddenError, match=r"evil.test is .*, which is no public address"):
        asyncio.run(Resolver(Guard(), Names(addresses)).resolve("evil.test"))
    assert asyncio.run(Resolver(Guard(private=True), Names(addresses)).resolve("evil.test"))


def test_a_name_that_turns() -> None:
    """A name that is public when checked, and private when the connection is made."""
    names = Names(["1.1.1.1"], ["127.0.0.1"])
    reached: list[bytes] = []

    async def ask() -> list[str]:
        async with serving(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", reached) as port:
            address = f"http://evil.test:{port}/"
            answers = []
            connected: list[str] = []

            class Watched(Guard):
                def opened(self, info: Any) -> socket.socket:
                    connected.append(info[4][0])
                    made = super().opened(info)
                    made.close()  # the connection itself is not needed
                    raise OSError("not asked in a test")

            network = Network(guard=Watched(), resolver=names)
            for _ in range(2):
                answers.append((await network.fetch(PageRequest(address))).problem)
            await network.close()
            assert connected == ["1.1.1.1"] * len(connected) and connected
            direct = Network(guard=Guard(), resolver=Names(["127.0.0.1"]))
            answers.append((await direct.fetch(PageRequest(address))).problem)
            await direct.close()
            inside = Network(guard=Guard(private=True), resolver=Names(["127.0.0.1"]))
            assert (await inside.fetch(PageRequest(address))).body == b"x"
            await inside.close()
        return answers

    answers = asyncio.run(ask())
    assert answers[2] == "evil.test is 127.0.0.1, which is no public address"
    assert len(reached) == 1


def test_the_last_check() -> None:
    """A connection that is made without the check of its resolved address."""
    with pytest.raises(ForbiddenError, match=r"127.0.0.1 is no public address"):
        Guard().opened((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 80)))
    Guard().opened((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("1.1.1.1", 80))).close()

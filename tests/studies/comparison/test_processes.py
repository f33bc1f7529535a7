"""The processor time of other processes, and webs that nobody can change."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest

from counterpoint.crawler.policy.protocol import Scope
from counterpoint.sim_web import profile
from counterpoint.studies.comparison.memory import limited_memory
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Oracle, Planted, immutable, number_of
from counterpoint.studies.comparison.processor import processor_seconds, seconds_of
from counterpoint.studies.comparison.webs import changed, digest_of_web, snapshot


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0:00.25", 0.25), ("01:02", 62.0), ("01:00:01", 3601.0), ("2-00:00:05", 172_805.0)],
)
def test_times_as_ps_prints_them(text: str, seconds: float) -> None:
    """Minutes that are read as hours, or days that are lost."""
    assert seconds_of(text) == seconds


def test_a_process_that_waits_uses_no_processor() -> None:
    """The time since the start taken for processor time, or that of the wrong process."""
    waits = [sys.executable, "-c", "input()"]
    with subprocess.Popen(waits, stdin=subprocess.PIPE) as process:
        until = time.monotonic() + 60
        while processor_seconds(process.pid) == 0.0 and time.monotonic() < until:
            continue
        before = processor_seconds(process.pid)
        assert 0 < before < 60
        process.kill()
    assert processor_seconds(process.pid) == 0.0  # it is gone


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux limits it")
def test_memory_is_limited_for_a_time() -> None:
    """A limit that does not hold, or that holds on afterwards."""
    with limited_memory(2**26):
        assert len(bytearray(2**24)) == 2**24
        with pytest.raises(MemoryError):
            bytearray(2**28)
    assert len(bytearray(2**28)) == 2**28


def planted(seed: int = 1, pages: int = 300, name: str = "broder-1999") -> Planted:
    """Return a small web."""
    return Planted(ComparisonPlan((), profile.load(name), 10, pages, sites=2), seed)


@pytest.mark.long
def test_a_frozen_web_cannot_be_written_or_made_writeable() -> None:
    """An array that a policy can write to, by itself or by its base."""
    web = planted()
    before = planted()
    web.freeze([Scope.WEB, Scope.SITE])
    arrays = [web.host, web.external, web.links.offsets, web.links.targets, web.ranks,
              *web.part(Scope.WEB), *web.part(Scope.SITE), web.reachable(Scope.WEB),
              web.sizes_until(5.0), web.of_site]  # fmt: skip
    for array in arrays:
        base: object = array
        while isinstance(base, np.ndarray):
            with pytest.raises(ValueError, match="WRITEABLE"):
                base.flags.writeable = True
            base = base.base
        assert isinstance(base, bytes)
    assert (web.host == before.host).all() and (web.ranks == before.ranks).all()
    assert (web.part(Scope.WEB)[1] == before.part(Scope.WEB)[1]).all()


def test_an_immutable_array_equals_the_array() -> None:
    """Another shape, or another type of numbers."""
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    found = immutable(array)
    assert found.dtype == array.dtype and (found == array).all()


def test_functions_for_policies_lead_to_no_array() -> None:
    """A method of an array, whose attribute `__self__` is the whole web."""
    web = planted()
    oracle = Oracle(web)
    for function in (number_of(web.host), oracle.external, oracle.rate):
        assert not hasattr(function, "__self__")
    assert not hasattr(oracle, "__dict__")


def test_a_change_of_a_web_is_named() -> None:
    """A change that a digest does not notice, or a part that is computed later and taken for it."""
    web = planted()
    before = snapshot(web)
    web.sizes_until(7.0)
    assert web.ranks.sum() > 0
    assert changed(web, before) == []
    web.external[3] += 1
    assert changed(web, before) == ["web.external"]
    web.external[3] -= 1
    web.host = web.host.copy()
    assert changed(web, before) == ["web.host"]


@pytest.mark.long
def test_the_digest_of_a_web_follows_the_web() -> None:
    """Two webs with one digest, or one web with two."""
    first = planted()
    assert digest_of_web(first) == digest_of_web(planted())
    frozen = planted()
    frozen.freeze([Scope.WEB])
    assert digest_of_web(frozen) == digest_of_web(first)
    others = {digest_of_web(planted(2)), digest_of_web(planted(1, 301)), digest_of_web(first)}
    assert len(others) == 3
    first.links.targets[5] ^= 1
    assert digest_of_web(first) not in others


@pytest.mark.long
@pytest.mark.parametrize("name", ["topical", "hostile", "living"])
def test_digests_know_texts_and_faults(name: str) -> None:
    """A digest that fails where pages have topics, fail or change; or that has no texts."""
    web = planted(3, 400, name)
    first = digest_of_web(web)
    assert first == digest_of_web(planted(3, 400, name))
    web.texts._lengths[:] += 1
    assert digest_of_web(web) != first

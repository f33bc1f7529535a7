"""The same plan on a Dask cluster: a task for each web, each a pure function of plan and seed.

A task lets a process of its own run the policies (`crew`), so that a policy that hangs is ended
there as it is here. A worker that dies loses nothing: its tasks are given to another one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

from counterpoint.crawler.errors import CrawlError
from counterpoint.graph.errors import GraphError
from counterpoint.sim_web.errors import WebError

from .comparison import Comparison, Tell, checked, collected
from .crew import Crew, Fallen
from .plan import Plan
from .run import Run

REACH = 5.0
"""Seconds in which a scheduler has to answer."""

WORKERS = 30.0
"""Seconds that a scheduler may be without a worker."""

_LOOK = 1.0

_of_thread = threading.local()


def compare_on(address: str, plan: Plan, tell: Tell | None = None) -> Comparison:
    """Run a plan on the cluster of a scheduler.

    Parameters
    ----------
    address : str
        Such as ``tcp://192.0.2.7:8786``.
    plan : Plan
    tell : callable, optional
        Told how far it is.

    Raises
    ------
    CrawlError
        If dask.distributed is not installed, the scheduler does not answer, or it has no workers.
    """
    policies, fallen = checked(plan), Fallen(len(plan.policies))
    client = _client(address)
    try:
        runs = _runs(client, address, plan, fallen)
        return collected(plan, policies, runs, fallen, tell)
    except (OSError, TimeoutError) as error:
        raise CrawlError(f"--on: the scheduler at {address} is lost: {error}") from error
    finally:
        client.close(timeout=REACH)


def _client(address: str) -> Any:
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise CrawlError(f"--on needs dask.distributed, and there is no module {error.name}: "
                         "pip install 'counterpoint[dask]'") from None  # fmt: skip
    if "://" not in address:
        raise CrawlError(f"--on: a scheduler is named as tcp://host:port, not {address!r}")
    try:
        connected: Any = Client  # it has no types
        return connected(address, timeout=REACH)
    except (OSError, TimeoutError, ValueError) as error:
        why = str(error).partition("\n")[0] or type(error).__name__
        raise CrawlError(f"--on: no scheduler answers at {address}: {why}") from None


def _runs(client: Any, address: str, plan: Plan, fallen: Fallen) -> Iterator[Run]:
    """Yield the runs of all tasks as they end; a few more are under way than there are threads."""
    from distributed import wait

    seeds = iter(plan.seeds)
    waiting: set[Any] = set()
    alone = time.monotonic()
    while True:
        threads = sum(client.nthreads().values())
        if threads:
            alone = time.monotonic()
        elif time.monotonic() - alone > WORKERS:
            raise CrawlError(f"--on: the scheduler at {address} has no workers")
        for seed in islice(seeds, max(0, 2 * threads - len(waiting))):
            key = f"counterpoint-{seed}-{id(waiting):x}-{time.time_ns():x}"
            waiting.add(client.submit(run_seed, plan, seed, fallen.wanted(seed), key=key,
                                      pure=False))  # fmt: skip
        if not waiting and threads:
            return
        done = _ended(wait, waiting) if waiting else set()
        waiting -= done
        for future in done:
            yield from _result(future, address)
        if not waiting and not threads:
            time.sleep(_LOOK)


def _ended(wait: Any, waiting: set[Any]) -> set[Any]:
    try:
        return set(wait(waiting, timeout=_LOOK, return_when="FIRST_COMPLETED").done)
    except TimeoutError:
        return set()


def _result(future: Any, address: str) -> list[Run]:
    """Return the runs of a task; what is no error of ours is the cluster's."""
    try:
        return list(future.result())
    except (CrawlError, GraphError, WebError, MemoryError):
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
        raise CrawlError(f"--on: a task failed on the cluster of {address}: {why}") from error


def run_seed(plan: Plan, seed: int, policies: tuple[int, ...]) -> list[Run]:
    """Run policies of a plan on the web of a seed, in a process that this thread keeps."""
    crew = getattr(_of_thread, "crew", None)
    if crew is None or _of_thread.plan != plan:
        if crew is not None:
            crew.close()
        _of_thread.plan, _of_thread.crew = plan, Crew(plan, 1)
    try:
        return list(_of_thread.crew.work([seed], lambda _: policies))
    except BaseException:
        _of_thread.crew.close()
        del _of_thread.crew
        raise

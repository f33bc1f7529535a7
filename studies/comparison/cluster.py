"""Runs a comparison on a Dask cluster: one task per web, each a pure function of plan and seed.

A task runs the policies in a separate process (`pool`), so that a policy that hangs can be killed
there as on one machine. If a worker dies, Dask gives its tasks to another worker.
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
from .plan import ComparisonPlan
from .pool import FailedPolicies, WorkerPool
from .run import PolicyRun

REACH = 5.0
"""Seconds within which a scheduler must answer."""

WORKERS = 30.0
"""Seconds for which a scheduler may be without a worker."""

_LOOK = 1.0

_of_thread = threading.local()


def compare_on(address: str, plan: ComparisonPlan, tell: Tell | None = None) -> Comparison:
    """Run a plan on the cluster of a scheduler.

    Parameters
    ----------
    address : str
        The address of the scheduler, such as ``tcp://192.0.2.7:8786``.
    plan : ComparisonPlan
    tell : callable, optional
        Called with a line of text about the progress.

    Raises
    ------
    CrawlError
        If dask.distributed is not installed, the scheduler does not answer, or it has no workers.
    """
    policies, fallen = checked(plan), FailedPolicies(len(plan.policies))
    client = connected(address)
    try:
        runs = _runs(client, address, plan, fallen)
        return collected(plan, policies, runs, fallen, tell)
    except (OSError, TimeoutError) as error:
        raise CrawlError(f"--on: the scheduler at {address} is lost: {error}") from error
    finally:
        client.close(timeout=REACH)


def connected(address: str) -> Any:
    """Return a client of the scheduler at an address; raise CrawlError as `compare_on` does."""
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise CrawlError(f"--on needs dask.distributed, and there is no module {error.name}: "
                         "pip install 'counterpoint[dask]'") from None  # fmt: skip
    if "://" not in address:
        raise CrawlError(f"--on: a scheduler is named as tcp://host:port, not {address!r}")
    try:
        made: Any = Client  # it has no types
        return made(address, timeout=REACH)
    except (OSError, TimeoutError, ValueError) as error:
        why = str(error).partition("\n")[0] or type(error).__name__
        raise CrawlError(f"--on: no scheduler answers at {address}: {why}") from error


def _runs(
    client: Any, address: str, plan: ComparisonPlan, fallen: FailedPolicies
) -> Iterator[PolicyRun]:
    """Yield the runs of all tasks as they end; twice as many tasks are submitted as threads exist.

    Parameters
    ----------
    client : distributed.Client
    address : str
        The address of the scheduler, for messages.
    plan : ComparisonPlan
    fallen : FailedPolicies

    Raises
    ------
    CrawlError
        If the scheduler has no workers for too long, or a task fails on the cluster.
    """
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


def _result(future: Any, address: str) -> list[PolicyRun]:
    """Return the runs of a task; exceptions that are not ours become a `CrawlError`."""
    try:
        return list(future.result())
    except (CrawlError, GraphError, WebError, MemoryError):
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
        raise CrawlError(f"--on: a task failed on the cluster of {address}: {why}") from error


def run_seed(plan: ComparisonPlan, seed: int, policies: tuple[int, ...]) -> list[PolicyRun]:
    """Run policies on the web of a seed, in a process that this thread keeps for later tasks.

    Parameters
    ----------
    plan : ComparisonPlan
    seed : int
    policies : tuple of int
        The indices of the policies in the plan.
    """
    pool = getattr(_of_thread, "pool", None)
    if pool is None or _of_thread.plan != plan:
        if pool is not None:
            pool.close()
        _of_thread.plan, _of_thread.pool = plan, WorkerPool(plan, 1)
    try:
        return list(_of_thread.pool.work([seed], lambda _: policies))
    except BaseException:
        _of_thread.pool.close()
        del _of_thread.pool
        raise

"""The interface of a study, and the parallel run of its parts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

from counterpoint.crawler.errors import CrawlError
from counterpoint.models.checking.processes import in_order
from counterpoint.studies.comparison import cluster

Item = TypeVar("Item")
Result = TypeVar("Result")
Tell = Callable[[str], None]
_CLUSTER: ContextVar[Any] = ContextVar("cluster", default=None)


class Study(Protocol):
    """The measured figures of a study."""

    def to_json(self) -> dict[str, Any]:
        """Return all figures, ready for JSON."""
        ...


def run_all(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    processes: int,
    tell: Tell | None = None,
    unit: str = "web",
) -> list[Result]:
    """Call a function with each item, in several processes, and return the results in order.

    Parameters
    ----------
    function : callable
        Called with one item; it must be picklable.
    items : iterable
        The items.
    processes : int
        How many calls run at the same time.
    tell : callable, optional
        Shows the progress.
    unit : str
        The name of an item in the progress line.
    """
    jobs = list(items)
    found: list[Result] = []
    client = _CLUSTER.get()
    several = (
        in_order(function, jobs, min(processes, max(1, len(jobs)))) if client is None
        else _on(client, function, jobs)
    )  # fmt: skip
    with closing(several) as results:
        for result in results:
            found.append(result)
            if tell is not None:
                tell(f"{unit} {len(found)} of {len(jobs)}")
    return found


@contextmanager
def on_cluster(address: str) -> Iterator[None]:
    """Let `run_all` use the Dask cluster of a scheduler in place of processes of this machine.

    Parameters
    ----------
    address : str
        The address of the scheduler, such as ``tcp://192.0.2.7:8786``.

    Raises
    ------
    CrawlError
        If dask.distributed is not installed, or the scheduler does not answer or is lost.
    """
    client = cluster.connected(address)
    before = _CLUSTER.set(client)
    try:
        _wait_for_a_worker(client, address)
        yield
    except (OSError, TimeoutError) as error:
        if error.filename is not None:  # a file, such as a kept result, cannot be read or written
            raise
        raise CrawlError(f"--on: the scheduler at {address} is lost: {error}") from error
    finally:
        _CLUSTER.reset(before)
        client.close(timeout=cluster.REACH)


def _wait_for_a_worker(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=cluster.WORKERS)
    except TimeoutError:
        raise CrawlError(f"--on: the scheduler at {address} has no workers") from None


def _on(
    client: Any, function: Callable[[Item], Result], jobs: Sequence[Item]
) -> Generator[Result, None, None]:
    """Yield a function's result for each job, in the order of the jobs, from a cluster."""
    from distributed import CancelledError, KilledWorker

    futures = client.map(function, jobs, pure=False)
    try:
        for future in futures:
            yield future.result()
    except (CancelledError, KilledWorker) as error:
        raise CrawlError(f"--on: a part of the study failed on the cluster: {error}") from error
    finally:
        client.cancel([future for future in futures if not future.done()])

"""Step points: where real code says which step it takes next.

A point stands just before a step, with the step's arguments::

    step("lock", t=2, x=0)

It does nothing, unless a `controller.Controlled` runs the thread: then the thread stops there until
it is its turn. Where code waits for something, it passes a point on each try, with
``waiting=True``; a thread that comes back to the same point, waiting, has changed nothing
meanwhile. `acquire` does so for a lock::

    acquire(mutex, "lock", t=2, x=0)

Code in C uses the macros of ``step.h``; `connect` joins its library to the same controllers.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

HEADER = Path(__file__).with_name("step.h")
"""The header for code in C."""

GO_ON, GIVE_UP = 0, 1
"""What a point answers to code in C; see ``step.h``."""


@dataclass(frozen=True)
class Point:
    """A place in running code, just before a step.

    Attributes
    ----------
    thread : int
        The number of the thread that stands there.
    name : str
        The step's name.
    arguments : tuple of (str, object)
        The step's arguments by name, in the order in which the code gives them.
    waiting : bool
        Whether the thread has tried this step in vain, or says that it waits.
    """

    thread: int
    name: str
    arguments: tuple[tuple[str, Any], ...] = ()
    waiting: bool = False

    def __str__(self) -> str:
        """Return the step as a call, such as ``lock(t=2, x=0)``."""
        inside = ", ".join(f"{name}={value}" for name, value in self.arguments)
        return f"{self.name}({inside})" + (", waiting" if self.waiting else "")


class Passer(Protocol):
    """What runs a thread from point to point."""

    def pass_point(self, name: str, arguments: tuple[tuple[str, Any], ...], waiting: bool) -> None:
        """Return when the thread may take the step.

        Raises
        ------
        Stopped
            If the run is over.
        """

    def must_stop(self) -> bool:
        """Return whether the run is over."""


class Stopped(BaseException):
    """The run is over, and the thread has to end; code between points need not know of it."""


class _Threads(threading.local):
    passer: Passer | None = None


_threads = _Threads()


def step(name: str, *, waiting: bool = False, **arguments: Any) -> bool:
    """Stop before a step until it is this thread's turn; return whether the thread is controlled.

    Parameters
    ----------
    name : str
        The step's name, as the spec calls it.
    waiting : bool
        Whether the thread has tried this step in vain.
    **arguments
        The step's arguments, with the names that they have in the spec.
    """
    passer = _threads.passer
    if passer is None:
        return False
    passer.pass_point(name, tuple(arguments.items()), waiting)
    return True


class Lock(Protocol):
    """What `acquire` takes: a lock of ``threading``, or anything with the same method."""

    def acquire(self, blocking: bool = True) -> bool:
        """Take the lock; without blocking, return False if it is not free."""


def acquire(lock: Lock, name: str, **arguments: Any) -> None:
    """Take a lock as a step: pass its point, and wait for the lock, at points if controlled.

    Parameters
    ----------
    lock : Lock
    name : str
        The step's name.
    **arguments
        The step's arguments.
    """
    step(name, **arguments)
    while not lock.acquire(blocking=False):
        if not step(name, waiting=True, **arguments):
            lock.acquire()
            return


def control(passer: Passer | None) -> None:
    """Let an object decide when this thread goes on; None: nobody does."""
    _threads.passer = passer


def end_if_stopped() -> None:
    """End this thread if its run is over: for bindings, where code in C has given up.

    Raises
    ------
    Stopped
        If it is.
    """
    if _threads.passer is not None and _threads.passer.must_stop():
        raise Stopped


# Code in C

HOOK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int)
"""The type of the function that `step.h` calls: name, two arguments, waiting."""

NOTHING = -(2**63)
"""The argument of a step in C that is left out."""


@dataclass(frozen=True)
class _Connected:
    """A library in C: where it looks for its hook, and the hook."""

    place: ctypes.c_void_p
    hook: Any


_connected: list[_Connected] = []
_running = 0
_lock = threading.Lock()


def connect(library: ctypes.CDLL, names: tuple[str, str] = ("t", "x")) -> None:
    """Let the points of a library in C stop for controllers.

    The hook is set only while a controller runs, so that a point costs one test of a pointer
    otherwise.

    Parameters
    ----------
    library : ctypes.CDLL
        A library whose code includes ``step.h``. Load it by ``CDLL``, not by ``PyDLL``.
    names : (str, str)
        The names of the two arguments of its points.

    Raises
    ------
    ValueError
        If the library has no points.
    """
    try:
        place = ctypes.c_void_p.in_dll(library, "counterpoint_step_hook")
    except ValueError:
        raise ValueError(f"{library._name} has no points: include step.h in its code") from None
    connected = _Connected(place, HOOK(_hook(names)))
    with _lock:
        _connected.append(connected)
        _set(connected)


def _hook(names: tuple[str, str]) -> Callable[[bytes, int, int, int], int]:
    def pass_point(name: bytes, first: int, second: int, waiting: int) -> int:
        given = zip(names, (first, second), strict=True)
        arguments = {key: value for key, value in given if value != NOTHING}
        try:
            step(name.decode(), waiting=bool(waiting), **arguments)
        except Stopped:
            return GIVE_UP
        return GO_ON

    return pass_point


def start() -> None:
    """Set the hooks of all connected libraries: a controller begins."""
    global _running
    with _lock:
        _running += 1
        for one in _connected:
            _set(one)


def finish() -> None:
    """Remove the hooks if no other controller runs."""
    global _running
    with _lock:
        _running -= 1
        for one in _connected:
            _set(one)


def _set(one: _Connected) -> None:
    one.place.value = ctypes.cast(one.hook, ctypes.c_void_p).value if _running else None

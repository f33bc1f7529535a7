"""How loops over numbers are compiled, in every room.

Numba keeps compiled code under the date of one file, and would use stale code after a change in a
file whose functions are called. So compiled code is kept under a digest of all modules of its room
whose text contains the word "compiled": those with compiled functions, and those whose constants
such functions take. Nothing is changed for other users of Numba in the process.

Where neither the package nor the home of the user can be written, compiled code is kept in a
temporary folder, which the processes that this one starts use as well.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numba.core import event

from counterpoint import waiting

F = TypeVar("F", bound=Callable[..., Any])

Array = np.ndarray[Any, Any]
"""An array whose type of elements the docstring states."""

Number: TypeAlias = Any
"""A number of compiled code, of whatever type it is there; types of NumPy and int do not mix."""


@cache
def _folder(room: str) -> str:
    """Return where the compiled code of a room is kept; "" if nothing can be written there."""
    file = getattr(sys.modules[room], "__file__", None)
    if not file or not os.access(Path(file).parent, os.W_OK):
        return ""
    here = Path(file).parent
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(here.rglob("*.py")):
        text = path.read_bytes()
        if b"compiled" in text:
            digest.update(text)
    return str(here / "__pycache__" / f"kernels-{digest.hexdigest()}")


_VARIABLE = "COUNTERPOINT_COMPILED_CODE"
"""The variable that names the temporary folder to the processes that this one starts."""

NOT_KEPT = (
    "counterpoint: compiled code is not kept, and is made anew each time, which may take minutes: "
    "nothing can be written where Counterpoint is installed, nor in the home folder; name a "
    "folder for it in the variable NUMBA_CACHE_DIR"
)


@cache
def _temporary_folder() -> str:
    """Return a folder that is removed when this process ends; "" if none can be made.

    It is that of the process which has started this one, if that has one.
    """
    given = os.environ.get(_VARIABLE, "")
    if given and os.access(given, os.W_OK):
        return given
    if sys.stderr is not None:
        print(NOT_KEPT, file=sys.stderr, flush=True)
    try:
        made = tempfile.mkdtemp(prefix="counterpoint-")
    except OSError:
        return ""
    os.environ[_VARIABLE] = made
    atexit.register(_remove, made, os.getpid())
    return made


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # and not a fork of it
        shutil.rmtree(folder, ignore_errors=True)


def _made(function: F, *signature: str) -> F:
    folder = _folder(".".join(function.__module__.split(".")[:2]))
    try:
        return _compiled_in("" if "NUMBA_CACHE_DIR" in os.environ else folder, function, *signature)
    except RuntimeError as error:
        if "cannot cache function" not in str(error):
            raise
    return _compiled_in(_temporary_folder() or None, function, *signature)


def _compiled_in(folder: str | None, function: F, *signature: str) -> F:
    """Compile a function, and keep it in a folder; where Numba wants it if "", nowhere if None."""
    settings: Any = numba.config
    before = settings.CACHE_DIR
    if folder:
        settings.CACHE_DIR = folder  # read once, where a function is decorated
    try:
        njit = cast(Any, numba.njit)
        keep = folder is not None
        return cast(F, njit(*signature, cache=keep, nogil=True, error_model="numpy")(function))
    finally:
        settings.CACHE_DIR = before


def compiled(function: F) -> F:
    """Compile a function on its first call; it may call compiled functions of its room."""
    return _made(function)


def compiled_as(signature: str) -> Callable[[F], F]:
    """Compile a function for one signature at once.

    Without a signature, Numba would compile a function again for each constant argument.
    """
    return lambda function: _made(function, signature)


class Compilations(event.Listener):
    """Counts when Numba compiles in this process, or loads compiled code.

    Measurements of the time of foreign code leave this time out, since it is spent once, and
    depends on what was compiled before.

    Attributes
    ----------
    events : int
        How many compilations have begun and ended.
    running : int
        How many have begun and not ended.
    """

    def __init__(self) -> None:
        self.events = self.running = 0

    def on_start(self, _: object) -> None:
        """Note that a compilation begins."""
        self.events += 1
        self.running += 1

    def on_end(self, _: object) -> None:
        """Note that a compilation ends."""
        self.events += 1
        self.running -= 1


def listen(compilations: Compilations) -> None:
    """Have a listener count the compilations of this process from now on."""
    register: Any = event.register  # it has no types
    register("numba:compiler_lock", compilations)


COMPILATIONS = Compilations()
"""The compilations of this process."""

listen(COMPILATIONS)


class _Teller(event.Listener):
    """Tells a clock when Numba begins and ends to compile, so that it can say so."""

    def __init__(self) -> None:
        self.clock = waiting.CompilingClock()

    def on_start(self, event: object) -> None:
        """Begin to compile."""
        self.clock.start()

    def on_end(self, event: object) -> None:
        """Have compiled."""
        self.clock.stop()


if waiting.is_wanted():  # only in a process of the command line
    _register: Any = event.register  # it has no types
    _register("numba:compile", _Teller())

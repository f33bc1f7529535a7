"""How loops over numbers are compiled, in every room.

Numba keeps compiled code under the date of one file, and would go on with stale code after a change
in a file whose functions are called. So what is compiled is kept under a digest of all modules of
its room that have compiled functions. Nothing is changed for other users of Numba in the process.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np

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


def _made(function: F, *signature: str) -> F:
    settings: Any = numba.config
    before = settings.CACHE_DIR
    folder = _folder(".".join(function.__module__.split(".")[:2]))
    if folder and "NUMBA_CACHE_DIR" not in os.environ:
        settings.CACHE_DIR = folder  # read once, where a function is decorated
    try:
        njit = cast(Any, numba.njit)
        return cast(F, njit(*signature, cache=True, nogil=True, error_model="numpy")(function))
    finally:
        settings.CACHE_DIR = before


def compiled(function: F) -> F:
    """Compile a function on its first call; it may call compiled functions of its room."""
    return _made(function)


def compiled_as(signature: str) -> Callable[[F], F]:
    """Compile a function for one signature at once.

    Without a signature, Numba would compile a function anew for each constant that is passed to it.
    """
    return lambda function: _made(function, signature)

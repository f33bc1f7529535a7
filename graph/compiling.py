"""How loops over links are compiled.

Numba keeps compiled code under the date of one file, and would go on with stale code after a change
in a file whose functions are called. Here kernels of several modules walk lists of links with the
functions of `codes`, so what is compiled is kept under a digest of all modules of this package.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

Array = np.ndarray[Any, Any]
"""An array whose type of elements the docstring states."""

Number: TypeAlias = Any
"""A number of compiled code, of whatever type it is there; types of NumPy and int do not mix."""


def _folder() -> str:
    here = Path(__file__).parent
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(here.rglob("*.py")):
        text = path.read_bytes()
        if b"compiled" in text:
            digest.update(text)
    return str(here / "__pycache__" / f"kernels-{digest.hexdigest()}")


_KEPT_IN = _folder() if os.access(Path(__file__).parent, os.W_OK) else ""


def compiled(function: F) -> F:
    """Compile a function on its first call; it may call compiled functions of this package."""
    settings: Any = numba.config
    before = settings.CACHE_DIR
    if _KEPT_IN and "NUMBA_CACHE_DIR" not in os.environ:
        settings.CACHE_DIR = _KEPT_IN  # read once, where a function is decorated
    try:
        return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy")(function))
    finally:
        settings.CACHE_DIR = before

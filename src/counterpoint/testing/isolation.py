"""Loads specs so that the modules of a test run stay as they are.

A spec's file may import modules beside it, whose names other files of the test run use for modules
of their own. And pytest rewrites the assertions of the modules that it imports itself.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from counterpoint.models import loading
from counterpoint.models.importing.user_modules import USER, SourceOnlyLoader
from counterpoint.spec.notation import Model


@contextmanager
def isolated() -> Iterator[None]:
    """Import modules of the user for this block only; modules of packages stay imported."""
    finders, modules = list(sys.meta_path), dict(sys.modules)
    try:
        yield
    finally:
        sys.meta_path[:] = finders
        for name, module in list(sys.modules.items()):
            own = isinstance(getattr(module, "__loader__", None), SourceOnlyLoader)
            if own and name not in modules and not name.startswith(USER):
                del sys.modules[name]
        sys.modules.update(modules)


def load(reference: str, settings: Sequence[str] = ()) -> Model:
    """Return a spec under its parameters.

    Parameters
    ----------
    reference : str
        A name of the catalogue, ``file.py:Class``, ``package.module:Class``, or ``file.py`` if it
        defines one spec. A slash and the name of a mutant may follow.
    settings : sequence of str
        Parameters as ``name=value``.

    Raises
    ------
    SpecError
        If there is no such spec, the file has an error (the message names the line), or a parameter
        is not allowed.
    """
    with isolated():
        return loading.load(reference, settings)

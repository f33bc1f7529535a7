"""Names a spec as a user would on the command line."""

from __future__ import annotations

import inspect
from pathlib import Path

from counterpoint.spec.catalogue import SPECS
from counterpoint.spec.notation import Model, Spec

from .importing.user_modules import is_installed


def reference_of(found: type[Spec]) -> str:
    """Return a reference that `loading.find` finds; "" if the class cannot be named.

    A class of the catalogue has a name. A class of a package is named by its module, if the package
    is installed or stands in the current folder, and any other by its file, relative to the current
    folder if it is below. A class that stands within another class or a function has no reference.
    """
    own = f"{found.__module__}:{found.__qualname__}"
    name = next((name for name, place in SPECS.items() if place == own), "")
    if name or "." in found.__qualname__:
        return name
    try:
        path = Path(inspect.getfile(found)).absolute()
    except (OSError, TypeError):  # typed into an interpreter
        return ""
    here = Path.cwd()
    in_package = "." in found.__module__ and _is_at(path, here, found.__module__)
    if in_package or is_installed(path) or found.__module__.startswith("counterpoint."):
        return own
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    return f"{shown}:{found.__qualname__}"


def _is_at(path: Path, folder: Path, module: str) -> bool:
    """Return whether a folder has a module at a path."""
    return folder.joinpath(*module.split(".")).with_suffix(".py") == path


def named(model: Model) -> Model:
    """Return a model with a reference that `loading.find` finds, if there is one."""
    if model.reference != model.name or model.reference in SPECS:
        return model
    reference = reference_of(type(model.spec))
    return Model(model.spec, reference, model.unbounded) if reference else model

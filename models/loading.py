"""Finds a spec by the name that a user gives: from the catalogue, or in a file of the user's."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import linecache
import re
import sys
import traceback
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

from counterpoint.spec.catalogue import MUTANTS, PROOFS, SPECS
from counterpoint.spec.notation import Model, Spec, SpecError

from .texts import OURS, USER, FromText, beside, read_anew

_IN_FILE = re.compile(r"\.py(:\w+)?$")


def load(reference: str, settings: Sequence[str] = ()) -> Model:
    """Return a spec under parameters.

    Parameters
    ----------
    reference : str
        A name of the catalogue, ``file.py:Class``, or ``file.py`` where it defines one spec; with a
        slash and a name behind it, one of its mutants.
    settings : sequence of str
        Parameters as ``name=value``.

    Raises
    ------
    SpecError
        If there is no such spec, the file has an error (the line is named), or a parameter is not
        allowed.
    """
    found = find(reference)
    given: dict[str, Any] = {}
    for setting in settings:
        name, sign, value = setting.partition("=")
        if not sign:
            raise SpecError(f"--set takes name=value, not {setting!r}")
        name = name.replace("_", "-")
        if name in given:
            raise SpecError(f"{name} is set twice")
        given[name] = value
    try:
        model = Model(found(**given), reference)
        _ = model.cells, model.steps, model.properties, model.initial_values()
    except SpecError:
        raise
    except Exception as error:  # of a declaration, before any engine runs
        raise SpecError(_where(error, Path(inspect.getfile(found)))) from error
    return model


def find(reference: str) -> type[Spec]:
    """Return the class that a reference names."""
    if reference in SPECS:
        return _imported(SPECS[reference])
    right, slash, mutant = reference.rpartition("/")
    if slash and (right in SPECS or _IN_FILE.search(right)):
        return _mutant(right, mutant)
    if ".py" in reference:
        path, _, name = reference.partition(":")
        return _in_module(_import(Path(path)), path, name)
    if ":" in reference:
        return _imported(reference)
    if Path(f"{reference}.py").is_file():
        raise SpecError(f"there is no spec {reference!r}; did you mean the file {reference}.py?")
    near = difflib.get_close_matches(reference, SPECS, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(SPECS)}"
    raise SpecError(f"there is no spec {reference!r}; {hint} (a file: my_spec.py:Class)")


def _imported(reference: str) -> type[Spec]:
    """Return the class that ``module:Class`` names."""
    module, _, name = reference.partition(":")
    read_anew()
    try:
        with beside(Path.cwd()), redirect_stdout(sys.stderr):
            found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise SpecError(f"{reference}: {error}") from None
    except (Exception, SystemExit) as error:
        if module.partition(".")[0] in OURS:
            raise
        raise SpecError(f"{reference}: {type(error).__name__}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Spec)):
        raise SpecError(f"{reference} is no spec")
    return found


def proofs_of(model: Model) -> list[Model]:
    """Return the models in which induction proves a spec's claims: ranges that grow are open.

    These are the classes that `PROOFS` names for the spec's class or the nearest of its bases,
    mixed with the spec's own class; the spec itself, if none is named.
    """
    own = type(model.spec)
    keys = {f"{c.__module__}:{c.__qualname__}": c for c in reversed(own.__mro__)}
    proved = next((key for key in reversed(keys) if key in PROOFS), "")
    proofs = [(name, _imported(name)) for name in PROOFS.get(proved, ())]
    if not proofs or any(_hides(proof, own, keys[proved]) for _, proof in proofs):
        return [Model(model.spec, model.reference, unbounded=True)]
    given = model.changed_parameters()
    found = []
    for name, proof in proofs:
        if own not in proof.__mro__:
            proof = type(proof.__name__, (proof, own), {"name": proof.name})
        found.append(Model(proof(**given), name, unbounded=True))
    return found


def _hides(proof: type[Spec], own: type[Spec], base: type[Spec]) -> bool:
    """Return whether a proof and a variant of the spec replace the same method.

    Then the proof would be of its own method, not of the variant's.
    """
    changed = {n for c in own.__mro__ if c not in base.__mro__ for n in vars(c)}
    recorded = {n for c in proof.__mro__ if c not in base.__mro__ for n in vars(c)}
    return any(not name.startswith("__") for name in changed & recorded - CLASS_NAMES)


CLASS_NAMES = frozenset(vars(Spec))
"""What every spec's class has of its own, such as its name."""


def mutants(reference: str) -> dict[str, type[Spec]]:
    """Return the mutants of a spec by name, in the order of their declaration.

    Those of a spec in a file stand in the same file.
    """
    right = find(reference)
    module = MUTANTS.get(reference, right.__module__)
    declared = vars(sys.modules.get(module) or importlib.import_module(module)).values()
    return {
        m.name.rpartition("/")[2]: m
        for m in declared
        if isinstance(m, type) and issubclass(m, Spec) and m.mutation and m.mutation.of is right
    }


def _mutant(right: str, name: str) -> type[Spec]:
    known = mutants(right)
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        there = f"there are: {', '.join(known)}" if known else "it has none"
        hint = f"did you mean {near[0]}?" if near else there
        raise SpecError(f"{right} has no mutant {name!r}; {hint}")
    return known[name]


def _import(path: Path) -> ModuleType:
    if not path.is_file():
        raise SpecError(f"there is no file {path}")
    name = USER + path.stem
    read_anew()
    linecache.checkcache(str(path))
    wanted = importlib.util.spec_from_file_location(name, path, loader=FromText(name, str(path)))
    if wanted is None or wanted.loader is None:
        raise SpecError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(wanted)
    sys.modules[name] = module
    try:
        with beside(path.absolute().parent), redirect_stdout(sys.stderr):
            wanted.loader.exec_module(module)
    except SyntaxError as error:
        line = f":{error.lineno}" if error.lineno else ""
        raise SpecError(f"{error.filename or path}{line}: {error.msg}") from error
    except (Exception, SystemExit) as error:
        raise SpecError(_where(error, path)) from error
    return module


def line_of_user(error: BaseException) -> str:
    """Return file and line of the deepest place in a user's file; empty if it is in none."""
    places = [
        f"{frame.f_code.co_filename}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_globals.get("__name__", "").startswith(USER)
    ]
    return places[-1] if places else ""


def _where(error: BaseException, path: Path) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if Path(f.filename).resolve() == path.resolve()]
    place = f"{path}:{own[-1].lineno}" if own else str(path)
    kind = "" if isinstance(error, SpecError) else f"{type(error).__name__}: "
    hint = ""
    if isinstance(error, ImportError) and "relative import" in str(error):
        hint = "; name a spec of a package as package.module:Class, from where the package stands"
    return f"{place}: {kind}{error}{hint}"


def _in_module(module: ModuleType, path: str, name: str) -> type[Spec]:
    specs = {
        n: v
        for n, v in vars(module).items()
        if isinstance(v, type) and issubclass(v, Spec) and v.__module__ == module.__name__
    }
    right = [v for v in specs.values() if v.mutation is None]
    if not name and len(right) == 1:
        return right[0]
    if name in specs:
        return specs[name]
    known = ", ".join(specs) or "none"
    if not name:
        raise SpecError(f"{path} defines several specs or none: name one as {path}:Class ({known})")
    raise SpecError(f"{path} defines no spec {name!r} (it defines: {known})")

"""Finds a spec by the name that a user gives: in the catalogue, or in a file of the user."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

from counterpoint.spec.catalogue import MUTANTS, PROOFS, SPECS
from counterpoint.spec.notation import Model, Spec, SpecError
from counterpoint.spec.notation._parts import claims, parts_of

from .importing.files import error_with_place, import_file, is_file, kind_and_text
from .importing.user_modules import (
    OURS,
    USER,
    importing_from,
    load_user_modules_from_source,
)
from .importing.watched_imports import EndlessImport, watched_import

_IN_FILE = re.compile(r"\.py(:\w+)?$")
_MUTANT_IN_MODULE = re.compile(r"[\w.]+:\w+/[\w-]+")
_FILE = re.compile(r"(?P<path>.*\.py[^:/]*)(:(?P<name>.*))?")
"""A file and perhaps a class in it; a folder on the way may have a colon in its name."""


def load(reference: str, settings: Sequence[str] = ()) -> Model:
    """Return a spec under its parameters.

    Parameters
    ----------
    reference : str
        A name of the catalogue, ``file.py:Class``, or ``file.py`` if it defines one spec. A slash
        and the name of a mutant may follow.
    settings : sequence of str
        Parameters as ``name=value``.

    Raises
    ------
    SpecError
        If there is no such spec, the file has an error (the message names the line), or a parameter
        is not allowed.
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
        _ = model.temporal, model.fairness, model.ranks
        for claim in model.temporal:
            if claim.kind == "temporal" and model.shapes.of(model, claim.method).constant:
                _must_be_a_formula(model, claim.method)
    except SpecError:
        raise
    except (Exception, SystemExit, GeneratorExit) as error:  # in a declaration
        raise SpecError(error_with_place(error, Path(inspect.getfile(found)))) from error
    return model


def _must_be_a_formula(model: Model, method: str) -> None:
    """Refuse a condition in place of a formula: it is constant in one state, and not in all."""
    from .symbolic.trace import System  # needed for few specs

    System(model).formulas(method)


def find(reference: str) -> type[Spec]:
    """Return the class of the spec or mutant with a reference."""
    if reference in SPECS:
        return _imported(SPECS[reference])
    right, slash, mutant = reference.rpartition("/")
    in_module = _MUTANT_IN_MODULE.fullmatch(reference)
    if slash and (right in SPECS or _IN_FILE.search(right) or in_module):
        return _mutant(right, mutant)
    if file := _FILE.fullmatch(reference):
        return _in_module(import_file(Path(file["path"])), file["path"], file["name"] or "")
    if ":" in reference:
        return _imported(reference)
    if is_file(Path(f"{reference}.py")):
        raise SpecError(f"there is no spec {reference!r}; did you mean the file {reference}.py?")
    near = difflib.get_close_matches(reference, SPECS, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(SPECS)}"
    raise SpecError(f"there is no spec {reference!r}; {hint} (to check a file: my_spec.py:Class)")


def find_any(reference: str) -> Any:
    """Return what ``file.py:name`` or ``module:name`` names, whatever it is.

    Raises
    ------
    SpecError
        If there is no such file, module or name, or it cannot be imported.
    """
    if not (file := _FILE.fullmatch(reference)):
        return _attribute(reference)
    module, name = import_file(Path(file["path"])), file["name"] or ""
    if not hasattr(module, name):
        raise SpecError(
            f"{file['path']} has no {name!r}" if name else f"name something in {reference}"
        )
    return getattr(module, name)


def _imported(reference: str) -> type[Spec]:
    """Return the class that ``module:Class`` names."""
    found = _attribute(reference)
    if not (isinstance(found, type) and issubclass(found, Spec)):
        raise SpecError(f"{reference} is not a Spec class")
    return found


def _attribute(reference: str) -> Any:
    """Return what ``module:name`` names."""
    module, _, name = reference.partition(":")
    load_user_modules_from_source()
    try:
        with (
            importing_from(Path.cwd()), redirect_stdout(sys.stderr), watched_import(module)
        ):  # fmt: skip
            found = getattr(importlib.import_module(module), name)
    except EndlessImport as error:
        raise SpecError(str(error)) from None
    except (ImportError, AttributeError, ValueError) as error:
        raise SpecError(f"{reference}: {error}") from error
    except (Exception, SystemExit) as error:
        if module.partition(".")[0] in OURS:
            raise
        raise SpecError(f"{reference}: {kind_and_text(error)}") from error
    return found


def proofs_of(model: Model) -> list[Model]:
    """Return the models in which induction proves a spec's claims.

    These are the classes that `PROOFS` names for the spec's class or its nearest base, combined
    with the spec's own class; the spec itself, if none is named. Ranges declared with ``grows``
    have no upper end in them.
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
    """Return whether a proof and a variant of a base spec override the same method.

    The proof would then be about its own method and not about the variant's.
    """
    changed = {n for c in own.__mro__ if c not in base.__mro__ for n in vars(c)}
    recorded = {n for c in proof.__mro__ if c not in base.__mro__ for n in vars(c)}
    return any(not name.startswith("__") for name in changed & recorded - CLASS_NAMES)


CLASS_NAMES = frozenset(vars(Spec))
"""Attributes that every spec's class has, such as its name."""


def mutants(reference: str) -> dict[str, type[Spec]]:
    """Return the mutants of a spec by name, in the order of their declaration.

    Mutants of a spec of the user are those that its file, and the file that the reference names,
    define or import.

    Raises
    ------
    SpecError
        If two of them have the same name.
    """
    right = find(reference)
    names = [MUTANTS.get(reference, right.__module__)]
    if file := _FILE.fullmatch(reference):
        names.append(USER + Path(file["path"]).stem)
    found: dict[str, type[Spec]] = {}
    for module in dict.fromkeys(names):
        for declared in vars(sys.modules.get(module) or importlib.import_module(module)).values():
            if not (isinstance(declared, type) and issubclass(declared, Spec)):
                continue
            if declared.mutation and declared.mutation.of is right:
                name = declared.name.rpartition("/")[2]
                if found.setdefault(name, declared) is not declared:
                    raise SpecError(f"{reference} has two mutants {name!r}")
    return found


def _mutant(right: str, name: str) -> type[Spec]:
    known = mutants(right)
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        there = f"there are: {', '.join(known)}" if known else "it has none"
        hint = f"did you mean {near[0]}?" if near else there
        raise SpecError(f"{right} has no mutant {name!r}; {hint}")
    return known[name]


def specs_in(path: Path) -> list[str]:
    """Return the names of the specs that a file defines.

    Mutants, classes whose names begin with an underscore, and bases without an action are left out;
    so are specs that claim nothing, and that others in the file refine or have as a part.

    Raises
    ------
    SpecError
        If the file cannot be imported.
    """
    return list(_complete(_defined(import_file(path))))


def _defined(module: ModuleType) -> dict[str, type[Spec]]:
    """Return the specs and mutants that a module defines itself, by name; each once."""
    found: dict[type[Spec], str] = {}
    for name, value in vars(module).items():
        is_spec = isinstance(value, type) and issubclass(value, Spec)
        if is_spec and value.__module__ == module.__name__:
            found.setdefault(value, name)
    return {name: value for value, name in found.items()}


def _complete(specs: dict[str, type[Spec]]) -> dict[str, type[Spec]]:
    """Return the specs that are to be checked, not mutants, or bases or parts of others."""
    parts = {part for value in specs.values() for part in parts_of(value)}
    return {
        name: value
        for name, value in specs.items()
        if value.mutation is None
        and not name.startswith("_")
        and (_acts(value) or _forgets_to_act(value, specs.values()))
        and (value not in parts or (claims(value) and _acts(value)))
    }


def _acts(spec: type[Spec]) -> bool:
    """Return whether a spec has an action."""
    return any(mark.kind == "action" for mark in spec.declared_methods.values())


def _forgets_to_act(spec: type[Spec], others: Iterable[type[Spec]]) -> bool:
    """Return whether a spec has variables and no action, and is no base of others.

    Its mark may have been forgotten, so that it is loaded, which refuses it.
    """
    has_state = spec.declared_variables or spec.declared_composites
    return bool(has_state) and not any(issubclass(o, spec) for o in others if o is not spec)


def _in_module(module: ModuleType, path: str, name: str) -> type[Spec]:
    specs = _defined(module)
    right = [v for v in specs.values() if v.mutation is None]
    right = right if len(right) < 2 else list(_complete(specs).values())
    if not name and len(right) == 1:
        return right[0]
    named = getattr(module, name, None) if name else None
    if isinstance(named, type) and issubclass(named, Spec) and named is not Spec:
        return named
    if not specs:
        what = f"no spec {name!r}" if name else "no spec"
        raise SpecError(f"{path} defines {what}: it has no class derived from counterpoint.Spec")
    known = ", ".join(specs)
    if not name:
        raise SpecError(f"{path} defines several specs: name one as {path}:Class ({known})")
    raise SpecError(f"{path} defines no spec {name!r} (it defines: {known})")

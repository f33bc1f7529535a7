"""Looks at a repository: which specs, spiders, tests and CI files it has. Nothing is imported."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .spiders import FoundSpider, of_class

SKIPPED = frozenset({"node_modules", "site-packages", "venv", "build", "dist"})
"""Folders that are not the repository's own; so are those whose name begins with a dot."""

MOST = 5000
"""The most Python files that are looked at."""


@dataclass(frozen=True)
class Found:
    """What a repository has.

    Attributes
    ----------
    specs : tuple of str
        Files that define a spec, relative to the folder; of a file that imports relatively,
        ``package.module:Class`` of each spec.
    mutants : tuple of str
        Those that declare mutants.
    policies : tuple of str
        ``package.module:Class`` of each class that has the methods of a policy.
    spiders : tuple of FoundSpider
    has_tests, has_github, has_gitlab, has_jenkins : bool
    left_out : int
        How many Python files were not looked at.
    unusable : tuple of (str, str)
        Files that a configuration cannot name, each with the reason.
    """

    specs: tuple[str, ...] = ()
    mutants: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    spiders: tuple[FoundSpider, ...] = ()
    has_tests: bool = False
    has_github: bool = False
    has_gitlab: bool = False
    has_jenkins: bool = False
    left_out: int = 0
    unusable: tuple[tuple[str, str], ...] = ()


@dataclass
class _Seen:
    specs: list[str] = field(default_factory=list)
    mutants: list[str] = field(default_factory=list)
    policies: list[str] = field(default_factory=list)
    spiders: list[FoundSpider] = field(default_factory=list)
    unusable: list[tuple[str, str]] = field(default_factory=list)
    silent: dict[str, set[str]] = field(default_factory=dict)  # specs whose classes claim nothing
    used: set[str] = field(default_factory=set)  # classes that others refine or have as parts


def look(folder: Path) -> Found:
    """Return what a repository has.

    Parameters
    ----------
    folder : Path
        Its top.
    """
    files = sorted(_python_files(folder))
    seen = _Seen()
    for path in files[:MOST]:
        _look_into(path, path.relative_to(folder), seen)
    _leave_out_parts(seen)
    return Found(
        specs=tuple(seen.specs),
        mutants=tuple(seen.mutants),
        policies=tuple(seen.policies),
        spiders=tuple(seen.spiders),
        has_tests=any(p.name.startswith("test_") or p.name == "conftest.py" for p in files),
        has_github=(folder / ".github").is_dir(),
        has_gitlab=(folder / ".gitlab-ci.yml").is_file(),
        has_jenkins=(folder / "Jenkinsfile").is_file(),
        left_out=max(0, len(files) - MOST),
        unusable=tuple(seen.unusable),
    )


def _leave_out_parts(seen: _Seen) -> None:
    """Leave out specs that claim nothing, and that are only there as parts of others."""
    for spec, classes in seen.silent.items():
        if classes and classes <= seen.used:
            seen.specs.remove(spec)
            seen.unusable.append((spec, "it claims nothing itself, and is a part of others"))


def _python_files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name.startswith(".") or path.name in SKIPPED or path.is_symlink():
            continue
        if path.is_dir():
            if not (path / "pyvenv.cfg").exists():
                yield from _python_files(path)
        elif path.suffix == ".py":
            yield path


def _look_into(path: Path, name: Path, seen: _Seen) -> None:
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, OSError, RecursionError) as error:
        if name.name.endswith("_spec.py"):  # others are not ours to judge
            seen.unusable.append((str(name), f"it cannot be read: {_reason(error)}"))
        return
    imported = {m.partition(".")[0] for m in _modules(tree)}
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    module = _importable(name, tree)
    if "counterpoint" in imported and any("Spec" in _bases(c) for c in classes):
        _specs(name, module, tree, classes, seen)
    if "counterpoint" in imported and not name.name.startswith("test_"):
        policies = [c.name for c in classes if _is_policy(c)]
        if policies and not module:
            seen.unusable.append((str(name), "its policy cannot be imported by this name"))
        elif policies:
            seen.policies += [f"{module}:{policy}" for policy in policies]
    if "scrapy" in imported:
        found = (of_class(str(name), c) for c in classes if any("Spider" in b for b in _bases(c)))
        seen.spiders += [spider for spider in found if spider is not None]


def _reason(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return f"{error.msg} in line {error.lineno}" if error.lineno else str(error.msg)
    return getattr(error, "strerror", None) or str(error)


def _specs(
    name: Path, module: str, tree: ast.Module, classes: list[ast.ClassDef], seen: _Seen
) -> None:
    mutants = [c for c in classes if _is_mutant(c)]
    seen.used |= set(_parts(tree))
    declared = [c for c in classes if not _is_mutant(c)]
    if not _levels(tree):
        seen.specs.append(str(name))
        if not mutants and all(_is_silent(c) or set(_bases(c)) <= NO_SPECS for c in declared):
            seen.silent[str(name)] = {c.name for c in declared if "Spec" in _bases(c)}
        seen.mutants += [str(name)] * bool(mutants)
    elif not module:
        seen.unusable.append((str(name), "it imports relatively, and is in no package"))
    else:  # as a file, it would have no package
        specs = [c.name for c in classes if "Spec" in _bases(c) and not _is_mutant(c)]
        mutated = {base for c in mutants for base in _bases(c)}
        seen.specs += [f"{module}:{spec}" for spec in specs]
        own = {c.name: c for c in declared}
        seen.silent |= {f"{module}:{s}": {s} for s in specs if _is_silent(own[s])}
        seen.mutants += [f"{module}:{spec}" for spec in specs if spec in mutated]


def _is_mutant(declared: ast.ClassDef) -> bool:
    return any("mutant" in ast.unparse(decorator) for decorator in declared.decorator_list)


def _importable(name: Path, tree: ast.Module) -> str:
    """Return a file as a module that can be imported from the top of the repository; "" if none."""
    parts = name.with_suffix("").parts
    whole = parts[:-1] if parts[-1] == "__init__" else parts
    if not whole or not all(p.isidentifier() and not keyword.iskeyword(p) for p in whole):
        return ""
    return "" if max(_levels(tree), default=0) >= len(parts) else ".".join(whole)


def _levels(tree: ast.Module) -> list[int]:
    """Return the number of dots of each relative import."""
    found = (node.level for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return [level for level in found if level]


def _modules(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""


def _bases(declared: ast.ClassDef) -> list[str]:
    """Return the last names of the bases of a class."""
    return [ast.unparse(base).rpartition(".")[2] for base in declared.bases]


SILENT = frozenset({"action", "initially", "constraint", "property", "staticmethod", "classmethod"})
"""Decorators of methods that claim nothing."""


NO_SPECS = frozenset({"IntEnum", "Enum", "NamedTuple", "Protocol", "Exception"})
"""Bases of classes that are no specs."""


def _is_silent(declared: ast.ClassDef) -> bool:
    """Return whether a spec has no property, as far as its own text shows."""
    marks = {
        ast.unparse(mark).partition("(")[0].rpartition(".")[2]
        for node in declared.body
        if isinstance(node, ast.FunctionDef)
        for mark in node.decorator_list
    }
    return marks <= SILENT and _bases(declared) == ["Spec"]


def _parts(tree: ast.Module) -> Iterator[str]:
    """Yield the classes that are refined, or that are parts of others."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            called = ast.unparse(node.func).rpartition(".")[2]
            if called in ("refines", "Instance"):
                yield ast.unparse(node.args[0]).rpartition(".")[2]


def _is_policy(declared: ast.ClassDef) -> bool:
    methods = {node.name for node in declared.body if isinstance(node, ast.FunctionDef)}
    return {"__init__", "next", "observe"} <= methods

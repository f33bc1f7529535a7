"""What tests need from outside of Python, in one place: programs, servers, pages to read.

A test asks with `need`, which looks for the very file that the test will use. Where it is missing,
the test is skipped; where ``CI=true``, it fails, since .ci/run installs all of it. With
``COUNTERPOINT_TESTS_DENY=all`` nothing of it is found, as on a bare machine: that must skip tests
and fail none.
"""

from __future__ import annotations

import os
import re
import shutil
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

DOCUMENTATION = {
    "python3-doc": "python3-doc/html/index.html",
    "sqlite3-doc": "sqlite3/index.html",
    "git-doc": "git-doc/git.html",
    "postgresql-doc-15": "postgresql-doc-15/html/index.html",
    "apache2-doc": "apache2-doc/manual/en/index.html",
    "libxml2-doc": "libxml2/html/index.html",
    "aptitude-doc-ru": "aptitude/html/ru/index.html",
}
"""Debian's packages of real HTML, by hand, Sphinx, DocBook, AsciiDoc and others, in many
languages and several encodings. For each, a page of it below `TOP`: a folder alone may belong to
another package: ``sqlite3`` belongs to the package of that name as well."""

TOP = Path("/usr/share/doc")

SUITES = {
    "golang-golang-x-net-dev": "gocode/src/golang.org/x/net/html/testdata/webkit/tests1.dat",
    "libjs-text-encoding": "javascript/text-encoding/encoding-indexes.js",
    "librust-url-dev": "cargo/registry/url-*/tests/urltestdata.json",
}
"""Debian's packages that ship test suites of standards, with a file of each in /usr/share; see
`tests.standards`."""

PROGRAMS = ("chromium", "clojure", "curl", "ghc", "spin", "strace", "wget", "wrk")
"""Debian's packages that are programs of the same name."""

COMPILERS = ("cc", "gcc", "clang")

SOURCES = {"gpyrobotstxt": "gpyrobotstxt-1.0.0.tar.gz"}
"""Source distributions of PyPI in `DOWNLOADED`, for the tests in them; see tests/standards."""

DOWNLOADED = Path(__file__).resolve().parent.parent / "build" / "suites"

NEEDS = (*PROGRAMS, "gcc", "postgresql", *DOCUMENTATION, *SUITES, *SOURCES)
"""All that a test may need: Debian's packages, and source distributions."""


def find(package: str) -> Path | None:
    """Return the file of a package that tests use; None if it is not there.

    Parameters
    ----------
    package : str
        One of `NEEDS`. For ``postgresql`` it is ``initdb``, for documentation a page, for a suite a
        file of it, for a source distribution the archive.
    """
    assert package in NEEDS, package
    if os.environ.get("COUNTERPOINT_TESTS_DENY") == "all":
        return None
    if package in DOCUMENTATION:
        page = TOP / DOCUMENTATION[package]
        return page if page.is_file() else None
    if package in SUITES:
        return next(iter(sorted(TOP.parent.glob(SUITES[package]))), None)
    if package in SOURCES:
        archive = DOWNLOADED / SOURCES[package]
        return archive if archive.is_file() else None
    if package == "postgresql":
        debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        return debian[-1].resolve() if debian else _program("initdb")
    if package == "gcc":
        return next(filter(None, map(_program, COMPILERS)), None)
    return _program(package)


def _program(name: str) -> Path | None:
    found = shutil.which(name)
    return None if found is None else Path(found).resolve()


def need(package: str) -> Path:
    """Return the file of a Debian package; skip the test without it, in CI fail."""
    found = find(package)
    if found is not None:
        return found
    why = f"needs the Debian package {package}"
    if package in SOURCES:
        why = f"needs {DOWNLOADED / SOURCES[package]}; .ci/run says how to download it"
    if package in DOCUMENTATION:
        why += f": there is no {TOP / DOCUMENTATION[package]}"
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)


def need_module(name: str, package: str) -> ModuleType:
    """Return a module that imports a package of PyPI.

    Without the package, the module that calls this is skipped; in CI it fails.

    Parameters
    ----------
    name : str
        The module.
    package : str
        The package, by the name under which it is imported.
    """
    if find_spec(package) is None and os.environ.get("CI") != "true":
        pytest.skip(f"needs {package}, which the extra test installs", allow_module_level=True)
    return import_module(name)


def modules() -> list[str]:
    """Return the test modules that need something, by themselves or by what they import."""
    top = Path(__file__).parent
    texts = {path: path.read_text() for path in top.rglob("*.py") if path.name != "needs.py"}
    asks = re.compile(r"\bneed\(|\bsite_of\(|\bplace:")
    found = {path for path, text in texts.items() if asks.search(text)}
    while True:
        names = "|".join(re.escape(p.stem) for p in found if not p.stem.startswith("test_"))
        place, name = rf"[.\w]*\.(?:{names}) import", rf"[.\w]* import .*\b(?:{names})\b"
        imports = re.compile(rf"^from (?=tests\b|\.)(?:{place}|{name})", re.MULTILINE)
        more = {path for path, text in texts.items() if imports.search(text)} - found
        if not more:
            return sorted(str(p.relative_to(top.parent)) for p in found if p.match("test_*.py"))
        found |= more


if __name__ == "__main__":
    print(*modules(), sep="\n")

"""Tests in a process of its own, in which one module is changed."""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parent.parent.parent

NO_TESTS = int(pytest.ExitCode.NO_TESTS_COLLECTED)

MEMORY = 6 << 30
"""Bytes that a mutant may take."""

OPTIONS = (
    "-m", "not slow", "-x", "-q", "--assert=plain", "--noconftest",
    "-p", "no:cacheprovider", "-p", "no:xdist",
    "-p", "no:randomly", "-p", "no:anyio", "-p", "no:junitxml",
    "-o", "faulthandler_timeout=0", "-o", "faulthandler_exit_on_timeout=false",
)  # fmt: skip


class Changed(MetaPathFinder, SourceLoader):  # type: ignore[misc]
    """Loads one module from another text than its file's; without a text, not at all."""

    def __init__(self, path: Path, text: str | None = None) -> None:
        self.path, self.text = path, text
        self.name = name_of(path)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load the module, if it is asked for."""
        if name != self.name:
            return None
        if self.text is None:
            raise ImportError(name)
        return spec_from_file_location(name, self.path, loader=self)

    def get_filename(self, name: str) -> str:
        """Return the module's file."""
        return str(self.path)

    def get_data(self, path: str) -> bytes:
        """Return the changed text; nothing that was compiled before."""
        if path != str(self.path) or self.text is None:
            raise OSError
        return self.text.encode()


def name_of(path: Path) -> str:
    """Return the name of a file's module."""
    return ".".join(("counterpoint", *path.relative_to(ROOT).with_suffix("").parts))


@dataclass
class Outcome:
    """The result of the tests.

    Attributes
    ----------
    answer : str
        ``survived`` if all passed, else ``killed`` or ``too long``.
    by : str
        The test that failed, if one did.
    modules : tuple of str
        What was loaded in the end.
    seconds : float
        How long it took.
    """

    answer: str
    by: str = ""
    modules: tuple[str, ...] = ()
    seconds: float = 0.0


class _Watch:
    """Notes the first failure."""

    failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid


def outcome(tests: Sequence[str], changed: Changed | None, seconds: float) -> Outcome:
    """Run tests in a child of this process; it may take so many seconds of the processor."""
    begun = time.monotonic()
    here, there = os.pipe()
    child = os.fork()
    if not child:
        os.close(here)
        os.setpgid(0, 0)
        _test(tests, changed, there, seconds)
    os.close(there)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
    signal.alarm(int(4 * seconds) + 1)  # it may wait for something
    with open(here, encoding="utf-8") as file:
        report = file.read()
    _, status = os.waitpid(child, 0)
    signal.alarm(0)
    found = Outcome("killed", "the process ended", seconds=time.monotonic() - begun)
    if report:
        code, found.by, found.modules = json.loads(report)
        found.answer = "survived" if code in (0, NO_TESTS) else "killed"
    elif os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGXCPU):
        found.answer, found.by = "too long", ""
    return found


def _test(tests: Sequence[str], changed: Changed | None, out: int, seconds: float) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    if changed is not None:
        sys.meta_path.insert(0, changed)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
        watch = _Watch()
        code = pytest.main([*OPTIONS, *tests], plugins=[watch])
        report = json.dumps([int(code), watch.failed, list(sys.modules)])
        with open(out, "w", encoding="utf-8") as file:
            file.write(report)
        os._exit(0)


def set_up() -> None:
    """Go to the checkout; let Hypothesis only look for failures, and always for the same."""
    os.chdir(ROOT)
    settings.register_profile(
        "mutation", derandomize=True, database=None, deadline=None, report_multiple_bugs=False,
        phases=(Phase.explicit, Phase.generate),
    )  # fmt: skip
    settings.load_profile("mutation")


def load(modules: Iterable[str], without: Path) -> None:
    """Load all modules that do not need a certain one."""
    refused = Changed(without)
    sys.meta_path.insert(0, refused)
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception:  # it needs the module, or is none that can be loaded by name
            continue
    sys.meta_path.remove(refused)

"""Run the tests on mutants: ``python -m tests.mutation models/trace.py --sample 150 --seed 1``.

Every mutant is tested in a process of its own, which is forked where the libraries are loaded
already. A mutant is killed if a test fails or takes far too long; what survives is listed with its
change. It needs cosmic-ray, whose operators make the mutants.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

from .mutants import Mutant, sample
from .plan import PLAN

ROOT = Path(__file__).resolve().parent.parent.parent


class Changed(MetaPathFinder, SourceLoader):
    """Loads one module from another text than its file's."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text
        self.name = ".".join(path.relative_to(ROOT).with_suffix("").parts)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load the module, if it is asked for."""
        return spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_filename(self, name: str) -> str:
        """Return the module's file."""
        return str(self.path)

    def get_data(self, path: str) -> bytes:
        """Return the changed text; nothing that was compiled before."""
        if path != str(self.path):
            raise OSError
        return self.text.encode()


def passes(tests: Sequence[str], changed: Changed | None, seconds: float) -> str:
    """Return ``survived`` if all tests pass, else ``killed`` or ``too long``."""
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        _test(tests, changed)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return "survived" if os.waitstatus_to_exitcode(status) == 0 else "killed"
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "too long"


def _test(tests: Sequence[str], changed: Changed | None) -> None:
    import pytest

    if changed is not None:
        sys.meta_path.insert(0, changed)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0"]
        code = pytest.main([*options, *tests])
        os._exit(int(code))


def load_libraries() -> None:
    """Load what takes long and is no part of the project."""
    for name in ("click", "hypothesis.stateful", "networkx", "numpy", "pytest", "rich", "z3"):
        __import__(name)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", default=list(PLAN), help="files; all by default")
    parser.add_argument("--sample", type=int, default=150, help="mutants of each module, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="a line for each mutant is added to this file")
    given = parser.parse_args()
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = tempfile.mkdtemp()
    os.chdir(ROOT)
    load_libraries()
    for name in given.modules:
        _module(name, given.sample, given.seed, given.json)


def _module(name: str, number: int, seed: int, out: Path | None) -> None:
    path, tests = ROOT / name, PLAN[name]
    begun = time.monotonic()
    if passes(tests, None, 3600) != "survived":
        sys.exit(f"{name}: the tests fail without any change")
    limit = 20 + 3 * (time.monotonic() - begun)
    killed, survivors = 0, []
    chosen = sample(path, number, seed)
    for mutant in chosen:
        text = mutant.text(path)
        assert text is not None
        answer = passes(tests, Changed(path, text), limit)
        killed += answer != "survived"
        if answer == "survived":
            survivors.append(mutant)
        _note(out, name, mutant, answer, path)
    print(f"{name}: {killed} of {len(chosen)} mutants killed", flush=True)
    for mutant in survivors:
        print(f"  {name}:{mutant.line} {mutant.operator}")
        print("\n".join(f"    {line}" for line in mutant.difference(path).splitlines()), flush=True)


def _note(out: Path | None, name: str, mutant: Mutant, answer: str, path: Path) -> None:
    if out is None:
        return
    entry = {
        "module": name, "line": mutant.line, "operator": mutant.operator, "answer": answer,
        "occurrence": mutant.occurrence, "change": mutant.difference(path),
    }  # fmt: skip
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


if __name__ == "__main__":
    main()

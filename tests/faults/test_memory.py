"""Limits of memory: commands that cannot have what they need, and crawls at which it runs out."""

from __future__ import annotations

import errno
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from counterpoint import memory
from counterpoint.crawler.store.opening import open_store
from counterpoint.main import COMMANDS, WITHOUT_COMPILED_CODE
from tests.needs import need
from tests.oracle.seeds import this_week

from .command import Command
from .fault_webs import expected, found, served, starts, web

SEED = this_week(0, 1).start // 1_000_000
IN_PARSER = re.compile(r'Current thread .*\n  File ".*/crawler/documents/links\.py"')
"""What faulthandler writes if lexbor failed, which reads memory that it did not get."""
SPEC = """
from counterpoint import Integer, Spec, action, invariant

class Counter(Spec):
    first = Integer(0, 30_000)
    second = Integer(0, 30_000)

    @action
    def add(self):
        self.first = (self.first + 1) % 30_001

    @action
    def add_second(self):
        self.second = (self.second + 1) % 30_001

    @invariant
    def is_small(self):
        return self.first < 40_000
"""


def limited(arguments: Sequence[str], megabytes: int, folder: Path) -> tuple[int, str, str]:
    """Run ``counterpoint`` with a limit of address space; return its code and what it prints."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    done = subprocess.run([sys.executable, "-m", "counterpoint", *arguments], cwd=folder,
                          preexec_fn=limit, capture_output=True, text=True, timeout=300,
                          check=False)  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_too_low_a_limit_is_said(command: str, tmp_path: Path) -> None:
    """A command that LLVM aborts, or an error of a library, where a limit is too low for it."""
    code, output, errors = limited([command, "--help"], 400, tmp_path)
    if command in WITHOUT_COMPILED_CODE:
        assert (code, errors) == (0, "") and output.startswith("Usage: counterpoint")
    else:
        assert (code, output) == (3, "")
        assert errors == ("counterpoint: unknown: the limit of address space is 400 MB; compiled "
                          "code needs 1,024 MB (ulimit -v 1048576)\n")  # fmt: skip


def test_least_limit_is_enough(tmp_path: Path) -> None:
    """A command that refuses limits which are high enough, or accepts one that is not."""
    limit = memory.LEAST >> 20
    code, _, errors = limited(["web", "describe", "--profile", "topical", "--pages", "500"], limit,
                              tmp_path)  # fmt: skip
    assert (code, errors) == (0, "")
    assert limited(["web", "profiles"], limit - 1, tmp_path)[0] == 3
    assert limited(["--help"], 300, tmp_path)[0] == 0


def test_list_leaves_out_what_needs_compiled_code(tmp_path: Path) -> None:
    """A list of specs that is refused because policies cannot be listed."""
    code, output, errors = limited(["list", "--format", "json"], 300, tmp_path)
    assert (code, errors) == (0, "")
    found = json.loads(output)
    assert "tl2" in found["specs"] and "topical" in found["web profiles"]
    assert list(found["policies"]) == ["not listed"]
    assert "compiled code needs 1,024 MB" in found["policies"]["not listed"]
    code, output, errors = limited(["list", "tl2"], 300, tmp_path)
    assert (code, errors) == (0, "") and "serializability" in output


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "megabytes"),
    [
        ("check counter.py --memory-limit 100000 --explorer python", 200),
        ("check counter.py --memory-limit 100000 --explorer compiled", 200),
        pytest.param(
            "web describe --profile broder-1999 --pages 3000000", 1024, marks=pytest.mark.slow
        ),
        pytest.param(
            "compare opic --web broder-1999 --pages 900 --seeds 1 --web-pages 2000000",
            1024,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_too_large_a_problem_is_unknown(arguments: str, megabytes: int, tmp_path: Path) -> None:
    """A traceback, an abortion, or a code that means another thing when memory runs out."""
    if "compiled" in arguments:
        need("gcc")
    (tmp_path / "counter.py").write_text(SPEC)
    code, output, errors = limited(arguments.split(), megabytes, tmp_path)
    assert code == 3, (code, output, errors)
    assert "Traceback" not in errors + output
    assert "memory" in (output + errors).lower()
    assert errors.count("\n") <= 1, errors


def test_errors_that_mean_no_memory() -> None:
    """An error without memory that is reported as another one, or another one as it."""
    wrapped = RuntimeError("the step failed")
    wrapped.__cause__ = KeyError()
    assert not memory.is_exhausted(wrapped)
    wrapped.__cause__.__context__ = MemoryError()
    assert memory.is_exhausted(wrapped)
    assert memory.is_exhausted(OSError(errno.ENOMEM, "Cannot allocate memory"))
    assert memory.is_exhausted(RuntimeError("can't start new thread"))
    assert memory.is_exhausted(RuntimeError("can't allocate lock"))
    assert not memory.is_exhausted(OSError(errno.ENOENT, "No such file"))
    wrapped.__cause__.__suppress_context__ = True
    assert not memory.is_exhausted(wrapped)
    circle = ValueError()
    circle.__cause__ = circle
    assert not memory.is_exhausted(circle)


EXPLORING = """
import resource, sys, time
from counterpoint.models.explore import exhaustive
from counterpoint.models.limits import Limits
from counterpoint.models.symbolic.trace import trace
from counterpoint.spec.notation import Model
from counterpoint.spec.stm.window import Window

model = Model(Window(transactions=3, objects=3, operations=3))
begun = time.monotonic()
trace(model)
enough = 0.5 + 4 * (time.monotonic() - begun)  # on a busy machine, reading the spec takes seconds
exhaustive.check(model, Limits(seconds=enough), explorer="compiled")  # loads all modules
with open("/proc/self/statm") as file:
    room = int(file.read().split()[0]) * resource.getpagesize() + (int(sys.argv[1]) << 20)
resource.setrlimit(resource.RLIMIT_AS, (room, room))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
try:
    print(exhaustive.check(model, Limits(bytes=1 << 42), explorer="compiled")[0].reason)
except MemoryError:
    print("there is no memory left")
"""


@pytest.mark.long
@pytest.mark.parametrize("megabytes", [3, 4, 10, 12, 20, 60])
def test_exploring_in_c_ends_without_memory(megabytes: int) -> None:
    """C code that aborts the process, or a limit that is named and was not reached."""
    need("gcc")
    done = subprocess.run([sys.executable, "-c", EXPLORING, str(megabytes)], capture_output=True,
                          text=True, timeout=120, check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "there is no memory left\n"), done.stderr


FAILING = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
static long left = -1;
void fail_after(long calls) { left = calls; }
void *realloc(void *old, size_t bytes) {
  static void *(*real)(void *, size_t);
  if (!real) real = dlsym(RTLD_NEXT, "realloc");
  if (bytes >= 8192 && left >= 0 && left-- == 0) return NULL;
  return real(old, bytes);
}
"""
"""A ``realloc`` that fails once, after so many calls for 8 KB or more."""
EACH_CALL = """
import ctypes
from counterpoint.models.explore import exhaustive
from counterpoint.spec.notation import Model
from counterpoint.spec.stm.window import Window

model = Model(Window())
for calls in [-1, *range(8)]:
    ctypes.CDLL(None).fail_after(ctypes.c_long(calls))
    try:
        found = exhaustive.check(model, explorer="compiled")[0]
        print(found.answer, found.states if found.answer == "holds" else found.reason)
    except MemoryError:
        print("unknown there is no memory left")
"""


def test_no_state_is_left_out_where_memory_fails_once(tmp_path: Path) -> None:
    """An explorer that skips next states for which it gets no memory, and says ``holds``."""
    compiler = str(need("gcc"))
    (tmp_path / "failing.c").write_text(FAILING)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", "failing.so", "failing.c", "-ldl"],
                   cwd=tmp_path, check=True)  # fmt: skip
    done = subprocess.run([sys.executable, "-c", EACH_CALL], capture_output=True, text=True,
                          env={**os.environ, "LD_PRELOAD": str(tmp_path / "failing.so")},
                          timeout=120, check=False)  # fmt: skip
    whole, *others = done.stdout.splitlines()
    assert whole == "holds 4611", done.stderr
    assert len(others) == 8
    assert set(others) <= {whole, "unknown there is no memory left"}
    assert "unknown there is no memory left" in others


@pytest.mark.slow
def test_store_is_whole_when_memory_runs_out(tmp_path: Path) -> None:
    """A traceback, or a store that cannot be resumed.

    libuv, Python itself and the HTML parser end the process by a signal at some places where they
    get no memory.
    """
    chance, of = random.Random(SEED), web(SEED)
    wanted = expected(SEED, "breadth-first")
    (tmp_path / "sites").write_text("".join(f"{start}\n" for start in starts(of)))
    codes = []
    with served(of, tmp_path / "access") as proxy:
        for number in range(12):
            store, seeds = str(tmp_path / f"{number}.db"), str(tmp_path / "sites")
            arguments = ["crawl", "breadth-first", "--db", store, "--seeds", seeds, "--budget",
                         "100000", "--proxy", proxy, "--delay", "0", "--stay"]  # fmt: skip
            most = chance.choice([20e6, 200e6])
            # With less room than this, libraries hang or crash before the crawl has begun.
            for room in (int(chance.uniform(10e6, most)), None):
                errors = tmp_path / f"errors-{number}-{room}"
                command = Command(arguments, tmp_path / "output", errors, memory=room)
                code, text = command.wait(), errors.read_text()
                where = f"seed {SEED}, {room} bytes of memory: code {code}: {text}"
                assert "Traceback" not in text, where
                assert (
                    code in (0, -signal.SIGABRT)
                    or (code, text.count("\n")) == (3, 1)
                    or (code == -signal.SIGSEGV and IN_PARSER.search(text))
                ), where
                codes.append(code)
            assert code == 0, where
            with open_store(store) as opened:
                assert found(opened) == wanted, where
    assert any(codes), "memory never ran out"

"""Compiles the kernel by the machine's C compiler when it is first used, and keeps it."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from pathlib import Path

from counterpoint.models.explore.compiled.compiler import NoCompiler, found

PARTS = (
    "types", "names", "text", "transactions", "jepsen", "edn", "events", "sources", "demands",
    "orders", "cycles", "visible", "criteria", "saturating",
)  # fmt: skip
"""The files of the kernel, in order."""

FLAGS = ("-O2", "-std=gnu11", "-fPIC", "-shared")

_NUMBER = ctypes.c_uint32
_LONG = ctypes.c_uint64
_POINTER = ctypes.c_void_p
_SIGNATURES: dict[str, tuple[object, Sequence[object]]] = {
    "kernel_new": (_POINTER, (ctypes.c_int, ctypes.c_int)),
    "kernel_free": (None, (_POINTER,)),
    "kernel_stop": (None, (_POINTER,)),
    "kernel_read": (ctypes.c_int, (_POINTER,)),
    "kernel_judge": (
        ctypes.c_int, (_POINTER, ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_int))),
    "kernel_reason": (ctypes.c_char_p, (_POINTER, ctypes.POINTER(_NUMBER))),
    "kernel_counts": (None, (_POINTER, ctypes.POINTER(_LONG))),
    "kernel_cycle_size": (_NUMBER, (_POINTER,)),
    "kernel_cycle": (None, (_POINTER, _NUMBER, ctypes.POINTER(_NUMBER))),
    "kernel_object": (_POINTER, (_POINTER, _NUMBER, ctypes.POINTER(ctypes.c_int64))),
    "kernel_sources": (_LONG, (_POINTER, _NUMBER, ctypes.POINTER(_NUMBER), _LONG)),
    "kernel_transaction": (None, (_POINTER, _NUMBER, ctypes.POINTER(_LONG))),
    "kernel_find": (ctypes.c_int, (_POINTER, ctypes.c_char_p, _NUMBER)),
    "kernel_found": (ctypes.POINTER(_LONG), (_POINTER, ctypes.POINTER(_LONG))),
    "kernel_saturate": (
        ctypes.c_int,
        (_POINTER, _NUMBER, ctypes.c_int, _POINTER, _LONG, _POINTER, _NUMBER, _POINTER, _POINTER,
         _POINTER, _POINTER, _POINTER, _LONG, ctypes.POINTER(_LONG))),
    "kernel_added": (ctypes.POINTER(_NUMBER), (_POINTER,)),
    "kernel_left": (ctypes.POINTER(_NUMBER), (_POINTER,)),
}  # fmt: skip


def text() -> str:
    """Return the program in C."""
    folder = resources.files(__package__).joinpath("runtime")
    return "\n".join(
        f'#line 1 "{part}.c"\n{folder.joinpath(f"{part}.c").read_text()}' for part in PARTS
    )


@cache
def library() -> ctypes.CDLL:
    """Return the kernel, compiled if that has not been done.

    Raises
    ------
    NoCompiler
        If there is no C compiler, or it fails.
    """
    program = text()
    made = hashlib.blake2b(repr((program, FLAGS, platform.machine())).encode(), digest_size=12)
    name = f"kernel-{made.hexdigest()}.so"
    for folder in _folders():
        path = folder / name
        try:
            if not path.exists():
                folder.mkdir(parents=True, exist_ok=True)
                compile_into(path, program)
            return _declared(ctypes.CDLL(str(path)))
        except OSError:
            continue
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as passing:
        compile_into(Path(passing) / name, program)
        try:
            return _declared(ctypes.CDLL(str(Path(passing) / name)))
        except OSError as error:
            raise NoCompiler(f"the result of the C compiler cannot be loaded: {error}") from error


def _folders() -> Iterator[Path]:
    """Yield where the compiled kernel can be kept: beside this package, or in the home folder."""
    here = Path(__file__).parent
    if os.access(here, os.W_OK):
        yield here / "__pycache__"
    kept = os.environ.get("XDG_CACHE_HOME", "")
    if kept or os.environ.get("HOME"):
        yield Path(kept or Path.home() / ".cache") / "counterpoint"


def compile_into(path: Path, program: str, flags: Sequence[str] = FLAGS) -> None:
    """Compile a program; nobody ever sees half of the result.

    Raises
    ------
    NoCompiler
        If there is no C compiler, or it fails.
    OSError
        If nothing can be written there.
    """
    command = found()
    if command is None:
        raise NoCompiler(f"there is no C compiler {os.environ.get('CC', '')}".strip())
    with tempfile.TemporaryDirectory(prefix="kernel-", dir=path.parent) as folder:
        source, result = Path(folder) / "kernel.c", Path(folder) / "kernel.so"
        source.write_text(program)
        try:
            run = subprocess.run([*command, *flags, str(source), "-o", str(result)], check=False,
                                 stdin=subprocess.DEVNULL, capture_output=True)  # fmt: skip
        except OSError as error:
            raise NoCompiler(f"{command[0]} cannot be started: {error.strerror}") from error
        if run.returncode:
            lines = (run.stderr or run.stdout).decode(errors="replace").strip().splitlines()
            raise NoCompiler(f"the C compiler failed: {lines[0] if lines else 'silently'}")
        result.replace(path)


def _declared(loaded: ctypes.CDLL) -> ctypes.CDLL:
    for name, (result, parameters) in _SIGNATURES.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, parameters
    return loaded

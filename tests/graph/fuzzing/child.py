"""Reads crafted files one after the other; `supervision` starts it in a process of its own.

    python -m tests.graph.fuzzing.child FOLDER SEED FIRST LAST ONE_IN

Writes a line of JSON for each finding, and now and then one that says how far it is. The number of
the present file stands in FOLDER/number, so that a crash leaves it behind.
"""

from __future__ import annotations

import faulthandler
import json
import resource
import sys
import traceback
import warnings
from collections import Counter
from pathlib import Path

from .mutations import crafted
from .originals import originals
from .readers import is_refusal, read, wrong_commands

MEMORY = 6 << 30
"""The bytes of address space that the process may take; taking more is a finding."""

TOLD = 200
"""After how many files it says how far it is."""


def _say(**line: object) -> None:
    print(json.dumps(line), flush=True)


def _read_one(path: Path, folder: Path, number: int, one_in: int, seen: Counter[str]) -> None:
    rare = number % one_in == 0
    for reader, error in read(path, folder, rare):
        if error is None:
            seen["read"] += 1
        elif is_refusal(error):
            seen["refused"] += 1
            seen[f"refused by {reader}"] += 1
        else:
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{last.filename.rpartition('/')[2]}:{last.lineno}"
            _say(number=number, reader=reader, where=where,
                 error=f"{type(error).__name__}: {str(error)[:200]}")  # fmt: skip
    if rare:
        for sentence in wrong_commands(path, folder):
            _say(number=number, reader="commands", where="", error=sentence)


def main() -> None:
    """Read the files FIRST to LAST - 1."""
    folder = Path(sys.argv[1])
    seed, first, last, one_in = map(int, sys.argv[2:])
    faulthandler.enable()
    warnings.simplefilter("error")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    made, path, note = originals(), folder / "a.graph", folder / "number"
    seen: Counter[str] = Counter()
    for original in made:  # compiles all readers
        path.write_bytes(original.draft.written())
        for reader, error in read(path, folder, rare=True):
            if error is not None:
                _say(number=-1, reader=f"{reader} of a valid file", error=repr(error), where="")
    for number in range(first, last):
        path.write_bytes(crafted(made, seed, number))
        note.write_text(str(number))
        _read_one(path, folder, number, one_in, seen)
        if (number + 1) % TOLD == 0 or number + 1 == last:
            _say(done=number + 1, seen=seen)
            seen.clear()


if __name__ == "__main__":
    main()

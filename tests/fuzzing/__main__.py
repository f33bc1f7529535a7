"""Reads as many inputs as requested with one reader.

python -m tests.fuzzing --reader capture --inputs 100000 --seed 1
"""

from __future__ import annotations

import argparse
import faulthandler
import resource
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

from .readers import readers
from .running import Found, fuzzed

MEMORY = 6 << 30
"""The bytes of address space that the process may take."""
SHOWN = 500
"""How many bytes of an input are printed."""


def main() -> int:
    """Read the inputs; the exit code is 1 if there is a finding."""
    known = readers()
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description=__doc__)
    parser.add_argument("--reader", required=True, choices=known, metavar="NAME",
                        help=", ".join(known))  # fmt: skip
    parser.add_argument("--inputs", type=int, default=10_000, help="how many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--seek-memory",
        action="store_true",
        help="seek inputs that take much memory for their size",
    )
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the findings there")
    given = parser.parse_args()
    faulthandler.enable()
    warnings.simplefilter("error")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    began = time.monotonic()

    def tell(found: Found) -> None:
        if sys.stderr.isatty():
            print(f"\r{time.monotonic() - began:,.0f} s, {found.inputs:,} inputs, "
                  f"{len(found.wrong):,} findings ", end="", file=sys.stderr)  # fmt: skip

    found = fuzzed(known[given.reader], given.inputs, given.seed, tell, given.seek_memory)
    print(f"{given.reader}: {found.inputs:,} inputs of seed {given.seed}, "
          f"{time.monotonic() - began:,.0f} s, {found.seen['read']:,} read, "
          f"{found.seen['refused']:,} refused, at most {found.share:,.0f} bytes of memory for a "
          f"byte, {len(found.wrong):,} findings")  # fmt: skip
    for kind, count in Counter(error for _, _, error in found.wrong).items():
        seed, data = next((seed, data) for seed, data, error in found.wrong if error == kind)
        print(f"  {count:,} times, first with --seed {seed}: {kind}\n    {data[:SHOWN]!r}")
    if given.write is not None:
        given.write.mkdir(parents=True, exist_ok=True)
        for number, (_, data, _) in enumerate(found.wrong):
            (given.write / f"{given.reader}-{number}").write_bytes(data)
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

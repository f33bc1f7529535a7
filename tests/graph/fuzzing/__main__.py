"""Reads as many crafted files of graphs as requested.

python -m tests.graph.fuzzing --files 100000 --seed 1 --checked
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from pathlib import Path

from .mutations import crafted
from .originals import originals
from .supervision import Found, fuzzed

SHOWN = 40
"""How many kinds of findings are printed."""


def main() -> int:
    """Read the files; the exit code is 1 if a reader crashed, hung, or failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.graph.fuzzing", description=__doc__)
    parser.add_argument("--files", type=int, default=1000, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--one-in", type=int, default=50, help="how rarely commands are run")
    parser.add_argument("--checked", action="store_true", help="with bounds checks of Numba")
    parser.add_argument("--caches", type=Path, help="where code with bounds checks is kept")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the first file instead")
    given = parser.parse_args()
    if given.write:
        given.write.write_bytes(crafted(originals(), given.seed, given.first))
        return 0
    began = time.monotonic()

    def tell(found: Found) -> None:
        print(f"\r{time.monotonic() - began:,.0f} s, {found.seen['read']:,} read, "
              f"{found.seen['refused']:,} refused, {len(found.wrong):,} wrong ",
              end="", file=sys.stderr, flush=True)  # fmt: skip

    found = fuzzed(given.seed, given.first, given.first + given.files, checked=given.checked,
                   one_in=given.one_in, caches=given.caches, tell=tell)  # fmt: skip
    seconds = time.monotonic() - began
    print(f"\n{found.files:,} files of seed {given.seed} from {given.first:,} on, {seconds:,.0f} s"
          f"{', with bounds checks' if given.checked else ''}")  # fmt: skip
    for name, count in sorted(found.seen.items()):
        print(f"  {name}: {count:,}")
    kinds = Counter(re.sub(r"\d+", "N", sentence) for _, sentence in found.wrong)
    firsts = {re.sub(r"\d+", "N", s): (n, s) for n, s in reversed(found.wrong)}
    for kind, count in kinds.most_common(SHOWN):
        print(f"  {count:,} times, first by file {firsts[kind][0]:,}: {firsts[kind][1][:300]}")
    print(f"  {len({number for number, _ in found.wrong}):,} files with findings")
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

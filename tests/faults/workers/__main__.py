"""Runs as many crawls as requested.

python -m tests.faults.workers --runs 200 --seed 1
"""

from __future__ import annotations

import argparse
import sys
import time

from tests.oracle.seeds import this_week

from .running import many_runs


def main() -> int:
    """Crawl; the exit code is 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.workers", description=__doc__)
    parser.add_argument("--runs", type=int, default=20, help="how many crawls")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--seed", type=int, default=this_week(0, 1).start // 1_000_000,
                        help="[the year and the week]")  # fmt: skip
    parser.add_argument("--minutes", type=float, default=600, help="after these no run begins")
    given = parser.parse_args()
    began = time.monotonic()
    counts, wrong = many_runs(given.seed, given.first, given.runs, given.minutes * 60)
    print(f"\n{counts['runs']} runs of seed {given.seed} from {given.first} on, "
          f"{time.monotonic() - began:,.0f} s, {len(wrong)} with problems")  # fmt: skip
    for name in ("kills", "stops", "interrupts", "joins", "last", "compared", "differences",
                 "tracebacks", "deadlocks", "requests", "waits"):  # fmt: skip
        print(f"  {name}: {counts[name]:,}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Run the tests on mutants: ``python -m tests.mutation models/limits.py --sample 150 --seed 1``.

Every mutant is tested in a process of its own, which is forked where all is loaded already that
does not need the changed module. A mutant is killed if a test fails or takes far too long. The
quick tests of the plan come first; with ``--long``, what survives them is held against the long
ones. What survives is listed with its change. It needs cosmic-ray, whose operators make the
mutants.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from .mutants import Mutant, sample
from .plan import LONG, QUICK
from .running import ROOT, Changed, Outcome, load, outcome, set_up


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", default=list(QUICK), help="files; all by default")
    parser.add_argument("--sample", type=int, default=150, help="mutants of each module, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--long", action="store_true", help="survivors take the long tests too")
    parser.add_argument("--json", type=Path, help="a line for each mutant is added to this file")
    parser.add_argument("--survivors", type=Path, help="only those that survived in such a file")
    given = parser.parse_args()
    set_up()
    for name in given.modules:
        child = os.fork()  # what one module does without, the next may need
        if not child:
            _module(name, given)
            sys.stdout.flush()
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            sys.exit(1)


def _module(name: str, given: argparse.Namespace) -> None:
    path = ROOT / name
    if given.survivors:
        known = [json.loads(line) for line in given.survivors.read_text().splitlines()]
        chosen = [
            Mutant(k["operator"], k["occurrence"], k["line"])
            for k in known if k["module"] == name and k["answer"] == "survived"
        ]  # fmt: skip
    else:
        chosen = sample(path, given.sample, given.seed)
    quick = _Tests(name, QUICK[name], path)
    long = _Tests(name, LONG[name], path) if given.long else None
    survivors, killers = [], Counter[str]()
    for mutant in chosen:
        found = quick.of(mutant)
        if found.answer == "survived" and long is not None:
            found = long.of(mutant)
        if found.answer == "survived":
            survivors.append(mutant)
        else:
            killers[found.by.split("[")[0] or found.answer] += 1
        _note(given.json, name, mutant, found, path)
    print(f"{name}: {len(chosen) - len(survivors)} of {len(chosen)} mutants killed")
    for by, number in killers.most_common():
        print(f"  {number:4} by {by}")
    for mutant in survivors:
        print(f"  {name}:{mutant.line} {mutant.operator}")
        print("\n".join(f"    {line}" for line in mutant.difference(path).splitlines()))


class _Tests:
    """Tests that pass without any change, and how long a mutant may take for them."""

    def __init__(self, name: str, tests: Sequence[str], path: Path) -> None:
        self.tests, self.path = tests, path
        first = outcome(tests, None, 3600)
        if first.answer != "survived":
            sys.exit(f"{name}: {first.by} fails without any change")
        load(first.modules, without=path)
        seconds = outcome(tests, Changed(path, path.read_text(encoding="utf-8")), 3600).seconds
        print(f"{name}: the tests take {seconds:.1f} s", flush=True)
        self.limit = 5 + 3 * seconds

    def of(self, mutant: Mutant) -> Outcome:
        """Return what the tests say of a mutant."""
        text = mutant.text(self.path)
        assert text is not None
        return outcome(self.tests, Changed(self.path, text), self.limit)


def _note(out: Path | None, name: str, mutant: Mutant, found: Outcome, path: Path) -> None:
    if out is None:
        return
    entry = {
        "module": name, "line": mutant.line, "operator": mutant.operator,
        "occurrence": mutant.occurrence, "answer": found.answer, "by": found.by,
        "seconds": round(found.seconds, 2), "change": mutant.difference(path),
    }  # fmt: skip
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


if __name__ == "__main__":
    main()

"""All sets of short programs, up to renaming of transactions and objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, permutations, product
from math import comb
from typing import TypeAlias

from counterpoint.spec.notation import SpecError

Operation: TypeAlias = tuple[str, int]
"""``"r"`` or ``"w"`` with the number of an object."""

Program: TypeAlias = tuple[Operation, ...]
ProgramSet: TypeAlias = tuple[Program, ...]

MOST = 3_000_000
"""The most sets that are enumerated, before duplicates are removed."""

NAMES = "xyzabc"


def programs(objects: int, operations: int) -> list[Program]:
    """Return every program of at most so many operations without a redundant one.

    A repeated operation is redundant, and so is a read of an object that the program wrote before:
    both concern the transaction's own copy.
    """
    every = [(kind, x) for x in range(objects) for kind in "rw"]
    return [
        p
        for size in range(1, operations + 1)
        for p in product(every, repeat=size)
        if not any(_own_copy(p[:i], p[i]) for i in range(size))
    ]


def _own_copy(before: Program, operation: Operation) -> bool:
    kind, x = operation
    return operation in before or (kind == "r" and ("w", x) in before)


def canonical(programs: Sequence[Program], objects: int) -> ProgramSet:
    """Return the least of the sets that equal a given one up to the names of its members."""
    return min(
        tuple(sorted(tuple((kind, renamed[x]) for kind, x in p) for p in programs))
        for renamed in permutations(range(objects))
    )


def worth_trying(programs: Sequence[Program]) -> bool:
    """Return whether there are reads, and each object read is written by another program."""
    reads = [(t, x) for t, p in enumerate(programs) for kind, x in p if kind == "r"]
    return bool(reads) and all(
        any(("w", x) in p for u, p in enumerate(programs) if u != t) for t, x in reads
    )


def program_sets(transactions: int, objects: int, operations: int) -> list[ProgramSet]:
    """Return every set of programs that is worth trying, once, in a fixed order.

    Parameters
    ----------
    transactions : int
        Programs of a set.
    objects, operations : int
        The most objects in a set, and the most operations in a program.

    Raises
    ------
    SpecError
        If there are too many sets.

    Notes
    -----
    Sets that differ in the names of objects only count as one, although a protocol may lock objects
    in the order of their names.
    """
    single = programs(objects, operations)
    number = comb(len(single) + transactions - 1, transactions)
    if number > MOST:
        raise SpecError(
            f"{number:,} sets of {transactions} programs are too many to search; "
            f"{MOST:,} is the most: take fewer transactions, objects or operations"
        )
    return sorted(set(_canonical_sets(single, transactions, objects)))


def _canonical_sets(
    single: Sequence[Program], transactions: int, objects: int
) -> Iterator[ProgramSet]:
    for chosen in combinations_with_replacement(single, transactions):
        if worth_trying(chosen):
            yield canonical(chosen, objects)


def smaller(programs: ProgramSet) -> Iterator[ProgramSet]:
    """Yield the sets without one of the programs, then those without one of the operations."""
    for t in range(len(programs)):
        if len(programs) > 1:
            yield programs[:t] + programs[t + 1 :]
    for t, program in enumerate(programs):
        for i in range(len(program)):
            if len(program) > 1:
                cut = program[:i] + program[i + 1 :]
                yield (*programs[:t], cut, *programs[t + 1 :])


def text(programs: ProgramSet) -> str:
    """Return a set as the parameter ``programs`` takes it."""
    return "; ".join(", ".join(f"{kind} {NAMES[x]}" for kind, x in p) for p in programs)

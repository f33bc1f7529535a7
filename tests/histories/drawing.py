"""Random recorded histories, and the same as the definition of the criteria wants them."""

from __future__ import annotations

import random
from typing import Any

from counterpoint.histories.history import Fate, History
from counterpoint.histories.reading.building import Builder
from counterpoint.histories.sources import INITIAL, Sources
from counterpoint.spec.stm import history as definition

PROCESSES = 3


def drawn(
    chance: random.Random, transactions: int = 4, objects: int = 2, *, lists: bool = False,
    versions: bool = False, until: int | None = None,
) -> History:  # fmt: skip
    """Return a random history of transactions that overlap.

    A read returns what is newest, what was there at the begin, what some transaction wrote last,
    or anything that was written so far; how often which, differs from history to history.

    Parameters
    ----------
    chance : random.Random
    transactions, objects : int
    lists : bool
        Whether objects are lists.
    versions : bool
        Whether commits have the numbers of versions: in the order of commits, mostly.
    until : int, optional
        The last place; later events are left out.
    """
    return _Drawing(chance, transactions, objects, lists, versions).history(until)


class _Drawing:
    def __init__(
        self, chance: random.Random, transactions: int, objects: int, lists: bool, versions: bool
    ) -> None:
        self.chance, self.left, self.objects = chance, transactions, objects
        self.lists, self.versions = lists, versions
        self.builder = Builder()
        self.memory: dict[int, Any] = {}
        self.history_of: dict[int, list[Any]] = {x: [None] for x in range(objects)}
        self.all: dict[int, list[Any]] = {x: [None] for x in range(objects)}
        self.own: dict[int, dict[int, Any]] = {}
        self.at_begin: dict[int, dict[int, Any]] = {}
        self.asked: set[int] = set()
        self.stopped: set[int] = set()
        self.value, self.place, self.version = 0, 0, 4
        self.mood = [chance.random() ** 2 for _ in range(4)]
        self.aborts = chance.choice([0.1, 0.5])

    def history(self, until: int | None) -> History:
        """Return the history, or its beginning."""
        while (self.left or self.own) and self.place != until:
            self.place += 1
            process = self.chance.randrange(PROCESSES)
            if process in self.own:
                self.go_on(process)
            elif self.left and process not in self.stopped:
                self.left -= 1
                self.own[process], self.at_begin[process] = {}, dict(self.memory)
                self.builder.begin(self.place, process)
            elif len(self.stopped) == PROCESSES or not (self.left or self.own):
                break
        return self.builder.history(asks=until is not None)

    def go_on(self, process: int) -> None:
        """Let a process do something."""
        event = self.chance.choice(["read", "read", "write", "write", "ask", "end"])
        if event == "end":
            self.end(process)
        elif process in self.asked:
            return
        elif event == "ask":
            self.builder.ask(self.place, process)
            self.asked.add(process)
        elif event == "write":
            self.write(process, self.chance.randrange(self.objects))
        else:
            self.read(process, self.chance.randrange(self.objects))

    def write(self, process: int, x: int) -> None:
        """Write or append a new value."""
        self.value += 1
        kind: Any = "append" if self.lists else "write"
        own = self.own[process]
        own[x] = (*own.get(x, ()), self.value) if self.lists else self.value
        self.builder.operation(self.place, process, kind, x, self.value)
        if not self.lists:
            self.all[x].append(self.value)

    def read(self, process: int, x: int) -> None:
        """Read something that can be wrong."""
        own = self.own[process].get(x)
        if own is not None and not self.lists:
            self.builder.operation(self.place, process, "read", x, own)
            return
        sources = [
            lambda: self.memory.get(x),
            lambda: self.at_begin[process].get(x),
            lambda: self.chance.choice(self.history_of[x]),
            lambda: self.chance.choice(self.all[x]),
        ]
        value = self.chance.choices(sources, [*self.mood[:3], self.mood[3] / 8])[0]()
        if self.lists:
            value = tuple(one for one in value or () if one not in (own or ())) + (own or ())
        self.builder.operation(self.place, process, "read", x, value)

    def end(self, process: int) -> None:
        """Commit, abort, or do nothing more."""
        own = self.own[process]
        fate = self.chance.random()
        if fate < 0.1 and self.lists is False:
            del self.own[process]
            self.stopped.add(process)
            if process in self.asked and self.chance.random() < 0.5:
                self.took_effect(own)
            return
        del self.own[process]
        self.asked.discard(process)
        if fate < 0.1 + self.aborts:
            self.builder.abort(self.place, process)
            return
        self.took_effect(own)
        numbers: dict[Any, int] = {}
        if self.versions:
            for x in own:
                self.version += 2
                numbers[x] = self.version - (3 if self.chance.random() < 0.1 else 0)
        self.builder.commit(self.place, process, numbers)

    def took_effect(self, own: dict[int, Any]) -> None:
        """Let writes be seen by others."""
        for x, value in own.items():
            if self.lists:
                before = self.memory.get(x) or ()
                if self.chance.random() < 0.1 * self.mood[3]:
                    before = before[:-1]
                value = (*before, *value)
            self.memory[x] = value
            self.history_of[x].append(value)


def as_defined(sources: Sources) -> definition.History:
    """Return a history as the definition of the criteria wants it."""
    history = sources.history
    everybody, size = history.transactions, len(history)
    objects = sorted({op.object for one in everybody for op in one.operations})
    first_read = {}
    for one in everybody:
        for read in sources.reads[one.number]:
            if read.writer != INITIAL:
                place = first_read.get(read.writer, read.place)
                first_read[read.writer] = min(place, read.place)
    previous: dict[Any, int] = {}
    predecessor: list[int | None] = []
    for one in everybody:
        predecessor.append(previous.get(one.process))
        previous[one.process] = one.number

    def ended(t: int, place: int) -> bool:
        end = everybody[t].end
        return end is not None and end < place

    def effective(t: int, place: int | None) -> bool:
        if place is None:
            return False
        return ended(t, place) or first_read.get(t, place) < place

    def took(t: int, x: int, writer: int) -> bool:
        return any((r.object, r.writer) == (objects[x], writer) for r in sources.reads[t])

    numbers = range(size)
    return definition.History(
        transactions=numbers,
        objects=range(len(objects)),
        begun=[True] * size,
        committing=[one.fate is Fate.COMMITTING for one in everybody],
        committed=[one.fate is Fate.COMMITTED for one in everybody],
        reads_initial=[[took(t, x, INITIAL) for x in range(len(objects))] for t in numbers],
        reads_from=[
            [[took(t, x, w) for w in numbers] for x in range(len(objects))] for t in numbers
        ],
        wrote=[[what in sources.wrote[t] for what in objects] for t in numbers],
        before=[[ended(t, everybody[u].begin) for u in numbers] for t in numbers],
        effective_before=[[effective(t, everybody[u].begin) for u in numbers] for t in numbers],
        effective_before_commit=[
            [effective(t, everybody[u].asked) for u in numbers] for t in numbers
        ],
        predecessor=predecessor,
    )

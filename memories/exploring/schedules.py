"""All schedules of threads at step points, each once up to steps that commute.

Two steps of different threads commute if they touch nothing in common, or only read it. Schedules
that differ in the order of such steps alone are one. The search runs the threads again and again
from the start: dynamic partial-order reduction (C. Flanagan and P. Godefroid, POPL 2005) with sleep
sets (P. Godefroid, LNCS 1032).

A step that is tried in vain, since the thread has to wait, changes nothing: it is no part of the
schedule, and the thread cannot go on there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from counterpoint.memories.controller import Controlled
from counterpoint.memories.points import Point

Touched = Iterable[tuple[object, bool]]
"""What a step touches: each thing, and whether the step changes it."""

Touches = Callable[[Point], Touched]


def touches_everything(point: Point) -> Touched:
    """Return that a step can change anything: no two steps commute."""
    return (("everything", True),)


@dataclass
class _Node:
    """A state on the present path.

    Attributes
    ----------
    points : dict of int to Point
        Where the threads stand that have not ended.
    able : set of int
        The threads that may go on.
    wanted, done, raced : set of int
        The threads whose steps must be tried here, those that have been, and those of the first
        that could have gone on here instead of later.
    asleep : dict of int to Point
        Steps that need not be tried here: another schedule had them.
    preempted : int
        How often a thread was left, up to here, that could have gone on.
    before : int
        The thread of the last step; -1 at the start.
    chosen : Point or None
        The step of the present path.
    """

    points: dict[int, Point]
    able: set[int]
    asleep: dict[int, Point]
    preempted: int
    before: int
    wanted: set[int] = field(default_factory=set)
    done: set[int] = field(default_factory=set)
    raced: set[int] = field(default_factory=set)
    chosen: Point | None = None


class Schedules:
    """The schedules of threads that have not been run yet.

    Parameters
    ----------
    touches : callable, optional
        What a step touches; by default everything.
    preemptions : int, optional
        How often a schedule may leave a thread that could go on (M. Musuvathi and S. Qadeer, PLDI
        2007); by default without a limit.

    Attributes
    ----------
    tried : int
        How many schedules have been run, up to the end or until nothing new could follow.
    """

    def __init__(
        self, touches: Touches = touches_everything, preemptions: int | None = None
    ) -> None:
        self._touches, self._most = touches, preemptions
        self._known: dict[Point, dict[object, bool]] = {}
        self._path: list[_Node] = []
        self._begun = self._over = False
        self.tried = 0

    def run(self, controlled: Controlled) -> bool:
        """Run threads along the next schedule.

        Parameters
        ----------
        controlled : Controlled
            New threads with the same programs in the same state as before.

        Returns
        -------
        bool
            Whether they ran to their ends; if not, another schedule that was run had all that
            this one has.

        Raises
        ------
        Deadlock, Endless, Unreached
            From the threads; the schedule counts as run.
        """
        self.tried += 1
        self._begun = True
        run = _Run(self, controlled)
        controlled.run(run.choose)
        return not controlled.waiting

    def more(self) -> bool:
        """Move on to the next schedule; return False if all have been run."""
        if not self._begun:
            return True
        while self._path:
            node = self._path[-1]
            if node.chosen is not None:
                node.done.add(node.chosen.thread)
            left = sorted(node.wanted - node.done - node.asleep.keys())
            node.chosen = next((node.points[t] for t in left if self._may(node, t)), None)
            if node.chosen is not None:
                return True
            self._path.pop()
        return False

    def _may(self, node: _Node, thread: int) -> bool:
        """Return whether a thread can go on at a node within the limit of preemptions."""
        return thread in node.able and (
            self._most is None or self._count(node, thread) <= self._most
        )

    def _count(self, node: _Node, thread: int) -> int:
        """Return how many preemptions there are if a thread goes on at a node."""
        leaves = node.before in node.able and thread != node.before
        return node.preempted + leaves

    def depend(self, one: Point, other: Point) -> bool:
        """Return whether two steps of different threads do not commute."""
        first, second = self._touched(one), self._touched(other)
        return any(thing in second and (changes or second[thing])
                   for thing, changes in first.items())  # fmt: skip

    def _touched(self, point: Point) -> Mapping[object, bool]:
        found = self._known.get(point)
        if found is None:
            found = self._known[point] = {}
            for thing, changes in self._touches(point):
                found[thing] = found.get(thing, False) or changes
        return found


class _Run:
    """One run along the path of a search, and beyond its end."""

    def __init__(self, search: Schedules, controlled: Controlled) -> None:
        self._search, self._controlled = search, controlled
        self._path = search._path
        self._taken: list[Point] = []
        self._clocks: list[dict[int, int]] = []
        self._own: dict[int, dict[int, int]] = {}
        self._tried: Point | None = None

    def choose(self, able: list[Point]) -> int | None:
        """Return the place of the point to pass; None if nothing new can follow."""
        if self._tried is not None:
            self._finish(self._tried)
        threads = {point.thread: place for place, point in enumerate(able)}
        depth = len(self._taken)
        if depth == len(self._path):
            self._path.append(self._new(set(threads)))
            self._note_races()
        node = self._path[depth]
        node.able &= set(threads)  # without those that tried in vain here
        if node.chosen is None or node.chosen.thread not in threads:
            node.chosen = self._first(node)
            if node.chosen is None:
                return None
        self._tried = node.chosen
        return threads[node.chosen.thread]

    def _new(self, able: set[int]) -> _Node:
        points = {n: _bare(point) for n, point in self._controlled.waiting.items()}
        if not self._path:
            return _Node(points, able, {}, 0, -1)
        last = self._path[-1]
        step = last.chosen
        assert step is not None
        asleep = {
            t: point
            for t, point in {**last.asleep, **{d: last.points[d] for d in last.done}}.items()
            if t != step.thread and not self._search.depend(point, step)
        }
        count = self._search._count(last, step.thread)
        return _Node(points, able, asleep, count, step.thread)

    def _first(self, node: _Node) -> Point | None:
        """Return the step that is tried first at a node: that of the same thread, if it can."""
        order = sorted(node.able, key=lambda t: (t != node.before, t))
        for thread in order:
            if (
                thread not in node.asleep
                and thread not in node.done
                and self._search._may(node, thread)
            ):
                node.wanted.add(thread)
                return node.points[thread]
        return None

    def _finish(self, tried: Point) -> None:
        """Note what became of the step that was tried last."""
        self._tried = None
        now = self._controlled.waiting.get(tried.thread)
        if now is not None and now.waiting and _bare(now) == tried:
            node = self._path[len(self._taken)]
            node.able.discard(tried.thread)
            node.wanted.discard(tried.thread)
            node.chosen = None
            if tried.thread in node.raced:  # it cannot go on here: any other one may lead to it
                node.wanted |= node.able
            return
        clock = dict(self._own.get(tried.thread, {}))
        for k, other in enumerate(self._taken):
            if other.thread == tried.thread or self._search.depend(other, tried):
                for thread, count in self._clocks[k].items():
                    clock[thread] = max(clock.get(thread, 0), count)
        clock[tried.thread] = len(self._taken) + 1
        self._taken.append(tried)
        self._clocks.append(clock)
        self._own[tried.thread] = clock

    def _note_races(self) -> None:
        """Note at which earlier states a thread could have gone on instead.

        Only the last step is new. For a step that it must be after, nothing has changed, unless the
        thread itself has come to another point by it.
        """
        if not self._taken:
            return
        last = len(self._taken) - 1
        mover, clock = self._taken[last].thread, self._clocks[last]
        for thread, point in self._path[-1].points.items():
            known = self._own.get(thread, {})
            for k, other in enumerate(self._taken):
                is_new = thread == mover or k == last or clock.get(other.thread, 0) <= k
                if (
                    is_new
                    and other.thread != thread
                    and k + 1 > known.get(other.thread, 0)
                    and self._search.depend(other, point)
                ):
                    self._reverse(k, thread, point)

    def _reverse(self, k: int, thread: int, point: Point) -> None:
        """Have a step tried before an earlier one with which it does not commute.

        Before the earlier one come all steps that need not be after it. One of those with which
        these can begin must be tried there, unless that is done: these are a source set.

        Parameters
        ----------
        k : int
            The place of the earlier step.
        thread : int
        point : Point
            The step, which its thread has not taken yet.
        """
        node, first = self._path[k], self._beginnings(k, thread, point)
        if first & (node.wanted | node.asleep.keys()):
            return
        chosen = thread if thread in first else min(first)
        node.raced.add(chosen)
        node.wanted |= {chosen} if chosen in node.able else node.able

    def _beginnings(self, k: int, thread: int, point: Point) -> set[int]:
        """Return the threads that can begin with what need not be after a step; see `_reverse`."""
        after = self._taken[k].thread
        free = [j for j in range(k + 1, len(self._taken)) if self._clocks[j].get(after, 0) <= k]
        first: set[int] = set()
        met: set[int] = set()
        for place, j in enumerate(free):
            one = self._taken[j].thread
            if one not in met and not any(self._precedes(i, self._clocks[j]) for i in free[:place]):
                first.add(one)
            met.add(one)
        known = self._own.get(thread, {})
        if thread not in met and not any(
            self._precedes(j, known) or self._search.depend(self._taken[j], point) for j in free
        ):
            first.add(thread)
        return first

    def _precedes(self, i: int, clock: dict[int, int]) -> bool:
        """Return whether a step that was taken is one of those on which a clock rests."""
        return i + 1 <= clock.get(self._taken[i].thread, 0)


def _bare(point: Point) -> Point:
    """Return a point without whether its thread has tried in vain."""
    return Point(point.thread, point.name, point.arguments) if point.waiting else point

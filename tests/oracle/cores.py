"""Small protocols that people write: locks, tokens, tickets, elections, barriers.

Random text is added to them, so that random specs have claims of interest: most of these hold, for
any number of members, and follow from the lemmas next to them.
"""

from __future__ import annotations

from tests.oracle.agreement_cores import BARRIER, ELECTION, OWNERS
from tests.oracle.vocabulary import Core, Var

P = ("processes",)


NOBODY = ("NOBODY",)


def pairs(one: str, other: str, index: str = "processes", a: str = "p", b: str = "q") -> str:
    """Return the claim that no two members satisfy a condition at once."""
    return f"no(every({one}, {other}, {a} != {b}) for {a} in s.{index} for {b} in s.{index})"


LOCK = Core(
    variables=(
        Var("at", "member", P, 0, 2, "At", ("OUT", "WAITS", "IN")),
        Var("lock", "bool"),
    ),
    actions={
        "ask(s, p)": ("require(s.at[p] == At.OUT)", "s.at[p] = At.WAITS"),
        "enter(s, p)": (
            "require(s.at[p] == At.WAITS, no(s.lock))",
            "s.lock = True",
            "s.at[p] = At.IN",
        ),
        "leave(s, p)": (
            "require(s.at[p] == At.IN)",
            "s.lock = False",
            "s.at[p] = At.OUT",
        ),
    },
    claims=(
        "count(s.at[p] == At.IN for p in s.processes) <= 1",
        pairs("s.at[p] == At.IN", "s.at[q] == At.IN"),
        "every(implies(s.at[p] == At.IN, s.lock) for p in s.processes)",
        "s.lock == some(s.at[p] == At.IN for p in s.processes)",
        "count(s.at[p] == At.IN for p in s.processes) < 3",
    ),
    wrong=(
        "count(s.at[p] == At.WAITS for p in s.processes) <= 1",
        "implies(s.lock, no(s.at[p] == At.WAITS for p in s.processes))",
        "count(s.at[p] != At.OUT for p in s.processes) < 3",
    ),
    lemmas=(
        "every(implies(s.at[p] == At.IN, s.lock) for p in s.processes)",
        "implies(s.lock, some(s.at[p] == At.IN for p in s.processes))",
        pairs("s.at[p] == At.IN", "s.at[q] == At.IN"),
    ),
    steps=(
        "every(implies(s.at[p] == At.OUT, after.at[p] != At.IN) for p in s.processes)",
        "implies(every(s.lock, no(after.lock)), some(s.at[p] == At.IN for p in s.processes))",
    ),
)


RACE = Core(
    variables=(
        Var("seen", "member", P, 0, 2, "Seen", ("NOTHING", "FREE", "WORKS")),
        Var("taken", "bool"),
    ),
    actions={
        "look(s, p)": (
            "require(s.seen[p] == Seen.NOTHING, no(s.taken))",
            "s.seen[p] = Seen.FREE",
        ),
        "take(s, p)": (
            "require(s.seen[p] == Seen.FREE)",
            "s.taken, s.seen[p] = True, Seen.WORKS",
        ),
        "release(s, p)": (
            "require(s.seen[p] == Seen.WORKS)",
            "s.seen[p] = Seen.NOTHING",
            "s.taken = False",
        ),
    },
    claims=(
        "implies(s.taken, some(s.seen[p] == Seen.WORKS for p in s.processes))",
        "every(implies(s.seen[p] == Seen.NOTHING, s.seen[p] < Seen.WORKS) for p in s.processes)",
    ),
    wrong=(
        "count(s.seen[p] == Seen.WORKS for p in s.processes) <= 1",
        pairs("s.seen[p] == Seen.WORKS", "s.seen[q] == Seen.WORKS"),
        "every(implies(s.seen[p] == Seen.WORKS, s.taken) for p in s.processes)",
        "count(s.seen[p] == Seen.WORKS for p in s.processes) < 3",
        "no(every(s.taken, s.seen[p] == Seen.FREE) for p in s.processes)",
    ),
    steps=(
        "every(implies(s.seen[p] == Seen.NOTHING, after.seen[p] != Seen.WORKS)"
        " for p in s.processes)",
    ),
)


HOLDER = Core(
    variables=(
        Var("holder", "reference", (), -1, -1, "Nobody", NOBODY, "processes"),
        Var("busy", "bool", P),
    ),
    actions={
        "grab(s, p)": ("require(s.holder == Nobody.NOBODY)", "s.holder = p", "s.busy[p] = True"),
        "hand_over(s, p, q)": (
            "require(s.holder == p, p != q)",
            "s.busy[p] = False",
            "s.busy[q] = True",
            "s.holder = q",
        ),
        "drop(s, p)": (
            "require(s.busy[p])",
            "s.busy[p], s.holder = False, Nobody.NOBODY",
        ),
    },
    claims=(
        "count(s.busy[p] for p in s.processes) <= 1",
        pairs("s.busy[p]", "s.busy[q]"),
        "every(s.busy[p] == (s.holder == p) for p in s.processes)",
        "implies(s.holder == Nobody.NOBODY, no(s.busy[p] for p in s.processes))",
        "implies(s.holder < 0, count(s.busy[p] for p in s.processes) == 0)",
    ),
    wrong=(
        "count(s.busy[p] for p in s.processes) == 0",
        "implies(s.holder >= 0, no(s.busy[p] for p in s.processes))",
        "every(some(no(s.busy[p]), s.holder < 1) for p in s.processes)",
    ),
    lemmas=("every(s.busy[p] == (s.holder == p) for p in s.processes)",),
    steps=(
        "every(implies(every(s.busy[p], after.busy[q], p != q), no(after.busy[p]))"
        " for p in s.processes for q in s.processes)",
    ),
)


TOKEN = Core(
    variables=(Var("has", "bool", P, start="lambda s, p: p == 0"), Var("rounds", "int", (), 0, 2)),
    actions={
        "pass_on(s, p, q)": (
            "require(s.has[p], p != q)",
            "s.has[p] = False",
            "s.has[q] = True",
        ),
        "work(s, p)": ("require(s.has[p], s.rounds < 2)", "s.rounds = s.rounds + 1"),
        "again(s)": ("require(s.rounds == 2)", "s.rounds = 0"),
    },
    claims=(
        "count(s.has[p] for p in s.processes) <= 1",
        "count(s.has[p] for p in s.processes) < 3",
        pairs("s.has[p]", "s.has[q]"),
        "some(s.has[p] for p in s.processes)",
        "count(s.has[p] for p in s.processes) >= 1",
        "count(s.has[p] for p in s.processes) == 1",
        "s.rounds <= 2",
    ),
    wrong=(
        "some(s.rounds < 2, no(s.has[p] for p in s.processes))",
        "every(implies(s.has[p], s.rounds < 2) for p in s.processes)",
        "every(some(s.has[p], p != 0) for p in s.processes)",
    ),
    lemmas=(pairs("s.has[p]", "s.has[q]"), "some(s.has[p] for p in s.processes)"),
    steps=("implies(after.rounds > s.rounds, after.rounds == s.rounds + 1)",),
)


TICKETS = Core(
    variables=(
        Var("next", "int", (), 0, 3, grows=True),
        Var("ticket", "int", P, 0, 3, grows=True),
        Var("waits", "bool", P),
    ),
    actions={
        "draw(s, p)": (
            "require(no(s.waits[p]))",
            "s.ticket[p] = s.next",
            "s.next = s.next + 1",
            "s.waits[p] = True",
        ),
        "served(s, p)": (
            "require(s.waits[p])",
            "require(every(implies(s.waits[q], s.ticket[p] <= s.ticket[q]) for q in s.processes))",
            "s.waits[p] = False",
        ),
    },
    claims=(
        "every(implies(s.waits[p], s.ticket[p] < s.next) for p in s.processes)",
        "no(every(s.waits[p], s.waits[q], p != q, s.ticket[p] == s.ticket[q])"
        " for p in s.processes for q in s.processes)",
    ),
    wrong=(
        "count(s.waits[p] for p in s.processes) <= 1",
        "every(s.ticket[p] < s.next for p in s.processes)",
        "count(s.waits[p] for p in s.processes) < 3",
    ),
    lemmas=(
        "every(implies(s.waits[p], s.ticket[p] < s.next) for p in s.processes)",
        "no(every(s.waits[p], s.waits[q], p != q, s.ticket[p] == s.ticket[q])"
        " for p in s.processes for q in s.processes)",
    ),
    steps=("after.next >= s.next", "every(after.ticket[p] >= s.ticket[p] for p in s.processes)"),
)


READERS = Core(
    variables=(
        Var("reads", "bool", P),
        Var("writes", "bool", P),
    ),
    actions={
        "read(s, p)": ("require(no(s.writes[q] for q in s.processes))", "s.reads[p] = True"),
        "stop_reading(s, p)": ("require(s.reads[p])", "s.reads[p] = False"),
        "write(s, p)": (
            "require(no(some(s.reads[q], s.writes[q]) for q in s.processes))",
            "s.writes[p] = True",
        ),
        "stop_writing(s, p)": ("require(s.writes[p])", "s.writes[p] = False"),
    },
    claims=(
        "count(s.writes[p] for p in s.processes) <= 1",
        pairs("s.writes[p]", "s.writes[q]"),
        "no(every(s.writes[p], s.reads[q]) for p in s.processes for q in s.processes)",
        "implies(some(s.writes[p] for p in s.processes),"
        " count(s.reads[p] for p in s.processes) == 0)",
    ),
    wrong=(
        "count(s.reads[p] for p in s.processes) <= 1",
        "count(s.reads[p] for p in s.processes) < 3",
        "implies(some(s.reads[p] for p in s.processes),"
        " count(s.reads[p] for p in s.processes) == 1)",
    ),
    lemmas=(
        pairs("s.writes[p]", "s.writes[q]"),
        "no(every(s.writes[p], s.reads[q]) for p in s.processes for q in s.processes)",
    ),
    steps=("every(implies(s.writes[p], no(after.reads[p])) for p in s.processes)",),
)


SEMAPHORE = Core(
    variables=(Var("inside", "bool", P), Var("free", "int", (), -1, 2, start="1")),
    actions={
        "down(s, p)": (
            "require(no(s.inside[p]), s.free > 0)",
            "s.free = s.free - 1",
            "s.inside[p] = True",
        ),
        "up(s, p)": ("require(s.inside[p])", "s.inside[p] = False", "s.free = s.free + 1"),
    },
    claims=(
        "s.free + count(s.inside[p] for p in s.processes) == 1",
        "count(s.inside[p] for p in s.processes) <= 1",
        "implies(s.free == 1, no(s.inside[p] for p in s.processes))",
        "every(implies(s.inside[p], s.free == 0) for p in s.processes)",
        "s.free <= 1",
    ),
    wrong=(
        "s.free == 1",
        "count(s.inside[p] for p in s.processes) == 0",
    ),
    lemmas=(
        "every(s.free >= 0, s.free <= 1)",
        "every(implies(s.inside[p], s.free == 0) for p in s.processes)",
        pairs("s.inside[p]", "s.inside[q]"),
    ),
    steps=("every(after.free <= s.free + 1, after.free >= s.free - 1)",),
)


FLAGS = Core(
    variables=(Var("marked", "bool", P), Var("chosen", "bool", P)),
    actions={
        "mark(s, p)": ("s.marked[p] = True",),
        "choose(s, p)": (
            "require(s.marked[p], no(s.chosen[q] for q in s.processes))",
            "s.chosen[p] = True",
        ),
        "only(s, p)": ("for q in s.processes:\n    s.chosen[q] = q == p", "s.marked[p] = True"),
        "clear(s)": ("for q in s.processes:\n    s.chosen[q] = False",),
    },
    claims=(
        "count(s.chosen[p] for p in s.processes) <= 1",
        pairs("s.chosen[p]", "s.chosen[q]"),
        "every(implies(s.chosen[p], s.marked[p]) for p in s.processes)",
    ),
    wrong=(
        "count(s.marked[p] for p in s.processes) <= 1",
        "count(s.marked[p] for p in s.processes) < 3",
        "count(s.marked[p] for p in s.processes) != 2",
        "every(implies(s.marked[p], s.chosen[p]) for p in s.processes)",
    ),
    lemmas=(
        pairs("s.chosen[p]", "s.chosen[q]"),
        "every(implies(s.chosen[p], s.marked[p]) for p in s.processes)",
    ),
    steps=("every(implies(s.marked[p], after.marked[p]) for p in s.processes)",),
)


CORES = (
    LOCK, RACE, HOLDER, TOKEN, TICKETS, ELECTION, BARRIER, OWNERS, READERS, SEMAPHORE, FLAGS,
)  # fmt: skip

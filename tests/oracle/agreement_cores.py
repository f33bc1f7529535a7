"""Cores of random specs in which members agree: an election, a barrier, ownership."""

from __future__ import annotations

from tests.oracle.vocabulary import Core, Var

P = ("processes",)


ELECTION = Core(
    variables=(
        Var("leader", "reference", (), -1, -1, "Unknown", ("UNKNOWN",), "processes"),
        Var("follows", "reference", P, -1, -1, "Unknown", ("UNKNOWN",), "processes"),
    ),
    actions={
        "elect(s, p)": ("require(s.leader == Unknown.UNKNOWN)", "s.leader = p"),
        "follow(s, p)": (
            "require(s.leader != Unknown.UNKNOWN, s.follows[p] < 0)",
            "s.follows[p] = s.leader",
        ),
        "hear(s, p, q)": (
            "require(s.follows[p] < 0, s.follows[q] >= 0)",
            "s.follows[p] = s.follows[q]",
        ),
    },
    claims=(
        "every(some(s.follows[p] < 0, s.follows[p] == s.leader) for p in s.processes)",
        "no(every(s.follows[p] >= 0, s.follows[q] >= 0, s.follows[p] != s.follows[q])"
        " for p in s.processes for q in s.processes)",
        "implies(s.leader < 0, count(s.follows[p] >= 0 for p in s.processes) == 0)",
    ),
    wrong=(
        "count(s.follows[p] >= 0 for p in s.processes) <= 1",
        "count(s.follows[p] >= 0 for p in s.processes) < 3",
        "every(s.follows[p] != p for p in s.processes)",
    ),
    lemmas=("every(some(s.follows[p] < 0, s.follows[p] == s.leader) for p in s.processes)",),
    steps=(
        "implies(s.leader >= 0, after.leader == s.leader)",
        "every(implies(s.follows[p] >= 0, after.follows[p] == s.follows[p]) for p in s.processes)",
    ),
)


BARRIER = Core(
    variables=(
        Var("stage", "member", (), 1, 3, "Stage", ("WORK", "REST", "END")),
        Var("done", "bool", P),
    ),
    actions={
        "finish(s, p)": ("require(s.stage == Stage.WORK)", "s.done[p] = True"),
        "rest(s)": (
            "require(s.stage == Stage.WORK, every(s.done[q] for q in s.processes))",
            "s.stage = Stage.REST",
        ),
        "begin(s)": (
            "require(s.stage == Stage.REST)",
            "for q in s.processes:\n    s.done[q] = False",
            "s.stage = Stage.WORK",
        ),
        "end(s)": ("require(s.stage == Stage.REST)", "s.stage = Stage.END"),
    },
    claims=(
        "implies(s.stage != Stage.WORK, every(s.done[p] for p in s.processes))",
        "every(implies(no(s.done[p]), s.stage == Stage.WORK) for p in s.processes)",
        "implies(s.stage == Stage.END, count(no(s.done[p]) for p in s.processes) == 0)",
    ),
    wrong=(
        "count(s.done[p] for p in s.processes) <= 1",
        "implies(s.stage == Stage.WORK, some(no(s.done[p]) for p in s.processes))",
        "count(s.done[p] for p in s.processes) < 3",
        "s.stage < Stage.END",
    ),
    lemmas=("implies(s.stage != Stage.WORK, every(s.done[p] for p in s.processes))",),
    steps=(
        "implies(s.stage == Stage.END, after.stage == Stage.END)",
        "every(implies(every(s.done[p], no(after.done[p])), s.stage == Stage.REST)"
        " for p in s.processes)",
    ),
)


OWNERS = Core(
    variables=(
        Var("owner", "reference", ("objects",), -2, -1, "Free", ("LOST", "FREE"), "processes",
            "Free.FREE"),
        Var("holds", "bool", ("processes", "objects")),
    ),
    actions={
        "acquire(s, p, x)": (
            "require(s.owner[x] == Free.FREE)",
            "s.owner[x] = p",
            "s.holds[p, x] = True",
        ),
        "give_back(s, p, x)": (
            "require(s.holds[p, x])",
            "s.holds[p, x] = False",
            "s.owner[x] = Free.FREE",
        ),
        "give_all_back(s, p)": (
            "for x in s.objects:\n"
            "    s.owner[x] = ite(s.owner[x] == p, Free.FREE, s.owner[x])\n"
            "    s.holds[p, x] = False",
        ),
        "lose(s, x)": ("require(s.owner[x] == Free.FREE)", "s.owner[x] = Free.LOST"),
    },
    claims=(
        "every(s.holds[p, x] == (s.owner[x] == p) for p in s.processes for x in s.objects)",
        "no(every(s.holds[p, x], s.holds[q, x], p != q)"
        " for p in s.processes for q in s.processes for x in s.objects)",
        "every(count(s.holds[p, x] for p in s.processes) <= 1 for x in s.objects)",
        "every(implies(s.owner[x] < 0, no(s.holds[p, x] for p in s.processes)) for x in s.objects)",
    ),
    wrong=(
        "every(count(s.holds[p, x] for x in s.objects) <= 1 for p in s.processes)",
        "no(every(s.holds[p, x] for x in s.objects) for p in s.processes)",
        "count(s.owner[x] >= 0 for x in s.objects) < 3",
    ),
    lemmas=("every(s.holds[p, x] == (s.owner[x] == p) for p in s.processes for x in s.objects)",),
    steps=(
        "every(implies(s.owner[x] == Free.LOST, after.owner[x] == Free.LOST) for x in s.objects)",
    ),
    indices=("processes", "objects"),
)  # fmt: skip

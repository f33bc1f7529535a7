"""The report on the window protocol, as spec and as code, beside other memories."""

from __future__ import annotations

from counterpoint.histories.recording.survey import Surveyed

from .report import (
    ANSWERED,
    IN_PART,
    NOT_REPRODUCED,
    REPRODUCED,
    Figure,
    Finding,
    Line,
    Report,
    Section,
    Table,
)
from .stm import CHANGES, NOTIONS, Answer, Stm
from .stm_code import LOAD, PUBLISHED, SECONDS, TIMES, Driven, expected

SHOWN = ("snapshot-isolation", "serializability", "opacity")
"""The criteria in the picture of real memories."""
WORDS = {"violated": "no", "holds": "yes", "unknown": "?"}


def report(study: Stm) -> Report:
    """Return the report on the figures."""
    return Report(
        "stm",
        "The window protocol: a verification repeated, and carried into running code",
        "The verification of Imbs and Raynal's “window” transactional memory, of whose text the "
        "conclusion is known.",
        "The spec is a reconstruction; what the protocol's text leaves open is a parameter of it. "
        "Two transactions over two objects with at most two operations each, where nothing else is "
        f"said. Real memories were recorded for {SECONDS:g} seconds each, in many short histories.",
        _findings(study),
        (_engines(study), _run(study), _readings(study), _code(study), _criteria(study),
         _progress(study), _real(study)),
        "counterpoint papers stm", study.fell(),
    )  # fmt: skip


def _findings(study: Stm) -> tuple[Finding, ...]:
    old, new = study.broken, study.clean
    found = _all(old, "violated") and study.unproved.answer != "holds"
    clean = _all(new, "holds")
    kept, rows = study.readings.get("kept", 0), sum(study.readings.values())
    there = [one for one in study.driven if not one.missing]
    return (
        Finding(
            "with the clock's old value inside commit, the protocol is incorrect", "incorrect",
            f"opacity is violated, by {_names(old)}; {_false(study.unproved)}",
            REPRODUCED if found else NOT_REPRODUCED,
            study.spin and f"without Spin: {study.spin}" if found
            else _differ(old, "violated") or f"{study.unproved.by} proves it",
        ),
        Finding(
            "with the new value, no fault is found", "none",
            "; ".join(f"{one.by}: {one.answer}, {one.reach}" for one in new),
            REPRODUCED if clean else NOT_REPRODUCED, "" if clean else _differ(new, "holds"),
        ),
        Finding(
            "the old value is the cause (“Other readings”)", "the same",
            f"so in {kept} of {rows} combinations that differ in at most one other choice",
            REPRODUCED if kept == rows else IN_PART,
            "" if kept == rows else "the others differ in one more choice",
        ),
        _in_code(there),
        _explored(there),
        *_under_load(study),
    )  # fmt: skip


def _in_code(there: list[Driven]) -> Finding:
    good = all(one.agrees == TIMES and one.why for one in there)
    here = "; ".join(f"{one.code}: {one.agrees} of {TIMES} times" for one in there)
    return Finding(
        "the fault shows in running code", "not tried", here or "no code could be run",
        ANSWERED if good and there else NOT_REPRODUCED,
        "" if good and there else "a run has left the trace, or the corrected code followed it",
    )  # fmt: skip


def _explored(there: list[Driven]) -> Finding:
    faults = sum((one.explored or {}).get("faults", 0) for one in there)
    here = "; ".join(
        f"{one.code}: {one.explored['schedules']} schedules of {one.explored['programs']} "
        f"programs, {one.explored['faults']} wrong (old: {one.control})"
        for one in there if one.explored
    )  # fmt: skip
    seen = all(one.control for one in there)
    good = bool(there) and not faults and seen
    why = "a schedule of the corrected code is not opaque" if faults else "the old value shows none"
    return Finding(
        "the corrected protocol may be recommended for implementation", "recommended",
        here or "no code could be run", REPRODUCED if good else NOT_REPRODUCED,
        "" if good else why,
    )  # fmt: skip


def _false(unproved: Answer) -> str:
    """Return what the engine that proves says with the old value."""
    lemmas = "; ".join(f"{one.name} after {one.steps} steps" for one in unproved.lemmas)
    return f"{unproved.by}: {unproved.answer}, false lemmas: {lemmas or 'none found'}"


def _under_load(study: Stm) -> list[Finding]:
    """Return how often the code with the old value is not opaque under load, if it was recorded."""
    return [
        Finding(
            "the fault shows under a real load", "not tried",
            f"{one.name}: {one.violated['opacity']} of {one.histories} histories of "
            f"{LOAD.transactions} transactions violate opacity",
            ANSWERED,
        )
        for one in study.real if one.name == PUBLISHED
    ]  # fmt: skip


def _all(answers: tuple[Answer, ...], wanted: str) -> bool:
    return all(one.answer == wanted for one in answers)


def _names(answers: tuple[Answer, ...]) -> str:
    return ", ".join(
        f"{one.by} after {one.steps} steps" if one.steps else one.by
        for one in answers if one.answer == "violated"
    ) or "nobody"  # fmt: skip


def _differ(answers: tuple[Answer, ...], wanted: str) -> str:
    others = [f"{one.by}: {one.answer}, {one.reach}" for one in answers if one.answer != wanted]
    return "; ".join(others)


def _engines(study: Stm) -> Section:
    rows = tuple(
        (f"{value}, {one.by}", one.answer, str(one.steps or ""), _reach(one), f"{one.seconds:.1f}")
        for value, answers in (("old", (*study.broken, study.unproved)), ("new", study.clean))
        for one in answers
    )  # fmt: skip
    note = f"Spin was not asked: {study.spin}." if study.spin else ""
    columns = ("Fetch&Increment", "opacity", "steps", "reach", "seconds")
    lemmas = tuple(
        (one.name, str(one.steps), one.action, f"{one.transactions} x {one.objects}")
        for one in study.unproved.lemmas
    )
    said = [f"{one.by} proves opacity with the new value: {one.reach}." for one in study.clean
            if one.answer == "holds" and one.by != "exhaustive"]  # fmt: skip
    said.append(
        f"{study.unproved.by} looks for no violation of opacity. With the old value it answers "
        f"{study.unproved.answer}, and a run shows that each lemma of the second table is false."
        if lemmas else
        f"With the old value {study.unproved.by} answers {study.unproved.answer}, and finds no "
        "lemma that is false."
    )  # fmt: skip
    tables = [Table(columns, rows, note)]
    if lemmas:
        tables.append(Table(("false lemma", "steps", "broken by", "T x objects"), lemmas))
    return Section("Engines", tuple(said), tuple(tables))


def _reach(one: Answer) -> str:
    """Return how far a verdict reaches, in few words."""
    if one.lemmas:
        return f"{len(one.lemmas)} lemmas false"
    return "any number" if one.answer == "holds" and one.by == "any-number" else one.reach


def _run(study: Stm) -> Section:
    threads = sorted({t for _, t in study.moves})
    lines = []
    for t in threads:
        steps = [float(k) for k, (_, who) in enumerate(study.moves, 1) if who == t]
        lines.append(Line(f"T{t}", tuple(steps), (float(t),) * len(steps)))
    picture = Figure(
        "Whose step is which", "step", "", tuple(lines),
        rows=tuple(f"T{t}" for t in threads),
        places=tuple(name.replace("_", " ") for name, _ in study.moves),
    )  # fmt: skip
    return Section(
        "The shortest run in which the old value is wrong",
        ("A reader sees an old value beside a new one: the writer has drawn a time that is not "
         "after the reader's window.",),
        (), (picture,), listing=study.chart,
    )  # fmt: skip


def _readings(study: Stm) -> Section:
    names = {
        "kept": "old is wrong, new is right", "both broken": "both are wrong",
        "both clean": "both are right", "reversed": "new is wrong, old is right",
        "unknown": "unknown",
    }  # fmt: skip
    rows = tuple((names[kind], str(count)) for kind, count in sorted(study.readings.items()))
    values = tuple(
        (
            f"{one.reading}={one.value}" if one.reading else "all",
            f"{one.old} of {one.models}",
            f"{one.new} of {one.models}",
        )
        for one in study.kept
    )
    return Section(
        "Other readings",
        ("First: all combinations that differ from the default in at most one choice. "
         "counterpoint readings window-stm lists them.",
         f"Second: in how many of the combinations that differ in at most {CHANGES} choices "
         "opacity holds, by each value of each reading, the default first. The two columns are the "
         "two values of fetch-and-increment, each with the same combinations. With a value that is "
         f"not the default, at most {CHANGES - 1} other choice differs.",),
        (Table(("", "combinations"), rows),
         Table(("opacity holds", "old", "new"), values)),
        ablation=True,
    )  # fmt: skip


def _code(study: Stm) -> Section:
    whole = len(study.moves)
    rows = tuple(
        (one.code, one.missing, "", "") if one.missing else
        (one.code, f"{one.agrees} of {TIMES} times", f"{one.taken} of {whole} steps",
         f"{(one.explored or {})['schedules']} schedules")
        for one in study.driven
    )  # fmt: skip
    seen = tuple(
        f"{one.code}: with the old value "
        f"{', '.join(f'{name} {value}' for name, value in (one.seen or {}).items())}. With the new "
        f"value, {f'at step {one.taken + 1}, {one.why}' if one.why else 'it follows the run too'}."
        for one in study.driven if not one.missing
    )  # fmt: skip
    return Section(
        "The same run in real code",
        ("Real threads take the steps of the run above, in its order. With the old value they see "
         "what the spec says; with the new value they cannot go on at some step. All schedules of "
         "small programs of the corrected code were run as well.", *seen),
        (Table(("memory", "old follows", "new follows", "new explored"), rows),),
    )  # fmt: skip


def _criteria(study: Stm) -> Section:
    criteria = list(next(iter(study.criteria.values())))
    rows = tuple(
        (name, *(WORDS[found[one]] for one in criteria)) for name, found in study.criteria.items()
    )
    return Section(
        "Criteria of all memories",
        ("Whether each criterion holds in all states. DSTM and McRT stand here as corrected, and "
         "as published.",),
        (Table(("memory", *criteria), rows),),
    )  # fmt: skip


def _progress(study: Stm) -> Section:
    rows = tuple(
        (name, *(WORDS[found[one]] for one in NOTIONS)) for name, found in study.progress.items()
    )
    return Section(
        "Progress of all memories",
        ("Whether each notion of progress holds in all runs without an end.",),
        (Table(("memory", *NOTIONS), rows),),
    )  # fmt: skip


def _real(study: Stm) -> Section:
    rows = tuple(
        (one.name, ", ".join(one.promises) or "nothing", str(one.histories),
         str(one.broken_in()) + "*" * bool(expected(one)), ", ".join(one.strongest()) or "none")
        for one in study.real
    )  # fmt: skip
    absent = "; ".join(f"{name}: {why}" for name, why in study.absent.items())
    known = "; ".join(f"{one.name}, {expected(one)}" for one in study.real if expected(one))
    return Section(
        "Real memories and databases",
        ("Histories of threads under a random load, judged by the same criteria. late-validation "
         "and faulty have a planted fault; window-c as published has the old value. That nothing "
         "was found in a few seconds proves nothing: counterpoint history survey records for "
         "longer.",),
        (Table(("subject", "promises", "histories", "broken in", "holds in all"), rows,
               " ".join([f"* expected: {known}."] * bool(known)
                        + [f"Not recorded: {absent}."] * bool(absent))),),
        (_shares(study.real),) if study.real else (),
    )  # fmt: skip


def _shares(real: tuple[Surveyed, ...]) -> Figure:
    """Return the picture of how often real memories violate criteria."""
    places = tuple(float(k) for k in range(1, len(real) + 1))
    lines = tuple(
        Line(criterion, places,
             tuple(one.violated[criterion] / max(1, one.histories) for one in real), dots=True)
        for criterion in SHOWN
    )  # fmt: skip
    return Figure(
        "In how many histories a criterion is violated", "subject", "share of histories", lines,
        share=True, places=tuple(one.name for one in real),
    )  # fmt: skip

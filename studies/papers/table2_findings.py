"""The findings on Table 2 of [BeeBot]: its nine figures, its ratios, and its conclusions."""

from __future__ import annotations

from counterpoint.studies.comparison.statistics import Mean, against, mean

from .beebot import INITIAL, PRINTED, STEP, TRIED, BeeBot, printed_ratio
from .beebot import RULES as VARIED
from .report import IN_PART, NOT_REPRODUCED, PLANTED, REPRODUCED, Finding
from .statistics import contains, with_interval

R2, R3 = f"R2,step={STEP}", f"R3,initial={INITIAL}"
RULES = ("R1", R2, R3)

BEST = {"institutes": R2, "universities": R3, "sample": R3}
"""The rule that finds most in each set in the paper."""

NARROW = 0.25
"""An interval agrees with a figure only if its half is at most this part of the figure."""


def findings(study: BeeBot) -> tuple[Finding, ...]:
    """Return the findings, those of the nine figures first."""
    return (
        *(_figure(study, web, rule) for web in PRINTED for rule in RULES),
        *(_ratio(study, web, rule) for web in PRINTED for rule in (R2, R3)),
        *(_best(study, web) for web in PRINTED),
        _gain(study),
        _starvation(study),
    )


def agrees(found: Mean, printed: float) -> bool:
    """Return whether a narrow interval contains a printed figure."""
    return contains(found, printed) and (found.half or 0.0) <= NARROW * printed


def _figure(study: BeeBot, web: str, rule: str) -> Finding:
    printed = PRINTED[web][RULES.index(rule)]
    found, single = study.mean(web, rule), study.values(web, rule)
    inside = min(single) <= printed <= max(single)
    if rule == "R1":
        answer = PLANTED
    else:
        answer = REPRODUCED if agrees(found, printed) else IN_PART if inside else NOT_REPRODUCED
    why = "" if answer == REPRODUCED else (
        "the places of links are fitted to this figure" if rule == "R1" else
        f"single webs have {min(single):,.0f} to {max(single):,.0f}"
    )  # fmt: skip
    return Finding(f"Table 2, {rule[:2]} on {web}", f"{printed:,}", with_interval(found, 0),
                   answer, why)  # fmt: skip


def _ratio(study: BeeBot, web: str, rule: str) -> Finding:
    ratios = [study.ratio(web, one) for one in VARIED if one.startswith(f"{rule[:2]},")]
    low, webs, printed = study.as_low(web, rule), len(study.seeds), printed_ratio(web, rule)
    found = study.ratio(web, rule)
    if agrees(found, printed):
        answer = REPRODUCED
    elif any(agrees(one, printed) for one in ratios) or 0 < low < webs:
        answer = IN_PART
    else:
        answer = NOT_REPRODUCED
    here, values = with_interval(found), [one.value for one in ratios]
    if max(values) - min(values) > 0.005:
        here += f"; {min(values):.2f} to {max(values):.2f} by {'n' if rule == R2 else 'm'}"
    return Finding(f"{rule[:2]}/R1 on {web}", f"{printed:.2f}", here,
                   answer, "" if answer == REPRODUCED else _why(study, web, rule))  # fmt: skip


def _why(study: BeeBot, web: str, rule: str) -> str:
    """Explain how far the paper's ratio is from the measured one, and the known causes."""
    paper, low, webs = printed_ratio(web, rule), study.as_low(web, rule), len(study.seeds)
    if 0 < low < webs:
        return (f"webs differ: {low} of {webs} have a ratio of at most {paper:.2f}, "
                f"{webs - low} a greater one")  # fmt: skip
    why = f"no web of {webs} has a ratio as {'low' if low == 0 else 'high'}"
    if web in TRIED and rule == R2 and (k := study.nearest(web)):
        starved = mean([float(run.starved[STEP].sites) for run in study.webs[web]])
        why += (f"; on average R2 never returns to {starved.value:.1f} sites there, and in the "
                f"experiment the ratio is {study.tried(web, 'R2')[k].value:.2f} when "
                f"{_beginning_empty(k)}")  # fmt: skip
    r1 = study.mean(web, "R1")
    if abs(r1.value - PRINTED[web][0]) > 0.2 * PRINTED[web][0]:
        why += f"; R1 itself finds {r1.value:,.0f} links here, {PRINTED[web][0]:,} in the paper"
    return why


def _beginning_empty(k: int) -> str:
    if k == 1:
        return "the university with the most links begins empty"
    return f"the {k} universities with the most links begin empty"


def _best(study: BeeBot, web: str) -> Finding:
    """Compare the best rule of a set with the other two, web by web."""
    best = BEST[web]
    rest = [rule for rule in RULES if rule != best]
    gains = {rule: against(study.values(web, best), study.values(web, rule)).difference
             for rule in rest}  # fmt: skip
    surely = [gain.half is not None and gain.value > gain.half for gain in gains.values()]
    worse = [rule[:2] for rule, gain in gains.items() if gain.value + (gain.half or 0.0) < 0]
    return Finding(
        f"{best[:2]} is the best rule for {web}",
        f"{PRINTED[web][RULES.index(best)]:,} links",
        "; ".join(f"{with_interval(gain, 0)} more than {rule[:2]}" for rule, gain in gains.items()),
        REPRODUCED if all(surely) else NOT_REPRODUCED if worse else IN_PART,
        "" if all(surely) else
        f"{' and '.join(worse)} find{'s' if len(worse) == 1 else ''} more" if worse else
        "a difference is within its interval",
    )  # fmt: skip


def _gain(study: BeeBot) -> Finding:
    """Compare what the paper concludes of R3 on universities with its own table."""
    printed, found = printed_ratio("universities", R3) - 1, study.ratio("universities", R3)
    gain = Mean(100 * (found.value - 1), None if found.half is None else 100 * found.half)
    return Finding(
        "R3 finds 10% more than R1 on universities", "10%, and 8.2% by Table 2",
        f"{with_interval(gain, 1)}%",
        REPRODUCED if contains(gain, 10.0) and contains(gain, 100 * printed) else IN_PART
        if gain.value > 0 else NOT_REPRODUCED,
        "the text rounds its own table, 1,447 against 1,337, upward",
    )  # fmt: skip


def _starvation(study: BeeBot) -> Finding:
    web = "universities"
    k, ratios, printed = study.nearest(web), study.tried(web, "R2"), printed_ratio(web, R2)
    starved = mean([float(run.starved[STEP].sites) for run in study.webs[web]])
    near = k > 0 and abs(ratios[k].value - printed) < abs(ratios[0].value - printed) / 4
    return Finding(
        "the paper explains R2 on universities: it leaves sites that begin without links", "so",
        f"if {_beginning_empty(k)}, R2/R1 is {with_interval(ratios[k])}, and "
        f"{with_interval(ratios[0])} as it is",
        IN_PART if near else NOT_REPRODUCED,
        f"the explanation suffices (“Experiment: {web} with k universities that begin with {STEP} "
        f"empty pages”), but by themselves {starved.value:.1f} sites begin so",
    )  # fmt: skip

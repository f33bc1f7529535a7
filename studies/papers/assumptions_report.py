"""The part of the report on [BeeBot] about what the paper takes for granted."""

from __future__ import annotations

from .beebot import PRINTED, RULES, TIMED, BeeBot
from .report import ANSWERED, IN_PART, NOT_REPRODUCED, REPRODUCED, Finding, Section, Table
from .statistics import with_interval

COMPANIONS = "Links and companions"
TIME = "Rules in equal time"


def findings(study: BeeBot) -> tuple[Finding, ...]:
    """Return whether more links lead to more companions, and what equal times of pages hide."""
    more, pairs = study.agreeing()
    apart = [abs(study.in_time(web, rule).value - study.ratio(web, rule).value)
             for web in PRINTED for rule in TIMED]  # fmt: skip
    return (
        Finding(
            "more external links cover more of the companion set", "so",
            f"of two rules on one web, the one with more links has more companions in {more:,} of "
            f"{pairs:,} pairs",
            REPRODUCED if more == pairs else IN_PART if 2 * more > pairs else NOT_REPRODUCED,
            "" if more == pairs else "other pairs have the reverse order",
        ),
        Finding(
            "each page takes the same time", "an assumption",
            "if a page takes a time in proportion to its size, ratios to R1 in equal time differ "
            f"from those with equal pages by at most {max(apart):.2f}",
            ANSWERED,
        ),
    )  # fmt: skip


def sections(study: BeeBot) -> tuple[Section, ...]:
    """Return the tables of both experiments."""
    return _companions(study), _in_time(study)


def _companions(study: BeeBot) -> Section:
    rows = []
    for web in PRINTED:
        for rule in RULES:
            links, hosts = study.mean(web, rule), study.companions(web, rule)
            rows.append((
                web if rule == RULES[0] else "", rule, f"{links.value:,.0f}",
                with_interval(hosts, 0), f"{hosts.value / max(1.0, links.value):.2f}",
            ))  # fmt: skip
    return Section(
        COMPANIONS,
        ("The companion set consists of the sites outside of the set to which its pages link. To "
         "which sites they link is the generator's choice, and not the paper's.",),
        (Table(("set", "rule", "links", "companions", "for a link"), tuple(rows)),),
    )  # fmt: skip


def _in_time(study: BeeBot) -> Section:
    rows = tuple(
        (web if rule == TIMED[0] else "", rule, with_interval(study.ratio(web, rule)),
         with_interval(study.in_time(web, rule)))
        for web in PRINTED for rule in TIMED
    )  # fmt: skip
    return Section(
        TIME,
        ("The paper gives each rule the same number of pages. Here R2 and R3 have the time that "
         "R1 takes, and a page takes a time in proportion to the size of its text. The sizes do "
         "not depend on the site, nor on the number of links.",),
        (Table(("set", "rule", "over R1, equal pages", "over R1, equal time"), rows),),
        ablation=True,
    )  # fmt: skip

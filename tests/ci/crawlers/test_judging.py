"""What falls, what is unknown, and what is said about it; the runs are made up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterpoint.ci.crawlers.judging import judge_runs
from counterpoint.crawler.errors import CrawlError
from counterpoint.studies.subjects import Finding, RunFacts
from counterpoint.studies.subjects.links import FollowedLinks

from .made import CASE, ORDER, both, judged, made


def test_the_same_runs_are_as_expected() -> None:
    """A gate that falls without a change."""
    found = judged(both())
    assert (found.answer, found.findings, found.warnings) == ("as expected", (), ())
    exact = judged(both(), order="exact")
    assert (exact.answer, exact.findings) == ("as expected", ())


def test_a_missing_baseline_falls_and_names_its_command() -> None:
    """A crawler that is compared with nothing, and green."""
    found = judge_runs(CASE, CASE.subject(), both(), None)
    assert found.fell == ("it has no baseline; counterpoint gate --accept spider writes one",)


def test_a_condition_must_hold_for_each_run() -> None:
    """A condition on the mean, which one bad run does not break; the worst run not named."""
    found = judged([made(7, disallowed=1.0), made(8, disallowed=4.0)], must=("disallowed <= 2",))
    assert found.fell[0] == "disallowed <= 2 does not hold: it is 4 (seed 8; 1 of 2 runs)"


def test_an_unknown_measure_is_unknown() -> None:
    """A condition that passes because its measure has no value."""
    runs = [replace(run, unknown={"quality.mass": "too large"}) for run in both()]
    found = judged(runs, judged(both()).before, must=("quality.mass > 0",))
    assert (found.answer, found.unknown) == (
        "unknown", ("quality.mass > 0 is unknown (seed 7): too large",)
    )  # fmt: skip


def test_a_time_limit_is_unknown_and_never_falls() -> None:
    """A loaded machine that makes a gate red."""
    late = replace(
        made(8, pages=3.0, disallowed=9.0),
        ended="timeout",
        tail="working",
        findings=(Finding("unknown", "it was ended after 5 s, its time limit"),),
    )
    found = judged([made(7), late])
    assert found.answer == "unknown"
    assert found.unknown == ("it was ended after 5 s, its time limit (seed 8; 1 of 2 runs)",)
    assert found.details == ("the end of its output (seed 8):\n  working",)
    assert found.now is None
    worse = judged([made(7, disallowed=9.0), late])
    assert worse.answer == "fell"


def test_a_failed_run_is_not_compared() -> None:
    """A crash reported as a change of twenty measures, or accepted as the new baseline."""
    crash = replace(made(7, pages=1.0), findings=(Finding("fell", "it ended with exit code 1"),))
    found = judged([crash, made(8)])
    assert found.fell == ("it ended with exit code 1 (seed 7; 1 of 2 runs)",)
    assert found.now is None


def test_measures_that_move() -> None:
    """A change beyond its band that is not seen, or one within it that is."""
    found = judged(both(pages=90.0))
    assert found.fell == ("pages: 90, before 100 (-10.0%), worse; band 2%",)
    assert "it stops early" not in str(found.details)
    assert judged(both(pages=90.0), band={"default": "11%"}).fell == ()
    assert judged(both(hosts=11.0)).fell == ("hosts: 11, before 10 (+10.0%), better; band 2%",)
    assert judged(both(robots=9.0)).fell == ()
    assert judged(both(robots=9.0), band={"robots": 1}).fell == (
        "robots: 9, before 3 (+200.0%); band 1",
    )


def test_a_crawl_that_stops_early() -> None:
    """A crawler that stops at half, of which only figures are told."""
    found = judged(both(pages=50.0))
    assert found.details == (
        "it stops early: after 50 pages with seed 7, before after 100, that is at 50%",
    )


def test_links_that_are_dropped() -> None:
    """A kind of link that is lost while most pages are still found."""
    facts = RunFacts(
        sites={"a.test": 60, "b.test": 40},
        followed={"frames": FollowedLinks(8, 0, "http://f/1")},
    )
    found = judged(both(facts=facts, **{"followed.frames": 0.0}))
    assert found.fell == (
        "it does not follow frames and iframes any more: none of 16 addresses that only they lead "
        "to was requested, before 50% (for example http://f/1)",
    )


def test_few_links_that_are_not_followed_say_nothing() -> None:
    """A change of the crawler claimed from addresses that it may have missed by chance."""
    for number, dropped in ((3, False), (4, True)):  # before 50%: 2 ** -6 and 2 ** -8
        facts = RunFacts(sites={"a.test": 60, "b.test": 40},
                         followed={"frames": FollowedLinks(number, 0, "http://f/1")})  # fmt: skip
        found = judged(both(facts=facts, **{"followed.frames": 0.0}))
        assert any("does not follow" in one for one in found.fell) is dropped


def test_on_another_web_nothing_is_said_of_the_crawler() -> None:
    """A crawler that stops early since its web has become smaller."""
    found = judged(both(pages=50.0, web_digest="another"))
    assert len(found.fell) == 1 and "the web is not that of its baseline" in found.fell[0]
    assert found.details == ()


def test_robots_txt_and_starving_sites_are_explained() -> None:
    """A count without an example."""
    facts = RunFacts(
        disallowed=("http://a.test/x", "http://a.test/y"), starving=("b.test", "c.test"),
        sites={"a.test": 100, "b.test": 0},
    )  # fmt: skip
    runs = both(facts=facts, disallowed=2.0, robots=0.0, **{"starving-sites": 2.0})
    found = judged(runs)
    assert found.fell[0].startswith("disallowed == 0 does not hold: it is 2")
    assert found.broken == found.fell[:1]
    assert found.fell[-1] == "starving-sites: 2, before 0, worse; band 2%"
    assert found.details == (
        "robots.txt forbids, for example, http://a.test/x, http://a.test/y (seed 7)",
        "it requested no robots.txt at all (seed 7)",
        "no page was fetched of b.test, c.test (seed 7)",
        "none of the fetched pages is of b.test, before 40.0% (seed 7)",
        "100.0% of the fetched pages are of a.test, before 60.0% (seed 7)",
    )


def test_the_order_where_it_is_exact() -> None:
    """Two requests that change places, or a crawl that goes on, of which nothing is said."""
    turned = (*ORDER[:2], ORDER[3], ORDER[2], ORDER[4])
    found = judged(both(order=turned), order="exact")
    assert found.fell == (
        "the order of requests changed on 2 of 2 webs: request 3 with seed 7 is http://a.test/3, "
        "before http://a.test/2",
    )
    longer = judged([made(7, order=(*ORDER, "HEAD http://b.test/")), made(8)], order="exact")
    assert longer.fell[0].endswith("6 requests with seed 7, before 5; the first are the same")
    other = judged([made(7), made(8, order=turned)], order="exact")
    assert other.fell == (
        "the order of requests changed on 1 of 2 webs: request 3 with seed 8 is http://a.test/3, "
        "before http://a.test/2",
    )
    assert judged(both(order=turned)).fell == ()


def test_repeats_that_differ_are_not_exact() -> None:
    """A crawler with chance whose order is said to be exact."""
    before = judged(both(), repeats=2, order="exact").before
    runs = [*both(), made(7, 1, order=ORDER[::-1]), made(8, 1)]
    found = judged(runs, before, repeats=2, order="exact")
    assert found.fell[0] == "the order of requests differs between repeats of seed 7"


def test_noise_hides_small_changes_and_is_warned_of() -> None:
    """A noisy crawler that falls at each run, without a word on its band."""
    noisy = [made(seed, repeat, pages=pages) for seed in (7, 8)
             for repeat, pages in enumerate((80.0, 120.0, 100.0))]  # fmt: skip
    before = judged(noisy, repeats=3).now
    shifted = [replace(run, measures=run.measures | {"pages": run.measures["pages"] - 5})
               for run in noisy]  # fmt: skip
    found = judged(shifted, before, repeats=3)
    assert found.fell == ()
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith("the band of pages, 2% or ±2, is narrower than the noise")


def test_another_web_is_told_from_another_crawler() -> None:
    """An upgrade that changes the web, of which the crawler is accused; an edited profile."""
    found = judged(both(web_digest="other", pages=9.0))
    assert found.fell == (
        "the web is not that of its baseline: its profile was changed; "
        "counterpoint gate --accept spider renews it",
    )
    before = judged(both()).before
    assert before is not None
    older = judged(both(web_digest="other"), replace(before, counterpoint="0.0.1"))
    assert "Counterpoint 0.0.1 made the baseline" in older.fell[0]
    measured = judged(both(pages=9.0), replace(before, measures_digest="x", counterpoint="0.0.1"))
    assert measured.fell[0].startswith("pages: 9, before 100")
    assert measured.details[0].startswith("0.0.1 made the baseline, and since then the way")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pages": 500}, "is for broder-1999, 1,000 pages, of which 400 are fetched"),
        ({"web_pages": 900}, "is for broder-1999, 1,000 pages"),
        ({"web": "sample"}, "is for broder-1999"),
        ({"seeds": (7, 9)}, "has the seeds 7, 8"),
        ({"name": "other"}, "has no other"),
    ],
)
def test_a_baseline_of_something_else_is_not_compared(
    changes: dict[str, object], message: str
) -> None:
    """Figures of another web, or of other seeds, compared with these."""
    before = judged(both()).before
    runs = [made(seed) for seed in changes.get("seeds", CASE.seeds)]  # type: ignore[attr-defined]
    found = judged(runs, before, **changes)
    assert len(found.fell) == 1
    assert message in found.fell[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"order": "some"}, "the order is any or exact, not 'some'"),
        ({"clock": "fast"}, "the clock is auto, virtual, real, not 'fast'"),
        ({"timeout": 0}, "above zero"),
        ({"must": ("page == 0",)}, "no measure 'page' (did you mean pages"),
        ({"command": "x {sed}"}, "did you mean {seed}?"),
        ({"clock": "virtual", "must": ("crawl-delay-broken == 0",)}, 'only with clock = "real"'),
    ],
)
def test_a_wrong_case_is_refused_with_its_name(changes: dict[str, object], message: str) -> None:
    """A wrong configuration that is found out after minutes, or not at all."""
    with pytest.raises(CrawlError) as error:
        replace(CASE, **changes).subject()  # type: ignore[arg-type]
    assert str(error.value).startswith("crawler 'spider': ")
    assert message in str(error.value)


def test_the_clock_is_real_where_waits_are_judged() -> None:
    """A condition on waits under a clock that no wait moves."""
    assert not CASE.subject().real_time
    assert replace(CASE, must=("crawl-delay-broken == 0",)).subject().real_time
    assert replace(CASE, band={"retry-after-broken": 1}).subject().real_time
    assert replace(CASE, clock="real").subject().real_time

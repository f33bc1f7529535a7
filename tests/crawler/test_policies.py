"""Policies by the names that users write; the example of the README."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Outcome, Policy, Request, Scope, Setting
from counterpoint.crawler.schedulers.finding import POLICIES, find
from counterpoint.crawler.worlds.crawl import crawl

from .webs import Web, World, run

HERE = Path(__file__).parent

NAMES = """breadth-first depth-first random one-by-one equal-quanta R1 R2 R3 R1-printed R2-printed
R3-printed thompson discounted-ucb opic hits tfidf tfidf+hits bm25 link-bandit oracle
uniform random-revisit proportional optimal-freshness scent scent-printed"""


def test_names() -> None:
    """A policy that is gone or named otherwise: baselines and scripts name them."""
    assert list(POLICIES) == NAMES.split()
    assert all(policy.name == name and policy.about for name, policy in POLICIES.items())


def test_parameters_are_read() -> None:
    """A value that arrives as text, or a space that matters."""
    chosen = find("discounted-ucb, discount=0.9 ,exploration=2")
    assert chosen.parameters == {"discount": 0.9, "exploration": 2}
    assert find("optimal-freshness,rates=true").parameters == {"rates": True}
    assert find("R2,step=20").text == "R2,step=20"


def test_underscores_for_dashes() -> None:
    """`breadth_first`, as authors of modules write it, unknown or without its limits."""
    for name in POLICIES:
        assert find(name.replace("-", "_")).policy is POLICIES[name]
    assert find("equal_quanta,quantum=3").text == "equal_quanta,quantum=3"
    with pytest.raises(CrawlError, match="breadth_first has no parameter 'depth'; it has none"):
        find("breadth_first,depth=3")


@pytest.mark.parametrize(
    ("text", "name"),
    [("focused-hits,c=5", "hits"), ("focused_hits", "hits"), ("breadth_first", "breadth-first")],
)
def test_other_spellings(text: str, name: str) -> None:
    """A name of older scripts, or one written with underscores, that is not known."""
    assert find(text).policy is POLICIES[name]


WRONG = {
    "R9": "there is no policy 'R9'; there are: breadth-first, ",
    "": "there is no policy ''; there are: breadth-first, ",
    "breadth_fist": "there is no policy 'breadth_fist'; did you mean breadth-first?",
    "r2": "there is no policy 'r2'; did you mean R2? (your own: module:attribute)",
    "R2,stpe=3": "R2 has no parameter 'stpe'; it has step",
    "R1,step=3": "R1 has no parameter 'step'; it has none",
    "R2,step": "R2: parameters are key=value, not 'step'",
    "R2,step=": "R2: parameters are key=value, not 'step='",
    "R2,step=1,step=2": "R2: step is given twice",
    "nowhere:Greedy": "nowhere:Greedy: there is no module nowhere",
    "os:no_such": "os:no_such: the module os has no no_such",
    "os:sep": "os:sep: a str is no policy and makes no scheduler",
    "os:": "os:: a policy of your own is module:attribute, as my_policy:Greedy",
    "a b:c": "a b:c: a policy of your own is module:attribute, as my_policy:Greedy",
    "..x:c": "..x:c: a policy of your own is module:attribute, as my_policy:Greedy",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_name_that_is_wrong(text: str) -> None:
    """A traceback, or a message that does not help."""
    with pytest.raises(CrawlError) as raised:
        find(text)
    assert str(raised.value).startswith(WRONG[text])
    assert "\n" not in str(raised.value)


VALUES = {
    "R2,step=0": "R2,step=0: step is a whole number from 1 on, not 0",
    "R3,initial=x": "R3,initial=x: initial is a whole number from 1 on, not 'x'",
    "equal-quanta,quantum=1.5": "equal-quanta,quantum=1.5: quantum is a whole number from 1 on, "
    "not 1.5",
    "thompson,rate=-1": "thompson,rate=-1: rate is a number from 0.001 to 1e+06, not -1",
    "scent,delta=nan": "scent,delta=nan: delta is a number from 0 to 1e+06, not nan",
    "tfidf,anchor=2": "tfidf,anchor=2: anchor is a number from 0 to 1, not 2",
    "tfidf+hits,mix=all": "tfidf+hits,mix=all: mix is sum or links, not 'all'",
    "bm25,b=much": "bm25,b=much: b is a number from 0 to 1, not 'much'",
    "proportional,rates=1": "proportional,rates=1: rates is true or false, not 1",
    "proportional,rates=true": "proportional,rates=true: rates=true needs the truth, and nobody "
    "knows it here",
    "oracle": "oracle: an oracle must be told the truth, and nobody knows it here",
    "os:getcwd": "os:getcwd: TypeError: ",
    "builtins:len": "builtins:len: TypeError: ",
    "builtins:str": "builtins:str: str is no scheduler: it has no next and observe",
}


@pytest.mark.parametrize("text", VALUES)
def test_a_scheduler_that_cannot_be_made(text: str) -> None:
    """A value that is taken for another, or an error deep in a crawl."""
    with pytest.raises(CrawlError) as raised:
        find(text).scheduler([0, 1], 10)
    assert str(raised.value).startswith(VALUES[text])


def test_errors_in_a_users_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback of ours for a slip of the user's."""
    monkeypatch.chdir(tmp_path)
    for name, text, said in (
        ("slip_a", "class Greedy(:", "slip_a:Greedy: SyntaxError: "),
        (
            "slip_b",
            "\nimport nowhere_at_all",
            "slip_b:Greedy: ModuleNotFoundError: No module named",
        ),
        ("slip_c", "\n1 / 0", "slip_c:Greedy: ZeroDivisionError: division by zero (slip_c.py:2)"),
        ("slip_d", "class Greedy:\n    scope = 'all'", "slip_d:Greedy: scope is one of site, web,"),
    ):
        Path(f"{name}.py").write_text(text)
        with pytest.raises(CrawlError) as raised:
            find(f"{name}:Greedy")
        assert str(raised.value).startswith(said)


class Told:
    """Keeps the setting it was made with."""

    why = ""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    def next(self) -> Request | None:
        return None

    def observe(self, outcome: Outcome) -> None:
        pass


class Prophet(Told):
    """Asks for the truth."""

    oracle = True


class Reader(Told):
    """Wants to know what pages say."""

    reads = True


MINE = Policy("mine", "one of my own", Told, Scope.KNOWN, {"depth": 3})


def test_the_truth_is_for_those_who_ask() -> None:
    """A policy that could cheat."""
    world = World(Web(1, (0,), ((),), (0,), frozenset()), Scope.WEB)

    def truth(name: str) -> object:
        return find(f"{__name__}:{name}").scheduler([0], 1, 0, world).setting.truth  # type: ignore[attr-defined]

    assert truth("Told") is None
    assert truth("Prophet") is world


def test_who_reads_says_so() -> None:
    """Contents made for those who do not want them, or not for those who do; a query lost."""
    assert [find(f"{__name__}:{name}").policy.reads for name in ("Told", "Reader")] == [False, True]
    made = find(f"{__name__}:Reader").scheduler([0], 1, query="what", hosts={0: 7}.get)
    setting = made.setting  # type: ignore[attr-defined]
    assert setting.query == "what"
    assert [setting.hosts(page) for page in (0, 1)] == [7, None]


def test_a_policy_object() -> None:
    """Scope or parameters lost on the way."""
    chosen = find(f"{__name__}:MINE,depth=5")
    assert (chosen.policy.scope, chosen.parameters) == (Scope.KNOWN, {"depth": 5})
    with pytest.raises(CrawlError, match=r"has no parameter 'dpeth'; it has depth"):
        find(f"{__name__}:MINE,dpeth=5")


def test_the_example_of_the_readme(monkeypatch: pytest.MonkeyPatch) -> None:
    """An example that does not run, or is not the one that is printed."""
    text = (HERE / "my_policy.py").read_text()
    assert text in (HERE.parent.parent / "README.md").read_text()
    monkeypatch.chdir(HERE)
    web = Web(2, (0, 1, 0, 0, 1, 0), ((2, 3), (4,), (), (5,), (), ()), (0, 2, 0, 5, 1, 0),
              frozenset())  # fmt: skip
    chosen = find("my_policy:Greedy")
    assert chosen.policy.about.startswith("Next is what")
    world = World(web, chosen.policy.scope)
    end = crawl(chosen.text, chosen.scheduler(world.starts, 9), world, world.starts, 9)
    assert end.order.tolist() == [0, 1, 4, 2, 3, 5]
    assert end.why == "every page found was fetched"
    assert run("breadth-first", web, 9)[0] == [0, 1, 2, 3, 4, 5]

"""Policies by the names that users write, and the example of the guide to comparing policies."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Outcome, Policy, Request, Scope, Setting
from counterpoint.crawler.schedulers.finding import POLICIES, find
from counterpoint.crawler.worlds.crawl import crawl

from .webs import Web, World, run

HERE = Path(__file__).parent

NAMES = """breadth-first depth-first random one-by-one equal-quanta R1 R2 R3 R1-printed R2-printed
R3-printed thompson discounted-ucb gittins opic hits tfidf tfidf+hits bm25 link-bandit oracle
uniform random-revisit proportional optimal-freshness scent scent-printed"""


def test_names() -> None:
    """A removed or renamed policy, although baselines and scripts use its name."""
    assert list(POLICIES) == NAMES.split()
    assert all(policy.name == name and policy.about for name, policy in POLICIES.items())


def test_parameters_are_read() -> None:
    """A value that arrives as text, or a space that changes the meaning."""
    chosen = find("discounted-ucb, discount=0.9 ,exploration=2")
    assert chosen.parameters == {"discount": 0.9, "exploration": 2}
    assert find("optimal-freshness,rates=true").parameters == {"rates": True}
    assert find("R2,step=20").text == "R2,step=20"


def test_underscores_for_dashes() -> None:
    """`breadth_first`, as authors of modules write it, refused or without its limits."""
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
    """A name from older scripts, or one with underscores, that is refused."""
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
    "os:sep": "os:sep: sep is neither a Policy nor a callable that makes a scheduler; it is of "
    "type str",
    "os:": "os:: name a policy of your own as module:attribute, for example my_policy:Greedy",
    "a b:c": "a b:c: name a policy of your own as module:attribute, for example my_policy:Greedy",
    "..x:c": "..x:c: name a policy of your own as module:attribute, for example my_policy:Greedy",
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
    "proportional,rates=true": "proportional,rates=true: rates=true needs the truth about "
    "pages, which is unknown here",
    "oracle": "oracle: an oracle needs the truth about pages, which is unknown here",
    "os:getcwd": "os:getcwd: it does not take the setting: write def f(setting)",
    "builtins:len": "builtins:len: TypeError: ",
    "builtins:str": "builtins:str: str is not a scheduler: it must have methods next and observe",
}


@pytest.mark.parametrize("text", VALUES)
def test_a_scheduler_that_cannot_be_made(text: str) -> None:
    """A wrong value that is read as another, or an error late in a crawl."""
    with pytest.raises(CrawlError) as raised:
        find(text).scheduler([0, 1], 10)
    assert str(raised.value).startswith(VALUES[text])


def test_errors_in_a_users_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback of ours for an error of the user's."""
    monkeypatch.chdir(tmp_path)
    for name, text, message in (
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
        assert str(raised.value).startswith(message)


class KeepsSetting:
    """A policy that keeps the setting it was created with."""

    why = ""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    def next(self) -> Request | None:
        return None

    def observe(self, outcome: Outcome) -> None:
        pass


class Prophet(KeepsSetting):
    """A policy that requires the truth."""

    oracle = True


class Reader(KeepsSetting):
    """A policy that requires the contents of pages."""

    reads = True


MINE = Policy("mine", "one of my own", KeepsSetting, Scope.KNOWN, {"depth": 3})


def test_the_truth_is_for_those_who_ask() -> None:
    """A policy that gets the truth without declaring that it uses it."""
    world = World(Web(1, (0,), ((),), (0,), frozenset()), Scope.WEB)

    def truth(name: str) -> object:
        return find(f"{__name__}:{name}").scheduler([0], 1, 0, world).setting.truth  # type: ignore[attr-defined]

    assert truth("KeepsSetting") is None
    assert truth("Prophet") is world


def test_who_reads_says_so() -> None:
    """Contents made for policies that do not read, or none for those that do; a lost query."""
    assert [find(f"{__name__}:{name}").policy.reads for name in ("KeepsSetting", "Reader")] == [
        False,
        True,
    ]
    made = find(f"{__name__}:Reader").scheduler([0], 1, query="what", hosts={0: 7}.get)
    setting = made.setting  # type: ignore[attr-defined]
    assert setting.query == "what"
    assert [setting.hosts(page) for page in (0, 1)] == [7, None]


def test_a_policy_object() -> None:
    """Scope or parameters that are lost."""
    chosen = find(f"{__name__}:MINE,depth=5")
    assert (chosen.policy.scope, chosen.parameters) == (Scope.KNOWN, {"depth": 5})
    with pytest.raises(CrawlError, match=r"has no parameter 'dpeth'; it has depth"):
        find(f"{__name__}:MINE,dpeth=5")


class Deep(KeepsSetting):
    """A policy that reads its parameter when it is created."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.depth = setting.parameters.get("depth", 3)


class Declared(KeepsSetting):
    """A policy that declares its parameter, and reads it later or never."""

    parameters: ClassVar = {"depth": 3}


@pytest.mark.parametrize(
    ("text", "message"),
    [("Deep,dpeth=5", "does not read the parameter 'dpeth'"),
     ("KeepsSetting,depth=5", r"parameters = \{'depth': ...\}"),
     ("Declared,dpeth=5", "has no parameter 'dpeth'; it has depth")],
)  # fmt: skip
def test_a_misspelt_parameter_of_a_users_policy(text: str, message: str) -> None:
    """A comparison of two variants of a policy that are in fact the same."""
    with pytest.raises(CrawlError, match=message):
        find(f"{__name__}:{text}").scheduler([0], 1)


class Defaulted(KeepsSetting):
    """Reads its parameter as it sets a default; has a method with the name of the declaration."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.depth = setting.parameters.setdefault("depth", 3)

    def parameters(self) -> None:
        """Do something else."""


@pytest.mark.parametrize(
    "text",
    [
        "Deep,depth=5",
        "Declared,depth=5",
        "KeepsSetting",
        "Defaulted,depth=5",
        "KeepsSetting,rates=true",
    ],
)
def test_a_parameter_that_is_read_or_declared(text: str) -> None:
    """A parameter that is refused although the policy has it."""
    find(f"{__name__}:{text}").scheduler([0], 1)


class Signed(KeepsSetting):
    """A policy whose parameters stand in its signature."""

    def __init__(
        self, setting: Setting, depth: int = 2, *, share: float = 0.5, sign: str = "a",
        deep: bool = False, other: object = None,
    ) -> None:  # fmt: skip
        super().__init__(setting)
        self.given = (depth, share, sign, deep, other)


class Needs(KeepsSetting):
    """A policy with a parameter that has no default."""

    def __init__(self, setting: Setting, depth: int) -> None:
        super().__init__(setting)
        self.given = depth


def any_name(setting: Setting, **rest: object) -> KeepsSetting:
    """Make a policy that takes parameters of any name."""
    made = KeepsSetting(setting)
    made.given = rest  # type: ignore[attr-defined]
    return made


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("Signed", (2, 0.5, "a", False, None)),
        ("Signed,depth=7", (7, 0.5, "a", False, None)),
        ("Signed,share=3,sign=12,deep=true,other=1", (2, 3.0, "12", True, 1)),
        ("Needs,depth=4", 4),
        ("any_name,this=1,that=x", {"this": 1, "that": "x"}),
        ("any_name", {}),
    ],
)
def test_parameters_in_the_signature_are_passed(text: str, given: object) -> None:
    """A parameter that is dropped, so that two variants of a policy are the same one."""
    made = find(f"{__name__}:{text}").scheduler([0], 1)
    assert made.given == given  # type: ignore[attr-defined]
    assert type(made.given) is type(given)  # type: ignore[attr-defined]


class Bare:
    """A policy that takes no setting."""

    def __init__(self) -> None:
        """Do nothing."""


class BareNames:
    """A policy that takes only names."""

    def __init__(self, *, depth: int = 2) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Signed,dpeth=7", "has no parameter 'dpeth'; it has depth, share, sign, deep, other"),
        ("Signed,setting=7", "has no parameter 'setting'"),
        ("Signed,depth=x", "Signed: depth is a whole number, not 'x'"),
        ("Signed,depth=1.5", "Signed: depth is a whole number, not '1.5'"),
        ("Signed,deep=1", "Signed: deep is true or false, not '1'"),
        ("Signed,share=true", "Signed: share is a number, not 'true'"),
        ("Needs", "Needs needs the parameter 'depth', as in .*:Needs,depth="),
        (
            "Bare",
            r"policies.py:\d+: it does not take the setting: write def __init__\(self, s",
        ),
        ("BareNames", "it does not take the setting"),
    ],
)
def test_a_parameter_that_the_signature_does_not_allow(text: str, message: str) -> None:
    """A misspelt or wrong parameter that is dropped, or that ends in an error of our own code."""
    with pytest.raises(CrawlError, match=message):
        find(f"{__name__}:{text}")


def test_the_example_of_the_guide(monkeypatch: pytest.MonkeyPatch) -> None:
    """An example that does not run, or that differs from the printed one."""
    text = (HERE / "my_policy.py").read_text()
    guide = HERE.parent.parent / "docs" / "how-to" / "compare-policies.md"
    assert text in guide.read_text()
    monkeypatch.chdir(HERE)
    web = Web(2, (0, 1, 0, 0, 1, 0), ((2, 3), (4,), (), (5,), (), ()), (0, 2, 0, 5, 1, 0),
              frozenset())  # fmt: skip
    chosen = find("my_policy:Greedy")
    assert chosen.policy.about.startswith("Fetch next a page")
    world = World(web, chosen.policy.scope)
    end = crawl(chosen.text, chosen.scheduler(world.starts, 9), world, world.starts, 9)
    assert end.order.tolist() == [0, 1, 4, 2, 3, 5]
    assert end.why == "every page found was fetched"
    assert run("breadth-first", web, 9)[0] == [0, 1, 2, 3, 4, 5]

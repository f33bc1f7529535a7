"""The tables of ``counterpoint.toml``, with their types; the JSON schema is made from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeInt,
    PositiveInt,
)
from pydantic_core import PydanticCustomError

from counterpoint.models.limits import LONGEST

ENGINES = Literal["exhaustive", "bounded", "induction", "any-number", "stateful"]
EXPLORERS = Literal["auto", "python", "compiled"]
REDUCTIONS = Literal["symmetry", "partial-order"]

EXPECTED = r"^(holds|violated|violated after \d+( steps?)?)$"
SHARE = r"^\d+(\.\d+)?%$"
FUNCTION = r"^[\w.]+:[\w.]+$"
LABEL = r"^\w[\w.+-]*$"

Expected = Annotated[str, Field(pattern=EXPECTED)]
"""``holds``, ``violated``, or ``violated after 18``: the length of the shortest counterexample."""

Share = Annotated[str, Field(pattern=SHARE)]
"""A share of the baseline, as ``2%``."""

Band = dict[str, Share | Annotated[float, Field(ge=0)]]
"""How far each measure may move from its baseline; ``default`` is for those without their own.

A number is a difference; a share is of the baseline.
"""

Shares = dict[str, Share]
"""The same, in shares of the baseline."""


def _different(seeds: list[int]) -> list[int]:
    """Refuse a seed that is there twice: its web would count twice in means and intervals."""
    if len(set(seeds)) < len(seeds):
        raise PydanticCustomError("repeated", "a list without repeated seeds")
    return seeds


Seeds = (
    PositiveInt
    | Annotated[
        list[NonNegativeInt],
        Field(min_length=1, json_schema_extra={"uniqueItems": True}),
        AfterValidator(_different),
    ]
)
"""How many seeds, from 0 on, or the seeds themselves."""


def _without_nul(name: str) -> str:
    """Refuse a name that no file can have; Python raises a `ValueError` where it is opened."""
    if "\0" in name:
        raise PydanticCustomError("nul", "a name without the character \\0")
    return name


Folder = Annotated[str, AfterValidator(_without_nul)]
"""The name of a folder."""

Seconds = Annotated[float, Field(gt=0, le=LONGEST)]
"""A limit of time."""

Names = Annotated[list[str], Field(min_length=1)]
Reference = Annotated[str, Field(pattern=FUNCTION)]


def _dashed(name: str) -> str:
    return name.replace("_", "-")


class Table(BaseModel):
    """A table in which unknown keys and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, alias_generator=_dashed)


class GateTable(Table):
    """Settings of the whole gate.

    Attributes
    ----------
    budget : float
        Seconds for all checks of specs together; what is not decided then is unknown.
    step_limit : float
        Seconds of processor time that a policy may use for one step.
    report : str
        The folder of the report.
    baselines : str
        The folder of the baselines of policies and crawlers.
    processes : int or None
        Processes at the same time; as many as processors by default.
    """

    budget: Seconds = Field(default=240.0, description="Seconds for all checks of specs together.")
    step_limit: Seconds = Field(
        default=30.0, description="Seconds of processor time that a policy may use for one step."
    )
    report: Folder = Field(default="report", description="The folder of the report.")
    baselines: Folder = Field(default="baselines", description="The folder of the baselines.")
    processes: PositiveInt | None = Field(
        default=None,
        description="Processes at the same time; as many as processors by default.",
    )


class CheckTable(Table):
    """Checks of one or several specs, one for each spec and engine.

    Attributes
    ----------
    spec : str or list of str
        ``file.py:Class``, ``package.module:Class``, a name of the catalogue, a file, a folder, or
        a pattern such as ``specs/*_spec.py``.
    set : dict
        Parameters of the spec.
    engines : list of str
    why : str
        What the check shows, in one sentence.
    states : int or None
        The exact number of reachable states.
    expect : dict of str to str
        Properties that are violated, as ``violated`` or ``violated after 18``; others must hold.
    only : list of str
        The properties to check; all by default.
    show : list of str
        The violations that the report shows as pages; all by default.
    steps, runs, seed, explorer, reduce, compared, second_solver
        The options of ``counterpoint check`` of the same names.
    least_budget : float
        The check is run if the budget is at least this, in seconds.
    """

    spec: str | Names = Field(description="A spec, a file, a folder, or a pattern of files.")
    set: dict[str, str | int] = Field(default={}, description="Parameters of the spec.")
    engines: Annotated[list[ENGINES], Field(min_length=1)] = Field(
        default=["exhaustive"],
        description="The engines that check it. If one of several is exhaustive, temporal "
        "properties are left to it.",
    )
    why: str = Field(default="", description="What the check shows, in one sentence.")
    states: PositiveInt | None = Field(
        default=None, description="The exact number of reachable states."
    )
    expect: dict[str, Expected] = Field(
        default={}, description='Properties that are violated: "violated" or "violated after 18".'
    )
    only: list[str] = Field(default=[], description="The properties to check; all by default.")
    show: list[str] = Field(
        default=[], description="Violations that the report shows; all by default."
    )
    steps: NonNegativeInt | None = Field(
        default=None, description="The longest run of bounded checks."
    )
    runs: PositiveInt | None = Field(default=None, description="How many random runs.")
    seed: NonNegativeInt = Field(default=0, description="The seed of random runs.")
    explorer: EXPLORERS | None = Field(
        default=None, description="How the exhaustive engine visits states."
    )
    reduce: list[REDUCTIONS] = Field(default=[], description="Reductions of the exhaustive engine.")
    compared: NonNegativeInt | None = Field(
        default=None, description="The most states that are compared with plain Python."
    )
    second_solver: Literal["cvc5"] | None = Field(
        default=None, description="A solver that is asked the same questions as z3."
    )
    least_budget: Annotated[float, Field(ge=0, le=LONGEST)] = Field(
        default=0.0, description="The check is run if the budget is at least this, in seconds."
    )


class MutantsTable(Table):
    """Specs whose mutants must all be killed, with the violations that they declare.

    Attributes
    ----------
    spec : str or list of str
        As in `CheckTable`.
    compared : int or None
    """

    spec: str | Names = Field(description="A spec, a file, a folder, or a pattern of files.")
    compared: NonNegativeInt | None = Field(
        default=None, description="The most states that are compared with plain Python."
    )


class ScenarioTable(Table):
    """Scenarios: runs written by hand, with what must be true in them.

    Attributes
    ----------
    file : str or list of str
        A file, a folder (for the files ``*.scenario`` in it), or a pattern of files.
    why : str
        What the scenarios show, in one sentence.
    """

    file: str | Names = Field(
        description="A file of scenarios, a folder with files `*.scenario`, or a pattern of files."
    )
    why: str = Field(default="", description="What the scenarios show, in one sentence.")


class JobsTable(Table):
    """Checks that a function of yours makes: an iterable of `counterpoint.ci.Job`.

    Attributes
    ----------
    function : str
        ``module:function``, which returns an iterable of `counterpoint.ci.Job`.
    """

    function: Reference = Field(description="`module:function`, which returns jobs.")


class PoliciesTable(Table):
    """Policies that crawl the same webs, compared with their baselines.

    Attributes
    ----------
    web : str
        The name of a profile, or a profile's file.
    pages : int
        Pages that each policy may fetch.
    web_pages : int or None
        Pages of each web; those of the profile by default.
    seeds : int or list of int
    policies : list of str
        ``R2,step=20``, or ``my_module:Class,depth=3``.
    band : dict
        How far a measure's mean may move.
    """

    web: str = Field(description="The name of a profile, or a profile's file.")
    pages: PositiveInt = Field(description="Pages that each policy may fetch.")
    web_pages: PositiveInt | None = Field(
        default=None, description="Pages of each web; as the profile says by default."
    )
    seeds: Seeds = Field(default=3, description="How many seeds, from 0 on, or the seeds.")
    policies: Names = Field(description="Names of policies, or `my_module:Class,depth=3`.")
    band: Shares = Field(default={}, description="How far a measure may move from its baseline.")


class CrawlerTable(Table):
    """A crawler in any language, judged by the log of the web that it crawls.

    Attributes
    ----------
    name : str
    command : str
        The command, with the placeholders {proxy}, {start}, {seeds_file}, {pages}, {web_pages}
        and {seed}.
    web : str
        The name of a profile, or a profile's file.
    pages : int
        The placeholder {pages}.
    web_pages : int or None
        Pages of each web; those of the profile by default.
    seeds : int or list of int
    repeats : int
        How often each seed is crawled: repeats show the noise.
    timeout : float
        Seconds of one run.
    must : list of str
        Conditions on measures, as ``disallowed == 0``.
    band : dict
        How far a measure's mean may move from its baseline.
    order : str
        ``exact`` if the order of requests must be that of the baseline; ``any`` by default.
    clock : str
        ``virtual``, ``real``, or ``auto``: real if a condition names a measure of waits.
    folder : str
        Where the command runs.
    env : dict of str to str
        Variables of the environment.
    """

    name: Annotated[str, Field(pattern=LABEL)] = Field(
        description="It names the crawler and its baseline."
    )
    command: str = Field(description="The command, with placeholders such as {start}.")
    web: str = Field(description="The name of a profile, or a profile's file.")
    pages: PositiveInt = Field(
        default=1000, description="How many pages it should fetch: the placeholder {pages}."
    )
    web_pages: PositiveInt | None = Field(
        default=None, description="Pages of each web; as the profile says by default."
    )
    seeds: Seeds = Field(default=3, description="How many seeds, from 0 on, or the seeds.")
    repeats: PositiveInt = Field(
        default=1, description="How often each seed is crawled: repeats show the noise."
    )
    timeout: Seconds = Field(default=120.0, description="Seconds of one run.")
    must: list[str] = Field(default=[], description='Conditions on measures, as "disallowed == 0".')
    band: Band = Field(default={}, description="How far a measure may move from its baseline.")
    clock: Literal["auto", "virtual", "real"] = Field(
        default="auto",
        description="`virtual`: each request takes 0.1 s; `real`: waits can be judged.",
    )
    order: Literal["any", "exact"] = Field(
        default="any", description="`exact`: the order of requests must be that of the baseline."
    )
    folder: str = Field(default=".", description="Where the command runs.")
    env: dict[str, str] = Field(default={}, description="Variables of the environment.")


class PytestTable(Table):
    """Settings of the pytest plugin.

    Attributes
    ----------
    unknown : str
        What an undecided property becomes: ``fail`` or ``skip``.
    """

    unknown: Literal["fail", "skip"] = Field(
        default="fail", description="What an undecided property becomes."
    )


class Document(Table):
    """The whole of ``counterpoint.toml``, or of ``[tool.counterpoint]``."""

    gate: GateTable = Field(default_factory=lambda: GateTable())
    pytest: PytestTable = Field(default_factory=lambda: PytestTable())
    check: list[CheckTable] = []
    mutants: list[MutantsTable] = []
    scenario: list[ScenarioTable] = []
    jobs: list[JobsTable] = []
    policies: list[PoliciesTable] = []
    crawler: list[CrawlerTable] = []


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of the configuration, for editors."""
    made = Document.model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **made,
        "title": "counterpoint.toml",
    }

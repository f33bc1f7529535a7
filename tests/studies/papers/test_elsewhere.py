"""Claims that no finding of a study answers: what shows them exists."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from counterpoint.crawler.schedulers.finding import find
from counterpoint.main import counterpoint
from counterpoint.models.loading import load as load_spec
from counterpoint.sim_web.profile import load as load_profile
from counterpoint.spec.errata import ERRATA, MISPRINTS
from counterpoint.spec.notation.errors import SpecError
from counterpoint.studies.papers.elsewhere import ANSWERS, ELSEWHERE, OPEN, UNKNOWABLE
from counterpoint.studies.papers.papers import named

ROOT = Path(__file__).parents[3]

PAPERS = {"[STM]", "[HITS]", "[BeeBot]", "[COV]", "[WEB]", "[SCENT]"}


def shown() -> Iterator[str]:
    """Yield each command and page once."""
    yield from dict.fromkeys(part for one in ELSEWHERE for part in one.shown_by.split("; "))


COMMANDS = [part for part in shown() if part.startswith("counterpoint ")]
PAGES = [part for part in shown() if re.match(r"(docs|spec|benchmarks)/", part)]


def parsed(command: str) -> click.Context:
    """Parse a command line without running it."""
    name, *words = shlex.split(command)
    found: click.Command = counterpoint
    context: click.Context | None = None
    while True:
        context = found.make_context(name, list(words), parent=context)
        rest: list[str] = []
        if isinstance(found, click.Group):
            rest = [*getattr(context, "_protected_args", ()), *context.args]
        if not isinstance(found, click.Group) or (found.invoke_without_command and not rest):
            return context
        below, command_below, words = found.resolve_command(context, rest)
        assert below is not None
        assert command_below is not None
        name, found = below, command_below


def check_names(context: click.Context) -> None:
    """Look up all names of specs, properties, errata, studies, policies and profiles."""
    path, params = context.command_path.removeprefix("counterpoint "), context.params
    specs: tuple[Any, ...] = params.get("written") or ()
    if path in ("readings", "search", "export"):
        specs = (params["reference"],)
    for spec in specs:
        model = load_spec(spec, params.get("settings") or ())
        assert set(params.get("names") or ()) <= {one.name for one in model.properties}
    if path == "errata":
        assert params["name"] in {**ERRATA, **MISPRINTS}
    if path == "papers":
        named(params["names"])
    for policy in [*params.get("policies", ()), *filter(None, [params.get("policy")])]:
        find(policy)
    if path in ("compare", "web describe", "web topics", "coverage report"):
        load_profile(params["name"])
    if path == "graph build" and params["profile"]:
        load_profile(params["profile"])


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_exist(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command, an option, or a name of a spec, a study, an erratum or a profile that is gone."""
    (tmp_path / "sites.txt").write_text("http://a.test/\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    check_names(parsed(command))


@pytest.mark.parametrize(
    "command",
    [
        "counterpoint check no-such-spec",
        "counterpoint check window-stm --set no-such-parameter=1",
        "counterpoint check window-stm --property no-such-property",
        "counterpoint errata no-such-erratum",
        "counterpoint papers no-such-study",
        "counterpoint compare no-such-policy --web sample --pages 10",
        "counterpoint compare R1 --web no-such-profile --pages 10",
        "counterpoint graph rank a.graph --no-such-option",
        "counterpoint no-such-command",
    ],
)
def test_what_does_not_exist_is_found(command: str) -> None:
    """A test that accepts anything."""
    with pytest.raises((click.ClickException, SpecError, ValueError, AssertionError)):
        check_names(parsed(command))


@pytest.mark.parametrize("page", PAGES)
def test_pages_exist(page: str) -> None:
    """A page that was renamed."""
    assert (ROOT / page).is_file()


def test_everything_is_shown_by_commands_and_pages_or_has_a_reason() -> None:
    """An answer without evidence, or a misspelled command that is taken for a reason."""
    known = {*COMMANDS, *PAGES}
    for one in ELSEWHERE:
        parts = one.shown_by.split("; ")
        if one.answer in (OPEN, UNKNOWABLE):
            assert not known & set(parts), one.claim
        else:
            assert known >= set(parts), one.claim


def test_answers_and_papers_are_known() -> None:
    """A new word for an answer, which no table counts."""
    assert {one.answer for one in ELSEWHERE} == set(ANSWERS)
    assert {one.paper for one in ELSEWHERE} == PAPERS
    bibliography = (ROOT / "docs/reference/bibliography.md").read_text(encoding="utf-8")
    assert all(f"### {paper}\n" in bibliography for paper in PAPERS)


def test_no_claim_stands_twice() -> None:
    """A claim with two answers."""
    claims = [(one.paper, one.claim) for one in ELSEWHERE]
    assert len(set(claims)) == len(claims)


def test_all_fields_are_short_lines() -> None:
    """An empty cell of the table, or one that is broken by its text."""
    for one in ELSEWHERE:
        for cell in dataclasses.astuple(one):
            assert cell == " ".join(cell.split())
            assert 0 < len(cell) <= 300
            assert "|" not in cell


def test_the_page_has_these_claims() -> None:
    """A page of the documentation that was not written anew after a claim changed."""
    page = (ROOT / "docs/explanation/claims.md").read_text(encoding="utf-8")
    assert "`counterpoint papers all --seeds 30`" in page
    for one in ELSEWHERE:
        assert f"| {one.claim} | {one.printed} | {one.here} | {one.answer} |" in page, one.claim

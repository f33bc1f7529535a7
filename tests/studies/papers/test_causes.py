"""Sentences that name a cause refer to the variation of the experiment that shows it.

A cause is one of `CAUSAL`. In a report the sentence has the title of a section whose tables show
what changes if a part of the experiment is changed (`Section.ablation`): “The title”. On the page
about papers the sentence has the command and the title: (`counterpoint papers STUDY`, “The title”).
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from counterpoint.studies import papers

CAUSAL = re.compile(
    r"\b(because|since|therefore|thus|hence|due to|owing to|causes?|caused|reasons?)\b",
    re.IGNORECASE,
)
FOLDER = Path(papers.__path__[0])
PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "papers.md"
REPORTS = sorted(
    path.stem for end in ("report", "sections", "findings") for path in FOLDER.glob(f"*_{end}.py")
)


def module(name: str) -> ModuleType:
    """Return a module of the studies."""
    return importlib.import_module(f"counterpoint.studies.papers.{name}")


@cache
def tree(name: str) -> ast.Module:
    """Return the source of a module, parsed."""
    return ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))


def said(node: ast.AST, names: ModuleType) -> str:
    """Return the text of a string expression; what is only known at run time is "…"."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(said(part, names) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return said(node.value, names)
    if isinstance(node, ast.Name | ast.Attribute):
        try:
            value = eval(ast.unparse(node), vars(names).copy())
        except (NameError, AttributeError):
            return "…"
        return value if isinstance(value, str) else "…"
    return "…"


def texts(name: str) -> Iterator[str]:
    """Yield each text of a module that is neither a docstring nor a part of another text."""
    inner = {id(part) for node in ast.walk(tree(name)) if isinstance(node, ast.JoinedStr)
             for part in ast.walk(node) if part is not node}  # fmt: skip
    inner |= {id(node.value) for node in ast.walk(tree(name)) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in inner:
            yield said(node, module(name))


def ablations(name: str) -> set[str]:
    """Return the titles of the sections of a report that are variations of the experiment."""
    return {
        said(node.args[0], module(name))
        for node in ast.walk(tree(name))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Section"
        and any(key.arg == "ablation" and ast.unparse(key.value) == "True" for key in node.keywords)
    }  # fmt: skip


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return re.split(r"(?<=[.!?;])\s+", " ".join(text.split()))


def without_proof(text: str, titles: set[str]) -> list[str]:
    """Return the sentences that name a cause and do not refer to one of the sections."""
    return [one for one in sentences(text)
            if CAUSAL.search(one) and not any(f"“{title}”" in one for title in titles)]  # fmt: skip


def test_a_cause_without_its_experiment_is_found() -> None:
    """A rule that no sentence can break."""
    bad = "It falls because the menu is large. It rises (“The menu”)."
    assert without_proof(bad, {"The menu"}) == ["It falls because the menu is large."]
    assert not without_proof("It falls because the menu is large (“The menu”).", {"The menu"})
    assert without_proof("Since then (“Another”).", {"The menu"})


def test_reports_have_ablations() -> None:
    """A search for sections that finds none."""
    assert {"editions_report", "hits_report"} <= set(REPORTS)
    assert "The competing clique" in ablations("editions_report")
    assert "Without the menu" in ablations("hits_report")
    assert "The menu is not the cause: without it" in " ".join(texts("hits_report"))


@pytest.mark.parametrize("name", REPORTS)
def test_each_cause_in_a_report_names_its_experiment(name: str) -> None:
    """A reason that nobody has tested."""
    titles = set().union(*map(ablations, REPORTS))
    assert [one for text in texts(name) for one in without_proof(text, titles)] == []


def test_each_cause_on_the_page_names_its_experiment() -> None:
    """The same on the page about papers."""
    titles = set().union(*map(ablations, REPORTS))
    page = re.sub(r"^#.*$|^\|.*$", "", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    blocks = [block for block in re.split(r"\n\s*\n|\n- ", page) if block.strip()]
    wrong = [one for block in blocks for one in without_proof(block, titles)]
    assert wrong == []

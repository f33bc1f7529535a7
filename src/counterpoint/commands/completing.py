"""Completion by the shell: the names of specs, engines, properties, policies and web profiles.

Each press of the tab key starts Python anew, so nothing slow is imported here: policies are read
from the text of their catalogue, and profiles from the names of their files.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from counterpoint.spec.catalogue import SPECS

_HERE = Path(__file__).parent.parent


def _items(names: Iterable[tuple[str, str]], begun: str, files: bool) -> list[CompletionItem]:
    """Return the names that begin as typed, with a line about each; else perhaps files."""
    found = [CompletionItem(name, help=about) for name, about in names if name.startswith(begun)]
    return found or ([CompletionItem(begun, type="file")] if files else [])


def spec_names(context: click.Context, begun: str) -> list[CompletionItem]:
    """Return specs of the catalogue; if none begins so, files."""
    return _items(((name, "") for name in SPECS), begun, files=True)


def engine_names(context: click.Context, begun: str) -> list[CompletionItem]:
    """Return the engines, and ``all``."""
    from counterpoint.models.checking.engines import ENGINES

    known = [(e.name, e.description) for e in ENGINES.values()]
    return _items([*known, ("all", "every engine that can check the spec")], begun, files=False)


def property_names(context: click.Context, begun: str) -> list[CompletionItem]:
    """Return the properties of the spec that is typed already; none if it cannot be imported."""
    from counterpoint.console import user_code
    from counterpoint.models.loading import load

    reference = next(iter(context.args), "")  # Click reads no arguments before an open option
    try:
        with user_code():
            model = load(reference)
            found = [(p.name, p.description) for p in (*model.all_properties, *model.lemmas)]
    except Exception:  # whatever is wrong with it, the command says it
        return []
    return _items(found, begun, files=False)


def export_formats(context: click.Context, begun: str) -> list[CompletionItem]:
    """Return the formats of ``counterpoint export``."""
    from counterpoint.models.export import FORMATS

    return _items(((f.name, f.description) for f in FORMATS.values()), begun, files=False)


def policy_names(context: click.Context, begun: str) -> list[CompletionItem]:
    """Return the built-in policies."""
    tree = ast.parse((_HERE / "crawler" / "schedulers" / "catalogue.py").read_bytes())
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            texts = [a.value for a in node.args[:2] if isinstance(a, ast.Constant)]
            if node.func.id == "Policy" and len(texts) == 2:
                found.append((str(texts[0]), str(texts[1])))
    return _items(found, begun, files=False)


def profile_names(context: click.Context, begun: str) -> list[CompletionItem]:
    """Return the built-in web profiles; if none begins so, files."""
    names = sorted(path.stem for path in (_HERE / "sim_web" / "profiles").glob("*.toml"))
    return _items(((name, "") for name in names), begun, files=True)


def subject_names(context: click.Context, begun: str) -> list[CompletionItem]:
    """Return what histories can be recorded of; if none begins so, files."""
    from counterpoint.histories.recording.catalogue import SUBJECTS

    known = [(name, make().about) for name, make in SUBJECTS.items()]
    return _items(known, begun, files=True)


_OPTIONS = {
    "--engine": engine_names, "--property": property_names, "--profile": profile_names,
    "--web": profile_names, "--to": export_formats,
}  # fmt: skip

_ARGUMENTS = {
    "written": spec_names, "reference": spec_names, "policy": policy_names,
    "policies": policy_names, "subject": subject_names, "subjects": subject_names,
}  # fmt: skip


def complete(command: click.Command) -> None:
    """Let the parameters of a command and of all below it be completed, as their names say."""
    for parameter in command.params:
        if isinstance(parameter.type, click.Choice):
            continue
        names = parameter.opts if isinstance(parameter, click.Option) else [parameter.name or ""]
        known = _OPTIONS if isinstance(parameter, click.Option) else _ARGUMENTS
        for name in names:
            if name in known:
                parameter.shell_complete = known[name]  # type: ignore[assignment, method-assign]
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        complete(below)

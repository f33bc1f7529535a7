"""Writes the configuration and the examples that fit; what exists is never changed."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from counterpoint.ci import configuration
from counterpoint.ci.configuration.reading import NAME
from counterpoint.files.outputs import named
from counterpoint.spec.notation import SpecError

from .looking import Found
from .spiders import ARGUMENT, FoundSpider

EXAMPLE_SPEC = "specs/door_spec.py"
EXAMPLE_POLICY = "policies/most_linked.py"
WORKFLOW = ".github/workflows/counterpoint.yml"
NOT_ON_PYPI = "put a wheel or an address into its line INSTALL: Counterpoint is not on PyPI yet"


@dataclass(frozen=True)
class Step:
    """One thing that was done, or that is left to the user.

    Attributes
    ----------
    what : str
        ``wrote``, ``kept`` or ``add``.
    path : str
    why : str
        One sentence; for ``add``, the lines to add.
    """

    what: str
    path: str
    why: str = ""


def start(folder: Path, found: Found, has_crawls: bool) -> Iterator[Step]:
    """Write a configuration, and one small example of each kind that fits; yield each step.

    Parameters
    ----------
    folder : Path
        The top of the repository.
    found : Found
        What it has.
    has_crawls : bool
        Whether the packages for synthetic webs and policies are installed.

    Raises
    ------
    SpecError
        If a folder above has the configuration of this one. Nothing was written then.
    """
    folder = Path(os.path.abspath(folder))
    existing = configuration.find(folder)
    if existing is not None and existing.parent == folder:
        yield Step("kept", existing.name, "there is a configuration already")
    else:
        if existing is not None:
            _must_not_hide(existing, folder)
        yield from _new(folder, found, has_crawls)
    yield from _of_ci(folder, found, has_crawls)


def _must_not_hide(above: Path, folder: Path) -> None:
    """Refuse to write a configuration that hides the one of the same repository.

    Raises
    ------
    SpecError
        If that is so. Nothing was written then.
    """
    inner = (folder, *folder.parents)[: len(folder.parts) - len(above.parent.parts)]
    if not any((one / ".git").exists() for one in inner):
        raise SpecError(
            f"{above} is the configuration of this folder already, and another one here would hide "
            f"it; run counterpoint init in {above.parent}, or in a repository of its own"
        )


def _new(folder: Path, found: Found, has_crawls: bool) -> Iterator[Step]:
    """Write a configuration, and the examples that it names."""
    example_spec = "" if found.specs else EXAMPLE_SPEC
    policies = found.policies
    with_policy = has_crawls and not policies
    if with_policy:
        policies = (".".join(Path(EXAMPLE_POLICY).with_suffix("").parts) + ":MostLinked",)
    text = _made(
        "counterpoint.toml.j2",
        specs=found.specs or (EXAMPLE_SPEC,),
        mutants=list(found.mutants) or [example_spec] * bool(example_spec),
        policies=list(policies) if has_crawls else [],
        spiders=_labelled(found.spiders) if has_crawls else [],
    )
    yield _written(folder, NAME, text)
    if example_spec:
        yield _written(folder, EXAMPLE_SPEC, _made("example_spec.py.txt"))
    if with_policy:
        yield _written(folder, EXAMPLE_POLICY, _made("example_policy.py.txt"))


def _labelled(spiders: Sequence[FoundSpider]) -> list[tuple[str, str, str, str, bool]]:
    """Return what the configuration has for each spider.

    These are a name that the gate allows, the file as a command has it, the argument that says
    where the spider begins, its placeholder, and whether the spider is known to take it.

    No two names are the same, also where large and small letters are.
    """
    made: dict[str, tuple[str, str, str, str, bool]] = {}
    for one in spiders:
        label = re.sub(r"[^\w.+-]+", "-", one.name).lstrip(".+-") or "spider"
        while label.casefold() in made:
            label += "-2"
        value = "{seeds_file}" if one.takes_file else "{start}"
        argument = one.argument or ARGUMENT
        made[label.casefold()] = (
            label, _in_command(one.file), argument, value, bool(one.argument),
        )  # fmt: skip
    return list(made.values())


def _in_command(file: str) -> str:
    """Return a file as one argument of a crawler's command, in which braces mark placeholders."""
    return shlex.quote(file.replace("{", "{{").replace("}", "}}"))


def _of_ci(folder: Path, found: Found, has_crawls: bool) -> Iterator[Step]:
    install = _installed(folder, has_crawls)
    if found.has_github:
        step = _written(folder, WORKFLOW, _made("github.yml.txt", install=install))
        yield replace(step, why=NOT_ON_PYPI) if step.what == "wrote" else step
    if found.has_gitlab:
        yield Step("add", ".gitlab-ci.yml", _made("gitlab.yml.txt", install=install))
    if found.has_jenkins:
        line = "sh 'counterpoint gate'; junit 'build/counterpoint/junit.xml'"
        yield Step("add", "Jenkinsfile", line)


def _installed(folder: Path, has_crawls: bool) -> str:
    """Return what pip has to install for the configuration of a folder."""
    path = configuration.find(folder)
    text = "" if path is None else path.read_text(encoding="utf-8", errors="replace")
    scrapy = ["scrapy"] * bool(re.search(r"\bscrapy\b", text))
    return " ".join(["counterpoint[all]" if has_crawls else "counterpoint", *scrapy])


def _made(template: str, **given: object) -> str:
    text = (resources.files("counterpoint.ci") / "templates" / "init" / template).read_text("utf-8")
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    return environment.from_string(text).render(given)


def _written(folder: Path, name: str, text: str) -> Step:
    """Write a file, unless there is one."""
    path = folder / name
    if path.exists() or path.is_symlink():
        return Step("kept", name, "it exists")
    path.parent.mkdir(parents=True, exist_ok=True)
    with named(path), path.open("x", encoding="utf-8") as file:
        file.write(text)
    return Step("wrote", name)

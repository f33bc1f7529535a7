"""Tags of papers, authors with a year, and module names in the documents refer to something."""

from __future__ import annotations

import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .running import ROOT

BIBLIOGRAPHY = "docs/reference/bibliography.md"

TAG = re.compile(r"(?<![\w\])])\[([A-Z][A-Za-z0-9]*)\](?![\w(\[])")
"""A word in brackets that is neither a subscript nor a link."""

ROOMS = ("spec", "models", "memories", "graph", "crawler", "sim_web", "studies", "ci", "tests",
         "src", "docs", "benchmarks")  # fmt: skip


@cache
def files() -> list[Path]:
    """Return the modules, profiles and pages of the checkout, but not this test."""
    kinds = ("*.py", "*.toml", "*.md")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *kinds]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = [ROOT / name for name in done.stdout.split("\0") if name]
    return [path for path in found
            if path.is_file() and not path.is_symlink() and path != Path(__file__)]  # fmt: skip


def prose(path: Path) -> str:
    """Return the text for readers: docstrings and comments, strings of a profile, a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        text = "\n".join(re.findall(r"#.*|\".*?\"", text))
    elif path.suffix == ".md":
        text = re.sub(r"(?ms)^ *```.*?^ *```$", "", text)
    else:
        text = "\n".join(_comments(text))
    return re.sub(r"`[^`]*`", "", text)


def _comments(source: str) -> Iterator[str]:
    """Yield the comments of a module, and the strings that stand alone as statements."""
    fresh = True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and fresh):
            yield token.string
        elif token.type not in (tokenize.NL, tokenize.STRING):
            fresh = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def bibliography() -> tuple[set[str], set[str]]:
    """Return the tags of the bibliography, and the first authors of its other entries."""
    text = (ROOT / BIBLIOGRAPHY).read_text(encoding="utf-8")
    tags = set(re.findall(r"^### \[(\w+)\]$", text, re.MULTILINE))
    authors = set(re.findall(r"^- \*\*([^,( ]+)", text, re.MULTILINE))
    assert tags
    assert authors
    return tags, authors


def test_each_tag_is_in_the_bibliography_and_used() -> None:
    """A tag without an entry in the bibliography, or an entry that nothing cites."""
    used: dict[str, str] = {}
    for path in files():
        name = str(path.relative_to(ROOT))
        if name != BIBLIOGRAPHY and not name.startswith("tests/docs/"):
            used |= dict.fromkeys(TAG.findall(prose(path)), name)
    tags, _ = bibliography()
    assert {tag: name for tag, name in used.items() if tag not in tags} == {}
    assert tags - set(used) == set()


def test_each_author_is_named_somewhere() -> None:
    """An entry of the bibliography that no docstring and no page cites."""
    text = "\n".join(
        path.read_text(encoding="utf-8") for path in files()
        if str(path.relative_to(ROOT)) != BIBLIOGRAPHY
    )  # fmt: skip
    _, authors = bibliography()
    assert {author for author in authors if not re.search(rf"\b{author}\b", text)} == set()


def test_modules_that_documents_name_are_there() -> None:
    """A page that names a module that was moved or renamed."""
    missing = set()
    for path in files():
        name = str(path.relative_to(ROOT))
        if path.suffix == ".md" and (name == "ARCHITECTURE.md" or name.startswith("docs/")):
            text = re.sub(r"(?ms)^ *```.*?^ *```$", "", path.read_text(encoding="utf-8"))
            for found in re.findall(r"`([a-z_]+/[\w./-]*)`", text):
                if found.split("/")[0] in ROOMS and not (ROOT / found).exists():
                    missing.add((name, found))
    assert missing == set()


def test_the_prose_of_a_module(tmp_path: Path) -> None:
    """A tag that is looked for in code, or not looked for in text for readers."""
    module = tmp_path / "one.py"
    module.write_text('"""Of [One] and `[Two]`."""\n\nxs: list[Three] = []  # as in [Four]\n'
                      'def f():\n    """After [Five].\n\n    See [Six](x).\n    """\n'
                      '    return ["[Seven]", xs[Eight]]\n')  # fmt: skip
    assert TAG.findall(prose(module)) == ["One", "Four", "Five"]
    page = tmp_path / "one.md"
    page.write_text("[One] and\n\n```python\na[Two]\n```\n\n`[Three]` [Four](x.md) [Five].\n")
    assert TAG.findall(prose(page)) == ["One", "Five"]

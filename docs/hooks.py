r"""What mkdocs does to the pages while it builds the site.

Links from a page to files of the checkout outside of docs/ work in the repository. The site has no
such files, so there the text of the link stays without its target. ARCHITECTURE.md is a page of
the site by a symbolic link, so its links are made relative to the place of that link.

Examples in the help of a command stand a line each behind click's mark ``\b``; the reference of
the command line shows them as code.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import click

DOCS = Path(__file__).parent
ROOT = DOCS.parent

_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<path>[^)#\s:]+)(?P<anchor>#[^)\s]*)?\)")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page whose links work on the site."""
    place = Path(page.file.abs_src_path)
    parts = re.split(r"(?ms)(^ *```.*?^ *```$)", markdown)
    parts[::2] = [_LINK.sub(lambda link: _link(link, place), part) for part in parts[::2]]
    return "".join(parts)


def _link(link: re.Match[str], place: Path) -> str:
    """Return a link as it must stand in a page of the site at ``place``."""
    target = (place.resolve().parent / link["path"]).resolve()
    if not target.is_relative_to(ROOT) or not target.exists():
        return link[0]  # mkdocs says that it is broken
    if target == (ROOT / "ARCHITECTURE.md"):
        target = DOCS / "explanation" / "architecture.md"
    elif not target.is_relative_to(DOCS):
        return link["text"]
    path = os.path.relpath(target, place.parent)
    return f"[{link['text']}]({path}{link['anchor'] or ''})"


def on_config(config: Any) -> Any:
    """Load all commands, and write the examples of their help as code blocks."""
    from counterpoint.main import COMMANDS, counterpoint

    context = click.Context(counterpoint, info_name="counterpoint")
    for name in COMMANDS:
        counterpoint.get_command(context, name)
    _show_examples(counterpoint)
    return config


def _show_examples(command: click.Command) -> None:
    command.help = re.sub(
        r"(?ms)^ *(?:\\b|\x08)\n(.*?)(?=\n *\n|\Z)",
        lambda example: "```text\n" + _dedented(example[1]) + "\n```",
        "\n".join(line.rstrip() for line in (command.help or "").splitlines()),
    )
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        _show_examples(below)


def _dedented(text: str) -> str:
    lines = text.splitlines()
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:] for line in lines)

"""Files of TOML: profiles of synthetic webs, and what a repository asks of the gate."""

from __future__ import annotations

from pathlib import Path

from counterpoint.ci.configuration.reading import ConfigurationError, find, load
from counterpoint.sim_web import profile as profiles
from counterpoint.sim_web.errors import WebError

from ..inputs import changed, corpus
from ..reader import Reader, through_file

_WORDS = (b"=", b" = ", b"[", b"[[", b"]]", b"{", b"}", b",", b".", b'"""', b"'''", b"1.5", b"inf",
          b"1979-05-27", b"true", b"[]", b"{}", b"[hosts]\n", b"[[check]]\n", b"[[sites]]\n",
          b"pages = ", b"spec = ", b"name = ", b"set = ", b"[tool.counterpoint]\n")  # fmt: skip


def _profile(path: Path) -> None:
    found = profiles.load(str(path))
    profiles.from_mapping(profiles.to_mapping(found), str(path), found.name)


def _configuration(path: Path) -> None:
    find(path.parent)
    found = load(path)
    found.place("check", 0, "spec")


_CONFIGURATIONS = changed(corpus("configuration"), _WORDS)

READERS = (
    Reader("profile", through_file("a.toml", _profile), changed(corpus("profile"), _WORDS),
           (WebError,), smallest=1 << 20),
    Reader("configuration", through_file("counterpoint.toml", _configuration), _CONFIGURATIONS,
           (ConfigurationError,), smallest=4 << 20, lines=21,
           example=corpus("configuration")[0]),
    Reader("pyproject", through_file("pyproject.toml", _configuration), _CONFIGURATIONS,
           (ConfigurationError,), smallest=4 << 20, lines=21,
           example=corpus("configuration")[0]),
)  # fmt: skip

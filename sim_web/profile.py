"""Profiles: the parameters from which a web is generated, named or read from a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from counterpoint.files.inputs import without_advice

from .errors import WebError
from .sections import (
    Addresses,
    Articles,
    Change,
    Degrees,
    Distances,
    Faults,
    Forms,
    Hosts,
    Limits,
    Robots,
    Shares,
    Site,
    Style,
    Themes,
    full_name,
)
from .toml import tables

FOLDER = Path(__file__).with_name("profiles")
"""The folder of the named profiles; each is a TOML file."""


@dataclass(frozen=True)
class Profile:
    """All parameters of a web except its seed; the number of pages here is only a default.

    Attributes
    ----------
    name : str
        The name of the profile.
    about, source : str
        One line that describes the profile; where its figures come from.
    pages : int
        How many pages a web of this profile has by default.
    shares, degrees, hosts, distances, articles, themes, change, style, robots, faults, forms,
    addresses, limits
        The sections of the profile; `sections` documents their keys.
    sites : tuple of Site
        Named sites with given sizes. If there are any, they form the strong component, and the
        generator ignores ``shares``.
    """

    name: str
    about: str = ""
    source: str = ""
    pages: float = field(default=10_000, metadata={"least": 20, "most": 1e12})
    shares: Shares = field(default_factory=Shares)
    degrees: Degrees = field(default_factory=Degrees)
    hosts: Hosts = field(default_factory=Hosts)
    distances: Distances = field(default_factory=Distances)
    articles: Articles = field(default_factory=Articles)
    themes: Themes = field(default_factory=Themes)
    change: Change = field(default_factory=Change)
    style: Style = field(default_factory=Style)
    robots: Robots = field(default_factory=Robots)
    faults: Faults = field(default_factory=Faults)
    forms: Forms = field(default_factory=Forms)
    addresses: Addresses = field(default_factory=Addresses)
    limits: Limits = field(default_factory=Limits)
    sites: tuple[Site, ...] = ()

    def __post_init__(self) -> None:
        topics = len(self.articles.topics)
        if not self.articles.languages:
            return
        if self.sites:
            raise WebError("[articles] languages: a web has sites or articles, not both")
        if self.themes.count <= topics:
            raise WebError(
                f"[articles] topics: {topics} topics need more than {topics} themes, and [themes] "
                f"count is {self.themes.count:g}"
            )


_SECTIONS: dict[str, type] = {
    "shares": Shares,
    "degrees": Degrees,
    "hosts": Hosts,
    "distances": Distances,
    "articles": Articles,
    "themes": Themes,
    "change": Change,
    "style": Style,
    "robots": Robots,
    "faults": Faults,
    "forms": Forms,
    "addresses": Addresses,
    "limits": Limits,
}


def names() -> list[str]:
    """Return the names of the built-in profiles, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name: str) -> Profile:
    """Return a profile by its name or by the path of a TOML file.

    Raises
    ------
    WebError
        If there is no such profile or file, or a value is invalid. The message names the file, the
        section and the key.
    """
    path = FOLDER / f"{name}.toml"
    if "/" in name or name.endswith(".toml"):
        path = Path(name)
    elif name not in names():
        raise WebError(f"there is no profile '{name}'; there are {', '.join(names())}, "
                       "or give the path of a TOML file")  # fmt: skip
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise WebError(f"{path}: the file is not UTF-8") from None
    except (OSError, ValueError) as error:
        raise WebError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    return read(text, str(path) if path.parent != FOLDER else f"profile {name}", path.stem)


def read(text: str, place: str, name: str) -> Profile:
    """Return the profile that a TOML text describes.

    Parameters
    ----------
    text : str
        The TOML text.
    place : str
        Where the text comes from; error messages begin with it.
    name : str
        The profile's name, unless the text gives one.

    Raises
    ------
    WebError
        If the text is not TOML, or a key or value is invalid.
    """
    try:
        found = tables(text)
    except ValueError as error:  # TOMLDecodeError, or int() refuses thousands of digits
        raise WebError(f"{place}: {without_advice(error)}") from None
    except RecursionError:
        raise WebError(f"{place}: the text is nested too deeply") from None
    return from_mapping(found, place, name)


def from_mapping(tables: Mapping[str, Any], place: str, name: str) -> Profile:
    """Return the profile that a mapping of sections describes.

    Parameters
    ----------
    tables : mapping
        Keys of the profile and its sections, as TOML or JSON gives them.
    place, name : str
        As in `read`.

    Raises
    ------
    WebError
        If a key or value is invalid.
    """
    tables = {"name": name, **tables}
    sites = tables.pop("sites", [])
    if not isinstance(sites, list) or not all(isinstance(one, dict) for one in sites):
        raise WebError(f"{place}: sites must be written as [[sites]]")
    top = {key: value for key, value in tables.items() if key not in _SECTIONS}
    made: dict[str, Any] = {
        key: _section(kind, tables[key], f"{place}: [{key}]")
        for key, kind in _SECTIONS.items()
        if key in tables
    }
    made["sites"] = tuple(
        _section(Site, one, f"{place}: [[sites]] {k + 1}") for k, one in enumerate(sites)
    )
    short_names = {site.name for site in made["sites"]}
    full_names = {full_name(site.name, k) for k, site in enumerate(made["sites"])}
    if min(len(short_names), len(full_names)) < len(sites):
        raise WebError(f"{place}: two [[sites]] have the same name")
    # `_section` returns an instance of the class that it gets.
    return _section(Profile, top, place, made)  # type: ignore[no-any-return]


def to_mapping(profile: Profile) -> dict[str, Any]:
    """Return a mapping from which `from_mapping` makes an equal profile; JSON can hold it."""
    top: dict[str, Any] = {}
    for one in fields(Profile):
        value = getattr(profile, one.name)
        if one.name == "sites":
            top["sites"] = [_plain(site) for site in value]
        elif one.name in _SECTIONS:
            top[one.name] = _plain(value)
        else:
            top[one.name] = value
    return top


def _plain(section: Any) -> dict[str, Any]:
    return {one.name.rstrip("_"): getattr(section, one.name) for one in fields(section)}


def _section(kind: type, table: Any, place: str, more: Mapping[str, Any] | None = None) -> Any:
    """Return an instance of a section's class.

    Parameters
    ----------
    kind : type
        A dataclass whose fields are the keys of the section.
    table : mapping
        The keys that the user gave; other values are refused.
    place : str
        The section's place, for error messages.
    more : mapping, optional
        Fields that are ready already.

    Raises
    ------
    WebError
        If ``table`` is not a mapping, or a key or value is invalid.
    """
    if not isinstance(table, Mapping):
        raise WebError(f"{place}: must be a section with keys, not {table!r}")
    known = {one.name.rstrip("_"): one for one in fields(kind)}
    made = dict(more or {})
    for key, value in table.items():
        if key not in known or key in made:
            raise WebError(f"{place}: there is no key '{key}'; there are {', '.join(known)}")
        named = f"{place}{' ' if place[-1:] == ']' or place[-1:].isdigit() else ': '}{key}"
        made[known[key].name] = _value(known[key], value, named)
    try:
        return kind(**made)
    except ValueError as error:
        raise WebError(f"{place}: {error}") from None


def _value(declared: Any, value: Any, place: str) -> Any:
    """Return a value of a profile, checked by the metadata of its declared field."""
    if "least" in declared.metadata:
        return _number(value, declared.metadata["least"], declared.metadata["most"], place)
    if "dict" in str(declared.type):
        return _weights(value, place, may_be_empty=not declared.default_factory())
    if not isinstance(value, str):
        raise WebError(f"{place}: {value!r} is not text")
    return value


def _number(value: Any, least: float, most: float, place: str) -> Any:
    """Return a number of a profile; reject it if it is not between the bounds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise WebError(f"{place}: {value!r} is not a number")
    if not least <= value <= most:
        shown = f"{value:g}" if isinstance(value, float) or abs(value) < 10**15 else "the number"
        raise WebError(f"{place}: {shown} is not between {least:g} and {most:g}")
    return value


def _weights(value: Any, place: str, *, may_be_empty: bool) -> dict[str, float]:
    if not isinstance(value, dict):
        raise WebError(f"{place}: {value!r} must be a table of weights")
    found = {key: float(_number(one, 0, 1e9, f"{place}.{key}")) for key, one in value.items()}
    if sum(found.values()) <= 0 and not (may_be_empty and not found):
        raise WebError(f"{place}: the weights sum to 0")
    return found

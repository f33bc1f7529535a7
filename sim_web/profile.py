"""Profiles: the numbers a web is planted with; named ones and the user's own TOML files."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from .errors import WebError
from .sections import (
    Addresses,
    Change,
    Degrees,
    Distances,
    Faults,
    Hosts,
    Limits,
    Robots,
    Shares,
    Site,
    Style,
    Themes,
    full_name,
)

FOLDER = Path(__file__).with_name("profiles")
"""The named profiles, a TOML file each."""


@dataclass(frozen=True)
class Profile:
    """Everything about a web but its size and its seed.

    Attributes
    ----------
    name : str
        As users name it.
    about, source : str
        A line for lists; where the figures come from.
    pages : int
        How many pages there are if nobody says.
    sites : tuple of Site
        Sites given one by one; then they are the strong component and the shares are not used.
    """

    name: str
    about: str = ""
    source: str = ""
    pages: float = field(default=10_000, metadata={"least": 20, "most": 1e12})
    shares: Shares = field(default_factory=Shares)
    degrees: Degrees = field(default_factory=Degrees)
    hosts: Hosts = field(default_factory=Hosts)
    distances: Distances = field(default_factory=Distances)
    themes: Themes = field(default_factory=Themes)
    change: Change = field(default_factory=Change)
    style: Style = field(default_factory=Style)
    robots: Robots = field(default_factory=Robots)
    faults: Faults = field(default_factory=Faults)
    addresses: Addresses = field(default_factory=Addresses)
    limits: Limits = field(default_factory=Limits)
    sites: tuple[Site, ...] = ()


_SECTIONS: dict[str, type] = {
    "shares": Shares,
    "degrees": Degrees,
    "hosts": Hosts,
    "distances": Distances,
    "themes": Themes,
    "change": Change,
    "style": Style,
    "robots": Robots,
    "faults": Faults,
    "addresses": Addresses,
    "limits": Limits,
}


def names() -> list[str]:
    """Return the names of the profiles that come with the project."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name: str) -> Profile:
    """Return a profile by its name or by the path of a TOML file.

    Raises
    ------
    WebError
        If there is none, or what it says is not valid; names file, section and key.
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
        raise WebError(f"{path}: is not UTF-8") from None
    except (OSError, ValueError) as error:
        raise WebError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    return read(text, str(path) if path.parent != FOLDER else f"profile {name}", path.stem)


def read(text: str, place: str, name: str) -> Profile:
    """Return the profile that a TOML text describes; ``place`` is where errors say it stands."""
    try:
        told = tomllib.loads(text)
    except ValueError as error:  # a number of thousands of digits is one that is not TOML's own
        raise WebError(f"{place}: {error}") from None
    except RecursionError:
        raise WebError(f"{place}: is nested too deeply") from None
    return from_mapping(told, place, name)


def from_mapping(told: Mapping[str, Any], place: str, name: str) -> Profile:
    """Return the profile that a mapping of sections describes."""
    told = {"name": name, **told}
    sites = told.pop("sites", [])
    if not isinstance(sites, list) or not all(isinstance(one, dict) for one in sites):
        raise WebError(f"{place}: sites must be written as [[sites]]")
    top = {key: value for key, value in told.items() if key not in _SECTIONS}
    made: dict[str, Any] = {
        key: _section(kind, told[key], f"{place}: [{key}]")
        for key, kind in _SECTIONS.items()
        if key in told
    }
    made["sites"] = tuple(
        _section(Site, one, f"{place}: [[sites]] {k + 1}") for k, one in enumerate(sites)
    )
    told_names = {site.name for site in made["sites"]}
    full_names = {full_name(site.name, k) for k, site in enumerate(made["sites"])}
    if min(len(told_names), len(full_names)) < len(sites):
        raise WebError(f"{place}: two [[sites]] have one name")
    # `_section` returns whatever class it is given.
    return _section(Profile, top, place, made)  # type: ignore[no-any-return]


def to_mapping(profile: Profile) -> dict[str, Any]:
    """Return what `from_mapping` makes the profile of; all of it can be written as JSON."""
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


def _section(kind: type, told: Any, place: str, more: Mapping[str, Any] | None = None) -> Any:
    if not isinstance(told, Mapping):
        raise WebError(f"{place}: must be a section with keys, not {told!r}")
    known = {one.name.rstrip("_"): one for one in fields(kind)}
    made = dict(more or {})
    for key, value in told.items():
        if key not in known or key in made:
            raise WebError(f"{place}: there is no key '{key}'; there are {', '.join(known)}")
        named = f"{place}{' ' if place[-1:] == ']' or place[-1:].isdigit() else ': '}{key}"
        made[known[key].name] = _value(known[key], value, named)
    try:
        return kind(**made)
    except ValueError as error:
        raise WebError(f"{place}: {error}") from None


def _value(one: Any, value: Any, place: str) -> Any:
    if "least" in one.metadata:
        return _number(value, one.metadata["least"], one.metadata["most"], place)
    if "dict" in str(one.type):
        return _weights(value, place)
    if not isinstance(value, str):
        raise WebError(f"{place}: {value!r} is no text")
    return value


def _number(value: Any, least: float, most: float, place: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise WebError(f"{place}: {value!r} is no number")
    if not least <= value <= most:
        told = f"{value:g}" if isinstance(value, float) or abs(value) < 10**15 else "the number"
        raise WebError(f"{place}: {told} is not between {least:g} and {most:g}")
    return value


def _weights(value: Any, place: str) -> dict[str, float]:
    if not isinstance(value, dict):
        raise WebError(f"{place}: {value!r} must be a table of weights")
    found = {key: float(_number(one, 0, 1e9, f"{place}.{key}")) for key, one in value.items()}
    if sum(found.values()) <= 0:
        raise WebError(f"{place}: the weights sum to 0")
    return found

"""Random profiles and webs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from counterpoint.sim_web import profile
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.profile import Profile
from counterpoint.sim_web.sections import Articles, Degrees, Hosts, Shares, Site, Style, Themes


@st.composite
def shares(draw: Callable[..., Any]) -> Shares:
    """Return shares that sum to 1, of which some may be 0."""
    parts = [draw(st.integers(1, 10))] + [draw(st.integers(0, 10)) for _ in range(5)]
    whole = sum(parts)
    return Shares(*(part / whole for part in parts))


@st.composite
def profiles(draw: Callable[..., Any]) -> Profile:
    """Return a profile that differs from the default in keys that the generator uses."""
    return dataclasses.replace(
        profile.load("broder-1999"),
        shares=draw(shares()),
        degrees=Degrees(
            mean=draw(st.floats(2, 12)),
            out_exponent=draw(st.floats(2.2, 4)),
            in_exponent=draw(st.floats(2.05, 4)),
            internal=draw(st.floats(0, 1)),
            orphans=draw(st.floats(0, 1)),
        ),
        hosts=Hosts(
            mean_pages=draw(st.floats(1, 60)),
            exponent=draw(st.floats(0, 4)),
            branching=draw(st.floats(1.05, 8)),
            host_branching=draw(st.floats(1.05, 8)),
            navigation=draw(st.sampled_from([0, 0, 1, 5, 20])),
            editions=draw(st.sampled_from([1, 1, 3])),
        ),
        themes=draw(
            st.sampled_from(
                [
                    Themes(),
                    Themes(count=3, community=0.5, authorities=0.1),
                    Themes(count=3, community=0.5, authorities=0.1, sections=0.6),
                    Themes(count=3, community=0.9, hubs=0.3, authorities=0.1, everywhere=1),
                    Themes(count=2, community=0.9, authorities=0.3, everywhere=1, sections=0.6),
                ]
            )
        ),
        style=Style(languages={"en": 2, "ru": 1, "de": 0, "zh": 1}),
    )


@st.composite
def sites(draw: Callable[..., Any]) -> Profile:
    """Return a profile whose sites are given one by one."""
    number = draw(st.integers(1, 4))
    return dataclasses.replace(
        profile.load("broder-1999"),
        shares=Shares(0.7, 0, 0.3, 0, 0, 0),
        sites=tuple(
            Site(f"s{k}", draw(st.integers(1, 200)), draw(st.integers(1, 60)),
                 draw(st.floats(0.01, 1)), draw(st.floats(0.1, 3)), draw(st.integers(3, 9)))
            for k in range(number)
        ),
    )  # fmt: skip


@st.composite
def articles(draw: Callable[..., Any]) -> Profile:
    """Return a profile whose web has articles in editions of several languages."""
    languages = draw(st.integers(2, 12))
    topics = draw(st.lists(st.integers(1, languages), max_size=2))
    return dataclasses.replace(
        profile.load("editions"),
        hosts=Hosts(mean_pages=draw(st.sampled_from([1, 3])), exponent=draw(st.floats(0, 4)),
                    branching=draw(st.floats(1.05, 8))),
        articles=Articles(
            languages=languages,
            topics={f"topic{k}": editions for k, editions in enumerate(topics)},
            common=draw(st.integers(1, 50)),
            mains=draw(st.integers(0, languages)),
            footers=draw(st.integers(1, 3)),
            elsewhere=draw(st.sampled_from([0, 0.2])),
            links=draw(st.integers(0, 6)),
            shared=draw(st.floats(0, 1)),
        ),
    )  # fmt: skip


@st.composite
def webs(draw: Callable[..., Any], most: int = 400) -> Web:
    """Return a small web; profiles for which no web can be generated are skipped."""
    chosen = draw(st.one_of(profiles(), profiles(), sites(), articles()))
    pages, seed = draw(st.integers(20, most)), draw(st.integers(0, 2**32))
    try:
        return Web(chosen, pages, seed)
    except WebError:
        return Web(profile.load("broder-1999"), max(pages, 100), seed)

"""Profiles: the named ones agree with their sources; errors in a user's profile are clear."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given

from counterpoint.sim_web import profile
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.generator import Component, Web

from .profiles import profiles

NAMES = ["broder-1999", "broder-1999-october", "editions", "hostile", "institutes", "living",
         "local", "meusel-2012", "regional", "sample", "topical", "universities"]  # fmt: skip


def test_names() -> None:
    """A profile that is lost, or one that no test knows."""
    assert profile.names() == NAMES


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_named_profiles_can_be_planted(name: str) -> None:
    """A profile without a description, or one for which no web can be generated."""
    web_profile = profile.load(name)
    assert web_profile.about
    assert web_profile.source
    web = Web(web_profile, seed=1)
    assert web.pages == web_profile.pages
    assert web.out_links(0).size > 0
    assert (
        profile.from_mapping(json.loads(json.dumps(profile.to_mapping(web_profile))), "", "")
        == web_profile
    )


@given(profiles())
def test_a_profile_survives_the_log(web_profile: profile.Profile) -> None:
    """A log header from which another web would be generated."""
    assert (
        profile.from_mapping(json.loads(json.dumps(profile.to_mapping(web_profile))), "", "")
        == web_profile
    )


@pytest.mark.parametrize(
    ("name", "pages", "links"),
    [("institutes", 59_293, 2_606), ("universities", 46_418, 6_384), ("sample", 74_241, 3_299)],
)
def test_sites_are_those_of_the_table(name: str, pages: int, links: int) -> None:
    """A wrong figure of Table 1, or a site of another size in the web."""
    web_profile = profile.load(name)
    web = Web(web_profile, seed=1)
    assert sum(site.pages for site in web_profile.sites) == pages
    assert sum(site.external_links for site in web_profile.sites) == links
    assert [len(web.pages_of(h)) for h in range(10)] == [site.pages for site in web_profile.sites]
    assert int((web.components() == Component.SCC).sum()) == pages


def test_both_sets_fill_the_totals() -> None:
    """Invented sites that change the paper's totals."""
    sites = [*profile.load("institutes").sites, *profile.load("universities").sites]
    assert len(sites) == 20
    assert sum(site.pages for site in sites) == 105_711
    assert sum(site.external_links for site in sites) == 8_990


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("=", "Invalid statement (at line 1, column 1)"),
        ("[shares]\nscc = 0.9", "[shares]: the shares sum to 1.6226, not to 1"),
        ("[shares]\nscc = 0\nin = 0.2877\nout=0.4147", "scc must be above 0"),
        ("x = 3", "there is no key 'x'"),
        ("[degrees]\nmeen = 3", "[degrees]: there is no key 'meen'; there are mean, out_exponent"),
        ("[degrees]\nmean = 'much'", "[degrees] mean: 'much' is not a number"),
        ("[degrees]\nmean = true", "[degrees] mean: True is not a number"),
        ("[degrees]\nmean = nan", "[degrees] mean: nan is not between"),
        ("[faults]\nreset = 2", "[faults] reset: 2 is not between 0 and 1"),
        ("degrees = 3", "[degrees]: must be a section with keys, not 3"),
        ("pages = [1]", "pages: [1] is not a number"),
        ("about = 3", "about: 3 is not text"),
        ("[articles]\nlanguages = 3\ntopics = {a = 4}", "[articles]: topics.a: 4 editions in 3"),
        ("[articles]\nlanguages = 3\nmains = 4", "[articles]: mains: 4 main pages of 3 languages"),
        ("[style.languages]\nen = 0", "[style] languages: the weights sum to 0"),
        ("[style]\nlanguages = 3", "[style] languages: 3 must be a table of weights"),
        ("sites = 3", "sites must be written as [[sites]]"),
        ("[[sites]]\npages = 3\n[[sites]]\npages = 4", "two [[sites]] have the same name"),
        ("[[sites]]\nname = 'a'\n[[sites]]\nname = 'a.test'", "two [[sites]] have the same name"),
        ("[[sites]]\n[[sites]]\nname = 'site1'", "two [[sites]] have the same name"),
        ("[[sites]]\npages = 0", "[[sites]] 1 pages: 0 is not between"),
        ("[[sites]]\nname = 'Upper'", "[[sites]] 1: name: 'Upper' is not a host name"),
        ("[[sites]]\nname = 'a b'", "[[sites]] 1: name: 'a b' is not a host name"),
        ("[[sites]]\nname = 'a..b'", "[[sites]] 1: name: 'a..b' is not a host name"),
        ("[[sites]]\nname = 'größe'", "[[sites]] 1: name: 'größe' is not a host name"),
        ("[faults]\nreset = 0.7\nbomb = 0.6", "[faults]: the shares of pages sum to 1.3"),
        ("pages = 1" + 400 * "0", "pages: the number is not between 20 and 1e+12"),
        ("pages = 1" + 5000 * "0", "a number has more than 4,300 digits"),
        ("x = " + 20_000 * "[", "is nested too deeply"),
        ("[" + "a." * 20_000 + "a]", "is nested too deeply"),
    ],
)
def test_errors_name_the_place(text: str, message: str) -> None:
    """A mistake that is ignored, or reported without its place."""
    with pytest.raises(WebError) as caught:
        profile.read(text, "mine.toml", "mine")
    assert str(caught.value).startswith("mine.toml: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("keys", ["calendar session_ids duplicates vanish robots_timeout"])
def test_faults_of_hosts_may_come_together(keys: str) -> None:
    """Shares of hosts added to those of pages, which exclude each other."""
    web_profile = profile.from_mapping(
        {"faults": {"reset": 1, **dict.fromkeys(keys.split(), 1)}}, "", ""
    )
    assert web_profile.faults.vanish == 1


def test_no_two_hosts_have_one_name() -> None:
    """A site with the name invented for another host, so that its pages are the site's."""
    web_profile = profile.load("institutes")
    web = Web(web_profile, 20_000, seed=1)
    assert all(web.named(web.name(host)) == host for host in range(web.hosts))
    taken = dataclasses.replace(
        web_profile.sites[0], name=web.name(web.hosts - 1).partition(".")[0]
    )
    with pytest.raises(WebError, match="another host has that name already"):
        Web(dataclasses.replace(web_profile, sites=(taken, *web_profile.sites[1:])), 20_000, seed=1)


def test_files(tmp_path: Path) -> None:
    """A user's file that is not found, not read, or confused with another."""
    mine = tmp_path / "mine.toml"
    mine.write_text("[degrees]\nmean = 5")
    assert profile.load(str(mine)).name == "mine"
    assert profile.load(str(mine)).degrees.mean == 5
    with pytest.raises(WebError, match=r"no profile 'mine'; there are broder-1999"):
        profile.load("mine")
    with pytest.raises(WebError, match=r"none\.toml: No such file"):
        profile.load(str(tmp_path / "none.toml"))
    for name in ("a/\0", "a/" + 5000 * "b"):
        with pytest.raises(WebError):
            profile.load(name)
    with pytest.raises(WebError, match="there is no profile"):
        profile.load(5000 * "b")
    mine.write_bytes(b"\xff")
    with pytest.raises(WebError, match="is not UTF-8"):
        profile.load(str(mine))

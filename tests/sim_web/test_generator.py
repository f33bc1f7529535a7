"""The generator: the web has the planted structure, in every form."""

from __future__ import annotations

import hashlib
import io
import random
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.sim_web import profile
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.generator import Component, Explicit, Web
from counterpoint.sim_web.generator.degrees import drawn_degree
from counterpoint.sim_web.generator.kernels import permuted, unpermuted, zipf_mass, zipf_rank
from counterpoint.sim_web.generator.layout import lay_out
from counterpoint.sim_web.generator.packing import (
    Means,
    drawn_mean,
    links_of_pages,
    packed,
    unpacked,
)
from counterpoint.sim_web.generator.trees import BLOCK, deeper, tree_level
from counterpoint.sim_web.sections import Shares, Site

from .profiles import profiles, webs

KEY = np.uint64(0x1234567890ABCDEF)


def graph(web: Web) -> nx.DiGraph:
    """Return the web as a graph, from the implicit form."""
    made = nx.DiGraph()
    made.add_nodes_from(range(web.pages))
    made.add_edges_from((p, int(q)) for p in range(web.pages) for q in web.out_links(p))
    return made


def parts(made: nx.DiGraph) -> dict[int, Component]:
    """Return every page's component, computed by networkx from the definitions alone."""
    core = max(nx.strongly_connected_components(made), key=len)
    some = next(iter(core))
    ahead, behind = nx.descendants(made, some) - core, nx.ancestors(made, some) - core
    weak = nx.node_connected_component(made.to_undirected(as_view=True), some)
    from_in = set().union(*(nx.descendants(made, p) for p in behind)) if behind else set()
    to_out = set().union(*(nx.ancestors(made, p) for p in ahead)) if ahead else set()
    found = {}
    for page in made:
        if page in core:
            found[page] = Component.SCC
        elif page in behind:
            found[page] = Component.IN
        elif page in ahead:
            found[page] = Component.OUT
        elif page not in weak:
            found[page] = Component.DISCONNECTED
        elif page in from_in and page in to_out:
            found[page] = Component.TUBES
        else:
            found[page] = Component.TENDRILS
    return found


@settings(max_examples=20, deadline=None)
@given(webs(), st.floats(0, 1))
def test_the_mean_to_expect_is_that_of_the_pages(web: Web, share: float) -> None:
    """Degrees of the body taken for those of the tail, or a changed share."""
    numbers = web.numbers
    before, sample = float(numbers.degrees[0]), min(web.pages, 50)
    means = Means(numbers, web.pages, sample)
    assert numbers.degrees[0] == before
    numbers.degrees[0] = share
    counts, _ = links_of_pages(*packed(numbers), 0, web.pages // sample, sample)
    drawn = [int(drawn_degree(numbers, k * (web.pages // sample))) for k in range(sample)]
    assert means.expected() == drawn_mean(numbers) + (int(counts.sum()) - sum(drawn)) / sample
    numbers.degrees[0] = before


@given(st.integers(1, 5000), st.data())
def test_a_permutation_has_an_inverse(size: int, data: st.DataObject) -> None:
    """Two hosts with one name, or a name that leads to another host."""
    number = data.draw(st.integers(0, size - 1))
    image = permuted(KEY, number, size)
    assert 0 <= image < size
    assert unpermuted(KEY, image, size) == number


@pytest.mark.parametrize("size", [1, 2, 3, 16, 17, 1000])
def test_a_permutation_reaches_all(size: int) -> None:
    """A permutation that is not one to one."""
    assert sorted(permuted(KEY, n, size) for n in range(size)) == list(range(size))


@given(st.floats(0, 0.99), st.integers(1, 10**9), st.floats(0, 1, exclude_max=True))
def test_a_rank_holds_the_share_at_which_it_was_drawn(s: float, size: int, u: float) -> None:
    """Popularity drawn from another distribution than that of the pages per host."""
    rank = zipf_rank(u, size, s, 1.0)
    assert 0 <= rank < size
    slack = 1e-6
    assert zipf_mass(rank, size, s, 1.0) <= u + slack
    assert u <= zipf_mass(rank + 1, size, s, 1.0) + slack


@settings(max_examples=60)
@given(webs(250))
def test_components_are_those_planted(web: Web) -> None:
    """A link that moves a page to another component, or an unconnected page."""
    planted = {p: web.component(p) for p in range(web.pages)}
    assert parts(graph(web)) == planted
    assert web.components().tolist() == [planted[p] for p in range(web.pages)]


@settings(max_examples=40)
@given(webs())
def test_both_forms_agree(web: Web) -> None:
    """A link in one form only, a link twice, or a page that links to itself."""
    explicit = web.explicit()
    for page in range(web.pages):
        links = web.out_links(page).tolist()
        assert links == explicit.out_links(page).tolist()
        assert len(set(links)) == len(links)
        assert page not in links


@settings(max_examples=40)
@given(webs())
def test_levels_are_the_fewest_internal_links(web: Web) -> None:
    """A shortcut within a host, or an unreachable page with a level."""
    for host in range(web.hosts):
        pages = web.pages_of(host)
        levels = {pages.start: 0}
        reached = [pages.start]
        for page in reached:
            for target in web.out_links(page).tolist():
                if target in pages and target not in levels:
                    levels[target] = levels[page] + 1
                    reached.append(target)
        assert {p: web.level(p) for p in pages} == {p: levels.get(p, -1) for p in pages}
        assert set(pages) - set(levels) == set(web.orphans_of(host))


@settings(max_examples=40)
@given(webs())
def test_hosts_divide_the_pages(web: Web) -> None:
    """A page of no host or of two, or a name that does not lead back."""
    ends = [web.pages_of(host) for host in range(web.hosts)]
    assert [r.start for r in ends] == [0, *(r.stop for r in ends[:-1])]
    assert ends[-1].stop == web.pages
    assert min(map(len, ends)) >= 1
    assert all(web.host(p) == h for h, r in enumerate(ends) for p in (r.start, r.stop - 1))
    names = [web.name(host) for host in range(web.hosts)]
    assert [web.named(name) for name in names] == list(range(web.hosts))
    assert len(set(names)) == web.hosts


@pytest.mark.parametrize("name", ["", "test", "x.test", "bababa.tests", "BABABA.test"])
def test_other_names_are_no_hosts(name: str) -> None:
    """A host returned for a name that no link contains."""
    assert Web(profile.load("broder-1999"), 1000, 1).named(name) is None


@settings(max_examples=20)
@given(profiles(), st.integers(0, 99))
def test_numbers_survive_packing(web_profile: profile.Profile, seed: int) -> None:
    """A number in the wrong place for compiled code that is called page by page."""
    try:
        numbers = Web(web_profile, 200, seed).numbers
    except WebError:
        return
    for before, after in zip(numbers, unpacked(*packed(numbers)), strict=True):
        assert np.array_equal(before, after)


@pytest.mark.long
def test_a_seed_gives_one_web_in_every_process() -> None:
    """Randomness that does not come from the seed alone, or a seed without effect."""
    web_profile = profile.load("broder-1999")
    code = (
        "from counterpoint.sim_web import profile; import hashlib;"
        "from counterpoint.sim_web.generator import Web;"
        "w = Web(profile.load('broder-1999'), 3000, 5).explicit();"
        "print(hashlib.blake2b(w.offsets.tobytes() + w.targets.tobytes()).hexdigest())"
    )
    root = Path(__file__).resolve().parents[2]
    runs = [subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True,
                           check=True, timeout=120).stdout for _ in range(2)]  # fmt: skip
    assert runs[0] == runs[1]
    here, there = Web(web_profile, 3000, 5).explicit(), Web(web_profile, 3000, 6).explicit()
    assert not np.array_equal(here.targets, there.targets)


def test_mean_degree_and_multiplicity() -> None:
    """A skeleton with too few links, or missing repeated links."""
    web = Web(profile.load("broder-1999"), 50_000, 3)
    explicit = web.explicit()
    assert explicit.links / explicit.pages == pytest.approx(7.2, abs=0.3)
    copies = [web.copies(p, k) for p in range(2000) for k in range(3)]
    assert min(copies) == 1
    assert np.mean(copies) == pytest.approx(1.1, abs=0.02)


def test_a_billion_pages_cost_nothing() -> None:
    """Storage that grows with the number of pages, or a formula that overflows."""
    web = Web(profile.load("broder-1999"), 10**9, 7)
    for page in (0, 277_399_999, 277_400_000, 123_456_789, 10**9 - 1):
        links = web.out_links(page)
        assert ((links >= 0) & (links < 10**9)).all()
        assert page in web.pages_of(web.host(page))
    counts = np.bincount([web.component(p) for p in range(0, 10**9, 10**5)]) / 10**4
    assert counts == pytest.approx(web.profile.shares.all(), abs=0.001)


def test_sites_have_the_links_they_are_given() -> None:
    """Another number of external links than the table's, or a site that is too deep."""
    web_profile = profile.read(
        "[shares]\nscc = 0.6\nin = 0\nout = 0.4\ntendrils = 0\ntubes = 0\ndisconnected = 0\n"
        "[[sites]]\nname = 'a'\npages = 900\nexternal_links = 40\nholders = 0.02\n"
        "[[sites]]\nname = 'b.example'\npages = 300\nexternal_links = 200\n"
        "spread = 0.2\ndepth = 4\n",
        "test", "test")  # fmt: skip
    web = Web(web_profile, 2000, 1)
    assert [len(web.pages_of(h)) for h in (0, 1)] == [900, 300]
    assert [web.name(0), web.name(1)] == ["a.test", "b.example"]
    for host, links, holders, depth in ((0, 40, 18, 5), (1, 200, 30, 4)):
        pages = web.pages_of(host)
        outside = [sum(q not in pages for q in web.out_links(p).tolist()) for p in pages]
        assert sum(outside) == links
        assert np.count_nonzero(outside) == holders
        assert max(web.level(p) for p in pages) <= depth


def test_saved_and_loaded(tmp_path: Path) -> None:
    """A web that differs after it was saved and loaded."""
    explicit = Web(profile.load("broder-1999"), 500, 1).explicit()
    explicit.save(tmp_path / "web.npz")
    loaded = Explicit.load(tmp_path / "web.npz")
    assert np.array_equal(explicit.targets, loaded.targets)
    assert np.array_equal(explicit.offsets, loaded.offsets)
    (tmp_path / "cut.npz").write_bytes((tmp_path / "web.npz").read_bytes()[:-400])
    np.savez(tmp_path / "ids.npz", offsets=np.array([0, 1]), targets=np.array([5]))
    np.savez(tmp_path / "ends.npz", offsets=np.array([0, 2]), targets=np.array([0]))
    for name in ("cut", "ids", "ends", "none"):
        with pytest.raises(WebError, match="is not a saved web"):
            Explicit.load(tmp_path / f"{name}.npz")


def _repacked(file: bytes, changed: Callable[[bytes], bytes]) -> bytes:
    """Return an archive with changed members, whose checksums are right."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(file)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            new.writestr(name, changed(old.read(name)))
    return made.getvalue()


@pytest.mark.parametrize("arrays", [
    ([0.0, 1.0], [0]), ([0, 1], [float("nan")]), (["0", "1"], ["0"]), ([[0, 1]], [0]), (0, [0]),
    (np.array([0, 5, 2, 1], np.uint64), [0]), ([0, 1 + 0j], [0]), ([], []), ([0, 1], [-1]),
    (np.zeros(2, "V8"), np.zeros(1, "V8")), (np.array([0, 1], "M8[s]"), [0]),
])  # fmt: skip
def test_arrays_that_are_no_web(tmp_path: Path, arrays: tuple[Any, Any]) -> None:
    """A traceback for an array of another type, or offsets that fall unseen."""
    path = tmp_path / "web.npz"
    np.savez(path, offsets=np.asarray(arrays[0]), targets=np.asarray(arrays[1]))
    with pytest.raises(WebError, match=r"web\.npz: is not a saved web"):
        Explicit.load(path)


def test_a_hostile_archive_is_one_line(tmp_path: Path) -> None:
    """A traceback of NumPy or zipfile, whose errors are of many types."""
    path, chance = tmp_path / "web.npz", random.Random(1)
    np.savez_compressed(path, offsets=np.arange(50), targets=np.arange(49) % 40)
    file, refused = path.read_bytes(), 0

    def changed(data: bytes) -> bytes:
        found = bytearray(data)
        for _ in range(chance.choice((1, 1, 3))):
            found[chance.randrange(len(found))] = chance.choice((0, 40, 57, 79, 255))
        return bytes(found)

    for number in range(600):
        path.write_bytes(_repacked(file, changed) if number % 2 else changed(file))
        try:
            Explicit.load(path)
        except WebError as error:
            refused += 1
            assert str(error).startswith(f"{path}: is not a saved web")
            assert "\n" not in str(error)
    assert refused > 200
    path.write_bytes(_repacked(file, lambda data: b"text"))
    with pytest.raises(WebError, match="something else than arrays"):
        Explicit.load(path)


def test_an_interrupted_save_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a file after Ctrl-C, or the loss of the earlier file."""
    explicit = Web(profile.load("broder-1999"), 100, 1).explicit()
    explicit.save(tmp_path / "web.npz")
    before = (tmp_path / "web.npz").read_bytes()

    def interrupted(file: IO[bytes], **arrays: object) -> None:
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", interrupted)
    with pytest.raises(KeyboardInterrupt):
        explicit.save(tmp_path / "web.npz")
    assert [one.name for one in tmp_path.iterdir()] == ["web.npz"]
    assert (tmp_path / "web.npz").read_bytes() == before


@given(
    st.integers(0, 2**64 - 1), st.integers(1, 3000),
    st.integers(BLOCK + 1, 12) | st.integers(13, 400), st.integers(-2, 2),
)  # fmt: skip
def test_a_deep_tree_is_known_by_few_of_its_members(
    seed: int, members: int, block: int, more: int
) -> None:
    """A deep member that was missed, or a depth that no member has."""
    key = np.uint64(seed)
    top = max(int(tree_level(key, member, block)) for member in range(members))
    depth = max(0, top + more)
    assert bool(deeper(key, members, block, depth)) == (top > depth)


def test_sites_lie_where_they_lay() -> None:
    """A seed that gives another web than the published one, or a search through all pages."""
    digest = hashlib.blake2b(digest_size=16)
    for name in ("institutes", "universities", "sample"):
        for pages in (20_000, 100_000):
            for key in range(1, 10**19, 10**18):
                layout = lay_out(profile.load(name), pages, np.uint64(key))
                for one in (layout.regions, layout.bounds, layout.site_blocks):
                    digest.update(one.tobytes())
    assert digest.hexdigest() == "6e9d9e4de4def6f3c8d8061cd33114a7"
    wide = lay_out(profile.load("institutes"), 10**9, KEY)
    assert (wide.site_blocks > BLOCK).all()


@pytest.mark.parametrize(
    ("pages", "shares", "message"),
    [
        (19, Shares(), "19 pages"),
        (10**13, Shares(), "10000000000000 pages"),
        (100, Shares(0.5, 0, 0.4, 0, 0.1, 0), "tubes lead from IN to OUT"),
        (100, Shares(0.5, 0, 0, 0.3, 0, 0.2), "tendrils hang off IN or OUT"),
        (100, Shares(0.01, 0.5, 0.49, 0, 0, 0), "too few"),
    ],
)
def test_what_cannot_be_planted_is_refused(pages: int, shares: Shares, message: str) -> None:
    """A web that differs silently from its profile."""
    web_profile = profile.Profile("test", shares=shares)
    with pytest.raises(WebError, match=message):
        Web(web_profile, pages, 0)


@pytest.mark.parametrize(
    ("links", "out", "message"),
    [
        ([1] * 30, 0.5, "for the strong component: too few"),
        ([0, 5], 0.5, "each of several sites"),
        ([1, 1], 0.5, "too few to reach other hosts"),
        ([5, 5], 0.0, "need other pages"),
        ([5, 9999], 0.5, "do not fit on 10 pages"),
    ],
)
def test_sites_that_cannot_be_planted_are_refused(
    links: list[int], out: float, message: str
) -> None:
    """A site without a page, or a search for a new target that never ends."""
    web_profile = profile.Profile(
        "test",
        shares=Shares(1 - out, 0, out, 0, 0, 0),
        sites=tuple(Site(str(k), 100, n, 0.2) for k, n in enumerate(links)),
    )
    with pytest.raises(WebError, match=message):
        Web(web_profile, 40 if len(links) > 2 else 200, 0)

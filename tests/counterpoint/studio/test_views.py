"""The views of the crawl, of settings, of exports and of the gate's report."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

from counterpoint.crawler.store import seeds
from counterpoint.crawler.store.schema import settings
from counterpoint.studio import wishing
from counterpoint.studio.crawling import Running

from .client import Client, visit
from .filled import SITES, fill
from .test_sites import wrong

PLAN = {"kind": "universities", "budget": "500,2h", "level": "4", "cap": "", "concurrency": "8",
        "delay": "0.5", "seed": "3", "query": "квантовый <b> & 'computer'"}  # fmt: skip


def test_a_plan_is_kept_and_started(tmp_path: Path) -> None:
    """A field that is lost, or a crawl that starts with another plan than the one shown."""

    async def act(client: Client) -> None:
        seeds.add(client.store, "http://a.test/")
        said = await client.said(await client.post("/crawl/plan", PLAN))
        assert (said, client.stand.did) == ("The plan is saved.", [])
        wishes = wishing.stored(client.store)
        assert (wishes.policy(), wishes.budget, wishes.level, wishes.cap) == (
            "R3", "500,2h", 4, None)  # fmt: skip
        assert (wishes.concurrency, wishes.delay, wishes.seed) == (8, 0.5, 3)
        assert wishes.query == PLAN["query"]
        page = (await client.get("/crawl")).text
        assert 'value="500,2h"' in page
        own = {**PLAN, "kind": "own", "scheduler": "R2,step=20"}
        said = await client.said(await client.post("/crawl/start", own))
        assert (said, client.stand.did) == ("The crawl is started.", ["start"])
        assert wishing.stored(client.store).policy() == "R2,step=20"

    visit(tmp_path, act)


def test_a_wrong_plan_changes_nothing(tmp_path: Path) -> None:
    """A crawl that starts with what was there before, or an error page."""
    wrongs: tuple[tuple[dict[str, str], str, str], ...] = (
        ({"budget": "9" * 5000}, "budget", "2000, 30min"),
        ({"budget": ""}, "budget", "2000, 30min"),
        ({"budget": "many"}, "budget", "2000, 30min"),
        ({"kind": "villages"}, "kind", "One of the list"),
        ({"kind": "own", "scheduler": ""}, "scheduler", "Name a policy"),
        ({"kind": "own", "scheduler": "R7"}, "scheduler", "there is no policy 'R7'"),
        ({"kind": "own", "scheduler": "R2,steps=1"}, "scheduler", "no parameter 'steps'"),
        ({"kind": "own", "scheduler": "oracle"}, "scheduler", "told the truth"),
        ({"kind": "own", "scheduler": "R2,step=-1"}, "scheduler", "step"),
        ({"level": "1.5"}, "level", "whole number"),
        ({"concurrency": "0"}, "concurrency", "from 1 to 512"),
        ({"delay": "nan"}, "delay", "A number from 0"),
        ({"delay": "-1"}, "delay", "A number from 0"),
        ({"seed": "x"}, "seed", "whole number"),
    )

    async def act(client: Client) -> None:
        before = wishing.stored(client.store)
        for changes, field, said in wrongs:
            for action in ("start", "plan"):
                answer = await client.post(f"/crawl/{action}", {**PLAN, **changes})
                assert (changes, answer.status) == (changes, 422)
                found = wrong(answer.text)
                assert list(found) == [field]
                assert said in found[field]
        assert (client.stand.did, wishing.stored(client.store)) == ([], before)

    visit(tmp_path, act)


def test_a_policy_of_the_users_is_not_loaded_here(tmp_path: Path) -> None:
    """A module that is imported into the studio because somebody typed its name."""

    async def act(client: Client) -> None:
        told = {**PLAN, "kind": "own", "scheduler": "antigravity:fly"}
        assert (await client.post("/crawl/plan", told)).status == 303
        assert wishing.stored(client.store).scheduler == "antigravity:fly"

    import sys

    visit(tmp_path, act)
    assert "antigravity" not in sys.modules


def test_a_crawl_that_runs_keeps_its_plan(tmp_path: Path) -> None:
    """A form that changes the plan of a crawl behind its back."""

    async def act(client: Client) -> None:
        client.stand.running = Running("running", 7)
        before = wishing.stored(client.store)
        said = await client.said(await client.post("/crawl/start", PLAN))
        assert said == "The crawl runs: stop it to change its plan."
        assert (client.stand.did, wishing.stored(client.store)) == ([], before)
        page = (await client.get("/crawl")).text
        assert "<fieldset disabled>" in page
        assert await client.said(await client.post("/crawl/stop")) == "The crawl is asked to stop."
        said = await client.said(await client.post("/crawl/stop"))
        assert said == "No crawl runs that could be stopped here."

    visit(tmp_path, act)


def test_settings_are_kept_and_others_left_alone(tmp_path: Path) -> None:
    """A setting that comes back, or one of another program that is written over."""

    async def act(client: Client) -> None:
        with client.store.transaction() as connection:
            connection.execute(settings.insert().values(name="theirs", value='"x"'))
            seeds.tell(connection, anew=True)
        told = {"normalize": "paper", "agent": "counterpoint/1 (+mailto:me@example.org)",
                "proxy": "http://127.0.0.1:8080", "warc": "kept", "stay": "1"}  # fmt: skip
        assert (await client.post("/settings", told)).status == 303
        wishes = wishing.stored(client.store)
        assert (wishes.normalize, wishes.agent, wishes.proxy, wishes.warc) == (
            "paper", told["agent"], told["proxy"], "kept")  # fmt: skip
        assert (wishes.stay, wishes.robots, wishes.allow_private) == (True, False, False)
        assert wishes.retries == 1
        with client.store.reading() as connection:
            found = connection.execute(settings.select()).all()
        assert ("theirs", '"x"') in [tuple(row) for row in found]

    visit(tmp_path, act)


def test_wrong_settings(tmp_path: Path) -> None:
    """A crawler that no robots.txt knows, a proxy that is none, or no name of a folder."""

    async def act(client: Client) -> None:
        before = wishing.stored(client.store)
        for field, value in (("normalize", "x"), ("agent", "Mozilla/5.0"), ("warc", "a\0b"),
                             ("agent", "counterpoint é"), ("proxy", "socks5://x")):  # fmt: skip
            answer = await client.post("/settings", {"normalize": "safe", field: value})
            assert (answer.status, list(wrong(answer.text))) == (422, [field])
        assert wishing.stored(client.store) == before

    visit(tmp_path, act)


def test_exports(tmp_path: Path) -> None:
    """A file that lacks links, is shown instead of saved, or has links that were deleted."""

    async def act(client: Client) -> None:
        fill(client.store)
        count = sum(site.external for site in seeds.listed(client.store))
        table = await client.get("/export/external.csv")
        rows = list(csv.DictReader(io.StringIO(table.text)))
        assert len(rows) == count
        told = 'attachment; filename="external-links.csv"'
        assert table.headers["Content-Disposition"] == told
        lines = (await client.get("/export/internal.jsonl")).text.splitlines()
        assert len(lines) == sum(site.internal for site in seeds.listed(client.store))
        assert json.loads(lines[0])["found_on"].startswith("http://")
        assert (await client.get("/export/external.graphml")).text.count("<edge ") == count
        for name in ("bad.graphml", "external.exe", "all.csv", "external", "..csv"):
            assert (await client.get(f"/export/{name}")).status == 404

    visit(tmp_path, act)


def test_the_report_is_all_that_is_served(tmp_path: Path) -> None:
    """A file of the machine, by a path that leads out of the report."""
    folder = tmp_path / "report"
    (folder / "deep").mkdir(parents=True)
    (tmp_path / "secret.html").write_text("secret")
    (folder / "index.html").write_text("<p>the report")
    (folder / "deep" / "trace.html").write_text("<p>a trace")
    (folder / "program.exe").write_text("x")
    (folder / os.fsdecode(b"\xff.html")).write_text("x")
    (folder / "out.html").symlink_to(tmp_path / "secret.html")

    async def act(client: Client) -> None:
        root = f"/report/{client.access.folder()}"
        for path, text in (("index.html", "<p>the report"), ("deep/trace.html", "<p>a trace")):
            answer = await client.get(f"{root}/{path}")
            assert (answer.status, answer.text) == (200, text)
            policy = answer.headers["Content-Security-Policy"]
            assert policy.startswith("sandbox allow-scripts; default-src 'none'")
            assert "frame-ancestors 'self'" in policy
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        for path in ("../secret.html", "..%2fsecret.html", "%2e%2e/secret.html", "out.html",
                     "program.exe", "deep", "no.html", "x%00.html", "/etc/passwd",
                     "x" * 300 + ".html"):  # fmt: skip
            assert (await client.get(f"{root}/{path}")).status in (400, 404), path
        assert (await client.get(f"/report/{'0' * 32}/index.html")).status == 404
        page = (await client.get("/gate?page=deep/trace.html")).text
        assert f'sandbox="allow-scripts" src="{root}/deep/trace.html"' in page
        page = (await client.get("/gate?page=../secret.html")).text
        assert f'src="{root}/index.html"' in page
        assert page.count("<option") == 3  # not the one whose name is no text
        client.session.cookie_jar.clear()  # as a link in the report's sandbox comes
        assert "Set-Cookie" not in (await client.get(f"{root}/index.html")).headers

    visit(tmp_path, act, folder=folder)


def test_no_report_yet(tmp_path: Path) -> None:
    """A blank frame where there is nothing to show."""

    async def act(client: Client) -> str:
        return (await client.get("/gate")).text

    page = visit(tmp_path, act, folder=tmp_path / "none")
    assert "No report there" in page
    assert "<iframe" not in page


def test_all_sites_are_shown_while_nothing_is_crawled(tmp_path: Path) -> None:
    """Views that need a plan before there is one."""

    async def act(client: Client) -> str:
        fill(client.store, visited=0)
        return (await client.get("/sites")).text

    assert visit(tmp_path, act).count("data-site=") == len(SITES) + 1

"""The views of the crawl, the settings, the exports and the report of the gate."""

from __future__ import annotations

import csv
import io
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterpoint.crawler.store import seeds
from counterpoint.crawler.store.schema import settings
from counterpoint.studio import exports, wishing
from counterpoint.studio.crawling import CrawlState

from .client import Client, use_studio
from .filled import SITES, fill
from .test_sites import field_errors

PLAN = {"kind": "universities", "budget": "500,2h", "level": "4", "cap": "", "concurrency": "8",
        "delay": "0.5", "seed": "3", "query": "квантовый <b> & 'computer'", "keeper": "scent",
        "revisit": "ignored", "every": "12h"}  # fmt: skip


def test_a_plan_is_kept_and_started(tmp_path: Path) -> None:
    """A field that is not stored, or a crawl that starts with another plan than the one shown."""

    async def act(client: Client) -> None:
        seeds.add(client.store, "http://a.test/")
        notice = await client.notice(await client.post("/crawl/plan", PLAN))
        assert (notice, client.crawling.calls) == ("The plan is saved.", [])
        wishes = wishing.stored(client.store)
        assert (wishes.policy(), wishes.budget, wishes.level, wishes.cap) == (
            "R3", "500,2h", 4, None)  # fmt: skip
        assert (wishes.concurrency, wishes.delay, wishes.seed) == (8, 0.5, 3)
        assert wishes.query == PLAN["query"]
        assert (wishes.revisit, wishes.every) == ("scent", "12h")
        page = (await client.get("/crawl")).text
        assert 'value="500,2h"' in page
        own = {**PLAN, "kind": "own", "scheduler": "R2,step=20"}
        notice = await client.notice(await client.post("/crawl/start", own))
        assert (notice, client.crawling.calls) == ("The crawl is started.", ["start"])
        assert wishing.stored(client.store).policy() == "R2,step=20"
        assert '<option value="scent" selected>' in page

    use_studio(tmp_path, act)


def test_a_wrong_plan_changes_nothing(tmp_path: Path) -> None:
    """A crawl that starts with the previous plan, or an error page."""
    cases: tuple[tuple[dict[str, str], str, str], ...] = (
        ({"budget": "9" * 5000}, "budget", "2000, 30min"),
        ({"budget": ""}, "budget", "2000, 30min"),
        ({"budget": "many"}, "budget", "2000, 30min"),
        ({"kind": "villages"}, "kind", "Choose one of the list"),
        ({"kind": "own", "scheduler": ""}, "scheduler", "Name a policy"),
        ({"kind": "own", "scheduler": "R7"}, "scheduler", "there is no policy 'R7'"),
        ({"kind": "own", "scheduler": "R2,steps=1"}, "scheduler", "no parameter 'steps'"),
        ({"kind": "own", "scheduler": "oracle"}, "scheduler", "needs the truth"),
        ({"kind": "own", "scheduler": "R2,step=-1"}, "scheduler", "step"),
        ({"level": "1.5"}, "level", "whole number"),
        ({"concurrency": "0"}, "concurrency", "from 1 to 1,000"),
        ({"delay": "nan"}, "delay", "A number from 0"),
        ({"delay": "-1"}, "delay", "A number from 0"),
        ({"seed": "x"}, "seed", "whole number"),
        ({"keeper": "R3"}, "keeper", "Choose one of the list"),
        ({"keeper": "own", "revisit": ""}, "revisit", "Name a policy"),
        ({"keeper": "own", "revisit": "R3"}, "revisit", "finds pages"),
        ({"keeper": "own", "revisit": "uniform,x=1"}, "revisit", "no parameter 'x'"),
        ({"keeper": "own", "revisit": "R7"}, "revisit", "there is no policy 'R7'"),
        ({"every": "often"}, "every", "30min, 12h or 7d"),
        ({"every": "0h"}, "every", "30min, 12h or 7d"),
        ({"every": "12"}, "every", "30min, 12h or 7d"),
    )

    async def act(client: Client) -> None:
        before = wishing.stored(client.store)
        for changes, field, message in cases:
            for action in ("start", "plan"):
                answer = await client.post(f"/crawl/{action}", {**PLAN, **changes})
                assert (changes, answer.status) == (changes, 422)
                found = field_errors(answer.text)
                assert list(found) == [field]
                assert message in found[field]
        assert (client.crawling.calls, wishing.stored(client.store)) == ([], before)

    use_studio(tmp_path, act)


def test_a_policy_of_the_user_is_not_imported_by_the_studio(tmp_path: Path) -> None:
    """A studio that imports any module whose name is typed into the form."""

    async def act(client: Client) -> None:
        form = {**PLAN, "kind": "own", "scheduler": "antigravity:fly", "keeper": "own",
                "revisit": "antigravity:hover"}  # fmt: skip
        assert (await client.post("/crawl/plan", form)).status == 303
        wishes = wishing.stored(client.store)
        assert (wishes.scheduler, wishes.revisit) == ("antigravity:fly", "antigravity:hover")
        page = (await client.get("/crawl")).text
        assert '<option value="own" selected>' in page.partition('id="keeper"')[2]

    import sys

    use_studio(tmp_path, act)
    assert "antigravity" not in sys.modules


def test_a_running_crawl_keeps_its_plan(tmp_path: Path) -> None:
    """A form that changes the plan of a crawl while it runs."""

    async def act(client: Client) -> None:
        client.crawling.running = CrawlState("running", 7)
        before = wishing.stored(client.store)
        notice = await client.notice(await client.post("/crawl/start", PLAN))
        assert notice == "The crawl runs: stop it to change its plan."
        assert (client.crawling.calls, wishing.stored(client.store)) == ([], before)
        page = (await client.get("/crawl")).text
        assert '<fieldset id="fixed" disabled>' in page
        assert await client.notice(await client.post("/crawl/stop")) == "The crawl will stop soon."
        notice = await client.notice(await client.post("/crawl/stop"))
        assert notice == "No crawl runs that could be stopped here."

    use_studio(tmp_path, act)


def test_settings_are_stored_and_foreign_ones_kept(tmp_path: Path) -> None:
    """A setting that is not stored, or one of another program that is overwritten."""

    async def act(client: Client) -> None:
        with client.store.transaction() as connection:
            connection.execute(settings.insert().values(name="theirs", value='"x"'))
            seeds.announce_change(connection, new_plan=True)
        form = {"normalize": "paper", "agent": "counterpoint/1 (+mailto:me@example.org)",
                "proxy": "http://127.0.0.1:8080", "warc": "kept", "stay": "1", "canonical": "1",
                "sitemaps": "1", "traps": "usual,depth=9",
                "exclude": " path:/cal/\r\n\r\nsize:>5MB\r\nregex:[?]s=\r\n"}  # fmt: skip
        assert (await client.post("/settings", form)).status == 303
        wishes = wishing.stored(client.store)
        assert (wishes.normalize, wishes.agent, wishes.proxy, wishes.warc) == (
            "paper", form["agent"], form["proxy"], "kept")  # fmt: skip
        assert (wishes.stay, wishes.robots, wishes.allow_private) == (True, False, False)
        assert (wishes.sitemaps, wishes.nofollow, wishes.canonical) == (True, False, True)
        assert wishes.traps == "usual,depth=9"
        assert wishes.retries == 1
        assert wishes.include == ()
        assert wishes.exclude == ("path:/cal/", "size:>5MB", "regex:[?]s=")
        page = (await client.get("/settings")).text
        assert "path:/cal/\nsize:&gt;5MB\nregex:[?]s=</textarea>" in page
        assert 'id="sitemaps" name="sitemaps" value="1" checked' in page
        with client.store.reading() as connection:
            found = connection.execute(settings.select()).all()
        assert ("theirs", '"x"') in [tuple(row) for row in found]

    use_studio(tmp_path, act)


def test_wrong_settings(tmp_path: Path) -> None:
    """An agent without the product name, an invalid proxy, or an invalid folder name."""

    async def act(client: Client) -> None:
        before = wishing.stored(client.store)
        for field, value in (("normalize", "x"), ("agent", "Mozilla/5.0"), ("warc", "a\0b"),
                             ("agent", "counterpoint é"), ("proxy", "socks5://x"),
                             ("include", "size:>5MB"), ("exclude", "type:"),
                             ("traps", "dept")):  # fmt: skip
            answer = await client.post("/settings", {"normalize": "safe", field: value})
            assert (answer.status, list(field_errors(answer.text))) == (422, [field])
        assert wishing.stored(client.store) == before

    use_studio(tmp_path, act)


def test_exports(tmp_path: Path) -> None:
    """An export that lacks links, or that the browser shows instead of saving it."""

    async def act(client: Client) -> None:
        fill(client.store)
        count = sum(site.external for site in seeds.listed(client.store))
        table = await client.get("/export/external.csv")
        rows = list(csv.DictReader(io.StringIO(table.text)))
        assert len(rows) == count
        disposition = 'attachment; filename="external-links.csv"'
        assert table.headers["Content-Disposition"] == disposition
        lines = (await client.get("/export/internal.jsonl")).text.splitlines()
        assert len(lines) == sum(site.internal for site in seeds.listed(client.store))
        assert json.loads(lines[0])["found_on"].startswith("http://")
        assert (await client.get("/export/external.graphml")).text.count("<edge ") == count
        for name in ("bad.graphml", "external.exe", "all.csv", "external", "..csv"):
            assert (await client.get(f"/export/{name}")).status == 404

    use_studio(tmp_path, act)


def test_the_number_of_exports_at_a_time_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slow clients that take all connections, or an export that counts after its end."""
    goes_on = threading.Event()

    def pieces(*_: object) -> Iterator[bytes]:
        yield b"first"
        goes_on.wait(60)

    monkeypatch.setattr(exports, "AT_A_TIME", 2)
    monkeypatch.setattr(exports, "_begun", pieces)

    async def act(client: Client) -> None:
        path = "/export/bad.csv"
        slow = [await client.http.get(path) for _ in range(2)]
        refused = await client.get(path)
        assert refused.status == 503
        assert "Too many files are being sent: wait until one has arrived." in refused.text
        goes_on.set()
        assert [await one.text() for one in slow] == ["first", "first"]
        assert (await client.get(path)).status == 200

    use_studio(tmp_path, act)


def test_only_files_of_the_report_are_served(tmp_path: Path) -> None:
    """Any file of the machine, served by a path that leads out of the report."""
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
        assert page.count("<option") == 3  # not the file whose name is not UTF-8
        client.http.session.cookie_jar.clear()  # a link in the sandbox sends no cookie
        assert "Set-Cookie" not in (await client.get(f"{root}/index.html")).headers

    use_studio(tmp_path, act, folder=folder)


def test_no_report_yet(tmp_path: Path) -> None:
    """A blank frame where no report exists yet."""

    async def act(client: Client) -> str:
        return (await client.get("/gate")).text

    page = use_studio(tmp_path, act, folder=tmp_path / "none")
    assert "No report yet" in page
    assert "<iframe" not in page


def test_sites_are_shown_before_the_first_crawl(tmp_path: Path) -> None:
    """A view that fails while the store has no plan."""

    async def act(client: Client) -> str:
        fill(client.store, visited=0)
        return (await client.get("/sites")).text

    assert use_studio(tmp_path, act).count("data-site=") == len(SITES) + 1

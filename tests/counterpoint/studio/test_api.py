"""The HTTP API: what its answers say of a store, and what its requests change in it.

Each answer is checked against the OpenAPI document, see `api_client.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from sqlalchemy import select, update

from counterpoint.crawler.store import seeds
from counterpoint.crawler.store.schema import external_links, plans
from counterpoint.studio import wishing
from counterpoint.studio.api.declared import ROOT
from counterpoint.studio.api.routes import ENDPOINTS
from counterpoint.studio.crawling import CrawlState

from . import test_broken, test_hosts
from .api_client import DOCUMENT, ApiClient, use_api
from .filled import SITES, fill


def test_every_route_is_in_the_document(tmp_path: Path) -> None:
    """A route that the document does not have, or an operation without a route."""

    async def act(api: ApiClient) -> None:
        router = api.studio.http.server.app.router  # type: ignore[union-attr]
        routes = {
            (route.method, route.resource.canonical)
            for route in router.routes()
            if route.resource is not None and route.resource.canonical.startswith("/api/")
        }
        described = {
            (method.upper(), ROOT + path)
            for path, methods in DOCUMENT["paths"].items()
            for method in methods
        }
        assert routes == described
        assert len(routes) == len(ENDPOINTS)
        assert await api.get("/openapi.json") == DOCUMENT

    use_api(tmp_path, act)


def test_the_document_is_sound() -> None:
    """A reference to no schema, two operations of one name, or a schema that is none."""
    text = str(DOCUMENT)
    for name, schema in DOCUMENT["components"]["schemas"].items():
        Draft202012Validator.check_schema(schema)
        assert schema["description"], name
        assert f"#/components/schemas/{name}'" in text
    names = [one["operationId"] for methods in DOCUMENT["paths"].values()
             for one in methods.values()]  # fmt: skip
    assert len(set(names)) == len(names)
    for path, methods in DOCUMENT["paths"].items():
        for one in methods.values():
            inside = {part["name"] for part in one["parameters"] if part["in"] == "path"}
            assert inside == {part[1:-1] for part in path.split("/") if part.startswith("{")}
            assert one["summary"].endswith(".")
            for part in one["parameters"]:
                Draft202012Validator.check_schema(part["schema"])
                if "default" in part["schema"]:
                    Draft202012Validator(part["schema"]).validate(part["schema"]["default"])
    assert DOCUMENT["openapi"].startswith("3.1")


def test_the_crawl(tmp_path: Path) -> None:
    """A button of the API that does another thing than that of the view."""

    async def act(api: ApiClient) -> None:
        crawling = api.studio.crawling
        empty = await api.get("/crawl")
        assert (empty["state"], empty["plan"], empty["totals"]["sites"]) == ("idle", None, 0)
        assert await api.ask("POST", "/crawl/start", status=409)
        fill(api.studio.store)
        state = await api.get("/crawl")
        assert state["plan"]["policy"] == "R3" and state["plan"]["part"] == 600 / 2000
        assert (state["totals"]["sites"], state["totals"]["unavailable"]) == (len(SITES) + 1, 1)
        sums = [sum(site.external for site in seeds.listed(api.studio.store))]
        assert [state["totals"]["external"]] == sums
        assert (await api.ask("POST", "/crawl/start"))["state"] == "running"
        assert (await api.ask("POST", "/crawl/start", status=409))["error"].startswith("The crawl")
        assert (await api.ask("POST", "/crawl/pause"))["paused"] is True
        assert wishing.stored(api.studio.store).paused
        assert (await api.ask("POST", "/crawl/continue"))["paused"] is False
        assert (await api.ask("POST", "/crawl/stop"))["state"] == "idle"
        assert await api.ask("POST", "/crawl/stop", status=409)
        assert crawling.calls == ["start", "stop", "stop"]
        statuses = await api.get("/statuses")
        ended = [sum(span["counts"].values()) for span in statuses["spans"]]
        assert sum(ended) == 600 and statuses["all_visits"] is True

    use_api(tmp_path, act)


@pytest.mark.parametrize(("told", "seconds", "part"), [
    ('{"first": "", "every": 0.0}', 100.0, 0.5), ('{"first": "R3", "every": 60.0}', 100.0, 0.5),
    ('{"first": "R3", "every": 60.0}', None, None), ("{}", 1000.0, 0.3),
])  # fmt: skip
def test_the_part_of_a_budget(
    tmp_path: Path, told: str, seconds: float | None, part: float | None
) -> None:
    """A plan without an end of which a part is done, or a time that does not count."""

    async def act(api: ApiClient) -> None:
        fill(api.studio.store)
        with api.studio.store.transaction() as connection:
            connection.execute(update(plans).values(told=told, seconds=seconds, spent=50.0))
        assert (await api.get("/crawl"))["plan"]["part"] == part

    use_api(tmp_path, act)


def test_settings(tmp_path: Path) -> None:
    """A setting of another type in the store, or others that are changed with it."""

    async def act(api: ApiClient) -> None:
        before = wishing.stored(api.studio.store)
        shown = await api.get("/settings")
        assert (shown["budget"], shown["revisit"], shown["include"]) == ("2000", "", [])
        changes: dict[str, Any] = {
            "budget": "50,1h", "level": 3, "cap": None, "delay": 0.5, "concurrency": 4,
            "scheduler": "R2,step=20", "revisit": "scent", "every": "6h", "stay": True,
            "robots": False, "include": ["domain:a.test"], "agent": "counterpoint/1",
        }  # fmt: skip
        found = await api.ask("PATCH", "/settings", changes)
        assert {name: found[name] for name in changes} == changes
        wishes = wishing.stored(api.studio.store)
        assert (wishes.policy(), wishes.stay, wishes.include) == (
            "R2,step=20", True, ("domain:a.test",))  # fmt: skip
        assert (wishes.seed, wishes.warc, wishes.sitemaps) == (
            before.seed, before.warc, before.sitemaps)  # fmt: skip
        found = await api.ask("PATCH", "/settings", {"kind": "institutes"})
        assert (found["kind"], found["scheduler"]) == ("institutes", "")
        wishes = wishing.stored(api.studio.store)
        for wrong in ({"budget": "many"}, {"level": -1}, {"delay": 1e9}, {"every": "often"},
                      {"revisit": "R3"}, {"scheduler": "R7"}, {"agent": "Mozilla"},
                      {"include": [" domain:a.test"]}, {"include": ["a\nb"]}, {"exclude": ["x:y"]},
                      {"kind": "villages"}, {"level": "3"}, {"stay": 1}, {"concurrency": None},
                      {"nothing": 1}, {"paused": True}, {"seed": True},
                      {"include": "x"}):  # fmt: skip
            failure = await api.ask("PATCH", "/settings", {**wrong, "cap": 7}, status=422)
            assert [name.partition("[")[0] for name in failure["fields"]] == list(wrong)
            assert wishing.stored(api.studio.store) == wishes
        assert await api.ask("PATCH", "/settings", {}) == found
        api.studio.crawling.running = CrawlState("running", 7)
        failure = await api.ask("PATCH", "/settings", {"budget": "7", "delay": 1}, status=409)
        assert list(failure["fields"]) == ["budget"]
        assert wishing.stored(api.studio.store) == wishes
        assert (await api.ask("PATCH", "/settings", {"delay": 2}))["delay"] == 2

    use_api(tmp_path, act)


def test_a_stored_password_is_not_shown(tmp_path: Path) -> None:
    """Credentials of a proxy, which earlier versions stored, in an answer."""

    async def act(api: ApiClient) -> None:
        with api.studio.store.transaction() as connection:
            connection.exec_driver_sql("INSERT INTO settings VALUES ('proxy', '\"http://u:p@x/\"')")
        assert (await api.get("/settings"))["proxy"] is None
        assert (await api.ask("PATCH", "/settings", {"cap": 3}))["proxy"] is None
        assert wishing.stored(api.studio.store).proxy == "http://u:p@x/"

    use_api(tmp_path, act)


def test_sites(tmp_path: Path) -> None:
    """A site that is not added, changed or removed although the answer says so."""

    async def act(api: ApiClient) -> None:
        site = await api.ask("POST", "/sites", {"start": "http://a.test/", "cap": 5}, status=201)
        assert (site["number"], site["site"], site["cap"]) == (1, "a.test", 5)
        for body in ({"start": "nothing"}, {"start": "http://a.test/x"}, {"start": "\ud800"},
                     {"start": "http://b.test/", "cap": 0}, {}, [], "x",
                     {"start": "http://b.test/", "number": 7}):  # fmt: skip
            assert await api.ask("POST", "/sites", body, status=422)
        many = "\n".join(f"http://s{k}.test/" for k in range(120))
        assert await api.ask("POST", "/sites/import", {"list": many}, status=201) == {"number": 120}
        assert await api.ask("POST", "/sites/import", {"list": "http://x.test/\nx"}, status=422)
        found = await api.all_of("/sites?words=.TEST&sort=site&descending=true&limit=50")
        names = [one.site for one in seeds.listed(api.studio.store)]
        assert [one["site"] for one in found] == sorted(names, reverse=True)
        changed = await api.ask("PATCH", "/sites/1", {"full_name": "A", "level": None})
        assert (changed["full_name"], changed["cap"]) == ("A", 5)
        assert await api.ask("PATCH", "/sites/1", {"start": "http://c.test/"}, status=422)
        assert await api.ask("DELETE", "/sites/1") == {"number": 1}
        for method, path in (("GET", ""), ("DELETE", ""), ("PATCH", ""), ("POST", "/retry")):
            body = {} if method == "PATCH" else None
            assert await api.ask(method, f"/sites/1{path}", body, status=404)
        assert await api.ask("POST", "/sites/2/retry", status=409)
        assert len(seeds.listed(api.studio.store)) == 120

    use_api(tmp_path, act)


def test_a_site_is_tried_again(tmp_path: Path) -> None:
    """A site that stays unavailable."""

    async def act(api: ApiClient) -> None:
        fill(api.studio.store)
        found = await api.get("/sites?standing=not%20available")
        assert [one["number"] for one in found["items"]] == [len(SITES) + 1]
        site = await api.ask("POST", f"/sites/{len(SITES) + 1}/retry")
        assert site["standing"] == "waiting"

    use_api(tmp_path, act)


def test_pages_and_hosts(tmp_path: Path) -> None:
    """A part of a list that is missing or comes twice, or a filter that does nothing."""

    async def act(api: ApiClient) -> None:
        fill(api.studio.store)
        test_hosts.fill(api.studio, 120)
        pages = await api.all_of("/pages?state=broken&site=spbu.test&limit=1")
        assert len(pages) > 2 and {one["kind"] for one in pages} == {"broken"}
        assert {one["site"] for one in pages} == {"spbu.test"}
        assert pages == await api.all_of("/pages?state=broken&site=6")
        some = await api.get("/pages?words=LIBRARY&limit=7")
        assert len(some["items"]) == 7 and some["total"]["number"] > 7
        then = await api.get(f"/pages?words=LIBRARY&limit=7&after={some['next']}")
        back = await api.get(f"/pages?words=LIBRARY&limit=7&before={then['previous']}")
        assert back["items"] == some["items"]
        page = await api.get(f"/pages/{pages[0]['id']}")
        assert page["address"] == pages[0]["address"] and page["visits"][0]["status"] == 404
        assert page["found_on"]["address"] and page["inward"]
        assert await api.get("/pages/999999", 404)
        hosts = await api.all_of("/hosts?state=resting&sort=delay&descending=1&limit=7")
        assert [one["delay"] for one in hosts] == [k / 2 for k in range(117, -1, -3)]
        for query in ("/pages?after=zzz", "/pages?before=zzz", "/pages?after=a&before=b",
                      "/pages?words=%00", "/pages?site=none.test", "/pages?status=x",
                      "/pages?limit=0", "/pages?limit=201", "/pages?sort=nothing", "/pages?x=1",
                      "/pages?descending=perhaps", "/hosts?state=x", "/hosts?after=zzz",
                      "/hosts?words=%00", "/sites?after=zzz", "/crawl?x=1"):  # fmt: skip
            failure = await api.get(query, 422)
            assert len(failure["fields"]) == 1, query

    use_api(tmp_path, act)


def test_links(tmp_path: Path) -> None:
    """A list of another kind of links, a filter that is ignored, or a link that stays."""

    async def act(api: ApiClient) -> None:
        fill(api.studio.store)
        totals = (await api.get("/crawl"))["totals"]
        for kind in ("internal", "external", "bad"):
            assert len(await api.all_of(f"/links/{kind}?limit=200")) == totals[kind]
        queued = await api.all_of("/links/internal?state=queued&limit=200")
        assert {one["state"] for one in queued} == {"queued"}
        doi = await api.all_of("/links/external?host=doi.example&sort=address&limit=200")
        assert {one["host"] for one in doi} == {"doi.example"}
        assert [one["address"] for one in doi] == sorted(one["address"] for one in doi)
        mail = await api.all_of("/links/bad?reason=mail")
        assert mail and {one["reason"] for one in mail} == {"mail"}
        chosen = [{"page": one["page"], "position": one["position"]} for one in doi[:3]]
        body = {"links": chosen}
        assert await api.ask("POST", "/links/external/delete", body) == {"number": 3}
        left = await api.ask("DELETE", "/links/external?host=doi.example")
        assert left == {"number": len(doi) - 3}
        with api.studio.store.reading() as connection:
            of_host = select(external_links.c.deleted).where(external_links.c.host == "doi.example")
            assert connection.execute(of_host).scalars().all() == [True] * len(doi)
        for method, path, body in (
            ("DELETE", "/links/external", None), ("DELETE", "/links/bad?host=x", None),
            ("POST", "/links/bad/delete", {"links": []}), ("POST", "/links/bad/delete", None),
            ("POST", "/links/bad/delete", {"links": [{"page": 1}]}),
            ("POST", "/links/bad/delete", {"links": [{"page": 1, "position": 2**70}]}),
            ("DELETE", "/links/internal?page=nothing", None),
        ):  # fmt: skip
            assert await api.ask(method, path, body, status=422)
        for query in ("internal?sort=address", "external?after=zzz", "bad?contains=%00",
                      "internal?page=nothing", "internal?state=odd"):  # fmt: skip
            assert await api.get(f"/links/{query}", 422)

    use_api(tmp_path, act)


def test_broken_links(tmp_path: Path) -> None:
    """A time that leaves out the wrong links, or a list that ends too early."""

    async def act(api: ApiClient) -> None:
        test_broken.fill(api.studio, 70)
        found = await api.all_of("/links/broken?limit=30")
        assert [one["id"] for one in found] == [*range(1, 71)]
        assert found[1]["more"] is True and len(found[1]["sources"]) == 3
        week = await api.get("/links/broken?since=7d&words=GONE")
        assert [one["id"] for one in week["items"]] == [*range(63, 71)]
        back = await api.all_of("/links/broken?limit=30&words=gone-6", "previous", "before")
        assert [one["id"] for one in back] == [6, *range(60, 70)]
        for query in ("since=often", "since=0d", "words=%00", "after=zzz"):
            failure = await api.get(f"/links/broken?{query}", 422)
            assert list(failure["fields"]) == [query.partition("=")[0]]

    use_api(tmp_path, act)

"""Who is let in, and who may change anything."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path

import pytest

from counterpoint.studio.guard import POLICY, Access, is_loopback, names_of

from .client import Answer, Client, visit

VIEWS = ("/crawl", "/sites", "/links/internal", "/links/external", "/links/bad", "/export",
         "/settings", "/gate")  # fmt: skip
WRITES = ("/crawl/start", "/crawl/stop", "/crawl/plan", "/sites/add", "/sites/import", "/sites/1",
          "/sites/1/remove", "/sites/1/retry", "/links/external/delete", "/settings")  # fmt: skip


def test_every_answer_has_its_headers(tmp_path: Path) -> None:
    """A page, a file or an error that a browser may read as something else, or frame."""

    async def act(client: Client) -> list[Answer]:
        paths = (*VIEWS, "/", "/nothing", "/static/studio.js", "/static/studio.css",
                 "/export/nothing", "/report/x/y")  # fmt: skip
        return [await client.get(path) for path in paths] + [await client.post("/settings")]

    for answer in visit(tmp_path, act):
        assert answer.headers["Content-Security-Policy"] == POLICY
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["Cache-Control"] == "no-store"


def test_pages_have_nothing_inline(tmp_path: Path) -> None:
    """A script or a style that the policy would have to allow, and with it those of others."""

    async def act(client: Client) -> list[Answer]:
        return [await client.get(path) for path in VIEWS]

    for answer in visit(tmp_path, act):
        assert answer.status == 200
        text = answer.text.lower()
        assert "<style" not in text
        assert " style=" not in text
        assert " onclick=" not in text
        assert text.count("<script") == text.count('<script type="module" src="/static/')
        assert "http://" not in text.replace('placeholder="http', "").replace(
            "http://127.0.0.1:8080", ""
        )


def test_a_foreign_host_is_refused(tmp_path: Path) -> None:
    """DNS rebinding: a name of somebody else's that leads here by now."""

    async def act(client: Client) -> list[Answer]:
        answers = []
        for host in ("evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil:80"):
            answers += [await client.get(path, {"Host": host}) for path in (*VIEWS, "/events", "/")]
            origin = {"Host": host, "Origin": f"http://{host}"}
            answers.append(await client.post("/crawl/start", headers=origin))
        return answers

    for answer in visit(tmp_path, act):
        assert answer.status == 421
        assert "csrf" not in answer.text
        assert "Set-Cookie" not in answer.headers


def test_every_name_of_loopback_is_served(tmp_path: Path) -> None:
    """A studio that cannot be opened by the name that the user knows."""

    async def act(client: Client) -> list[int]:
        names = (f"localhost:{client.port}", f"LOCALHOST:{client.port}", f"[::1]:{client.port}")
        return [(await client.get("/crawl", {"Host": name})).status for name in names]

    assert visit(tmp_path, act) == [200, 200, 200]


def test_other_sites_cannot_load_what_is_here(tmp_path: Path) -> None:
    """Streams that a foreign page opens until there is none left, or what it learns by them."""

    async def act(client: Client) -> list[int]:
        foreign = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
        codes = [(await client.get(path, foreign)).status
                 for path in ("/events", "/export/external.csv", "/static/studio.js")]  # fmt: skip
        link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
        return [*codes, (await client.get("/crawl", link)).status]

    assert visit(tmp_path, act) == [403, 403, 403, 200]


def test_a_foreign_origin_is_refused(tmp_path: Path) -> None:
    """A form on somebody's page that writes here with the user's cookie."""

    async def act(client: Client) -> None:
        for path in WRITES:
            for origin in ("http://evil.example", "null", "", "https://127.0.0.1"):
                answer = await client.post(path, headers={"Origin": origin})
                assert (path, origin, answer.status) == (path, origin, 403)
        assert client.stand.did == []

    visit(tmp_path, act)


def test_the_words_of_the_form_are_needed(tmp_path: Path) -> None:
    """A write by whoever does not see the page: no words, wrong ones, or of another session."""

    async def act(client: Client) -> None:
        other = client.access.words(client.access.session())
        for path in WRITES:
            for words in ("", "0" * 64, other):
                answer = await client.post(path, words=words)
                assert (path, words, answer.status) == (path, words, 403)
        for path in WRITES:
            client.session.cookie_jar.clear()
            assert (path, (await client.post(path)).status) == (path, 403)
        assert client.stand.did == []

    visit(tmp_path, act)


def test_nothing_is_changed_by_looking(tmp_path: Path) -> None:
    """A link that changes something."""

    async def act(client: Client) -> None:
        for path in WRITES:
            assert (await client.get(path)).status in (200, 404, 405), path
        assert client.stand.did == []

    visit(tmp_path, act)


def test_other_methods_are_refused(tmp_path: Path) -> None:
    """A method that the checks of writes do not know, or a stream that nobody reads."""

    async def act(client: Client) -> list[int]:
        codes = []
        for method, path in (("PUT", "/crawl"), ("DELETE", "/crawl"), ("PATCH", "/crawl"),
                             ("OPTIONS", "/crawl"), ("TRACE", "/crawl"),
                             ("HEAD", "/events")):  # fmt: skip
            async with client.session.request(method, client.origin + path) as answer:
                codes.append(answer.status)
        return codes

    assert visit(tmp_path, act) == [405] * 6


def test_a_body_that_is_not_what_it_says(tmp_path: Path) -> None:
    """A traceback for a charset that nobody knows, or text that no page can show."""
    field = 'Content-Disposition: form-data; name="csrf"'
    bodies = (
        ("application/x-www-form-urlencoded; charset=none", "start=x"),
        ("application/x-www-form-urlencoded; charset=unicode_escape", r"full_name=\ud800"),
        ("multipart/form-data", "x"),
        ("multipart/form-data; boundary=x", "--x"),
        ("multipart/form-data; boundary=x",
         f"--x\r\n{field}\r\nContent-Transfer-Encoding: none\r\n\r\nx\r\n--x--\r\n"),
    )  # fmt: skip

    async def act(client: Client) -> list[int]:
        codes = []
        for kind, body in bodies:
            async with client.session.post(
                f"{client.origin}/sites/add", data=body.encode(),
                headers={"Origin": client.origin, "Content-Type": kind},
            ) as answer:  # fmt: skip
                codes.append(answer.status)
        return codes

    assert visit(tmp_path, act) == [400] * len(bodies)


def test_too_much_is_refused(tmp_path: Path) -> None:
    """Memory that anybody can fill; a body of unknown length, too."""

    async def act(client: Client) -> list[int]:
        large = {"start": "x" * 70_000}
        codes = [(await client.post("/sites/add", large)).status]

        async def endless() -> AsyncIterator[bytes]:
            yield b"csrf=x"

        headers = {"Origin": client.origin, "Content-Type": "application/x-www-form-urlencoded"}
        for path, body in (("import", BytesIO(b"x" * 9_000_000)), ("add", endless())):
            async with client.session.post(
                f"{client.origin}/sites/{path}", data=body, headers=headers
            ) as answer:
                codes.append(answer.status)
        return codes

    assert visit(tmp_path, act) == [413, 413, 413]


def test_the_cookie_is_kept_from_scripts_and_other_sites(tmp_path: Path) -> None:
    """A session that a script can read, or that goes along with another site's form."""

    async def act(client: Client) -> str:
        return (await client.get("/crawl")).headers["Set-Cookie"]

    cookie = visit(tmp_path, act)
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


TOKEN = "a-token-of-the-start-address"


def test_beyond_loopback_a_token_is_needed(tmp_path: Path) -> None:
    """A studio open to the network; a token that stays in the address, or that opens twice."""

    async def act(client: Client) -> None:
        for path in (*VIEWS, "/", "/events", "/static/studio.js", "/?token=", "/?token=wrong",
                     f"/crawl?token={TOKEN[:-1]}"):  # fmt: skip
            answer = await client.get(path)
            assert answer.status == 401, path
            assert "<" not in answer.text
            assert "Set-Cookie" not in answer.headers
        headers = {"Origin": client.origin, "Host": f"127.0.0.1:{client.port}"}
        async with client.session.post(
            f"{client.origin}/crawl/start?token={TOKEN}", headers=headers
        ) as refused:
            assert refused.status == 401
        let_in = await client.get(f"/?token={TOKEN}")
        assert (let_in.status, let_in.headers["Location"]) == (303, "/")
        assert (await client.get("/crawl")).status == 200
        assert (await client.post("/crawl/stop")).status == 303

    visit(tmp_path, act, token=TOKEN)


def test_a_forged_session_is_none() -> None:
    """A cookie that somebody wrote, or that an earlier studio gave."""
    access, earlier = Access(frozenset(), 1), Access(frozenset(), 1)
    nonce = access.session().partition(".")[0]
    for session in ("", ".", "x", f"{nonce}.", f"{nonce}.{'0' * 64}", earlier.session(), "é.é"):
        assert not access.known(session)
    assert access.known(access.session())
    assert access.session() != access.session()
    assert not access.admits("")


@pytest.mark.parametrize(
    ("address", "alone"),
    [("127.0.0.1", True), ("127.8.0.1", True), ("::1", True), ("localhost", True),
     ("0.0.0.0", False), ("192.0.2.7", False), ("::", False), ("example.org", False)],
)  # fmt: skip
def test_what_is_loopback(address: str, alone: bool) -> None:
    """A token that is not asked for where others can reach the studio."""
    assert is_loopback(address) is alone


def test_the_names_that_are_served() -> None:
    """A name that is refused though the user gave it, or one that is served though nobody did."""
    assert names_of("192.0.2.7", 9, ("Crawler.Example",)) == {"192.0.2.7:9", "crawler.example:9"}
    assert names_of("::1", 9) == {"[::1]:9", "127.0.0.1:9", "localhost:9"}
    assert "localhost" in names_of("127.0.0.1", 80)


def test_sessions_of_two_pages_do_not_disturb_each_other(tmp_path: Path) -> None:
    """A second window that makes the forms of the first one void."""

    async def act(client: Client) -> list[int]:
        pages = await asyncio.gather(*(client.get("/sites") for _ in range(3)))
        codes = [page.status for page in pages]
        return [*codes, (await client.post("/crawl/stop")).status]

    assert visit(tmp_path, act) == [200, 200, 200, 303]

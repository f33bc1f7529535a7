"""Which requests the studio serves, and which may change something."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path

import pytest

from counterpoint.studio.guard import POLICY, Access, is_loopback, names_of

from .client import Answer, Client, use_studio

VIEWS = ("/crawl", "/sites", "/links/internal", "/links/external", "/links/bad", "/links/broken",
         "/export", "/settings", "/gate")  # fmt: skip
WRITES = ("/crawl/start", "/crawl/stop", "/crawl/plan", "/crawl/pause", "/crawl/continue",
          "/crawl/pace", "/sites/add", "/sites/import", "/sites/1",
          "/sites/1/remove", "/sites/1/retry", "/links/external/delete", "/settings")  # fmt: skip


def test_every_answer_has_its_headers(tmp_path: Path) -> None:
    """A page, file or error whose type a browser may guess, or that another site may frame."""

    async def act(client: Client) -> list[Answer]:
        paths = (*VIEWS, "/", "/nothing", "/static/studio.js", "/static/studio.css",
                 "/export/nothing", "/report/x/y")  # fmt: skip
        return [await client.get(path) for path in paths] + [await client.post("/settings")]

    for answer in use_studio(tmp_path, act):
        assert answer.headers["Content-Security-Policy"] == POLICY
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["Cache-Control"] == "no-store"


def test_pages_have_no_inline_script_or_style(tmp_path: Path) -> None:
    """An inline script: a policy that allowed it would also allow an injected one."""

    async def act(client: Client) -> list[Answer]:
        return [await client.get(path) for path in VIEWS]

    for answer in use_studio(tmp_path, act):
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
    """DNS rebinding: a foreign name that now resolves to this machine."""

    async def act(client: Client) -> list[Answer]:
        answers = []
        for host in ("evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil:80"):
            answers += [await client.get(path, {"Host": host}) for path in (*VIEWS, "/events", "/")]
            origin = {"Host": host, "Origin": f"http://{host}"}
            answers.append(await client.post("/crawl/start", headers=origin))
        return answers

    for answer in use_studio(tmp_path, act):
        assert answer.status == 421
        assert "csrf" not in answer.text
        assert "Set-Cookie" not in answer.headers


def test_every_name_of_loopback_is_served(tmp_path: Path) -> None:
    """A studio that cannot be opened by another usual name of the machine."""

    async def act(client: Client) -> list[int]:
        names = (f"localhost:{client.port}", f"LOCALHOST:{client.port}", f"[::1]:{client.port}")
        return [(await client.get("/crawl", {"Host": name})).status for name in names]

    assert use_studio(tmp_path, act) == [200, 200, 200]


def test_other_sites_cannot_load_resources(tmp_path: Path) -> None:
    """A foreign page that uses up all event streams, or that learns something from them."""

    async def act(client: Client) -> list[int]:
        foreign = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
        codes = [(await client.get(path, foreign)).status
                 for path in ("/events", "/export/external.csv", "/static/studio.js")]  # fmt: skip
        link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
        return [*codes, (await client.get("/crawl", link)).status]

    assert use_studio(tmp_path, act) == [403, 403, 403, 200]


def test_a_foreign_origin_is_refused(tmp_path: Path) -> None:
    """A form on a foreign page that changes something with the user's cookie."""

    async def act(client: Client) -> None:
        for path in WRITES:
            for origin in ("http://evil.example", "null", "", "https://127.0.0.1"):
                answer = await client.post(path, headers={"Origin": origin})
                assert (path, origin, answer.status) == (path, origin, 403)
        assert client.crawling.calls == []

    use_studio(tmp_path, act)


def test_a_form_needs_its_token(tmp_path: Path) -> None:
    """A write without the form token, with a wrong one, or with that of another session."""

    async def act(client: Client) -> None:
        other = client.access.words(client.access.session())
        for path in WRITES:
            for token in ("", "0" * 64, other):
                answer = await client.post(path, form_token=token)
                assert (path, token, answer.status) == (path, token, 403)
        for path in WRITES:
            client.http.session.cookie_jar.clear()
            assert (path, (await client.post(path)).status) == (path, 403)
        assert client.crawling.calls == []

    use_studio(tmp_path, act)


def test_a_get_request_changes_nothing(tmp_path: Path) -> None:
    """A link that changes something when it is followed."""

    async def act(client: Client) -> None:
        for path in WRITES:
            assert (await client.get(path)).status in (200, 404, 405), path
        assert client.crawling.calls == []

    use_studio(tmp_path, act)


def test_other_methods_are_refused(tmp_path: Path) -> None:
    """A method that the checks of writes do not cover, or a stream opened by HEAD."""

    async def act(client: Client) -> list[int]:
        codes = []
        for method, path in (("PUT", "/crawl"), ("DELETE", "/crawl"), ("PATCH", "/crawl"),
                             ("OPTIONS", "/crawl"), ("TRACE", "/crawl"),
                             ("HEAD", "/events")):  # fmt: skip
            async with client.http.request(method, path) as answer:
                codes.append(answer.status)
        return codes

    assert use_studio(tmp_path, act) == [405] * 6


def test_a_body_that_contradicts_its_content_type(tmp_path: Path) -> None:
    """A traceback for an unknown charset, or for text that cannot be encoded in UTF-8."""
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
            async with client.http.post(
                "/sites/add", data=body.encode(),
                headers={"Origin": client.origin, "Content-Type": kind},
            ) as answer:  # fmt: skip
                codes.append(answer.status)
        return codes

    assert use_studio(tmp_path, act) == [400] * len(bodies)


def test_a_large_body_is_refused(tmp_path: Path) -> None:
    """A request that fills the memory, by a large body or by one of unknown length."""

    async def act(client: Client) -> list[int]:
        large = {"start": "x" * 70_000}
        codes = [(await client.post("/sites/add", large)).status]

        async def endless() -> AsyncIterator[bytes]:
            yield b"csrf=x"

        headers = {"Origin": client.origin, "Content-Type": "application/x-www-form-urlencoded"}
        for path, body in (("import", BytesIO(b"x" * 9_000_000)), ("add", endless())):
            async with client.http.post(f"/sites/{path}", data=body, headers=headers) as answer:
                codes.append(answer.status)
        return codes

    assert use_studio(tmp_path, act) == [413, 413, 411]


def test_the_cookie_is_kept_from_scripts_and_other_sites(tmp_path: Path) -> None:
    """A session cookie that a script can read, or that is sent with another site's form."""

    async def act(client: Client) -> str:
        return (await client.get("/crawl")).headers["Set-Cookie"]

    cookie = use_studio(tmp_path, act)
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


TOKEN = "a-token-of-the-start-address"


def test_beyond_loopback_a_token_is_needed(tmp_path: Path) -> None:
    """A studio open to the network; a token that stays in the address after the redirect."""

    async def act(client: Client) -> None:
        for path in (*VIEWS, "/", "/events", "/static/studio.js", "/?token=", "/?token=wrong",
                     f"/crawl?token={TOKEN[:-1]}"):  # fmt: skip
            answer = await client.get(path)
            assert answer.status == 401, path
            assert "<" not in answer.text
            assert "Set-Cookie" not in answer.headers
        headers = {"Origin": client.origin, "Host": f"127.0.0.1:{client.port}"}
        async with client.http.post(f"/crawl/start?token={TOKEN}", headers=headers) as refused:
            assert refused.status == 401
        admitted = await client.get(f"/?token={TOKEN}")
        assert (admitted.status, admitted.headers["Location"]) == (303, "/")
        assert (await client.get("/crawl")).status == 200
        assert (await client.post("/crawl/stop")).status == 303

    use_studio(tmp_path, act, token=TOKEN)


def test_a_forged_session_is_refused() -> None:
    """A forged cookie, or one of an earlier run of the studio, that is accepted."""
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
def test_loopback_addresses_are_recognized(address: str, alone: bool) -> None:
    """A studio that needs no token although other machines can reach it."""
    assert is_loopback(address) is alone


def test_names_in_the_host_header() -> None:
    """A name that the user gave and the studio refuses, or one that it serves by mistake."""
    assert names_of("192.0.2.7", 9, ("Crawler.Example",)) == {"192.0.2.7:9", "crawler.example:9"}
    assert names_of("::1", 9) == {"[::1]:9", "127.0.0.1:9", "localhost:9"}
    assert "localhost" in names_of("127.0.0.1", 80)


def test_forms_of_two_windows_stay_valid(tmp_path: Path) -> None:
    """A second window that invalidates the forms of the first one."""

    async def act(client: Client) -> list[int]:
        pages = await asyncio.gather(*(client.get("/sites") for _ in range(3)))
        codes = [page.status for page in pages]
        return [*codes, (await client.post("/crawl/stop")).status]

    assert use_studio(tmp_path, act) == [200, 200, 200, 303]

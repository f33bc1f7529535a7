"""Who may use the HTTP API: whoever has its token, and nobody by a cookie."""

from __future__ import annotations

import asyncio
import json
import logging
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store import seeds
from counterpoint.main import counterpoint
from counterpoint.studio.api import admission
from counterpoint.studio.api.admission import SHORTEST, VARIABLE, token_of
from counterpoint.studio.api.declared import ROOT
from counterpoint.studio.api.routes import ENDPOINTS

from .api_client import TOKEN, ApiClient, use_api
from .test_command import studio

PATHS = [(one.method, ROOT + one.path.replace("{number}", "1")) for one in ENDPOINTS]
RIGHT = {"Authorization": f"Bearer {TOKEN}"}


def test_without_a_token_there_is_no_api(tmp_path: Path) -> None:
    """An API that is open because nobody has set a token."""

    async def act(api: ApiClient) -> None:
        for method, path in PATHS:
            for headers in ({}, RIGHT, {"Authorization": "Bearer "}, {"Authorization": "Bearer"}):
                answer = await api.studio.request(method, path, headers=headers)
                assert answer.status == 404, path
                assert json.loads(answer.text)["error"].startswith("The API is off")
        assert api.studio.crawling.calls == []

    use_api(tmp_path, act, token="")


def test_only_the_token_admits(tmp_path: Path) -> None:
    """A request with a wrong token, a part of it, another scheme, or the cookie of a browser."""

    async def act(api: ApiClient) -> None:
        await api.studio.get("/crawl")  # now there is a cookie
        wrong = ("", TOKEN, f"Basic {TOKEN}", "Bearer", f"Bearer {TOKEN[:-1]}",
                 f"Bearer {TOKEN}x", f"Bearer {TOKEN.upper()}", "Bearer é\udcff",
                 f"Bearer {TOKEN} {TOKEN}")  # fmt: skip
        for method, path in PATHS:
            for header in wrong:
                headers = {"Authorization": header, "Origin": api.studio.origin}
                answer = await api.studio.request(method, path, headers=headers)
                assert (path, header, answer.status) == (path, header, 401)
                assert answer.headers["WWW-Authenticate"] == "Bearer"
                assert "fields" in json.loads(answer.text)
        assert api.studio.crawling.calls == []
        answer = await api.studio.request("GET", f"{ROOT}/crawl", headers={
            "Authorization": f"bearer {TOKEN}"})  # fmt: skip
        assert answer.status == 200
        assert "Set-Cookie" not in answer.headers

    use_api(tmp_path, act)


def test_the_token_opens_nothing_else(tmp_path: Path) -> None:
    """A form that passes without its own token because the request has that of the API."""

    async def act(api: ApiClient) -> None:
        seeds.add(api.studio.store, "http://a.test/")
        for path in ("/crawl/start", "/sites/1/remove", "/crawl/pause"):
            answer = await api.studio.request("POST", path, headers=RIGHT, data={"x": "y"})
            assert answer.status == 403
        for path in ("/api/../crawl/start", "/api/..%2Fcrawl/start", "/%61pi/v1/../../crawl/start"):
            answer = await api.studio.request("POST", path, headers=RIGHT)
            assert answer.status in (400, 403, 404), path
        assert api.studio.crawling.calls == []
        assert len(seeds.listed(api.studio.store)) == 1

    use_api(tmp_path, act)


def test_the_checks_of_all_requests_hold(tmp_path: Path) -> None:
    """DNS rebinding, or a page of another site that has got hold of the token."""

    async def act(api: ApiClient) -> None:
        for method, path in PATHS:
            answer = await api.studio.request(method, path, headers={**RIGHT, "Host": "evil.test"})
            assert answer.status == 421
            foreign = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", **RIGHT}
            answer = await api.studio.request(method, path, headers=foreign)
            assert answer.status == 403
        answer = await api.studio.request("GET", f"{ROOT}/crawl", headers=RIGHT)
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "Access-Control-Allow-Origin" not in answer.headers
        answer = await api.studio.request("OPTIONS", f"{ROOT}/crawl", headers=RIGHT)
        assert (answer.status, answer.headers["Allow"]) == (405, "GET")
        assert (await api.get("/nothing", 404))["error"] == "There is no such thing."
        for method, path in (("PUT", "/crawl"), ("GET", "/crawl/start"), ("HEAD", "/crawl")):
            answer = await api.studio.request(method, ROOT + path, headers=RIGHT)
            assert answer.status == 405

    use_api(tmp_path, act)


def test_wrong_bodies(tmp_path: Path) -> None:
    """A body that is read without an end, or one of another kind that is taken for JSON."""

    async def act(api: ApiClient) -> None:
        kind = {"Content-Type": "application/json"}
        cases: tuple[tuple[bytes, dict[str, str], int], ...] = (
            (b"{", kind, 400), (b'{"start": NaN}', kind, 400), (b"\xff", kind, 400),
            (b"[" * 50_000, kind, 400), (b"9" * 5_000, kind, 400),
            (b"{}", {"Content-Type": "text/plain"}, 415),
            (b"{}", {**kind, "Content-Encoding": "gzip"}, 415), (b" " * 70_000, kind, 413),
            (b"start=http://a.test/", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
        )  # fmt: skip
        for body, headers, status in cases:
            answer = await api.studio.request("POST", f"{ROOT}/sites", data=body,
                                              headers={**RIGHT, **headers})  # fmt: skip
            assert (body[:20], answer.status) == (body[:20], status)
            assert json.loads(answer.text)["error"]

        async def pieces():  # type: ignore[no-untyped-def]
            yield b"{}"

        answer = await api.studio.request("POST", f"{ROOT}/sites", data=pieces(),
                                          headers={**RIGHT, **kind})  # fmt: skip
        assert answer.status == 411
        assert (await api.ask("POST", "/crawl/pause", {}, status=422))["error"]
        large = {"list": "x" * 100_000}
        assert await api.ask("POST", "/sites/import", large, status=422)
        assert seeds.listed(api.studio.store) == []

    use_api(tmp_path, act)


def test_a_body_that_does_not_arrive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that keeps a connection by a body without an end."""
    monkeypatch.setattr(admission, "PATIENCE", 0.05)

    async def act(api: ApiClient) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", api.studio.port)
        head = [f"POST {ROOT}/sites HTTP/1.1", f"Host: 127.0.0.1:{api.studio.port}",
                f"Authorization: Bearer {TOKEN}", "Content-Type: application/json",
                "Content-Length: 10", "", "{"]  # fmt: skip
        writer.write("\r\n".join(head).encode())
        line = await asyncio.wait_for(reader.readline(), 20)
        writer.close()
        return line

    assert b" 408 " in use_api(tmp_path, act)


def test_an_error_of_the_studio_is_json_and_has_no_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A page of HTML for a program, or a token in the terminal."""

    def fails(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("counterpoint.studio.wishing.pause", fails)

    async def act(api: ApiClient) -> None:
        with caplog.at_level(logging.DEBUG):
            assert (await api.ask("POST", "/crawl/pause", status=500))["error"]
        assert "RuntimeError: broken" in caplog.text
        assert TOKEN not in caplog.text
        assert TOKEN not in repr(api.studio.access)

    use_api(tmp_path, act)


def test_a_token_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token with the end of its line, the wrong one of two, or one that crawls inherit."""
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    assert token_of(None) == ""
    monkeypatch.setenv(VARIABLE, "y" * SHORTEST)
    assert token_of(file) == TOKEN
    monkeypatch.setenv(VARIABLE, "y" * SHORTEST)
    assert token_of(None) == "y" * SHORTEST
    assert token_of(None) == ""  # it is gone from the environment


@pytest.mark.parametrize("text", ["", "\n", "x" * (SHORTEST - 1), "x" * 20 + " " + "y" * 20,
                                  "é" * 20, "x" * 5000, "a\nb" * 20])  # fmt: skip
def test_what_is_no_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    """An API whose token can be guessed, or no header can have; or a token in the message."""
    file = tmp_path / "token"
    file.write_text(text, encoding="utf-8")
    options = ["studio", "--db", str(tmp_path / "a.db"), "--port", "0", "--api-token", str(file)]
    assert run(counterpoint, options) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "a token has 16 to 4,096 letters" in error
    assert not text.strip() or text.strip() not in error
    assert not (tmp_path / "a.db").exists()
    if text and "\0" not in text:
        monkeypatch.setenv(VARIABLE, text)
        with pytest.raises(CrawlError, match=VARIABLE):
            token_of(None)


def test_no_such_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A studio without the API that was asked for, or a traceback."""
    for where in (tmp_path / "none", tmp_path):
        options = ["studio", "--db", "a.db", "--port", "0", "--api-token", str(where)]
        assert run(counterpoint, options) == 2
        assert capsys.readouterr().err.startswith(f"counterpoint: --api-token {where}: ")


def test_the_command_serves_the_api(tmp_path: Path) -> None:
    """An option without effect, or a token in the output."""
    (tmp_path / "token").write_text(TOKEN)
    with studio(tmp_path, "--db", "a.db", "--api-token", "token") as (process, address):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        asked = urllib.request.Request(f"{address}api/v1/crawl", headers=RIGHT)
        with opener.open(asked, timeout=20) as answer:
            assert json.load(answer)["state"] == "idle"
        with pytest.raises(urllib.error.HTTPError, match="401"):
            opener.open(f"{address}api/v1/crawl", timeout=20)
        process.terminate()
        out, err = process.communicate(timeout=20)
    assert process.returncode == 0 and TOKEN not in out + err


def test_tokens_are_compared_in_constant_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A comparison whose time says how much of a token is right."""
    compared: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return False

    monkeypatch.setattr("hmac.compare_digest", compare)

    async def act(api: ApiClient) -> None:
        answer = await api.studio.request("GET", f"{ROOT}/crawl", headers=RIGHT)
        assert answer.status == 401  # the comparison alone decides
        assert compared == [(TOKEN.encode(), TOKEN.encode())]

    use_api(tmp_path, act)

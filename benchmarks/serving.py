"""Compares the server of generated pages with a minimal aiohttp server, each on one core.

    python benchmarks/serving.py --rounds 5 --json benchmarks/serving.json

The subjects take turns, a round each. Every figure is the median of the rounds. ``wrk`` runs on
another core and requests pages at random, so that no page comes from a cache of pages. The servers
run uvloop. Needs Linux and ``wrk``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SUBJECTS = {
    "hello": "aiohttp's web.Application with one handler that says hello, no access log",
    "server": "our server with a page of 2,000 bytes that costs nothing to make, and its log",
    "web": "counterpoint web serve with generated pages, and its log",
}

SCRIPT = """
local pages = {}
for line in io.lines("%s") do
  local host, path = line:match("^(%%S+) (%%S+)$")
  pages[#pages + 1] = wrk.format("GET", path, {Host = host})
end
local k = 0
request = function()
  k = k %% #pages + 1
  return pages[k]
end
"""


def serve_hello(port_of: Any) -> None:
    """Serve a hello until killed; call ``port_of`` with the port."""
    import uvloop
    from aiohttp import web

    async def hello(request: web.Request) -> web.Response:
        return web.Response(text="hello")

    async def run() -> None:
        application = web.Application()
        application.router.add_get("/{path:.*}", hello)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port_of(runner.addresses[0][1])
        await asyncio.Event().wait()

    uvloop.run(run())


def serve_constant(port_of: Any, log: Path) -> None:
    """Serve one constant page with our server until killed; call ``port_of`` with the port."""
    import uvloop

    from counterpoint.sim_web.answer import Answer, Kind, Question
    from counterpoint.sim_web.record import Header
    from counterpoint.sim_web.server import AccessLog, Server, VirtualClock

    headers = (
        ("Content-Type", "text/html; charset=utf-8"),
        ("ETag", '"0-1"'),
        ("Last-Modified", "Sat, 01 Jan 2000 00:00:00 GMT"),
    )

    class Constant:
        """A site with one page."""

        def answer(self, question: Question) -> Answer:
            """Return the page."""
            return Answer(200, headers, bytes(2000), Kind.PAGE, 1)

        def kind(self, question: Question) -> Kind | None:
            """Return the kind of the page."""
            return Kind.PAGE

    async def run() -> None:
        header = Header({}, 1, 0, {}, False)
        server = Server(Constant(), VirtualClock(), log=AccessLog(log, header))
        await server.start()
        port_of(server.address[1])
        await asyncio.Event().wait()

    uvloop.run(run())


def child(subject: str, log: str) -> None:
    """Run one of the servers that are no command of ours."""

    def print_port(port: int) -> None:
        print(f"proxy: http://127.0.0.1:{port}", flush=True)

    if subject == "hello":
        serve_hello(print_port)
    else:
        serve_constant(print_port, Path(log))


@contextmanager
def running(subject: str, options: argparse.Namespace, folder: Path) -> Iterator[tuple[int, int]]:
    """Run a server on the first core; yield its process and its port.

    Parameters
    ----------
    subject : str
        A key of `SUBJECTS`.
    options : Namespace
        The options of the command line.
    folder : Path
        Gets the server's log.
    """
    log = folder / "log"
    log.unlink(missing_ok=True)
    command = [sys.executable, __file__, "--child", subject, str(log)]
    if subject == "web":
        command = [sys.executable, "-m", "counterpoint", "web", "serve",
                   "--profile", options.profile, "--pages", str(options.pages),
                   "--seed", str(options.seed), "--log", str(log)]  # fmt: skip
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
    ) as process:  # fmt: skip
        try:
            os.sched_setaffinity(process.pid, {min(os.sched_getaffinity(0))})
            assert process.stdout is not None
            for line in process.stdout:
                found = re.match(r"proxy: +http://[^:]+:(\d+)", line)
                if found:
                    yield process.pid, int(found[1])
                    break
            else:
                raise SystemExit(f"{' '.join(command)}: did not start")
        finally:
            process.send_signal(signal.SIGKILL)


def processor_time(process: int) -> float:
    """Return the seconds of processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(process: int) -> float:
    """Return the megabytes that a process occupies."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def load(process: int, port: int, script: Path, seconds: int) -> dict[str, float]:
    """Run wrk on the last core; return the rate of requests, and the server's time and memory.

    Parameters
    ----------
    process, port : int
        Of the server.
    script : Path
        The script of wrk.
    seconds : int
    """
    before = processor_time(process)
    done = subprocess.run(
        ["taskset", "-c", str(max(os.sched_getaffinity(0))), "wrk", "-t1", "-c32",
         f"-d{seconds}s", "-s", str(script), f"http://127.0.0.1:{port}"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    used = processor_time(process) - before
    count = re.search(r"(\d+) requests in", done)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", done)
    if count is None or rate is None or "Socket errors" in done or "Non-2xx" in done:
        raise SystemExit(f"wrk: {done}")
    return {
        "requests/s": float(rate[1]),
        "us of processor": used / int(count[1]) * 1e6,
        "MB": resident(process),
    }


def addresses(options: argparse.Namespace) -> list[str]:
    """Return the host and the path of random pages, separated by a space."""
    sys.path.insert(0, str(ROOT / "src"))
    from counterpoint.sim_web import profile
    from counterpoint.sim_web.generator import Web
    from counterpoint.sim_web.pages.address import address

    web = Web(profile.load(options.profile), options.pages, options.seed)
    chance = random.Random(options.seed)
    found = []
    for _ in range(options.urls):
        host, _, path = address(web, chance.randrange(web.pages))[7:].partition("/")
        found.append(f"{host} /{path}")
    return found


def measured(options: argparse.Namespace, folder: Path) -> dict[str, dict[str, float]]:
    """Return the median figures of every subject."""
    (folder / "urls").write_text("\n".join(addresses(options)) + "\n")
    script = folder / "pages.lua"
    script.write_text(SCRIPT % (folder / "urls"))
    found: dict[str, list[dict[str, float]]] = {subject: [] for subject in SUBJECTS}
    for _ in range(options.rounds):
        for subject, rounds in found.items():
            with running(subject, options, folder) as (process, port):
                load(process, port, script, max(1, options.seconds // 2))
                rounds.append(load(process, port, script, options.seconds))
    medians = {
        subject: {key: median(one[key] for one in rounds) for key in rounds[0]}
        for subject, rounds in found.items()
    }
    for one in medians.values():
        one["of hello"] = one["requests/s"] / medians["hello"]["requests/s"]
    return medians


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print a table, and write the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=4, help="the length of each subject's round")
    parser.add_argument("--profile", default="broder-1999")
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--urls", type=int, default=20_000, help="the number of requested pages")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    sys.path.insert(0, str(ROOT / "src"))
    if options.child:
        child(*options.child)
        return 0
    if shutil.which("wrk") is None:
        parser.error("needs wrk (a package of Debian)")
    with tempfile.TemporaryDirectory() as folder:
        found = measured(options, Path(folder))
    print("| | requests/s | of hello | us of processor each | MB |\n|---|--:|--:|--:|--:|")
    for subject, one in found.items():
        print(f"| {subject} | {one['requests/s']:,.0f} | {one['of hello']:.2f} "
              f"| {one['us of processor']:.1f} | {one['MB']:.0f} |")  # fmt: skip
    if options.json:
        written = {"python": platform.python_version(), "subjects": SUBJECTS, "medians": found,
                   "pages": options.pages, "profile": options.profile}  # fmt: skip
        options.json.write_text(json.dumps(written, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

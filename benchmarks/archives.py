"""Measures the index of a WARC file of many small records: its making, its opening, its use.

    python benchmarks/archives.py --records 1000000 --json benchmarks/archives.json

A file of so many answers is generated, each a member of gzip of its own. Then three processes, one
after the other, make the index, open it, and answer for drawn addresses and times. Memory is the
high-water mark of the resident set (VmHWM) of each process, with Python and all that is imported;
pages of the index that are mapped count in it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import time
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SEED = 1
LOOKUPS = 10_000


def address(number: int) -> str:
    """Return the address of a page; there are 200 pages on a host."""
    return f"http://host{number // 200}.test/a/Page-{number}.html"


def generate(path: Path, records: int) -> None:
    """Write a file of answers of some 500 bytes, every tenth of them a second capture."""
    with path.open("wb") as file:
        for number in range(records):
            page = number - 5 if number % 10 == 9 else number
            body = b"<html><a href='/a/Page-%d.html'>next</a> %d</html>" % (page + 1, number)
            http = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
                    b"Content-Length: %d\r\n\r\n" % len(body) + body)  # fmt: skip
            stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_600_000_000 + number))
            head = (
                f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number:036}>\r\n"
                f"WARC-Date: {stamp}\r\nWARC-Target-URI: {address(page)}\r\n"
                f"WARC-Payload-Digest: sha1:{number:032}\r\n"
                "Content-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(http)}\r\n\r\n"
            )
            file.write(zlib.compress(head.encode() + http + b"\r\n\r\n", 1, wbits=31))


def step(name: str, path: Path, records: int) -> dict[str, Any]:
    """Do one of the steps in this process; return what was measured."""
    before = time.monotonic()
    from counterpoint.crawler.archives.captured import CapturedWeb

    imported = time.monotonic() - before
    web = CapturedWeb([path])
    found: dict[str, Any] = {"opened_seconds": round(time.monotonic() - before - imported, 3)}
    assert len(web.index) == records
    if name == "lookups":
        chance = random.Random(SEED)
        began = time.monotonic()
        for _ in range(LOOKUPS):
            number = chance.randrange(records) // 10 * 10
            answer = web.answer(address(number), web.begin + records)
            assert answer is not None and f"{number}</html>".encode() in answer.body
        found["lookups_per_second"] = round(LOOKUPS / (time.monotonic() - began))
    if name == "walk":
        began = time.monotonic()
        assert sum(1 for _ in web.index.captures()) == records
        found["walked_seconds"] = round(time.monotonic() - began, 1)
    status = Path("/proc/self/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    found["peak_mb"] = round(int(peak.split()[1]) / 1024, 1)
    return found


def measured(path: Path, records: int) -> dict[str, Any]:
    """Run the steps, each in a process of its own."""
    found: dict[str, Any] = {}
    for name in ("make", "open", "lookups", "walk"):
        command = [sys.executable, __file__, "--step", name, "--file", str(path),
                   "--records", str(records)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found[name] = json.loads(done.stdout)
        print(name, found[name], file=sys.stderr)
    return found


def main() -> None:
    """Measure, and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--step", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        print(json.dumps(step(options.step, options.file, options.records)))
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "many.warc.gz"
        generate(path, options.records)
        found = {
            "records": options.records, "file_mb": round(path.stat().st_size / 1e6, 1),
            "cores": os.cpu_count(), "python": platform.python_version(),
            **measured(path, options.records),
        }  # fmt: skip
        found["index_mb"] = round(path.with_name(path.name + ".cdxj").stat().st_size / 1e6, 1)
    text = json.dumps(found, indent=2) + "\n"
    print(text, end="")
    if options.json is not None:
        options.json.write_text(text)


if __name__ == "__main__":
    main()

"""A crawler of the tests: breadth-first with urllib, with faults that can be switched on.

python double.py SEEDS_FILE PAGES [FAULT ...]

The faults are no-frames, no-robots, half, hang, crash, silent and shuffle; ``wait`` is none: it
waits 0.2 s before each request.
"""

import random
import re
import sys
import time
from collections import deque
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urldefrag, urljoin, urlsplit
from urllib.request import urlopen
from urllib.robotparser import RobotFileParser

seeds, most, faults = sys.argv[1], int(sys.argv[2]), set(sys.argv[3:])
robots: dict[str, RobotFileParser] = {}


def allowed(address: str) -> bool:
    """Return whether robots.txt allows an address."""
    if "no-robots" in faults:
        return True
    file = urljoin(address, "/robots.txt")
    if file not in robots:
        robots[file] = RobotFileParser(file)
        robots[file].read()
    return robots[file].can_fetch("Python-urllib", address)


def links_of(address: str, text: str) -> list[str]:
    """Return the addresses in a document."""
    base = re.search(r'<base href="([^"]*)"', text)
    attributes = "href" if "no-frames" in faults else "href|src"
    found = []
    for link in re.findall(rf'(?:{attributes})="([^"]+)"', text):
        try:
            link = urldefrag(urljoin(urljoin(address, base[1] if base else ""), link))[0]
            urlsplit(link).port  # noqa: B018 raises if it is not a number
        except ValueError:
            continue
        if re.fullmatch(r"http://[\w.-]+(/\S*)?", link):
            found.append(link)
    return found


if "silent" not in faults:
    waiting = deque(Path(seeds).read_text().split())
    known, fetched = set(waiting), 0
    while waiting and fetched < most // (2 if "half" in faults else 1):
        if "shuffle" in faults:
            waiting.rotate(random.randrange(3))
        address = waiting.popleft()
        try:
            if not allowed(address):
                continue
            if "wait" in faults:
                time.sleep(0.2)
            with urlopen(address, timeout=20) as answer:
                text = answer.read().decode("utf-8", "replace")
        except HTTPError:
            continue
        fetched += 1
        for link in links_of(address, text):
            if link not in known:
                known.add(link)
                waiting.append(link)
    print(f"{fetched} documents fetched")
while "hang" in faults:
    pass
if "crash" in faults:
    raise RuntimeError("the crawler crashes as it was asked to")

r"""A crawler in plain Python that keeps robots.txt, to be judged on a synthetic web.

It shows how a crawler that knows nothing of Counterpoint is judged. With --rude it does not look at
robots.txt, and the judgment counts the forbidden requests.

    counterpoint web serve --profile broder-1999 --pages 2000 --seed 7 --port 8080 \
                 --log access.jsonl &
    http_proxy=http://127.0.0.1:8080 python polite_crawler.py http://dubaba.test/ 300
    counterpoint web judge access.jsonl
"""

import re
import sys
from collections import deque
from urllib.parse import urldefrag, urljoin
from urllib.request import urlopen
from urllib.robotparser import RobotFileParser

robots: dict[str, RobotFileParser] = {}


def is_allowed(address: str) -> bool:
    """Return whether robots.txt of the address's host allows to fetch it."""
    file = urljoin(address, "/robots.txt")
    if file not in robots:
        robots[file] = RobotFileParser(file)
        try:
            robots[file].read()
        except OSError:
            robots[file].parse([])  # no rules
    return robots[file].can_fetch("Python-urllib", address)


def links_of(text: str, address: str) -> list[str]:
    """Return the addresses to which a page links; what is no address is left out."""
    found = []
    for link in re.findall(r'href="([^"]+)"', text):
        try:
            target = urldefrag(urljoin(address, link))[0]
        except ValueError:
            continue
        if re.fullmatch(r"http://[\w.-]+(/\S*)?", target):
            found.append(target)
    return found


def crawl(start: str, most: int, is_polite: bool) -> int:
    """Fetch pages breadth-first, and return how many were fetched."""
    waiting, known, fetched = deque([start]), {start}, 0
    while waiting and fetched < most:
        address = waiting.popleft()
        if is_polite and not is_allowed(address):
            continue
        try:
            with urlopen(address, timeout=5) as answer:
                text = answer.read().decode("utf-8", "replace")
        except OSError:
            continue
        fetched += 1
        for link in links_of(text, address):
            if link not in known:
                known.add(link)
                waiting.append(link)
    return fetched


if __name__ == "__main__":
    print(crawl(sys.argv[1], int(sys.argv[2]), "--rude" not in sys.argv), "pages fetched")

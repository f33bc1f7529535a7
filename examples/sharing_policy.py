r"""A crawl policy: each fetched page shares its value among the pages to which it links.

It shows the interface of policies: `next` says which page is fetched, `observe` gets the result.
The tutorial "A first policy" explains it.

    counterpoint compare breadth-first sharing_policy:Sharing --web broder-1999 \
                 --web-pages 3000 --pages 300 --seeds 8
"""

from counterpoint.crawler import Outcome, Request, Setting


class Sharing:
    """Next is the page with the highest value."""

    def __init__(self, setting: Setting) -> None:
        self.why = ""
        self.value = dict.fromkeys(setting.starts, 1.0)
        self.waiting = dict.fromkeys(setting.starts)

    def next(self) -> Request | None:
        """Return the page with the highest value, of equal ones the one that was found first."""
        if not self.waiting:
            self.why = "no page is left"
            return None
        page = max(self.waiting, key=self.value.__getitem__)
        del self.waiting[page]
        return Request(page)

    def observe(self, outcome: Outcome) -> None:
        """Share the value of the fetched page."""
        links = outcome.links.tolist()
        for page in links:
            if page not in self.value:
                self.value[page] = 0.0
                self.waiting[page] = None
            self.value[page] += self.value[outcome.page] / len(links)

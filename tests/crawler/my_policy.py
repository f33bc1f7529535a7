"""A policy of my own."""

from counterpoint.crawler import Outcome, Request, Scope, Setting


class Greedy:
    """Fetch next a page that is linked from the page with the most external links."""

    scope = Scope.SITE

    def __init__(self, setting: Setting) -> None:
        self.why = ""
        self.found = dict.fromkeys(setting.starts, 0)  # page -> external links of its parent
        self.seen = set(setting.starts)

    def next(self) -> Request | None:
        if not self.found:
            self.why = "every page found was fetched"
            return None
        best = max(self.found, key=self.found.__getitem__)
        del self.found[best]
        return Request(best)

    def observe(self, outcome: Outcome) -> None:
        for page in outcome.links.tolist():
            if page not in self.seen:
                self.seen.add(page)
                self.found[page] = outcome.external

"""Changes for the worse, each with what must fall, and where."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SPEC, POLICY, SPIDER = "protocols/ticket_spec.py", "crawls/greedy.py", "spiders/news.py"
WEB, CONFIGURATION = "webs/guarded.toml", "counterpoint.toml"

LOCK = "protocols/ticket_spec.py · exhaustive"
MUTANT = "protocols/ticket_spec.py/serves-twice · exhaustive"
GREEDY = "crawls.greedy:Greedy on guarded"


@dataclass(frozen=True)
class Change:
    """An edit of one file.

    Attributes
    ----------
    what : str
    path, old, new : str
        The file, and the text that is replaced.
    falls : tuple of str
        The names of all outcomes that fall.
    at : str
        The file of the annotation.
    near : str
        A part of its line.
    says : str
        A part of a finding.
    code : int
        The exit code.
    """

    what: str
    path: str
    old: str
    new: str
    falls: tuple[str, ...]
    at: str
    near: str
    says: str
    code: int = 1

    def plant(self, folder: Path) -> None:
        """Make the edit.

        Raises
        ------
        ValueError
            If the file does not have the text exactly once.
        """
        path = folder / self.path
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.path} has {self.old!r} {text.count(self.old)} times")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")


CHANGES = (
    Change(
        "a guard is dropped from the spec", "protocols/shared.py",
        "    require(s.serving == s.ticket[p])\n", "",
        (LOCK, MUTANT), SPEC, "def one_at_a_time", "one-at-a-time is violated",
    ),
    Change(
        "a property that cannot hold", SPEC,
        "    @invariant\n",
        "    @invariant\n    def nobody_waits(s):\n"
        "        return every(s.phase[p] != 1 for p in s.processes)\n\n    @invariant\n",
        (LOCK, MUTANT), SPEC, "def nobody_waits", "nobody-waits is violated",
    ),
    Change(
        "a policy with a tie turned round", POLICY,
        "max(self.waiting,", "max(reversed(self.waiting),",
        (GREEDY,), POLICY, "class Greedy", "the order of visits changed",
    ),
    Change(
        "a policy that starves a site", POLICY,
        "            if page not in self.links:\n",
        "            if self.hosts(page) in (1, 2, 3):\n                continue\n"
        "            if page not in self.links:\n",
        (GREEDY,), POLICY, "class Greedy", "is starved",
    ),
    Change(
        "a policy that raises", POLICY,
        "        self.asked += 1\n", "        self.asked += 1\n        {}[self.asked // 40]\n",
        (GREEDY,), POLICY, "class Greedy", "KeyError",
    ),
    Change(
        "a spider that drops frames", SPIDER,
        ", frame::attr(src), iframe::attr(src)", "",
        ("news",), CONFIGURATION, "[[crawler]]", "frame",
    ),
    Change(
        "a spider that ignores robots.txt", SPIDER,
        '"ROBOTSTXT_OBEY": True', '"ROBOTSTXT_OBEY": False',
        ("news",), CONFIGURATION, "[[crawler]]", "disallowed",
    ),
    Change(
        "a spider that stops at half", SPIDER,
        "most = 150", "most = 75",
        ("news",), CONFIGURATION, "[[crawler]]", "pages",
    ),
    Change(
        "a profile that is edited", WEB,
        "mean = 8.0", "mean = 9.0",
        ("breadth-first on guarded", GREEDY, "news"), CONFIGURATION, "[[", "web",
    ),
)  # fmt: skip

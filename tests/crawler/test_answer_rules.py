"""Rules about answers: what each means, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from counterpoint.crawler.documents.answer_rules import AnswerRules, answer_rules
from counterpoint.crawler.documents.scope import ScopeRules
from counterpoint.crawler.errors import CrawlError

TYPES = ("", "text/html", "Text/HTML; charset=utf-8", "text/plain", "textual/x", "image/png",
         "application/pdf", "application/xhtml+xml")  # fmt: skip
RULES = ("type:text/html", "type:TEXT/*", "type:image/*", "type:application/pdf", "host:a.test")


def head(kind: str, length: str = "") -> CIMultiDict[str]:
    """Return the headers of an answer."""
    given = {"content-type": kind, "content-length": length}
    return CIMultiDict({name: value for name, value in given.items() if value})


@pytest.mark.parametrize(
    ("rule", "kinds"),
    [
        ("type:text/html", {"", "text/html", "Text/HTML; charset=utf-8"}),
        ("type:TEXT/*", {"", "text/html", "Text/HTML; charset=utf-8", "text/plain"}),
        ("type:application/pdf", {"application/pdf"}),
        ("type:application/xhtml+xml", {"application/xhtml+xml"}),
    ],
)
def test_types(rule: str, kinds: set[str]) -> None:
    """A parameter, a case or a range that is taken for a part of the type."""
    for kind in TYPES:
        without, only = answer_rules((), (rule,)), answer_rules((rule,), ())
        said = f"--exclude type:{rule[5:].lower()}"
        assert without.of_head(200, head(kind)) == (said if kind in kinds else "")
        assert only.of_head(200, head(kind)) == (
            "" if kind in kinds else f"none of --include {said[10:]} applies"
        )
        assert without.of_head(404, head(kind)) == only.of_head(404, head(kind)) == ""


@given(st.lists(st.sampled_from(RULES), max_size=3), st.lists(st.sampled_from(RULES), max_size=3),
       st.sampled_from(TYPES))  # fmt: skip
def test_rules_together(include: list[str], exclude: list[str], kind: str) -> None:
    """Rules about addresses that decide about answers, or inclusions that must all apply."""

    def applies(rule: str) -> bool:
        return bool(answer_rules((), (rule,)).of_head(200, head(kind)))

    of_types = [rule for rule in include if rule.startswith("type:")]
    wanted = (not of_types or any(map(applies, of_types))) and not any(map(applies, exclude))
    rules = ScopeRules(tuple(include), tuple(exclude))
    assert (rules.answers.of_head(200, head(kind)) == "") == wanted
    other = "http://b.test/"
    assert (rules.problem(other) == "") == ("host:a.test" not in include)


@pytest.mark.parametrize(
    ("rule", "largest"),
    [("size:>5MB", 5_000_000), ("size: > 500 kB", 500_000), ("size:>0", 0), ("size:>1GB", 10**9),
     ("size:>12B", 12)],
)  # fmt: skip
def test_sizes(rule: str, largest: int) -> None:
    """A wrong unit, or a bound that is not part of what is allowed."""
    rules = answer_rules((), (rule,))
    assert rules.of_size(largest) == ""
    assert rules.of_size(largest + 1) == f"--exclude {rule}"
    assert rules.of_head(200, head("text/html", str(largest))) == ""
    assert rules.of_head(200, head("text/html", str(largest + 1))) == f"--exclude {rule}"
    assert rules.of_head(200, head("text/html", "9" * 30)) == ""
    assert rules.of_head(200, head("text/html", "x")) == ""
    assert rules.at_most(largest + 7) == largest
    assert answer_rules((), (rule, "size:>2GB")).largest == largest
    assert AnswerRules().of_size(10**15) == ""


@pytest.mark.parametrize(
    ("include", "exclude", "why"),
    [
        ("", "type:pdf", "--exclude type:pdf: a type is such as text/html or image/*"),
        ("", "type:*/*", "a type is such as"),
        ("type:", "", "--include type:: a type is such as"),
        ("", "size:5MB", "--exclude size:5MB: a size is such as >500kB or >5MB"),
        ("", "size:>5mb", "a size is such as"),
        ("", "size:>", "a size is such as"),
        ("size:>5MB", "", "sizes can only be excluded: --exclude size:>5MB"),
    ],
)
def test_a_wrong_rule_is_refused(include: str, exclude: str, why: str) -> None:
    """A rule that is taken for one about addresses, or that never applies."""
    with pytest.raises(CrawlError) as error:
        ScopeRules(tuple(filter(None, [include])), tuple(filter(None, [exclude])))
    assert why in str(error.value)

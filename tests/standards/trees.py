"""html5lib's cases of tree construction: the links of the tree that the standard builds.

Each case has a document and the tree of it. The references of the tree are computed here, by the
rules of `counterpoint.crawler.documents.links` that its documentation states, and without its code.
A second suite compares all elements and texts of the tree with those of our parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import html5lib
from selectolax.lexbor import LexborHTMLParser, LexborNode

from counterpoint.crawler.documents.links import read
from tests.crawler.independent import PAGES
from tests.needs import find

from .suite import OURS, Case, Suite

PACKAGE = "golang-golang-x-net-dev"
ADDRESS = "http://h.test/"
_SECTION = re.compile(
    r"^#(data|errors|new-errors|document-fragment|script-on|script-off|document)\n", re.M
)
_PREFIXES = {
    "http://www.w3.org/1999/xlink": "xlink ",
    "http://www.w3.org/XML/1998/namespace": "xml ",
    "http://www.w3.org/2000/xmlns/": "xmlns ",
}
_LINE = re.compile(r"\| ( *)(.*)", re.S)


class Node(NamedTuple):
    """A node of an expected tree: an element, or a text (``tag`` is "")."""

    depth: int
    tag: str
    attributes: dict[str, str]
    text: str
    hidden: bool
    """Whether it stands in a template."""


def _parts(path: str) -> Iterator[dict[str, str]]:
    """Yield the cases of a file, by the names of their sections."""
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    for one in re.split(r"(?:\A|\n)(?=#data\n)", text):
        names = list(_SECTION.finditer(one))
        if not names or names[0].start():
            continue
        ends = [name.start() for name in names[1:]] + [len(one)]
        yield {name[1]: one[name.end() : end] for name, end in zip(names, ends, strict=True)}


def nodes(dump: str) -> list[Node]:
    """Return the elements and texts of a tree, in the order of the document."""
    found: list[Node] = []
    templates: list[int] = []
    for line in re.split(r"\n(?=\| )", dump.rstrip("\n")):
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        depth, rest = len(match[1]), match[2]
        attribute = re.fullmatch(r'([^"][^=]*)="(.*)"', rest, re.S)
        if attribute is not None and not re.fullmatch("<.*>", rest, re.S):
            found[-1].attributes[attribute[1].replace(" ", ":")] = attribute[2]
            continue
        while templates and depth <= templates[-1]:
            templates.pop()
        if rest.startswith(("<!", "<?")) or rest == "content":
            continue
        if rest.startswith("<"):
            tag = rest[1:-1].rpartition(" ")[2]
            found.append(Node(depth, tag, {}, "", bool(templates)))
            if rest == "<template>":
                templates.append(depth)
        else:
            found.append(Node(depth, "", {}, rest[1:-1], bool(templates)))
    return found


def references(tree: list[Node]) -> list[str]:
    """Return the references of a tree as written."""
    found = []
    for node in tree:
        reference = None if node.hidden else _reference(node.tag, node.attributes)
        if reference is not None:
            found.append(reference)
    return found


def _reference(tag: str, attributes: dict[str, str]) -> str | None:
    if tag == "a":
        return attributes.get("href", attributes.get("xlink:href"))
    if tag == "area":
        return attributes.get("href")
    if tag in ("frame", "iframe"):
        return attributes.get("src")
    if tag == "link" and PAGES & set(attributes.get("rel", "").lower().split()):
        return attributes.get("href")
    return None


def _documents() -> Iterator[tuple[str, str, list[Node]]]:
    folder = find(PACKAGE)
    assert folder is not None
    for path in sorted(folder.parent.rglob("*.dat")):
        for number, part in enumerate(_parts(str(path))):
            if "document-fragment" in part or "script-on" in part or path.parent.name == "scripted":
                continue  # no document, or one that a script changes
            yield f"{path.name} {number}", part["data"].removesuffix("\n"), nodes(part["document"])


def links() -> list[Case]:
    """Return the documents that have references, or words that look so."""
    return [
        Case(name, document, references(tree))
        for name, document, tree in _documents()
        if re.search("href|src", document, re.I)
    ]


def trees() -> list[Case]:
    """Return all documents, with the elements and texts of their trees outside of templates."""
    return [
        Case(name, document,
             [(n.depth, n.tag, n.attributes) if n.tag else (n.depth, n.text)
              for n in tree if not n.hidden])
        for name, document, tree in _documents()
    ]  # fmt: skip


def ours(document: str) -> list[str]:
    """Return the references that we read."""
    return [one.text for one in read(document, ADDRESS).references]


def ours_tree(document: str) -> list[tuple[object, ...]]:
    """Return the elements and texts of the tree that we read."""
    found: list[tuple[object, ...]] = []

    def walk(node: LexborNode | None, depth: int) -> None:
        while node is not None:
            if node.is_element_node:
                found.append((depth, node.tag, {k: v or "" for k, v in node.attributes.items()}))
                walk(node.child, depth + 2)
            elif node.is_text_node:
                found.append((depth, node.text_content))
            node = node.next

    walk(LexborHTMLParser(document).root, 0)
    return found


def theirs(document: str) -> list[str]:
    """Return the references of html5lib's tree."""
    return references(nodes(_dump(document)))


def theirs_tree(document: str) -> list[tuple[object, ...]]:
    """Return the elements and texts of html5lib's tree."""
    return [(n.depth, n.tag, n.attributes) if n.tag else (n.depth, n.text)
            for n in nodes(_dump(document)) if not n.hidden]  # fmt: skip


def _dump(document: str) -> str:
    """Return html5lib's tree in the form of the suite."""
    tree = html5lib.parse(document, treebuilder="etree")
    lines, depth, before = list[str](), 0, ""
    for token in html5lib.getTreeWalker("etree")(tree):
        kind = token["type"].replace("SpaceCharacters", "Characters")
        if kind in ("StartTag", "EmptyTag"):
            lines.append(f"| {' ' * depth}<{token['name']}>")
            for (space, name), value in token["data"].items():
                lines.append(f'| {" " * (depth + 2)}{_PREFIXES.get(space, "")}{name}="{value}"')
            depth += 2 * (kind == "StartTag")
        elif kind == "EndTag":
            depth -= 2
        elif kind == "Characters" and before == kind:
            lines[-1] = lines[-1][:-1] + token["data"] + '"'
        elif kind == "Characters":
            lines.append(f'| {" " * depth}"{token["data"]}"')
        before = kind
    return "\n".join(lines)


def _in_select(case: Case) -> bool:
    """Return whether an element stands in a ``select`` that was not allowed there before 2025."""
    inside = re.search(r"<select>(.*)", case.given, re.S)
    return (
        inside is not None
        and re.search("<(b|svg|math|plaintext|keygen|menuitem)>", inside[1]) is not None
    )


LINKS = Suite("HTML: links of the trees", PACKAGE, links, {OURS: ours, "html5lib": theirs})
TREES = Suite(
    "HTML: trees", PACKAGE, trees, {OURS: ours_tree, "html5lib": theirs_tree},
    {"since 2025 a `select` may have any element in it; the suite is of 2022": _in_select},
)  # fmt: skip

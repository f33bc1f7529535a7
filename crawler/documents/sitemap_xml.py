"""Reads sitemaps in XML with expat, which keeps only the tag that it reads."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable
from typing import NamedTuple
from xml.parsers import expat

from .sitemap_entries import LONGEST, Entries, SitemapKind, StopError, said

TOKEN = 262_144
"""The most bytes of a tag, a comment or an instruction, which expat reads as a whole."""
DEEPEST = 100
"""The most elements that are nested."""
NAMES = 1_000
"""The most different names and prefixes of elements and attributes; each stays in memory."""
NAMESPACE = 500
"""The most characters of the name of a namespace, which is repeated in the name of each element."""


class _Format(NamedTuple):
    """Where a format of XML has its entries: the names of elements, without namespaces."""

    kind: SitemapKind
    families: frozenset[str]
    entry: list[str]
    address: str
    times: tuple[str, ...]


_FAMILIES = {
    "": "none",
    "http://www.sitemaps.org/schemas/sitemap/0.9": "sitemap",
    "https://www.sitemaps.org/schemas/sitemap/0.9": "sitemap",
    "http://www.google.com/schemas/sitemap/0.84": "sitemap",
    "https://www.google.com/schemas/sitemap/0.84": "sitemap",
    "http://www.w3.org/2005/Atom": "atom",
    "http://purl.org/atom/ns#": "atom",
}
"""Namespaces; elements of others are skipped. The forms with https are frequent errors."""
_OF_SITEMAPS, _OF_ATOM = frozenset(("none", "sitemap")), frozenset(("none", "atom"))
_FORMATS = {
    "urlset": _Format(SitemapKind.URLSET, _OF_SITEMAPS, ["url"], "loc", ("lastmod",)),
    "sitemapindex": _Format(SitemapKind.INDEX, _OF_SITEMAPS, ["sitemap"], "loc", ("lastmod",)),
    "rss": _Format(SitemapKind.RSS, frozenset(("none",)), ["channel", "item"], "link",
                   ("pubDate",)),
    "feed": _Format(SitemapKind.ATOM, _OF_ATOM, ["entry"], "link", ("updated", "modified")),
}  # fmt: skip
"""The formats by the names of their root elements."""


class XmlReader:
    """Reads a sitemap in XML.

    Attributes
    ----------
    kind : SitemapKind
        Known from the first element on.
    """

    def __init__(self, found: Entries) -> None:
        self.kind = SitemapKind.NONE
        self._found = found
        self._format = _FORMATS["urlset"]
        self._family = ""
        self._path: list[str] = []
        self._text: list[str] | None = None
        self._length = self._line = self._skipped = 0
        self._address = self._time = ""
        parser = self._parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartNamespaceDeclHandler = self._namespace
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._add_text
        parser.SkippedEntityHandler = self._skip

    def read(self, pieces: Iterable[bytes], is_whole: Callable[[], bool]) -> None:
        """Read a document.

        Parameters
        ----------
        pieces : iterable of bytes
            None of them is empty.
        is_whole : callable
            Returns, after the last piece, whether the document must have ended.

        Raises
        ------
        StopError
            If the rest is not read, because it is broken or not allowed.
        """
        given = 0
        try:
            for piece in pieces:
                some = piece if given else self._without_space(piece)
                self._parser.Parse(some, False)
                given += len(some)
                if given - self._parser.CurrentByteIndex > TOKEN:
                    raise self._refused(f"a tag or a comment of more than {TOKEN:,} bytes")
            if is_whole():
                self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            what = expat.ErrorString(error.code)
            raise StopError(f"line {error.lineno + self._skipped:,}: the XML is broken ({what}); "
                            "the rest is left out") from None  # fmt: skip
        except (LookupError, ValueError):  # from the codec that the XML declaration names
            raise self._refused("the encoding is not known") from None

    def _without_space(self, piece: bytes) -> bytes:
        """Return the first piece without the space before it, which is a frequent error."""
        kept = piece.removeprefix(BOM_UTF8).lstrip()
        self._skipped += piece[: len(piece) - len(kept)].count(b"\n")
        return kept

    def _now(self) -> int:
        """Return the number of the present line."""
        return self._parser.CurrentLineNumber + self._skipped

    def _refused(self, why: str) -> StopError:
        return StopError(f"line {self._now():,}: {why}; the rest is left out")

    def _doctype(self, name: str, system: str | None, public: str | None, declares: int) -> None:
        if declares:
            raise self._refused("the DOCTYPE has declarations, such as those of entities")

    def _namespace(self, prefix: str | None, uri: str | None) -> None:
        if len(uri or "") > NAMESPACE:
            raise self._refused(f"a namespace of more than {NAMESPACE} characters")
        self._parser.intern.setdefault(f"xmlns:{prefix}", "")

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._path) == DEEPEST:
            raise self._refused(f"more than {DEEPEST} elements are nested")
        if len(self._parser.intern) > NAMES:
            raise self._refused(f"more than {NAMES:,} names of elements and attributes")
        uri, _, local = name.rpartition(" ")
        family = _FAMILIES.get(uri, "")
        if not self._path:
            self._begin_root(family, local)
        self._path.append(local if family == self._family else "")
        entry, depth = self._format.entry, len(self._path) - 1
        if depth == len(entry) and self._path[1:] == entry:
            self._line = self._now()
            self._address = self._time = ""
        elif depth == len(entry) + 1 and self._path[1:-1] == entry:
            self._begin_field(self._path[-1], attributes)

    def _begin_root(self, family: str, local: str) -> None:
        form = _FORMATS.get(local)
        if form is None or family not in form.families:
            of = f" of the namespace {said(family)}" if form is not None else ""
            raise self._refused(f"{said(local)}{of} is no element of a sitemap")
        self._format, self._family, self.kind = form, family, form.kind

    def _begin_field(self, local: str, attributes: dict[str, str]) -> None:
        if self.kind is SitemapKind.ATOM and local == self._format.address:
            if attributes.get("rel", "alternate") == "alternate" and not self._address:
                self._address = attributes.get("href", "")
        elif local == self._format.address or local in self._format.times:
            self._text, self._length = [], 0

    def _add_text(self, text: str) -> None:
        if self._text is not None and self._length <= 2 * LONGEST:
            self._text.append(text)
            self._length += len(text)

    def _skip(self, name: str, is_parameter: bool) -> None:
        if not is_parameter:  # it is declared elsewhere, in a file that is not read
            self._add_text(f"&{name};")

    def _end(self, name: str) -> None:
        depth, entry, local = len(self._path) - 1, self._format.entry, self._path[-1]
        if depth == len(entry) and self._path[1:] == entry:
            self._found.add(self._line, self._address, self._time)
        elif depth == len(entry) + 1 and self._text is not None:
            self._keep_field(local, "".join(self._text))
            self._text = None
        self._path.pop()

    def _keep_field(self, local: str, text: str) -> None:
        if local == self._format.address:
            self._address = self._address or text
        else:
            self._time = self._time or text

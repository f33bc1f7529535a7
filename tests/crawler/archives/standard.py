"""WARC records that are assembled line by line, as the text of ISO 28500 (WARC/1.1) says."""

from __future__ import annotations

import gzip
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href='/b'>b</a>"


def record(
    kind: str, block: bytes, uri: str = "http://a.test/", date: str = "2020-01-02T03:04:05Z",
    version: str = "1.1", **fields: str,
) -> bytes:  # fmt: skip
    """Return a record: version, named fields, an empty line, the block, and two ends of lines.

    ``fields`` are further named fields, with _ for -.
    """
    lines = [f"WARC/{version}", f"WARC-Type: {kind}", f"WARC-Date: {date}"]
    if uri:
        lines.append(f"WARC-Target-URI: {uri}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    lines.append(f"Content-Length: {len(block)}")
    return "\r\n".join([*lines, "", ""]).encode() + block + b"\r\n\r\n"


def every_type() -> list[bytes]:
    """Return a record of each of the eight types of the standard (section 6)."""
    return [
        record("warcinfo", b"software: by hand\r\n", uri="", WARC_Record_ID="<urn:x:info>",
               WARC_Filename="x.warc", Content_Type="application/warc-fields"),
        record("request", b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n", WARC_Record_ID="<urn:x:ask>",
               WARC_Concurrent_To="<urn:x:page>", Content_Type="application/http;msgtype=request"),
        record("response", PAGE, WARC_Record_ID="<urn:x:page>", WARC_IP_Address="192.0.2.1",
               WARC_Payload_Digest="sha1:AAAA", Content_Type="application/http; msgtype=response"),
        record("revisit", b"HTTP/1.1 304 Not Modified\r\n\r\n", date="2020-02-02T03:04:05Z",
               WARC_Record_ID="<urn:x:again>", WARC_Refers_To="<urn:x:page>",
               WARC_Profile="http://netpreserve.org/warc/1.1/revisit/server-not-modified"),
        record("metadata", b"hopsFromSeed: P\r\n", WARC_Record_ID="<urn:x:about>",
               WARC_Refers_To="<urn:x:page>", Content_Type="application/warc-fields"),
        record("resource", b"<p>file</p>", uri="http://a.test/file", version="1.0",
               WARC_Record_ID="<urn:x:file>", Content_Type="text/html"),
        record("conversion", b"b", WARC_Record_ID="<urn:x:text>", Content_Type="text/plain",
               WARC_Refers_To="<urn:x:page>"),
        record("response", PAGE[:40], uri="http://a.test/long", WARC_Segment_Number="1",
               WARC_Record_ID="<urn:x:long>"),
        record("continuation", PAGE[40:], uri="http://a.test/long", WARC_Segment_Number="2",
               WARC_Record_ID="<urn:x:rest>", WARC_Segment_Origin_ID="<urn:x:long>",
               WARC_Segment_Total_Length=str(len(PAGE))),
    ]  # fmt: skip


def skippable(magic: int, data: bytes) -> bytes:
    """Return a skippable frame of Zstandard (RFC 8878, 3.1.2)."""
    return struct.pack("<II", magic, len(data)) + data


def dictionary() -> zstd.ZstdDict:
    """Return a dictionary of Zstandard that was trained on records."""
    samples = [record("response", PAGE + b"%d" % n, f"http://a.test/{n}") for n in range(500)]
    return zstd.train_dict(samples, 4096)


def written(
    path: Path, records: Iterable[bytes], packing: str, within: zstd.ZstdDict | None = None
) -> Path:
    """Write records to a file: ``plain``, ``gzip``, ``zstd``, or ``one``: a single gzip member."""
    pieces = list(records)
    if packing == "gzip":
        pieces = [gzip.compress(piece, mtime=0) for piece in pieces]
    elif packing == "one":
        pieces = [gzip.compress(b"".join(pieces), mtime=0)]
    elif packing == "zstd":
        checked = {zstd.CompressionParameter.checksum_flag: 1}  # as the text of IIPC wants it
        pieces = [zstd.compress(piece, zstd_dict=within, options=checked) for piece in pieces]
    path.write_bytes(b"".join(pieces))
    return path

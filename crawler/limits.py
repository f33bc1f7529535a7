"""The limits on what a crawl holds in memory, and on how long it takes to stop.

A page may have `counterpoint.crawler.fetching.manners.Limits.body` bytes, and answers may come
faster than they can be stored. So three places hold bodies, each up to a limit of its own: the
requests (`BODIES`), the answers that wait to be stored (`TOGETHER_BYTES`), and the documents that
are read for one transaction (`TOGETHER_LINKS`). Each limit may be exceeded by one document, since a
document larger than a limit must pass as well.
"""

from __future__ import annotations

BODIES = 32 * 2**20
"""Bytes of bodies that requests have received and the crawl has not taken. More requests are still
made, but those with a long body wait, and their time does not count. It is enough for sixteen pages
of two megabytes, which is more than almost every page has."""
UNCOUNTED = 65_536
"""Bytes of a body that never wait: most pages are shorter, and so they never queue behind others
that are long. A connection buffers twice as much anyway."""
TOGETHER = 64
"""The largest number of answers in one transaction: all jobs that are handed out at the default
concurrency. With half as many, the loop fetches while the thread stores, and both take longer,
since each waits for the interpreter's lock (benchmarks/README.md)."""
TOGETHER_BYTES = 16 * 2**20
"""Bytes of answers that wait to be stored, and bytes of pages whose links are replayed at a time.
64 pages of 250 kB still share a transaction."""
TOGETHER_LINKS = 50_000
"""After so many links the transaction takes no further document: a link takes about a kilobyte of
memory until it is stored. 64 pages with 780 links each still share a transaction."""
TOGETHER_SECONDS = 1.0
"""After so many seconds a transaction takes no further document, since a crawl can only stop
between transactions. 64 usual documents are read in a hundredth of this time."""
ROWS = 5_000
"""The most rows that are read or made at a time for the links of one document. Each takes up to
half a kilobyte, and a statement of as many rows is no slower than one for all."""
LINKS = 250_000
"""The most references that are read in a document; the others are left out, and the page's problem
says so. A document may be 10 MB, which would have room for a million references and take two
gigabytes. The largest pages of real sites, lists of files, have some ten thousand."""

GRACE = 2.0
"""Seconds that requests in flight may take when the crawl is stopped."""
CLOSING = 3.0
"""Seconds in which answers are still stored after the crawl is stopped. Others are dropped; their
pages are fetched when the crawl is resumed."""
LEAVING = 4.0
"""Seconds after the first signal at which the process ends as it does at a second one: then a large
document is still being stored. With the time to end Python, this is below 5 seconds."""

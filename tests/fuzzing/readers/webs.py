"""Access logs of synthetic webs, which ``counterpoint web judge`` reads."""

from __future__ import annotations

from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.referee.known import truth
from counterpoint.sim_web.referee.opening import Selection, judge_file

from ..inputs import changed, corpus
from ..reader import Reader, through_file

_WORDS = (b'"page": 3', b'"kind": "robots"', b'"started": ', b'"ended": ', b'"bytes": ', b", ",
          b": ", b'"url": "', b"http://", b"\n{", b"}\n", b'"counterpoint-web-log": 2',
          b'"fault": "vanished"', b'"retry_after": 5', b'"status": 0')  # fmt: skip

READERS = (
    Reader("access-log",
           through_file("a.jsonl", lambda path: judge_file(path, Selection(), truth)),
           changed(corpus("access-log"), _WORDS), (WebError,), factor=2000, smallest=64 << 20,
           example=corpus("access-log")[0]),
)  # fmt: skip

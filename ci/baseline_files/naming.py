"""Names of files for policies and webs."""

from __future__ import annotations

import hashlib
import re

_PLAIN = re.compile(r"[a-z0-9]([a-z0-9._+-]{0,58}[a-z0-9+])?")
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
"""Names that Windows takes for devices."""


def file_name(name: str) -> str:
    """Return a name of a file, without suffix, that is valid and unique on any file system.

    A short name of lower-case letters, digits and ``. _ + -`` stays as it is. In all others, each
    other character becomes ``-``, and a digest of the name makes the result unique, also where
    large and small letters are the same.

    Examples
    --------
    >>> file_name("equal-quanta")
    'equal-quanta'
    >>> file_name("mine.policy:Greedy,depth=3")
    'mine.policy-Greedy-depth-3-4adc56'
    """
    if _PLAIN.fullmatch(name) and not _DEVICES.fullmatch(name):
        return name
    digest = hashlib.blake2b(name.encode(), digest_size=3).hexdigest()
    readable = re.sub(r"[^A-Za-z0-9._+]+", "-", name).strip("-.")[:60]
    return f"{readable}-{digest}" if readable else digest

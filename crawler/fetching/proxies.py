"""Addresses of HTTP proxies, as users write them, and the credentials that a proxy demands.

Stores, logs and messages keep addresses, so an address must not contain a password. Credentials
come from the environment instead.
"""

from __future__ import annotations

import os
from base64 import b64encode
from urllib.parse import urlsplit

from counterpoint.crawler.documents.addresses import normalized
from counterpoint.crawler.errors import CrawlError

VARIABLE = "COUNTERPOINT_PROXY_CREDENTIALS"
"""The variable of the environment with the credentials, as ``user:password``."""

_A_PROXY = "http://127.0.0.1:8080"


def proxy_address(text: str | None) -> str | None:
    """Return the normalized address of a proxy.

    Raises
    ------
    CrawlError
        If it is not an http address, contains credentials, or does not name the port: programs
        differ in which port they then take. The message never contains credentials.
    """
    if text is None:
        return None
    if "@" in text:
        raise CrawlError(f"--proxy: an address must not contain credentials, since it is stored; "
                         f"set {VARIABLE}=user:password instead")  # fmt: skip
    whole = text if "://" in text else f"http://{text}"
    address = normalized(whole)
    if address is None or not address.startswith("http://"):
        raise CrawlError(f"--proxy {text}: is not an http address, such as {_A_PROXY}")
    parts = urlsplit(whole.strip())
    if parts.port is None:
        raise CrawlError(f"--proxy {text}: name the port, too, as in {_A_PROXY}")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise CrawlError(f"--proxy {text}: is more than a host and a port, as in {_A_PROXY}")
    return address


def proxy_authorization() -> str | None:
    """Return the value of Proxy-Authorization for the credentials of the environment.

    Returns
    -------
    str or None
        The value, by the scheme Basic of HTTP; None if the variable is missing or empty.

    Raises
    ------
    CrawlError
        If the variable is no user and password; the message does not contain them.
    """
    credentials = os.environ.get(VARIABLE, "")
    if not credentials:
        return None
    if ":" not in credentials or not credentials.isprintable():
        raise CrawlError(f"{VARIABLE}: must be user:password")
    return f"Basic {b64encode(credentials.encode()).decode()}"


def refused(proxy: str | None, authorization: str | None) -> CrawlError:
    """Return the error for a proxy that demands other credentials than it got.

    Parameters
    ----------
    proxy : str or None
        Its address.
    authorization : str or None
        What `proxy_authorization` returned.
    """
    if authorization is None:
        why = f"demands credentials; set {VARIABLE}=user:password"
    else:
        why = f"refuses the credentials in {VARIABLE}"
    return CrawlError(f"the proxy {proxy} {why}")

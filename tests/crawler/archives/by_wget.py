"""A WARC file that wget writes of a folder of pages, which is served on loopback."""

from __future__ import annotations

import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        """Print nothing."""


def captured(folder: Path, into: Path, start: str = "", *options: str) -> tuple[Path, str]:
    """Serve a folder, and let wget capture it.

    Parameters
    ----------
    folder, into : Path
        What is served, and where the file is written.
    start : str
        The path of the first page.
    *options : str
        Further options of wget.

    Returns
    -------
    Path, str
        The WARC file, and the address of the first page.
    """
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}/{start}"
        try:
            subprocess.run(
                ["wget", "--no-config", "-q", "-r", "-l", "inf", "-nd", "--delete-after",
                 "--tries=1", "-e", "robots=off", f"--warc-file={into / 'wget'}", *options,
                 address],
                cwd=into, check=False, timeout=300,
            )  # fmt: skip
        finally:
            server.shutdown()
            thread.join()
    return into / "wget.warc.gz", address

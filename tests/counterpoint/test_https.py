"""Crawls over HTTPS: a certificate that nobody knows, and one of an authority of one's own."""

from __future__ import annotations

import ipaddress
import os
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.needs import need_module

x509 = need_module("cryptography.x509", "cryptography")


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Return a file with a key and a certificate of this machine that signs itself."""
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    file = tmp_path / "own.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                          serialization.NoEncryption())
        + made.public_bytes(serialization.Encoding.PEM)
    )  # fmt: skip
    return file


@pytest.fixture
def site(certificate: Path) -> Iterator[str]:
    """Serve two pages over HTTPS; yield the address of the first."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            """Answer with a link."""
            body = b"<a href=/x>x</a>" if self.path in ("/", "/x") else b""
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"https://localhost:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def crawled(site: str, store: Path, **environment: str) -> tuple[int, str]:
    """Return the exit code and the output of a crawl in a process of its own."""
    words = ["crawl", "breadth-first", "--db", str(store), "--start", site, "--budget", "5"]
    done = subprocess.run([sys.executable, "-m", "counterpoint", *words], capture_output=True,
                          text=True, env=os.environ | environment, timeout=120)  # fmt: skip
    return done.returncode, done.stdout


def test_certificates(site: str, certificate: Path, tmp_path: Path) -> None:
    """A site whose certificate is not checked, or an authority of one's own that is not used."""
    code, out = crawled(site, tmp_path / "a.db")
    assert code == 1 and "certificate verify failed" in out
    code, out = crawled(site, tmp_path / "b.db", SSL_CERT_FILE=str(certificate))
    assert code == 0 and "2 pages visited" in out

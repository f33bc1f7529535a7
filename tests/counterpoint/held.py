"""What keeps threads of a user's code waiting, until the test that started them ends."""

from __future__ import annotations

import threading

RELEASED = threading.Event()

"""How much memory a process may still use, as the system says it."""

from __future__ import annotations

import pytest

from counterpoint.sim_web.describe import memory

FILES = {
    "/proc/meminfo": "MemTotal: 9000 kB\nMemAvailable: 8000 kB\n",
    "/sys/fs/cgroup/memory.max": "6000000\n",
    "/sys/fs/cgroup/memory.current": "5000000\n",
    "/sys/fs/cgroup/memory.stat": "anon 1000000\ninactive_file 3500000\n",
}


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        ((), 4_500_000),
        (("/sys/fs/cgroup/memory.stat",), 1_000_000),
        (("/sys/fs/cgroup/memory.max",), 8000 * 1024),
    ],
)
def test_files_that_a_container_can_drop_are_available(
    missing: tuple[str, ...], expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A web that is refused in a container that has read large files before."""
    files = {path: text for path, text in FILES.items() if path not in missing}
    monkeypatch.setattr(memory, "_text", lambda path: files.get(path, ""))
    assert memory.available() == expected


def test_the_limit_of_a_container_is_not_exceeded(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than the machine has, because the container may use more."""
    files = {**FILES, "/sys/fs/cgroup/memory.max": "99000000000\n"}
    monkeypatch.setattr(memory, "_text", lambda path: files.get(path, ""))
    assert memory.available() == 8000 * 1024

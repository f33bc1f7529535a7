"""The memory in C without Python: its example, under stress, and what its header promises."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from counterpoint.memories.window.c_memory import SOURCE
from tests.needs import need

FOLDER = SOURCE.parent

HURRIED = """
#define main example_main
#include "example.c"
#undef main
#include <sched.h>
#include "../step.h"
static _Thread_local unsigned seed;
static int yield_often(const char *name, int64_t a, int64_t b, int waiting)
{
    (void)name, (void)a, (void)b, (void)waiting;
    seed = (seed ? seed : (unsigned)(uintptr_t)&seed) * 1664525u + 1013904223u;
    if ((seed >> 24) % 3 == 0) sched_yield();
    return 0;
}
int main(int count, char **given)
{
    counterpoint_step_hook = yield_often;
    return example_main(count, given);
}
"""
"""The example, whose threads leave the processor at every third step or so."""


def compiled(folder: Path, text: str, *flags: str) -> Path:
    """Compile a program that uses the memory; each warning is an error."""
    compiler = need("gcc")
    source, program = folder / "program.c", folder / "program"
    source.write_text(text)
    command = [compiler, "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", *flags,
               f"-I{FOLDER}", source, FOLDER / "window.c", "-o", program]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return program


def wrong_totals(program: Path, threads: int, rounds: int) -> int:
    """Run the example and return how many looks saw a wrong total."""
    done = subprocess.run(
        [program, str(threads), str(rounds)], capture_output=True, text=True, timeout=120
    )
    wrong = [int(found) for found in re.findall(r"(\d+) wrong totals", done.stdout)]
    assert len(wrong) == threads, done.stdout + done.stderr
    assert done.returncode == (sum(wrong) > 0), done.stderr
    return sum(wrong)


def test_the_example_works_as_it_says(tmp_path: Path) -> None:
    """An example in the header's folder that does not compile without warnings, or is wrong."""
    program = compiled(tmp_path, (FOLDER / "example.c").read_text())
    assert wrong_totals(program, 2, 20_000) == 0
    refused = subprocess.run([program, "65"], capture_output=True, text=True)
    assert (refused.returncode, refused.stdout) == (2, "")


@pytest.mark.parametrize("threads", [2, 5])
def test_no_transaction_sees_half_a_commit(tmp_path: Path, threads: int) -> None:
    """A step that is not atomic, under threads that interrupt each other at every step."""
    assert wrong_totals(compiled(tmp_path, HURRIED), threads, 4000) == 0


@pytest.mark.long
@pytest.mark.parametrize(
    "switch", ["FETCH_AND_INCREMENT_OLD", "RECHECK_NEVER", "NO_VALIDATION", "READERS_WAIT_NO"]
)
def test_the_same_stress_finds_faults(tmp_path: Path, switch: str) -> None:
    """A stress that no fault could fail."""
    program = compiled(tmp_path, HURRIED, f"-DWINDOW_SWITCHES=(1ull<<{switch})")
    assert any(wrong_totals(program, 5, 4000) for _ in range(5))


@pytest.mark.long
def test_there_is_no_race_of_data(tmp_path: Path) -> None:
    """A plain variable that two threads use without order between them: C leaves that undefined."""
    try:
        program = compiled(tmp_path, HURRIED, "-fsanitize=thread", "-g")
    except AssertionError as error:
        pytest.skip(f"the compiler has no thread sanitizer: {str(error)[:80]}")
    assert wrong_totals(program, 4, 3000) == 0


PARTICIPANTS = """
#include <stdio.h>
#include "window.h"
int main(void)
{
    window *memory = window_open(1);
    window_transaction *tx[WINDOW_PARTICIPANTS];
    int64_t value = 7;
    if (window_open(0)) return 1;
    for (int i = 0; i < WINDOW_PARTICIPANTS; i++)
        if (!(tx[i] = window_join(memory))) return 2;
    if (window_join(memory)) return 3;
    window_begin(tx[63], 0);
    if (!window_read(tx[63], 0, &value) || value != 0) return 4;
    window_begin(tx[0], 0);
    window_write(tx[0], 0, 5);
    if (!window_commit(tx[0]) || window_version_written(tx[0], 0) != 1) return 5;
    window_write(tx[63], 0, 6);
    if (window_commit(tx[63]) || window_reason(tx[63]) != WINDOW_OVERWRITTEN) return 6;
    window_begin(tx[1], 0);
    if (!window_read(tx[1], 0, &value) || value != 5) return 7;
    window_leave(tx[1]);
    if (!(tx[1] = window_join(memory))) return 8;
    window_begin(tx[1], 0);
    for (int i = 0; i < WINDOW_PARTICIPANTS; i++) window_leave(tx[i]);
    window_close(memory);
    return 0;
}
"""


def test_participants_come_and_go(tmp_path: Path) -> None:
    """A 65th participant in the place of another; one that left with a transaction open."""
    flags = ["-fsanitize=address,undefined", "-g"]
    assert subprocess.run([compiled(tmp_path, PARTICIPANTS, *flags)]).returncode == 0

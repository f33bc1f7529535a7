"""The behaviour suite of memories: each one, with the same tests."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from counterpoint import memories
from counterpoint.memories import Aborted, Controlled, Memory, Recorder, Transaction
from tests.needs import need

Make = Callable[..., Memory]


@pytest.fixture(params=memories.NAMES)
def make(request: pytest.FixtureRequest) -> Make:
    """Return a function that opens one of the memories."""
    name: str = request.param
    if name.endswith("-c"):
        need("gcc")
    return lambda objects=2, **given: memories.open(name, objects, **given)


@pytest.fixture
def hurried() -> Iterator[None]:
    """Let Python change threads often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def test_objects_hold_zero_at_first(make: Make) -> None:
    """Values of an earlier memory, or of a part of memory that was never written."""
    with make(5).transaction() as tx:
        assert [tx.read(x) for x in range(5)] == [0] * 5


def test_a_transaction_sees_its_own_writes_and_others_only_committed_ones(make: Make) -> None:
    """A write that takes effect before the commit, or is lost."""
    memory = make()
    tx = memory.transaction()
    tx.write(0, 7)
    assert tx.read(0) == 7
    with memory.transaction() as other:
        assert other.read(0) == 0
    assert tx.commit() is True
    assert tx.committed is True
    with memory.transaction() as other:
        assert other.read(0) == 7


@pytest.mark.parametrize("value", [-(2**63), -1, 2**63 - 1])
def test_all_integers_of_64_bits_are_kept(make: Make, value: int) -> None:
    """A value that loses its sign or bits on the way to C and back."""
    memory = make()
    with memory.transaction() as tx:
        tx.write(1, value)
    with memory.transaction() as tx:
        assert tx.read(1) == value


def test_what_was_read_is_read_again_as_it_was(make: Make) -> None:
    """A second read of the same object that sees another version."""
    memory = make()
    tx = memory.transaction()
    assert tx.read(0) == 0
    with memory.transaction() as other:
        other.write(0, 1)
    assert tx.read(0) == 0


def test_an_update_of_what_was_overwritten_aborts(make: Make) -> None:
    """A lost update: two transactions that both add one, and the sum is one."""
    memory = make()
    first, second = memory.transaction(), memory.transaction()
    for tx in (first, second):
        tx.write(0, tx.read(0) + 1)
    assert first.commit() is True
    assert second.commit() is False
    assert second.committed is False
    with memory.transaction() as tx:
        assert tx.read(0) == 1


def test_a_read_only_transaction_commits_though_it_was_overtaken(make: Make) -> None:
    """A reader that is aborted though it fits before the update: its window is not empty."""
    memory = make()
    reader = memory.transaction()
    assert reader.read(0) == 0
    with memory.transaction() as tx:
        tx.write(0, 1)
    assert reader.read(1) == 0
    assert reader.commit() is True


def test_a_transaction_cannot_see_old_and_new_together(make: Make) -> None:
    """The error of the published protocol: the first x beside the new y."""
    memory = make()
    reader = memory.transaction()
    assert reader.read(0) == 0
    with memory.transaction() as tx:
        tx.write(0, 1)
        tx.write(1, 1)
    with pytest.raises(Aborted):
        reader.read(1)
    assert reader.committed is False


def test_with_the_old_clock_value_it_can(make: Make) -> None:
    """A switch that does not plant the error, so that tests of the error test nothing."""
    memory = make(fetch_and_increment="old")
    reader = memory.transaction()
    assert reader.read(0) == 0
    with memory.transaction() as tx:
        tx.write(0, 1)
        tx.write(1, 1)
    assert (reader.read(0), reader.read(1)) == (0, 1)
    assert reader.commit() is True


def test_an_exception_aborts_and_goes_on(make: Make) -> None:
    """Half a transaction that takes effect."""
    memory = make()
    with pytest.raises(KeyError), memory.transaction() as tx:
        tx.write(0, 1)
        raise KeyError("x")
    assert tx.committed is False
    with memory.transaction() as tx:
        assert tx.read(0) == 0


def test_leaving_the_context_without_success_raises(make: Make) -> None:
    """An abort at the end of a with statement that nobody notices."""
    memory = make()
    with pytest.raises(Aborted), memory.transaction() as tx:
        tx.write(0, tx.read(0) + 1)
        with memory.transaction() as other:
            other.write(0, 5)


def test_an_ended_transaction_refuses_everything(make: Make) -> None:
    """A use after the end that would reach another transaction in the same place in C."""
    memory = make()
    tx = memory.transaction()
    tx.abort()
    uses: list[Callable[[], object]] = [
        lambda: tx.read(0), lambda: tx.write(0, 1), tx.commit, tx.abort
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(ValueError, match="has ended"):
            use()


def test_wrong_arguments_leave_the_transaction_as_it_is(make: Make) -> None:
    """An index that C would take for a place outside of the memory; a value cut to 64 bits."""
    memory = make()
    with memory.transaction() as tx:
        tx.write(0, 3)
        for x in (-1, 2):
            with pytest.raises(IndexError, match="0 to 1"):
                tx.read(x)
            with pytest.raises(IndexError):
                tx.write(x, 1)
        with pytest.raises(OverflowError):
            tx.write(0, 2**63)
    with memory.transaction() as tx:
        assert tx.read(0) == 3


@pytest.mark.parametrize("objects", [0, -1, 2**31])
def test_a_memory_needs_a_number_of_objects(make: Make, objects: int) -> None:
    """A memory without objects, or more than its indexes can name."""
    with pytest.raises(ValueError, match="objects"):
        make(objects)


def test_run_tries_again(make: Make) -> None:
    """A retry that gives up, keeps the values of the aborted attempt, or never ends."""
    memory = make()
    tries = []

    def add_one(tx: Transaction) -> int:
        value = tx.read(0)
        tries.append(value)
        if len(tries) == 1:
            with memory.transaction() as other:
                other.write(0, 10)
        tx.write(0, value + 1)
        return value

    assert memory.run(add_one) == 10
    assert tries == [0, 10]

    def overtaken(tx: Transaction) -> None:
        tx.write(0, tx.read(0) + 1)
        with memory.transaction() as other:
            other.write(0, other.read(0) + 1)

    with pytest.raises(Aborted):
        memory.run(overtaken, attempts=3)


def test_threads_keep_sums(make: Make, hurried: None) -> None:
    """A lost update, or a read of half a commit, under real threads: money appears or vanishes."""
    memory, total = make(6), []

    def move(i: int) -> None:
        for k in range(100):
            source, target = (i + k) % 6, (i + 3 * k + 1) % 6

            def transfer(tx: Transaction, source: int = source, target: int = target) -> None:
                tx.write(source, tx.read(source) - 1)
                tx.write(target, tx.read(target) + 1)

            memory.run(transfer)
            total.append(memory.run(lambda tx: sum(tx.read(x) for x in range(6))))

    threads = [threading.Thread(target=move, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(total) == {0}
    assert len(total) == 400


def test_many_objects_in_one_transaction(make: Make) -> None:
    """A table of objects in C that grows and loses some of them."""
    memory = make(3000)
    with memory.transaction() as tx:
        for x in range(0, 3000, 3):
            tx.write(x, x)
            assert tx.read(x + 1) == 0
    with memory.transaction() as tx:
        assert all(tx.read(x) == (x if x % 3 == 0 else 0) for x in range(3000))


def test_a_history_is_recorded(make: Make) -> None:
    """An event that is missing, out of place or without its version."""
    recorder = Recorder(subject="test", initial=0)
    memory = make(2, record=recorder)
    reader = memory.transaction(process="r")
    assert reader.read(0) == 0
    with memory.transaction(process="w") as tx:
        tx.write(0, 7)
        tx.write(1, 8)
        assert tx.read(1) == 8
    with pytest.raises(Aborted):
        reader.read(1)
    with memory.transaction(process="r") as tx:
        assert tx.read(1) == 8
    seen = [(e["process"], e["type"], e.get("object"), e.get("value")) for e in recorder.events]
    assert seen == [
        ("r", "begin", None, None),
        ("r", "read", 0, 0),
        ("w", "begin", None, None),
        ("w", "write", 0, 7),
        ("w", "write", 1, 8),
        ("w", "read", 1, 8),
        ("w", "try-commit", None, None),
        ("w", "commit", None, None),
        ("r", "abort", None, None),
        ("r", "begin", None, None),
        ("r", "read", 1, 8),
        ("r", "try-commit", None, None),
        ("r", "commit", None, None),
    ]
    assert [e["version"] for e in recorder.events if "version" in e] == [0, 1]
    assert recorder.events[7]["versions"] == {0: 1, 1: 1}


def test_points_have_the_names_of_the_spec(make: Make) -> None:
    """A step that passes no point, or one with other names than the spec's actions."""
    memory = make()

    def update() -> bool:
        tx = memory.transaction(label=5)
        tx.read(0)
        tx.write(1, 2)
        return tx.commit()

    controlled = Controlled([update])
    passed = controlled.run(lambda able: 0)
    assert controlled.outcomes[0].result is True
    assert [str(point) for point in passed] == [
        "begin(t=5)", "read(t=5, x=0)", "write(t=5, x=1)", "lock(t=5, x=0)", "lock(t=5, x=1)",
        "validate(t=5)", "fetch_and_increment(t=5)", "publish(t=5, x=1)", "unlock_all(t=5)",
    ]  # fmt: skip


def test_a_reader_waits_for_a_commit(make: Make) -> None:
    """A wait that the controller does not see, or a reader that does not wait."""
    memory = make()

    def write() -> bool:
        tx = memory.transaction(label=0)
        tx.write(0, 1)
        return tx.commit()

    def read() -> int:
        return memory.transaction(label=1).read(0)

    def choose(able: list[memories.Point]) -> int:
        """Lock, then let the reader go as far as it can."""
        locked = any(p.name == "lock" for p in controlled.passed)
        return len(able) - 1 if locked else 0

    controlled = Controlled([write, read])
    passed = [str(p) for p in controlled.run(choose)]
    assert controlled.outcomes[1].result == 1
    assert passed[2:5] == ["lock(t=0, x=0)", "begin(t=1)", "read(t=1, x=0)"]
    assert "read(t=1, x=0), waiting" in passed

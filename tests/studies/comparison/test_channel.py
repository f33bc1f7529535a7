"""Frames of results: what was sent arrives, and anything else is noticed without waiting."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from counterpoint.studies.comparison.channel import ChannelError, Receiver, Sender, new_word

Ends = tuple[int, int, bytes]


@pytest.fixture
def ends() -> Iterator[Ends]:
    """Yield the descriptors of a pipe, and a word."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    yield reading, writing, new_word()
    for descriptor in (reading, writing):
        try:
            os.close(descriptor)
        except OSError:
            continue


def test_objects_arrive_in_order(ends: Ends) -> None:
    """A frame that is lost, or joined with the next."""
    reading, writing, word = ends
    sender, receiver = Sender(writing, word), Receiver(reading, word)
    assert receiver.received() == []
    for message in ([1, 2], None, "x" * 5000):
        sender.send(message)
    assert receiver.received() == [[1, 2], None, "x" * 5000]
    assert not receiver.ended
    os.close(writing)
    assert receiver.received() == [] and receiver.ended


def test_a_part_of_a_frame_is_kept_until_the_rest_comes(ends: Ends) -> None:
    """A receiver that waits for ever for the rest, or that gives up."""
    reading, writing, word = ends
    other, end = os.pipe()
    Sender(end, word).send("whole")
    frame = os.read(other, 10_000)
    os.close(other)
    os.close(end)
    receiver = Receiver(reading, word)
    for k in range(len(frame)):
        assert receiver.received() == []
        os.write(writing, frame[k : k + 1])
    assert receiver.received() == ["whole"]


@pytest.mark.parametrize("garbage", [b"x", b"\xff" * 40, b"\0" * 8])
def test_bytes_of_others_are_noticed(ends: Ends, garbage: bytes) -> None:
    """Bytes of a policy that are read as a length, or as an object."""
    reading, writing, word = ends
    Sender(writing, word).send(1)
    os.write(writing, garbage)
    with pytest.raises(ChannelError):
        Receiver(reading, word).received()


def test_a_damaged_frame_is_not_read(ends: Ends) -> None:
    """An object that is unpickled although its bytes have changed."""
    reading, writing, word = ends
    other, end = os.pipe()
    Sender(end, word).send("whole")
    frame = bytearray(os.read(other, 10_000))
    os.close(other)
    os.close(end)
    frame[-2] ^= 1
    os.write(writing, frame)
    with pytest.raises(ChannelError, match="damaged"):
        Receiver(reading, word).received()


def test_nothing_is_written_into_a_file_that_took_the_place(ends: Ends) -> None:
    """A result that is written into a file of the user, because a policy closed the channel."""
    _, writing, word = ends
    sender = Sender(writing, word)
    other, end = os.pipe()
    os.dup2(end, writing)
    os.set_blocking(other, False)
    assert not sender.is_intact()
    with pytest.raises(ChannelError):
        sender.send(1)
    with pytest.raises(BlockingIOError):
        os.read(other, 1)
    os.close(other)
    os.close(end)

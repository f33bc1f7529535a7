"""What the alternating bit protocol must do, without channels.

From "Specifying Systems" by Leslie Lamport (2002), chapter 14; module ABCorrectness of
tlaplus/Examples.

    counterpoint check bit_transfer.py
"""

from counterpoint import (
    ANY,
    Index,
    Integer,
    Spec,
    action,
    implies,
    initially,
    invariant,
    leads_to,
    require,
)


class BitTransfer(Spec):
    """The receiver sees the sender's value at once, and the sender the receiver's bit."""

    data = Index(2, names="d", labels="D")
    bit = Integer(0, 1, initially=ANY)
    acknowledged = Integer(0, 1, initially=ANY)
    received_bit = Integer(0, 1, initially=ANY)
    sent = Integer(0, lambda s: len(s.data) - 1, initially=ANY)
    received = Integer(0, lambda s: len(s.data) - 1, initially=ANY)

    @initially
    def all_bits_agree(s):
        """Nothing waits for an answer."""
        return (s.acknowledged == s.bit) & (s.received_bit == s.bit)

    @action
    def send(s, d):
        """Send another value, if the last one is acknowledged."""
        require(s.acknowledged == s.bit)
        s.sent = d
        s.bit = 1 - s.bit

    @action(fair="weak")
    def receive(s):
        """The receiver takes the value."""
        require(s.received_bit != s.bit)
        s.received_bit = s.bit
        s.received = s.sent

    @action(fair="weak")
    def acknowledge(s):
        """The sender sees that it has arrived."""
        require(s.received_bit != s.acknowledged)
        s.acknowledged = s.received_bit

    @invariant
    def acknowledged_was_received(s):
        """When the sender knows that a value has arrived, the receiver has its bit."""
        return implies(s.acknowledged == s.bit, s.received_bit == s.bit)

    @leads_to
    def what_is_sent_arrives(s):
        """A value that is sent is received; all values are alike."""
        return (s.sent == 0) & (s.bit != s.acknowledged), s.received == 0

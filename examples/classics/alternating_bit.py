"""The alternating bit protocol over two channels that lose messages.

The sender repeats a message with its bit until the bit comes back, and then takes the next one
with the other bit. From "Specifying Systems" by Leslie Lamport (2002), chapter 14; modules
AlternatingBit and MCAlternatingBit of tlaplus/Examples. Channels are explored with as many
messages as the parameters say.

    counterpoint check alternating_bit.py
"""

from counterpoint import (
    ANY,
    Index,
    Integer,
    Number,
    Queue,
    Record,
    Spec,
    action,
    choose,
    constraint,
    implies,
    initially,
    invariant,
    leads_to,
    require,
)


class AlternatingBit(Spec):
    """One sender and one receiver."""

    data = Index(2, names="d", labels="D")
    messages = Number(2, at_least=1, at_most=4)
    acknowledgements = Number(2, at_least=1, at_most=4)
    bit = Integer(0, 1, initially=ANY)
    acknowledged = Integer(0, 1, initially=ANY)
    received_bit = Integer(0, 1, initially=ANY)
    sent = Integer(0, lambda s: len(s.data) - 1, initially=ANY)
    received = Integer(0, lambda s: len(s.data) - 1, initially=ANY)
    forth = Queue(Record(bit=Integer(0, 1), value=data), capacity=lambda s: s.messages + 1)
    back = Queue(Integer(0, 1), capacity=lambda s: s.acknowledgements + 1)

    @initially
    def all_bits_agree(s):
        """Nothing waits for an answer."""
        return (s.acknowledged == s.bit) & (s.received_bit == s.bit)

    @constraint
    def short_channels(s):
        """Few messages are on their way."""
        return (s.forth.length <= s.messages) & (s.back.length <= s.acknowledgements)

    @action
    def send_new(s, d):
        """Send another value with the other bit, if the last one has arrived."""
        require(s.acknowledged == s.bit)
        s.sent = d
        s.bit = 1 - s.bit
        s.forth.put(bit=s.bit, value=d)

    @action(fair="weak")
    def send_again(s):
        """Repeat the last value, as long as it is not acknowledged."""
        require(s.acknowledged != s.bit)
        s.forth.put(bit=s.bit, value=s.sent)

    @action(fair="strong")
    def receive(s):
        """The receiver takes a message."""
        require(s.forth.length > 0)
        first = s.forth.take()
        s.received_bit = first.bit
        s.received = first.value

    @action(fair="weak")
    def acknowledge(s):
        """The receiver sends the bit of what it received last."""
        s.back.put(s.received_bit)

    @action(fair="strong")
    def receive_acknowledgement(s):
        """The sender takes an acknowledgement."""
        require(s.back.length > 0)
        s.acknowledged = s.back.take()

    @action
    def lose(s, place=choose(Integer(0, 4))):
        """A message is lost."""
        require(place < s.forth.length)
        s.forth.pop(place)

    @action
    def lose_acknowledgement(s, place=choose(Integer(0, 4))):
        """An acknowledgement is lost."""
        require(place < s.back.length)
        s.back.pop(place)

    @invariant
    def acknowledged_was_received(s):
        """When the sender knows that a value has arrived, the receiver has its bit."""
        return implies(s.acknowledged == s.bit, s.received_bit == s.bit)

    @leads_to
    def what_is_sent_arrives(s):
        """A value that is sent is received; all values are alike."""
        return (s.sent == 0) & (s.bit != s.acknowledged), s.received == 0

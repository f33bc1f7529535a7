"""Messages on their way: of several kinds with fields, as a set or with a number of copies."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

from counterpoint.spec.notation._domains import Domain
from counterpoint.spec.notation._marks import require
from counterpoint.spec.notation._parameters import Index
from counterpoint.spec.notation.errors import RangeError, SpecError
from counterpoint.spec.notation.symbolic import Value
from counterpoint.spec.notation.variables import Boolean, Integer, Scalar

from .composite import Composite, Leaf, Part, Plan, Where, clear
from .members import domain_of, key_of, members
from .records import check_fields, fields_of

if TYPE_CHECKING:
    from counterpoint.spec.notation._spec import Spec

OWN = ("send", "receive", "remove", "has", "count", "size", "empty", "clear", "domain", "kinds")
"""Names that no kind of message can have."""


class Message:
    """One message, as a parameter of an action: its kind and its fields."""

    __slots__ = ("_fields", "kind")

    def __init__(self, kind: str, fields: dict[str, int]) -> None:
        self.kind, self._fields = kind, fields

    def __getattr__(self, name: str) -> int:
        if name in self._fields:
            return self._fields[name]
        has = ", ".join(self._fields) or "none"
        raise SpecError(f"a message {self.kind} has no field {name!r} (its fields: {has})")


class MessageKind:
    """One kind of messages: the domains of its fields."""

    def __init__(self, name: str, fields: dict[str, Index]) -> None:
        self.name, self.fields = name, fields

    def number(self, spec: Spec) -> int:
        """Return how many messages of this kind there can be."""
        return math.prod(domain.size(spec) for domain in self.fields.values())

    def numbered(self, spec: Spec, number: int) -> Message:
        """Return a message of this kind; the last field changes first."""
        members_of: dict[str, int] = {}
        for name, domain in reversed(self.fields.items()):
            number, members_of[name] = divmod(number, domain.size(spec))
        return Message(
            self.name,
            {n: domain.argument(spec, members_of[n]) for n, domain in self.fields.items()},
        )

    def show(self, spec: Spec, message: Message) -> str:
        """Return a message as text, as in ``vote(of=P0, term=1)``."""
        keys = {n: key_of(d, Where(spec, "", ()), getattr(message, n))
                for n, d in self.fields.items()}  # fmt: skip
        inside = ", ".join(f"{n}={d.label(spec, keys[n])}" for n, d in self.fields.items())
        return f"{self.name}({inside})" if self.fields else self.name

    def domain(self) -> AllMessages:
        """Return the domain of an action's parameter that is such a message; see `choose`."""
        return AllMessages([self])


class AllMessages(Domain):
    """All messages that there can be, of some kinds."""

    def __init__(self, kinds: list[MessageKind]) -> None:
        super().__init__()
        self.kinds = kinds

    def count(self, spec: Spec) -> int:
        """Return their number."""
        return sum(kind.number(spec) for kind in self.kinds)

    def argument(self, spec: Spec, member: int) -> Message:
        """Return the message with a number."""
        return self._found(spec, member)[1]

    def label(self, spec: Spec, member: int) -> str:
        """Return the message as text."""
        kind, message = self._found(spec, member)
        return kind.show(spec, message)

    def _found(self, spec: Spec, member: int) -> tuple[MessageKind, Message]:
        for kind in self.kinds:
            number = kind.number(spec)
            if member < number:
                return kind, kind.numbered(spec, member)
            member -= number
        raise SpecError(f"{self.called}: there is no message {member}")

    @property
    def called(self) -> str:
        """Return what this is called in an error."""
        return f"choose among the messages {', '.join(kind.name for kind in self.kinds)}"


class Messages(Composite):
    """Messages that were sent: ``Messages(vote=dict(by=nodes, term=Integer(0, 3)), ...)``.

    Parameters
    ----------
    copies : int
        How often the same message can be on its way. By default a message is there or not, and
        sending it again changes nothing.
    **kinds
        For each kind of message a dict with the index, or the scalar, of each of its fields.
    """

    def __init__(self, *, copies: int = 0, **kinds: dict[str, Index | Scalar]) -> None:
        super().__init__()
        if not kinds:
            raise SpecError("Messages() has no kind: name one or more, as in "
                            "Messages(vote=dict(by=nodes))")  # fmt: skip
        self.number: Scalar = Integer(0, copies) if copies else Boolean(False)
        self.copies = copies
        self.kinds: dict[str, MessageKind] = {}
        for name, fields in kinds.items():
            if name.startswith("_") or name in OWN:
                raise SpecError(f"a kind of message cannot be called {name!r}")
            if not isinstance(fields, dict):
                raise SpecError(f"the fields of {name} are a dict, as in dict(by=nodes), "
                                f"not {fields!r}")  # fmt: skip
            if "kind" in fields or any(field.startswith("_") for field in fields):
                raise SpecError(f"a field of {name} cannot be called 'kind', or begin with _")
            domains = {f: domain_of(of, f"the field {f} of {name}") for f, of in fields.items()}
            self.kinds[name] = MessageKind(name, domains)

    def __getattr__(self, name: str) -> MessageKind:
        kinds = self.__dict__.get("kinds", {})
        if name in kinds:
            found: MessageKind = kinds[name]
            return found
        raise AttributeError(f"no kind of message is called {name!r}")

    def domain(self) -> AllMessages:
        """Return the domain of an action's parameter that is any message; see `choose`."""
        return AllMessages(list(self.kinds.values()))

    def declare(self, plan: Plan) -> Iterator[Part]:
        """Yield for each kind which messages are there, or how often."""
        for name, kind in self.kinds.items():
            part = plan.part(name)
            part = part.over(*kind.fields.values()) if kind.fields else part
            yield Part(part.name, part.indices, self.number, part.pattern, part.place)

    def view(self, where: Where) -> MessagesView:
        """Return the messages."""
        return MessagesView(self, where)

    def leaves(self, where: Where) -> Iterator[Leaf]:
        """Yield the cells of all messages."""
        for name, kind in self.kinds.items():
            part = where.part(name)
            for key in product(*(members(domain, where) for domain in kind.fields.values())):
                yield Leaf(part.name, (*where.key, *key), 0)

    def assign(self, where: Where, value: Any) -> None:
        """Refuse."""
        raise SpecError(f"{where.shown} are messages: send and remove change them")


class KindView:
    """The messages of one kind on a state: ``s.net.vote``."""

    __slots__ = ("_copies", "_kind", "_where")

    def __init__(self, kind: MessageKind, where: Where, copies: int) -> None:
        self._kind, self._where, self._copies = kind, where, copies

    def _cell(self, fields: dict[str, Any]) -> Where:
        check_fields(self._kind.name, fields, self._kind.fields)
        domains = self._kind.fields.items()
        return self._where.at(*(key_of(d, self._where, fields[n]) for n, d in domains))

    def count(self, **fields: Value) -> Value:
        """Return how often a message is there."""
        return self._cell(fields).read()

    def has(self, **fields: Value) -> Value:
        """Return whether a message is there."""
        found = self._cell(fields).read()
        return found > 0 if self._copies else found

    def send(self, **fields: Value) -> None:
        """Send a message.

        Raises
        ------
        RangeError
            If all copies of it are there already.
        """
        cell = self._cell(fields)
        if not self._copies:
            cell.write(True)
            return
        if cell.read() >= self._copies:
            name = self._where.shown
            raise RangeError(name, f"{name} would have more than {self._copies} copies of a "
                                   f"message")  # fmt: skip
        cell.write(cell.read() + 1)

    def receive(self, **fields: Value) -> None:
        """Require that a message is there, and remove one copy of it."""
        require(self.has(**fields))
        cell = self._cell(fields)
        cell.write(cell.read() - 1 if self._copies else False)

    def remove(self, **fields: Value) -> None:
        """Require that a message is there, and remove one copy of it: it is lost."""
        self.receive(**fields)

    @property
    def size(self) -> Value:
        """The number of messages of this kind that are there, with their copies."""
        domains = self._kind.fields.values()
        keys = product(*(members(domain, self._where) for domain in domains))
        return sum(self._where.at(*key).read() for key in keys)


class MessagesView:
    """Messages on a state."""

    __slots__ = ("_of", "_where")

    def __init__(self, of: Messages, where: Where) -> None:
        self._of, self._where = of, where

    def __getattr__(self, name: str) -> KindView:
        if name not in self._of.kinds:
            has = ", ".join(self._of.kinds)
            raise SpecError(f"{self._where.shown} has no message {name!r} (its kinds: {has})")
        return KindView(self._of.kinds[name], self._where.part(name), self._of.copies)

    def _one(self, message: Message) -> tuple[KindView, dict[str, Any]]:
        if not isinstance(message, Message):
            raise SpecError(f"{self._where.shown}: a message is a parameter m=choose(...) of the "
                            f"action, or name its kind: s.{self._where.shown}.KIND")  # fmt: skip
        fields = fields_of(message._fields)
        assert fields is not None
        return getattr(self, message.kind), fields

    def has(self, message: Message) -> Value:
        """Return whether a message is there."""
        kind, fields = self._one(message)
        return kind.has(**fields)

    def send(self, message: Message) -> None:
        """Send a message, or a copy of it."""
        kind, fields = self._one(message)
        kind.send(**fields)

    def receive(self, message: Message) -> None:
        """Require that a message is there, and remove one copy of it."""
        kind, fields = self._one(message)
        kind.receive(**fields)

    def remove(self, message: Message) -> None:
        """Require that a message is there, and remove one copy of it: it is lost."""
        self.receive(message)

    @property
    def size(self) -> Value:
        """The number of messages that are there, with their copies."""
        store = self._where.spec._store
        return sum(store.read(leaf.variable, leaf.key) for leaf in self._of.leaves(self._where))

    @property
    def empty(self) -> Value:
        """Whether no message is there."""
        return self.size == 0

    def clear(self) -> None:
        """Remove all messages."""
        clear(self._of, self._where)

"""Who acts in a step: the lane of a chart in which it stands."""

from __future__ import annotations

import pytest

from counterpoint.models.checking.engines import check
from counterpoint.models.present.chart import chart
from counterpoint.models.present.lanes import arrange
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import (
    Array,
    Boolean,
    Index,
    Integer,
    Model,
    Spec,
    SpecError,
    Value,
    action,
    require,
    sometimes,
)


class Election(Spec):
    """Nodes vote for each other, clients ask, messages are sent, and time passes."""

    nodes = Index(3, names="i j", labels="N")
    clients = Index(2, names="c", labels="C")
    votes = Array(nodes, Integer(0, 1))
    sent = Array((nodes, nodes), Boolean())
    asked = Array(clients, Boolean())
    late = Boolean()

    @action
    def vote(s, i: int, j: int) -> None:
        """Let j vote for i."""
        require(i != j, s.votes[j] == 0)
        s.votes[j] = 1

    @action
    def send(s, i: int, j: int) -> None:
        """Send a message from i to j; it belongs to both."""
        require(i != j, s.sent[i, j] == False)  # noqa: E712
        s.sent[i, j] = True

    @action
    def ask(s, c: int) -> None:
        """Ask for something."""
        s.asked[c] = True

    @action
    def pass_time(s) -> None:
        """Let time pass."""
        s.late = True

    @sometimes
    def all_done(s) -> Value:
        """Everything happened."""
        return (s.votes[2] == 1) & s.sent[1, 0] & s.asked[1] & s.late

    @sometimes
    def asked_first(s) -> Value:
        """Nothing but a question."""
        return s.asked[0]


class ByReceiver(Election):
    """The same, where the author names who acts."""

    lane = "j"


class ByClient(Election):
    """The same, with lanes of clients."""

    lane = "clients"


def witness(spec: type[Spec], name: str = "all-done") -> Verdict:
    """Return the verdict on a witness."""
    model = Model(spec())
    return check(model, wanted=[model.property_named(name)])[0]


def lanes(spec: type[Spec]) -> dict[str, str]:
    """Return the label of the lane of each step, by its text."""
    labels, moves = arrange(witness(spec))
    assert len(moves) == 4
    return {move.text: labels[move.lane] for move in moves}


def test_a_step_stands_with_the_member_whose_variables_change() -> None:
    """A vote in the column of the candidate; a client's step in that of the environment."""
    found = lanes(Election)
    assert found.pop("ask") == "C1"
    assert found.pop("pass_time") == "environment"
    assert found.pop("send(N0)") == "N1"
    ((text, label),) = found.items()
    assert (text[:6], label) == ("vote(N", "N2")


def test_the_author_may_name_who_acts() -> None:
    """A lane of a parameter that is refused, or that counts only where the variables agree."""
    found = lanes(ByReceiver)
    assert found["send(N1)"] == "N0"
    assert found["ask"] == "C1"


def test_all_members_of_the_lane_index_have_a_lane_and_of_others_those_with_steps() -> None:
    """Columns of members that do nothing, or a step without a column."""
    assert arrange(witness(Election))[0] == ("N0", "N1", "N2", "C1", "environment")
    labels = arrange(witness(ByClient))[0]
    assert labels[:2] == ("C0", "C1")
    assert set(labels[2:]) <= {"N0", "N1", "N2", "environment"}
    assert arrange(witness(ByClient, "asked-first"))[0] == ("C0", "C1")


def test_equal_labels_of_two_indices_are_told_apart() -> None:
    """Two columns with one name."""

    class Plain(Election):
        nodes = Index(3, names="i j")
        clients = Index(2, names="c")
        votes = Array(nodes, Integer(0, 1))
        sent = Array((nodes, nodes), Boolean())
        asked = Array(clients, Boolean())

    labels = arrange(witness(Plain))[0]
    assert labels == ("nodes 0", "nodes 1", "nodes 2", "clients 1", "environment")


def test_a_lane_that_is_nothing_is_refused() -> None:
    """A misspelt lane that is ignored."""
    with pytest.raises(SpecError, match="lane is 'k', which is no index and no parameter"):
        type("Wrong", (Election,), {"lane": "k"})


def test_all_changes_are_shown_if_wanted() -> None:
    """A change that no option shows, a line too long, or a change in the column of another."""

    class Many(Spec):
        nodes = Index(2, names="n", labels="N")
        a_long_name_of_a_variable = Array(nodes, Integer(0, 9))
        another_long_name = Array(nodes, Integer(0, 9))
        short = Array(nodes, Integer(0, 9))
        more = Array(nodes, Integer(0, 9))

        @action
        def change_all(s, n: int) -> None:
            """Change everything."""
            s.a_long_name_of_a_variable[n] = 1
            s.another_long_name[n] = 1
            s.short[n] = 1
            s.more[n] = 1

        @sometimes
        def reached(s) -> Value:
            """Reached."""
            return s.more[1] == 1

    found = witness(Many, "reached")
    wanted = ("a_long_name_of_a_variable[N1]", "another_long_name[N1]", "short[N1]", "more[N1]")
    short = chart(found, 60)
    assert ", +" in short
    for width in (40, 60, 80, 120):
        text = chart(found, width, whole=True)
        assert "+" not in text
        joined = "".join(line.replace("│", " ").strip() for line in text.splitlines())
        assert all(f"{name} 0→1".replace(" ", "") in joined.replace(" ", "") for name in wanted)
        assert all(len(line) <= width for line in text.splitlines())
    assert chart(found, 60, whole=True).splitlines()[:4] == [
        "   N0 N1",
        "1  │  change_all  a_long_name_of_a_variable[N1] 0→1,",
        "   │  │           another_long_name[N1] 0→1, short[N1] 0→1,",
        "   │  │           more[N1] 0→1",
    ]

"""The notation in which specifications are written, as one import.

A specification is a class that declares parameters, variables, actions and properties::

    class Counter(Spec):
        processes = Index(2, names="p")
        counter = Integer(0, lambda s: len(s.processes))

        @action
        def add(s, p):
            require(s.counter < len(s.processes))
            s.counter = s.counter + 1

Actions and properties are plain Python. On the integers of a state they run as a simulator; on
symbolic values they give the guarded commands that the engines use. ``if``, ``and``, ``or`` and
``not`` on values of the state fork a symbolic run into two paths. ``ite``, ``every``, ``some``,
``no``, ``implies``, ``count``, ``minimum``, ``maximum`` and ``tabulated`` do not fork it: they
build one expression.
"""

from ._around import around_actions
from ._changes import readable_changes
from ._domains import DerivedIndex, choose, some_subset
from ._marks import (
    TEMPORAL,
    Disabled,
    action,
    constraint,
    decreases,
    eventually,
    finished,
    infinitely_often,
    initially,
    invariant,
    leads_to,
    lemma,
    refines,
    require,
    sometimes,
    stays,
    temporal,
    transition,
    until,
)
from ._model import Model
from ._mutants import Mutation, mutant
from ._parameters import Choice, Index, Number, Parameter
from ._records import Action, Claim, Explanation, Fairness, Picture, Property, Step
from ._spec import Spec
from ._starts import Values
from ._tables import tabulated
from .data.collections import Bag, Map
from .data.instances import Instance
from .data.messages import Messages
from .data.records import Record
from .data.sequences import Queue, Sequence
from .data.sets import Set
from .errors import RangeError, SpecError
from .formulas import (
    Formula,
    Shape,
    always,
    conditions_of,
    release,
    sometime,
    strong_until,
    weak_until,
)
from .symbolic import Symbolic, Value, count, every, implies, ite, maximum, minimum, no, some
from .variables import ANY, Array, Boolean, Integer, Member, Reference, Scalar

__all__ = [
    "ANY",
    "TEMPORAL",
    "Action",
    "Array",
    "Bag",
    "Boolean",
    "Choice",
    "Claim",
    "DerivedIndex",
    "Disabled",
    "Explanation",
    "Fairness",
    "Formula",
    "Index",
    "Instance",
    "Integer",
    "Map",
    "Member",
    "Messages",
    "Model",
    "Mutation",
    "Number",
    "Parameter",
    "Picture",
    "Property",
    "Queue",
    "RangeError",
    "Record",
    "Reference",
    "Scalar",
    "Sequence",
    "Set",
    "Shape",
    "Spec",
    "SpecError",
    "Step",
    "Symbolic",
    "Value",
    "Values",
    "action",
    "always",
    "around_actions",
    "choose",
    "conditions_of",
    "constraint",
    "count",
    "decreases",
    "eventually",
    "every",
    "finished",
    "implies",
    "infinitely_often",
    "initially",
    "invariant",
    "ite",
    "leads_to",
    "lemma",
    "maximum",
    "minimum",
    "mutant",
    "no",
    "readable_changes",
    "refines",
    "release",
    "require",
    "some",
    "some_subset",
    "sometime",
    "sometimes",
    "stays",
    "strong_until",
    "tabulated",
    "temporal",
    "transition",
    "until",
    "weak_until",
]

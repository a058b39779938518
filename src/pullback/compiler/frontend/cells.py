"""Let the tensors that a function comes upon hold values of a program while it is traced.

Each becomes a *cell*: an input of the program. It holds a tracer until the trace ends, and then again what it
held before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np
from numpy import ndarray

from ...array.named_tuples import NamedTuple
from ...array.strides import strides_of
from ...core.backward_task import nodes_behind
from ...core.hooks import HookDict, NodeHooks, forget_removed_hooks
from ...core.marked import Marked
from ...core.modes import modes
from ...core.node import LEAF, AccumulateGrad, Node, Nowhere
from ...core.recorder import Equation, Recorder, read_by
from ...core.tracer import Tracer, seen
from ...core.value import wrap
from ...core.versions import replace_data
from ...core.views import bring_up_to_date
from ...nn.parameter import Buffer, Parameter
from ...tensor.sparse import Sparse
from ...tensor.tensor import Tensor
from .captured import Cell
from .state.deferred import Number
from .state.guards import Alike
from .state.sparse_inputs import SparseInputs
from .unsupported import OnlyNow, Unsupported

if TYPE_CHECKING:
    from .state.session import Session

_PAST = "it goes backward through what happened before the call"
#: Classes of tensors that a program may be given.
_CLASSES = (Tensor, Parameter, Buffer)


#: What a view brought up to date depends on, of its base: the slots, and where `_Slots` has them.
_HISTORY = {
    "_value": "value", "_node": "node", "_level": "level", "_accumulator": "accumulator",
    "_leaf_hooks": "hooks", "_rearranged": "rearranged",
}  # fmt: skip


class _Slots(NamedTuple):
    """Hold what a tensor held before the trace."""

    tensor: Any
    value: Any
    node: Any
    view: Any
    level: int
    counter: list[int]
    grad: Any
    accumulator: Any
    hooks: Any
    rearranged: Any
    retained: bool


class Cells:
    """The tensors that a trace has come upon, in order.

    Parameters
    ----------
    given
        The tensors among the arguments.
    phantoms : bool
        Whether leaves without a gradient get a stand-in for one.
    """

    #: The reads of the trace; it is told after both are made.
    session: Session

    def __init__(self, recorder: Recorder, given: Iterable[Any], phantoms: bool) -> None:
        self.recorder = recorder
        self.phantoms = phantoms
        self.given = {id(t): t for t in given}
        self.tensors: list[Any] = []
        #: Where a call finds each of them.
        self.found: list[Cell] = []
        #: Their values' numbers in the program.
        self.inputs: list[int] = []
        #: Arguments that the function comes upon elsewhere, too, by their number.
        self.alike: dict[int, Any] = {}
        #: The attributes that the user must not have set on arguments, by the cell.
        self.unset: dict[int, set[str]] = {}
        #: Of the inputs that are not in C order, by their numbers.
        self.strides: dict[int, tuple[int, ...]] = {}
        #: The stand-ins for gradients, by the cell.
        self.phantom: dict[int, Any] = {}
        self.phantom_values: set[int] = set()
        self.index: dict[int, int] = {}
        self.before: list[_Slots] = []
        self._leaves: list[bool] = []
        self._sparse = SparseInputs(lambda why: self.session.refusal(why))
        #: The tensors with a history from before the call, by identity; for the trace it ends at them.
        self._continued: dict[int, Any] = {}
        recorder.pulls = self._check_pulled
        recorder.gives = self._gives
        #: By the cell, what the function assigns to its ``.data``.
        self.given_data: dict[int, Any] = {}
        #: The tensors whose gradients `autograd.grad` was asked for, or whose hooks ran, by identity.
        self.differentiated: set[int] = set()
        #: The hooks that leaves have in the trace, by the cell; their own ones, and what is in these.
        self._hooked: dict[int, NodeHooks] = {}
        self._hooks: list[tuple[HookDict, HookDict]] = []
        #: The cells whose gradients must be absent, because a covector came to be the first.
        self.absent: set[int] = set()
        recorder.absent = self._is_absent

    # --- what tensors are -----------------------------------------------------------------------------------

    def is_cell(self, t: object) -> bool:
        """Return whether the function came upon a tensor."""
        return id(t) in self.index

    def is_argument(self, t: object) -> bool:
        """Return whether the function was given a tensor."""
        return id(t) in self.given

    def without(self, t: object, name: str) -> None:
        """Note that the program depends on an argument having no attribute of a name."""
        self.unset.setdefault(self.index[id(t)], set()).add(name)

    def is_stand_in(self, t: object) -> bool:
        """Return whether a tensor stands for a gradient that is absent."""
        return any(t is each for each in self.phantom.values())

    def is_traced(self, t: Any) -> bool:
        """Return whether a tensor holds a value of the program."""
        value = t._value
        return isinstance(value, Tracer) and value.recorder is self.recorder

    def has_history(self, t: object) -> bool:
        """Return whether an input is the result of something that happened before the call."""
        return id(t) in self._continued

    def _check_pulled(self, roots: Iterable[Node], wanted: Iterable[Node]) -> None:
        """Refuse to look for the gradient of a tensor that may be behind the history of another one."""
        places = [node.variable for node in wanted if type(node) is AccumulateGrad]
        self.differentiated.update(map(id, places))
        if not self._continued:
            return
        for node in nodes_behind(roots):
            if type(node) is AccumulateGrad and id(node.variable) in self._continued:
                if any(place is not node.variable for place in places):
                    raise self.session.refusal(_PAST)

    def _gives(self, t: Any, other: Any) -> bool:
        """Take what a tensor is given for its ``.data``, if that is new memory which nothing else shares.

        Each call gives it to a cell then, whose old memory others may still have: a target network that is
        ``t.data = m * t.data + (1 - m) * p.data`` (1.44 of torch's time when it ran eagerly). What the trace
        has made shares the memory from there on.
        """
        at = self.index.get(id(t))
        if not self.is_traced(t) or not self.is_traced(other):
            return False
        if at is None:
            if any(s is not t for s in self.recorder.beside(t)):
                return False
        elif self.found[at].kind not in ("fixed", "place") or not (
            at in self.given_data or t._value.index == self.inputs[at]
        ):  # fmt: skip
            return False
        kinds = [(s._value.shape, s._value.dtype, s._rearranged, s._inference) for s in (t, other)]
        there = self.recorder.beside(other)
        if kinds[0] != kinds[1] or t._view is not None or any(map(self.is_cell, there)):
            return False
        if any(s is cell._grad for cell in self.tensors for s in there):
            return False
        if at is None:
            self.recorder.share(other, t, "data")
        else:
            self.given_data[at] = wrap(other._value, None, other._level)
            self.recorder.replaced += (ref(s) for s in (t, *there))
        replace_data(t, other._value)
        return True

    def _is_absent(self, t: Any) -> bool:
        """Return whether a tensor has a stand-in for a gradient; then it must have none in each call."""
        at = self.index.get(id(t))
        stand_in = None if at is None else self.phantom.get(at)
        if at is None or t._grad is not stand_in or stand_in._value.index not in self.phantom_values:
            return False
        self.absent.add(at)
        return True

    def is_part(self, t: Any, others: Collection[int]) -> bool:
        """Return whether a tensor is a view, or shares memory with one of others, told by identity."""
        if not self.is_cell(t):
            return t._view is not None
        own = self.before[self.index[id(t)]]
        arrays = [self.before[self.index[key]].value for key in others if key in self.index]
        return own.view is not None or any(np.may_share_memory(own.value, array) for array in arrays)

    def had_gradient(self, at: int) -> bool:
        """Return whether a cell had a gradient when the call began."""
        return self.before[at].grad is not None

    # --- meeting tensors ------------------------------------------------------------------------------------

    def add(self, t: Any, cell: Cell) -> None:
        """Make a tensor an input, found by `cell`, unless it is one."""
        known = self.index.get(id(t))
        if known is not None:
            if "grad" in (cell.kind, self.found[known].kind):
                raise self.session.refusal("a gradient is found elsewhere, too", OnlyNow)
            return
        if type(t) not in _CLASSES:
            raise self.session.refusal(f"it is given a {type(t).__name__}, which is a class of tensors")
        if type(t._value) is Marked:
            raise self.session.refusal("a tensor is a view that conjugates or negates")
        if t._level or type(t._value) is not ndarray:
            raise self.session.refusal("a tensor belongs to a transform that is running")
        if t._view is not None:
            self._bring_up_to_date(t)
        if type(t._node) is Nowhere:
            raise self.session.refusal("a view was not recorded, of what requires gradients")
        forget_removed_hooks(t)
        hooks = t._leaf_hooks
        if hooks is not None and hooks.on_leaf() is False:
            raise self.session.refusal("a leaf has hooks")
        self.index[id(t)] = at = len(self.tensors)
        self.tensors.append(t)
        self.found.append(cell)
        self._convert(at)
        if self.before[at].grad is not None:
            self.add(self.before[at].grad, Cell("grad", at))

    def _bring_up_to_date(self, view: Any) -> None:
        """Give a view what its base had when the call began, though that may hold a value of the program."""
        base = view._view.base
        at = self.index.get(id(base))
        traced = [getattr(base, name) for name in _HISTORY]
        if at is not None:
            for name, kept in _HISTORY.items():
                setattr(base, name, getattr(self.before[at], kept))
        try:
            bring_up_to_date(view)
        except RuntimeError as error:
            raise self.session.refusal("a view must not be used any more", OnlyNow) from error
        finally:
            if at is not None:
                self.before[at] = self.before[at]._replace(accumulator=base._accumulator)
                for name, value in zip(_HISTORY, traced, strict=True):
                    setattr(base, name, value)

    def meet(self, t: Any, place: Any, told: bool = False) -> None:
        """Make a tensor that the function comes upon an input, unless it is one; `place` is the guard of the
        place that it is found by, or the number that it stands for.

        A tensor that is found by a place and otherwise, too, is told by its identity after all: a call that
        finds another one in the place is another program's. One that is `told` from others is not found.
        """
        if isinstance(t, Sparse):
            self._meet_sparse(t, place)
            return
        known = self.index.get(id(t))
        if known is None:
            if not isinstance(t._value, Tracer):
                kind = "number" if isinstance(place, Number) else "place"
                self.add(t, Cell("fixed", t) if place is None else Cell(kind, place))
            return
        cell = self.found[known]
        if place is None:
            if cell.kind == "place":
                self.found[known] = Cell("fixed", t)
                self.session.guards.append(cell.where)
            elif cell.kind == "argument":
                self.alike[cell.where] = t
            elif cell.kind == "grad" and not told:
                raise self.session.refusal("a gradient is found elsewhere, too", OnlyNow)
        elif cell.kind == "place":
            self.session.guards.append(Alike(place, cell.where))
        elif cell.kind == "fixed":
            self.session.guards.append(place)
        else:
            why = "a place that each call changes holds an argument or a gradient"
            raise self.session.refusal(why, OnlyNow)

    def _meet_sparse(self, t: Sparse, place: Any) -> None:
        values = t._plain
        if type(values._value) is Tracer and id(values) not in self.index:
            return  # the trace has made it
        guard = self._sparse.meet(t)
        if place is not None:
            self.session.guards.append(place)
        if guard is not None:
            self.session.guards.append(guard)
            self.meet(values, None)

    def _convert(self, at: int) -> None:
        """Let a tensor hold a value of the program until the trace ends."""
        t, recorder = self.tensors[at], self.recorder
        self.before.append(
            _Slots(
                t, t._value, t._node, t._view, t._level, t._counter, t._grad, t._accumulator, t._leaf_hooks,
                t._rearranged, t._retained,
            )
        )
        lies = t._value
        t._value = recorder.new(lies.shape, lies.dtype)
        if not lies.flags.c_contiguous:
            recorder.layouts.given(t._value.index, lies)
            self.strides[t._value.index] = strides_of(lies)
        t._level = recorder.level
        t._view = None
        if modes().inference or not t._inference:  # which refuses to be saved in the trace, too
            t._counter = [0]
        if t._node is not None:
            if t._node is not LEAF:
                self._continued[id(t)] = t
            t._node = LEAF
            t._accumulator = None
            t._leaf_hooks = None
            if self.before[at].hooks is not None and type(self.before[at].hooks.on_leaf()) is tuple:
                t._leaf_hooks = self._hooked[at] = self._seen_hooks(t, self.before[at].hooks)
        self.inputs.append(t._value.index)
        self._leaves.append(t._node is LEAF)
        # If no stand-in for an absent gradient is read, its absence does not matter.
        if self.phantoms and t._node is LEAF and t._grad is None:
            stand_in = wrap(recorder.new(t._value.shape, t._value.dtype), None, recorder.level)
            t._grad = self.phantom[at] = stand_in
            self.phantom_values.add(stand_in._value.index)

    def _seen_hooks(self, t: object, hooks: NodeHooks) -> NodeHooks:
        """Return what calls the hooks of a leaf where the trace goes backward, which sees what they do."""

        def of(hook: object) -> Any:
            def called(given: object) -> Any:
                self.differentiated.add(id(t))
                if isinstance(hook, (type, BuiltinFunctionType)):
                    raise self.session.refusal("a leaf has a hook that is no function of Python's")
                return seen(hook)(given)

            return called

        def all_of(own: HookDict) -> HookDict:
            self._hooks.append((own, own.copy()))
            return HookDict((n, of(hook)) for n, hook in own.items())

        made = NodeHooks()
        made.tensor = {k: all_of(own) for k, own in hooks.tensor.items()}
        made.accumulated = all_of(hooks.accumulated)
        return made

    def _take_hooks_off(self) -> None:
        """Leave hooks to the leaves themselves, which get what the pullback of a result gives them."""
        for at, own in self._hooked.items():
            t, there = self.tensors[at], self.before[at].hooks
            if t._leaf_hooks is not own or own.on_leaf() != there.on_leaf():
                raise Unsupported("a tensor that the function is given gets or loses hooks")
            t._leaf_hooks = None
            node = None if t._accumulator is None else t._accumulator()
            if node is not None:
                node._hooks = None

    # --- the end of the trace -------------------------------------------------------------------------------

    def held(self) -> list[Any]:
        """Return what tensors and gradients hold."""
        grads = [t._grad for t in self.tensors]
        return [*(t._value for t in self.tensors), *grads, *(None if g is None else g._value for g in grads)]

    def stand_in_was_read(self, equations: Sequence[Equation], numbers: Collection[int]) -> bool:
        """Return whether the program, whose outputs are `numbers`, reads a gradient that is absent."""
        if not self.phantom:
            return False
        return not self.phantom_values.isdisjoint(read_by(equations).union(numbers))

    def check_sparse(self) -> None:
        """Refuse sparse tensors that the function has changed."""
        self._sparse.check()

    def check(self) -> None:
        """Refuse what a call cannot do to the tensors it is given."""
        self._take_hooks_off()
        for at, t in enumerate(self.tensors):
            if not self.is_traced(t):
                raise Unsupported("the data of a tensor that the function is given are replaced")
            if t._view is not None or t._rearranged is not self.before[at].rearranged:
                raise Unsupported("a tensor that the function is given is transposed in place")
            if t._node not in (None, LEAF) or (self.has_history(t) and t._node is None):
                raise Unsupported("a tensor that the function is given gets or loses a history")
            if t._leaf_hooks is not None or t._retained:
                raise Unsupported("a tensor that the function is given gets hooks")
            if id(t) in self._continued and t._grad is not self.before[at].grad:
                own = self.phantom.get(at)
                if own is None or t._grad is not own or own._value.index not in self.phantom_values:
                    raise Unsupported(_PAST)
            number, recorder = self.inputs[at], self.recorder
            if (t._value.shape, t._value.dtype) != (recorder.shapes[number], recorder.dtypes[number]):
                raise Unsupported("a tensor that the function is given changes its shape or dtype")

    def new_leaves(self) -> list[int]:
        """Return the cells that require no grad before the call and do after it."""
        found = [at for at, t in enumerate(self.tensors) if t._node is LEAF and not self._leaves[at]]
        if any(self.found[at].kind not in ("argument", "fixed") for at in found):
            raise Unsupported("a tensor that each call finds anew becomes a leaf")
        return found

    def former_leaves(self) -> list[Any]:
        """Return the tensors that require grad before the call and none after it."""
        found = [at for at, t in enumerate(self.tensors) if t._node is None and self._leaves[at]]
        if any(self.found[at].kind != "fixed" for at in found):
            raise Unsupported("a tensor that is given to the function, or found anew, is no leaf any more")
        return [self.tensors[at] for at in found]

    def was_leaf(self, at: int) -> bool:
        """Return whether a cell required grad when the call began."""
        return self._leaves[at]

    def put_back(self) -> None:
        """Let the tensors hold what they held before the trace."""
        self._sparse.put_back()
        for own, there in self._hooks:
            if own != there:
                own.clear()
                own.update(there)
        for slots in self.before:
            t = slots.tensor
            t._node, t._view, t._level = slots.node, slots.view, slots.level
            t._counter, t._grad = slots.counter, slots.grad
            # A graph that another thread has made meanwhile ends at the one that there is now. Where that has
            # other hooks it is of the trace.
            before, now = (v and v() for v in (slots.accumulator, t._accumulator))
            if slots.node is not LEAF or before is not None or now is None or now._hooks is not slots.hooks:
                t._accumulator = slots.accumulator
            if t._leaf_hooks is not slots.hooks:
                t._leaf_hooks = slots.hooks
            if t._rearranged is not slots.rearranged:
                t._rearranged = slots.rearranged
            if t._retained is not slots.retained:
                t._retained = slots.retained
            t._value = slots.value  # what other threads wait for

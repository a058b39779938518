"""Say what a function returned, told so that a later call can give the same: which tensors are new, and which
share the memory of others.

A result that is a view of another tensor, of the function's own or of the caller's, is had by running its
view ops on that tensor when the program has run; so it shares memory, is a view and has a history exactly
where eager's does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ...array.named_tuples import NamedTuple
from ...array.strides import address
from ...core.modes import change, set_modes
from ...core.node import LEAF, Nowhere
from ...core.recorder import Recorder
from ...core.tracer import Tracer
from ...core.value import TensorBase
from ...core.versions import NoVersions
from ...core.views import DEFAULT_VIEW, INFERENCE_VIEW, MULTI_VIEW, NO_GRAD_VIEW, bring_up_to_date, replay
from ...nn.parameter import Buffer, Parameter
from ..runtime.placement import Memory, Placement
from .outgoing import Given, GivenContainer
from .state.deferred import Deferred, tensors_of
from .unsupported import Unsupported


class Result(NamedTuple):
    """Say where a tensor comes from, or a value that is the same in every call."""

    #: ``"cell"``, ``"grad"``: a tensor that the call was given, or its gradient, by the number of the cell;
    #: ``"made"``: new tensor number `at`; ``"view"``: the view ops `at` of the tensor `source`; ``"alias"``:
    #: its method or property `at`, which shares its memory; ``"number"``: a deferred value and the tensors
    #: that it needs; ``"container"``: one among the arguments; ``"value"``: `at` itself; ``"again"``: what
    #: result number `at` is.
    kind: str
    at: Any
    source: Result | None = None
    #: Whether a view was taken in grad mode, and in inference mode.
    recorded: bool = True
    inference: bool = False
    #: How often the function writes to what ``source.data`` gave, as `Made.version`.
    version: int | None = 0

    def reads_gradient(self) -> bool:
        """Return whether it is a gradient, or shows or is computed from one, which the call sets last."""
        if self.kind == "number":
            return any(source.reads_gradient() for source in self.at[1].values())
        return self.kind == "grad" or (self.source is not None and self.source.reads_gradient())

    def tensor(self, cells: Sequence[Any], made: Sequence[Any]) -> Any:
        """Return the result, of the tensors of a call."""
        if self.kind == "value":
            return self.at
        if self.kind == "container":
            return self.at.of_call()
        if self.kind == "number":
            value, sources = self.at
            return value.evaluate(lambda t: sources[id(t)].tensor(cells, made))
        if self.kind in ("cell", "grad"):
            return cells[self.at] if self.kind == "cell" else cells[self.at]._grad
        if self.kind == "made":
            return made[self.at]
        assert self.source is not None
        source = self.source.tensor(cells, made)
        if self.kind == "alias":
            if self.at == "detach":
                return source.detach()
            shown = source.data
            shown._counter = counter(self.version)
            return shown
        before = change(grad=self.recorded, inference=self.inference)
        try:
            return replay(source, self.at)
        finally:
            set_modes(before)


class Made(NamedTuple):
    """A new tensor."""

    #: The program's output; None where it has the memory of a cell.
    output: int | None
    #: Its place among those with a history that can be pulled back.
    differentiable: int | None
    leaf: bool
    #: Of the value that it is in the trace.
    number: int
    #: How it lies in that output, or in a cell; None where it is an output as the program makes it.
    placement: Placement | None = None
    #: Its place among those with a history that cannot be pulled back.
    refused: int | None = None
    #: How often the function writes to it; None of an inference tensor, of which that is not counted.
    version: int | None = 0

    def counter(self) -> list[int]:
        """Return a new counter of its versions."""
        return counter(self.version)


def counter(version: int | None) -> list[int]:
    """Return a new counter that has counted so many writes; None for that of an inference tensor."""
    return NoVersions() if version is None else [version]


class Results:
    """Find where the leaves of what a function returned come from.

    Parameters
    ----------
    cells, grads : dict of int to int
        By the identity of a tensor that the call was given, or of the gradient of one, the cell's number.
    output : callable
        Makes a value an output of the program and returns the output's number.
    """

    def __init__(
        self, recorder: Recorder, cells: dict[int, int], grads: dict[int, int], memory: Memory,
        output: Callable[[int], int],
    ) -> None:  # fmt: skip
        self.made: list[Made] = []
        #: The new tensors that have a history.
        self.roots: list[Any] = []
        self.tensors: list[Any] = []
        self._recorder = recorder
        self._cells = cells
        self._grads = grads
        self._memory = memory
        self._output = output
        self._outputs: dict[tuple[int, int | None], int] = {}
        self._place: dict[int, int] = {}
        self._shared = {
            id(tensor): (owner, alias.steps, alias.how)
            for memory in recorder.shared
            for alias in memory.aliases
            if (tensor := alias.tensor()) is not None and (owner := alias.owner()) is not None
        }
        self._given: set[int] = set()
        #: Tensors that several leaves are, or whose memory several leaves have through them.
        self._together: set[int] = set()

    def of(self, leaves: Sequence[Any]) -> list[Result]:
        """Return where each leaf comes from."""
        tensors = [leaf for leaf in leaves if isinstance(leaf, TensorBase)]
        self._given = {id(self._owner(t)) for t in tensors if id(t) not in self._shared}
        behind = {id(t): self._behind(t) for t in tensors}.values()
        self._together = {owner for owner, times in Counter(chain(*behind)).items() if times > 1}
        first: dict[int, int] = {}
        found: list[Result] = []
        for n, leaf in enumerate(leaves):
            if id(leaf) in first:
                found.append(Result("again", first[id(leaf)]))
                continue
            found.append(self._leaf(leaf))
            if isinstance(leaf, TensorBase) and found[-1].kind in ("view", "alias"):
                first[id(leaf)] = n
        return found

    def _leaf(self, leaf: object) -> Result:
        if isinstance(leaf, TensorBase):
            return self._of(leaf)
        if isinstance(leaf, Deferred):
            return Result("number", (leaf, {id(t): self._of(t) for t in tensors_of(leaf)}))
        if isinstance(leaf, GivenContainer):
            return Result("container", leaf)
        return Result("value", leaf.thing if isinstance(leaf, Given) else leaf)

    @staticmethod
    def _owner(t: Any) -> Any:
        return t if t._view is None else t._view.base

    def _of(self, t: Any) -> Result:
        if id(t) in self._cells:
            return Result("cell", self._cells[id(t)])
        if id(t) in self._grads:
            return Result("grad", self._grads[id(t)])
        if t._retained or t._leaf_hooks is not None:
            raise Unsupported("a result keeps its gradient or has hooks")
        if self._shows_other(t):
            owner, steps, how = self._shared[id(t)]
            plain = t._node is None and t._view is None and not t._rearranged
            if not plain or how not in ("detach", "data") or (steps and owner._rearranged):
                raise Unsupported("a result shares the memory of another tensor, and is more than that")
            source = self._of(owner)
            if source.kind != "made":
                self._check_counts(how, t)
            if steps:
                source = Result("view", steps, source, recorded=False)
            return Result("alias", how, source, version=self._version(t))
        if t._view is None:
            return Result("made", self._new(t))
        return self._view(t)

    def _check_counts(self, how: str, t: object) -> None:
        if how == "data" and id(t) in self._together:
            raise Unsupported("results count writes together, apart from those to the tensor beside them")

    def _behind(self, t: object) -> Iterator[int]:
        """Yield the tensors from whose memory a tensor has its own, by their identities."""
        owner = self._owner(t)
        yield id(owner)
        if id(owner) in self._shared:
            yield from self._behind(self._shared[id(owner)][0])

    def _shows_other(self, t: object) -> bool:
        """Return whether a tensor has the memory of one that is given or a result, and is no view of it."""
        owner = self._shared[id(t)][0] if id(t) in self._shared else None
        is_left = id(owner) in self._cells or id(owner) in self._given
        return owner is not None and (is_left or self._shows_other(owner))

    def _view(self, t: Any) -> Result:
        record = t._view
        bring_up_to_date(t)
        source = self._of(record.base)
        leads = record.base._node is not None
        known = {DEFAULT_VIEW, MULTI_VIEW, NO_GRAD_VIEW, INFERENCE_VIEW}
        recorded = record.creation in (DEFAULT_VIEW, MULTI_VIEW)
        # A view made before its base was set to require grad has no node, and a new one would.
        early = recorded and type(t._node) is Nowhere
        if source.kind == "alias":
            self._check_counts(source.at, record.base)
        if record.creation not in known or t._node is LEAF or early or (t._node is not None and not leads):
            raise Unsupported("a result is a view with a history of its own")
        if recorded and leads and t._node is None:
            raise Unsupported("a result is a view that was cut from its history")
        return Result("view", record.steps, source, recorded, record.creation == INFERENCE_VIEW)

    def _new(self, t: Any) -> int:
        known = self._place.get(id(t))
        if known is not None:
            return known
        if t._rearranged:
            raise Unsupported("a result was transposed in place")
        if isinstance(t, (Parameter, Buffer)):
            raise Unsupported("a result is a parameter or a buffer that the function makes")
        traced = isinstance(t._value, Tracer) and t._value.recorder is self._recorder
        leaf = t._node is LEAF
        if leaf and t._grad is not None:
            raise Unsupported("a result is a leaf with a gradient")
        which = None
        if t._node is not None and not leaf:
            if not traced:
                raise Unsupported("a result has a history outside the function")
            which = len(self.roots)
            self.roots.append(t)
        self._place[id(t)] = len(self.made)
        number = self._recorder.operand(t._value)[0].index
        if self._memory.was_overwritten(number):
            raise Unsupported("a result shares memory that the function has written to")
        value, placement = self._memory.backing(number)
        output = None
        if value is not None:
            # Constants of the same numbers are one value of the program, and lie apart still.
            key = value, None if traced else address(np.asarray(t._value))
            if key in self._outputs and placement is None:
                placement = self._memory.whole(value)
            output = self._outputs.get(key)
            if output is None:
                output = self._outputs[key] = self._output(value)
        self.made.append(Made(output, which, leaf, number, placement, version=self._version(t)))
        self.tensors.append(t)
        return len(self.made) - 1

    def _version(self, t: Any) -> int | None:
        return None if t._inference else self._recorder.times_written(t)

"""Hold a call that was written down: its programs, and how their values are tied to tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...array.named_tuples import NamedTuple
from ...core.value import TensorBase
from ...tensor.tree import tree_unflatten
from ..program.program import Program
from .results import Made, Result
from .state.deferred import Numbers
from .state.draws import Draws
from .state.guards import Guard

if TYPE_CHECKING:
    from ...core.hooks import NodeHooks
    from ..runtime.apart import Apart

#: Shape and dtype.
Kind = tuple[tuple[int, ...], np.dtype[Any]]


class Cell(NamedTuple):
    """Say where a call finds a tensor: an argument, fixed, in a place, of a number, or a gradient."""

    kind: str
    where: Any

    def now(self) -> Any:
        """Return the tensor that stands in a place; None where there is none."""
        found = self.where.read(self.where.container, self.where.key)
        return found if isinstance(found, TensorBase) else None

    def tensor(self, arguments: Sequence[Any], cells: Sequence[Any]) -> Any:
        """Return the tensor that stands there now."""
        if self.kind == "argument":
            return arguments[self.where]
        if self.kind == "place":
            return self.now()
        if self.kind == "fixed":
            return self.where
        if self.kind == "number":
            return self.where.tensor()
        parent = cells[self.where]
        return None if parent is None else parent._grad


class Saved(NamedTuple):
    """Hold what the pullback reads: an output of the forward program, or a cell the call does not change."""

    output: int | None
    cell: int | None
    #: The new tensor that it is, whose version counts; the output is its array unless that lies otherwise.
    made: int | None
    #: Whether operations have saved the cell itself, which shows them the data that it is assigned later.
    itself: bool = False


class Captured:
    """A call written down."""

    program: Program
    #: It takes the saved values and the covectors; None where no result requires grad.
    pullback: Program | None
    #: The tensors whose values are the program's inputs, in order.
    cells: list[Cell]
    #: (cell, output): what the call writes in place.
    writes: list[tuple[int, int]]
    #: Cells that are copied together: as of one that is written to, no other may have a part of it.
    copied: list[int]
    #: Cells that require no grad before the call and do after it.
    new_leaves: list[int]
    #: Whether the results hold containers among the arguments, and whether the call changes these.
    holds_given: bool
    changes_given: bool
    #: The numbers that each call draws from Python's and NumPy's generators, if it draws any.
    draws: Draws | None
    #: How often each of these is written to, as its version counts.
    counts: list[int]
    #: (cell, output, times): what `.grad` of a cell is after the call, None for None, and how often that was
    #: written to; None of an inference tensor, of which that is not counted.
    grads: list[tuple[int, int | None, int | None]]
    #: The new tensors among the results, and those that results are views of.
    made: list[Made]
    #: Of the leaves of what the function returned, then of the arguments of the effects.
    results: list[Result]
    #: What the call does to Python's objects after its program: functions, and the trees of their arguments,
    #: whose leaves are the last of `results`.
    effects: list[tuple[Callable[..., Any], Any]]
    #: What must be as it was for the program to be right.
    guards: list[Guard]
    #: Those of them that are what backward will read of custom functions.
    later: list[Guard]
    #: Numbers that the program depends on and does not compare itself: the place among the results, and what
    #: it must be.
    late: list[tuple[int, Any]]
    #: The lines at which the function has asked for them.
    asked: list[str]
    #: The numbers among the arguments that may be others in each call, by their places among the leaves, and
    #: where a call puts them.
    varying: frozenset[int]
    numbers: Numbers
    #: The tensors that the function came upon, read by the program or not: an argument is none of them.
    met: list[Any]
    #: Arguments that the function came upon elsewhere, too: their numbers, and which tensors they must be.
    alike: dict[int, Any]
    #: The attributes that the user must not have set on arguments, by the cell.
    unset: dict[int, set[str]]
    #: The containers of the user's that the call changes, and objects that it tells from arguments, by
    #: identity: none of them is an argument.
    elsewhere: set[int]
    #: Cells whose hooks the call may have to run: it adds to their gradients, or asks for these.
    accumulated: list[int]
    #: Of those, the hooks that they have, which are in the program, and what `on_leaf` says of them.
    hooked: dict[int, tuple[NodeHooks, Any]]
    #: The strides of the program's inputs that are not in C order, and of draws (see `Program`).
    strides: dict[int, tuple[int, ...]]
    structure: Any
    saved: list[Saved]
    #: The values of the pullback that are cells for which `Saved.itself` holds, and the cells.
    saved_themselves: dict[int, int]
    #: Of the inputs that get covectors: the cell, and the pullback's output.
    pulled: list[tuple[int, int | None]]
    #: Shape and dtype of the results that have a history.
    differentiable: list[Kind]
    #: For each of them, the outputs of the pullback that its covector reaches.
    arrives: list[set[int]]
    #: They one by one, where there are several.
    apart: Apart | None = None
    #: Of those that cannot be pulled back (the function has done so itself, say), the error, and to which
    #: places of `pulled` their histories lead.
    refused: list[tuple[Kind, Exception, list[int]]]
    #: Cells whose `.grad` must be None, or not None, as at the trace.
    grad_absent: list[int]
    grad_present: list[int]
    #: Takes back what the trace has left, as the state of an optimizer, and what was drawn.
    undo: Callable[[], None]
    #: The user's instructions that equations come from, by the number of a value; None where none are noted.
    places: dict[int, Any] | None


def rebuilt(captured: Captured, leaves: Sequence[Any]) -> list[Any]:
    """Return what the function returned, of the tensors of a call, and the arguments of each effect."""
    found, at = [], 0
    for structure in (captured.structure, *(structure for _, structure in captured.effects)):
        found.append(tree_unflatten(leaves[at : at + structure.num_leaves], structure))
        at += structure.num_leaves
    return found

"""Save values of nodes and read them back.

The parameter names of an op's rules decide what is saved; `Layout` works that out once, at declaration. A
node's `saved` is one flat tuple: a triple (value, version counter, version) per saved input or output, then
metadata such as `shape_x`, then the attributes. A value whose version has moved on raises torch's "modified
by an inplace operation".
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from ..array.deferred_import import import_later
from ..errors import type_name
from .blame import is_freed
from .holders import base_of, holder_of
from .marked import Marked, resolved
from .modes import change_grad, modes
from .node import LEAF, AccumulateGrad, MultiNode, Node, Nowhere, Output
from .value import InnerValue, TensorBase, shape_of, wrap
from .versions import holders, is_stale

errors = import_later(".graph_errors", __package__)
saved_errors = import_later(".saved_errors", __package__)

#: What a version counter says of a tensor that `detach_` took out of the graph, in place of a node's name.
DETACHED = "detached"
#: Version counter of what can never be written to (scalars, packed values).
FROZEN: list[Any] = [0]


class Packed:
    """A saved value that went through a user's pack hook."""

    __slots__ = ("packed", "unpack")

    def __init__(self, packed: object, unpack: Callable[[Any], Any]) -> None:
        self.packed = packed
        self.unpack = unpack


def parameter_names(function: Callable[..., Any]) -> list[str]:
    """Return names of a function's parameters, from the code object: 1 µs where `inspect` takes 40."""
    if (code := getattr(function, "__code__", None)) is None or hasattr(function, "__wrapped__"):
        return list(inspect.signature(function).parameters)
    return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def picker(places: Sequence[int]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what picks the values at some places, always as a tuple."""
    if not places:
        return lambda saved: ()
    if len(places) == 1:
        only = places[0]
        return lambda saved: (saved[only],)
    return itemgetter(*places)


class Layout:
    """Order of a node's saved tuple, from the parameter names of the op's rules, of which the first is the
    covector.

    A rule may ask for any of the op's names, for ``shape_<input>``, and for `out` (the first output). What
    `kept` names is saved whatever the rules ask for.
    """

    def __init__(
        self,
        op_name: str,
        inputs: Sequence[str],
        attrs: Sequence[str],
        outputs: Sequence[str],
        rules: Sequence[Callable[..., Any] | None],
        kept: Sequence[str] = (),
    ) -> None:
        wanted = [parameter_names(rule)[1:] if rule is not None else [] for rule in rules]
        self.wanted = wanted
        asked = {name for names in wanted for name in names} | set(kept)
        self.asked = asked
        self.kept = frozenset(kept)
        self.inputs = tuple(inputs)
        self.values = tuple(n for n in (*inputs, *outputs) if n in asked)
        self.metadata = tuple(n for n in (f"shape_{i}" for i in inputs) if n in asked)
        self.attrs = tuple(attrs)
        if unknown := asked - set(self.values) - set(self.metadata) - set(attrs) - {"needs"}:
            raise TypeError(f"op {op_name}: a rule asks for {sorted(unknown)}, which the op does not have")
        self.position = {name: 3 * i for i, name in enumerate(self.values)}
        base = 3 * len(self.values)
        self.position |= {name: base + i for i, name in enumerate((*self.metadata, *attrs))}
        self.metadata_inputs = tuple(inputs.index(name.removeprefix("shape_")) for name in self.metadata)
        self.input_index = tuple(inputs.index(n) if n in inputs else -1 for n in self.values)
        self.output_index = tuple(outputs.index(n) if n in outputs else -1 for n in self.values)
        self.count = len(self.values)
        #: Where what each rule asks for stands in the saved tuple.
        self.places = tuple([tuple([self.position[n] for n in names if n != "needs"]) for names in wanted])
        self.pickers = tuple(map(picker, self.places))
        #: Where a name stands once version counters are left out.
        self.short = {name: p // 3 if p < base else p - 2 * self.count for name, p in self.position.items()}
        self._needed: dict[tuple[bool, ...], tuple[bool, ...]] = {}
        self._sources: dict[tuple[bool, ...], tuple[tuple[int, int], ...]] = {}

    def needed(self, wants: tuple[bool, ...]) -> tuple[bool, ...]:
        """Return which values must be saved when only the inputs marked in `wants` need a covector."""
        if (found := self._needed.get(wants)) is None:
            asked = {n for names, want in zip(self.wanted, wants, strict=True) if want for n in names}
            asked |= self.kept
            found = self._needed[wants] = tuple(n in asked for n in self.values)
        return found

    def sources(self, wants: tuple[bool, ...]) -> tuple[tuple[int, int], ...]:
        """Return for each value the places among inputs and outputs that it is saved from, -1 for none."""
        if (found := self._sources.get(wants)) is None:
            places = zip(self.needed(wants), self.input_index, self.output_index, strict=True)
            found = self._sources[wants] = tuple([(i, o) if keep else (-1, -1) for keep, i, o in places])
        return found


def save(
    node: Node,
    layout: Layout,
    tensors: Sequence[Any],
    inner: Sequence[Any],
    attrs: tuple[object, ...],
    outputs: Sequence[Any],
    wants: tuple[bool, ...],
) -> None:
    """Fill ``node._saved`` in the general case; the closures in `calls` do the common cases inline."""
    parts: list[Any] = []
    hooks = modes().saved_hooks
    to_pack: list[int] = []
    for i, o in layout.sources(wants):
        if i >= 0:
            holder, value = tensors[i], inner[i]
        elif o >= 0:
            holder = outputs[o]
            value = holder._value
        else:
            parts += (None, FROZEN, 0)
            continue
        if not isinstance(holder, TensorBase):
            parts += (value, FROZEN, 0)
        elif hooks:
            to_pack.append(len(parts) // 3)
            parts += (value, FROZEN, 0)
        else:
            counter = holder._counter
            parts += (value, counter, counter[0])
    for k in in_torch_order(node, to_pack) if to_pack else ():
        i, o = layout.input_index[k], layout.output_index[k]
        holder = tensors[i] if i >= 0 else outputs[o]
        own = node if o in node._op.differentiable_outputs else None
        parts[3 * k] = pack(holder, parts[3 * k], hooks[-1], own, i >= 0)
    for i in layout.metadata_inputs:
        parts.append(shape_of(inner[i]))
    node._saved = (*parts, *attrs)


def renew(nodes: Iterable[Node], counter: object, before: object) -> None:
    """Let what nodes have saved of a tensor stay valid over a write that does not count: what had the version
    `before` has the present one.
    """
    for node in nodes:
        parts = list(node._saved or ())
        for k in range(0, min(len(parts), 3 * node._op.layout.count), 3):
            if parts[k + 1] is counter and parts[k + 2] == before:
                parts[k + 2] = counter[0]
        if parts:
            node._saved = tuple(parts)


def pack_made(results: Iterable[Any], given: Iterable[Any], since: int) -> None:
    """Send through the hooks in force what nodes saved that lead to results of a call and are numbered from
    `since` on, and what the call was `given` where it was saved. The call itself was done without hooks: with
    them an op costs ten times as much.
    """
    hooks = modes().saved_hooks[-1]
    known = {(id(tensor._value), id(tensor._node)): tensor for tensor in given}
    made = dict[int, Node]()
    edges = [tensor._node for tensor in results]
    while edges:
        edge = edges.pop()
        node = edge.node if type(edge) is Output else edge
        if node is None or node is LEAF or node._op is None or node._seq < since or node._seq in made:
            continue
        made[node._seq] = node
        edges += node._edges
    for _, node in sorted(made.items()):
        _pack_all(node, known, hooks)


def _pack_all(node: Node, known: dict[tuple[int, int], Any], hooks: Any) -> None:
    """Send through hooks the tensors that a node saved without them."""
    parts = list(node._saved)
    op = node._op
    # What nobody else can write to, a plan saves as frozen.
    places = [k for k in range(op.layout.count) if isinstance(parts[3 * k], (np.ndarray, InnerValue))]
    for k in in_torch_order(node, places):
        i, o = op.layout.input_index[k], op.layout.output_index[k]
        value, edge = parts[3 * k], node._edges[i] if i >= 0 else None
        if (holder := known.get((id(value), id(edge)))) is None:
            holder = tensor_at(value, edge, 0, node) if edge is not None else wrap(value, None)
        own = node if o in op.differentiable_outputs else None
        parts[3 * k : 3 * k + 3] = pack(holder, value, hooks, own, i >= 0), FROZEN, 0
        if type(node) is op.node_class:
            node.__class__ = op.packed_class
    node._saved = tuple(parts)


def in_torch_order(node: Node, indices: Iterable[int]) -> list[int]:
    """Return places of saved values as torch goes through them: inputs before outputs and, of two inputs,
    each in the order of the names, `other` before `self`.
    """
    if len(node._op.inputs) != 2:
        return list(indices)
    outputs, names = node._op.layout.output_index, node._op.saved_names()
    return sorted(indices, key=lambda k: (outputs[k] >= 0, names[k]))


def pack(
    tensor: Any, value: Any, hooks: tuple[Callable[[Any], Any], Callable[[Any], Any]],
    node: Node | Output | None = None, is_input: bool = False,
) -> Packed:  # fmt: skip
    """Run a pack hook on a tensor, unrecorded; writing to it is refused as torch refuses it.

    An input is given to the hook itself, so that it can tell a parameter from an activation. A saved output
    shows the hook its node, which is taken away again: a node that saved itself would never be freed.
    """
    itself = is_input and tensor._value is value
    given = tensor if itself else wrap(value, node, tensor._level)
    before = int(given._counter[0])  # the number alone: that of replaced data is unequal to itself
    recording = change_grad(False)
    try:
        packed = hooks[0](given)
    finally:
        change_grad(recording)
    if not itself:
        given._node = None
    if int(given._counter[0]) != before:
        raise RuntimeError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack "
            "hook cannot be modified by in-place operations as this can lead to unexpected side-effects. "
            "Please open an issue if you need to perform in-place operations on the input to a pack hook."
        )
    return Packed(packed, hooks[1])


def unpack_hooked(packed: Packed) -> Any:
    """Run an unpack hook and return the inner value that it gave back."""
    if not isinstance((tensor := packed.unpack(packed.packed)), TensorBase):
        raise TypeError("Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                        f"{type_name(tensor)}")
    return tensor._value


class SavedTensor:
    """The place of one tensor among what a node saved, as `_raw_saved_self` and its like give it."""

    __slots__ = ("_at", "_node")

    def __init__(self, node: Node, index: int) -> None:
        self._node = node
        self._at = 3 * index

    def register_hooks(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        """Replace the tensor by ``pack_hook(tensor)``; `unpack_hook` gives it back when it is needed.

        Raises a RuntimeError where the graph was freed, or the tensor has hooks already.
        """
        if is_freed(saved := self._node._saved):
            raise errors.hooks_on_freed()
        if type(value := saved[self._at]) is Packed:
            raise errors.hooks_twice()
        tensor = self.unpack()
        own = tensor._node is self._node
        packed = pack(tensor, value, (pack_hook, unpack_hook), self._node if own else None, not own)
        if type(self._node) is self._node._op.node_class:
            self._node.__class__ = self._node._op.packed_class
        self._node._saved = (*saved[: self._at], packed, FROZEN, 0, *saved[self._at + 3 :])

    @property
    def data(self) -> Any:
        """Return what is kept: the tensor, or what the pack hook made of it."""
        if is_freed(self._node._saved):
            raise saved_errors.freed(self._node)
        value = self._node._saved[self._at]
        return value.packed if type(value) is Packed else self.unpack()

    def unpack(self) -> Any:
        """Return the tensor at its place in the graph."""
        op = self._node._op
        return graph_reader(op.layout, op.differentiable_outputs)(self._node)[self._at // 3]


def check_versions(node: Node, count: int) -> tuple[Any, ...]:
    """Return the saved tuple; raise where a saved value was written to after it was saved."""
    saved = node._saved
    for i in range(0, 3 * count, 3):
        if saved[i + 1][0] != saved[i + 2]:
            if is_freed(saved):
                raise saved_errors.freed(node)
            stale = [k for k in range(count) if is_stale(saved[3 * k + 1], saved[3 * k + 2])]
            if stale or (stale := _detached(node, saved)):
                raise saved_errors.modified(node, in_torch_order(node, stale)[0])
            node._saved = saved = _with_replaced(node, saved)
            break
    return saved


def _detached(node: Node, saved: tuple[Any, ...]) -> list[int]:
    """Return which saved values are inputs that `detach_` took out of the graph."""
    return [
        k for k, i in enumerate(node._op.layout.input_index)
        if i >= 0 and was_detached(saved[3 * k], saved[3 * k + 1], node._edges[i])
    ]  # fmt: skip


def was_detached(value: object, counter: list[Any], edge: object) -> bool:
    """Return whether a saved value is of a tensor that `detach_` took out of the graph."""
    known = edge is not None and not isinstance(edge, (AccumulateGrad, Nowhere))
    return known and counter[2:3] == [DETACHED] and id(value) in counter[3]


def _with_replaced(node: Node, saved: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a saved tuple in which an input that was given other data since has those."""
    parts = list(saved)
    for k, i in enumerate(node._op.layout.input_index):
        if i >= 0:
            edge = node._edges[i]
            for tensor in holders(saved[3 * k + 1], saved[3 * k]):
                leaf = isinstance(edge, AccumulateGrad)
                if edge.variable is tensor if leaf else edge is tensor._node:
                    parts[3 * k] = tensor._value
    return tuple(parts)


def plain_saved(node: Node) -> tuple[Any, ...]:
    """Return the saved tuple with values checked and worked out, for rules that run on inner values."""
    saved = _unpacked(node)
    return tuple(map(resolved, saved)) if Marked in map(type, saved) else saved


def _unpacked(node: Node) -> tuple[Any, ...]:
    op = node._op
    layout = op.layout
    saved = check_versions(node, layout.count)
    if type(node) is not op.node_class and Packed in map(type, saved[: 3 * layout.count : 3]):
        found = list(saved)
        for k in in_torch_order(node, range(layout.count)):
            if type(saved[3 * k]) is Packed:
                found[3 * k] = unpack_hooked(saved[3 * k])
        return tuple(found)
    return saved


def graph_reader(
    layout: Layout, outputs: Sequence[int], needs: tuple[bool, ...] | None = None
) -> Callable[[Node], list[Any]]:
    """Return what reads a node's saved tuple for a pullback that is itself recorded: the values as tensors at
    their places in the graph, then metadata and attributes.

    `outputs` are those of the op that carry gradients, `needs` the inputs whose rules are to run, by default
    all: what they do not ask for is None.
    """
    behind = 3 * layout.count
    asked = (True,) * layout.count if needs is None else layout.needed(needs)
    sources = tuple([
        (3 * k, i, outputs.index(o) if o in outputs else -1) if asked[k] else (-1, 0, 0)
        for k, (i, o) in enumerate(zip(layout.input_index, layout.output_index, strict=True))
    ])  # fmt: skip

    def read(node: Node) -> list[Any]:
        # A node of a level, or with packed values, has a class of its own.
        plain = type(node) is node._op.node_class
        saved = check_versions(node, layout.count) if plain else _unpacked(node)
        level = 0 if plain else getattr(node, "level", 0)
        values: list[Any] = []
        for at, i, output in sources:
            if at < 0:
                values.append(None)
            elif i >= 0 or output < 0:
                values.append(tensor_at(saved[at], node._edges[i] if i >= 0 else None, level, node))
            else:
                edge = Output(node, output) if isinstance(node, MultiNode) else node
                values.append(wrap(saved[at], edge, level))
        values += saved[behind:]
        return values

    return read


def tensor_at(value: Any, edge: object, level: int, saver: Node) -> Any:
    """Return a tensor around a value that `saver` saved, with history `edge`; scalars and None stay."""
    if value is None:
        return None
    if edge is None:
        if isinstance(value, (TensorBase, bool, int, float, complex)):
            return value
        # What did not require grad then may do so by now.
        holder, base = holder_of(value, saver, None), base_of(value, saver)
        if holder is not None and holder._value is value:
            return holder
        node = None if base is None or base._node is None else Nowhere(value)
        return wrap(value, node, getattr(value, "_level", 0))
    if type(edge) is AccumulateGrad and edge.variable._value is value:
        return edge.variable
    return wrap(value, edge, level)

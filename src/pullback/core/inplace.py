"""Update in place: the pure op, a write into the storage, a version bump.

On a view the write is also an ordinary differentiable `put` on the base, `put(base, new, steps)`: the base
with the elements that the view's steps select replaced. Its pullback is `put` of zeros for the base and the
view's steps for the source. The node is named `CopySlices` when printed, as in torch. A view that is stale
replays its steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np
from numpy import ndarray

from ..array import dtypes
from ..array.deferred_import import import_later
from ..array.elementwise import copy_into
from ..array.layout import towards
from . import facade
from .batched import Batched
from .blame import stamp_write, written
from .calls import edge_of
from .holders import note_holder
from .hooks import hooks_of
from .marked import IN_MEMORY, memory_of, resolved
from .meta import Meta, is_meta
from .modes import modes
from .node import DIFFERENTIABLE, LEAF, History, Node, Nowhere, Output, accumulator, edge_target, short_name
from .overlap import PARTIAL, overlaps_itself, takes_writes
from .overlap import overlap as overlap_of
from .saved import DETACHED, FROZEN
from .value import TensorBase, dtype_of, innermost, shape_of, wrap
from .versions import Detached, VersionOfView, bump, version_of
from .views import OF_INFERENCE_VIEW, OF_NO_GRAD_VIEW, View, bring_up_to_date
from .wrapper import Wrapped, named

if TYPE_CHECKING:
    from .op import Call
    from .views import Step

_new = object.__new__
errors = import_later(".graph_errors", __package__)
view_nodes = import_later(".view_nodes", __package__)


def check_history(x: TensorBase, recording: bool) -> None:
    """Raise torch's error where the history of an in-place update of `x` could not be kept, which would be
    recorded (`recording`) were grad mode on: some input requires grad.
    """
    if recording and modes().grad and dtype_of(x) in DIFFERENTIABLE:
        if (record := x._view) is not None and record.creation:
            raise forbidden_view_update(x, record)
        if record is not None and (
            record.base._node is LEAF or (record.base._node is None and x._node is not None)
        ):
            raise errors.leaf_view_update()
        # As in torch, a view that got its history from a later write to its base counts as a leaf until used.
        if x._node is LEAF or (x._node is None and requires_grad(x)):
            raise errors.leaf_update()


def check_captured(x: TensorBase, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise torch's error where a differentiated function writes to a tensor from outside."""
    if x._born < modes().differentiating:
        raise errors.captured_update(facade.torch_names().variant(name, (x, *args), kwargs))


def check_writable(
    x: TensorBase, recording: bool, overlap: bool = False, operands: Iterable[Any] = (), apart: bool = False
) -> None:
    """Raise torch's error where an in-place update of `x` is not allowed; `recording` is as in
    `check_history`.

    With `overlap` elements of `x` may share memory, as when only sizes change or all become one number.
    Tensors among the `operands`, which the update reads, may not share just a part of `x`, and where they are
    to be `apart`, which `check_apart` says of arrays, not all of it, either.
    """
    if x._born < (mode := modes()).differentiating:
        check_captured(x, "copy_", (), {})
    if recording and mode.grad:
        check_history(x, recording)
    if x._view is not None:
        bring_up_to_date(x)
    if type(value := x._value) not in IN_MEMORY:
        if (recorder := getattr(value, "recorder", None)) is not None:
            recorder.check_apart(x, overlap, operands, apart)
        return
    if not overlap and overlaps_itself(value if type(value) is ndarray else memory_of(value)):
        raise errors.overlapping_write()
    for operand in operands:
        if isinstance(operand, TensorBase):
            check_apart(value, operand._value, whole=not apart)


def check_apart(written: Any, read: Any, whole: bool = False) -> None:
    """Raise torch's error where two arrays share memory; `whole`: they may be one and the same."""
    if type(written) is type(read) is ndarray and written.base is None is read.base and written is not read:
        return  # each owns its memory
    if type(written) in IN_MEMORY and type(read) in IN_MEMORY:
        found = overlap_of(memory_of(written), memory_of(read))
        if found == PARTIAL or (found and not whole):
            raise errors.overlapping_operand()
    elif written is read and not whole and (recorder := getattr(written, "recorder", None)) is not None:
        recorder.refuse(errors.overlapping_operand())


def forbidden_view_update(x: TensorBase, record: View, indirect: bool = False) -> RuntimeError:
    """Build the error for updating an untracked view; `indirect`: through its base or another view."""
    if x._node is None or x._node is LEAF or type(x._node) is Nowhere:
        # A recorded view of an unrecorded one has no node here; in torch it has one that leads nowhere.
        inherited = record.creation in (OF_NO_GRAD_VIEW, OF_INFERENCE_VIEW) and record.base._node is not None
        name = short_name(record.steps[-1][0].node_class) if inherited else None
        return errors.view_update(record.creation, name, 0, indirect)
    node, index = edge_target(x._node)
    return errors.view_update(record.creation, short_name(type(node)), index, indirect)


def write(x: TensorBase, new: Any) -> Any:
    """Make `x` what the pure result `new` is: values into the storage, history, version; return `x`.

    `new` is a tensor of `x`'s shape, the result of a pure op on `x` (and others); its dtype is cast to `x`'s.
    """
    if new is x:
        return x
    check_writable(x, recording=new._node is not None or requires_grad(x))
    return store(x, new)


#: Called with each tensor whose memory is about to be written to.
before_writes: list[Callable[[TensorBase], None]] = []


def announce_write(x: TensorBase) -> None:
    """Tell those who watch that the memory of `x` is about to be written to."""
    for watch in before_writes:
        watch(x)


def store(x: TensorBase, new: Any) -> Any:
    """Do what `write` does where `check_writable` has allowed it."""
    node = new._node if modes().grad else None
    value = x._value
    sharing: list[Any] = []
    alike = type(value) is ndarray and type(new._value) is ndarray and value.shape == new._value.shape
    if alike and value.dtype is new._value.dtype:
        if value.flags.carray:
            return _store_alike(x, new, node)
    else:
        if (shape := shape_of(value)) != (made := shape_of(new._value)):
            raise errors.wrong_out_shape(shape, made)
        dtype, found = dtype_of(value), dtype_of(new._value)
        if dtype != found:
            if not castable(found, dtype):
                raise errors.unsafe_result(found, dtype)
            if node is not None and type(node) is not Output:
                node._dtype = dtype  # a gradient of what is written is of its dtype
    announce_write(x)
    if type(value) in IN_MEMORY and type(new._value) in IN_MEMORY:
        if node is not None:
            _keep_overwritten(node, x, new)
        if (result := resolved(new._value)).dtype is not value.dtype:
            result = towards(result, value.dtype)
        if type(value) is not ndarray or takes_writes(value):
            copy_into(value, result)
        else:  # of elements that share memory, one that stays must not undo what another wrote
            np.copyto(value, result, where=value != result)
    elif type(value) is Wrapped:
        if node is not None:
            _keep_overwritten(node, x, new)
        named("copy_", x, new)
    elif type(value) is Meta and type(new._value) is Meta:
        pass  # there are no elements to write
    else:
        if type(value) is ndarray and is_meta(new):
            raise errors.written_from_meta()
        if type(value) is ndarray and isinstance(innermost(new), Batched):
            raise errors.batched_write()
        if node is not None:
            _keep_overwritten(node, x, new)
            if type(value) is ndarray:
                _keep_lifted(node, x)
        for traced in (value, new._value):
            if (recorder := getattr(traced, "recorder", None)) is not None:
                sharing = recorder.sharing(x)
        kind = dtype_of(value)
        after = new._value if dtype_of(new._value) == kind else facade.cast(new._value, kind)
        if (recorder := getattr(after, "recorder", None)) is not None:
            after = recorder.written(x, after)
        if new._level > x._level:
            x._level = new._level
        x._value = after
    bump(x)
    record_write(x, node)
    if sharing:
        x._value.recorder.tell_sharing(x, sharing)
    return x


def _store_alike(x: TensorBase, new: Any, node: Any) -> Any:
    """Do what `store` does with an array in C order and one of its shape and dtype: less is asked."""
    if before_writes:
        announce_write(x)
    if node is not None:
        _keep_overwritten(node, x, new)
    copy_into(x._value, new._value)
    if type(counter := x._counter) is list:
        written(counter)
    else:
        bump(x)
    record_write(x, node)
    return x


def rearrange(x: TensorBase, view_op: Call, attrs: tuple[object, ...], inverse: tuple[Step, ...]) -> Any:
    """Make `x` a view of what it was (``transpose_`` and its like): other sizes and strides, the same
    elements.

    The node of `view_op` goes behind `x`. `inverse` are the steps, (op, attrs, index) each, that lead from
    the new layout to the old one, which views of `x` made before then start with.
    """
    check_writable(x, requires_grad(x), overlap=True)
    new = view_op(x, *attrs)
    old = x._value
    note_holder(x, old)
    x._value = new._value
    before = version_of(x)
    bump(x)
    if x._view is not None:
        # Where nothing is recorded, the view is as stale as after any write that it did not record.
        now = x._counter[0] if modes().grad else before
        assert new._view is not None
        x._view = View(x._view.base, new._view.steps, x._view.creation, now)
    elif not x._inference:
        x._rearranged = (*x._rearranged, (x._counter[0], inverse))
    if new._node is not None and type(new._node) is not Nowhere:
        # A gradient that is retained stays that of the old arrangement.
        if x._view is None:
            x._node, first = new._node, x._node is None
            _tell_history(x, first=first)
            x._counter[3] |= {id(old)}
        else:
            x._node = new._node
            _tell_history(x._view.base)
    return x


def refuse_result(x: TensorBase, operands: Iterable[Any], of_bools: bool) -> None:
    """Raise torch's error where what `x` and the operands promote to does not fit into `x`; where the result
    is of bools, only its shape can be wrong.
    """
    read = map(dtypes.plain_number, operands)
    met = [v for v in (x, *read) if isinstance(v, (TensorBase, int, float, complex))]
    try:
        shape = np.broadcast_shapes(*(shape_of(v) for v in met if isinstance(v, TensorBase)))
    except ValueError:
        return  # they are no operands of one element each, so that only the kernel is missing
    if shape != tuple(shape_of(x)):
        raise errors.wrong_out_shape(shape_of(x), shape)
    common = dtypes.result_numpy_dtype(
        [np.empty((0,) * len(shape_of(v)), dtype_of(v)) if isinstance(v, TensorBase) else v for v in met]
    )
    if not of_bools and not castable(common, dtype_of(x)):
        raise errors.unsafe_result(common, dtype_of(x))


def castable(source: Any, destination: Any) -> bool:
    """Return whether torch writes results of one NumPy dtype into a tensor of another."""
    return dtypes.can_cast(dtypes.from_numpy_dtype(source), dtypes.from_numpy_dtype(destination))


def requires_grad(x: TensorBase) -> bool:
    """Return whether `x`, or the base that it is a view of, is part of a graph or a leaf of one."""
    return x._node is not None or (x._view is not None and x._view.base._node is not None)


def record_write(x: TensorBase, node: History, lasts: bool = True) -> None:
    """Give `x` (and its base) the history of a write whose pure result has `node` (None: not recorded).
    A view that was taken to be written to, and does not last, is left stale: only the base is used again.
    """
    if (record := x._view) is None:
        if node is not None or modes().grad:
            _move_history(x, node)
        return
    base = record.base
    plain = type(value := base._value) is ndarray is type(x._value)
    in_memory = plain or (type(value) in IN_MEMORY and type(x._value) in IN_MEMORY)
    if not in_memory and type(x._value) is not Meta:
        whole = facade.put(base._value, x._value, record.steps, view_nodes.layout_of(base._value))
        if (recorder := getattr(whole, "recorder", None)) is not None:
            whole = recorder.written(base, whole)
        base._value = whole
        base._level = max(base._level, x._level)
    if not modes().grad or (node is None and base._node is None):
        return
    value, old = base._value, x._node
    after = _new(view_nodes.CopySlices)
    after._edges = (accumulator(base) if base._node is LEAF else base._node, node)
    after._saved = ()
    source: Any = None if node is None else edge_target(node)[0]
    after.computed = source is not None and source._edges[:1] == (old,)
    after.steps = record.steps
    after.strides = view_nodes.layout_of(value)
    after._shape, after._dtype = (value.shape, value.dtype) if plain else (shape_of(value), dtype_of(value))
    stamp_write(after, x._counter)
    if after.computed and old is not None and old is not LEAF and edge_target(old)[0]._hooks is not None:
        # What is computed from the view leads to the base itself: the view's hooks are not called.
        source._edges = (view_nodes.replayed_node(base, x, record), *source._edges[1:])
    elif after.computed and isinstance(old, view_nodes.AsStridedBackward0):
        source._edges = (old.again(), *source._edges[1:])
    _move_history(base, after)
    if not lasts:
        return
    bring_up_to_date(x)
    if after.computed and source._saved:
        _note_history(source, x)


def _note_history(node: Node, x: TensorBase) -> None:
    """Tell a node that saved its result, which is now the view `x`, of the history that `x` has."""
    if node._op is None or not isinstance(x._node, view_nodes.AsStridedBackward0):
        return
    outputs = node._op.layout.output_index
    if any(o >= 0 and node._saved[3 * k + 1] is x._counter for k, o in enumerate(outputs)):
        parts = list(node._saved)
        for k, o in enumerate(outputs):
            if o >= 0 and parts[3 * k + 1] is x._counter:
                parts[3 * k + 2] = VersionOfView(parts[3 * k + 2])
                parts[3 * k + 2].history = ref(x._node)
        node._saved = tuple(parts)


def _move_history(x: TensorBase, node: History) -> None:
    """Put a new node behind `x` and tell the storage's counter, for messages; a retained grad moves along,
    other hooks stay with the old node.
    """
    old, x._node = x._node, node
    if node is not None:
        _tell_history(x, first=old is None)
    elif old is not None:
        del x._counter[2:]
    if x._retained:
        move_retained(x, old)


def move_retained(x: TensorBase, old: History) -> None:
    """Let a gradient that is retained be taken at the node that is now behind `x`, no more at the old one."""
    node = x._node
    if node is not None and x._retained and old is not None and old is not LEAF:
        at, index = edge_target(old)
        retain = at._hooks.retained.pop(index, None) if at._hooks is not None else None
        if retain is not None:
            at, index = edge_target(node)
            hooks_of(at).retained[index] = retain


def _tell_history(x: TensorBase, name: str | None = None, first: bool = False) -> None:
    """Note in the version counter the class of the node behind `x`, or a name, the identity of its array,
    and from which node on the history is that of `x`: where it had none before, older nodes are those of
    another tensor that shares its array.
    """
    counter = x._counter
    runs = counter[1] if len(counter) > 1 else []
    node: Any = x._node
    if type(node) is Output:
        node = edge_target(node)[0]
    since = node._seq if first else counter[4] if len(counter) > 4 else 0
    counter[1:] = (runs, name or type(node), {id(x._value)}, since)


def _keep_overwritten(node: Node | Output, x: TensorBase, new: Any) -> None:
    """Copy what the rule saved of the overwritten input; what it saved of the result is now `x` itself.

    Where `x` is another input too, as in ``x.mul_(x)``, that stays damaged, as in torch.
    """
    node = node.node if isinstance(node, Output) else node
    if not (saved := node._saved) or node._op is None:
        return
    old, result = x._value, new._value
    # A value of a transform is replaced; an array is overwritten, and then holds the result.
    overwritten = type(old) in IN_MEMORY and type(result) in IN_MEMORY
    parts: list[Any] | None = None
    for k, index in enumerate(node._op.layout.input_index):
        if (value := saved[3 * k]) is old and index == 0:
            kept = (old.copy() if overwritten else old, FROZEN, 0)
        elif value is result:
            kept = (old if overwritten else result, x._counter, x._counter[0] + 1)
        else:
            continue
        parts = list(saved) if parts is None else parts
        parts[3 * k : 3 * k + 3] = kept
    if parts is not None:
        node._saved = tuple(parts)


def _keep_lifted(node: Node | Output, x: TensorBase) -> None:
    """Do the same for an array beside traced values, of which the rule saved the tensor: that gets other
    values, but the array stays.
    """
    node = node.node if isinstance(node, Output) else node
    if not (saved := node._saved) or node._op is None:
        return
    parts = list(saved)
    inputs = node._op.layout.input_index
    for i in range(0, 3 * node._op.layout.count, 3):
        if parts[i] is x and inputs[i // 3] == 0:
            parts[i : i + 3] = wrap(x._value, edge_of(x), x._level), FROZEN, 0
    node._saved = tuple(parts)


def detach_(x: TensorBase) -> Any:
    """Make `x` a leaf that does not require grad, in place."""
    if x._view is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel "
            "(DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP "
            "buckets, and hence detach_() cannot be called on these gradients. To fix this error, please "
            "refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
        )
    recorded = x._node is not None and x._node is not LEAF and type(x._node) is not Nowhere
    if recorded and type(x._counter) is list:
        _tell_history(x, DETACHED)
        x._counter[0] = Detached(x._counter[0])
    x._node = None
    return x

"""`backward` and `grad`: check the covectors as torch does, then run the engine.

`torch.autograd.backward`, `torch.autograd.grad` and `Tensor.backward` are these functions. A covector must
have its output's shape; the design's one extension is that a covector from whose shape the output's
broadcasts accumulates: it is summed to the output's shape, as if the Jacobian were repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.deferred_import import import_later
from ..array.strides import address, owner, strides_of
from ..array.transposed import c_copy
from ..core import inplace
from ..core.backward_task import Capture
from ..core.blame import freed_by_caller, variable_of
from ..core.calls import edge_of, own_edge_of
from ..core.hooked import as_inner, as_tensor
from ..core.levels import META
from ..core.meta import Meta, is_meta
from ..core.modes import NO_GRAD
from ..core.node import LEAF, GradientEdge, MultiNode, Nowhere, Output, edge_target
from ..core.overlap import overlaps_itself
from ..core.value import TensorBase, array_of, dtype_of, run, shape_of, wrap
from ..core.views import View
from ..core.warn import warn, warn_once
from ..core.wrapper import is_wrapper, named
from ..ops.strided import as_strided
from ..ops.structure import expand

errors = import_later("..core.graph_errors", __package__)
engine = import_later("..core.engine", __package__)


class BackwardCall:
    """One call of `backward` or `grad`, its `kind`, whose arguments have been checked, as observers see it.

    `covectors` are as they were given, None for the default; `inputs` are what gradients were asked for, None
    for all leaves, and `targets` the edges where these arrive. `roots` are (edge, covector); `batched` says
    whether the covectors have a leading axis over which the pullback is mapped.
    """

    __slots__ = ("batched", "covectors", "inputs", "kind", "outputs", "roots", "targets")

    def __init__(
        self, kind: str, outputs: tuple[Any, ...], covectors: tuple[Any, ...],
        inputs: tuple[object, ...] | None, roots: Sequence[tuple[Any, Any]], targets: list[Any] | None,
        batched: bool = False,
    ) -> None:
        self.kind, self.outputs, self.covectors, self.inputs = kind, outputs, covectors, inputs
        self.roots, self.targets, self.batched = roots, targets, batched


#: Told of each call before it runs; what an observer returns is called when the run is over, with the
#: exception that it ended in or None, and with what it gave.
observers: list[Callable[[BackwardCall], Callable[[BaseException | None, Any], None] | None]] = []


def _run(call: BackwardCall, pull: Callable[[], Any]) -> Any:
    """Run a call's pullback, its observers told before and after."""
    endings = [ending for observer in list(observers) if (ending := observer(call)) is not None]
    error: BaseException | None = None
    result: Any = None
    try:
        result = pull()
        return result
    except BaseException as raised:
        error = raised
        raise
    finally:
        for ending in reversed(endings):
            ending(error, result)


def _as_tuple(values: Any) -> tuple[Any, ...]:
    return (values,) if isinstance(values, (TensorBase, GradientEdge)) else tuple(values)


def _edge(place: Any) -> Any:
    """Return the edge of a tensor or of a gradient edge; None where it leads nowhere."""
    edge = place.edge() if isinstance(place, GradientEdge) else edge_of(place)
    return None if type(edge) is Nowhere else edge


def _covector(output: Any, gradient: Any, create_graph: bool, batched: bool, position: int) -> Any:
    """Return the covector for one output as the engine carries it."""
    if isinstance(output, GradientEdge):
        if gradient is None:
            shape, dtype = output.shape_and_dtype()
            if prod(shape) != 1:
                raise errors.needs_covector(shape)
            ones = np.ones(shape, dtype)
            return wrap(ones) if create_graph else ones
        return as_inner(gradient, create_graph)
    if not isinstance(output, TensorBase):
        raise AssertionError("Expected output to be a torch.Tensor")
    shape = shape_of(output)
    if gradient is None:
        if output._node is None:
            return None
        if prod(shape) != 1:
            raise errors.needs_covector(shape)
        if dtype_of(output).kind in "cW":
            raise RuntimeError(
                "grad can be implicitly created only for real scalar outputs but got "
                f"torch.{dtype_of(output)}"
            )
        return ones_on(output) if create_graph else ones_on(output)._value
    if not isinstance(gradient, TensorBase):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    have = shape_of(gradient)
    if batched:
        if not have:
            raise errors.index_of_scalar()
        have = have[1:]
    if have != shape and batched:
        raise errors.mismatched_batch(have[1:], shape, position)
    if have != shape and not _accumulates(have, shape):
        raise errors.mismatched_covector(have, shape, position)
    if (dtype_of(output).kind in "cW") != (dtype_of(gradient).kind in "cW"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch "
            f"in dtype: grad_output[{position}] has a dtype of torch.{dtype_of(gradient)} and "
            f"output[{position}] has a dtype of torch.{dtype_of(output)}."
        )
    return as_inner(gradient, create_graph)


def _plain_covector(y: Any, gradient: Any) -> ndarray | None:
    """Return a covector that needs no check: an array like the tensor's, or ones for one element."""
    if type(value := y._value) is not ndarray or y._node is None:
        return None
    if gradient is None:
        return np.ones(value.shape, value.dtype) if value.size == 1 and value.dtype.kind == "f" else None
    g = gradient._value if isinstance(gradient, TensorBase) else None
    return g if type(g) is ndarray and g.shape == value.shape and g.dtype is value.dtype else None


def ones_on(output: Any) -> Any:
    """Return ones as a covector of an output, on its device."""
    shape, dtype = shape_of(output), dtype_of(output)
    if is_wrapper(output):
        return named("ones_like", output)
    return wrap(Meta(shape, dtype), None, META) if is_meta(output) else wrap(np.ones(shape, dtype))


def _accumulates(have: tuple[int, ...], want: tuple[int, ...]) -> bool:
    """Return whether a covector stands for a batch of covectors of shape `want`: `want` broadcasts to it."""
    return len(have) > len(want) and _broadcasts(want, have)


def _broadcasts(small: tuple[int, ...], large: tuple[int, ...]) -> bool:
    """Return whether a shape broadcasts to another one."""
    lead = len(large) - len(small)
    return lead >= 0 and all(w in (h, 1) for h, w in zip(large[lead:], small, strict=True))


def run_plain(y: Any, gradient: Any, retain_graph: bool | None) -> bool:
    """Run backward where nothing is left to check: arrays, a covector of the output's shape and dtype, or
    none for one element.

    Returns whether it ran; otherwise `backward` finds out what to do or to say. Saves 2 of the 6 µs that a
    backward through one small op takes.
    """
    value = y._value
    node = y._node
    if (
        type(value) is not ndarray
        or node is None
        or node is LEAF
        or y._view is not None
        or type(node) is Output
        or observers
    ):
        return False
    if (g := _plain_covector(y, gradient)) is None:
        return False
    freed = None if retain_graph else freed_by_caller(3)
    engine.run_backward(((node, g),), keep_graph=bool(retain_graph), create_graph=False, freed=freed)
    return True


def _by_older_name(grad_tensors: Any, grad_variables: Any) -> Any:
    warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
    if grad_tensors is not None:
        raise RuntimeError(
            "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
            "Please only use `grad_tensors`."
        )
    return grad_variables


def backward(
    tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
    grad_variables: Any = None, inputs: Any = None,
) -> None:
    """Add ``vᵀ·J`` to the `.grad` of every leaf (or of `inputs`).

    Parameters
    ----------
    tensors : tensor or sequence of tensors
        Outputs y.
    grad_tensors : tensor or sequence of (tensor or None), optional
        Covectors v, one per output, each of its output's shape; None stands for 1 where the output has one
        element.
    retain_graph : bool, optional
        Keep saved values so that backward can run again; by default what `create_graph` is.
    create_graph : bool
        Record the pullback itself, for derivatives of higher order.
    inputs : tensor or sequence of tensors, optional
        Accumulate into these only.
    """
    if grad_variables is not None:
        grad_tensors = _by_older_name(grad_tensors, grad_variables)
    if inputs is not None and not isinstance(inputs, TensorBase) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    if create_graph:
        warn_once(
            "Using backward() with create_graph=True will create a reference cycle between the parameter and "
            "its gradient which can cause a memory leak. We recommend using autograd.grad when creating the "
            "graph to avoid this. If you have to use this function, make sure to reset the .grad fields of "
            "your parameters to None after use to break the cycle and avoid the leak."
        )
    outputs = _as_tuple(tensors)
    covectors = _covectors(outputs, grad_tensors)
    roots = _roots(outputs, covectors, create_graph, False)
    keep = create_graph if retain_graph is None else retain_graph
    capture = None
    edges = None
    targets: tuple[Any, ...] = ()
    if inputs is not None:
        targets = _as_tuple(inputs)
        edges = _checked_edges(targets, "can't retain_grad on Tensor that has requires_grad=False")
        capture = Capture(edges, [_node(e) for e, _ in roots])

    def pull() -> None:
        for target in targets:
            # As in torch, it is kept from now on. Of a leaf this does nothing.
            if not isinstance(target, GradientEdge):
                target.retain_grad()
        engine.run_backward(roots, keep_graph=keep, create_graph=create_graph, capture=capture)

    if observers:
        asked = None if inputs is None else targets
        _run(BackwardCall("backward", outputs, covectors, asked, roots, edges), pull)
    else:
        pull()


def grad(
    outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
    create_graph: bool = False, only_inputs: bool = True, allow_unused: bool | None = None,
    is_grads_batched: bool = False, materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """Return ``vᵀ·J`` for each input instead of accumulating it.

    Parameters
    ----------
    outputs, inputs : tensor or sequence of tensors
    grad_outputs : tensor or sequence of (tensor or None), optional
        Covectors; with `is_grads_batched` each has one more axis, first, over which the pullback is mapped.
    allow_unused : bool, optional
        Return None for an input that the outputs do not depend on, instead of raising; by default
        `materialize_grads`.
    materialize_grads : bool
        Return zeros instead of None.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    if allow_unused is None:
        allow_unused = materialize_grads
    if not only_inputs:
        warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate "
            "gradient for other parts of the graph, please use torch.autograd.backward.", FutureWarning
        )
    ys = _as_tuple(outputs)
    if not (xs := _as_tuple(inputs)):
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    covectors = _covectors(ys, grad_outputs)
    keep = create_graph if retain_graph is None else retain_graph
    if not (is_grads_batched or observers):
        return _gradients(ys, xs, covectors, keep, create_graph, allow_unused, materialize_grads)

    def pull(*vs: Any) -> tuple[Any, ...]:
        return _gradients(ys, xs, vs, keep, create_graph, allow_unused, materialize_grads)

    if is_grads_batched:
        from .batching import map_over_first_axis

        for position, (y, v) in enumerate(zip(ys, covectors, strict=True)):
            if _covector(y, v, create_graph, True, position) is not None and v is None:
                raise ValueError(
                    "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a "
                    "Tensor of dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0."
                )
        return _observed(lambda: map_over_first_axis(pull, covectors), ys, xs, covectors, True)
    return _observed(lambda: pull(*covectors), ys, xs, covectors, False)


def _gradients(
    outputs: tuple[Any, ...], inputs: tuple[Any, ...], covectors: tuple[Any, ...], keep_graph: bool,
    create_graph: bool, allow_unused: bool, materialize: bool,
) -> tuple[Any, ...]:
    """Do what `grad` does with covectors of which there is one for each output."""
    roots = _roots(outputs, covectors, create_graph, False)
    edges = _checked_edges(inputs, "One of the differentiated Tensors does not require grad")
    capture = Capture(edges, [e if type(e) is not Output else _node(e) for e, _ in roots])
    engine.run_backward(
        roots, keep_graph=keep_graph, create_graph=create_graph, capture=capture, accumulate=False
    )
    found = []
    for position, g in enumerate(capture.results):
        if type(g) is ndarray:
            found.append(_in_memory_of(covectors, g))
        else:
            x = inputs[position]
            found.append(_result(x, g, allow_unused, materialize, position, create_graph))
    if len(capture.wanted) < len(inputs):
        # A tensor that is named twice has one gradient.
        one_each = dict(zip(map(id, inputs), found, strict=True))
        return tuple([one_each[id(x)] for x in inputs])
    return tuple(found)


def _observed(
    pull: Callable[[], Any], outputs: tuple[Any, ...], inputs: tuple[Any, ...], covectors: Any, batched: bool
) -> Any:
    """Run the pullback of `grad`, which checks its arguments itself; a call that will raise is not told."""
    if not observers:
        return pull()
    try:
        roots = _roots(outputs, covectors, False, batched)
        edges = _checked_edges(inputs, "One of the differentiated Tensors does not require grad")
    except RuntimeError:
        return pull()
    return _run(BackwardCall("grad", outputs, covectors, inputs, roots, edges, batched), pull)


def backward_call(outputs: Any, covectors: Any, inputs: Any) -> BackwardCall:
    """Check the arguments of a call as `backward` does, without running it."""
    ys = _as_tuple(outputs)
    vs = _covectors(ys, covectors)
    roots = _roots(ys, vs, False, False)
    if inputs is None:
        return BackwardCall("backward", ys, vs, None, roots, None)
    xs = _as_tuple(inputs)
    edges = _checked_edges(xs, "One of the differentiated Tensors does not require grad")
    return BackwardCall("backward", ys, vs, xs, roots, edges)


def _result(x: Any, g: Any, allow_unused: bool, materialize: bool, position: int, create_graph: bool) -> Any:
    """Return what `grad` gives for an input at which no array arrived."""
    if g is not None:
        return as_tensor(g)
    if materialize:
        return wrap(np.zeros(shape_of(x), dtype_of(x)), LEAF if create_graph else None)
    if not allow_unused:
        error = errors.unused_input(position, shape_of(x), variable_of(x))
        error.blame = x  # for `explain.why_error`
        raise error
    return None


def _in_memory_of(covectors: Sequence[Any], g: ndarray) -> Any:
    """Return a gradient as a tensor: where it lies in the memory of a covector that was given, that covector
    itself or a view of it, as in torch, so that each shows what is written to the other.
    """
    is_view = (base := g.base) is not None
    for v in covectors:
        if v is None or type(held := v._value) is not ndarray:
            continue
        if g is held:
            return v
        if is_view and (base is held or owner(g) is owner(held)) and g.size and type(v._counter) is list:
            of = v if v._view is None else v._view.base
            if type(whole := of._value) is ndarray and whole.dtype == g.dtype:
                is_whole = base is whole and g.size == base.size and g.flags.forc and base.flags.forc
                offset = 0 if is_whole else (address(g) - address(whole)) // g.itemsize
                layout = g.shape, strides_of(g), offset, whole.shape, strides_of(whole)
                view = wrap(g)
                view._counter = v._counter
                view._view = View.of(of, as_strided.op, layout, None, NO_GRAD)
                return view
    return wrap(c_copy(g) if is_view and not g.flags.writeable and overlaps_itself(g) else g)


def _node(edge: Any) -> Any:
    return edge_target(edge)[0]


def _covectors(outputs: tuple[Any, ...], given: Any) -> tuple[Any, ...]:
    if given is None:
        return (None,) * len(outputs)
    if len(outputs) == 1 and isinstance(given, TensorBase):
        return (given,)
    covectors = _as_tuple(given)
    if len(covectors) > len(outputs):
        # As in torch, those beyond the last output are not looked at.
        covectors = covectors[: len(outputs)]
    for v in covectors:
        if v is not None and not isinstance(v, TensorBase):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(v).__name__}")
    if len(covectors) < len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(covectors)} gradients")
    return covectors


def _roots(
    outputs: tuple[Any, ...], covectors: Sequence[Any], create_graph: bool, batched: bool
) -> list[tuple[Any, Any]]:
    roots = []
    for position, (y, v) in enumerate(zip(outputs, covectors)):
        if not batched and isinstance(y, TensorBase):
            g = _plain_covector(y, v)
            # A tensor that was rearranged without history has another shape than its node.
            if g is not None and not y._rearranged:
                edge = edge_of(y)
                if edge is not None and type(edge) is not Nowhere:
                    roots.append((edge, g if not create_graph else wrap(g) if v is None else v))
                    continue
        covector = _covector(y, v, create_graph, batched, position)
        if (edge := _edge(y)) is None:
            raise errors.no_graph(position)
        node, index = edge_target(edge)
        wanted = node._shape[index] if isinstance(node, MultiNode) else node._shape
        have = shape_of(covector)[batched:] if covector is not None else wanted
        if have != wanted and not _broadcasts(wanted, have):
            raise RuntimeError(
                f"invalid gradient at index {position} - got {list(have)} but expected shape compatible with "
                f"{list(wanted)}"
            )
        roots.append((edge, covector))
    return roots


def _checked_edges(inputs: tuple[object, ...], text: str) -> list[Any]:
    """Return the edges of the inputs; raise an error with this text where one does not require grad."""
    edges = []
    for x in inputs:
        if isinstance(x, TensorBase):
            edge = own_edge_of(x)
        elif isinstance(x, GradientEdge):
            edge = x.edge()
        else:
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(x).__name__}")
        if type(edge) is Nowhere:
            edge = None
        if edge is None and not (isinstance(x, TensorBase) and inplace.requires_grad(x)):
            raise RuntimeError(text)
        edges.append(edge)
    return edges


__all__ = ["array_of", "backward", "expand", "grad", "run"]

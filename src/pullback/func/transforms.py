"""Define derivatives as functions of functions: `vjp`, `grad`, `grad_and_value`, `jvp`.

Each enters a level of its own. A reverse-mode level wraps the inputs in tensors around tensors: what the
function does is recorded above, and pulled back by ops on the values below, which other levels may record in
turn. So transforms nest.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ParamSpec

import numpy as np

from ..array import dtypes
from ..core.backward_task import Capture
from ..core.calls import edge_of
from ..core.dual import Dual
from ..core.engine import run_backward
from ..core.levels import Level, entered_level
from ..core.modes import DEFAULT, NO_GRAD, change, is_grad_enabled, modes, put_modes, set_modes
from ..core.node import DIFFERENTIABLE, LEAF, edge_target
from ..core.value import TensorBase, dtype_of, refresh, shape_of, wrap
from ..core.versions import version_of
from ..tensor.backward import ones_on
from ..tensor.batching import as_tensor
from ..tensor.duals import make_dual, tangent_of
from ..tensor.tree import TreeSpec, tree_flatten, tree_map, tree_unflatten, treespec_pprint

P = ParamSpec("P")

NO_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with "
    "your use case."
)


def selected(argnums: object, count: int) -> tuple[int, ...]:
    """Return the positions, not negative, of the arguments that `argnums` names, or raise torch's errors."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    for n in numbers:
        if not isinstance(n, int):
            raise RuntimeError(f"argnum must be int, got: {type(n)}")
        if not -count <= n < count:
            raise RuntimeError(f"Got argnum={n}, but only {count} positional inputs")
    if not numbers:
        raise RuntimeError("argnums must be non-empty")
    positions = tuple(n % count for n in numbers)
    if len(set(positions)) != len(positions):
        raise RuntimeError(f"argnums elements must be unique, got {positions}")
    return positions


def replaced(args: Sequence[object], positions: Sequence[int], values: Sequence[object]) -> list[Any]:
    """Return the arguments with those at some positions replaced."""
    result = list(args)
    for position, value in zip(positions, values, strict=True):
        result[position] = value
    return result


def leave(value: object, level: Level) -> Any:
    """Return the tensor below a level."""
    if isinstance(value, TensorBase) and value._level == level:
        if isinstance((inner := value._value), Dual) and inner._level == level:
            inner = inner.primal
        return as_tensor(inner)
    return value


@contextmanager
def _recording() -> Iterator[None]:
    """Switch grad mode on, whatever it is outside, and no saved-tensor hooks."""
    if modes().saved_hooks:
        raise RuntimeError(NO_HOOKS)
    before = change(grad=True, saved_hooks_disabled=NO_HOOKS)
    try:
        yield
    finally:
        change(grad=before.grad, saved_hooks_disabled=before.saved_hooks_disabled)


def _leaf(x: object, level: Level) -> Any:
    if not isinstance(x, TensorBase):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
    if dtype_of(x) not in DIFFERENTIABLE:
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    return wrap(x, LEAF, level)


def _pull(
    outputs: Sequence[object], covectors: Sequence[object], leaves: Sequence[object], keep_graph: bool,
    record: bool = True,
) -> list[Any]:  # fmt: skip
    """Return covectors of the leaves, as tensors below their level; zeros where an output does not depend on
    one.

    `record`: whether ops on the values below are recorded where those are part of a graph.
    """
    roots = [
        (edge_of(y), v)
        for y, v in zip(outputs, covectors, strict=True)
        if isinstance(y, TensorBase) and y._node is not None
    ]
    results: list[Any] = [None] * len(leaves)
    if roots:
        nodes = [edge_target(e)[0] for e, _ in roots]
        capture = Capture([edge_of(x) for x in leaves], nodes)
        before = change(grad=record)
        if (now := modes()).is_transform_alone:
            # What the rules make is given to nobody, but for the results.
            put_modes(DEFAULT if record else NO_GRAD)
        try:
            run_backward(
                roots, keep_graph=keep_graph, create_graph=False, capture=capture, accumulate=False,
                record_inner=record,
            )
        finally:
            set_modes(before)
        results = capture.results
        for g in results:
            if now.differentiating and isinstance(g, TensorBase) and not any(g is v for v in covectors):
                g._born = now.transform
    return [
        wrap(np.zeros(shape_of(x), dtype_of(x))) if g is None else as_tensor(g)
        for x, g in zip(leaves, results, strict=True)
    ]


def check_outputs(outputs: Sequence[object], function: str) -> None:
    """Raise torch's error unless there are outputs and all of them are tensors; bring those that are stale
    views up to date.
    """
    if not outputs or (len(outputs) == 1 and outputs[0] is None):
        raise RuntimeError(
            f"{function}: Expected f to be a function that has non-empty output (got output = {outputs})"
        )
    for y in outputs:
        if not isinstance(y, TensorBase):
            raise RuntimeError(
                f"{function}: expected f(*primals) to return only tensors, got unsupported type {type(y)}"
            )
        refresh(y)


def with_aux(outputs: object, function: str) -> tuple[Any, Any]:
    """Return (output, aux) as a function with `has_aux` returns it."""
    if not (isinstance(outputs, tuple) and len(outputs) == 2):
        raise RuntimeError(
            f"{function}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return outputs


def leave_aux(aux: object, level: Any) -> Any:
    """Return what a function passes through, below a level; raise torch's error where it is no tensor."""

    def left(v: object) -> Any:
        if not isinstance(v, TensorBase):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(v)}")
        refresh(v)
        return leave(v, level)

    return tree_map(left, aux)


def vjp(func: Callable[..., Any], *primals: object, has_aux: bool = False) -> Any:
    """Return the outputs of ``func(*primals)`` and the function that pulls covectors back.

    Parameters
    ----------
    func : callable
        Takes (nested containers of) tensors, returns such; with `has_aux`, a pair of outputs and of what is
        passed through as it is.
    *primals : tensors
    has_aux : bool

    Returns
    -------
    (output, vjp_fn) or (output, vjp_fn, aux)
        ``vjp_fn(covectors)``, with covectors in the structure of the output, gives the tuple of ``vᵀ·J``, one
        for each primal.

    Raises
    ------
    RuntimeError
        A primal is not floating, the output holds something that is no floating tensor, or the covectors do
        not fit the output.
    """
    with entered_level(differentiating=True) as level, _recording():
        flat, spec = tree_flatten(primals)
        leaves = [_leaf(x, level) for x in flat]
        outputs, aux = func(*tree_unflatten(leaves, spec)), None
        if has_aux:
            outputs, aux = with_aux(outputs, "vjp(f, *primals)")
            aux = leave_aux(aux, level)
        ys, out_spec = tree_flatten(outputs)
        check_outputs(ys, "vjp(f, *primals)")
        for y in ys:
            if dtype_of(y) not in DIFFERENTIABLE:
                raise RuntimeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor "
                    f"with dtype {dtypes.from_numpy_dtype(dtype_of(y))}"
                )

    def pull(covectors: object, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        vs, v_spec = tree_flatten(covectors)
        _check_covectors(ys, vs, out_spec, v_spec)
        record = is_grad_enabled() if create_graph is None else create_graph
        return tree_unflatten(_pull(ys, vs, leaves, retain_graph, record), spec)

    result = tree_map(lambda v: leave(v, level), outputs)
    return (result, pull, aux) if has_aux else (result, pull)


def _check_covectors(ys: Sequence[Any], vs: Sequence[object], out_spec: TreeSpec, v_spec: TreeSpec) -> None:
    if v_spec != out_spec:
        raise RuntimeError(
            "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
            f"function. cotangents: {treespec_pprint(v_spec)}, primal output: {treespec_pprint(out_spec)}"
        )
    for k, (y, v) in enumerate(zip(ys, vs, strict=True)):
        if shape_of(y) != shape_of(v):
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{k}] has a shape of torch.Size({list(shape_of(v))}) and "
                f"output[{k}] has a shape of torch.Size({list(shape_of(y))})."
            )


def grad_and_value(
    func: Callable[P, Any], argnums: object = 0, has_aux: bool = False
) -> Callable[P, tuple[Any, Any]]:
    """Return the function that returns (gradient, value) of a function with a scalar result.

    Parameters
    ----------
    func : callable
        Returns a real tensor of no axes; with `has_aux`, a pair of that and of what is passed through.
    argnums : int or tuple of int
        The arguments, each a tensor or a container of tensors, that the gradient is taken in.
    has_aux : bool

    Returns
    -------
    callable
        Takes what `func` takes; returns ``(gradient, value)`` or ``(gradient, (value, aux))``. The gradient
        is a tuple where `argnums` is one.
    """
    name = "grad_and_value(f)(*args)"

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with entered_level(differentiating=True) as level, _recording():
            positions = selected(argnums, len(args))
            chosen = tuple(args[n] for n in positions)
            flat, spec = tree_flatten(chosen)
            leaves = [_leaf(x, level) for x in flat]
            output, aux = func(*replaced(args, positions, tree_unflatten(leaves, spec)), **kwargs), None
            if has_aux:
                output, aux = with_aux(output, name)
                aux = leave_aux(aux, level)
            if not isinstance(output, TensorBase):
                raise RuntimeError(f"{name}: Expected f(*args) to return a Tensor, got {type(output)}")
            refresh(output)
            if len(shape_of(output)) != 0:
                raise RuntimeError(
                    f"{name}: Expected f(*args) to return a scalar Tensor, got tensor with "
                    f"{len(shape_of(output))} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            if output._node is not None and dtype_of(output).kind in "cW":
                raise RuntimeError(
                    "grad can be implicitly created only for real scalar outputs but got "
                    f"{dtypes.from_numpy_dtype(dtype_of(output))}"
                )
            one = ones_on(output)
            grads = tree_unflatten(_pull([output], [one], leaves, False), spec)
        result = grads[0] if isinstance(argnums, int) else grads
        value = leave(output, level)
        return (result, (value, aux)) if has_aux else (result, value)

    return wrapped


def grad(func: Callable[P, Any], argnums: Any = 0, has_aux: bool = False) -> Callable[P, Any]:
    """Return the gradient function of a function with a scalar result; see `grad_and_value`."""
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        result, value = both(*args, **kwargs)
        return (result, value[1]) if has_aux else result

    return wrapped


JVP = "jvp(f, primals, tangents)"


def jvp(
    func: Callable[..., Any], primals: Any, tangents: object, *, strict: bool = False, has_aux: bool = False
) -> Any:
    """Return the outputs of ``func(*primals)`` and their directional derivatives ``J·t``.

    Parameters
    ----------
    func : callable
        Takes (nested containers of) tensors, returns such.
    primals, tangents : tuple
        Arguments of `func`, and as many directions of the same structure and shapes.
    strict : bool
        Refuse outputs that do not depend on the inputs (else their tangents are zeros).
    has_aux : bool

    Returns
    -------
    (output, tangent) or (output, tangent, aux)
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"{JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    flat, spec = tree_flatten(primals)
    flat_tangents, tangent_spec = tree_flatten(tangents)
    if spec != tangent_spec:
        raise RuntimeError(
            f"{JVP}: Expected primals and tangents to have the same python structure. For example, if "
            f"primals is a tuple of 3 tensors, tangents also must be. Got primals with structure {spec} and "
            f"tangents with structure {tangent_spec}"
        )
    _check_tensors(flat, "primals")
    _check_tensors(flat_tangents, "tangents")
    with entered_level(differentiating=True) as level:
        duals = [make_dual(x, t, level) for x, t in zip(flat, flat_tangents, strict=True)]
        outputs = func(*tree_unflatten(duals, spec))
        aux = None
        if has_aux:
            outputs, aux = with_aux(outputs, JVP)
            aux = leave_aux(aux, level)
        ys, out_spec = tree_flatten(outputs)
        check_outputs(ys, JVP)
        pushed = [tangent_of(y, level) for y in ys]
    for x, inside in zip(flat, duals, strict=True):
        if version_of(inside):
            x.copy_(leave(inside, level))
    if strict and any(t is None for t in pushed):
        raise RuntimeError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is "
            "not allowed with strict=True."
        )
    results = tree_unflatten([leave(y, level) for y in ys], out_spec)
    derivatives = tree_unflatten(
        [
            wrap(np.zeros(shape_of(y), dtype_of(y))) if t is None else t
            for y, t in zip(ys, pushed, strict=True)
        ],
        out_spec,
    )
    return (results, derivatives, aux) if has_aux else (results, derivatives)


def _check_tensors(values: Sequence[object], what: str) -> None:
    if not values:
        raise RuntimeError(f"{JVP}: Expected {what} to contain at least one Tensor.")
    for value in values:
        if not isinstance(value, TensorBase):
            raise RuntimeError(f"{JVP}: Expected {what} to only contain Tensors, got {type(value)}")

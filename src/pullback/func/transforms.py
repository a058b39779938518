"""Derivatives as functions of functions: `vjp`, `grad`, `jvp`, `jacrev`, `jacfwd`, `hessian`, `linearize`.

Each enters a level of its own. A reverse-mode level wraps the inputs in tensors around tensors: what the
function does is recorded above, and pulled back by ops on the values below, which other levels may record in
turn. So transforms nest.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.calls import edge_of
from ..core.dual import Dual, fresh_level
from ..core.engine import Capture, run_backward
from ..core.modes import change, modes, set_modes
from ..core.node import DIFFERENTIABLE, LEAF, Output
from ..core.value import TensorBase, dtype_of, shape_of, wrap
from ..tensor.batching import as_tensor, map_over_first_axis
from .tree import flatten, tree_map, unflatten


def _checked(value: Any) -> Any:
    if not isinstance(value, TensorBase):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")
    return value


def _leave(value: Any, level: int) -> Any:
    """The tensor below a level."""
    if isinstance(value, TensorBase) and value._level == level:
        inner = value._value
        if isinstance(inner, Dual) and inner._level == level:
            inner = inner.primal
        return as_tensor(inner)
    return value


def _pull(
    outputs: Sequence[Any], covectors: Sequence[Any], leaves: Sequence[Any], keep_graph: bool
) -> list[Any]:
    """Covectors of the leaves, as tensors below their level; zeros where an output does not depend on one."""
    roots = [
        (edge_of(y), v) for y,
        v in zip(outputs, covectors, strict=True) if isinstance(y, TensorBase) and y._node is not None
    ]
    results: list[Any] = [None] * len(leaves)
    if roots:
        nodes = [e.node if type(e) is Output else e for e, _ in roots]
        capture = Capture([edge_of(x) for x in leaves], nodes)
        run_backward(
            roots,
            keep_graph=keep_graph,
            create_graph=False,
            capture=capture,
            accumulate=False,
            record_inner=True,
        )
        results = capture.results
    return [
        wrap(np.zeros(shape_of(x), dtype_of(x))) if g is None else as_tensor(g) for x,
        g in zip(leaves, results, strict=True)
    ]


def _record(func: Callable[..., Any], args: Sequence[Any], level: int) -> Any:
    """Call a function with recording on."""
    before = change(grad=True)
    try:
        return func(*args)
    finally:
        set_modes(modes()._replace(grad=before.grad))


def _leaf(x: Any, level: int) -> Any:
    if dtype_of(x) not in DIFFERENTIABLE:
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    return wrap(x, LEAF, level)


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """The outputs of ``func(*primals)`` and the function that pulls covectors back.

    Returns
    -------
    (output, vjp_fn) or (output, vjp_fn, aux)
        ``vjp_fn(covectors)`` gives ``vᵀ·J`` for each primal.
    """
    level = fresh_level()
    flat, spec = flatten(primals)
    leaves = [_leaf(_checked(x), level) for x in flat]
    outputs = _record(func, unflatten(leaves, spec), level)
    aux = None
    if has_aux:
        if not (isinstance(outputs, tuple) and len(outputs) == 2):
            raise RuntimeError(
                "vjp(f, *primals): output of function f should be a tuple: (output, aux) if has_aux is True"
            )
        outputs, aux = outputs
        aux = tree_map(lambda v: _leave(v, level), aux)
    ys, out_spec = flatten(outputs)
    for y in ys:
        if not isinstance(y, TensorBase):
            raise RuntimeError(
                f"vjp(f, *primals): Expected f(*primals) to return a Tensor, got unsupported type {type(y)}"
            )

    def pull(covectors: Any, retain_graph: bool = True, create_graph: Any = None) -> Any:
        vs, v_spec = flatten(covectors)
        if v_spec != out_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to "
                "the function."
            )
        for y, v in zip(ys, vs, strict=True):
            if shape_of(y) != shape_of(v):
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[0] has a shape of torch.Size({list(shape_of(v))}) and "
                    f"output[0] has a shape of torch.Size({list(shape_of(y))})."
                )
        return unflatten(_pull(ys, vs, leaves, True), spec)

    result = tree_map(lambda v: _leave(v, level), outputs)
    return (result, pull, aux) if has_aux else (result, pull)


def _selected(argnums: Any, count: int) -> tuple[int, ...]:
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for n in numbers:
        if not -count <= n < count:
            raise RuntimeError(f"Got argnum={n}, but only {count} positional inputs")
    return tuple(n % count for n in numbers)


def grad_and_value(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that returns (gradient, value) of a function with a scalar result."""

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        level = fresh_level()
        numbers = _selected(argnums, len(args))
        chosen = tuple(args[n] for n in numbers)
        flat, spec = flatten(chosen)
        leaves = [_leaf(_checked(x), level) for x in flat]
        inside = list(args)
        for n, value in zip(numbers, unflatten(leaves, spec), strict=True):
            inside[n] = value
        output = _record(lambda *xs: func(*xs, **kwargs), inside, level)
        aux = None
        if has_aux:
            if not (isinstance(output, tuple) and len(output) == 2):
                raise RuntimeError(
                    "grad_and_value(f)(*args): output of function f should be a tuple: (output, aux) if "
                    "has_aux is True"
                )
            output, aux = output
            aux = tree_map(lambda v: _leave(v, level), aux)
        if not isinstance(output, TensorBase):
            raise RuntimeError(
                f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}"
            )
        if len(shape_of(output)) != 0:
            raise RuntimeError(
                "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                f"{len(shape_of(output))} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
            )
        one = wrap(np.ones((), dtype_of(output)))
        grads = unflatten(_pull([output], [one], leaves, False), spec)
        result = grads[0] if isinstance(argnums, int) else grads
        value = _leave(output, level)
        return (result, (value, aux)) if has_aux else (result, value)

    return wrapped


def grad(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The gradient function of a function with a scalar result."""
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        result, value = both(*args, **kwargs)
        return (result, value[1]) if has_aux else result

    return wrapped


def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> Any:
    """The outputs of ``func(*primals)`` and their directional derivatives ``J·t``."""
    if not isinstance(primals, tuple):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call "
            "f(*primals)."
        )
    flat, spec = flatten(primals)
    flat_tangents, tangent_spec = flatten(tangents)
    if spec != tangent_spec:
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals and tangents to have the same python structure."
        )
    level = fresh_level()
    duals = []
    for x, t in zip(flat, flat_tangents, strict=True):
        _checked(x), _checked(t)
        if shape_of(x) != shape_of(t):
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the original "
                f"Tensor, this is not supported. Tensor is of size {list(shape_of(x))} while the given "
                f"forward gradient is of size {list(shape_of(t))}."
            )
        duals.append(wrap(Dual(x, t, level), None, level))
    outputs = func(*unflatten(duals, spec))
    aux = None
    if has_aux:
        outputs, aux = outputs
        aux = tree_map(lambda v: _leave(v, level), aux)
    ys, out_spec = flatten(outputs)
    for y in ys:
        if not isinstance(y, TensorBase):
            raise RuntimeError(
                f"jvp(f, primals, tangents): Expected f(*primals) to return a Tensor, got {type(y)}"
            )
    results = unflatten([_leave(y, level) for y in ys], out_spec)
    pushed = unflatten([_tangent(y, level) for y in ys], out_spec)
    return (results, pushed, aux) if has_aux else (results, pushed)


def _tangent(y: Any, level: int) -> Any:
    value = y._value if y._level == level else None
    if isinstance(value, Dual) and value._level == level:
        return as_tensor(value.tangent)
    return wrap(np.zeros(shape_of(y), dtype_of(y)))


def linearize(func: Callable[..., Any], *primals: Any) -> Any:
    """The outputs at `primals` and the linear function ``t ↦ J·t``."""
    output = func(*primals)

    def push(*tangents: Any) -> Any:
        return jvp(func, primals, tangents)[1]

    return output, push


def _basis(xs: Sequence[Any]) -> list[Any]:
    """For each of several tensors, the rows of the identity over all their elements together, in
    its shape.
    """
    sizes = [int(np.prod(shape_of(x))) for x in xs]
    total = sum(sizes)
    result = []
    start = 0
    for x, size in zip(xs, sizes, strict=True):
        rows = np.zeros((total, size), dtype_of(x))
        rows[start : start + size] = np.eye(size, dtype=dtype_of(x))
        result.append(wrap(rows.reshape(total, *shape_of(x))))
        start += size
    return result


def jacrev(
    func: Callable[..., Any], argnums: Any = 0, *, has_aux: bool = False, chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:  # fmt: skip
    """The Jacobian function, by pulling all rows of the identity back in one batched pass."""

    @functools.wraps(func)
    def wrapped(*args: Any) -> Any:
        numbers = _selected(argnums, len(args))

        def of_chosen(*chosen: Any) -> Any:
            inside = list(args)
            for n, value in zip(numbers, chosen, strict=True):
                inside[n] = value
            return func(*inside)

        chosen = tuple(args[n] for n in numbers)
        output, pull, *aux = vjp(of_chosen, *chosen, has_aux=has_aux)
        ys, out_spec = flatten(output)
        flat, in_spec = flatten(chosen)

        def rows(*vs: Any) -> Any:
            return flatten(pull(unflatten(list(vs), out_spec)))[0]

        columns = map_over_first_axis(rows, _basis(ys))
        jacobians = []
        start = 0
        for y in ys:
            size = int(np.prod(shape_of(y)))
            parts = [
                c.narrow(0, start, size).reshape((*shape_of(y), *shape_of(x)))
                for c, x in zip(columns, flat, strict=True)
            ]
            tree = unflatten(parts, in_spec)
            jacobians.append(tree[0] if isinstance(argnums, int) else tree)
            start += size
        result = unflatten(jacobians, out_spec)
        return (result, aux[0]) if has_aux else result

    return wrapped


def jacfwd(
    func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """The Jacobian function, by pushing all columns of the identity forward in one batched pass."""

    @functools.wraps(func)
    def wrapped(*args: Any) -> Any:
        numbers = _selected(argnums, len(args))
        chosen = tuple(args[n] for n in numbers)
        flat, in_spec = flatten(chosen)
        kept: dict[str, Any] = {}

        def push(*tangents: Any) -> Any:
            def of_chosen(*values: Any) -> Any:
                inside = list(args)
                for n, value in zip(numbers, values, strict=True):
                    inside[n] = value
                return func(*inside)

            output, pushed, *aux = jvp(of_chosen, chosen, unflatten(list(tangents), in_spec), has_aux=has_aux)
            leaves, kept["spec"] = flatten(pushed)
            kept["shapes"] = [shape_of(v) for v in flatten(output)[0]]
            kept["aux"] = aux
            return leaves

        rows = map_over_first_axis(push, _basis(flat))
        results = []
        for row, shape in zip(rows, kept["shapes"], strict=True):
            parts = []
            start = 0
            for x in flat:
                size = int(np.prod(shape_of(x)))
                part = row.narrow(0, start, size).movedim(0, -1).reshape((*shape, *shape_of(x)))
                parts.append(part)
                start += size
            tree = unflatten(parts, in_spec)
            results.append(tree[0] if isinstance(argnums, int) else tree)
        result = unflatten(results, kept["spec"])
        return (result, kept["aux"][0]) if has_aux else result

    return wrapped


def hessian(func: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """The Hessian function: forward mode over reverse mode, both batched."""
    return jacfwd(jacrev(func, argnums), argnums)

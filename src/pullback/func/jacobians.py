"""Compute Jacobians and Hessians: rows or columns of the identity through `vjp` or `jvp`, in one batched
pass.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, cast

from ..autograd.functional import by_input, by_output, identity
from ..core.value import TensorBase, dtype_of, shape_of
from ..tensor.namespace import TOP_LEVEL
from ..tensor.tree import TreeSpec, tree_flatten, tree_unflatten
from .transforms import jvp, replaced, selected, vjp
from .vmap import vmap

P = ParamSpec("P")


def _check_real(function: str, values: Sequence[object], what: str) -> None:
    for k, value in enumerate(values):
        if isinstance(value, TensorBase) and dtype_of(value).kind in "cW":
            raise RuntimeError(
                f"{function}: Expected all {what} to be real but received complex tensor at flattened input "
                f"idx: {k}"
            )


def _chosen(parts: Sequence[Any], spec: TreeSpec, argnums: object) -> Any:
    """Return parts for each differentiated input, as `argnums` names them."""
    tree = tree_unflatten(parts, spec)
    return tree[0] if isinstance(argnums, int) else tree


def jacrev(
    func: Callable[P, Any], argnums: object = 0, *, has_aux: bool = False, chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[P, Any]:  # fmt: skip
    """Return the Jacobian function, by pulling the rows of the identity back.

    Parameters
    ----------
    func : callable
        Takes and returns (nested containers of) real tensors.
    argnums : int or tuple of int
        The arguments that the Jacobian is taken in.
    has_aux : bool
        Whether `func` returns a pair, of its output and of what is passed through.
    chunk_size : int, optional
        Rows per batched pass (default: all; 1 uses no vmap).

    Returns
    -------
    callable
        Gives, in the structure of the output, Jacobians of shape (*output, *input).
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    f: Callable[..., Any] = func

    @functools.wraps(func)
    def wrapped(*args: object) -> Any:
        _check_real("jacrev", tree_flatten(args)[0], "inputs")
        positions = selected(argnums, len(args))
        chosen = tuple(args[n] for n in positions)
        output, pull, *aux = vjp(
            lambda *values: f(*replaced(args, positions, values)), *chosen, has_aux=has_aux
        )
        ys, out_spec = tree_flatten(output)
        _check_real("jacrev", ys, "outputs")
        flat, in_spec = tree_flatten(chosen)
        rows = _rows(lambda *vs: tuple(tree_flatten(pull(tree_unflatten(vs, out_spec)))[0]), ys, chunk_size)
        jacobians = [_chosen(parts, in_spec, argnums) for parts in by_output(rows, ys, flat)]
        result = tree_unflatten(jacobians, out_spec)
        return (result, aux[0]) if has_aux else result

    return cast("Callable[P, Any]", wrapped)


def _rows(pull: Callable[..., tuple[Any, ...]], ys: Sequence[object], chunk: int | None) -> Sequence[Any]:
    """Return the pullback of every row of the identity over the outputs, stacked along a first axis."""
    basis = identity(ys)
    total = shape_of(basis[0])[0]
    if chunk is None or chunk >= total > 1:
        return vmap(pull)(*basis)
    passes = []
    for start in range(0, total, chunk):
        rows = [b.narrow(0, start, min(chunk, total - start)) for b in basis]
        if chunk == 1:
            passes.append([g.unsqueeze(0) for g in pull(*(r.squeeze(0) for r in rows))])
        else:
            passes.append(list(vmap(pull)(*rows)))
    return [TOP_LEVEL["cat"](list(parts)) for parts in zip(*passes, strict=True)]


def jacfwd(
    func: Callable[P, Any], argnums: object = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[P, Any]:
    """Return the Jacobian function, by pushing all columns of the identity forward in one batched pass.

    Parameters
    ----------
    func : callable
        Takes and returns (nested containers of) real tensors.
    argnums : int or tuple of int
        The arguments that the Jacobian is taken in.
    has_aux : bool
        Whether `func` returns a pair, of its output and of what is passed through.
    randomness : {"error", "different", "same"}
        As `vmap` takes it.

    Returns
    -------
    callable
        Gives, in the structure of the output, Jacobians of shape (*output, *input).
    """
    f: Callable[..., Any] = func

    @functools.wraps(func)
    def wrapped(*args: object) -> Any:
        _check_real("jacfwd", tree_flatten(args)[0], "inputs")
        positions = selected(argnums, len(args))
        chosen = tuple(args[n] for n in positions)
        flat, in_spec = tree_flatten(chosen)
        shapes: list[tuple[int, ...]] = []

        def push(*tangents: object) -> Any:
            output, pushed, *aux = jvp(
                lambda *values: f(*replaced(args, positions, values)), chosen,
                tree_unflatten(list(tangents), in_spec), has_aux=has_aux,
            )
            ys = tree_flatten(output)[0]
            _check_real("jacfwd", ys, "outputs")
            shapes[:] = [shape_of(y) for y in ys]
            return (pushed, aux[0]) if has_aux else pushed

        result = vmap(push, randomness=randomness)(*identity(flat))
        aux = None
        if has_aux:
            result, aux = result
            aux_leaves, aux_spec = tree_flatten(aux)
            aux = tree_unflatten([v[0] for v in aux_leaves], aux_spec)
        rows, out_spec = tree_flatten(result)
        jacobians = [
            _chosen(by_input(row, flat, shape), in_spec, argnums)
            for row, shape in zip(rows, shapes, strict=True)
        ]
        jacobian = tree_unflatten(jacobians, out_spec)
        return (jacobian, aux) if has_aux else jacobian

    return cast("Callable[P, Any]", wrapped)


def hessian(func: Callable[P, Any], argnums: object = 0) -> Callable[P, Any]:
    """Return the Hessian function of shape (*output, *input, *input): batched forward over reverse mode."""
    return jacfwd(jacrev(func, argnums), argnums)

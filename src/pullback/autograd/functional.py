"""torch.autograd.functional: products with Jacobians and Hessians, and the matrices themselves."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..core.modes import modes
from ..core.value import dtype_of, shape_of, wrap
from ..tensor.backward import grad, ones_on
from ..tensor.batching import map_over_first_axis
from ..tensor.namespace import TOP_LEVEL
from ..tensor.tensor import Tensor
from ..torch_names.exclusions import answer_for
from . import forward_ad
from .grad_mode import enable_grad, set_grad_enabled

Tensors = tuple[Tensor, ...]


def _as_tuple(values: Any, argument: str, function: str) -> tuple[bool, Tensors]:
    """Return whether there were several, and the tensors as a tuple."""
    several = isinstance(values, tuple)
    items = values if several else (values,)
    for i, item in enumerate(items):
        if not isinstance(item, Tensor):
            if several:
                raise TypeError(
                    f"The {argument} given to {function} must be either a Tensor or a tuple of Tensors but "
                    f"the value at index {i} has type {type(item)}."
                )
            raise TypeError(
                f"The {argument} given to {function} must be either a Tensor or a tuple of Tensors but the "
                f"given {argument} has type {type(item)}."
            )
    return several, tuple(items)


def _prepared(inputs: Tensors, create_graph: bool) -> Tensors:
    """Return inputs that the function's graph starts from: views of the originals, or new leaves."""
    if create_graph:
        return tuple(x.view_as(x) if x.requires_grad else x.detach().requires_grad_() for x in inputs)
    return tuple(x.detach().requires_grad_() for x in inputs)


def _zeros(x: Tensor) -> Tensor:
    made: Tensor = wrap(np.zeros(shape_of(x), dtype_of(x)))
    return made


def _filled(
    grads: Sequence[Tensor | None], like: Tensors, strict: bool, create_graph: bool, what: str
) -> Tensors:
    """Return the gradients, zeros where there is none; with `strict` the error `what`, given the place."""
    result = []
    for i, (g, x) in enumerate(zip(grads, like, strict=True)):
        if g is None:
            if strict:
                raise RuntimeError(what.format(i=i))
            g = _zeros(x)
        elif strict and create_graph and not g.requires_grad:
            raise RuntimeError(
                f"The jacobian of the user-provided function is independent of input {i}. This is not "
                "allowed in strict mode when create_graph=True."
            )
        result.append(g)
    return tuple(result)


def _grad_postprocess(values: Any, create_graph: bool) -> Any:
    """Return (nested) tensors, cut from the graph unless it is asked for. Libraries use this name."""
    if create_graph:
        return values
    if isinstance(values, tuple):
        return tuple(_grad_postprocess(v, create_graph) for v in values)
    return values.detach()


def _covectors(v: object, like: Tensors, several: bool, what: str) -> Tensors:
    """Return the vector argument, checked against what it multiplies; 1 by default for a single element."""
    if v is None:
        if len(like) != 1 or like[0].nelement() != 1:
            raise RuntimeError(what)
        return (ones_on(like[0]),)
    _, vs = _as_tuple(v, "v", "function")
    if len(vs) != len(like):
        raise RuntimeError(f"Expected {len(like)} v, but got {len(vs)}") if several else RuntimeError(
            "The given v is a tuple of invalid length"
        )
    for i, (a, b) in enumerate(zip(vs, like, strict=True)):
        if shape_of(a) != shape_of(b):
            prefix = f"Entry {i} in " if several else ""
            raise RuntimeError(f"{prefix}v has invalid size: should be {b.size()} but got {a.size()}.")
    return vs


_NO_V = (
    "The vector v can only be None if the user-provided function returns a single Tensor with a single "
    "element."
)
_NO_V_INPUT = (
    "The vector v can only be None if the input to the user-provided function is a single Tensor with a "
    "single element."
)
_INDEPENDENT = (
    "The output of the user-provided function is independent of input {i}. This is not allowed in strict "
    "mode."
)


def _outputs(func: Callable[..., Any], inputs: Tensors, name: str) -> tuple[bool, Tensors]:
    return _as_tuple(func(*inputs), "outputs of the user-provided function", name)


def _require_graph(outputs: Tensors, strict: bool) -> None:
    if strict:
        for i, y in enumerate(outputs):
            if not y.requires_grad:
                raise RuntimeError(
                    f"Output {i} of the user-provided function does not require gradients. The outputs must "
                    "be computed in a differentiable manner from the input when running in strict mode."
                )


def _pull(
    outputs: Tensors, inputs: Tensors, vs: Tensors, create_graph: bool,
    retain: bool = False
) -> tuple[Tensor | None, ...]:
    kept = [(y, v) for y, v in zip(outputs, vs, strict=True) if y.requires_grad and v is not None]
    if not kept:
        return (None,) * len(inputs)
    return grad(
        tuple(y for y, _ in kept), inputs, tuple(v for _, v in kept), allow_unused=True,
        create_graph=create_graph, retain_graph=retain or create_graph,
    )  # fmt: skip


def vjp(
    func: Callable[..., Any], inputs: Any, v: object = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return ``(func(inputs), vᵀ·J)``.

    Parameters
    ----------
    v : tensor or tuple, optional
        Covectors of the outputs' shapes; may be left out for a single element.
    """
    with enable_grad():
        several_in, xs = _as_tuple(inputs, "inputs", "vjp")
        xs = _prepared(xs, create_graph)
        several_out, ys = _outputs(func, xs, "vjp")
        _require_graph(ys, strict)
        vs = _covectors(v, ys, several_out, _NO_V)
    with set_grad_enabled(create_graph or modes().grad):
        grads = _filled(_pull(ys, xs, vs, create_graph), xs, strict, create_graph, _INDEPENDENT)
    outputs, result = _grad_postprocess(ys, create_graph), _grad_postprocess(grads, create_graph)
    return outputs if several_out else outputs[0], result if several_in else result[0]


def jvp(
    func: Callable[..., Any], inputs: Any, v: object = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return ``(func(inputs), J·v)``, by the vjp transposed (its own pullback)."""
    with enable_grad():
        several_in, xs = _as_tuple(inputs, "inputs", "jvp")
        xs = _prepared(xs, create_graph)
        vs = _covectors(v, xs, several_in, _NO_V_INPUT)
        several_out, ys = _outputs(func, xs, "jvp")
        _require_graph(ys, strict)
        dummies = tuple(_zeros(y).requires_grad_() for y in ys)
        pulled = _filled(_pull(ys, xs, dummies, True), xs, strict, False, _INDEPENDENT)
        grads = _pull(pulled, dummies, vs, create_graph)
        result = _filled(grads, ys, strict, create_graph, _INDEPENDENT)
    outputs, result = _grad_postprocess(ys, create_graph), _grad_postprocess(result, create_graph)
    return outputs if several_out else outputs[0], result if several_out else result[0]


def jacobian(
    func: Callable[..., Any], inputs: object, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """Return the Jacobian: for an output of shape (*m) and an input of shape (*n) a tensor (*m, *n).

    Parameters
    ----------
    vectorize : bool
        One batched pass instead of one per row.
    strategy : {"reverse-mode", "forward-mode"}
        Rows by pulling back, or columns by pushing forward (with `vectorize`).
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has '
            'more outputs than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use '
            '"reverse-mode".'
        )
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError(
                'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are '
                'not supported together (yet). Please either set `create_graph=False` or '
                '`strategy="reverse-mode"`.'
            )
        return _jacobian_forward(func, inputs, strict, vectorize)
    with enable_grad():
        several_in, xs = _as_tuple(inputs, "inputs", "jacobian")
        xs = _prepared(xs, create_graph)
        several_out, ys = _outputs(func, xs, "jacobian")
        _require_graph(ys, strict)
        if vectorize:
            if strict:
                raise RuntimeError(
                    "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
                    "supported together. Please either set `strict=False` or `vectorize=False`."
                )
            matrices = _rows_at_once(ys, xs, create_graph)
        else:
            matrices = _rows_one_by_one(ys, xs, create_graph, strict)
    done = tuple(_grad_postprocess(row, create_graph) for row in matrices)
    return _tuple_postprocess(done, (several_out, several_in))


def _tuple_postprocess(values: Any, several: bool | tuple[bool, bool]) -> Any:
    """Return tuples, without the outer one where there was one value. Libraries use this name."""
    if not isinstance(several, tuple):
        return values if several else values[0]
    outer, inner = several
    rows = values if inner else tuple(row[0] for row in values)
    return rows if outer else rows[0]


def _rows_one_by_one(ys: Tensors, xs: Tensors, create_graph: bool, strict: bool) -> tuple[Tensors, ...]:
    matrices = []
    for i, y in enumerate(ys):
        independent = _INDEPENDENT.replace("The output", f"Output {i}")
        rows = []
        for j in range(y.nelement()):
            row = np.zeros(y.nelement(), dtype_of(y))
            row[j] = 1
            grads = _pull((y,), xs, (wrap(row.reshape(shape_of(y))),), create_graph, retain=True)
            rows.append(_filled(grads, xs, strict, create_graph, independent))
        shapes = [(*shape_of(y), *shape_of(x)) for x in xs]
        if rows:
            columns = zip(zip(*rows, strict=True), shapes, strict=True)
            matrices.append(tuple(TOP_LEVEL["stack"](c).reshape(shape) for c, shape in columns))
        else:
            matrices.append(tuple(wrap(np.zeros(n, dtype_of(x))) for x, n in zip(xs, shapes, strict=True)))
    return tuple(matrices)


def _construct_standard_basis_for(tensors: Tensors, tensor_numels: tuple[int, ...]) -> Tensors:
    """Return for each of several tensors the rows, (all elements, its elements), of the identity over the
    elements of all. By torch's name, which libraries import.
    """
    total = sum(tensor_numels)
    starts = itertools.accumulate(tensor_numels, initial=0)
    spans = zip(tensors, starts, tensor_numels, strict=False)
    return tuple(wrap(np.eye(total, size, -start, dtype_of(x))) for x, start, size in spans)


def _spans(xs: Sequence[Any]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield where each tensor's elements begin among those of all, how many there are, and its shape."""
    start = 0
    for shape in map(shape_of, xs):
        size = math.prod(shape)
        yield start, size, shape
        start += size


def identity(xs: Sequence[Any]) -> list[Any]:
    """Return for each tensor, in its shape, the rows of the identity over the elements of all together."""
    total = sum(size for _, size, _ in _spans(xs))
    return [
        wrap(np.eye(total, size, -start, dtype_of(x)).reshape(total, *shape))
        for x, (start, size, shape) in zip(xs, _spans(xs), strict=True)
    ]


def by_output(rows: Sequence[Any], ys: Sequence[Any], xs: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield for each output, of the pullbacks of all outputs' elements, its Jacobians in the inputs."""
    for start, size, shape in _spans(ys):
        yield tuple(
            row.narrow(0, start, size).reshape((*shape, *shape_of(x)))
            for row, x in zip(rows, xs, strict=True)
        )


def by_input(column: Any, xs: Sequence[Any], shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Return for each input its Jacobian, of what the tangents of all inputs' elements gave."""
    return tuple(
        column.narrow(0, start, size).movedim(0, -1).reshape((*shape, *of_x))
        for start, size, of_x in _spans(xs)
    )


def _rows_at_once(ys: Tensors, xs: Tensors, create_graph: bool) -> tuple[Tensors, ...]:
    def rows(*vs: Tensor) -> Tensors:
        grads = _pull(ys, xs, vs, create_graph, retain=True)
        return tuple(_zeros(x) if g is None else g for g, x in zip(grads, xs, strict=True))

    return tuple(by_output(map_over_first_axis(rows, identity(ys)), ys, xs))


def _jacobian_forward(func: Callable[..., Any], inputs: object, strict: bool, vectorize: bool) -> Any:
    if strict:
        raise RuntimeError(
            'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not '
            'supported together (yet). Please either set `strict=False` or `strategy="reverse-mode"`.'
        )
    several_in, xs = _as_tuple(inputs, "inputs", "jacobian")
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )
    kept: dict[str, Any] = {}

    def push(*tangents: Tensor) -> Tensors:
        with forward_ad.dual_level():
            duals = tuple(forward_ad.make_dual(x.detach(), t) for x, t in zip(xs, tangents, strict=True))
            kept["several"], outputs = _as_tuple(func(*duals), "outputs", "jacobian")
            pushed = []
            for y in outputs:
                primal, tangent = forward_ad.unpack_dual(y)
                pushed.append(_zeros(primal) if tangent is None else tangent)
            kept["shapes"] = [shape_of(y) for y in outputs]
        return tuple(pushed)

    columns = map_over_first_axis(push, identity(xs))
    matrices = tuple(by_input(c, xs, shape) for c, shape in zip(columns, kept["shapes"], strict=True))
    return _tuple_postprocess(matrices, (kept["several"], several_in))


def _scalar(outputs: Tensors, several: bool, name: str) -> None:
    if several or not isinstance(outputs[0], Tensor):
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].nelement() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {name} should contain a single element"
        )


def hessian(
    func: Callable[..., Any], inputs: object, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """Return the Hessian of a function with a single element: the Jacobian of its gradient."""
    several_in, xs = _as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def checked(*values: Tensor) -> Tensor:
        result = func(*values)
        several, outputs = _as_tuple(result, "outputs of the user-provided function", "hessian")
        _scalar(outputs, several, "hessian")
        return outputs[0].squeeze()

    def gradient(*values: Tensor) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            values = tuple(v.requires_grad_(True) for v in values)
        rows = jacobian(checked, values, create_graph=True)
        if strict:
            for k, row in enumerate(rows):
                if not row.requires_grad:
                    raise RuntimeError(
                        f"The jacobian of the user-provided function with respect to input {k} is "
                        "independent of the input. This is not allowed in strict mode."
                    )
        return rows

    result = jacobian(gradient, xs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return result if several_in else result[0][0]


def _gradient(
    func: Callable[..., Any], inputs: object, v: object, create_graph: bool, strict: bool, caller: str
) -> tuple[bool, Tensors, Tensors, Tensors, Tensors]:
    """Return whether there are several inputs, these, the vector, the output, its recorded gradient."""
    several_in, xs = _as_tuple(inputs, "inputs", caller)
    xs = _prepared(xs, create_graph)
    vs = _covectors(v, xs, several_in, _NO_V_INPUT)
    several_out, ys = _outputs(func, xs, caller)
    _scalar(ys, several_out, caller)
    _require_graph(ys, strict)
    first = _filled(_pull(ys, xs, tuple(ones_on(y) for y in ys), True), xs, strict, False, _INDEPENDENT)
    return several_in, xs, vs, ys, first


def vhp(
    func: Callable[..., Any], inputs: Any, v: object = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return ``(func(inputs), vᵀ·H)``."""
    with enable_grad():
        several_in, xs, vs, ys, first = _gradient(func, inputs, v, create_graph, strict, "vhp")
        second = _filled(_pull(first, xs, vs, create_graph), xs, strict, create_graph, _INDEPENDENT)
    outputs, result = _grad_postprocess(ys, create_graph), _grad_postprocess(second, create_graph)
    return outputs[0], result if several_in else result[0]


def hvp(
    func: Callable[..., Any], inputs: Any, v: object = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return ``(func(inputs), H·v)``, by the pullback of the pullback."""
    with enable_grad():
        several_in, xs, vs, ys, first = _gradient(func, inputs, v, create_graph, strict, "hvp")
        dummies = tuple(_zeros(x).requires_grad_() for x in xs)
        second = _filled(_pull(first, xs, dummies, True), xs, strict, False, _INDEPENDENT)
        result = _filled(_pull(second, dummies, vs, create_graph), xs, strict, create_graph, _INDEPENDENT)
    outputs, products = _grad_postprocess(ys, create_graph), _grad_postprocess(result, create_graph)
    return outputs[0], products if several_in else products[0]

answer_for(globals())

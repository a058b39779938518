"""Define `gradcheck` and `gradgradcheck`: analytical derivatives against central differences.

A failure carries torch's text first; a note names the element that differs most, the dtype and the likely
cause.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

import numpy as np

from ..core.marked import Marked
from ..core.value import array_of, dtype_of, shape_of, wrap
from ..core.warn import warn
from ..tensor.backward import grad
from ..tensor.tensor import Tensor
from . import forward_ad
from .grad_mode import enable_grad


class GradcheckError(RuntimeError):
    """A derivative differs from its finite difference."""


GradcheckError.__module__ = "torch.autograd.gradcheck"


def _differentiable(value: object) -> TypeGuard[Tensor]:
    return isinstance(value, Tensor) and dtype_of(value).kind in "fcVW"


def _outputs(values: object) -> tuple[Tensor, ...]:
    items = values if isinstance(values, (tuple, list)) else (values,)
    return tuple(v for v in items if _differentiable(v))


def _inputs(values: object) -> tuple[Any, ...]:
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


def gradcheck(
    func: Callable[..., Any], inputs: object, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
    raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False, check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False, check_forward_ad: bool = False, check_backward_ad: bool = True,
    fast_mode: bool = False, masked: bool | None = None,
) -> bool:  # fmt: skip
    """Compare the Jacobian that `backward` gives with central differences ``(f(x + ε) − f(x − ε)) / 2ε``.

    Parameters
    ----------
    func : callable
        Of tensors; returns a tensor or a tuple of tensors.
    inputs : tensor or tuple
        Those that require grad are checked; they should be float64 or complex128.
    eps, atol, rtol : float
        Step, and tolerances of the comparison.
    check_forward_ad, check_backward_ad : bool
        Which modes to check.
    fast_mode : bool
        Compare one random combination of rows and columns instead of the whole matrix.

    Raises
    ------
    GradcheckError
        A derivative differs (or, with ``raise_exception=False``, False is returned).
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    try:
        return _check(
            func, _inputs(inputs), eps, atol, rtol, nondet_tol, check_forward_ad, check_backward_ad,
            fast_mode, check_undefined_grad, check_batched_grad,
        )  # fmt: skip
    except GradcheckError:
        if raise_exception:
            raise
        return False


def _check(
    func: Callable[..., Any], inputs: tuple[object, ...], eps: float, atol: float, rtol: float,
    nondet_tol: float, forward: bool, backward: bool, fast: bool, undefined: bool, batched: bool,
) -> bool:  # fmt: skip
    _check_inputs(inputs)
    ys = _outputs(func(*inputs))
    xs = [x for x in inputs if _differentiable(x) and x.requires_grad]
    if not any(y.requires_grad for y in ys):
        return _check_no_graph(func, inputs, xs, eps)
    numerical = [[_numerical(func, inputs, x, k, eps) for x in xs] for k in range(len(ys))]
    if backward:
        for k, y in enumerate(ys):
            for i, x in enumerate(xs):
                analytical = _analytical(func, inputs, xs, k, i, nondet_tol)
                _compare(numerical[k][i], analytical, k, i, y, x, atol, rtol, fast, "")
        if undefined:
            _check_undefined(func, inputs, xs)
        if batched:
            _check_batched(ys, xs, atol, rtol)
    if forward:
        for i, x in enumerate(xs):
            for k, matrix in enumerate(_forward(func, inputs, x, len(ys))):
                _compare(numerical[k][i], matrix, k, i, ys[k], x, atol, rtol, fast, " (forward mode)")
    return True


def _check_inputs(inputs: Sequence[object]) -> None:
    found = False
    for i, x in enumerate(inputs):
        if isinstance(x, Tensor) and x.requires_grad:
            found = True
            if dtype_of(x) not in (np.dtype(np.float64), np.dtype(np.complex128)):
                warn(
                    f"Input #{i} requires gradient and is not a double precision floating point or complex. "
                    "This check will likely fail if all the inputs are not of double precision floating "
                    "point or complex. "
                )
            array = array_of(x)
            if any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape, strict=True)):
                raise RuntimeError(
                    f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                    "non-overlapping to be able to compute the numerical gradients correctly. You should "
                    "call .contiguous on the input before passing it to gradcheck."
                )
    if not found:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have "
            "requires_grad=True."
        )


def _check_no_graph(func: Callable[..., Any], inputs: tuple[Any, ...], xs: list[Tensor], eps: float) -> bool:
    for x in xs:
        count = len(_outputs(func(*inputs)))
        if any(np.any(_numerical(func, inputs, x, k, eps) != 0) for k in range(count)):
            error = GradcheckError("Numerical gradient for function expected to be zero")
            error.add_note(
                "No output requires grad, yet the outputs change with the inputs: something detaches them."
            )
            raise error
    return True


def _numerical(
    func: Callable[..., Any], inputs: tuple[object, ...], x: Tensor, k: int, eps: float
) -> np.ndarray:
    """Return the central differences of output k: a matrix (elements of x, elements of output)."""
    array = array_of(x)
    held = x._value if type(x._value) is Marked else array
    rows = []
    for index in np.ndindex(array.shape):
        before = array[index]

        def at(value: Any, index: tuple[int, ...] = index) -> np.ndarray:
            held[index] = value
            return np.array(array_of(_outputs(func(*inputs))[k])).reshape(-1)

        slope = (at(before + eps) - at(before - eps)) / (2 * eps)
        if array.dtype.kind == "c":
            turned = (at(before + 1j * eps) - at(before - 1j * eps)) / (2 * eps)
            slope = slope, turned
        held[index] = before
        rows.append(slope)
    if array.dtype.kind == "c":
        return np.array([[a, b] for a, b in rows])
    return np.array(rows) if rows else np.zeros((0, 0))


def _analytical(
    func: Callable[..., Any], inputs: tuple[object, ...], xs: list[Tensor], k: int, i: int, nondet_tol: float
) -> np.ndarray:
    """Return the backward pass's Jacobian of output k by input i: (elements of x, elements of output)."""
    y = _outputs(func(*inputs))[k]
    x = xs[i]
    count = y.numel()
    factors = [1.0, 1j] if dtype_of(y).kind in "cW" else [1.0]
    columns = []
    for j in range(count):
        parts = []
        for factor in factors:
            v = np.zeros(count, dtype_of(y))
            v[j] = factor
            again = []
            for _ in range(2):
                (g,) = grad([y], [x], [wrap(v.reshape(shape_of(y)))], retain_graph=True, allow_unused=True)
                again.append(np.zeros(shape_of(x), dtype_of(x)) if g is None else np.array(array_of(g)))
            if np.max(np.abs(again[0] - again[1]), initial=0.0) > nondet_tol:
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output "
                    "multiple times gives different values, although analytical gradient matches numerical "
                    f"gradient. The tolerance for nondeterminism was {nondet_tol}."
                )
            parts.append(again[0].reshape(-1))
        columns.append(parts)
    return _as_slopes(columns, dtype_of(x), dtype_of(y), x.numel())


def _as_slopes(
    columns: list[list[np.ndarray]], x_dtype: np.dtype[Any], y_dtype: np.dtype[Any], size: int
) -> np.ndarray:
    """Return gradients of real and imaginary parts as the slopes that differences measure."""
    if not columns:
        return np.zeros((size, 0))
    if y_dtype.kind == "c":
        # vᵀJ for v = 1 and v = i give the derivatives of the real and the imaginary part.
        real = np.array([c[0] for c in columns]).T
        imag = np.array([c[1] for c in columns]).T
        if x_dtype.kind == "c":
            return np.stack([real.real + 1j * imag.real, real.imag + 1j * imag.imag], axis=1)
        return real + 1j * imag
    plain = np.array([c[0] for c in columns]).T
    return np.stack([plain.real, plain.imag], axis=1) if x_dtype.kind == "c" else plain


def _forward(func: Callable[..., Any], inputs: tuple[object, ...], x: Tensor, count: int) -> list[np.ndarray]:
    """Return forward mode's Jacobians by input x: per output a matrix (elements of x, elements of output)."""
    rows: list[list[np.ndarray]] = [[] for _ in range(count)]
    directions = [1.0, 1j] if dtype_of(x).kind in "cW" else [1.0]
    for j in range(x.numel()):
        pairs: list[list[np.ndarray]] = [[] for _ in range(count)]
        for direction in directions:
            t = np.zeros(x.numel(), dtype_of(x))
            t[j] = direction
            with forward_ad.dual_level():
                dual = forward_ad.make_dual(x.detach(), wrap(t.reshape(shape_of(x))))
                outputs = _outputs(func(*(dual if v is x else v for v in inputs)))
                for k, y in enumerate(outputs):
                    primal, tangent = forward_ad.unpack_dual(y)
                    value = (
                        np.zeros(shape_of(primal), dtype_of(primal))
                        if tangent is None
                        else np.array(array_of(tangent))
                    )
                    pairs[k].append(value.reshape(-1))
        for k in range(count):
            rows[k].append(np.array(pairs[k]) if len(directions) == 2 else pairs[k][0])
    return [np.array(r) if r else np.zeros((0, 0)) for r in rows]


def _close(a: np.ndarray, n: np.ndarray, atol: float, rtol: float) -> bool:
    return bool(np.allclose(a, n, rtol=rtol, atol=atol))


def _compare(
    numerical: np.ndarray, analytical: np.ndarray, k: int, i: int, y: Tensor, x: Tensor, atol: float,
    rtol: float, fast: bool, mode: str,
) -> None:  # fmt: skip
    numerical = numerical.reshape(analytical.shape) if numerical.size == analytical.size else numerical
    if fast and analytical.size:
        rng = np.random.default_rng(0)
        u = rng.normal(size=analytical.shape[0])
        v = rng.normal(size=analytical.shape[-1])
        a = np.tensordot(u, analytical, 1) @ v
        n = np.tensordot(u, numerical, 1) @ v
        if _close(a, n, atol, rtol):
            return
        text = (
            f"Jacobian mismatch for output {k} with respect to input "
            f"{i},\nnumerical:{_item(n)}\nanalytical:{_item(a)}\n\nThe above quantities relating the "
            "numerical and analytical jacobians are computed \nin fast mode. See: "
            "https://github.com/pytorch/pytorch/issues/53876 for more background \nabout fast mode. Below, "
            "we recompute numerical and analytical jacobians in slow mode:\n\nNumerical:\n "
            f"{_shown(numerical, x)}\nAnalytical:\n{_shown(analytical, x)}\n\nThe max per-element difference "
            f"(slow mode) is: {np.max(np.abs(numerical - analytical))}.\n"
        )
    elif _close(analytical, numerical, atol, rtol):
        return
    else:
        text = (
            f"Jacobian mismatch for output {k} with respect to input {i},\nnumerical:{_shown(numerical, x)}\n"
            f"analytical:{_shown(analytical, x)}\n"
        )
    error = GradcheckError(text)
    error.add_note(_advice(numerical, analytical, k, i, y, x) + mode)
    raise error


def _item(value: Any) -> Any:
    return value.item() if np.ndim(value) == 0 else wrap(np.asarray(value))


def _shown(matrix: np.ndarray, x: Tensor) -> str:
    return str(
        wrap(
            np.asarray(matrix, dtype_of(x) if matrix.dtype.kind == "f" and dtype_of(x).kind == "f" else None)
        )
    )


def _advice(numerical: np.ndarray, analytical: np.ndarray, k: int, i: int, y: Tensor, x: Tensor) -> str:
    """Name the element that differs most, its dtype, and the usual cause."""
    if numerical.shape != analytical.shape:
        return f"The matrices have the shapes {numerical.shape} and {analytical.shape}."
    gap = np.abs(numerical - analytical)
    at = np.unravel_index(int(np.nanargmax(gap)) if not np.all(np.isnan(gap)) else 0, gap.shape)
    row = tuple(int(n) for n in np.unravel_index(at[0], shape_of(x)))
    column = tuple(int(n) for n in np.unravel_index(at[-1], shape_of(y)))
    text = (
        f"The largest difference is at ∂output[{k}]{list(column)}/∂input[{i}]{list(row)}: analytical "
        f"{analytical[at]}, numerical {numerical[at]}; the input is {dtype_of(x)}."
    )
    if dtype_of(x) not in (np.dtype(np.float64), np.dtype(np.complex128)):
        return text + " Likely cause: differences need double precision; pass x.double()."
    if np.isnan(analytical).any():
        return text + " Likely cause: the derivative is nan there (0·inf, sqrt or norm at 0)."
    quotient = analytical[at] / numerical[at] if numerical[at] else np.inf
    if (
        np.isfinite(quotient)
        and abs(quotient - np.round(np.real(quotient), 3)) < 1e-4
        and abs(quotient) > 1e-3
    ):
        return text + f" Likely cause: backward is too large by a factor of {np.real(quotient):.4g}."
    if not np.any(analytical):
        return text + " Likely cause: backward returns zero, or the graph is cut (detach, item, no_grad)."
    return text + " Likely cause: the formula of backward, or a point where the function has a kink."


def _check_undefined(func: Callable[..., Any], inputs: tuple[object, ...], xs: list[Tensor]) -> None:
    """Check that backward takes None (or zeros) for outputs that were not used."""
    ys = [y for y in _outputs(func(*inputs)) if y.requires_grad]
    if len(ys) < 2:
        return
    for skipped in range(len(ys)):
        used = [y for n, y in enumerate(ys) if n != skipped]
        covectors = [wrap(np.zeros(shape_of(y), dtype_of(y))) for y in used]
        grads = grad(used, xs, covectors, allow_unused=True, retain_graph=True)
        if any(g is not None and np.any(array_of(g)) for g in grads):
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are undefined or "
                "zero. Please make sure that your backward function is robust to undefined output grads."
            )


def _check_batched(ys: tuple[Tensor, ...], xs: list[Tensor], atol: float, rtol: float) -> None:
    """Check that the pullback of two covectors at once equals the two one after another."""
    rng = np.random.default_rng(0)
    for y in (y for y in ys if y.requires_grad):
        pair = rng.normal(size=(2, *shape_of(y))).astype(dtype_of(y))
        together = grad([y], xs, [wrap(pair)], allow_unused=True, retain_graph=True, is_grads_batched=True)
        for row in range(2):
            single = grad([y], xs, [wrap(np.asarray(pair[row]))], allow_unused=True, retain_graph=True)
            for a, b in zip(together, single, strict=True):
                if a is not None and b is not None and not _close(array_of(a)[row], array_of(b), atol, rtol):
                    raise GradcheckError("For the batched pullback: batched and unbatched gradients differ.")


def gradgradcheck(
    func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, *, eps: float = 1e-6, atol: float = 1e-5,
    rtol: float = 1e-3, gen_non_contig_grad_outputs: bool = False, raise_exception: bool = True,
    nondet_tol: float = 0.0, check_undefined_grad: bool = True, check_grad_dtypes: bool = False,
    check_batched_grad: bool = False, check_fwd_over_rev: bool = False, check_rev_over_rev: bool = True,
    fast_mode: bool = False, masked: bool = False,
) -> bool:  # fmt: skip
    """Return `gradcheck` of the gradients: second derivatives against differences of first ones."""
    xs = _inputs(inputs)
    ys = _outputs(func(*xs))
    if grad_outputs is None:
        rng = np.random.default_rng(0)
        vs = tuple(
            wrap(np.asarray(rng.normal(size=shape_of(y))).astype(dtype_of(y))).requires_grad_() for y in ys
        )
    else:
        vs = _inputs(grad_outputs)

    def gradients(*args: Any) -> tuple[Tensor, ...]:
        points, covectors = args[: len(xs)], args[len(xs) :]
        points = tuple(
            p.detach().requires_grad_()
            if _differentiable(x) and x.requires_grad and not p.requires_grad
            else p
            for p, x in zip(points, xs, strict=True)
        )
        leaves = [p for p, x in zip(points, xs, strict=True) if _differentiable(x) and x.requires_grad]
        outputs = _outputs(func(*points))
        pairs = [(y, v) for y, v in zip(outputs, covectors, strict=True) if y.requires_grad]
        found = grad(
            [y for y, _ in pairs], leaves, [v for _, v in pairs], create_graph=True, allow_unused=True
        )
        return tuple(g for g in found if g is not None)

    return gradcheck(
        enable_grad()(gradients), tuple(itertools.chain(xs, vs)), eps=eps, atol=atol, rtol=rtol,
        raise_exception=raise_exception, nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad,
        check_batched_grad=check_batched_grad, check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev, fast_mode=fast_mode,
    )  # fmt: skip

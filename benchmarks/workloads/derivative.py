"""(l) The Jacobian of ``tanh(W·x + b)`` and the Hessian of its sum, both 64 × 64.

In the torch-like peers twice: row by row (the default of ``torch.autograd.functional``) and vectorized.
torch.compile gets the transforms of ``torch.func``, which it supports; it compiles
``torch.autograd.functional.hessian`` to zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.case import Case, Library, Row

WIDTH = 64


def _arrays() -> tuple[data.Array, data.Array, data.Array]:
    values = data.normal(WIDTH + 2, WIDTH)
    return np.ascontiguousarray(values[:WIDTH] * WIDTH**-0.5), values[WIDTH].copy(), values[WIDTH + 1].copy()


def torch_like(which: str, vectorize: bool, library: Library) -> Case:
    torch = library.module
    weight, bias, point = (torch.from_numpy(array) for array in _arrays())
    functional = torch.autograd.functional

    def layer(x: Any) -> Any:
        return torch.tanh(weight @ x + bias)

    def total(x: Any) -> Any:
        return layer(x).sum()

    if library.compiled:
        call = library.compile(torch.func.jacrev(layer) if which == "jacobian" else torch.func.hessian(total))
    elif which == "jacobian":
        call = partial(functional.jacobian, layer, vectorize=vectorize)
    else:
        call = partial(functional.hessian, total, vectorize=vectorize)
    return Case(lambda: call(point), lambda matrix: matrix.square().sum().item())


def jax(which: str, library: Library) -> Case:
    jax = library.module
    weight, bias, point = (jax.numpy.asarray(array) for array in _arrays())

    def layer(x: Any) -> Any:
        return jax.numpy.tanh(weight @ x + bias)

    matrix = jax.jacrev(layer) if which == "jacobian" else jax.hessian(lambda x: layer(x).sum())
    call = jax.jit(matrix)
    return Case(lambda: call(point).block_until_ready(), lambda matrix: float((matrix**2).sum()))


def autograd(which: str, library: Library) -> Case:
    import autograd.numpy as anp

    weight, bias, point = _arrays()

    def layer(x: Any) -> Any:
        return anp.tanh(anp.dot(weight, x) + bias)

    if which == "jacobian":
        matrix = library.module.jacobian(layer)
    else:
        matrix = library.module.hessian(lambda x: anp.sum(layer(x)))
    return Case(lambda: matrix(point), lambda matrix: float((matrix**2).sum()))


def _row(which: str, vectorize: bool) -> Row:
    families: dict[str, Callable[[Library], Case]] = {"torch": partial(torch_like, which, vectorize)}
    # The other peers have one way only; it stands beside both of torch's.
    families |= {"jax": partial(jax, which), "autograd": partial(autograd, which)}
    suffix, note = ("-vectorized", ", vectorized") if vectorize else ("", "")
    return Row(f"l-{which}{suffix}", f"{which.capitalize()} of a 64-wide tanh layer{note}", families)


ROWS = [_row(which, vectorize) for which in ("jacobian", "hessian") for vectorize in (False, True)]

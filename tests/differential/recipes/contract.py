"""Matrix products, einsum and the first of linalg."""

from __future__ import annotations

from ..builder import FLOATS, INTS, SMOOTH, Builder, Literal, Ref, call, some
from . import Drawn, recipe
from .elementwise import spelled

EINSUM = (
    ("ij,jk->ik", "ij", "jk"),
    ("ij,jk", "ij", "jk"),
    ("bij,bjk->bik", "bij", "bjk"),
    ("ij->ji", "ij"),
    ("ii->i", "ii"),
    ("ii", "ii"),
    ("ij->", "ij"),
    ("ij,ij->", "ij", "ij"),
    ("i,j->ij", "i", "j"),
    ("ij,j->i", "ij", "j"),
    ("i,i", "i", "i"),
    ("...ij,...jk->...ik", "bij", "bjk"),
    ("ij,kj->ik", "ij", "kj"),
    ("bij,jk->bik", "bij", "jk"),
    ("i,ij,j->", "i", "ij", "j"),
    ("ij,jk,kl->il", "ij", "jk", "kl"),
    ("bi,bj->bij", "bi", "bj"),
    ("...i->...", "bci"),
    ("bhid,bhjd->bhij", "bhid", "bhjd"),
)


def matching(b: Builder, x: Ref, shape: tuple[int, ...]) -> Ref:
    """A tensor of a given shape and of the dtype of another."""
    return b.pick((b.dtype_of(x),), where=lambda t: tuple(t.shape) == shape, shape=lambda: shape, fresh=0.4)


@recipe(8)
def matmul(b: Builder) -> Drawn:
    x = b.pick((*SMOOTH, "int64") if b.chance(0.2) else SMOOTH, ndim=(1, 2, 3))
    shape = tuple(b.value(x).shape)
    other: tuple[int, ...] = (shape[-1],)
    kind = b.one(("vector", "matrix", "matrix", "matrix", "batch"))
    if kind != "vector":
        other = (shape[-1], b.size())
    if kind == "batch":
        other = ((shape[0] if len(shape) == 3 else b.size()), *other)
    y = matching(b, x, other)
    return call("matmul", x, y) if b.chance(0.6) else call(spelled(b, "matmul"), x, y)


@recipe(3)
def product_of_matrices(b: Builder) -> Drawn:
    match b.one(("mm", "mv", "dot", "bmm", "vdot")):
        case "mm":
            x = b.pick(SMOOTH, ndim=2)
            return call(spelled(b, "mm"), x, matching(b, x, (b.value(x).shape[1], b.size())))
        case "mv":
            x = b.pick(SMOOTH, ndim=2)
            return call(spelled(b, "mv"), x, matching(b, x, (b.value(x).shape[1],)))
        case "bmm":
            x = b.pick(SMOOTH, ndim=3)
            n, _, k = b.value(x).shape
            return call(spelled(b, "bmm"), x, matching(b, x, (n, k, b.size())))
        case name:
            x = b.pick(SMOOTH, ndim=1)
            return call(spelled(b, name), x, matching(b, x, tuple(b.value(x).shape)))


@recipe(3)
def with_addition(b: Builder) -> Drawn:
    kwargs = some(b, {"beta": lambda: b.one((0.5, 2, 0)), "alpha": lambda: b.one((0.5, 2, -1))}, 0.35)
    n, k, m = (b.rng.randint(1, 4) for _ in range(3))
    match b.one(("addmm", "addmm", "baddbmm", "addmv", "addr")):
        case "addmm":
            x = b.pick(SMOOTH, where=lambda t: tuple(t.shape) in ((n, m), (m,), (1, m)), shape=lambda: (n, m))
            return call(spelled(b, "addmm"), x, matching(b, x, (n, k)), matching(b, x, (k, m)), **kwargs)
        case "baddbmm":
            x = b.pick(SMOOTH, where=lambda t: tuple(t.shape) == (2, n, m), shape=lambda: (2, n, m))
            return call(
                spelled(b, "baddbmm"), x, matching(b, x, (2, n, k)), matching(b, x, (2, k, m)), **kwargs
            )
        case "addmv":
            x = b.pick(SMOOTH, where=lambda t: tuple(t.shape) == (n,), shape=lambda: (n,))
            return call(spelled(b, "addmv"), x, matching(b, x, (n, k)), matching(b, x, (k,)), **kwargs)
    x = b.pick(SMOOTH, where=lambda t: tuple(t.shape) == (n, m), shape=lambda: (n, m))
    return call(spelled(b, "addr"), x, matching(b, x, (n,)), matching(b, x, (m,)), **kwargs)


@recipe(3)
def linear(b: Builder) -> Drawn:
    x = b.pick(FLOATS, ndim=(1, 2, 3))
    features, size = b.value(x).shape[-1], b.rng.randint(1, 4)
    weight = matching(b, x, (size, features))
    return call(
        "torch.nn.functional.linear", x, weight, *((matching(b, x, (size,)),) if b.chance(0.6) else ())
    )


@recipe(4)
def einsum(b: Builder) -> Drawn:
    equation, *terms = b.one(EINSUM)
    dtype = b.dtype(SMOOTH)
    sizes = {letter: b.rng.randint(1, 4) for letter in "bchijkld"}
    operands: list[Ref] = []
    for term in terms:
        shape = tuple(sizes[letter] for letter in term)
        operands.append(
            b.pick(
                (dtype,),
                where=lambda t, shape=shape: tuple(t.shape) == shape,
                shape=lambda shape=shape: shape,
                fresh=0.3,
            )
        )
    return call("torch.einsum", equation, *operands)


@recipe(1)
def outer(b: Builder) -> Drawn:
    x = b.pick((*SMOOTH, *INTS), ndim=1)
    return call(spelled(b, "outer"), x, b.pick((b.dtype_of(x),), ndim=1))


@recipe(1)
def inner(b: Builder) -> Drawn:
    x = b.pick(SMOOTH, ndim=(1, 2))
    return call(spelled(b, "inner"), x, matching(b, x, (b.rng.randint(1, 3), b.value(x).shape[-1])))


@recipe(1)
def tensordot(b: Builder) -> Drawn:
    x = b.pick(SMOOTH, ndim=(2, 3))
    shape = tuple(b.value(x).shape)
    if b.chance(0.5):
        return call("torch.tensordot", x, matching(b, x, (*shape[-2:], 2)), 2)
    return call("torch.tensordot", x, matching(b, x, (2, shape[0])), dims=([0], [1]))


@recipe(0.7)
def kron(b: Builder) -> Drawn:
    x = b.pick(SMOOTH, ndim=(1, 2), where=lambda t: t.numel() < 9, shape=lambda: (2, 2))
    return call(spelled(b, "kron"), x, b.leaf(b.dtype_of(x), (2, 2)))


@recipe(0.7)
def cross(b: Builder) -> Drawn:
    x = b.pick(
        ("float32", "float64"), where=lambda t: t.dim() and t.shape[-1] == 3, shape=lambda: (*b.shape(1), 3)
    )
    return call("torch.linalg.cross", x, matching(b, x, tuple(b.value(x).shape)))


@recipe(0.5)
def bilinear(b: Builder) -> Drawn:
    x = b.pick(("float32", "float64"), ndim=2)
    n, k = b.value(x).shape
    return call("torch.nn.functional.bilinear", x, matching(b, x, (n, 2)), matching(b, x, (3, k, 2)))


def well_conditioned(b: Builder, dtype: str, size: int, symmetric: bool) -> Literal:
    """A matrix whose diagonal dominates."""
    rows = [[b.real() / 4 + (8.0 if i == j else 0.0) for j in range(size)] for i in range(size)]
    if symmetric:
        rows = [[rows[max(i, j)][min(i, j)] for j in range(size)] for i in range(size)]
    return Literal(dtype, (size, size), tuple(value for row in rows for value in row), requires_grad=True)


@recipe(2)
def solved(b: Builder) -> Drawn:
    dtype = b.dtype(("float32", "float64"))
    size = b.rng.randint(1, 3)
    name = b.one(("solve", "inv", "det", "cholesky", "slogdet", "logdet"))
    matrix = b.next()
    b.emit(call("tensor", well_conditioned(b, dtype, size, symmetric=name == "cholesky")))
    match name:
        case "solve":
            return call(
                "torch.linalg.solve",
                matrix,
                b.pick(
                    (dtype,),
                    where=lambda t: tuple(t.shape) == (size,),
                    shape=lambda: (size, b.rng.randint(1, 2)),
                ),
            )
        case "logdet":
            return call("torch.logdet", matrix)
        case _:
            return call(f"torch.linalg.{name}", matrix)

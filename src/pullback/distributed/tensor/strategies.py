"""Say in which layouts an op can be done by each process on its parts, and choose the cheapest of them.

For one dimension of a mesh, a choice says how each tensor must lie, and how the results lie then. A matrix
product, for instance, takes rows of the first factor and all of the second and makes rows; or it takes
columns of the first and rows of the second and makes summands. Dimensions of the mesh do not depend on each
other. Copies become parts at no cost; what costs is an exchange. The first of the cheapest choices is taken,
as torch does it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf, prod
from typing import Any, NamedTuple

from ...core.op import TABLE
from .layout import factor_of
from .placement_types import Partial, Placement, Replicate, Shard, _StridedShard

R, P = Replicate(), Partial()

#: Ops whose second argument is a shape: of the result, of which each process makes its part.
SIZED = frozenset({"view", "_unsafe_view", "expand", "slice_backward", "select_backward"})
VIEWS = frozenset({"view", "_unsafe_view"})
#: Ops that treat an axis as a whole and the others alike, with the place of the axis among the arguments.
_ALONG = {
    "_softmax": 1, "_log_softmax": 1, "safe_softmax": 1, "cumsum": 1, "cumprod": 1, "flip": 1, "topk": 2,
    "sort": 1, "gather": 1, "scatter_add": 1, "scatter": 1, "slice": 1, "split": 2, "split_with_sizes": 2,
    "slice_backward": 2, "cat": 1, "place": 2, "roll": 2,
}  # fmt: skip
#: Reductions, with what the parts of a divided axis are then: None where they do not give the whole.
_REDUCTIONS = {
    "sum": "sum", "mean": "avg", "amax": "max", "amin": "min", "prod": "product", "max": "max", "min": "min",
    "var": None, "std": None, "argmax": None, "argmin": None, "logsumexp": None, "any": "sum",
    "all": "product",
}  # fmt: skip


class Choice(NamedTuple):
    """Say how results lie, one placement or one for each, and how each tensor must lie for it."""

    outs: Any
    ins: tuple[Placement, ...]


def chosen(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], tensors: list[Any], mesh: Any) -> Any:
    """Return the cheapest way to do an op on parts: a choice for each dimension of the mesh.

    It is None where nothing is known of the op. `tensors` are those among the arguments, in order; plain ones
    are copies.
    """
    if (rule := _rule(name)) is None and name not in VIEWS:
        return None
    shapes = [tuple(t.shape) for t in tensors]
    every = [getattr(t, "_layout", None) for t in tensors]
    lies = [(R,) * mesh.ndim if layout is None else layout.placements for layout in every]
    whole = Choice(R, (R,) * len(tensors))
    if rule is None:
        view = _View(shapes[0], args[1])
        return [view.divided(p, mesh.size(axis)) or whole for axis, p in enumerate(lies[0])]
    found: list[Choice] = []
    kept: list[list[Placement]] = [[] for _ in tensors]  # placements behind this one that stay
    for axis in reversed(range(mesh.ndim)):
        present = [placements[axis] for placements in lies]
        size = mesh.size(axis)
        bare = [Shard(p.dim) if isinstance(p, _StridedShard) else p for p in present]
        others = {p for placements in lies for p in placements} - set(present)
        made = rule(name, args, kwargs, shapes, bare, size, others)
        options = [whole, *(_strided(one, present) for one in made if len(one.ins) == len(shapes))]
        costs = [sum(map(_cost, present, one.ins, shapes, [size] * len(shapes), kept)) for one in options]
        found.insert(0, options[costs.index(min(costs))])
        for p, q, stays in zip(present, found[0].ins, kept, strict=True):
            stays += [p] * (p == q)
    return found


def _strided(choice: Choice, present: Sequence[Placement]) -> Choice:
    """Return a choice whose parts are of stretches, where a tensor lies so along the axis of its part."""
    pairs = zip(present, choice.ins, strict=True)
    factor = next((factor_of(p) for p, q in pairs if isinstance(p, _StridedShard) and q == Shard(p.dim)), 1)
    if factor == 1:
        return choice

    def spread(p: Placement) -> Placement:
        return _StridedShard(p.dim, split_factor=factor) if isinstance(p, Shard) else p

    outs = tuple(map(spread, choice.outs)) if isinstance(choice.outs, tuple) else spread(choice.outs)
    return Choice(outs, tuple(map(spread, choice.ins)))


def _cost(
    old: Placement, new: Placement, shape: tuple[int, ...], size: int, inner: Sequence[Placement]
) -> float:
    """Return what it costs to bring a tensor from one layout into another, roughly in microseconds.

    What the dimensions of the mesh behind this one divide further, and go on to, is exchanged once more.
    """
    if old == new:
        return 0.0
    each = 6.6 + (size - 1) * (1.0 + prod(shape) / size * 1e-5)  # each process sends its part to each other
    axes = {p.dim for p in (old, new) if isinstance(p, Shard)}
    cost = each * any(isinstance(p, Shard) and p.dim in axes for p in inner)
    if old == R:
        return cost
    if isinstance(old, Partial):
        return cost + (inf if isinstance(new, Partial) else 2 * each - 6.6 if new == R else each)
    return cost + (inf if isinstance(new, Partial) else each + isinstance(new, Shard))


_Rule = Callable[..., Iterable[Choice]]
#: What a rule is told of the other dimensions of the mesh.
_Others = set[Placement]


def _rule(name: str) -> _Rule | None:
    if name in _RULES:
        return _RULES[name]
    if name in _ALONG:
        return _along
    if name in _REDUCTIONS:
        return _reduced
    op = TABLE.get(name)
    return _elementwise if op is not None and op.kind == "elementwise" else None


def _are_divided(present: Sequence[Placement], others: _Others) -> bool:
    """Return whether any tensor is divided along any dimension of the mesh; then any axis may be."""
    return any(isinstance(p, Shard) for p in (*present, *others))


def _divided(present: Sequence[Placement]) -> list[int]:
    """Return the axes along which tensors are in parts."""
    return list(dict.fromkeys(p.dim for p in present if isinstance(p, Shard)))


def _axes(value: Any, dims: int) -> list[int]:
    given = value if isinstance(value, (list, tuple)) else [value]
    return [axis % dims for axis in given] if dims else []


# ------------------------------------------------------------------------------------ ops by element


def _elementwise(
    name: str, args: Any, kwargs: Any, shapes: Any, present: Sequence[Placement], size: int, others: _Others
) -> Iterator[Choice]:  # fmt: skip
    """Yield parts where tensors have parts; sums of summands, and their multiples, are summands."""
    dims = max(map(len, shapes))
    for axis in range(dims) if _are_divided(present, others) else ():
        ins = tuple(_broadcast(axis, dims, one) for one in shapes)
        lengths = [shape[p.dim] for p, shape in zip(ins, shapes, strict=True) if isinstance(p, Shard)]
        if max(lengths, default=0) >= size or any(p in present for p in ins if p != R):
            yield Choice(Shard(axis), ins)
    summand = next((p for p in present if isinstance(p, Partial) and p.reduce_op in ("sum", "avg")), None)
    if summand is None:
        return
    if (name in ("add", "sub") and len(shapes) == 2) or name in ("neg", "_to_copy"):
        yield Choice(summand, (summand,) * len(shapes))
    elif name == "mul" or (name == "div" and hasattr(args[0], "shape")):
        for place in range(len(shapes) if name == "mul" else 1):
            yield Choice(summand, tuple(summand if i == place else R for i in range(len(shapes))))


def _broadcast(axis: int, dims: int, shape: tuple[int, ...]) -> Placement:
    """Return how a tensor lies that is broadcast to one of `dims` axes, divided along one of them."""
    own = axis - (dims - len(shape))
    return Shard(own) if own >= 0 and shape[own] != 1 else R


# ------------------------------------------------------------------------------------ products


def _product(
    name: str, args: Any, kwargs: Any, shapes: Any, present: Any, size: int, others: _Others
) -> Iterator[Choice]:
    first, second = shapes[-2:]
    dims = len(first)
    if len(second) != dims or first[:-2] != second[:-2]:
        return
    batch = range(dims - 2)
    row, column = dims - 2, dims - 1
    options = [
        *((Shard(axis), Shard(axis), Shard(axis)) for axis in batch),
        (P, Shard(column), Shard(row)),
        (Shard(row), Shard(row), R),
        (Shard(column), R, Shard(column)),
        (P, P, R),
        (P, R, P),
    ]
    for out, one, two in options:
        if all(
            not isinstance(p, Shard) or shape[p.dim] >= size for p, shape in ((one, first), (two, second))
        ):
            added = out if not isinstance(out, Shard) else _broadcast(out.dim, dims, shapes[0])
            yield Choice(out, (added, one, two)[-len(shapes) :])


# ------------------------------------------------------------------------------------ axes


def _along(
    name: str, args: Any, kwargs: Any, shapes: Any, present: Sequence[Placement], size: int, others: _Others
) -> Iterator[Choice]:
    """Yield parts along the axes that the op does not touch."""
    dims, place = len(shapes[0]), _ALONG[name]
    default = 0 if name in ("slice", "split", "split_with_sizes", "cat") else -1
    if name == "roll":
        touched = _axes(args[place] if len(args) > place else kwargs.get("dims", ()), dims) or [*range(dims)]
    else:
        touched = _axes(args[place] if len(args) > place else kwargs.get("dim", default), dims)
    free = range(dims) if name in ("topk", "sort", "gather") else _divided(present)
    for axis in free:
        if axis not in touched and all(len(one) == dims and one[axis] == shapes[0][axis] for one in shapes):
            yield Choice(Shard(axis), (Shard(axis),) * len(shapes))
    if name in ("cat", "slice", "split", "split_with_sizes", "slice_backward", "flip", "roll"):
        yield Choice(P, (P,) * len(shapes))


def _reduced(
    name: str, args: Any, kwargs: Any, shapes: Any, present: Sequence[Placement], size: int, others: _Others
) -> Iterator[Choice]:
    """Yield parts along the axes that are kept; summands, or the like, where the others are divided."""
    (shape,) = shapes
    dims = len(shape)
    axes = args[1] if len(args) > 1 else kwargs.get("dim")
    keeps = args[2] if len(args) > 2 else kwargs.get("keepdim", False)
    every = axes is None or (isinstance(axes, (list, tuple)) and not axes)
    gone = list(range(dims)) if every else _axes(axes, dims)
    part = _REDUCTIONS[name]
    adds = part == "sum"
    if (name in ("max", "min") and not every) or (not adds and any(isinstance(p, Partial) for p in others)):
        part = None
    for axis in _divided(present):
        if axis not in gone:
            left = axis if keeps else axis - sum(other < axis for other in gone)
            yield Choice(Shard(left), (Shard(axis),))
        elif part is not None and shape[axis] >= size and (name != "mean" or shape[axis] % size == 0):
            yield Choice(Partial(part), (Shard(axis),))
    if name == "sum":
        yield Choice(P, (P,))


def _moved(
    name: str, args: Any, kwargs: Any, shapes: Any, present: Sequence[Placement], size: int, others: _Others
) -> Iterator[Choice]:
    """Yield parts along axes that change their places."""
    yield Choice(P, (P,) * len(shapes))
    dims = len(shapes[0])
    axes: list[Any] = list(range(dims))  # of the result: which of the tensor's each is
    if name == "t":
        axes.reverse()
    elif name == "transpose":
        one, two = args[1] % dims, args[2] % dims
        axes[one], axes[two] = two, one
    elif name == "permute":
        axes = [axis % dims for axis in args[1]]
    elif name in ("unsqueeze", "stack"):
        axes.insert((args[1] if len(args) > 1 else kwargs.get("dim", 0)) % (dims + 1), None)
    elif name == "squeeze":
        gone = _axes(args[1], dims) if len(args) > 1 else axes
        axes = [axis for axis in axes if axis not in gone or shapes[0][axis] != 1]
    elif name in ("select", "unbind"):
        del axes[(args[1] if len(args) > 1 else 0) % dims]
    elif name == "select_backward":
        axes.insert(args[2] % (dims + 1), None)
    elif name == "expand":
        wide = len(args[1]) - dims
        axes = [
            axis - wide if axis >= wide and shapes[0][axis - wide] == length else None
            for axis, length in enumerate(args[1])
        ]
    for axis in _divided(present):
        if axis in axes:
            yield Choice(Shard(axes.index(axis)), (Shard(axis),) * len(shapes))


class _View:
    """Follow a view, of a tensor's shape as a new one, from one dimension of the mesh to the next."""

    def __init__(self, shape: Sequence[int], new: Sequence[int]) -> None:
        #: Of what a process has, as far as the tensor is divided.
        self.shape, self.new = list(shape), list(new)
        if -1 in self.new:
            self.new[self.new.index(-1)] = prod(shape) // -prod(new)

    def divided(self, present: Placement, size: int) -> Choice | None:
        """Say where the axis divided by a dimension of the mesh goes, and go on; None for an empty part."""
        if isinstance(present, Partial):
            return Choice(present, (present,))
        if not isinstance(present, Shard) or 0 in self.shape:
            return None
        factor, divided = factor_of(present), self.shape[present.dim]
        # Blocks of so many equal parts of all elements are what processes divide, before and after.
        blocks = prod(self.shape[: present.dim]) * factor
        for place, length in enumerate(self.new):
            before = prod(self.new[:place])
            if before <= blocks < before * length:
                left = blocks // before
                same = left == factor and length == divided
                even = length // left % size == 0 == divided // factor % size
                if before * left == blocks and length % left == 0 and (same or even):
                    self.shape[present.dim], self.new[place] = -(-divided // size), -(-length // size)
                    to = Shard(place) if left == 1 else _StridedShard(place, split_factor=left)
                    return Choice(to, (present,))
        return None


# ------------------------------------------------------------------------------------ layers


def _normed(
    name: str, args: Any, kwargs: Any, shapes: Any, present: Sequence[Placement], size: int, others: _Others
) -> Iterator[Choice]:
    """Yield parts along the axes in front of those that are normalised; gradients of weights are summands."""
    back = name.endswith("_backward")
    front = len(shapes[0]) - (args[6] if back else len(args[1]))
    for axis in range(front) if _are_divided(present, others) else ():
        ins = tuple(Shard(axis) if len(shape) == len(shapes[0]) else R for shape in shapes)
        yield Choice((Shard(axis), P, P) if back else Shard(axis), ins)


def _embedded(
    name: str, args: Any, kwargs: Any, shapes: Any, present: Sequence[Placement], size: int, others: _Others
) -> Iterator[Choice]:
    """Yield features of all rows, or all features of some places."""
    if name == "embedding":
        places = len(shapes[1])
        yield Choice(Shard(places), (Shard(1), R))
        for axis in range(places):
            if present[1] == Shard(axis):
                yield Choice(Shard(axis), (R, Shard(axis)))
    else:
        places = len(shapes[1])
        if present[0] == Shard(places):
            yield Choice(Shard(1), (Shard(places), R))
        for axis in range(places):
            if Shard(axis) in present:
                yield Choice(P, (Shard(axis), Shard(axis)))


def _attended(
    name: str, args: Any, kwargs: Any, shapes: Any, present: Sequence[Placement], size: int, others: _Others
) -> Iterator[Choice]:
    """Yield parts of a batch, or some of the heads."""
    for axis in (0, 1):
        if Shard(axis) in present and len({shape[axis] for shape in shapes}) == 1:
            yield Choice(Shard(axis), (Shard(axis),) * len(shapes))


_RULES: dict[str, _Rule] = {
    **dict.fromkeys(("clone", "_to_copy"), _elementwise),
    **dict.fromkeys(("mm", "addmm", "bmm", "baddbmm", "matmul"), _product),
    **dict.fromkeys(
        ("t", "transpose", "permute", "unsqueeze", "squeeze", "select", "select_backward", "expand", "stack",
         "unbind"),
        _moved,
    ),
    **dict.fromkeys(("native_layer_norm", "native_layer_norm_backward"), _normed),
    **dict.fromkeys(("embedding", "embedding_backward"), _embedded),
    "_scaled_dot_product_flash_attention_for_cpu": _attended,
}  # fmt: skip

"""Matrix products and the kernels around them, run by each thread one after the other on its share of rows.

What reads only the rows at hand can follow a product on the spot where its rows, or the matrices of a batch,
are cut into parts: a bias, an activation, a norm, the softmax of an attention and the product after it. What
the steps give each other then stays in the cache of the thread that computes it, and threads wait for each
other once. The cut depends on the work alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..emit.product import Grid, Product
from ..lower.index import Index, atom_index
from ..lower.kernel import Emission, Kernel, place
from ..lower.lowered import Contraction, Matrix

#: What cutting a product along rows alone may cost, as a part of its own estimate (see `Product.cost`).
DEARER = 0.02
#: Steps that a chain takes in before one comes that connects them with it.
AHEAD = 3
#: Steps of a chain at most.
MOST = 48


class Chain(NamedTuple):
    """Steps that run one after the other in each part.

    Attributes
    ----------
    steps : tuple of int
        Their numbers, which follow one another.
    extent, width : int
        What is cut: so many rows, or matrices of a batch, in groups of `width`.
    parts : int
    """

    steps: tuple[int, ...]
    extent: int
    width: int
    parts: int

    def product(self, step: Contraction) -> Product:
        """A product of the chain, cut as the chain is."""
        made = Product.of(step)
        return made._replace(cut=Grid(1, 1, self.parts) if made.matrices > 1 else Grid(self.parts, 1, 1))


def found(steps: Sequence[Any], emissions: dict[int, Emission]) -> list[Chain]:
    """The chains of a program, of two steps or more each."""
    chains: list[Chain] = []
    free = 0
    for n, step in enumerate(steps):
        if n < free or not isinstance(step, Contraction):
            continue
        cut = _cut(Product.of(step))
        if cut is None:
            continue
        first = n
        last = _end(cut, steps, n, emissions)
        while (
            first > max(free, last - MOST)
            and _hang_together(steps[first - 1 : last])
            and _fits(cut, steps[first - 1 : last], emissions)
        ):
            first -= 1
        if last - first > 1:
            chains.append(Chain(tuple(range(first, last)), *cut))
            free = last
    return chains


def _cut(made: Product) -> tuple[int, int, int] | None:
    """Extent, width and parts of a product that is cut along its batch, or can be cut along its rows."""
    grid = made.grid()
    if grid.parts == 1:
        return None
    if made.matrices > 1:
        return (made.matrices, 1, grid.batch) if grid.batch == grid.parts else None
    alone = Grid(grid.parts, 1, 1)
    if made.extents[0] < alone.rows * made.height or made.cost(alone) > (1 + DEARER) * made.cost(grid):
        return None
    return made.extents[0], made.height, alone.parts


def _end(
    cut: tuple[int, int, int], steps: Sequence[Any], first: int, emissions: dict[int, Emission]
) -> int:
    """Up to where the steps from a product on are a chain."""
    filled: set[int] = set()
    end = last = first
    while end < min(len(steps), first + MOST) and end - last <= AHEAD:
        if not _joins(cut, steps[end], filled, emissions):
            break
        end += 1
        if _hang_together(steps[first:end]):
            last = end
    return last


def _fits(cut: tuple[int, int, int], steps: Sequence[Any], emissions: dict[int, Emission]) -> bool:
    """Whether each step's share needs no more of the others than their same share."""
    filled: set[int] = set()
    return all(_joins(cut, step, filled, emissions) for step in steps)


def _joins(
    cut: tuple[int, int, int], step: Any, filled: set[int], emissions: dict[int, Emission]
) -> bool:
    """Whether a step's share needs no more of what the steps before it filled than their same share; adds
    what it fills.
    """
    extent, width, _ = cut
    if isinstance(step, Contraction):
        fits = _product_fits(step, extent, width, filled)
        filled.add(step.buffer.number)
        return fits
    if isinstance(step, Kernel):
        fits = _kernel_fits(step, emissions[id(step)], extent, filled)
        filled.update(step.fills)
        return fits
    return False


def _hang_together(steps: Sequence[Any]) -> bool:
    """Whether all steps are connected by buffers that they read or fill."""
    groups: list[set[int]] = []
    for step in steps:
        nodes = step.nodes if isinstance(step, Kernel) else [step]
        own = {b.number for node in nodes for b in (*node.reads, *node.filled)}
        apart = [group for group in groups if group.isdisjoint(own)]
        groups = [*apart, own.union(*(group for group in groups if not group.isdisjoint(own)))]
    return len(groups) == 1


def _product_fits(step: Contraction, extent: int, width: int, filled: set[int]) -> bool:
    made = Product.of(step)
    if width == 1:
        if made.matrices != extent:
            return False
    elif made.matrices != 1 or made.extents[0] != extent or made.height != width:
        return False
    rows, columns, inner = step.extents
    if width > 1:
        # The rows of the left operand are cut; all of the right one is read.
        left = step.left.buffer.number not in filled or _has_own_rows(step.left, inner, extent)
        return left and step.right.buffer.number not in filled
    return all(
        matrix.buffer.number not in filled or _has_own_matrices(matrix, shape, step, extent)
        for matrix, shape in ((step.left, (rows, inner)), (step.right, (inner, columns)))
    )


def _has_own_rows(matrix: Matrix, inner: int, extent: int) -> bool:
    """Whether a row of an operand reads a stretch of its buffer that no other row reads, in order."""
    share, rest = divmod(matrix.buffer.size, extent)
    ends = matrix.offset, matrix.offset + (inner - 1) * matrix.strides[1]
    return not rest and matrix.strides[0] == share and min(ends) >= 0 and max(ends) < share


def _has_own_matrices(
    matrix: Matrix, shape: tuple[int, int], step: Contraction, extent: int
) -> bool:
    """Whether a matrix of a batch lies in a stretch of its buffer that no other lies in, in order."""
    share, rest = divmod(matrix.buffer.size, extent)
    if rest:
        return False
    step_ = 1
    for stride, count in zip(reversed(matrix.batch), reversed(step.batch), strict=True):
        if count > 1 and stride != share * step_:
            return False
        step_ *= count
    spans = [(n - 1) * s for n, s in zip(shape, matrix.strides, strict=True)]
    low, high = (matrix.offset + sum(f(s, 0) for s in spans) for f in (min, max))
    return low >= 0 and high < share


def _kernel_fits(kernel: Kernel, emission: Emission, extent: int, filled: set[int]) -> bool:
    domain = kernel.domain
    assert domain is not None
    if emission.partials or domain.blocked or emission.rows % extent or kernel.fills.keys() & filled:
        return False
    sizes = {b.number: b.size for node in kernel.nodes for b in (*node.reads, node.buffer)}

    def own(number: int, index: Index) -> bool:
        """Whether a row's elements of a buffer are a stretch of their own."""
        share, rest = divmod(sizes[number], emission.rows)
        if rest or index.coefficient(domain.row) != share:
            return False
        low, high = (index + atom_index(domain.row) * -share).bounds()
        return low >= 0 and high < share

    for node in kernel.nodes:
        where = place(node, domain)
        assert where is not None
        if not own(node.buffer.number, where.store):
            return False
    return all(own(number, index) for number, index, _ in emission.accesses.reads if number in filled)


class Member(NamedTuple):
    """A step as a chain's function calls it.

    Attributes
    ----------
    name : str
        Of the kernel's function, or of that of a product's parts.
    pointers : int
        How many it has in the context.
    scale : int
        Rows of the kernel for each of what is cut; 0 for a product, which finds its share itself.
    strides : dict of int to int
        Bytes from one part's memory to the next, by the numbers of the pointers to such memory.
    """

    name: str
    pointers: int
    scale: int = 0
    strides: Mapping[int, int] = {}


def function(name: str, chain: Chain, members: Sequence[Member]) -> str:
    """The function that runs one part; its context holds the members' pointers one after the other."""
    groups = -(-chain.extent // chain.width)
    lines = [f"define internal void @{name}(ptr %context, i64 %part) nounwind #0 {{"]
    lines.append("  %next = add i64 %part, 1")
    for end, part in (("low", "%part"), ("high", "%next")):
        lines += [
            f"  %{end}_a = mul nsw i64 {part}, {groups}",
            f"  %{end}_b = sdiv i64 %{end}_a, {chain.parts}",
            f"  %{end}_c = mul nsw i64 %{end}_b, {chain.width}",
            f"  %{end}_d = icmp slt i64 %{end}_c, {chain.extent}",
            f"  %{end} = select i1 %{end}_d, i64 %{end}_c, i64 {chain.extent}",
        ]
    place = 0
    for k, member in enumerate(members):
        if not member.scale:
            lines += [
                f"  %t{k} = getelementptr ptr, ptr %context, i64 {place}",
                f"  call void @{member.name}(ptr %t{k}, i64 %part)",
            ]
            place += member.pointers
            continue
        operands = []
        for n in range(place, place + member.pointers):
            lines += [f"  %q{n} = getelementptr ptr, ptr %context, i64 {n}", f"  %r{n} = load ptr, ptr %q{n}"]
            stride = member.strides.get(n - place, 0)
            if stride:
                lines += [
                    f"  %o{n} = mul nuw nsw i64 %part, {stride}",
                    f"  %s{n} = getelementptr i8, ptr %r{n}, i64 %o{n}",
                ]
            operands.append(f"ptr %{'s' if stride else 'r'}{n}")
        lines += [f"  %lo{k} = mul i64 %low, {member.scale}", f"  %hi{k} = mul i64 %high, {member.scale}"]
        operands += [f"i64 %lo{k}", f"i64 %hi{k}"]
        lines.append(f"  call void @{member.name}({', '.join(operands)})")
        place += member.pointers
    return "\n".join([*lines, "  ret void", "}"])

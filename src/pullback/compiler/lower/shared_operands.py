"""Lay an operand of many small products out once, in the order in which products read it.

The steps of a recurrent network multiply a few rows by the same transposed matrix again and again. Each
product would transpose it anew, which takes as long as multiplying 16 rows by it.
"""

from __future__ import annotations

from dataclasses import replace

from ..emit.product import Product
from .context import Context
from .index import Index, Indices
from .lowered import Contraction, Map, Matrix, Node

#: Products from which the copy pays.
_MANY = 4


def laid_out(context: Context, nodes: list[Node]) -> list[Node]:
    """Return the nodes with copies of right operands that are read as columns, before their first use."""
    uses: dict[Matrix, list[Contraction]] = {}
    for node in nodes:
        if isinstance(node, Contraction) and _is_transposed(node):
            uses.setdefault(node.right, []).append(node)
    copies: dict[int, Map] = {}
    replaced: dict[int, Contraction] = {}
    for matrix, products in uses.items():
        if len({p.extents[1:] for p in products}) == 1 and len(products) >= _MANY:
            copy = _copied(context, matrix, products[0])
            copies[id(products[0])] = copy
            lies = Matrix(copy.buffer, 0, (), (products[0].extents[1], 1))
            for product in products:
                reads = [b for b in product.reads if b is not matrix.buffer] + [copy.buffer]
                if product.left.buffer is matrix.buffer:
                    reads.append(matrix.buffer)
                replaced[id(product)] = replace(product, right=lies, reads=reads)
    found: list[Node] = []
    for node in nodes:
        if id(node) in copies:
            found.append(copies[id(node)])
        found.append(replaced.get(id(node), node))
    return found


def _is_transposed(node: Contraction) -> bool:
    """Return whether a product would read its right operand as it lies, were its rows in one piece, and they
    are not.
    """
    matrix = node.right
    if node.batch or matrix.strides[0] != 1 or matrix.strides[1] == 1:
        return False
    rows = replace(node, right=Matrix(matrix.buffer, 0, (), (node.extents[1], 1)))
    return Product.of(rows).reads_as_it_lies


def _copied(context: Context, matrix: Matrix, node: Contraction) -> Map:
    _, columns, inner = node.extents
    source, (row, column) = matrix.buffer, matrix.strides

    def body(ops: object, indices: Indices) -> object:
        k, n = indices
        place: Index = k * row + n * column + matrix.offset
        return ops.load(source, place)  # type: ignore[attr-defined]  # every handler has it

    return Map(context.buffer((inner, columns), source.dtype), [source], body=body)

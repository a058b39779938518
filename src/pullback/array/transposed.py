"""Copies in C order of large arrays that lie otherwise in memory: transposed, permuted, broadcast.

NumPy walks the target row by row and so reads one element from each cache line of a transposed source, which
has left the cache when the next one is wanted. Here the copy goes tile by tile: a tile's lines stay in the
first-level cache until all of their elements are used. A transposed 2048×2048 float32 takes one thread 80 ms
with NumPy's copy, 14 ms in tiles of 64×64 from a packed stripe, and 7 ms in the tiles below.
"""

from itertools import product

import numpy as np
from numpy import ndarray

from .elementwise import copied
from .strides import Ints, restrided
from .threads import run_parts, split, stretches, worthwhile

#: Elements from which tiles, and then threads, are worth their calls.
_WORTH_TILES, _WORTH_THREADS = 1 << 15, 1 << 18

#: Bytes of a tile along the target's last axis (a cache line), and elements in a tile: fewer make more calls,
#: more do not fit the first-level cache.
_LINE_BYTES, _TILE = 64, 8192

#: Where one of the two axes is shorter, NumPy's copy stays in the cache by itself (1000×1000 pixels to 3
#: planes take it 0.9 ms, tiles 2.0).
_SHORTEST_AXIS = 64

#: The lines that a second-level cache of 1 MiB holds, and those of a set. Lines a power of two apart share
#: few sets: where the lines of a row fit these, NumPy's copy is faster (one thread, µs, NumPy and tiles:
#: transposed 300×300 37 and 83, 1000×1000 1,449 and 3,586, but 1024×1024 6,208 and 3,423; 16 matrices of
#: 256×256 1,964 and 2,805).
_LINES, _WAYS = 1 << 14, 16


def c_copy(x: ndarray) -> ndarray:
    """Return a copy of `x` in C order."""
    if x.size < _WORTH_TILES or x.dtype.hasobject:
        return x.copy(order="C")
    if x.size >= _WORTH_THREADS and copied(out := np.empty(x.shape, x.dtype), x):
        return out
    shape, strides = _merged(x)
    tiles = _tiles(shape, strides, x.itemsize, worthwhile(x.size, _WORTH_THREADS))
    if len(tiles) == 1:
        return x.copy(order="C")
    out = np.empty(x.shape, x.dtype)
    source, target = restrided(x, shape, strides), out.reshape(shape)
    bounds = stretches(len(tiles), x.size, _WORTH_THREADS)

    def part(index: int) -> None:
        for tile in tiles[slice(*bounds[index])]:
            target[tile] = source[tile]

    run_parts(part, len(bounds))
    return out


def _merged(x: ndarray) -> tuple[Ints, Ints]:
    """Return shape and strides without axes of size 1, neighbours that walk memory as one made one."""
    shape: list[int] = []
    strides: list[int] = []
    for size, stride in zip(x.shape, x.strides):
        if size == 1:
            continue
        if shape and strides[-1] == stride * size:
            shape[-1] *= size
            strides[-1] = stride
        else:
            shape.append(size)
            strides.append(stride)
    return (tuple(shape), tuple(strides)) if shape else ((1,), (x.itemsize,))


def _tiles(shape: Ints, strides: Ints, itemsize: int, threads: int) -> list[tuple[slice | int, ...]]:
    """Return the parts, as indices, in which a source with these strides is copied by so many threads."""
    last = len(shape) - 1
    inner = min(range(len(shape)), key=lambda axis: (abs(strides[axis]) or itemsize, -axis))
    step = abs(strides[last])
    held = max(_WAYS, _LINES * _LINE_BYTES // max(_LINE_BYTES, step & -step))
    if inner == last or min(shape[inner], shape[last]) < _SHORTEST_AXIS or shape[last] < held:
        return [(slice(*stretch),) for stretch in split(shape[0], threads)]
    columns = max(1, _LINE_BYTES // itemsize)
    rows = min(shape[inner], _TILE // columns)
    columns = max(columns, _TILE // rows)
    lengths = {inner: rows, last: columns}
    return list(
        product(
            *(
                [slice(start, start + lengths[axis]) for start in range(0, size, lengths[axis])]
                if axis in lengths
                else range(size)
                for axis, size in enumerate(shape)
            )
        )
    )

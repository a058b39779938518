"""Say where a convolution's numbers lie while it is computed: padded places, sorted so that what stands under
one tap is one run of memory.

Along each axis with stride s the padded places are sorted by their remainder by s. Then output place j reads,
for tap i, place ``j + shift`` of one of these sorted parts, whatever the stride; and with the rows of all
places of one length, the outputs of a whole image under one tap are one run, shifted by the tap. The outputs
in that run that lie beyond the end of a row are computed and dropped.

The transpose reads one part and writes s of them, which are interleaved when they are stored.
"""

from itertools import pairwise

from ....array.named_tuples import NamedTuple


class Tap(NamedTuple):
    """One tap along one axis: its number in the weight, the part that it reads, and how far along."""

    number: int
    part: int
    shift: int


class Axis(NamedTuple):
    """One axis of what is read, of what is written, and of the kernel."""

    size: int  # of the array that is read
    #: Between the places of a part: part r holds, at j, place ``j·step + firsts[r]``, or zero where that is
    #: outside the array.
    step: int
    firsts: tuple[int, ...]
    length: int  # of each part
    positions: int  # how many outputs are computed along the axis, for each of the interleaved results
    taps: tuple[tuple[Tap, ...], ...]  # for each interleaved result, what it reads
    #: Of the array that is written: position m of result r is its place ``m·len(taps) + r + out_first``,
    #: where that is inside.
    out_size: int
    out_first: int

    @property
    def is_whole(self) -> bool:
        """Return whether what is read can stay where it is."""
        return self.step == 1 and self.firsts == (0,) and self.length == self.size

    def pitch(self, result: int) -> int | None:
        """Return how much further than the tap before each tap of an interleaved result reads, where that is
        the same for all, they read one part, and none is left out.
        """
        taps = self.taps[result]
        steps = {(b.number - a.number, b.part - a.part, b.shift - a.shift) for a, b in pairwise(taps)}
        if len(steps) != 1:
            return None
        number, part, shift = steps.pop()
        return shift if (number, part) == (1, 0) else None

    def inside(self, part: int) -> tuple[int, int]:
        """Return the bounds of the places of a part that hold elements of the array."""
        first = self.firsts[part]
        start = max(0, -(first // self.step))
        stop = min(self.length, -((first - self.size) // self.step))
        return start, max(start, stop)

    def written(self, result: int) -> tuple[int, int]:
        """Return the bounds of an interleaved result's positions that lie in the array that is written."""
        step, first = len(self.taps), result + self.out_first
        start = max(0, -(first // step))
        return start, max(start, min(self.positions, -((first - self.out_size) // step)))


def under(rows: Axis, columns: Axis, row: Tap, column: Tap) -> int:
    """Return how far into the padded places of a channel its first element under a pair of taps lies."""
    part = row.part * len(columns.firsts) + column.part
    return part * rows.length * columns.length + row.shift * columns.length + column.shift


def correlation(size: int, output: int, kernel: int, stride: int, padding: int, dilation: int) -> Axis:
    """Return an axis of ``y[o] = Σ_i w[i] · x[o·stride + i·dilation − padding]``."""
    parts = sorted({i * dilation % stride for i in range(kernel)})
    taps = tuple(Tap(i, parts.index(i * dilation % stride), i * dilation // stride) for i in range(kernel))
    furthest = max(tap.shift for tap in taps)
    firsts = tuple(part - padding for part in parts)
    return Axis(size, stride, firsts, output + furthest, output, (taps,), output, 0)


def transposition(output: int, size: int, kernel: int, stride: int, padding: int, dilation: int) -> Axis:
    """Return an axis of ``x[t] = Σ_i w[i] · y[o]`` over o with ``o·stride + i·dilation − padding = t``."""
    taps = [
        [(i, i * dilation // stride) for i in range(kernel) if i * dilation % stride == part]
        for part in range(stride)
    ]
    furthest = max(shift for part in taps for _, shift in part)
    # Position m of result r is place m·stride + r − padding.
    lowest = min(-((part - padding) // stride) for part in range(stride))
    highest = max((size - 1 + padding - part) // stride for part in range(stride))
    positions = highest - lowest + 1
    return Axis(
        output,
        1,
        (lowest - furthest,),
        positions + furthest,
        positions,
        tuple(tuple(Tap(i, 0, furthest - shift) for i, shift in part) for part in taps),
        size,
        lowest * stride - padding,
    )

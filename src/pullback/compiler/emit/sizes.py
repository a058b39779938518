"""One function for kernels that do the same on arrays of other sizes, or with other numbers.

A loop over slices that become shorter, or over grids that become coarser, is a kernel for each step whose
texts differ in extents, strides and places alone; formulas of which each has constants of its own differ in
these. LLVM takes as long for each of them as for the first. Where several are alike, one is written that
takes as arguments what they differ in.
"""

import re
from collections.abc import Sequence

#: A number that may as well be an argument: what indices are multiplied by, added to or compared with, and
#: where counters begin. Not what is divided by: LLVM divides by what it knows in a tenth of the time.
_SIZE = re.compile(
    r"(?<== )((?:add|sub|mul)(?: n[us]w)* i64 \S+, |icmp \w+ i64 \S+, |getelementptr [^\n]*, i64 )(-?\d+)$"
    r"|(?<== )(call i64 @llvm\.[su](?:min|max)\.i64\(i64 \S+, i64 )(-?\d+)(?=\)$)"
    r"|(?<=  )(store i64 )(-?\d+)(?=, ptr )",
    re.MULTILINE,
)
#: The same of elements: what they are multiplied by, added to, or replaced by.
_SCALE = re.compile(
    r"(?<== )(f(?:add|sub|mul) (float|double) %\w+, |select i1 %\w+, (float|double) %\w+, \w+ )(0x\w+)$",
    re.MULTILINE,
)
#: So many are handed on in registers; a long formula has thousands.
_MOST_SCALES = 8


#: What says that iterations are independent; of short loops also that there shall be no copies of them.
_LONG, _SHORT = "!llvm.loop !1\n", "!llvm.loop !5\n"


def pattern(text: str) -> str:
    """Return what kernels of other sizes and numbers have in common with a text."""
    common = _SIZE.sub(r"\1\3\5#", text).replace(_SHORT, _LONG)
    return _SCALE.sub(r"\1#", common) if _has_few(text) else common


def _has_few(text: str) -> bool:
    return len(_SCALE.findall(text)) <= _MOST_SCALES


def _numbers(text: str) -> list[str]:
    """Return the sizes and numbers in a text with their types: the sizes first, each in order."""
    sizes = [f"i64 {m[2] or m[4] or m[6]}" for m in _SIZE.finditer(text)]
    return sizes + [f"{m[2] or m[3]} {m[4]}" for m in _SCALE.finditer(text)] if _has_few(text) else sizes


class General:
    """The function, as text without its name, for texts of one pattern; it takes what differs behind the
    rows.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        columns = list(zip(*map(_numbers, texts), strict=True))
        #: Places of the arguments: of what grows alike from text to text one is enough, the others are sums.
        self._places: list[int] = []
        sums: list[str] = []
        numbers: dict[tuple[str, ...], str] = {}
        grown: dict[tuple[int, ...], tuple[str, int]] = {}
        for place, column in enumerate(columns):
            if column in numbers:
                continue
            if len(set(column)) == 1:
                numbers[column] = column[0].split()[1]
                continue
            first, growth = _growth(column)
            if growth and growth in grown:
                name, start = grown[growth]
                numbers[column] = f"{name}.{len(sums)}"
                sums.append(f"  {numbers[column]} = add i64 {name}, {first - start}\n")
                continue
            name = numbers[column] = f"%size{len(self._places)}"
            if growth:
                grown[growth] = name, first
            self._places.append(place)
        given = iter(columns)

        def written(match: re.Match[str]) -> str:
            return _before(match) + numbers[next(given)]

        parameters = "".join(f", {columns[n][0].split()[0]} %size{k}" for k, n in enumerate(self._places))
        text = _SIZE.sub(written, texts[0]).replace("i64 %hi)", f"i64 %hi{parameters})", 1)
        if _has_few(texts[0]):
            text = _SCALE.sub(written, text)
        text = text.replace("entry:\n", "".join(["entry:\n", *sums]), 1)
        self.text = text.replace(_LONG, _SHORT) if any(_SHORT in t for t in texts) else text

    def sizes(self, text: str) -> str:
        """Return the operands that make it do what one of the texts says."""
        numbers = _numbers(text)
        return "".join(f", {numbers[place]}" for place in self._places)


def _growth(column: Sequence[str]) -> tuple[int, tuple[int, ...]]:
    """Return the first of some sizes, and by how much the others are larger; of elements 0 and nothing."""
    if not column[0].startswith("i64 "):
        return 0, ()
    first, *others = (int(number[4:]) for number in column)
    return first, tuple(other - first for other in others)


def _before(match: re.Match[str]) -> str:
    """Return what stands before a number."""
    return match[1] if match.re is _SCALE else match[1] or match[3] or match[5]

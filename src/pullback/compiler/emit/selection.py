"""The first few of each row in order: the kernel of `topk`, which chooses among equals as torch does.

The algorithm is that of `array.selection`, in which it is explained; here keys and places are 64-bit numbers
that are moved in scratch memory.
"""

from __future__ import annotations

from functools import lru_cache
from math import log

from ...array.named_tuples import NamedTuple
from ...array.selection import SORTED_BY_INSERTION, WORTH_A_HEAP
from ..runtime import engine, shared_kernels
from ..runtime.shared_kernels import Kernel
from .branching import Function
from .lanes import Lanes

#: Estimated nanoseconds for an element that a heap lets pass, and that partitions move.
_PASSED, _MOVED = 1.0, 6.0
#: So few elements of so many are found by insertion where they differ: 10 of 600 normal numbers in 2.0 µs,
#: by partitions in 5.3; of many equal ones in 5.7, not 4.7. In shorter rows both take as long.
_INSERTED, _OF = 16, 128
_KEPT = 256
_ROW = {"keys": "ptr", "places": "ptr"}
_ARRAYS = "ptr %keys, ptr %places"


class Selection(NamedTuple):
    """Say which elements of a row are wanted, and their type as LLVM names it.

    Attributes
    ----------
    type : str
        ``"float"``, ``"double"``, ``"i32"`` or ``"i64"``.
    length, few : int
        Of a row, and of the elements that are wanted.
    largest : bool
    """

    type: str
    length: int
    few: int
    largest: bool

    @property
    def has_heap(self) -> bool:
        """Return whether so few elements of many are wanted that a heap is faster."""
        return self.few * WORTH_A_HEAP <= self.length

    @property
    def is_inserted(self) -> bool:
        """Return whether the first of a row are looked for by insertion first."""
        return not self.has_heap and self.few <= _INSERTED and self.length >= _OF


@lru_cache(maxsize=_KEPT)
def first_places(what: Selection) -> Kernel:
    """Return the kernel of arrays (elements, values, places), whose rows are its images."""
    scratch = 2 * (what.length + what.few + 1)
    work = what.length * (_PASSED if what.has_heap else _MOVED)
    return Kernel(what, lambda: _text(what, scratch), size=8, work=work, scratch=scratch)


def _text(what: Selection, scratch: int) -> str:
    functions = [_sink(), _hold(), _empty(), _rows(what)]
    if what.is_inserted:
        functions.append(_differing(what))
    if not what.has_heap:
        functions += [_halve(), _insert(), _sort(), _select()]
    part = shared_kernels.part(("elements", "values", "indices"), "rows", "i64", scratch)
    return "\n".join([*(f.text() for f in functions), part, engine.attributes()])


def _depth(size: int) -> int:
    return 2 * (max(size, 1).bit_length() - 1)


def _swap(f: Function, i: int | str, j: int | str) -> None:
    for array in ("%keys", "%places"):
        a, b = f.element(array, i), f.element(array, j)
        f.put(array, i, b)
        f.put(array, j, a)


def _move(f: Function, source: str, target: str) -> None:
    for array in ("%keys", "%places"):
        f.put(array, target, f.element(array, source))


def _offset(f: Function, first: str) -> str:
    """Return the arrays from an element on, as arguments."""
    parts = (f.value(f"getelementptr i64, ptr {array}, i64 {first}") for array in ("%keys", "%places"))
    return ", ".join(f"ptr {part}" for part in parts)


def _rows(what: Selection) -> Function:
    n, k = what.length, what.few
    arrays = {"elements": "ptr", "values": "ptr", "indices": "ptr", "keys": "ptr"}
    f = Function("rows", {**arrays, "first": "i64", "last": "i64"})
    f.line(f"%places = getelementptr i64, ptr %keys, i64 {n}")
    with f.count("%first", "%last") as row:
        start, to = f.value(f"mul i64 {row}, {n}"), f.value(f"mul i64 {row}, {k}")
        with f.count(0, n) as i:
            f.put("%keys", i, _key(f, what, f.add(start, i)))
        chosen, found = "%places", Lanes(f, "false", "i1")
        if what.is_inserted:
            f.line(f"%best = getelementptr i64, ptr %places, i64 {n}")
            found = f.instruction("call i1 @differing(ptr %keys, ptr %best)", "i1")
            chosen = f.value(f"getelementptr i64, ptr %best, i64 {k + 1}")
            chosen = f.value(f"select i1 {found.name}, ptr {chosen}, ptr %places")
        with f.when(~found):
            _parted(f, what)
        with f.count(0, k) as i:
            place, at = f.element(chosen, i), f.add(to, i)
            f.put("%indices", at, place)
            source = f.value(f"getelementptr {what.type}, ptr %elements, i64 {f.add(start, place)}")
            target = f.value(f"getelementptr {what.type}, ptr %values, i64 {at}")
            f.line(f"store {what.type} {f.value(f'load {what.type}, ptr {source}')}, ptr {target}")
    return f


def _parted(f: Function, what: Selection) -> None:
    n, k = what.length, what.few
    with f.count(0, n) as i:
        f.put("%places", i, i)
    if what.has_heap:
        f.line(f"call void @hold({_ARRAYS}, i64 {k}, i64 {n})")
        f.line(f"call void @empty({_ARRAYS}, i64 {k})")
    else:
        f.line(f"call void @select({_ARRAYS}, i64 {k - 1}, i64 {n})")
        f.line(f"call void @sort({_ARRAYS}, i64 0, i64 {k - 1}, i64 {_depth(k - 1)})")
        f.line(f"call void @insert({_ARRAYS}, i64 0, i64 {k - 1})")


def _differing(what: Selection) -> Function:
    """Return the function of (keys, room for the first keys and their places) that tells whether the first
    few keys differ from each other and from all others: no algorithm chooses or orders those otherwise.

    One key more is held for that. Where twice as many are inserted as of a row in random order, it gives up.
    """
    n, k = what.length, what.few
    most = int(2 * (k + 1) * (1 + log(n / (k + 1))))
    f = Function("differing", {"keys": "ptr", "best": "ptr"}, "i1")
    f.line(f"%at = getelementptr i64, ptr %best, i64 {k + 1}")
    with f.count(0, k + 1) as i:
        f.put("%best", i, (1 << 63) - 1)
    inserted = f.variable(0)
    with f.count(0, n) as i:
        key = f.element("%keys", i)
        with f.when(f.compare("slt", key, f.element("%best", k))):
            spent = f.add(f.get(inserted), 1)
            f.set(inserted, spent)
            with f.when(f.compare("sgt", spent, most)):
                f.returned("false")
            hole = f.variable(k)
            with f.loop() as loop:
                here = f.get(hole)
                f.leave(loop, f.compare("sle", here, 0))
                before = f.add(here, -1)
                other = f.element("%best", before)
                f.leave(loop, f.compare("sle", other, key))
                f.put("%best", here, other)
                f.put("%at", here, f.element("%at", before))
                f.set(hole, before)
            f.put("%best", f.get(hole), key)
            f.put("%at", f.get(hole), i)
    with f.count(0, k) as i:
        with f.when(f.compare("eq", f.element("%best", i), f.element("%best", f.add(i, 1)))):
            f.returned("false")
    f.returned("true")
    return f


def _key(f: Function, what: Selection, at: str) -> str:
    """Return an integer for an element, such that ascending integers are the order that is wanted."""
    type_ = what.type
    address = f.value(f"getelementptr {type_}, ptr %elements, i64 {at}")
    x = f.value(f"load {type_}, ptr {address}")
    whole = {"float": "i32", "double": "i64"}.get(type_)
    if whole is not None:
        most = (1 << (31 if whole == "i32" else 63)) - 1
        # Both zeros are one number, and nan is the largest.
        same = f.value(f"fadd {type_} {x}, 0.0")
        bits = f.value(f"bitcast {type_} {same} to {whole}")
        below = f.value(f"icmp slt {whole} {bits}, 0")
        turned = f.value(f"xor {whole} {bits}, {most}")
        ordered = f.value(f"select i1 {below}, {whole} {turned}, {whole} {bits}")
        unknown = f.value(f"fcmp uno {type_} {x}, {x}")
        x = f.value(f"select i1 {unknown}, {whole} {most}, {whole} {ordered}")
    if (whole or type_) == "i32":
        x = f.value(f"sext i32 {x} to i64")
    return f.value(f"xor i64 {x}, -1") if what.largest else x


def _sink() -> Function:
    f = Function("sink", {**_ROW, "top": "i64", "size": "i64"})
    key, place = f.element("%keys", "%top"), f.element("%places", "%top")
    hole = f.variable("%top")
    with f.loop() as loop:
        here = f.get(hole)
        child = f.add(f.value(f"shl i64 {here}, 1"), 1)
        f.leave(loop, f.compare("sge", child, "%size"))
        chosen, other = f.variable(child), f.add(child, 1)
        with f.when(f.compare("slt", other, "%size")):
            with f.when(f.compare("sge", f.element("%keys", other), f.element("%keys", child))):
                f.set(chosen, other)
        _move(f, f.get(chosen), here)
        f.set(hole, f.get(chosen))
    with f.loop() as loop:
        here = f.get(hole)
        f.leave(loop, f.compare("sle", here, "%top"))
        parent = f.value(f"ashr i64 {f.add(here, -1)}, 1")
        f.leave(loop, f.compare("sge", f.element("%keys", parent), key))
        _move(f, parent, here)
        f.set(hole, parent)
    f.put("%keys", f.get(hole), key)
    f.put("%places", f.get(hole), place)
    return f


def _hold() -> Function:
    f = Function("hold", {**_ROW, "size": "i64", "last": "i64"})
    with f.count_down(f.value("ashr i64 %size, 1"), 0) as start:
        f.line(f"call void @sink({_ARRAYS}, i64 {start}, i64 %size)")
    with f.count("%size", "%last") as i:
        with f.when(f.compare("slt", f.element("%keys", i), f.element("%keys", 0))):
            _swap(f, 0, i)
            f.line(f"call void @sink({_ARRAYS}, i64 0, i64 %size)")
    return f


def _empty() -> Function:
    f = Function("empty", {**_ROW, "size": "i64"})
    with f.count_down("%size", 1) as end:
        _swap(f, 0, end)
        f.line(f"call void @sink({_ARRAYS}, i64 0, i64 {end})")
    return f


def _halve() -> Function:
    f = Function("halve", {**_ROW, "first": "i64", "last": "i64"}, "i64")
    low, high = f.add("%first", 1), f.add("%last", -1)
    middle = f.value(f"ashr i64 {f.add('%first', '%last')}, 1")
    a, b, c = (f.element("%keys", at) for at in (low, middle, high))
    ab, bc, ac = (f.compare("slt", x, y) for x, y in ((a, b), (b, c), (a, c)))

    def chosen(condition: Lanes, x: str, y: str) -> str:
        return f.value(f"select i1 {condition.name}, i64 {x}, i64 {y}")

    rising = chosen(bc, middle, chosen(ac, high, low))
    falling = chosen(ac, low, chosen(bc, high, middle))
    _swap(f, "%first", chosen(ab, rising, falling))
    pivot, i, j = f.element("%keys", "%first"), f.variable(low), f.variable(high)
    with f.loop():
        for variable, step in ((i, 1), (j, -1)):
            with f.loop() as search:
                here = f.element("%keys", f.get(variable))
                pair = (here, pivot) if step == 1 else (pivot, here)
                f.leave(search, f.compare("sge", *pair))
                f.set(variable, f.add(f.get(variable), step))
        left, right = f.get(i), f.get(j)
        with f.when(f.compare("sge", left, right)):
            f.returned(left)
        _swap(f, left, right)
        f.set(i, f.add(left, 1))
        f.set(j, f.add(right, -1))
    return f


def _insert() -> Function:
    f = Function("insert", {**_ROW, "first": "i64", "last": "i64"})
    with f.count("%first", "%last") as now:
        key, place, hole = f.element("%keys", now), f.element("%places", now), f.variable(now)
        with f.loop() as loop:
            here = f.get(hole)
            f.leave(loop, f.compare("sle", here, "%first"))
            before = f.add(here, -1)
            f.leave(loop, f.compare("sle", f.element("%keys", before), key))
            _move(f, before, here)
            f.set(hole, before)
        f.put("%keys", f.get(hole), key)
        f.put("%places", f.get(hole), place)
    return f


def _sort() -> Function:
    """Divide a stretch until insertion sorts it."""
    f = Function("sort", {**_ROW, "first": "i64", "end": "i64", "parts": "i64"})
    last, depth = f.variable("%end"), f.variable("%parts")
    with f.loop() as loop:
        end = f.get(last)
        size = f.value(f"sub i64 {end}, %first")
        f.leave(loop, f.compare("sle", size, SORTED_BY_INSERTION))
        left = f.get(depth)
        with f.when(f.compare("eq", left, 0)):
            f.line(f"call void @hold({_offset(f, '%first')}, i64 {size}, i64 {size})")
            f.line(f"call void @empty({_offset(f, '%first')}, i64 {size})")
        f.leave(loop, f.compare("eq", left, 0))
        left = f.add(left, -1)
        f.set(depth, left)
        cut = f.value(f"call i64 @halve({_ARRAYS}, i64 %first, i64 {end})")
        f.line(f"call void @sort({_ARRAYS}, i64 {cut}, i64 {end}, i64 {left})")
        f.set(last, cut)
    return f


def _select() -> Function:
    """Bring the element of a rank to its place."""
    f = Function("select", {**_ROW, "rank": "i64", "length": "i64"})
    first, last = f.variable(0), f.variable("%length")
    # Halvings of the length, twice.
    f.line("%zeros = call i64 @llvm.ctlz.i64(i64 %length, i1 false)")
    times = f.value(f"shl i64 {f.value('sub i64 63, %zeros')}, 1")
    with f.count(0, times):
        begin, end = f.get(first), f.get(last)
        with f.when(f.compare("sgt", f.value(f"sub i64 {end}, {begin}"), 3)):
            cut = f.value(f"call i64 @halve({_ARRAYS}, i64 {begin}, i64 {end})")
            is_before = f.compare("sle", cut, "%rank")
            f.set(first, f.value(f"select i1 {is_before.name}, i64 {cut}, i64 {begin}"))
            f.set(last, f.value(f"select i1 {is_before.name}, i64 {end}, i64 {cut}"))
    begin, end = f.get(first), f.get(last)
    size = f.value(f"sub i64 {end}, {begin}")
    is_short = f.compare("sle", size, 3)
    with f.when(is_short):
        f.line(f"call void @insert({_ARRAYS}, i64 {begin}, i64 {end})")
    with f.when(~is_short):
        held = f.value(f"sub i64 {f.add('%rank', 1)}, {begin}")
        f.line(f"call void @hold({_offset(f, begin)}, i64 {held}, i64 {size})")
        _swap(f, begin, "%rank")
    return f

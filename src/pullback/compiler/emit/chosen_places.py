"""Functions in LLVM's text that choose among equal elements as torch's `topk` does (see `array.selection`).

They move whole numbers, the keys of a row, in ascending order, and the places where these were beside them.
What they do, step by step, is what `array.selection` does in Python, where it is explained.
"""

from __future__ import annotations

from .emitter import Module

#: The function of (keys, places, their number, how many are wanted): the first places are then torch's.
CHOOSE = "pullback_chosen_places"


class _Function:
    """Write a function whose variables lie on the stack."""

    def __init__(self, name: str, parameters: str, variables: str, result: str = "void") -> None:
        given = ", ".join(f"{'ptr' if p in ('keys', 'places') else 'i64'} %{p}" for p in parameters.split())
        self.lines = [f"define internal {result} @{name}({given}) nounwind #0 {{", "entry:"]
        self.lines += [f"  %{v}.at = alloca i64" for v in variables.split()]
        self.count = 0

    def value(self, text: str) -> str:
        """Return the name of what an instruction gives."""
        self.count += 1
        self.lines.append(f"  %t{self.count} = {text}")
        return f"%t{self.count}"

    def get(self, variable: str) -> str:
        """Return a variable."""
        return self.value(f"load i64, ptr %{variable}.at")

    def set(self, variable: str, value: str) -> None:
        """Give a variable a value."""
        self.lines.append(f"  store i64 {value}, ptr %{variable}.at")

    def sum(self, x: str, y: str | int) -> str:
        """Return a sum."""
        return self.value(f"add i64 {x}, {y}")

    def element(self, place: str, array: str = "keys") -> str:
        """Return an element of an array."""
        return self.value(f"load i64, ptr {self.address(place, array)}")

    def address(self, place: str, array: str) -> str:
        """Return where an element is."""
        return self.value(f"getelementptr i64, ptr %{array}, i64 {place}")

    def move(self, source: str, target: str) -> None:
        """Copy an element and its place."""
        for array in ("keys", "places"):
            value = self.element(source, array)
            self.lines.append(f"  store i64 {value}, ptr {self.address(target, array)}")

    def put(self, key: str, place: str, target: str) -> None:
        """Write an element and its place."""
        for array, value in (("keys", key), ("places", place)):
            self.lines.append(f"  store i64 {value}, ptr {self.address(target, array)}")

    def label(self, name: str) -> None:
        """Go on at a label."""
        self.lines += [f"  br label %{name}", f"{name}:"]

    def at(self, name: str) -> None:
        """Begin what is only jumped to."""
        self.lines.append(f"{name}:")

    def jump(self, name: str) -> None:
        """Go on at another label."""
        self.lines.append(f"  br label %{name}")

    def less(self, x: str, y: str, yes: str, no: str) -> None:
        """Go on at one of two labels by whether x < y."""
        self.lines.append(f"  br i1 {self.value(f'icmp slt i64 {x}, {y}')}, label %{yes}, label %{no}")

    def call(self, name: str, *more: str, result: str = "void") -> str:
        """Call a function of the row."""
        given = ", ".join(["ptr %keys", "ptr %places", *(f"i64 {m}" for m in more)])
        if result == "void":
            self.lines.append(f"  call void @{name}({given})")
            return ""
        return self.value(f"call {result} @{name}({given})")

    def text(self, result: str = "ret void") -> str:
        """Return the function."""
        return "\n".join([*self.lines, f"  {result}", "}"])


def _swap() -> str:
    f = _Function("pullback_swap", "keys places i j", "")
    held = [(a, f.element("%i", a), f.element("%j", a)) for a in ("keys", "places")]
    for array, x, y in held:
        f.lines.append(f"  store i64 {y}, ptr {f.address('%i', array)}")
        f.lines.append(f"  store i64 {x}, ptr {f.address('%j', array)}")
    return f.text()


def _sink() -> str:
    """Let an element of a heap sink to a leaf, and rise from there."""
    f = _Function("pullback_sink", "keys places first top size", "hole child")
    start = f.sum("%first", "%top")
    key, place = f.element(start), f.element(start, "places")
    f.set("hole", "%top")
    f.label("sinking")
    child = f.sum(f.value(f"mul i64 {f.get('hole')}, 2"), 1)
    f.set("child", child)
    f.less(child, "%size", "has", "rising")
    f.at("has")
    right = f.sum(child, 1)
    f.less(right, "%size", "both", "up")
    f.at("both")
    f.less(f.element(f.sum("%first", right)), f.element(f.sum("%first", child)), "up", "other")
    f.at("other")
    f.set("child", right)
    f.label("up")
    f.move(f.sum("%first", f.get("child")), f.sum("%first", f.get("hole")))
    f.set("hole", f.get("child"))
    f.jump("sinking")
    f.at("rising")
    hole = f.get("hole")
    f.less("%top", hole, "inside", "end")
    f.at("inside")
    parent = f.value(f"sdiv i64 {f.sum(hole, -1)}, 2")
    f.less(f.element(f.sum("%first", parent)), key, "below", "end")
    f.at("below")
    f.move(f.sum("%first", parent), f.sum("%first", hole))
    f.set("hole", parent)
    f.jump("rising")
    f.at("end")
    f.put(key, place, f.sum("%first", f.get("hole")))
    return f.text()


def _hold() -> str:
    """Make a heap of a part, and let each later element below its largest take that one's place."""
    f = _Function("pullback_hold", "keys places first middle last", "start i")
    size = f.value("sub i64 %middle, %first")
    f.set("start", f.value(f"sdiv i64 {size}, 2"))
    f.label("making")
    start = f.sum(f.get("start"), -1)
    f.less(start, "0", "made", "one")
    f.at("one")
    f.set("start", start)
    f.call("pullback_sink", "%first", start, size)
    f.jump("making")
    f.at("made")
    f.set("i", "%middle")
    f.label("looking")
    i = f.get("i")
    f.less(i, "%last", "look", "end")
    f.at("look")
    f.less(f.element(i), f.element("%first"), "takes", "next")
    f.at("takes")
    f.call("pullback_swap", "%first", i)
    f.call("pullback_sink", "%first", "0", size)
    f.label("next")
    f.set("i", f.sum(f.get("i"), 1))
    f.jump("looking")
    f.at("end")
    return f.text()


def _empty() -> str:
    """Sort a heap that begins the row."""
    f = _Function("pullback_empty", "keys places last", "end")
    f.set("end", "%last")
    f.label("emptying")
    end = f.sum(f.get("end"), -1)
    f.less("0", end, "one", "done")
    f.at("one")
    f.set("end", end)
    f.call("pullback_swap", "0", end)
    f.call("pullback_sink", "0", "0", end)
    f.jump("emptying")
    f.at("done")
    return f.text()


def _part() -> str:
    """Divide a part around the median of three; return where its upper half begins."""
    f = _Function("pullback_part", "keys places first last", "i j median", "i64")
    i, j = f.sum("%first", 1), f.sum("%last", -1)
    middle = f.value(f"sdiv i64 {f.sum('%first', '%last')}, 2")
    f.set("i", i)
    f.set("j", j)
    a, b, c = (f.element(place) for place in (i, middle, j))
    f.less(a, b, "rises", "falls")
    for name, order in (("rises", ((b, c, middle), (a, c, j), i)), ("falls", ((a, c, i), (b, c, j), middle))):
        f.at(name)
        (x, y, first), (z, w, second), third = order
        f.set("median", first)
        f.less(x, y, "chosen", f"{name}.two")
        f.at(f"{name}.two")
        f.set("median", second)
        f.less(z, w, "chosen", f"{name}.three")
        f.at(f"{name}.three")
        f.set("median", third)
        f.jump("chosen")
    f.at("chosen")
    f.call("pullback_swap", "%first", f.get("median"))
    pivot = f.element("%first")
    f.label("up")
    f.less(f.element(f.get("i")), pivot, "higher", "down")
    f.at("higher")
    f.set("i", f.sum(f.get("i"), 1))
    f.jump("up")
    f.at("down")
    f.less(pivot, f.element(f.get("j")), "lower", "both")
    f.at("lower")
    f.set("j", f.sum(f.get("j"), -1))
    f.jump("down")
    f.at("both")
    f.less(f.get("i"), f.get("j"), "exchange", "end")
    f.at("exchange")
    f.call("pullback_swap", f.get("i"), f.get("j"))
    f.set("i", f.sum(f.get("i"), 1))
    f.set("j", f.sum(f.get("j"), -1))
    f.jump("up")
    f.at("end")
    return f.text(f"ret i64 {f.get('i')}")


def _insert() -> str:
    """Sort a part by insertion."""
    f = _Function("pullback_insert", "keys places first last", "i hole")
    f.set("i", "%first")
    f.label("next")
    i = f.sum(f.get("i"), 1)
    f.set("i", i)
    f.less(i, "%last", "one", "done")
    f.at("one")
    key, place = f.element(i), f.element(i, "places")
    f.set("hole", i)
    f.label("shifting")
    hole = f.get("hole")
    f.less("%first", hole, "inside", "put")
    f.at("inside")
    before = f.sum(hole, -1)
    f.less(key, f.element(before), "shift", "put")
    f.at("shift")
    f.move(before, hole)
    f.set("hole", before)
    f.jump("shifting")
    f.at("put")
    f.put(key, place, f.get("hole"))
    f.jump("next")
    f.at("done")
    return f.text()


def _choose(heap: int) -> str:
    """Choose the first ones; `heap` is the number of elements for each one from which a heap holds them."""
    f = _Function(CHOOSE, "keys places size count", "first last depth")
    f.less("%size", f.value(f"mul i64 %count, {heap}"), "selecting", "few")
    f.at("few")
    f.call("pullback_hold", "0", "%count", "%size")
    f.call("pullback_empty", "%count")
    f.jump("end")
    f.at("selecting")
    rank = f.sum("%count", -1)
    f.set("first", "0")
    f.set("last", "%size")
    zeros = f.value("call i64 @llvm.ctlz.i64(i64 %size, i1 false)")
    f.set("depth", f.value(f"mul i64 {f.value(f'sub i64 63, {zeros}')}, 2"))
    f.label("parting")
    first, last = f.get("first"), f.get("last")
    f.less("3", f.value(f"sub i64 {last}, {first}"), "long", "short")
    f.at("long")
    depth = f.get("depth")
    f.less("0", depth, "part", "deep")
    f.at("part")
    f.set("depth", f.sum(depth, -1))
    cut = f.call("pullback_part", first, last, result="i64")
    f.less(rank, cut, "lower", "upper")
    f.at("lower")
    f.set("last", cut)
    f.jump("parting")
    f.at("upper")
    f.set("first", cut)
    f.jump("parting")
    f.at("deep")
    f.call("pullback_hold", first, "%count", last)
    f.call("pullback_swap", first, rank)
    f.jump("sorting")
    f.at("short")
    f.call("pullback_insert", first, last)
    f.jump("sorting")
    f.at("sorting")
    f.call("pullback_insert", "0", rank)
    f.jump("end")
    f.at("end")
    return f.text()


def declare(module: Module, heap: int) -> str:
    """Let a module hold the functions; return the name of the one to call."""
    if CHOOSE not in module.declarations:
        module.declare("llvm.ctlz.i64", "i64", "i64", "i1 immarg")
        functions = (_swap(), _sink(), _hold(), _empty(), _part(), _insert(), _choose(heap))
        module.declarations[CHOOSE] = "\n".join(functions)
    return CHOOSE

"""Long kernels of one short loop as vectors: their text with a vector in the place of each number.

That a loop's iterations can be done several at a time, LLVM's passes find for 1,000 instructions in 0.2 s.
Where each line goes element by element, and what lies in memory lies side by side, it is known as the text
stands, which then needs no passes and is compiled in haste, in a seventh of the time. A call of 20,000
irregular ops on 16 elements and their gradient took 240 µs, and takes 255.
"""

import re
from functools import cache

from .emitter import Module
from .functions import PREFIX, variant, widths

_LOOP = re.compile(
    r"(?P<before>.*?)  br label %(?P<label>l\d+)_head\n(?P=label)_head:\n"
    r"  (?P<place>%v\d+) = load i64, ptr (?P<counter>%v\d+)\n"
    r"  (?P<test>%v\d+ = icmp slt i64 (?P=place)), (?P<steps>\d+)\n"
    r"(?P<branch>  br .*)\n(?P=label)_body:\n(?P<body>[^:]*)\n"
    r"  (?P<next>%v\d+) = add nuw nsw i64 (?P=place), 1\n  store i64 (?P=next), ptr (?P=counter)\n"
    r"  br label %(?P=label)_head, !llvm.loop ![15]\n(?P<after>(?P=label)_exit:\n[^:]*)", re.DOTALL,
)  # fmt: skip
_AT = re.compile(r"  (%v\d+) = getelementptr \w+, ptr %p\d+, i64 (%v\d+)")
_LOAD = re.compile(r"  (%v\d+) = load (volatile )?(\w+), ptr ([%@]\w+)(?:, !llvm.access.group !0)?")
_STORE = re.compile(r"  store (\w+ \S+), ptr (%\w+), !llvm.access.group !0")
_CALL = re.compile(rf"call (\w+) @({PREFIX}\w+|llvm\.\w+(?=\.f\d\d))(\.f\d\d)?\((.*)\)")
#: Instructions of which each element of the result is that of the elements of the operands.
_EACH = re.compile(
    r"(?:f?(?:add|sub|mul)|fdiv|frem|fneg|[fi]cmp [a-z]+|select|and|or|xor|sext|zext|trunc|[su]itofp|fpext"
    r"|fptrunc) "
)
#: A type, and a number of the type before it.
_TOKEN = re.compile(r"\b(float|double|half|i\d+)\b|(?<=[ ])(0x\w+|-?\d+|true|false)(?=[, ]|$)|(%v\d+)")
_NAME = re.compile(r"(%v\d+)")


class _Otherwise(Exception):
    """A line does not go element by element."""


def widened(text: str, module: Module) -> str | None:
    """Return a kernel, without its name, that does some iterations of its only loop at once; None where it
    has another loop or a line that says more than what becomes of the elements.
    """
    if (found := _LOOP.fullmatch(text)) is None:
        return None
    for lanes in widths("float"):
        if int(found["steps"]) % lanes == 0:
            try:
                return _Widening(lanes, module).text(found)
            except _Otherwise:
                continue
    return None


class _Widening:
    """Hold what is known while a text is gone through."""

    def __init__(self, lanes: int, module: Module) -> None:
        self.lanes = lanes
        self.module = module
        #: Counters and addresses that go on with the loop; what is a vector.
        self.places: set[str] = set()
        self.vectors: set[str] = set()
        #: What stands between the names of an instruction, for numbers and for vectors: some dozens a kernel.
        self.forms: dict[tuple[str, ...], list[str]] = {}

    def text(self, found: re.Match[str]) -> str:
        """Return the whole text."""
        place, label = found["place"], found["label"]
        self.places.add(place)
        before = [
            self._spread(*hidden.groups()) if (hidden := _LOAD.fullmatch(line)) and hidden[2] else line
            for line in found["before"].split("\n")
        ]
        body = map(self._line, found["body"].split("\n"))
        after = found["next"]
        return "\n".join([
            "\n".join(before) + f"  br label %{label}_head", f"{label}_head:",
            f"  {place} = load i64, ptr {found['counter']}", f"  {found['test']}, {found['steps']}",
            found["branch"], f"{label}_body:", *body, f"  {after} = add nuw nsw i64 {place}, {self.lanes}",
            f"  store i64 {after}, ptr {found['counter']}", f"  br label %{label}_head", found["after"],
        ])  # fmt: skip

    def _line(self, line: str) -> str:
        name, equals, text = line[2:].partition(" = ")
        if not equals:
            return self._stored(line)
        if text.startswith(("getelementptr", "load")):
            return self._placed(line)
        pieces = _NAME.split(text)
        if not self.vectors.issuperset(pieces[1::2]):
            raise _Otherwise
        if (form := tuple(pieces[::2])) not in self.forms:
            self.forms[form] = _NAME.split(self._computed(text))[::2]
        pieces[::2] = self.forms[form]
        self.vectors.add(name)
        return f"  {name} = {''.join(pieces)}"

    def _placed(self, line: str) -> str:
        if (found := _AT.fullmatch(line)) is not None and found[2] in self.places:
            self.places.add(found[1])
            return line
        if (found := _LOAD.fullmatch(line)) is None:
            raise _Otherwise
        return self._loaded(*found.groups())

    def _stored(self, line: str) -> str:
        if (found := _STORE.fullmatch(line)) is None or found[2] not in self.places:
            raise _Otherwise
        return f"  store {self._each(found[1])}, ptr {found[2]}, align {_size(found[1])}"

    def _computed(self, text: str) -> str:
        if (call := _CALL.fullmatch(text)) is not None:
            return self._call(*call.groups())
        if not _EACH.match(text):
            raise _Otherwise
        return self._each(text)

    def _loaded(self, name: str, volatile: str | None, type_: str, at: str) -> str:
        if at not in self.places:
            if not at.startswith("%p"):
                # What is gathered, in a slot.
                raise _Otherwise
            return self._spread(name, volatile, type_, at)
        self.vectors.add(name)
        return f"  {name} = load <{self.lanes} x {type_}>, ptr {at}, align {_size(type_)}"

    def _spread(self, name: str, volatile: str | None, type_: str, at: str) -> str:
        """Return lines that load one number for all elements."""
        self.vectors.add(name)
        lanes, vector = self.lanes, f"<{self.lanes} x {type_}>"
        return (
            f"  {name}n = load {volatile or ''}{type_}, ptr {at}\n"
            f"  {name}v = insertelement {vector} poison, {type_} {name}n, i64 0\n"
            f"  {name} = shufflevector {vector} {name}v, {vector} poison, <{lanes} x i32> zeroinitializer"
        )

    def _call(self, type_: str, name: str, letters: str | None, operands: str) -> str:
        vector = f"<{self.lanes} x {type_}>"
        if letters is None:
            if self.lanes not in widths(type_):
                raise _Otherwise
            symbol = variant(name.removeprefix(PREFIX), self.lanes)
        else:
            symbol = f"{name}.v{self.lanes}{letters[1:]}"
            self.module.declare(symbol, vector, *[vector] * (1 + operands.count(",")))
        return f"call {vector} @{symbol}({self._each(operands)})"

    def _each(self, text: str) -> str:
        """Return types and numbers in a text as those of vectors."""
        type_ = ""

        def wide(found: re.Match[str]) -> str:
            nonlocal type_
            if found[1]:
                type_ = found[1]
                return f"<{self.lanes} x {type_}>"
            if found[2]:
                return _constant(type_, found[2], self.lanes)
            if found[3] not in self.vectors:
                raise _Otherwise
            return found[3]

        return _TOKEN.sub(wide, text)


@cache
def _constant(type_: str, number: str, lanes: int) -> str:
    return "<" + ", ".join([f"{type_} {number}"] * lanes) + ">"


def _size(text: str) -> int:
    """Return the bytes of a number, of which a text begins with the type."""
    type_, _, _ = text.partition(" ")
    return {"double": 8, "float": 4, "half": 2}.get(type_) or int(type_[1:]) // 8

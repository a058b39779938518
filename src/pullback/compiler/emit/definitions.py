"""The text of mathematical functions, scalar and of vectors."""

import re
from typing import Any

from ..runtime import engine
from . import mathematics
from .functions import PREFIX, arity
from .lanes import Lanes, Writer


def text(symbol: str) -> str:
    """Return a module that defines a mathematical function."""
    declared: dict[str, str] = {}
    defined = _defined(symbol, declared)
    return "\n".join([*declared.values(), defined, engine.attributes()])


def body(symbol: str, declared: dict[str, str]) -> str | None:
    """Return a function without branches for the loops of another module, and declare there what it calls;
    None for others.
    """
    called: dict[str, str] = {}
    defined = _defined(symbol, called)
    if "\n  br " in defined:
        return None
    declared.update(called)
    inside = defined.replace("define ", "define internal ", 1)
    return inside.replace(" nounwind #0", " nounwind alwaysinline #0", 1)


def _defined(symbol: str, declared: dict[str, str]) -> str:
    match = re.fullmatch(rf"{PREFIX}(\w+?)_(float|double)(?:_(\d+))?", symbol)
    assert match is not None
    return _definition(symbol, match[1], match[2], int(match[3] or 1), declared)


def _definition(symbol: str, name: str, real: str, lanes: int, declared: dict[str, str]) -> str:
    """Return one function, and the loop over the lanes that the C library computes."""
    count = arity(name)
    narrow = real == "float"
    function = mathematics.SINGLE.get(name) if narrow and engine.fused() else None
    kind = "double" if function is None else "float"
    function = function or mathematics.FUNCTIONS.get(name)
    writer = Writer(lanes, narrow, kind)
    given, type_ = writer.type(real), writer.type(kind)
    operands = [f"%x{n}" for n in range(count)]
    parameters = ", ".join(f"{given} {x}" for x in operands)
    lines = []
    if kind != real:
        lines = [f"  %w{n} = fpext {given} {x} to {type_}" for n, x in enumerate(operands)]
        operands = [f"%w{n}" for n in range(count)]
    arguments = [Lanes(writer, x, kind) for x in operands]
    result: Any = None if function is None else function(writer, *arguments)
    hard: Lanes | None = None
    if function is None:
        result, hard = arguments[0], writer.constant(-1, "i1")
    elif isinstance(result, tuple):
        result, hard = result
    lines += writer.lines
    declared.update(writer.declarations)
    value = result.name
    more = ""
    if hard is not None:
        loop = f"{symbol}_hard"
        mask = writer.type("i1")
        passed = ", ".join([f"{type_} {value}", *(f"{type_} {x}" for x in operands), f"{mask} {hard.name}"])
        any_ = hard.name
        if lanes > 1:
            reduction = f"llvm.vector.reduce.or.v{lanes}i1"
            declared[reduction] = f"declare i1 @{reduction}({mask})"
            any_ = "%any"
            lines.append(f"  %any = call i1 @{reduction}({mask} {hard.name})")
        lines += [
            f"  br i1 {any_}, label %slow, label %done, !prof !0", "slow:",
            f"  %mended = call {type_} @{loop}({passed})", "  br label %done", "done:",
            f"  %both = phi {type_} [ {value}, %entry ], [ %mended, %slow ]",
        ]  # fmt: skip
        value = "%both"
        more = _hard_lanes(loop, name, kind, lanes, count)
        declared[name] = f"declare double @{name}({', '.join(['double'] * count)}) memory(none) nounwind"
        declared["!0"] = '!0 = !{!"branch_weights", i32 1, i32 1000}'
    if kind != real:
        lines.append(f"  %rounded = fptrunc {type_} {value} to {given}")
        value = "%rounded"
    body = "\n".join(["entry:", *lines, f"  ret {given} {value}"])
    return f"define {given} @{symbol}({parameters}) memory(none) nounwind #0 {{\n{body}\n}}\n{more}"


def _called(name: str, kind: str, operands: list[str]) -> list[str]:
    """Write instructions that let the C library compute %y from numbers of a kind."""
    if kind == "double":
        return [f"  %y = call double @{name}({', '.join(f'double {x}' for x in operands)})"]
    lines = [f"  {x}_ = fpext float {x} to double" for x in operands]
    lines.append(f"  %y_ = call double @{name}({', '.join(f'double {x}_' for x in operands)})")
    return [*lines, "  %y = fptrunc double %y_ to float"]


def _hard_lanes(symbol: str, name: str, kind: str, lanes: int, count: int) -> str:
    """Return a function that replaces the lanes of a mask by what the C library computes of them."""
    letters = [f"x{n}" for n in range(count)]
    if lanes == 1:
        operands = ", ".join(f"{kind} %{x}" for x in letters)
        body = "\n".join(_called(name, kind, [f"%{x}" for x in letters]))
        return (
            f"define internal {kind} @{symbol}({kind} %r, {operands}, i1 %mask) noinline memory(none) "
            f"nounwind #0 {{\n{body}\n  ret {kind} %y\n}}\n"
        )
    type_, mask = f"<{lanes} x {kind}>", f"<{lanes} x i1>"
    operands = ", ".join(f"{type_} %{x}" for x in letters)
    picked = "\n".join(f"  %e{x} = extractelement {type_} %{x}, i64 %n" for x in letters)
    computed = "\n".join(_called(name, kind, [f"%e{x}" for x in letters]))
    return f"""define internal {type_} @{symbol}({type_} %r, {operands}, {mask} %mask)
  noinline memory(none) nounwind #0 {{
entry:
  br label %head
head:
  %n = phi i64 [ 0, %entry ], [ %next, %tail ]
  %sofar = phi {type_} [ %r, %entry ], [ %then, %tail ]
  %this = extractelement {mask} %mask, i64 %n
  br i1 %this, label %compute, label %tail
compute:
{picked}
{computed}
  %with = insertelement {type_} %sofar, {kind} %y, i64 %n
  br label %tail
tail:
  %then = phi {type_} [ %sofar, %head ], [ %with, %compute ]
  %next = add nuw nsw i64 %n, 1
  %more = icmp slt i64 %next, {lanes}
  br i1 %more, label %head, label %done
done:
  ret {type_} %then
}}
"""

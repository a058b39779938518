"""Rewrite a function's bytecode so that each operation on an object is a call of a function that sees it.

An instruction is harmless (it moves values between the stack and locals, or jumps), or it becomes a call of
one of the `Hooks`, or, when it is executed, it makes the trace refuse. Python itself does all else: control
flow, exceptions, generators, closures. Frames are real ones, with the user's file and lines.
"""

from __future__ import annotations

import dis
import functools
import inspect
import itertools
import sys
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from .bytecode import Body, Handler, Instruction, put_together, taken_apart

_NEW_CALLS = sys.version_info >= (3, 13)
_PRECALL = sys.version_info < (3, 12)
_METHOD_BIT = sys.version_info >= (3, 12)
#: Whether jumps take nothing but True and False, which another instruction makes of what is tested.
_BOOLEAN_JUMPS = sys.version_info >= (3, 13)
#: Whether `with` is written as calls of two methods, and what leaves it stands on the stack as a method does.
_METHODS_OF_WITH = sys.version_info >= (3, 14)
#: How such a `with` begins.
_ENTERING = (("COPY", 1), ("LOAD_SPECIAL", 1), ("SWAP", 2), ("SWAP", 3), ("LOAD_SPECIAL", 0), ("CALL", 0))

#: Instructions that touch nothing of an object: they stay as they are.
HARMLESS = frozenset({
    "COPY", "COPY_FREE_VARS", "CHECK_EXC_MATCH", "DELETE_FAST", "END_FOR", "END_SEND", "FOR_ITER",
    "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_FORWARD", "LIST_APPEND", "LIST_TO_TUPLE",
    "LOAD_ASSERTION_ERROR", "LOAD_CLOSURE", "LOAD_CONST", "LOAD_FAST", "LOAD_FAST_AND_CLEAR",
    "LOAD_FAST_CHECK", "LOAD_FAST_LOAD_FAST", "MAKE_CELL", "NOP", "POP_EXCEPT", "POP_JUMP_BACKWARD_IF_NONE",
    "POP_JUMP_BACKWARD_IF_NOT_NONE", "POP_JUMP_FORWARD_IF_NONE", "POP_JUMP_FORWARD_IF_NOT_NONE",
    "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE", "POP_TOP", "RERAISE", "RESUME",
    "RETURN_CONST", "RETURN_GENERATOR", "RETURN_VALUE", "SEND", "STORE_FAST",
    "STORE_FAST_LOAD_FAST", "STORE_FAST_STORE_FAST", "SWAP", "WITH_EXCEPT_START", "YIELD_VALUE",
    "BUILD_TUPLE", "BUILD_SLICE", "CLEANUP_THROW", "LOAD_COMMON_CONSTANT", "LOAD_FAST_BORROW",
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW", "LOAD_SMALL_INT", "NOT_TAKEN", "POP_ITER",
})  # fmt: skip
#: Intrinsic functions that touch nothing: the error of a StopIteration in a generator, a list as a tuple.
_HARMLESS_INTRINSICS = frozenset({3, 6})
_POSITIVE_INTRINSIC = 5

_JUMPS_ON_TRUTH = frozenset({
    "POP_JUMP_FORWARD_IF_FALSE", "POP_JUMP_FORWARD_IF_TRUE", "POP_JUMP_BACKWARD_IF_FALSE",
    "POP_JUMP_BACKWARD_IF_TRUE", "POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE",
})  # fmt: skip
#: Instructions whose argument counts places of the stack from its top.
_SWAPPING = frozenset({"COPY", "SWAP"})
_REACHING = frozenset({
    "LIST_APPEND", "LIST_EXTEND", "SET_ADD", "SET_UPDATE", "MAP_ADD", "DICT_UPDATE", "DICT_MERGE",
})  # fmt: skip
_BINARY = [text for _, text in dis._nb_ops]  # type: ignore[attr-defined]  # the only list of them
#: Places of the stack that calls of hooks need at most.
_STACK = 6


class Hooks:
    """The functions that rewritten code calls; each says what it is given.

    They are looked up once, when a code object is rewritten.
    """

    load_global: Callable[[str], Any]
    store_global: Callable[[Any, str], None]
    delete_global: Callable[[str], None]
    load_cell: Callable[[Any], Any]
    store_cell: Callable[[Any, Any], None]
    load_attribute: Callable[[Any, str], Any]
    store_attribute: Callable[[tuple[Any, Any, str]], None]
    delete_attribute: Callable[[Any, str], None]
    load_super: Callable[[tuple[Any, Any, Any, str, bool]], Any]
    load_item: Callable[[Any, Any], Any]
    store_item: Callable[[tuple[Any, Any, Any]], None]
    delete_item: Callable[[Any, Any], None]
    binary: dict[str, Callable[[Any, Any], Any]]
    unary: dict[str, Callable[[Any], Any]]
    compare: dict[str, Callable[[Any, Any], Any]]
    contains: Callable[[Any, Any], bool]
    not_contains: Callable[[Any, Any], bool]
    is_: Callable[[Any, Any], bool]
    is_not: Callable[[Any, Any], bool]
    truth: Callable[[Any], bool]
    not_: Callable[[Any], bool]
    iterate: Callable[[Any], Any]
    delegate: Callable[[Any], Any]
    sequence: Callable[[Any], Any]
    unpacked: Callable[[Any], Any]
    extended: Callable[[Any], Any]
    mapping: Callable[[Any], Any]
    made: Callable[[Any], Any]
    new_dict: Callable[[tuple[Any, ...]], dict[Any, Any]]
    new_set: Callable[[tuple[Any, ...]], set[Any]]
    key: Callable[[Any], Any]
    enter: Callable[[Any], tuple[Any, Any]]
    exception: Callable[[Any], Any]
    caught: Callable[[BaseException], None]
    format: Callable[[tuple[Any, int, Any]], Any]
    convert: dict[int, Callable[[Any], Any]]
    concatenate: Callable[[tuple[Any, ...]], Any]
    import_module: Callable[[tuple[Any, Any, str]], Any]
    import_from: Callable[[Any, str], Any]
    call: Callable[[Any, tuple[Any, ...]], Any]
    call_named: Callable[[tuple[Any, tuple[Any, ...], tuple[str, ...]]], Any]
    call_last_names: Callable[[Any, tuple[Any, ...]], Any]
    call_unpacked: Callable[[tuple[Any, ...]], Any]
    match_mapping: Callable[[Any], bool]
    match_sequence: Callable[[Any], bool]
    match_keys: Callable[[Any, tuple[Any, ...]], tuple[Any, ...] | None]
    match_class: Callable[[tuple[Any, Any, tuple[str, ...], int]], tuple[Any, ...] | None]
    get_len: Callable[[Any], int]
    unknown: Callable[[str], None]


#: What `hooks` fills in.
HOOKS = Hooks()


def instrumented(code: CodeType, hooks: Hooks) -> CodeType:
    """Return the rewritten twin of a code object."""
    # Equal code objects may be of other files, which frames and messages tell.
    return _instrumented(code, code.co_filename, code.co_qualname, hooks)


@functools.lru_cache(maxsize=4096)
def _instrumented(code: CodeType, file: str, name: str, hooks: Hooks) -> CodeType:
    body = taken_apart(code)
    nulls = _nulls(body)
    writer = _Writer(code, body, hooks)
    named: tuple[str, ...] = ()
    before: dict[int, Instruction] = {}
    last: dict[int, Instruction] = {}
    written: list[Instruction] = []
    # Cells are made before the function begins, which only then can call something.
    cells: list[Instruction] = []
    begun = False
    for instruction in body.instructions:
        if instruction.name == "KW_NAMES":
            named = body.constants[instruction.arg]
            replaced = [Instruction("NOP", position=instruction.position)]
        else:
            there = nulls.get(id(instruction))
            if there is None:
                # No path leads there.
                replaced = [instruction]
            else:
                replaced = writer.replaced(instruction, there, named)
            if instruction.name == "CALL":
                named = ()
        if instruction.name == "RESUME" and instruction.arg == 0:
            begun = True
            replaced = [*replaced, *(each for cell in cells for each in writer.cell(cell))]
            if code.co_flags & inspect.CO_VARKEYWORDS:
                replaced += writer.keywords(code)
        elif instruction.name == "MAKE_CELL" and begun:
            replaced = [*replaced, *writer.cell(instruction)]
        elif instruction.name == "MAKE_CELL":
            cells.append(instruction)
        before[id(instruction)], last[id(instruction)] = replaced[0], replaced[-1]
        for new in replaced:
            new.position = instruction.position
        written += replaced
    for new in written:
        if new.target is not None:
            new.target = before.get(id(new.target), new.target)
    handlers = []
    order = {id(i): n for n, i in enumerate(body.instructions)}
    for h in body.handlers:
        within = body.instructions[order[id(h.first)] : order[id(h.last)] + 1]
        flags: list[bool] = next((nulls[id(i)] for i in within if id(i) in nulls), [])
        depth = h.depth - sum(flags[: h.depth])
        handlers.append(Handler(before[id(h.first)], last[id(h.last)], before[id(h.target)], depth, h.lasti))
    return put_together(code, Body(written, handlers, body.constants), _STACK)


def _nulls(body: Body) -> dict[int, list[bool]]:
    """Return for each instruction that can be reached which places of the stack hold the NULL of a call.

    The rewritten code has no such places: what it calls, it calls through a hook.
    """
    found: dict[int, list[bool]] = {}
    following = dict(zip(map(id, body.instructions), [*body.instructions[1:], None], strict=True))
    handled: dict[int, list[Handler]] = {}
    order = {id(i): n for n, i in enumerate(body.instructions)}
    for h in body.handlers:
        for n in range(order[id(h.first)], order[id(h.last)] + 1):
            handled.setdefault(id(body.instructions[n]), []).append(h)
    waiting: list[tuple[Instruction, list[bool]]] = [(body.instructions[0], [])]
    while waiting:
        instruction, flags = waiting.pop()
        while instruction is not None and id(instruction) not in found:
            found[id(instruction)] = flags
            for h in handled.get(id(instruction), ()):
                waiting.append((h.target, [*flags[: h.depth], *[False] * (1 + h.lasti)]))
            # The end of an `async for` only tells where its loop is (CPython 3.14).
            if instruction.target is not None and instruction.name != "END_ASYNC_FOR":
                waiting.append((instruction.target, _after(instruction, flags, True)))
            if instruction.name in _NO_NEXT:
                break
            flags = _after(instruction, flags, False)
            instruction = following[id(instruction)]  # type: ignore[assignment]  # None ends the loop
    return found


_NO_NEXT = frozenset({
    "RETURN_VALUE", "RETURN_CONST", "RERAISE", "RAISE_VARARGS", "JUMP_FORWARD", "JUMP_BACKWARD",
    "JUMP_BACKWARD_NO_INTERRUPT",
})  # fmt: skip


def _pushes_null(i: Instruction) -> bool:
    if i.name in ("LOAD_GLOBAL", "LOAD_SUPER_ATTR") or (i.name == "LOAD_ATTR" and _METHOD_BIT):
        return bool(i.arg & 1)
    return i.name == "LOAD_METHOD"


def _after(i: Instruction, flags: list[bool], jump: bool) -> list[bool]:
    """Return the marks after an instruction."""
    flags = list(flags)
    if i.name == "PUSH_NULL":
        return [*flags, True]
    if i.name == "RETURN_GENERATOR":
        return [*flags, False]
    if i.name == "LOAD_SPECIAL":
        return [*flags[:-1], False, True]
    if i.name in ("PRECALL", "KW_NAMES"):
        return flags
    if i.name == "SWAP":
        flags[-i.arg], flags[-1] = flags[-1], flags[-i.arg]
        return flags
    if i.name == "COPY":
        return [*flags, flags[-i.arg]]
    if _pushes_null(i):
        popped = {"LOAD_GLOBAL": 0, "LOAD_SUPER_ATTR": 3}.get(i.name, 1)
        flags = flags[: len(flags) - popped]
        return [*flags, False, True] if _NEW_CALLS else [*flags, True, False]
    opcode = dis.opmap[i.name]
    change = dis.stack_effect(opcode, i.arg if opcode >= dis.HAVE_ARGUMENT else None, jump=jump)
    if i.name == "CALL":
        # What a call takes are its function and arguments, and the NULL or the object of a method.
        change = -(i.arg + 1)
    if change < 0:
        flags = flags[: len(flags) + change]
        if flags:
            flags[-1] = flags[-1] and i.name not in _CALLS
        return flags
    if i.name in _CALLS and flags:
        flags[-1] = False
    return flags + [False] * change


_MAKING = frozenset({
    "BUILD_LIST", "BUILD_SET", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE",
})  # fmt: skip
_CALLS = frozenset({"CALL", "CALL_KW", "CALL_FUNCTION_EX"})


def _reach(i: Instruction) -> int:
    """Return how many places of the stack an instruction counts."""
    if i.name in _SWAPPING:
        return i.arg
    return i.arg + 1 + (i.name == "MAP_ADD") if i.name in _REACHING else 0


def _merged(parts: tuple[dict[Any, Any], Any, dict[Any, Any]]) -> dict[Any, Any]:
    """Return keywords that are added to others of a call; raise Python's error where a name comes twice."""
    added, function, held = parts
    for name in dict.keys(added):
        if type(name) is str and name in held:
            called = getattr(function, "__qualname__", None)
            module = getattr(function, "__module__", None)
            text = f"{called}()" if isinstance(called, str) else str(function)
            if isinstance(called, str) and isinstance(module, str) and module != "builtins":
                text = f"{module}.{text}"
            raise TypeError(f"{text} got multiple values for keyword argument {name!r}")
    return added


def _left(parts: tuple[Any, BaseException]) -> Any:
    """Leave a `with` by an exception."""
    leave, error = parts
    return leave(type(error), error, error.__traceback__)


class _Writer:
    """Write what stands in the place of instructions."""

    def __init__(self, code: CodeType, body: Body, hooks: Hooks) -> None:
        #: The number of the first variable of an enclosing function. Its name may be that of a variable of
        #: this function, too, where a comprehension has one (CPython 3.12).
        self.free = len({*code.co_varnames, *code.co_cellvars})
        self.body = body
        self.hooks = hooks
        pairs = list(itertools.pairwise(body.instructions))
        self.before_not = {id(i) for i, after in pairs if after.name == "UNARY_NOT"}
        self.after_not = {id(i) for before, i in pairs if before.name == "UNARY_NOT"}
        #: Instructions that begin a `with`: all but the last come to nothing.
        self.begins: set[int] = set()
        self.enters: set[int] = set()
        if _METHODS_OF_WITH:
            for n in range(len(body.instructions) - len(_ENTERING) + 1):
                some = body.instructions[n : n + len(_ENTERING)]
                if all((i.name, i.arg) == form for i, form in zip(some, _ENTERING, strict=True)):
                    self.begins.update(map(id, some[:-1]))
                    self.enters.add(id(some[-1]))

    def constant(self, value: Any) -> Instruction:
        return Instruction("LOAD_CONST", self.body.constant(value))

    def call(self, hook: Any, count: int) -> Iterator[Instruction]:
        """Call a hook with the one or two values on top of the stack."""
        first, second = (self.constant(hook), Instruction("PUSH_NULL"))
        if not _NEW_CALLS:
            first, second = second, first
        yield first
        yield Instruction("SWAP", count + 1)
        yield second
        yield Instruction("SWAP", count + 1)
        if _PRECALL:
            yield Instruction("PRECALL", count)
        yield Instruction("CALL", count)

    def call_with(self, hook: Any, value: Any) -> Iterator[Instruction]:
        """Call a hook with a constant."""
        yield self.constant(value)
        yield from self.call(hook, 1)

    def call_packed(self, hook: Any, count: int) -> Iterator[Instruction]:
        """Call a hook with a tuple of the values on top of the stack."""
        yield Instruction("BUILD_TUPLE", count)
        yield from self.call(hook, 1)

    def keywords(self, code: CodeType) -> list[Instruction]:
        """Note the dict that Python makes of ``**kwargs``."""
        at = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)
        load = "LOAD_DEREF" if code.co_varnames[at] in code.co_cellvars else "LOAD_FAST"
        return [Instruction(load, at), *self.call(self.hooks.made, 1), Instruction("POP_TOP")]

    def cell(self, i: Instruction) -> Iterator[Instruction]:
        """Note the cell of a variable that inner functions have, too."""
        yield self._cell(i)
        yield from self.call(self.hooks.made, 1)
        yield Instruction("POP_TOP")

    def replaced(self, i: Instruction, nulls: list[bool], names: tuple[str, ...]) -> list[Instruction]:
        """Return the instructions for one."""
        return list(self._replaced(i, nulls, names))

    def _replaced(self, i: Instruction, nulls: list[bool], names: tuple[str, ...]) -> Iterator[Instruction]:
        hooks, name, value = self.hooks, i.name, i.value
        pop = Instruction("POP_TOP")
        if id(i) in self.begins or (name == "POP_TOP" and nulls[-1]):
            yield Instruction("NOP")
        elif id(i) in self.enters or name == "BEFORE_WITH":
            yield from self.call(hooks.enter, 1)
            yield Instruction("UNPACK_SEQUENCE", 2)
        elif name == "WITH_EXCEPT_START" and _METHODS_OF_WITH:
            yield Instruction("COPY", 4)
            yield Instruction("COPY", 2)
            yield from self.call_packed(_left, 2)
        elif any(nulls[len(nulls) - _reach(i) :]):
            yield from self._without_nulls(i, nulls[len(nulls) - _reach(i) :])
        elif name in HARMLESS:
            yield i
        elif name in ("PUSH_NULL", "PRECALL"):
            yield Instruction("NOP")
        elif name == "LOAD_GLOBAL":
            yield from self.call_with(hooks.load_global, value)
        elif name in ("LOAD_ATTR", "LOAD_METHOD"):
            yield self.constant(value)
            yield from self.call(hooks.load_attribute, 2)
        elif name == "CALL":
            yield from self._call(i.arg, nulls, names)
        elif name == "CALL_KW":
            own = nulls[-(i.arg + 2)]
            yield Instruction("BUILD_TUPLE", i.arg + 1 + (not own))
            yield from self.call(hooks.call_last_names, 2)
        elif name == "CALL_FUNCTION_EX":
            # Since 3.14 there are always keywords, or a NULL.
            count = 2 + (not nulls[-1] if _METHODS_OF_WITH else i.arg & 1)
            yield from self.call_packed(hooks.call_unpacked, count)
        elif name in _JUMPS_ON_TRUTH:
            if not _BOOLEAN_JUMPS or id(i) in self.after_not:
                yield from self._truth()
            yield i
        elif name == "TO_BOOL" and id(i) in self.before_not:
            # What is negated may be a number of a later time.
            yield Instruction("NOP")
        elif name == "TO_BOOL":
            yield from self._truth()
        elif name in ("JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP"):
            yield Instruction("COPY", 1)
            yield from self.call(hooks.truth, 1)
            kind = "TRUE" if "TRUE" in name else "FALSE"
            yield Instruction(f"POP_JUMP_FORWARD_IF_{kind}", target=i.target)
            yield pop
        elif name == "BINARY_SUBSCR" or (name == "BINARY_OP" and _BINARY[i.arg] == "[]"):
            yield from self.call(hooks.load_item, 2)
        elif name == "BINARY_OP":
            yield from self.call(hooks.binary[_BINARY[i.arg]], 2)
        elif name in ("UNARY_NEGATIVE", "UNARY_POSITIVE", "UNARY_INVERT"):
            yield from self.call(hooks.unary[name], 1)
        elif name == "UNARY_NOT":
            yield from self.call(hooks.not_, 1)
        elif name == "COMPARE_OP":
            yield from self.call(hooks.compare[value], 2)
            if _BOOLEAN_JUMPS and i.arg & 16:
                yield from self._truth()
        elif name == "CONTAINS_OP":
            yield from self.call(hooks.not_contains if i.arg else hooks.contains, 2)
            if _BOOLEAN_JUMPS:
                yield Instruction("TO_BOOL")
        elif name == "IS_OP":
            yield from self.call(hooks.is_not if i.arg else hooks.is_, 2)
        elif name == "BINARY_SLICE":
            yield Instruction("BUILD_SLICE", 2)
            yield from self.call(hooks.load_item, 2)
        elif name == "STORE_SUBSCR":
            yield from self.call_packed(hooks.store_item, 3)
            yield pop
        elif name == "STORE_SLICE":
            yield Instruction("BUILD_SLICE", 2)
            yield from self.call_packed(hooks.store_item, 3)
            yield pop
        elif name == "DELETE_SUBSCR":
            yield from self.call(hooks.delete_item, 2)
            yield pop
        elif name == "STORE_ATTR":
            yield self.constant(value)
            yield from self.call_packed(hooks.store_attribute, 3)
            yield pop
        elif name == "DELETE_ATTR":
            yield self.constant(value)
            yield from self.call(hooks.delete_attribute, 2)
            yield pop
        elif name == "LOAD_SUPER_ATTR":
            yield self.constant(value)
            yield self.constant(bool(i.arg & 2))
            yield from self.call_packed(hooks.load_super, 5)
        elif name == "STORE_GLOBAL":
            yield self.constant(value)
            yield from self.call(hooks.store_global, 2)
            yield pop
        elif name == "DELETE_GLOBAL":
            yield from self.call_with(hooks.delete_global, value)
            yield pop
        elif name in ("LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF") and i.arg < self.free:
            yield i
        elif name == "LOAD_DEREF":
            yield self._cell(i)
            yield from self.call(hooks.load_cell, 1)
        elif name == "STORE_DEREF":
            yield self._cell(i)
            yield from self.call(hooks.store_cell, 2)
            yield pop
        elif name == "GET_ITER":
            yield from self.call(hooks.iterate, 1)
        elif name == "GET_YIELD_FROM_ITER":
            yield from self.call(hooks.delegate, 1)
        elif name == "UNPACK_SEQUENCE":
            yield from self.call(hooks.sequence, 1)
            yield i
        elif name in ("UNPACK_EX", "LIST_EXTEND", "SET_UPDATE"):
            yield from self.call(hooks.extended if name == "LIST_EXTEND" else hooks.unpacked, 1)
            yield i
            if name == "UNPACK_EX":
                yield Instruction("COPY", (i.arg & 0xFF) + 1)
                yield from self.call(hooks.made, 1)
                yield pop
        elif name in ("DICT_UPDATE", "DICT_MERGE"):
            yield from self.call(hooks.mapping, 1)
            if name == "DICT_MERGE":
                # It looks for the function below the NULL, for the text of an error.
                yield Instruction("COPY", i.arg + 3)
                yield Instruction("COPY", i.arg + 2)
                yield from self.call_packed(_merged, 3)
                yield Instruction("DICT_UPDATE", i.arg)
            else:
                yield i
        elif name in ("BUILD_MAP", "BUILD_SET") and i.arg:
            # Their keys are seen before they are hashed.
            hook = hooks.new_dict if name == "BUILD_MAP" else hooks.new_set
            yield from self.call_packed(hook, 2 * i.arg if name == "BUILD_MAP" else i.arg)
        elif name in _MAKING:
            yield i
            yield from self.call(hooks.made, 1)
        elif name == "SET_ADD":
            yield from self.call(hooks.key, 1)
            yield i
        elif name == "MAP_ADD":
            yield Instruction("SWAP", 2)
            yield from self.call(hooks.key, 1)
            yield Instruction("SWAP", 2)
            yield i
        elif name == "RAISE_VARARGS" and i.arg:
            if i.arg == 2:
                yield from self.call(hooks.exception, 1)
                yield Instruction("SWAP", 2)
            yield from self.call(hooks.exception, 1)
            if i.arg == 2:
                yield Instruction("SWAP", 2)
            yield i
        elif name == "RAISE_VARARGS":
            yield i
        elif name == "PUSH_EXC_INFO":
            yield Instruction("COPY", 1)
            yield from self.call(hooks.caught, 1)
            yield pop
            yield i
        elif name == "FORMAT_VALUE":
            yield from self._format(i.arg & 3, bool(i.arg & 4))
        elif name == "FORMAT_SIMPLE":
            yield from self._format(0, False)
        elif name == "FORMAT_WITH_SPEC":
            yield from self._format(0, True)
        elif name == "CONVERT_VALUE":
            yield from self.call(hooks.convert[i.arg], 1)
        elif name == "BUILD_STRING":
            yield from self.call_packed(hooks.concatenate, i.arg)
        elif name == "IMPORT_NAME":
            yield self.constant(value)
            yield from self.call_packed(hooks.import_module, 3)
        elif name == "IMPORT_FROM":
            yield Instruction("COPY", 1)
            yield self.constant(value)
            yield from self.call(hooks.import_from, 2)
        elif name in ("MATCH_MAPPING", "MATCH_SEQUENCE", "GET_LEN"):
            yield Instruction("COPY", 1)
            yield from self.call(getattr(hooks, name.lower()), 1)
        elif name == "MATCH_KEYS":
            yield Instruction("COPY", 2)
            yield Instruction("COPY", 2)
            yield from self.call(hooks.match_keys, 2)
        elif name == "MATCH_CLASS":
            yield self.constant(i.arg)
            yield from self.call_packed(hooks.match_class, 4)
        elif name == "CALL_INTRINSIC_1" and i.arg in _HARMLESS_INTRINSICS:
            yield i
        elif name == "CALL_INTRINSIC_1" and i.arg == _POSITIVE_INTRINSIC:
            yield from self.call(hooks.unary["UNARY_POSITIVE"], 1)
        else:
            yield from self._unknown(i)

    def _without_nulls(self, i: Instruction, nulls: list[bool]) -> Iterator[Instruction]:
        """Write an instruction that counts places of which some are not there."""
        first, between, last = nulls[0], nulls[1:-1], nulls[-1]
        if i.name in _SWAPPING and not first and (i.name == "COPY" or not last):
            yield Instruction(i.name, i.arg - sum(nulls))
        elif i.name == "SWAP" and all(between):
            # A value and a NULL next to it change places.
            yield Instruction("NOP")
        else:
            yield from self._unknown(i)

    def _unknown(self, i: Instruction) -> Iterator[Instruction]:
        yield from self.call_with(self.hooks.unknown, i.name)
        yield Instruction("POP_TOP")
        yield i

    def _truth(self) -> Iterator[Instruction]:
        """Ask whether the value on top of the stack counts as true."""
        yield from self.call(self.hooks.truth, 1)
        if _BOOLEAN_JUMPS:
            # Jumps take whatever is not True for false.
            yield Instruction("TO_BOOL")

    def _call(self, count: int, nulls: list[bool], names: tuple[str, ...]) -> Iterator[Instruction]:
        own = nulls[-(count + 1)] if _NEW_CALLS else nulls[-(count + 2)]
        yield Instruction("BUILD_TUPLE", count if own else count + 1)
        if names:
            yield self.constant(names)
            yield from self.call_packed(self.hooks.call_named, 3)
        else:
            yield from self.call(self.hooks.call, 2)

    def _cell(self, i: Instruction) -> Instruction:
        return Instruction("LOAD_CLOSURE" if sys.version_info < (3, 13) else "LOAD_FAST", i.arg)

    def _format(self, conversion: int, has_spec: bool) -> Iterator[Instruction]:
        """Call the hook with (value, conversion, format)."""
        if has_spec:
            yield self.constant(conversion)
            yield Instruction("SWAP", 2)
        else:
            yield self.constant(conversion)
            yield self.constant(None)
        yield from self.call_packed(self.hooks.format, 3)

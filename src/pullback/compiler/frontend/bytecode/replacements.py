"""Write what stands in the place of each instruction: itself, a call of a hook, or a refusal."""

from __future__ import annotations

import dis
import inspect
import itertools
import sys
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from ....array.named_tuples import NamedTuple
from .hooks import Hooks
from .instructions import Body, Instruction
from .null_slots import NEW_CALLS

_PRECALL = sys.version_info < (3, 12)
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
#: What stays as it is wherever it stands.
STAYING = HARMLESS - _SWAPPING - _REACHING - {"POP_TOP", "WITH_EXCEPT_START"}
_BINARY = [text for _, text in dis._nb_ops]  # type: ignore[attr-defined]  # the only list of them
_MAKING = frozenset({
    "BUILD_LIST", "BUILD_SET", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE",
})  # fmt: skip


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


class Replacements:
    """Write what stands in the place of the instructions of one code object."""

    def __init__(self, code: CodeType, body: Body, hooks: Hooks) -> None:
        #: The number of the first variable of an enclosing function. Its name may be that of a variable of
        #: this function, too, where a comprehension has one (CPython 3.12).
        self.free = len({*code.co_varnames, *code.co_cellvars})
        self.body = body
        self.hooks = hooks
        #: By their identities, where constants stand: a long function has one for each number in its text.
        self._numbers = {id(value): n for n, value in enumerate(body.constants)}
        self.before_not: set[int] = set()
        self.after_not: set[int] = set()
        #: Instructions that begin to handle an error for a `with`.
        self.leaves: set[int] = set()
        #: Instructions that begin a `with`: all but the last come to nothing.
        self.begins: set[int] = set()
        self.enters: set[int] = set()
        for before, after in itertools.pairwise(body.instructions):
            if before.name == "UNARY_NOT":
                self.after_not.add(id(after))
            if after.name == "UNARY_NOT":
                self.before_not.add(id(before))
            elif after.name == "WITH_EXCEPT_START":
                self.leaves.add(id(before))
        if _METHODS_OF_WITH:
            for n in range(len(body.instructions) - len(_ENTERING) + 1):
                some = body.instructions[n : n + len(_ENTERING)]
                if all((i.name, i.arg) == form for i, form in zip(some, _ENTERING, strict=True)):
                    self.begins.update(map(id, some[:-1]))
                    self.enters.add(id(some[-1]))
        #: All instructions in whose place something else stands because of their neighbours.
        self.special = self.before_not | self.after_not | self.leaves | self.begins | self.enters

    def constant(self, value: Any) -> Instruction:
        """Load a constant; constants are compared by identity."""
        number = self._numbers.setdefault(id(value), len(self.body.constants))
        if number == len(self.body.constants):
            self.body.constants.append(value)
        return Instruction("LOAD_CONST", number)

    def call(self, hook: Any, count: int) -> list[Instruction]:
        """Call a hook with the one or two values on top of the stack."""
        first, second = (self.constant(hook), Instruction("PUSH_NULL"))
        if not NEW_CALLS:
            first, second = second, first
        written = [first, Instruction("SWAP", count + 1), second, Instruction("SWAP", count + 1)]
        if _PRECALL:
            written.append(Instruction("PRECALL", count))
        written.append(Instruction("CALL", count))
        return written

    def call_packed(self, hook: object, count: int) -> list[Instruction]:
        """Call a hook with a tuple of the values on top of the stack."""
        return [Instruction("BUILD_TUPLE", count), *self.call(hook, 1)]

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

    def replaced(self, i: Instruction, nulls: tuple[bool, ...], names: tuple[str, ...]) -> list[Instruction]:
        """Return the instructions for one; `names` are the keywords of a call."""
        return [i] if i.name in STAYING else list(self._replaced(i, nulls, names))

    def _replaced(
        self, i: Instruction, nulls: tuple[bool, ...], names: tuple[str, ...]
    ) -> Iterator[Instruction]:
        name = i.name
        reach = nulls[len(nulls) - _reach(i) :]
        if id(i) in self.begins or (name == "POP_TOP" and nulls[-1]):
            yield Instruction("NOP")
        elif id(i) in self.enters:
            yield from self._before_with(i)
        elif name == "WITH_EXCEPT_START" and _METHODS_OF_WITH:
            yield Instruction("COPY", 4)
            yield Instruction("COPY", 2)
            yield from self.call_packed(_left, 2)
        elif any(reach):
            yield from self._without_nulls(i, reach)
        elif name in HARMLESS:
            yield i
        elif name in ("PUSH_NULL", "PRECALL"):
            yield Instruction("NOP")
        elif name in _FORMS:
            yield from self._formed(i, _LEAVING if id(i) in self.leaves else _FORMS[name])
        elif name in _CALLING:
            yield from _CALLING[name](self, i, nulls, names)
        elif name in _OTHERS:
            yield from _OTHERS[name](self, i)
        else:
            yield from self._unknown(i)

    def _formed(self, i: Instruction, form: _Form) -> Iterator[Instruction]:
        if form.leads:
            yield i
        if form.copies:
            yield Instruction("COPY", 1)
        if form.slices:
            yield Instruction("BUILD_SLICE", 2)
        if form.names:
            yield self.constant(i.value)
        yield from (self.call if form.values <= 2 else self.call_packed)(
            getattr(self.hooks, form.hook), form.values
        )
        if form.pops:
            yield Instruction("POP_TOP")
        if form.keeps:
            yield i

    # --- calls ----------------------------------------------------------------------------------------------

    def _call(self, i: Instruction, nulls: tuple[bool, ...], names: tuple[str, ...]) -> Iterator[Instruction]:
        count = i.arg
        own = nulls[-(count + 1)] if NEW_CALLS else nulls[-(count + 2)]
        yield Instruction("BUILD_TUPLE", count if own else count + 1)
        if names:
            yield self.constant(names)
            yield from self.call_packed(self.hooks.call_named, 3)
        else:
            yield from self.call(self.hooks.call, 2)

    def _call_kw(
        self, i: Instruction, nulls: tuple[bool, ...], names: tuple[str, ...]
    ) -> Iterator[Instruction]:
        own = nulls[-(i.arg + 2)]
        yield Instruction("BUILD_TUPLE", i.arg + 1 + (not own))
        yield from self.call(self.hooks.call_last_names, 2)

    def _call_unpacked(
        self, i: Instruction, nulls: tuple[bool, ...], names: tuple[str, ...]
    ) -> Iterator[Instruction]:
        # Since 3.14 there are always keywords, or a NULL.
        count = 2 + (not nulls[-1] if _METHODS_OF_WITH else i.arg & 1)
        yield from self.call_packed(self.hooks.call_unpacked, count)

    # --- truth and operators --------------------------------------------------------------------------------

    def _jump_on_truth(self, i: Instruction) -> Iterator[Instruction]:
        if not _BOOLEAN_JUMPS or id(i) in self.after_not:
            yield from self._truth()
        yield i

    def _to_bool(self, i: Instruction) -> Iterator[Instruction]:
        if id(i) in self.before_not:
            # What is negated may be a number of a later time.
            yield Instruction("NOP")
        else:
            yield from self._truth()

    def _jump_or_pop(self, i: Instruction) -> Iterator[Instruction]:
        yield Instruction("COPY", 1)
        yield from self.call(self.hooks.truth, 1)
        kind = "TRUE" if "TRUE" in i.name else "FALSE"
        yield Instruction(f"POP_JUMP_FORWARD_IF_{kind}", target=i.target)
        yield Instruction("POP_TOP")

    def _truth(self) -> Iterator[Instruction]:
        """Ask whether the value on top of the stack counts as true."""
        yield from self.call(self.hooks.truth, 1)
        if _BOOLEAN_JUMPS:
            # Jumps take whatever is not True for false.
            yield Instruction("TO_BOOL")

    def _binary(self, i: Instruction) -> Iterator[Instruction]:
        sign = _BINARY[i.arg]
        yield from self.call(self.hooks.load_item if sign == "[]" else self.hooks.binary[sign], 2)

    def _unary(self, i: Instruction) -> Iterator[Instruction]:
        yield from self.call(self.hooks.unary[i.name], 1)

    def _compare(self, i: Instruction) -> Iterator[Instruction]:
        yield from self.call(self.hooks.compare[i.value], 2)
        if _BOOLEAN_JUMPS and i.arg & 16:
            yield from self._truth()

    def _contains(self, i: Instruction) -> Iterator[Instruction]:
        yield from self.call(self.hooks.not_contains if i.arg else self.hooks.contains, 2)
        if _BOOLEAN_JUMPS:
            yield Instruction("TO_BOOL")

    def _is(self, i: Instruction) -> Iterator[Instruction]:
        yield from self.call(self.hooks.is_not if i.arg else self.hooks.is_, 2)

    def _intrinsic(self, i: Instruction) -> Iterator[Instruction]:
        if i.arg in _HARMLESS_INTRINSICS:
            yield i
        elif i.arg == _POSITIVE_INTRINSIC:
            yield from self.call(self.hooks.unary["UNARY_POSITIVE"], 1)
        else:
            yield from self._unknown(i)

    # --- variables and attributes ---------------------------------------------------------------------------

    def _load_super(self, i: Instruction) -> Iterator[Instruction]:
        yield self.constant(i.value)
        yield self.constant(bool(i.arg & 2))
        yield from self.call_packed(self.hooks.load_super, 5)

    def _load_deref(self, i: Instruction) -> Iterator[Instruction]:
        if i.arg < self.free:
            yield i
            return
        yield self._cell(i)
        yield from self.call(self.hooks.load_cell, 1)

    def _store_deref(self, i: Instruction) -> Iterator[Instruction]:
        if i.arg < self.free:
            yield i
            return
        yield self._cell(i)
        yield from self.call(self.hooks.store_cell, 2)
        yield Instruction("POP_TOP")

    def _delete_deref(self, i: Instruction) -> Iterator[Instruction]:
        yield from (i,) if i.arg < self.free else self._unknown(i)

    def _cell(self, i: Instruction) -> Instruction:
        return Instruction("LOAD_CLOSURE" if sys.version_info < (3, 13) else "LOAD_FAST", i.arg)

    # --- containers, exceptions, text -----------------------------------------------------------------------

    def _unpack_rest(self, i: Instruction) -> Iterator[Instruction]:
        yield from self.call(self.hooks.unpacked, 1)
        yield i
        yield Instruction("COPY", (i.arg & 0xFF) + 1)
        yield from self.call(self.hooks.made, 1)
        yield Instruction("POP_TOP")

    def _merge(self, i: Instruction) -> Iterator[Instruction]:
        yield from self.call(self.hooks.mapping, 1)
        # It looks for the function below the NULL, for the text of an error.
        yield Instruction("COPY", i.arg + 3)
        yield Instruction("COPY", i.arg + 2)
        yield from self.call_packed(_merged, 3)
        yield Instruction("DICT_UPDATE", i.arg)

    def _build(self, i: Instruction) -> Iterator[Instruction]:
        # Keys are seen before they are hashed.
        if i.arg and i.name == "BUILD_MAP":
            yield from self.call_packed(self.hooks.new_dict, 2 * i.arg)
        elif i.arg and i.name == "BUILD_SET":
            yield from self.call_packed(self.hooks.new_set, i.arg)
        else:
            yield i
            yield from self.call(self.hooks.made, 1)

    def _map_add(self, i: Instruction) -> Iterator[Instruction]:
        yield Instruction("SWAP", 2)
        yield from self.call(self.hooks.key, 1)
        yield Instruction("SWAP", 2)
        yield i

    def _raise(self, i: Instruction) -> Iterator[Instruction]:
        if i.arg == 2:
            yield from self.call(self.hooks.exception, 1)
            yield Instruction("SWAP", 2)
        if i.arg:
            yield from self.call(self.hooks.exception, 1)
        if i.arg == 2:
            yield Instruction("SWAP", 2)
        yield i

    def _format_value(self, i: Instruction) -> Iterator[Instruction]:
        yield from self._format(i.arg & 3, bool(i.arg & 4))

    def _format_simply(self, i: Instruction) -> Iterator[Instruction]:
        yield from self._format(0, i.name == "FORMAT_WITH_SPEC")

    def _format(self, conversion: int, has_spec: bool) -> Iterator[Instruction]:
        """Call the hook with (value, conversion, format)."""
        yield self.constant(conversion)
        if has_spec:
            yield Instruction("SWAP", 2)
        else:
            yield self.constant(None)
        yield from self.call_packed(self.hooks.format, 3)

    def _convert(self, i: Instruction) -> Iterator[Instruction]:
        yield from self.call(self.hooks.convert[i.arg], 1)

    def _concatenate(self, i: Instruction) -> Iterator[Instruction]:
        yield from self.call_packed(self.hooks.concatenate, i.arg)

    def _match_keys(self, i: Instruction) -> Iterator[Instruction]:
        yield Instruction("COPY", 2)
        yield Instruction("COPY", 2)
        yield from self.call(self.hooks.match_keys, 2)

    def _match_class(self, i: Instruction) -> Iterator[Instruction]:
        yield self.constant(i.arg)
        yield from self.call_packed(self.hooks.match_class, 4)

    # --- what is left ---------------------------------------------------------------------------------------

    def _before_with(self, i: Instruction) -> Iterator[Instruction]:
        yield from self.call(self.hooks.enter, 1)
        yield Instruction("UNPACK_SEQUENCE", 2)

    def _without_nulls(self, i: Instruction, nulls: tuple[bool, ...]) -> Iterator[Instruction]:
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
        yield self.constant(i.name)
        yield from self.call(self.hooks.unknown, 1)
        yield Instruction("POP_TOP")
        yield i


class _Form(NamedTuple):
    """Say how an instruction is one call of a hook with values on top of the stack."""

    hook: str
    values: int
    #: What the instruction's argument stands for is the last of them.
    names: bool = False
    #: The last two are one slice.
    slices: bool = False
    #: The value on top stays where it is.
    copies: bool = False
    #: The hook returns nothing that is of use.
    pops: bool = False
    #: The instruction follows.
    keeps: bool = False
    #: The instruction goes before.
    leads: bool = False


_FORMS = {
    "LOAD_GLOBAL": _Form("load_global", 1, names=True),
    "STORE_GLOBAL": _Form("store_global", 2, names=True, pops=True),
    "DELETE_GLOBAL": _Form("delete_global", 1, names=True, pops=True),
    "LOAD_ATTR": _Form("load_attribute", 2, names=True),
    "LOAD_METHOD": _Form("load_attribute", 2, names=True),
    "STORE_ATTR": _Form("store_attribute", 3, names=True, pops=True),
    "DELETE_ATTR": _Form("delete_attribute", 2, names=True, pops=True),
    "BINARY_SUBSCR": _Form("load_item", 2),
    "BINARY_SLICE": _Form("load_item", 2, slices=True),
    "STORE_SUBSCR": _Form("store_item", 3, pops=True),
    "STORE_SLICE": _Form("store_item", 3, slices=True, pops=True),
    "DELETE_SUBSCR": _Form("delete_item", 2, pops=True),
    "UNARY_NOT": _Form("not_", 1),
    "GET_ITER": _Form("iterate", 1),
    "GET_YIELD_FROM_ITER": _Form("delegate", 1),
    "UNPACK_SEQUENCE": _Form("sequence", 1, keeps=True),
    "LIST_EXTEND": _Form("extended", 1, keeps=True),
    "SET_UPDATE": _Form("unpacked", 1, keeps=True),
    "DICT_UPDATE": _Form("mapping", 1, keeps=True),
    "SET_ADD": _Form("key", 1, keeps=True),
    # The hook comes after: its error puts back the exception that PUSH_EXC_INFO has put below this one.
    "PUSH_EXC_INFO": _Form("caught", 1, copies=True, pops=True, leads=True),
    "IMPORT_NAME": _Form("import_module", 3, names=True),
    "IMPORT_FROM": _Form("import_from", 2, names=True, copies=True),
    "MATCH_MAPPING": _Form("match_mapping", 1, copies=True),
    "MATCH_SEQUENCE": _Form("match_sequence", 1, copies=True),
    "GET_LEN": _Form("get_len", 1, copies=True),
}
_LEAVING = _FORMS["PUSH_EXC_INFO"]._replace(hook="left")
_CALLING = {
    "CALL": Replacements._call,
    "CALL_KW": Replacements._call_kw,
    "CALL_FUNCTION_EX": Replacements._call_unpacked,
}
_OTHERS: dict[str, Callable[[Replacements, Instruction], Iterator[Instruction]]] = {
    **dict.fromkeys(_JUMPS_ON_TRUTH, Replacements._jump_on_truth),
    **dict.fromkeys(("JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP"), Replacements._jump_or_pop),
    **dict.fromkeys(("UNARY_NEGATIVE", "UNARY_POSITIVE", "UNARY_INVERT"), Replacements._unary),
    **dict.fromkeys(_MAKING, Replacements._build),
    "TO_BOOL": Replacements._to_bool,
    "BINARY_OP": Replacements._binary,
    "COMPARE_OP": Replacements._compare,
    "CONTAINS_OP": Replacements._contains,
    "IS_OP": Replacements._is,
    "CALL_INTRINSIC_1": Replacements._intrinsic,
    "BEFORE_WITH": Replacements._before_with,
    "LOAD_SUPER_ATTR": Replacements._load_super,
    "LOAD_DEREF": Replacements._load_deref,
    "STORE_DEREF": Replacements._store_deref,
    "DELETE_DEREF": Replacements._delete_deref,
    "UNPACK_EX": Replacements._unpack_rest,
    "DICT_MERGE": Replacements._merge,
    "MAP_ADD": Replacements._map_add,
    "RAISE_VARARGS": Replacements._raise,
    "FORMAT_VALUE": Replacements._format_value,
    "FORMAT_SIMPLE": Replacements._format_simply,
    "FORMAT_WITH_SPEC": Replacements._format_simply,
    "CONVERT_VALUE": Replacements._convert,
    "BUILD_STRING": Replacements._concatenate,
    "MATCH_KEYS": Replacements._match_keys,
    "MATCH_CLASS": Replacements._match_class,
}

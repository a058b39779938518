"""Hooks that do what the instruction does which they stand for.

``python -m tests.compiler.frontend.plain test.test_with ...`` runs modules of tests as rewritten code.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import inspect
import operator
import sys
import unittest
from types import CellType, CodeType, CoroutineType, GeneratorType, MethodType
from typing import Any

from pullback.compiler.frontend.bytecode.hooks import Hooks
from pullback.compiler.frontend.bytecode.instrument import instrumented

_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow",
    "@": "matmul", "&": "and_", "|": "or_", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip


def plain_hooks() -> tuple[Hooks, list[str]]:
    """Return hooks, and the list in which they note unknown instructions that were executed."""
    hooks = Hooks()
    unknown: list[str] = []
    hooks.load_global, hooks.store_global, hooks.delete_global = _load_global, _store_global, _delete_global
    hooks.load_cell, hooks.store_cell = _load_cell, _store_cell
    hooks.load_attribute, hooks.delete_attribute = lambda thing, name: getattr(thing, name), delattr
    hooks.store_attribute = lambda parts: setattr(parts[1], parts[2], parts[0])
    hooks.load_super = _load_super
    hooks.load_item, hooks.delete_item = operator.getitem, operator.delitem
    hooks.store_item = lambda parts: operator.setitem(parts[1], parts[2], parts[0])
    hooks.binary = {sign: getattr(operator, name) for sign, name in _OPERATORS.items()}
    hooks.binary |= {
        f"{sign}=": getattr(operator, f"i{name.rstrip('_')}") for sign, name in _OPERATORS.items()
    }
    hooks.unary = {
        "UNARY_NEGATIVE": operator.neg, "UNARY_POSITIVE": operator.pos, "UNARY_INVERT": operator.invert,
    }  # fmt: skip
    hooks.compare = {
        "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt,
        ">=": operator.ge,
    }  # fmt: skip
    hooks.contains = lambda item, container: item in container
    hooks.not_contains = lambda item, container: item not in container
    hooks.is_, hooks.is_not = operator.is_, operator.is_not
    hooks.truth, hooks.not_ = bool, operator.not_
    hooks.iterate = iter
    hooks.delegate = lambda thing: thing if isinstance(thing, (GeneratorType, CoroutineType)) else iter(thing)
    hooks.sequence = hooks.unpacked = hooks.extended = hooks.mapping = lambda thing: thing
    hooks.match_mapping, hooks.match_sequence = _is_mapping, _is_sequence
    hooks.match_keys, hooks.match_class, hooks.get_len = _match_keys, _match_class, len
    hooks.made = hooks.key = hooks.exception = hooks.caught = hooks.left = lambda thing: thing
    hooks.new_dict, hooks.new_set = lambda parts: dict(zip(parts[::2], parts[1::2])), set
    hooks.enter = _enter
    hooks.format = _format
    hooks.convert = {1: str, 2: repr, 3: ascii}
    hooks.concatenate = "".join
    hooks.import_module, hooks.import_from = _import_module, _import_from
    hooks.call = lambda f, args: _call(hooks, f, args)
    hooks.call_named = _call_named
    hooks.call_last_names = lambda f, values: _call_named((f, values[:-1], values[-1]))
    hooks.call_unpacked = lambda parts: parts[0](*parts[1], **(parts[2] if len(parts) > 2 else {}))
    hooks.unknown = unknown.append
    return hooks, unknown


def rewritten_within(code: CodeType, hooks: Hooks) -> CodeType:
    """Return a code object in which all functions are rewritten; bodies of modules and classes stay."""
    constants = (rewritten_within(c, hooks) if isinstance(c, CodeType) else c for c in code.co_consts)
    code = code.replace(co_consts=tuple(constants))
    return instrumented(code, hooks) if code.co_flags & inspect.CO_OPTIMIZED else code


class _Loader(importlib.machinery.SourceFileLoader):
    hooks: Hooks

    def get_code(self, fullname: str) -> CodeType:
        source = self.get_data(self.path)
        return rewritten_within(compile(source, self.path, "exec", dont_inherit=True), self.hooks)


class Finder:
    """Finds some modules as rewritten code; to stand in ``sys.meta_path``."""

    def __init__(self, names: list[str], hooks: Hooks) -> None:
        self.names = names
        self.hooks = hooks

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        """Return where a module is, for those named."""
        found = importlib.machinery.PathFinder.find_spec(name, path) if name in self.names else None
        if found is not None:
            assert isinstance(found.loader, importlib.machinery.SourceFileLoader)
            found.loader = loader = _Loader(found.loader.name, found.loader.path)
            loader.hooks = self.hooks
        return found


def _is_mapping(thing: Any) -> bool:
    return bool(type(thing).__flags__ & 1 << 6)


def _is_sequence(thing: Any) -> bool:
    return bool(type(thing).__flags__ & 1 << 5)


def _match_keys(thing: Any, keys: tuple[Any, ...]) -> tuple[Any, ...] | None:
    missing = object()
    found = tuple(thing.get(key, missing) for key in keys)
    return None if missing in found else found


def _match_class(parts: tuple[Any, Any, tuple[str, ...], int]) -> tuple[Any, ...] | None:
    thing, cls, names, count = parts
    if not isinstance(thing, cls):
        return None
    names = (*getattr(cls, "__match_args__", ())[:count], *names)
    if count and not hasattr(cls, "__match_args__"):
        return (thing,)
    return tuple(getattr(thing, name) for name in names) if all(hasattr(thing, n) for n in names) else None


def _load_global(name: str) -> Any:
    frame = sys._getframe(1)
    for space in (frame.f_globals, frame.f_builtins):
        if name in space:
            return space[name]
    raise NameError(f"name {name!r} is not defined", name=name)


def _store_global(value: Any, name: str) -> None:
    sys._getframe(1).f_globals[name] = value


def _delete_global(name: str) -> None:
    try:
        del sys._getframe(1).f_globals[name]
    except KeyError:
        raise NameError(f"name {name!r} is not defined", name=name) from None


def _load_cell(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        raise NameError("cannot access free variable") from None


def _store_cell(value: Any, cell: CellType) -> None:
    cell.cell_contents = value


def _load_super(parts: tuple[Any, Any, Any, str, bool]) -> Any:
    maker, cls, thing, name, is_written = parts
    made = maker(cls, thing) if is_written or maker is super else maker()
    return getattr(made, name)


def _enter(manager: Any) -> tuple[Any, Any]:
    cls = type(manager)
    if not hasattr(cls, "__enter__") or not hasattr(cls, "__exit__"):
        missing = " (missed __exit__ method)" if hasattr(cls, "__enter__") else ""
        raise TypeError(f"'{cls.__name__}' object does not support the context manager protocol{missing}")
    leave = cls.__exit__
    leave = leave.__get__(manager, cls) if hasattr(leave, "__get__") else leave
    return MethodType(cls.__enter__, manager)(), leave


def _format(parts: tuple[Any, int, Any]) -> str:
    value, conversion, form = parts
    convert: Any = {1: str, 2: repr, 3: ascii}.get(conversion)
    return format(value if convert is None else convert(value), form or "")


def _import_module(parts: tuple[Any, Any, str]) -> Any:
    level, names, name = parts
    return __import__(name, sys._getframe(1).f_globals, None, names, level)


def _import_from(module: Any, name: str) -> Any:
    try:
        return getattr(module, name)
    except AttributeError:
        raise ImportError(f"cannot import name {name!r}") from None


def _call(hooks: Hooks, f: Any, args: tuple[Any, ...]) -> Any:
    if f not in (super, locals, vars, globals, dir, eval, exec):
        return f(*args)
    frame = sys._getframe(2)
    if f is eval or f is exec:
        code, *spaces = args
        if isinstance(code, str):
            code = rewritten_within(compile(code, "<string>", f.__name__, dont_inherit=True), hooks)
        if not spaces:
            is_function = frame.f_code.co_flags & inspect.CO_OPTIMIZED
            spaces = [frame.f_globals, dict(frame.f_locals) if is_function else frame.f_locals]
        return f(code, *spaces)
    if args:
        return f(*args)
    here = frame.f_locals
    if f is super:
        return super(here["__class__"], here[frame.f_code.co_varnames[0]])
    if f is globals:
        return frame.f_globals
    return sorted(here) if f is dir else dict(here)


def _call_named(parts: tuple[Any, tuple[Any, ...], tuple[str, ...]]) -> Any:
    f, values, names = parts
    count = len(values) - len(names)
    return f(*values[:count], **dict(zip(names, values[count:], strict=True)))


def main(names: list[str]) -> None:
    """Run modules of tests; print how many there were, and those that failed."""
    hooks, unknown = plain_hooks()
    if "--as-it-is" not in names:
        sys.meta_path.insert(0, Finder(names, hooks))
    suite = unittest.TestSuite()
    for name in names:
        if not name.startswith("--"):
            importlib.import_module(name)
            suite.addTests(unittest.defaultTestLoader.loadTestsFromName(name))
    with open("/dev/null", "w") as nowhere:
        result = unittest.TextTestRunner(stream=nowhere, verbosity=0).run(suite)
    if "--verbose" in names:
        for test, text in (*result.failures, *result.errors):
            print(test.id(), text)
    for test, _ in (*result.failures, *result.errors):
        print("failed", test.id())
    print("ran", result.testsRun, *sorted(set(unknown)))


if __name__ == "__main__":
    main(sys.argv[1:])

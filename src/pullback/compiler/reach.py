"""What a function can read and write besides its arguments: the tensors and settings that it reaches.

A compiled function is right only as long as what its trace saw still holds. The walk starts at a function's
closure, defaults, globals that its code names and its `self`, goes through containers, modules, optimizers
and the user's objects, and notes every tensor (a *cell*, read anew by each call) and every other thing that a
trace may have baked in (a *bond*, compared by each call).
"""

from __future__ import annotations

import dis
import functools
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..core.op import Op
from ..core.value import TensorBase, wrap

#: Values that are compared; others are compared by identity.
SCALARS = (bool, int, float, complex, str, bytes, type(None))
#: Things behind which nothing is looked for.
_ENDS = (*SCALARS, type, types.ModuleType, Op)
#: More things than this are not looked at: a function that reaches them runs eagerly.
LIMIT = 50_000

_PACKAGE = __name__.partition(".")[0]
_ABSENT = object()


class OutOfReach(RuntimeError):
    """A function reaches more than a trace can watch."""


class Bond:
    """``container[key]`` held `value` when the function was traced."""

    __slots__ = ("container", "key", "read", "same", "value")

    def __init__(self, read: Callable[[Any, Any], Any], container: Any, key: Any, value: Any) -> None:
        self.read = read
        self.container = container
        self.key = key
        self.value = value
        self.same = type(value) in SCALARS

    def holds(self) -> bool:
        """Whether it still does."""
        now = self.read(self.container, self.key)
        if now is self.value:
            return True
        # A NaN is not equal to itself: it counts as changed, which costs a trace and is never wrong.
        return self.same and type(now) is type(self.value) and bool(now == self.value)


class Dial(Bond):
    """A learning rate or a momentum: another one is another number for the same program, not another program.

    Attributes
    ----------
    cell : Tensor
        Stands for the number while the function is traced, and holds the present one for the program.
    stand_in : Tensor or tuple
        What the container holds meanwhile: the cell, or a pair of rates that begins with it.
    """

    __slots__ = ("cell", "stand_in")

    def __init__(self, container: Any, key: Any, value: Any) -> None:
        super().__init__(_get, container, key, value)
        if type(value) is tuple:
            self.cell = wrap(np.array(value[0]))
            self.stand_in: Any = (self.cell, *value[1:])
        else:
            self.stand_in = self.cell = wrap(np.array(value))

    def holds(self) -> bool:
        """Whether there is a number still; it is what the cell holds from now on."""
        now = self.read(self.container, self.key)
        if now is self.stand_in:
            return True
        if type(now) is not type(self.value) or not turns(self.key, now):
            return False
        if type(now) is tuple:
            if now[1:] != self.value[1:]:
                return False
            now = now[0]
        self.cell._value[...] = now
        return True


#: Options of optimizers that are numbers of a program: the rates from the start, a momentum (or the first of
#: a pair of decay rates) when it has changed. A momentum of 0 is another program.
RATES, MOMENTA = frozenset({"lr"}), frozenset({"momentum", "betas"})


def turns(key: Any, value: Any) -> bool:
    """Whether an option is such that it may be a number of a program."""
    if key == "betas":
        return type(value) is tuple and len(value) > 0 and type(value[0]) is float and value[0] != 0
    return type(value) is float and (key == "lr" or value != 0)


def _item(container: Any, key: Any) -> Any:
    try:
        return container[key]
    except (KeyError, IndexError):
        return _ABSENT


def _get(container: dict[Any, Any], key: Any) -> Any:
    # As a dict holds it, whatever the methods of a class of the user's are.
    return dict.get(container, key, _ABSENT)


def _cell(container: types.CellType, key: Any) -> Any:
    try:
        return container.cell_contents
    except ValueError:
        return _ABSENT


def _length(container: Any, key: Any) -> Any:
    return len(container)


class Reach:
    """What some roots reach.

    Attributes
    ----------
    cells : list of Tensor
        Each once, gradients included.
    bonds : list of Bond
    dials : list of Dial
        Of the bonds, those of the optimizers' options that `turning` names.
    optimizers : list
    moving : list of Bond
        Those of the places in `changing` that hold a tensor: each call finds another one there, so it is an
        input by its place.
    met_again : set of int
        Identities of the dicts that more than one thing holds.
    """

    def __init__(
        self, roots: Iterable[Any], turning: frozenset[str] = frozenset(), changing: Iterable[Bond] = ()
    ) -> None:
        self.cells: list[Any] = []
        self.bonds: list[Bond] = []
        self.dials: list[Dial] = []
        self.optimizers: list[Any] = []
        self.moving: list[Bond] = []
        self._changing = {(id(bond.container), bond.key) for bond in changing}
        self.met_again: set[int] = set()
        self._turning = turning
        self._seen: set[int] = set()
        self._keep: list[Any] = []
        waiting = deque(roots)
        while waiting:
            if len(self._seen) > LIMIT:
                raise OutOfReach(f"the function reaches more than {LIMIT} objects")
            waiting.extend(self._visit(waiting.popleft()))

    def met(self, thing: Any) -> bool:
        """Whether something was reached."""
        return id(thing) in self._seen

    def holds(self) -> bool:
        """Whether everything is as it was."""
        return all(bond.holds() for bond in self.bonds)

    def numbers_hold(self) -> bool:
        """Whether the numbers and texts are as they were, whatever has been added."""
        filled = {id(bond) for bond in self.replaced()}
        return all(
            bond.holds() for bond in self.bonds
            if bond.same and bond.read is not _length and id(bond) not in filled
        )  # fmt: skip

    def lengths_hold(self) -> bool:
        """Whether nothing has been added to a container or taken away."""
        return all(bond.holds() for bond in self.bonds if bond.read is _length)

    def replaced(self) -> list[Bond]:
        """Where a tensor, or None, has been replaced by another tensor."""
        return [
            bond for bond in (*self.bonds, *self.moving)
            if isinstance(bond.container, dict) and bond.read is _get
            and (bond.value is None or isinstance(bond.value, TensorBase))
            and isinstance(now := bond.read(bond.container, bond.key), TensorBase) and now is not bond.value
        ]  # fmt: skip

    def turned(self) -> frozenset[str]:
        """The momenta of optimizers that are no longer what they were."""
        return frozenset(
            bond.key for bond in self.bonds
            if bond.key in MOMENTA and isinstance(bond.container, dict) and "params" in bond.container
            and not bond.holds()
        )  # fmt: skip

    def snapshot(self) -> Callable[[], None]:
        """Return a function that gives every container what it holds now."""
        containers = [bond.container for bond in self.bonds if bond.read is _length]
        contents: list[Any] = [dict.copy(c) if isinstance(c, dict) else list(c) for c in containers]

        def restore() -> None:
            for container, content in zip(containers, contents, strict=True):
                if isinstance(container, dict):
                    if dict.keys(container) != content.keys() or any(
                        dict.get(container, k, _ABSENT) is not content[k] for k in content
                    ):
                        container.clear()
                        container.update(content)
                elif len(container) != len(content) or any(
                    a is not b for a, b in zip(container, content, strict=True)
                ):
                    container.clear()
                    container.extend(content)

        return restore

    def _visit(self, thing: Any) -> Iterator[Any]:
        if isinstance(thing, _ENDS):
            return
        if id(thing) in self._seen:
            if isinstance(thing, dict):
                self.met_again.add(id(thing))
            return
        self._seen.add(id(thing))
        self._keep.append(thing)
        if isinstance(thing, TensorBase):
            self.cells.append(thing)
            if thing._grad is not None:
                yield thing._grad
        elif isinstance(thing, dict):
            self._bound(_length, thing, None, len(thing))
            held = dict.copy(thing)
            turning = self._turning if "lr" in held and "params" in held else ()
            for key, value in held.items():
                if isinstance(key, TensorBase):
                    yield key
                if key in turning and turns(key, value):
                    self._dial(thing, key)
                    continue
                # Schedulers ask whether `step` was called; the trace has called it.
                if key == "_opt_called":
                    continue
                yield self._bound(_get, thing, key, value)
        elif isinstance(thing, (list, tuple, deque)):
            if not isinstance(thing, tuple):
                self._bound(_length, thing, None, len(thing))
            for position, value in enumerate(list(thing)):
                yield self._bound(_item, thing, position, value)
        elif isinstance(thing, (set, frozenset)):
            yield from thing
        elif isinstance(thing, types.FunctionType):
            yield from self._function(thing)
        elif isinstance(thing, types.MethodType):
            yield thing.__self__
            yield thing.__func__
        elif isinstance(thing, functools.partial):
            yield thing.func
            yield thing.args
            yield thing.keywords
        elif isinstance(getattr(thing, "__dict__", None), dict) and not isinstance(thing, type):
            if "param_groups" in thing.__dict__ and "state" in thing.__dict__:
                self.optimizers.append(thing)
            yield thing.__dict__
            # The methods of a user's class may name globals.
            if not is_ours(type(thing).__module__):
                for name in ("forward", "__call__"):
                    method = getattr(type(thing), name, None)
                    if isinstance(method, types.FunctionType):
                        yield method

    def _bound(self, read: Callable[[Any, Any], Any], container: Any, key: Any, value: Any) -> Any:
        """Note where a value was found; return it."""
        if isinstance(value, TensorBase) and (id(container), key) in self._changing:
            self.moving.append(Bond(read, container, key, value))
            return None
        if read is not _item or not isinstance(container, tuple):
            self.bonds.append(Bond(read, container, key, value))
        return value

    def _dial(self, container: Any, key: Any) -> None:
        dial = Dial(container, key, container[key])
        self.bonds.append(dial)
        self.dials.append(dial)
        self.cells.append(dial.cell)

    def _function(self, function: types.FunctionType) -> Iterator[Any]:
        if is_ours(function.__module__):
            # Our own functions hold nothing of the user's, but decorators do.
            if hasattr(function, "__wrapped__"):
                yield function.__wrapped__
            return
        for cell in function.__closure__ or ():
            yield self._bound(_cell, cell, None, _cell(cell, None))
        for name in sorted(_names(function.__code__)):
            if name in function.__globals__:
                yield self._bound(_get, function.__globals__, name, function.__globals__[name])
        yield function.__defaults__ or ()
        yield function.__kwdefaults__ or {}


def is_ours(module: str | None) -> bool:
    """Whether what a module defines is known not to hold anything of the user's."""
    return module is not None and module.partition(".")[0] in (_PACKAGE, "torch", "numpy")


@functools.lru_cache(maxsize=4096)
def _names(code: types.CodeType) -> frozenset[str]:
    """Names that a function's code, and that of functions inside it, may look up globally."""
    names = {i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return frozenset(names)

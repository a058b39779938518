"""Numbers that a trace does not know: they are worked out when the program has run.

``loss.item()`` gives one, and so does a counter that each call finds changed. What is done to them is
written down as an expression. Where the number itself is asked for, as by a branch, it becomes a part of the
program: of a counter it is guarded; of a tensor it is worked out for this call, and each call compares when
its program has run and before it changes anything (`Session.speculate`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, NoReturn


class Deferred:
    """A number, text or truth value of a later time.

    Parameters
    ----------
    kind : type
        What it will be.
    """

    __slots__ = ("__weakref__", "kind", "session")

    def __init__(self, session: Any, kind: type) -> None:
        self.session = session
        self.kind = kind

    def parts(self) -> Iterator[Any]:
        """Return what it is computed from."""
        return iter(())

    def known(self) -> Any:
        """Return the number as a part of the program."""
        return self.session.speculate(self)

    def present(self) -> Any:
        """Return what it is in the call that is traced."""
        return self.evaluate(lambda t: t)

    def _asked(self, *_: Any, **__: Any) -> NoReturn:
        # Code that is not rewritten came upon it.
        raise self.session.refusal("the numbers of a traced tensor are used by code that needs them at once")

    def evaluate(self, tensor: Callable[[Any], Any]) -> Any:
        """Work it out; `tensor` gives the present tensor for one of the trace."""
        raise NotImplementedError


#: Functions that raise no error, whatever they are given, and those that raise none of real numbers.
_NEVER_RAISE = frozenset({bool, str, repr, ascii, operator.not_, operator.eq, operator.ne})
_OF_NUMBERS = frozenset({
    operator.add, operator.sub, operator.mul, operator.iadd, operator.isub, operator.imul, operator.neg,
    operator.pos, operator.lt, operator.le, operator.gt, operator.ge, abs, min, max,
})  # fmt: skip

_ASKING = """
    abs add and bool call ceil complex contains divmod enter eq float floor floordiv format ge getitem
    gt hash iadd imul index int invert isub iter itruediv le len lshift lt matmul mod mul ne neg next or
    pos pow radd rand rdivmod reversed rfloordiv rlshift rmatmul rmod rmul ror round rpow rrshift rshift
    rsub rtruediv rxor str sub truediv trunc xor repr array setitem copy deepcopy reduce_ex
"""
for _name in _ASKING.split():
    setattr(Deferred, f"__{_name}__", Deferred._asked)


class Item(Deferred):
    """The number of a tensor of one element."""

    __slots__ = ("convert", "tensor")

    def __init__(self, session: Any, kind: type, tensor: Any, convert: Callable[[Any], Any] | None) -> None:
        super().__init__(session, kind)
        self.tensor = tensor
        self.convert = convert

    def present(self) -> Any:
        """Return what it is in the call that is traced."""
        value = self.session.number_of(self.tensor)
        return value if self.convert is None else self.convert(value)

    def evaluate(self, tensor: Callable[[Any], Any]) -> Any:
        """Take the number out of the tensor."""
        value = tensor(self.tensor).item()
        return value if self.convert is None else self.convert(value)


class Counter(Deferred):
    """A number that the call finds in a place which it writes to: what each call finds there."""

    __slots__ = ("guard", "name")

    def __init__(self, session: Any, name: Any, guard: Any) -> None:
        super().__init__(session, type(guard.value))
        self.name = name
        self.guard = guard

    def known(self) -> Any:
        """Let the number be a part of the program, and guard it."""
        self.session.fix(self.name, self.guard)
        return self.guard.value

    def present(self) -> Any:
        """Return what it is in the call that is traced."""
        return self.guard.value

    def evaluate(self, tensor: Callable[[Any], Any]) -> Any:
        """Read the place."""
        return self.guard.read(self.guard.container, self.guard.key)


class Applied(Deferred):
    """A function without effects of other values, some of them deferred."""

    __slots__ = ("args", "function")

    def __init__(self, session: Any, kind: type, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        super().__init__(session, kind)
        self.function = function
        self.args = args
        if function not in _NEVER_RAISE and not self._is_sum():
            session.may_raise.append(self)

    def _is_sum(self) -> bool:
        """Whether it adds, multiplies or compares real numbers, which raises no error."""
        return self.function in _OF_NUMBERS and all(
            (a.kind if isinstance(a, Deferred) else type(a)) in (bool, int, float) for a in self.args
        )

    def parts(self) -> Iterator[Any]:
        """Return the arguments."""
        return (arg for arg in self.args if isinstance(arg, Deferred))

    def known(self) -> Any:
        """Return the number as a part of the program; of counters alone, they are."""
        if any(True for _ in tensors_of(self)):
            return super().known()
        return self.function(*(a.known() if isinstance(a, Deferred) else a for a in self.args))

    def present(self) -> Any:
        """Return what it is in the call that is traced."""
        return self.function(*(a.present() if isinstance(a, Deferred) else a for a in self.args))

    def evaluate(self, tensor: Callable[[Any], Any]) -> Any:
        """Apply the function."""
        return self.function(
            *(a.evaluate(tensor) if isinstance(a, Deferred) else a for a in self.args)
        )


def tensors_of(value: Deferred) -> Iterator[Any]:
    """Return the tensors that a deferred value is computed from."""
    if isinstance(value, Item):
        yield value.tensor
    for part in value.parts():
        yield from tensors_of(part)

"""Numbers that a trace does not know: each call works them out anew.

``loss.item()`` gives one, and so does a counter that each call finds changed, or a number that a function is
given and that was another one before. What is done to them is written down as an expression. Where the number
itself is asked for, as by a branch, it becomes a part of the program: of a counter or an argument it is
guarded; of a tensor it is worked out for this call, and each call compares it before it changes anything: its
program does (`requires`), or Python when that has run (`Session.speculate`).
"""

import math
import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from ....array import dtypes
from ....array.quiet import IGNORE, loud, quiet
from ....core.value import wrap
from ....tensor.interchange import shared
from .guards import SCALARS, Guard, is_same


class Deferred:
    """A number, text or truth value of a later time.

    Parameters
    ----------
    kind : type
        What it will be.
    """

    __slots__ = ("__weakref__", "kind", "session")

    #: Whether it is known before the program runs.
    is_early = False

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


def converted(array: Any, dtype: Any) -> Any:
    """Return an array in another dtype."""
    return array.astype(dtype)


def computed(sign: str, a: object, b: object) -> Any:
    """Return a sum, difference or product of arrays and numbers."""
    return {"+": operator.add, "-": operator.sub, "*": operator.mul}[sign](a, b)


#: Types of numbers that are what they are in float64.
NUMBERS = frozenset({int, float, np.float64})
#: Functions of lists and arrays that each call makes alike, but for their elements.
_OF_ARRAYS = frozenset({operator.getitem, converted, computed})
#: Functions that raise no error, whatever they are given, and those that raise none of real numbers.
_NEVER_RAISE = frozenset({bool, str, repr, ascii, operator.not_, operator.eq, operator.ne, *_OF_ARRAYS})
_OF_NUMBERS = frozenset({
    operator.add, operator.sub, operator.mul, operator.iadd, operator.isub, operator.imul, operator.neg,
    operator.pos, operator.lt, operator.le, operator.gt, operator.ge, abs, min, max,
})  # fmt: skip

#: Dtypes of NumPy's that tensors have.
TAKEN = frozenset("?bhilqBefd")
#: Functions of lists and arrays of which nothing is left that could be written to.
_ONLY_READ = frozenset({len, str, repr})

#: What Python asks of values, by the names of special methods.
ASKING = """
    abs add and bool call ceil complex contains divmod enter eq float floor floordiv format ge getitem
    gt hash iadd imul index int invert isub iter itruediv le len lshift lt matmul mod mul ne neg next or
    pos pow radd rand rdivmod reversed rfloordiv rlshift rmatmul rmod rmul ror round rpow rrshift rshift
    rsub rtruediv rxor str sub truediv trunc xor repr array setitem copy deepcopy reduce_ex
"""
for _name in ASKING.split():
    setattr(Deferred, f"__{_name}__", Deferred._asked)


class Item(Deferred):
    """The number of a tensor of one element."""

    __slots__ = ("convert", "tensor")

    def __init__(self, session: Any, kind: type, tensor: Any, convert: Callable[[Any], Any] | None) -> None:
        super().__init__(session, kind)
        self.tensor = tensor
        self.convert = convert

    def present(self) -> Any:
        value = self.session.present(self.tensor).item()
        return value if self.convert is None else self.convert(value)

    def evaluate(self, tensor: Callable[[Any], Any]) -> Any:
        """Take the number out of the tensor."""
        value = tensor(self.tensor).item()
        return value if self.convert is None else self.convert(value)


class Elements(Deferred):
    """All elements of a tensor, of a later time: as a list, an array of NumPy's, or a text.

    The function may return it, keep it or print it. What is in it decides nothing: there it is refused.

    Parameters
    ----------
    function : callable
        Takes the tensor of a call and returns the value.
    place : tuple of int, optional
        Which row of a list of lists it is, where it is one.
    """

    __slots__ = ("function", "place", "rows", "tensor")

    def __init__(
        self, session: Any, kind: type, tensor: Any, function: Callable[[Any], Any],
        place: tuple[int, ...] = (),
    ) -> None:  # fmt: skip
        super().__init__(session, kind)
        self.tensor, self.place = tensor, place
        self.function = function
        #: The rows of a list of lists, once they were asked for.
        self.rows: list[Elements] = []

    def known(self) -> NoReturn:
        """Refuse: the elements are not compared in each call."""
        raise self.session.refusal("the numbers of a traced tensor decide what happens next")

    def present(self) -> NoReturn:
        """Refuse, as `known`."""
        self.known()

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape."""
        return tuple(self.tensor.shape[len(self.place) :])

    def fixed(self) -> Any:
        """Return a list of whole numbers as a part of the program, for code that does not keep it."""
        if self.kind is not list or self.tensor.dtype.numpy.kind not in "iub":
            self.known()
        return self.evaluate(self.session.fixed)

    def read(self) -> Any:
        """Return the same for code that does not write to the list, and hands on what is in it.

        Rows of a list are lists that nothing writes to either: each is one object, which the list holds, too.
        """
        if len(self.shape) < 2:
            return self.fixed()
        if not self.rows:
            places = ((*self.place, n) for n in range(self.shape[0]))
            self.rows += (Elements(self.session, list, self.tensor, self.function, at) for at in places)
        return [*self.rows]

    def with_rows(self) -> Iterator[Any]:
        """Yield the list and what it holds of other ones, as far as it was asked for."""
        yield self
        for row in self.rows:
            yield from row.with_rows()

    def outline(self) -> np.ndarray:
        """Return an array of the same shape and dtype."""
        return np.broadcast_to(np.zeros((), self.tensor.dtype.numpy), self.tensor.shape)

    def evaluate(self, tensor: Callable[[Any], Any]) -> Any:
        """Take the elements out of the tensor."""
        given = tensor(self.tensor)
        return self.function(given[self.place] if self.place else given)


class Counter(Deferred):
    """A number that the call finds in a place which it writes to: what each call finds there."""

    __slots__ = ("guard", "name")
    is_early = True

    def __init__(self, session: Any, name: Any, guard: Any) -> None:
        super().__init__(session, type(guard.value))
        self.name = name
        self.guard = guard

    def known(self) -> Any:
        """Let the number be a part of the program, and guard it."""
        self.session.fix(self.name, self.guard)
        return self.guard.value

    def present(self) -> Any:
        return self.guard.value

    def evaluate(self, tensor: Callable[[Any], Any]) -> Any:
        """Read the place. What is no such number now may change as it is added to: it is left alone."""
        found = self.guard.read(self.guard.container, self.guard.key)
        if type(found) is not self.kind:
            raise TypeError(f"a {self.kind.__name__} was traced, and a {type(found).__name__} is there")
        return found


class Numbers(threading.local):
    """The numbers that the present call is given, by their places among its leaves, and the containers."""

    def __init__(self) -> None:
        self.values: dict[int, Any] = {}
        self.containers: Sequence[Any] = ()


class Argument(Deferred):
    """A number that the function is given: in each call what that is given."""

    __slots__ = ("given", "place", "value")
    is_early = True

    def __init__(self, session: Any, place: int, value: Any, given: Numbers) -> None:
        super().__init__(session, type(value))
        self.place = place
        self.value = value
        self.given = given

    def known(self) -> Any:
        self.session.knowledge.decisive.add(self.place)
        return self.value

    def present(self) -> Any:
        return self.value

    def evaluate(self, tensor: Callable[[Any], Any]) -> Any:
        """Read what the call is given; a number that is a part of the program is what it was."""
        return self.given.values.get(self.place, self.value)


class GivenArray(Argument):
    """An array of NumPy's that the function is given: in each call the one that it is given then.

    A tensor may get its memory, and its shape and dtype are guarded. What NumPy computes of it is refused, as
    the program may write to that memory by another tensor.
    """

    __slots__ = ()

    @staticmethod
    def fits(value: Any) -> bool:
        """Return whether a tensor can have the memory of a value."""
        taken = type(value) is np.ndarray and value.dtype.char in TAKEN and value.dtype.isnative
        return taken and value.ndim > 0 and value.flags.carray

    @staticmethod
    def kind_of(value: Any) -> tuple[Any, ...]:
        """Return what guards compare of an argument that was such an array when it was traced."""
        if type(value) is not np.ndarray:
            return type(value), None, None
        return value.shape, value.dtype, value.flags.carray

    def known(self) -> NoReturn:
        """Refuse: the elements are not compared in each call."""
        raise self.session.refusal("it reads an array of NumPy's")


class Applied(Deferred):
    """A function without effects of other values, some of them deferred."""

    __slots__ = ("args", "function")

    def __init__(self, session: Any, kind: type, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        super().__init__(session, kind)
        self.function = function
        self.args = args
        for arg in args:
            if isinstance(arg, Deferred) and arg.kind in (list, np.ndarray):
                early = comes_before(arg) or (isinstance(arg, Applied) and arg.function is np.arange)
                if isinstance(arg, GivenArray):
                    early = function is len or arg.known()
                if function not in _ONLY_READ and not (function in _OF_ARRAYS and early):
                    arg.known()
        if function not in _NEVER_RAISE and not self._is_sum():
            if is_given(self):
                session.note(Succeeds(self), (formula(self), "succeeds"))
            else:
                session.may_raise.append(self)

    def _is_sum(self) -> bool:
        """Return whether it adds, multiplies or compares real numbers, which raises no error."""
        return self.function in _OF_NUMBERS and all(
            (a.kind if isinstance(a, Deferred) else type(a)) in (bool, int, float) for a in self.args
        )

    def parts(self) -> Iterator[Any]:
        """Return the arguments."""
        return (arg for arg in self.args if isinstance(arg, Deferred))

    def known(self) -> Any:
        """Return the number as a part of the program. Where it is known before the program runs, calls
        compare it rather than what it is computed from: ``n % 5 == 0`` has two programs, whatever n is.
        """
        if not comes_before(self):
            return super().known()
        found = self.present()
        if type(found) in SCALARS:
            self.session.note(Decides(self, found), (formula(self), "decides"))
            return found
        return self.function(*(a.known() if isinstance(a, Deferred) else a for a in self.args))

    def present(self) -> Any:
        return self.function(*(a.present() if isinstance(a, Deferred) else a for a in self.args))

    def evaluate(self, tensor: Callable[[Any], Any]) -> Any:
        """Apply the function."""
        return self.function(*(a.evaluate(tensor) if isinstance(a, Deferred) else a for a in self.args))


def formula(value: Any) -> tuple[Any, ...]:
    """Return what two numbers have in common that are worked out alike, so that a call does it once: one
    token of a decoder with two layers compared 40 lengths, and 240 µs went into them.
    """
    if isinstance(value, Applied):
        return (value.function, value.kind, *map(formula, value.args))
    if isinstance(value, Argument):
        return (Argument, value.place)
    return (type(value), value) if type(value) in (bool, int, str, type(None)) else (object, id(value))


def tensors_of(value: Deferred) -> Iterator[Any]:
    """Return the tensors that a deferred value is computed from."""
    if isinstance(value, (Item, Elements)):
        yield value.tensor
    for part in value.parts():
        yield from tensors_of(part)


def comes_before(value: object) -> bool:
    """Return whether a number is known before the program runs: computed from counters and arguments."""
    if isinstance(value, Applied):
        return all(map(comes_before, value.parts()))
    return isinstance(value, Deferred) and value.is_early


def is_drawn_array(value: object) -> bool:
    """Return whether a value is a list or an array whose elements are known before the program runs."""
    return isinstance(value, Deferred) and value.kind in (list, np.ndarray) and comes_before(value)


def is_array(value: Any) -> bool:
    """Return whether a value is an array of NumPy's whose shape is known."""
    return (isinstance(value, Elements) or is_drawn_array(value)) and value.kind is np.ndarray


def is_given(value: object) -> bool:
    """Return whether a number is computed from arguments alone."""
    return all(map(is_given, value.parts())) if isinstance(value, Applied) else isinstance(value, Argument)


class Succeeds(Guard):
    """Say whether a number that is known before the program runs can be worked out; else eager raises."""

    __slots__ = ()

    def __init__(self, value: Deferred) -> None:
        super().__init__(_worked_out, value, None, None)

    def holds(self) -> bool:
        """Work it out."""
        try:
            _worked_out(self.container, None)
        except Exception:  # noqa: BLE001  # eager raises it
            return False
        return True


class Decides(Guard):
    """Say what a number is that is known before the program runs, and decides what the function does."""

    __slots__ = ()

    def __init__(self, value: Deferred, found: Any) -> None:
        super().__init__(_worked_out, value, None, found)

    def holds(self) -> bool:
        """Work it out and compare."""
        try:
            return is_same(_worked_out(self.container, None), self.value)
        except Exception:  # noqa: BLE001  # eager raises it
            return False


class Number:
    """An input of a program: a tensor without axes for a number that is known before the program runs.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the input.
    """

    __slots__ = ("_dtype", "_kind", "_limit", "_value")

    def __init__(self, value: Deferred, dtype: np.dtype[Any]) -> None:
        self._value = value
        self._dtype = dtype
        self._kind = type(value.present())
        # What fills a tensor must not overflow: eager raises, and an operator gives infinity.
        bounded = self._kind in (float, np.float64) and dtype.kind == "f"
        self._limit = float(np.finfo(dtype).max) if bounded else math.inf

    def traced(self) -> Any:
        """Return the number of the call that is traced; None where it does not fit."""
        return self._made(self._value.present())

    def tensor(self) -> Any:
        """Return the number of the present call; None where it is of another type, or does not fit."""
        try:
            return self._made(_worked_out(self._value, None))
        except Exception:  # noqa: BLE001  # eager raises it
            return None

    def _made(self, now: Any) -> Any:
        if type(now) is not self._kind or (self._limit < math.inf and self._limit < abs(now) < math.inf):
            return None
        token = quiet(IGNORE)
        try:
            dtypes.check_number(now)
            return wrap(np.array(now, self._dtype))
        except OverflowError:
            return None
        finally:
            loud(token)


class Memory(Number):
    """An input of a program: a tensor with the memory of an array that the function is given."""

    __slots__ = ()

    def _made(self, now: Any) -> Any:
        return wrap(shared(now)) if GivenArray.fits(now) and now.dtype == self._dtype else None


def _worked_out(value: Deferred, key: None) -> Any:
    return value.evaluate(_no_tensor)


def _no_tensor(value: object) -> Any:
    raise TypeError("a number that comes before the program depends on none of its tensors")


def fixed(value: Any) -> None:
    """Guard a number that is going to be read without being seen."""
    if isinstance(value, Counter):
        value.known()

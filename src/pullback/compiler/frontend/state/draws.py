"""Numbers and arrays drawn from Python's and NumPy's generators: each call draws them anew, in order.

They are drawn when the first of them is asked for, before the program runs, and stay drawn if the call is
done by that program. Where another program does it, or eager code, the generators are put back first, so that
these draw the same numbers.
"""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from .deferred import Decides, Deferred
from .guards import SCALARS
from .session import Session

#: Methods whose results are numbers, given numbers, of Python's generators and of NumPy's.
OF_RANDOM = frozenset({
    "random", "uniform", "randint", "randrange", "gauss", "normalvariate", "lognormvariate", "betavariate",
    "gammavariate", "expovariate", "triangular", "vonmisesvariate", "paretovariate", "weibullvariate",
    "sample",
})  # fmt: skip
_OF_NUMPY = frozenset({
    "rand", "randn", "random", "random_sample", "uniform", "normal", "randint", "integers", "beta", "gamma",
    "exponential", "poisson", "binomial", "standard_normal", "standard_exponential", "triangular",
    "lognormal", "geometric", "laplace", "permutation", "choice",
})  # fmt: skip


def _numpys() -> tuple[type, ...]:
    """Return NumPy's generators; none where its module was not imported, which brings 6 MB (OpenSSL)."""
    module = sys.modules.get("numpy.random")
    return () if module is None else (module.RandomState, module.Generator)


def _state(generator: Any) -> Any:
    if type(generator) is random.Random:
        return generator.getstate()
    if hasattr(generator, "bit_generator"):
        return generator.bit_generator.state
    return generator.get_state(legacy=False)


def _put_back(generator: Any, state: Any) -> None:
    if type(generator) is random.Random:
        generator.setstate(state)
    elif hasattr(generator, "bit_generator"):
        generator.bit_generator.state = state
    else:
        generator.set_state(state)


class Drawn(Deferred):
    """A number that a generator gives."""

    __slots__ = ("_draws", "_place", "_traced", "function", "generator")
    is_early = True

    def __init__(
        self, session: Session, draws: Draws, generator: Any, function: Callable[[], Any], traced: Any
    ) -> None:
        super().__init__(session, type(traced))
        self._draws = draws
        self._place = len(draws.numbers)
        self._traced = traced
        self.generator = generator
        self.function = function

    def known(self) -> Any:
        """Let the number be a part of the program; every call draws another fraction."""
        if self.kind in (float, list, np.ndarray):
            raise self.session.refusal("a number that is drawn decides what happens next")
        self.session.note(Decides(self, self._traced), (id(self), "decides"))
        return self._traced

    def present(self) -> Any:
        """Return what the trace has drawn."""
        return self._traced

    def evaluate(self, tensor: Callable[[Any], Any]) -> Any:
        """Return what the present call draws."""
        return self._draws.of_call(self._place)


class Draws:
    """The draws of a function, in order, and those of the present call of each thread."""

    def __init__(self) -> None:
        self.numbers: list[Drawn] = []
        self._begun: dict[int, tuple[Any, Any]] = {}
        self._call = threading.local()

    def draw(self, session: Session, generator: object, function: Callable[[], Any]) -> Drawn:
        """Draw a number in a trace."""
        self._begun.setdefault(id(generator), (generator, _state(generator)))
        value = function()
        if type(value) not in SCALARS and type(value) not in (list, np.ndarray):
            raise session.refusal("it draws what is neither a number nor an array")
        self.numbers.append(Drawn(session, self, generator, function, value))
        return self.numbers[-1]

    def end_trace(self) -> None:
        """Put the generators back."""
        for generator, state in self._begun.values():
            _put_back(generator, state)
        self._begun.clear()

    def of_call(self, place: int) -> Any:
        """Return a number of the present call."""
        held = self._call.__dict__.get("held")
        return (self._begin() if held is None else held[1])[place]

    def _begin(self) -> list[Any]:
        generators = {id(number.generator): number.generator for number in self.numbers}
        states = [(generator, _state(generator)) for generator in generators.values()]
        values = [number.function() for number in self.numbers]
        self._call.held = states, values
        return values

    def put_back(self) -> None:
        """Put the generators back where the call is not done by this program."""
        held = self._call.__dict__.pop("held", None)
        if held is not None:
            for generator, state in held[0]:
                _put_back(generator, state)

    def keep(self) -> None:
        """End a call that is done."""
        if self._call.__dict__.pop("held", None) is None:
            for number in self.numbers:
                number.function()


def draw(session: Session, f: Any, generator: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a method of a generator draws."""
    values = [*args, *kwargs.values()]
    values += [part for value in values if type(value) is tuple for part in value]
    if any(type(value) not in (*SCALARS, tuple, range) for value in values):
        raise session.refusal("it draws by numbers that are not known")
    if session.draws is None:
        session.draws = Draws()
    return session.draws.draw(session, session.seen(generator), lambda: f(*args, **kwargs))


def is_drawing(kind: type) -> bool:
    """Return whether it is a type of methods of NumPy's generators, which are written in Cython."""
    return any(type(vars(generator)["normal"]) is kind for generator in _numpys())


def draws_a_number(owner: object, name: str) -> bool:
    """Return whether a method that is written in C draws a number."""
    if type(owner) is random.Random:
        return name in OF_RANDOM
    return name in _OF_NUMPY and type(owner) in _numpys()

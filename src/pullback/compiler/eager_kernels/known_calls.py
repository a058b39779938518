"""The native function that does a public call whose like was looked at before (`tensor.known_calls`).

Each public function has a table of plans. A plan says what the arguments are, to the shape, strides and dtype
of each tensor, and what becomes of them: tensors around views of their memory, which are made here, and such
around arrays that a function of Python computes. `transpose` takes 0.3 µs so and 1.8 in Python. For all else
the native function gives None, and Python does the call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...core import facade
from ..emit import python_functions
from ..runtime import engine
from .known_call_arguments import FIRST, OBJECTS, TENSORS, words_of
from .known_call_text import RESULT, TOLD


class Viewed(NamedTuple):
    """Tell a view of a tensor: which, the array that it is, how far into that, and its record."""

    number: int
    array: np.ndarray
    offset: int
    chain: Any
    creation: int


class KnownCalls:
    """The native code, and the tables that it reads.

    Parameters
    ----------
    library : Library or None
        The code (`known_call_text`); None where there is none.
    """

    def __init__(self, library: engine.Library | None) -> None:
        self._library = library
        #: Tables hold addresses of these.
        self._kept: list[Any] = [OBJECTS]

    def function(self, look: Any) -> tuple[Callable[..., Any], np.ndarray] | None:
        """Return a native function that knows no call so far, and its table; it gives `look` when so many
        calls were not known as the table says.
        """
        if self._library is None:
            return None
        words = [0, 0, *map(id, OBJECTS), id(facade.Tensor), id(look)]
        table = np.array(words, np.int64)
        self._kept += [table, look]
        return python_functions.function("known", self._library.address("known"), table), table

    def add(
        self, table: np.ndarray, arguments: tuple[Any, ...], named: dict[str, Any],
        compute: Callable[..., Any] | None, moved: Any, computed: int, results: tuple[Any, ...],
        container: Callable[..., Any] | None, any_history: bool,
    ) -> bool:  # fmt: skip
        """Add a plan to a table; whether it can be told.

        Parameters
        ----------
        table : array
        arguments : tuple
            By place: tensors to be matched, numbers and other objects, and lists or tuples of such.
        named : dict
            The same by name.
        compute : callable or None
            ``compute(*arrays)`` gives what is no view: an array, or a tuple of those.
        moved : (array, sequence) or None
            The one that is computed, and where its elements come from (`array.moved`), which native code
            moves then.
        computed : int
            How many these are.
        results : tuple
            Numbers of tensors, of those among the arguments and then of those that are computed, or what
            tells a `Viewed`.
        container : callable or None
            Makes what is returned from a tuple of results; None: there is one, which is returned.
        any_history : bool
            Whether the history of the tensors does not matter.
        """
        kept: list[Any] = [compute, container]
        told: list[int] = []
        fits = computed <= TENSORS // 2
        for value in arguments:
            fits = fits and words_of(value, told, kept, any_history)
        for name, value in named.items():
            told.append(id(name))
            kept.append(name)
            fits = fits and words_of(value, told, kept, any_history)
        if not fits:
            return False
        made = [word for result in results for word in self._result(result)]
        words = [
            int(table[FIRST]), 0 if compute is None else id(compute), self._moved(moved), computed,
            len(results), 0 if container is None else id(container), TOLD + len(told), len(named), *told,
            *made,
        ]  # fmt: skip
        own = np.array(words, np.int64)
        self._kept += [own, *kept]
        table[FIRST] = own.ctypes.data
        return True

    def _moved(self, moved: Any) -> int:
        """Return where it is written what elements are moved; 0 where none are."""
        if moved is None:
            return 0
        array, sources = moved
        sizes = np.array([*array.shape, *array.strides, 0], np.int64)
        first = sizes.ctypes.data
        words = [id(array.dtype), array.ndim, first, first + 8 * array.ndim, array.size, array.itemsize]
        own = np.array([*words, *(word for source in sources for word in source)], np.int64)
        self._kept += [sizes, own, array.dtype]
        return own.ctypes.data

    def _result(self, result: Any) -> list[int]:
        if type(result) is not tuple:
            return [result, *(0,) * (RESULT - 1)]
        result = Viewed(*result)
        array = result.array
        sizes = np.array([*array.shape, *array.strides, 0], np.int64)
        self._kept += [sizes, array.dtype, result.chain, result.creation]
        first = sizes.ctypes.data
        return [
            result.number, id(array.dtype), array.ndim, first, first + 8 * array.ndim, result.offset,
            id(result.chain), id(result.creation),
        ]  # fmt: skip

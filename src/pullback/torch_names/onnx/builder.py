"""Build a graph of ONNX's nodes: names, constants, sizes that are known when the graph runs."""

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from ..export.sizes import Sizes
from ..export.varying import Varying
from .rules import Unsupported

#: An axis that a slice takes to its end.
END = (1 << 63) - 1
#: What Python makes of sizes: by which nodes, and how the size is found again.
_MADE_OF_SIZES: tuple[tuple[tuple[str, ...], Callable[[float], float]], ...] = (
    (("Reciprocal",), lambda v: 1 / v), (("Sqrt",), lambda v: v * v),
    (("Sqrt", "Reciprocal"), lambda v: 1 / (v * v)),
)  # fmt: skip
_OF_PYTHON = (
    "it needs a number that Python computes of a size: compute it of a tensor, or make the size fixed"
)
_KINDS = {operator.add: "Add", operator.mul: "Mul", operator.floordiv: "Div"}


class Operand(NamedTuple):
    """A value that a node reads: its name, its shape (sizes may be `Varying`) and its dtype."""

    name: str
    shape: tuple[Any, ...]
    dtype: np.dtype[Any]

    @property
    def rank(self) -> int:
        """Return how many axes it has."""
        return len(self.shape)

    @property
    def is_fixed(self) -> bool:
        """Return whether all its sizes are numbers."""
        return not any(isinstance(n, Varying) for n in self.shape)


class Graph:
    """Nodes and constants, by ONNX's package and the version of its ops.

    `results` are shapes and dtypes of the op that is being told; `made_by` has, of a value that is another
    one transposed, its kind and that value's name.
    """

    def __init__(self, onnx: Any, opset: int) -> None:
        self.onnx = onnx
        self.opset = opset
        self.nodes: list[Any] = []
        self.arrays: dict[str, ndarray] = {}
        self.results: list[tuple[tuple[Any, ...], np.dtype[Any]]] = []
        self.made_by: dict[str, tuple[str, str]] = {}
        self.prefix = ""
        self._known = Sizes()
        self._sizes: dict[tuple[Any, ...], str] = {}
        self._constants: dict[tuple[Any, ...], str] = {}
        self._numbers = itertools.count()

    # --- nodes ----------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[Any, ...]:
        """Return the shape of the first result."""
        return self.results[0][0]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the dtype of the first result."""
        return self.results[0][1]

    def fresh(self, hint: str) -> str:
        """Return a new name."""
        return f"{self.prefix}{hint}_{next(self._numbers)}"

    def node(self, kind: str, *inputs: Any, outputs: int = 1, **attrs: Any) -> Any:
        """Add a node; return the names of its outputs: one, or a tuple of several."""
        names = [self.fresh(kind) for _ in range(outputs)]
        given = ["" if x is None else x if isinstance(x, str) else x.name for x in inputs]
        while given and not given[-1]:
            given.pop()
        attrs = {k: v for k, v in attrs.items() if v is not None}
        if any(isinstance(v, Varying) or (isinstance(v, list) and any(isinstance(n, Varying) for n in v))
               for v in attrs.values()):  # fmt: skip
            raise Unsupported("it needs a number that is the same in all calls, and is given one that is not")
        self.nodes.append(self.onnx.helper.make_node(kind, given, names, name=names[0], **attrs))
        return names[0] if outputs == 1 else tuple(names)

    def constant(self, value: Any, dtype: Any = None) -> str:
        """Return the name of a constant."""
        if isinstance(value, Varying):
            raise Unsupported(_OF_PYTHON)
        array = np.asarray(value, dtype)
        key = (array.dtype.str, str(array.dtype), array.shape, array.tobytes())
        if key not in self._constants:
            name = self._constants[key] = self.fresh("constant")
            self.arrays[name] = array
        return self._constants[key]

    def ints(self, numbers: Iterable[int]) -> str:
        """Return a vector of integers."""
        return self.constant([*numbers], np.int64)

    def value(self, x: Any, dtype: np.dtype[Any]) -> str:
        """Return an operand or a number as a value of a dtype."""
        if isinstance(x, Operand):
            return self.cast(x.name, x.dtype, dtype)
        return self._varying(x, dtype) if isinstance(x, Varying) else self.constant(x, dtype)

    def _varying(self, x: Varying, dtype: np.dtype[Any]) -> str:
        """Return a number that varies: a size, or what Python makes of one, 1/n, √n or 1/√n."""
        if all(int(v) == v for v in x.values):
            return self.cast(self.scalar(Varying(tuple(map(int, x.values)))), np.dtype(np.int64), dtype)
        for kinds, back in _MADE_OF_SIZES:
            sizes = tuple(round(back(v)) for v in x.values)
            if all(math.isclose(back(v), n, rel_tol=1e-12) for v, n in zip(x.values, sizes, strict=True)):
                found = self.value(Varying(sizes), dtype)
                for kind in kinds:
                    found = str(self.node(kind, found))
                return found
        raise Unsupported(_OF_PYTHON)

    def cast(self, name: str, before: np.dtype[Any], dtype: np.dtype[Any]) -> str:
        """Return a value in a dtype."""
        return name if before == dtype else str(self.node("Cast", name, to=self.kind(dtype)))

    def kind(self, dtype: np.dtype[Any]) -> int:
        """Return ONNX's number of a dtype."""
        if dtype.kind in "cW":
            raise Unsupported("ONNX computes nothing with complex numbers")
        return int(self.onnx.helper.np_dtype_to_tensor_dtype(dtype))

    def array(self, x: Any) -> ndarray | None:
        """Return the numbers of an operand that is a constant; None of others."""
        return self.arrays.get(x.name) if isinstance(x, Operand) else None

    # --- sizes ----------------------------------------------------------------------------------------------

    def register(self, name: str, shape: Sequence[Any]) -> None:
        """Remember where sizes stand that are not known yet."""
        for axis, n in enumerate(shape):
            if isinstance(n, Varying):
                self._known.register(name, axis, n.values)

    def number(self, value: Any) -> int:
        """Return a number that must not vary."""
        if isinstance(value, Varying):
            raise Unsupported("it needs a size that is the same in all calls, and is given one that is not")
        return value

    def numbers(self, values: Iterable[Any]) -> list[int]:
        """Return numbers that must not vary."""
        return [self.number(v) for v in values]

    def sizes(self, shape: Sequence[Any]) -> str:
        """Return a vector of sizes."""
        if not any(isinstance(n, Varying) for n in shape):
            return self.ints(shape)
        parts = [self.size(n) for n in shape]
        return parts[0] if len(parts) == 1 else str(self.node("Concat", *parts, axis=0))

    def reshaped(self, x: Any, shape: Sequence[Any]) -> str:
        """Return a value in a shape."""
        if sum(isinstance(n, Varying) for n in shape) == 1:
            shape = [-1 if isinstance(n, Varying) else n for n in shape]
        return str(self.node("Reshape", x, self.sizes(shape)))

    def scalar(self, n: Any) -> str:
        """Return a size as a value without axes."""
        if not isinstance(n, Varying):
            return self.constant(n, np.int64)
        return str(self.node("Squeeze", self.size(n), self.ints([0])))

    def size(self, n: Any) -> str:
        """Return a size as a vector of one element.

        Raises
        ------
        Unsupported
            How it follows from the sizes of the inputs is not clear.
        """
        if not isinstance(n, Varying):
            return self.ints([n])
        if (formula := self._known.formula(n.values)) is None:
            raise Unsupported(
                f"it needs a size ({n.values[0]}) that is no clear function of the sizes of the inputs"
            )
        return str(formula.told(self._size_of, self._combined))

    def _size_of(self, name: str, axis: int) -> str:
        key = name, axis
        if key not in self._sizes:
            self._sizes[key] = self.node("Gather", self.node("Shape", name), self.ints([axis]), axis=0)
        return self._sizes[key]

    def _combined(self, how: Any, a: Any, b: Any) -> str:
        key = how, a, b
        if key not in self._sizes:
            parts = [self.ints([v]) if isinstance(v, int) else v for v in (a, b)]
            self._sizes[key] = self.node(_KINDS[how], *parts)
        return self._sizes[key]

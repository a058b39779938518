"""Record the ops of a call on tensors without elements, as a function of arrays that runs their kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from types import CodeType
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.elementwise import apply
from ...array.layout import fresh, write
from ...array.probes import MOST
from ...array.quiet import IGNORE, loud, quiet
from ...array.strides import strides_of
from ...core.batched import mappings
from ...core.calls import F32, F64, LEAST, runs_at_once
from ...core.calls import MOST as LARGEST
from ...core.data_shaped import DataShaped
from ...core.levels import META
from ...core.meta import Meta, array_or_phantom
from ...core.op import Op
from ...core.saved import parameter_names
from ...core.value import TensorBase, wrap
from ...ops.random import DRAWS
from .draws import Stand
from .nodes import Unplanned


class Layout(Meta):
    """Layout of an argument, without elements; it notes the ops that run on it."""

    __slots__ = ("name", "notes")

    notes: Notes
    name: str

    def note_look(self, look: Callable[[ndarray], None]) -> None:
        """Note a look at elements, which raises for those that are refused."""
        self.notes.add_look(look, self.name)

    def made_of(self, compute: Callable[[ndarray], ndarray]) -> Any:
        """Note what a function makes of the elements."""
        return self.notes.unknown(f"{self.notes._told(compute)}({self.name})")

    @classmethod
    def run(cls, op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...], level: int) -> Any:
        """Note the op, and give what its results are."""
        notes = next(v.notes for v in inputs if isinstance(v, Layout))
        inputs = tuple([notes.as_layout(v) for v in inputs])
        try:
            result = Meta.run(op, inputs, attrs, level)
        except DataShaped:
            result = (None,) * len(op.outputs) if len(op.outputs) > 1 else None
        return notes.add(op, inputs, attrs, result)


class Unknown(Layout):
    """Stand for a result whose shape depends on elements: it has no attributes, so that nothing but the call
    itself can give it.
    """

    __slots__ = ()

    def __init__(self, notes: Notes, name: str) -> None:
        self.notes, self.name = notes, name


#: Elements of an array that a function makes of its numbers, at most: a plan keeps it.
_HELD = 1 << 10


@lru_cache(maxsize=256)
def _code_of(text: str) -> CodeType:
    """Return the code of a function's text; calls of another shape have the same."""
    return compile(text, "<inline cache>", "exec")


class Notes:
    """Collect the ops of a call as lines of a function of arrays."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {"quiet": quiet, "loud": loud, "IGNORE": IGNORE, "fresh": fresh}
        self.count = 0
        #: The op that was noted last, its inputs and attributes.
        self._last: Any = None
        #: Whether elements are looked at, to be refused.
        self.looks = False
        #: Whether the shape of a result depends on elements: no loops of NumPy's can be recorded then.
        self.is_data_shaped = False
        #: Whether no result that is computed has a history, whatever the arguments have.
        self.any_history = True
        #: The streams that are drawn from, and whether what comes with a draw or behind it may fail.
        self.streams: list[Any] = []
        self._may_fail = False
        #: The names of floats that change, and of what they are with the other sign.
        self._changing: dict[object, str] = {}

    def layout(self, shape: Sequence[int], dtype: Any, strides: Any, memory: Any = None, at: int = 0) -> Any:
        made = Layout(shape, dtype, strides, memory, at)
        made.notes, made.name = self, f"v{self.count}"
        self.count += 1
        return made

    def add_number(self, layout: Layout, value: float, dtype: np.dtype[Any]) -> None:
        """Note a number that changes: what is equal to it now is taken for it."""
        name = f"n{layout.name}"
        self.lines.append(f"{name} = {layout.name}.astype({self._told(dtype)})")
        self._changing[value] = name
        self._changing.setdefault(-value, f"-{name}")

    def drawn_for(self, tensor: Any) -> Any:
        """Return what stands for a tensor that is drawn for: a noted one, or an array laid out alike."""
        if isinstance(tensor._value, Layout):
            return tensor
        array = array_or_phantom(tensor)
        if array is None or array.size > MOST:
            raise Unplanned
        whole = np.empty(array.shape, array.dtype) if 0 in array.strides else array
        return wrap(self._held(whole), None, META)

    def as_layout(self, value: object) -> object:
        """Return what stands for a tensor the function makes of its numbers; other values as they are."""
        if not isinstance(value, TensorBase):
            return value
        array = value._value
        if type(array) is not ndarray or not array.ndim:
            return value
        if array.size > _HELD or value._node is not None:
            raise Unplanned
        return self._held(array)

    def _held(self, array: ndarray) -> Layout:
        layout: Layout = self.layout(array.shape, array.dtype, strides_of(array))
        layout.name = self._told(array)
        return layout

    def add(self, op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...], result: Any) -> Any:
        if op.exchanges or any(type(v) in (list, dict, set) for v in attrs):
            raise Unplanned
        if op.draws:
            self.streams.append(attrs[-1])
        fills = op.name in DRAWS and len(inputs) == 1
        self._may_fail |= bool(self.streams) and op.kind != "elementwise" and not fills
        self.any_history &= not op.derivable and not op.is_view
        given = [self._told(v) for v in inputs]
        ends = [self._told(v) for v in attrs]
        arrays = [v for v in inputs if isinstance(v, Meta)]
        at_once = runs_at_once(op, [v.phantom() for v in arrays]) and len(arrays) == len(inputs)
        together = f"({''.join(f'{name}, ' for name in given)})"
        if op.variadic:
            given = [together]
        if op.kind == "elementwise" and not op.many and not op.is_view:
            call = f"{self._told(op.call)}({', '.join([*given, *ends])})"
        elif op.is_view or at_once:
            call = f"{self._told(op.kernel)}({', '.join([*given, *ends])})"
        else:
            call = f"{self._told(op.evaluate)}({together}, ({''.join(f'{end}, ' for end in ends)}))"
        parts = result if isinstance(result, tuple) else (result,)
        made = tuple([
            self._unknown() if r is None else self.layout(r.shape, r.dtype, r.strides, r.memory, r.offset)
            for r in parts
        ])
        names = ", ".join(part.name for part in made)
        self.lines.append(f"{names}{',' * isinstance(result, tuple)} = {call}")
        self._last = op, inputs, attrs
        return made if isinstance(result, tuple) else made[0]

    def _unknown(self) -> Unknown:
        self.is_data_shaped = True
        self.count += 1
        return Unknown(self, f"v{self.count - 1}")

    def unknown(self, call: str) -> Unknown:
        """Note a call whose result has a shape that depends on elements."""
        made = self._unknown()
        self.lines.append(f"{made.name} = {call}")
        return made

    def add_look(self, look: Callable[[ndarray], None], name: str) -> None:
        """Note a look at the elements of a value."""
        self._may_fail |= bool(self.streams)
        self.lines.append(f"{self._told(look)}({name})")
        self.looks = True

    def _told(self, value: Any) -> str:
        """Return the name of a value in the function."""
        if isinstance(value, Layout) and value.notes is self:
            return value.name
        if isinstance(value, Meta):
            raise Unplanned
        if type(value) is float and value in self._changing:
            return self._changing[value]
        if isinstance(value, TensorBase):
            value = value._value
            if type(value) is not ndarray or value.ndim:
                raise Unplanned
        name = f"c{len(self.names)}"
        self.names[name] = value
        return name

    def constant(self, value: ndarray) -> str:
        """Note a copy of an array."""
        name = self._told(value.copy(order="K"))
        self.lines.append(f"k{name} = fresh({name})")
        return f"k{name}"

    def copied_first(self, layout: Layout) -> str:
        """Return the name of a copy of an argument, which is made before anything is written to it."""
        name = f"b{layout.name}"
        self.lines.insert(0, f"{name} = {layout.name}.copy()")
        return name

    def write(self, target: Layout, source: Layout) -> None:
        """Note a copy of elements to an argument. The only op of a call writes them there itself if it can:
        what is added to 16,384 numbers takes 11 µs with a copy, and 3 so.
        """
        if len(self.lines) == 1 and self._last is not None and self._writes_itself(target):
            op, inputs, attrs = self._last
            apart = op.parallel and prod(target.shape) >= op.worth_asking
            given = [*([self._told(op.kernel)] if apart else []), *map(self._told, (*inputs, *attrs))]
            call = self._told(apply if apart else op.kernel)
            self.lines = [f"{call}({', '.join(given)}, out={target.name})"]
            return
        self.names["write"] = write
        self.lines.append(f"write({target.name}, {source.name})")

    def _writes_itself(self, target: Layout) -> bool:
        """Return whether the last op's kernel takes its inputs as they are and writes to one of them."""
        op, inputs, _ = self._last
        arrays = [v for v in inputs if isinstance(v, Layout)]
        numbers = [v for v in inputs if not isinstance(v, Layout)]
        if op.kind == "elementwise":
            alike = isinstance(op.kernel, np.ufunc) or all(v.shape == target.shape for v in arrays)
            writes = alike and not op.many and len(op.outputs) == 1
        else:  # a copy, or what fills
            writes = not isinstance(op.kernel, np.ufunc) and "out" in parameter_names(op.kernel)
        return (
            writes and not op.is_view and target in arrays
            and runs_at_once(op, [v.phantom() for v in arrays])
            and (not numbers or target.dtype in (F32, F64))
            and all(type(v) is float or (type(v) is int and LEAST <= v <= LARGEST) for v in numbers)
        )  # fmt: skip

    def function(self, given: Sequence[str], results: Sequence[str]) -> Callable[..., Any]:
        """Return what computes some results."""
        body = "\n".join(f"        {line}" for line in self.lines or ["pass"])
        before = failed = ""
        if self.streams:
            # A draw inside `vmap` is left to Python, which draws for all rows.
            before = "    if mappings():\n        raise Unplanned\n"
            self.names |= {"mappings": mappings.get, "Unplanned": Unplanned}
        if self._may_fail:  # Python then does the call, and draws again what was drawn
            before += "    stand = Stand(streams)\n"
            failed = "    except BaseException:\n        stand.restore_alone()\n        raise\n"
            self.names |= {"Stand": Stand, "streams": list(dict.fromkeys(self.streams))}
        text = (
            f"def compute({', '.join(given)}):\n{before}    token = quiet(IGNORE)\n    try:\n{body}\n"
            f"{failed}    finally:\n        loud(token)\n    return {', '.join(results)}\n"
        )
        exec(_code_of(text), self.names)
        found: Any = self.names["compute"]
        found.is_data_shaped = self.is_data_shaped
        return found

"""Say where each cell's tensor is in a call, and what native code is to find there (`specialised_call`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from ...core.hooks import leaves_hooked
from ...core.node import LEAF
from ...core.value import TensorBase
from ..frontend.captured import Captured
from ..frontend.state.guards import dict_of
from . import native_call
from . import native_specification as words
from .guards import Places, tensor_record
from .specialised_source import Source, tuple_text

#: Bytes of the widest element that native code copies at once.
_WIDEST = 8


class Cells:
    """The tensors that a program is given, as the function of a call finds and checks them.

    `source` gets the lines that find tensors and compare what native code does not. `leaves` are those of the
    arguments at the trace, with their `expressions`, `tensors` those of the cells then. `items` and `extras`
    are those of the tuples that native code is given, and `places` say where tensors lie that every call is
    given.
    """

    def __init__(
        self, captured: Captured, source: Source, leaves: Sequence[Any], expressions: Sequence[str],
        tensors: Sequence[Any],
    ) -> None:  # fmt: skip
        self._captured, self._source, self._tensors = captured, source, tensors
        self._keep: list[Any] = [*leaves, *tensors, *captured.met]
        self._written = {at for at, _ in captured.writes}.union(captured.copied)
        #: The cells whose type is compared before native code compares it.
        self._asked: set[int] = set()
        #: The expressions of the cells' tensors.
        self.texts: list[str] = []
        arguments, places = self._arguments(leaves, expressions)
        records = self._found(arguments)
        self._compare_grads()
        fixed = [id(t) for t in captured.met]
        #: Fields of a specification.
        self.parts: dict[str, Any] = {
            "cells": len(captured.cells), "cells_at": records, "arguments": len(places),
            "arguments_at": [word for pair in places for word in pair], "fixed": len(fixed),
            "fixed_at": fixed, **self._memory(), **self._scattered(),
        }  # fmt: skip
        source.names["keep_cells"] = self._keep
        self._compare_hooks()
        for at, names in captured.unset.items():
            self._compare_type(at)
            source.names["dict_of"] = dict_of
            source.unless(f"{source.name('names', names)}.isdisjoint(dict_of({self.texts[at]}, None))")

    def _arguments(
        self, leaves: Sequence[Any], expressions: Sequence[str]
    ) -> tuple[list[tuple[int, str]], list[tuple[int, int]]]:
        """Return the place and text of each tensor given, and for each place which of them is there."""
        flat = all(e == f"args[{n}]" for n, e in enumerate(expressions))
        given = [
            (n, t, e) for n, (t, e) in enumerate(zip(leaves, expressions, strict=True))
            if isinstance(t, TensorBase)
        ]  # fmt: skip
        self.items = "args" if flat else tuple_text(e for _, _, e in given)
        arguments: list[tuple[int, str]] = []
        places: list[tuple[int, int]] = []
        unique: dict[int, int] = {}
        for item, (n, t, e) in enumerate(given):
            first = unique.setdefault(id(t), len(unique))
            place = n if flat else item
            places.append((place, first))
            if first == len(arguments):
                arguments.append((place, e))
        return arguments, places

    def _found(self, arguments: Sequence[tuple[int, str]]) -> list[int]:
        """Write what finds the tensors, and return the words that say what they are to be."""
        captured, source = self._captured, self._source
        records: list[int] = []
        extras: list[str] = []
        for n, (cell, t) in enumerate(zip(captured.cells, self._tensors, strict=True)):
            if cell.kind == "argument":
                kind, (place, expression) = words.ARGUMENT, arguments[cell.where]
            elif cell.kind == "fixed":
                kind, place, expression = words.FIXED, id(t), source.name("t", t)
            else:
                kind, place, expression = words.EXTRA, len(extras), f"g{n}"
                extras.append(expression)
                if cell.kind != "grad":
                    how = source.name("found", cell.where.tensor if cell.kind == "number" else cell.now)
                    source.line(f"{expression} = {how}()")
                    source.unless(f"{expression} is not None")
            self.texts.append(expression)
            node = id(None) if t._node is None else id(LEAF) if t._node is LEAF else words.INNER_NODE
            if cell.kind in ("grad", "number"):
                node = words.ANY_NODE
            records += tensor_record(kind, place, t, node, n in self._written, self._keep)
        self.extras = tuple_text(extras)
        return records

    def _compare_grads(self) -> None:
        """Find tensors that are gradients, and compare what is there, and where, with the trace."""
        captured, source = self._captured, self._source
        waiting = [n for n, cell in enumerate(captured.cells) if cell.kind == "grad"]
        for n in waiting:
            self._compare_type(captured.cells[n].where)
            source.line(f"{self.texts[n]} = {self.texts[captured.cells[n].where]}._grad")
        if any(cell.kind == "place" for cell in captured.cells):
            # What stands in a place is none of the others.
            found = [self.texts[n] for n, cell in enumerate(captured.cells) if cell.kind != "fixed"]
            fixed = zip(captured.cells, self._tensors, strict=True)
            source.names["known"] = {id(t) for cell, t in fixed if cell.kind == "fixed"}
            source.line(f"found = {{{', '.join(f'id({name})' for name in found)}}}")
            source.unless(f"len(found) == {len(found)} and known.isdisjoint(found)")
        for at in captured.grad_absent:
            self._compare_type(at)
            source.unless(f"{self.texts[at]}._grad is None")
        for at in set(captured.grad_present) - {captured.cells[n].where for n in waiting}:
            self._compare_type(at)
            source.unless(f"{self.texts[at]}._grad is not None")

    def _compare_type(self, at: int) -> None:
        """Compare the type of what a call finds, once, before anything asks it for what a tensor has."""
        if self._captured.cells[at].kind != "fixed" and at not in self._asked:
            self._asked.add(at)
            kind = self._source.name("kind", type(self._tensors[at]))
            self._source.unless(f"type({self.texts[at]}) is {kind}")

    def _memory(self) -> dict[str, Any]:
        """Return the fields that say what is written, and what must not lie in its memory: anything else that
        the program is given.
        """
        cells, written = self._captured.cells, self._written
        sizes = [end - begin for begin, end in (byte_bounds(t._value) for t in self._tensors)]
        self.places = Places(
            [(n + 1, sizes[n], n in written) for n, cell in enumerate(cells) if cell.kind == "fixed"]
        )
        # What lies elsewhere in each call may come to lie in what does not, too.
        loose = any(cells[at].kind != "fixed" for at in written)
        others = [
            (n + 1, sizes[n]) for n, cell in enumerate(cells)
            if written and (cell.kind != "fixed" or (loose and n not in written))
        ]  # fmt: skip
        return {
            **self.places.parts(), "written": len(written),
            "written_at": [word for at in sorted(written) for word in (1 + at, sizes[at])],
            "others": len(others), "others_at": [word for pair in others for word in pair],
        }  # fmt: skip

    def _scattered(self) -> dict[str, Any]:
        """Return the fields that say which tensors do not lie in C order, and where a program finds them."""
        records: list[int] = []
        for n, t in enumerate(self._tensors):
            value = t._value
            if value.flags.c_contiguous:
                continue
            width = min(value.itemsize, _WIDEST)
            memory = np.empty(value.shape, value.dtype)
            axes: list[tuple[int, int]] = []
            # A wider element is an axis of them.
            wide = value.itemsize // width, width
            for size, stride in (*zip(value.shape, value.strides, strict=True), wide):
                if axes and axes[-1][1] == size * stride:
                    axes[-1] = axes[-1][0] * size, stride
                elif size > 1:
                    axes.append((size, stride))
            shape, strides = np.array(axes, np.int64).T.copy()
            self._keep += [memory, shape, strides]
            to, *at = (int(array.ctypes.data) for array in (memory, shape, strides))
            records += [n + 1, to, len(axes), *at, width, n in self._written, 0]
        if not records:
            return {}
        copying = native_call.copying()
        return {
            "scattered": len(records) // native_call.SCATTERED_WORDS, "scattered_at": records,
            "gather": copying.address("gather"), "scatter": copying.address("scatter"),
        }  # fmt: skip

    def _compare_hooks(self) -> None:
        """Compare the hooks of leaves: what backward inside the function leaves there goes through them."""
        captured, source = self._captured, self._source
        for at in captured.accumulated:
            self._compare_type(at)
        bare = [
            f"{self.texts[at]}._leaf_hooks is None" for at in captured.accumulated
            if at not in captured.hooked
        ]  # fmt: skip
        for at, (hooks, kind) in captured.hooked.items():
            name, known = source.name("hooks", hooks), source.name("kind", kind)
            source.unless(f"{self.texts[at]}._leaf_hooks is {name} and {name}.on_leaf() == {known}")
        if len(bare) == 1 or any(captured.cells[at].kind != "fixed" for at in captured.accumulated):
            for condition in bare:
                source.unless(condition)
        elif bare:
            # Ten leaves take 0.2 µs to ask.
            source.names |= {"hooked": leaves_hooked, "seen": [None]}
            source.line("if hooked[0] is not seen[0]:")
            source.line(f"if not ({' and '.join(bare)}): return MISS", 2)
            source.line("seen[0] = hooked[0]", 2)

"""Find out what in a program follows from the sizes of its inputs, by tracing it at several sizes.

A traced program holds numbers: ``view(x, (2, 64, 8))`` does not say that the 2 is the batch. Traces of the
same model at three sizes say it: where all three hold the same number it is fixed, and where they differ the
number is a `Varying`, to be told in terms of sizes that are known when the program runs.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from ...core.recorder import Equation
from ...core.value import array_of, wrap
from ...errors import with_note
from .example_trace import Example

#: Traces that are compared.
TRACES = 3


class Varying(NamedTuple):
    """A number that is another one in each trace."""

    values: tuple[Any, ...]


def varying_in(value: Any) -> list[Varying]:
    """Return the numbers that vary in nested tuples and lists."""
    if isinstance(value, Varying):
        return [value]
    return [n for item in value for n in varying_in(item)] if isinstance(value, (tuple, list)) else []


class Unclear(ValueError):
    """Raised where it is not clear how a constant goes on for other sizes."""


class VaryingArray(NamedTuple):
    """A constant that is another array in each trace."""

    arrays: tuple[ndarray, ...]

    @property
    def progression(self) -> tuple[Any, Any]:
        """Return the first number and the distance of the next, each of which may be `Varying`.

        An array of one number, of any shape, is at distance 0. Raises `Unclear` where distances are not
        equal.
        """
        if (found := self._distances()) is None:
            raise Unclear(
                f"a tensor of shape {list(self.arrays[0].shape)} is other numbers for other sizes; pullback "
                "knows of constants and ranges (torch.arange, torch.zeros) how they go on"
            )
        return found

    def _distances(self) -> tuple[Any, Any] | None:
        if not all(a.size for a in self.arrays):
            return None
        starts = tuple(a.flat[0].item() for a in self.arrays)
        if all((a == a.flat[0]).all() for a in self.arrays):
            return _merged(starts), 0
        if any(a.ndim != 1 or a.size < 2 or a.dtype.kind not in "iuf" for a in self.arrays):
            return None
        steps = tuple((a[-1].item() - a[0].item()) / (a.size - 1) for a in self.arrays)
        for array, start, step in zip(self.arrays, starts, steps, strict=True):
            if not np.allclose(array, start + step * np.arange(array.size), rtol=1e-6, atol=1e-6):
                return None
        whole = self.arrays[0].dtype.kind in "iu"
        return _merged(starts), _merged([int(step) if whole else step for step in steps])


class Family(NamedTuple):
    """A program with what varies in it."""

    example: Example  # the first trace
    equations: list[Equation]  # attributes, and operands that are numbers, may be `Varying`
    shapes: list[tuple[Any, ...]]  # of every value; sizes may be `Varying`
    constants: dict[int, Any]  # arrays, and each `VaryingArray`
    traces: list[Example]  # all of them


class Different(Exception):
    """Two traces are not the same program."""


def fixed(example: Example) -> Family:
    """Return a program of which nothing varies."""
    program = example.program
    return Family(example, [*program.equations], [*program.shapes], {**program.constants}, [example])


def compared(examples: Sequence[Example]) -> Family:
    """Return what traces have in common, and what varies; raise `Different` where their operations do."""
    programs = [e.program for e in examples]
    first = programs[0]
    if any(len(p.shapes) != len(first.shapes) or len(p.inputs) != len(first.inputs) for p in programs):
        raise Different(_where(examples))
    if any(p.outputs != first.outputs or p.constants.keys() != first.constants.keys() for p in programs):
        raise Different(_where(examples))
    equations = []
    for group in zip(*(p.equations for p in programs), strict=True):
        one = group[0]
        if any(e.op != one.op or e.outputs != one.outputs for e in group):
            raise Different(_where(examples))
        operands = _merged([e.operands for e in group])
        attrs = _merged([e.attrs for e in group])
        equations.append(one._replace(operands=operands, attrs=attrs))
    shapes = [_merged(list(group)) for group in zip(*(p.shapes for p in programs), strict=True)]
    constants: dict[int, Any] = {}
    for number, array in first.constants.items():
        arrays = [p.constants[number] for p in programs]
        same = all(np.array_equal(a, array, equal_nan=a.dtype.kind in "fc") for a in arrays)
        constants[number] = array if same else VaryingArray(tuple(arrays))
    return Family(examples[0], equations, shapes, constants, [*examples])


def _where(examples: Sequence[Example]) -> str:
    """Say where traces part."""
    first = examples[0]
    for other in examples[1:]:
        for a, b in zip(first.program.equations, other.program.equations, strict=False):
            if a.op != b.op or a.outputs != b.outputs:
                line = first.lines.get(a.outputs[0])
                place = "" if line is None else f" at {line[0]}:{line[1]}, in {line[2]}"
                return f"{a.op} for one size and {b.op} for another{place}"
    return "more operations for one size than for another"


def _merged(values: Sequence[Any]) -> Any:
    """Return what stands for a value in all traces."""
    first = values[0]
    if isinstance(first, tuple) and all(
        isinstance(v, tuple) and type(v) is type(first) and len(v) == len(first) for v in values
    ):
        parts = [_merged(group) for group in zip(*values, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
    if isinstance(first, ndarray):
        return first
    if all(type(v) is type(first) for v in values):
        if all(v is first or v == first or (v != v and first != first) for v in values):
            return first
        if type(first) in (int, float):
            return Varying(tuple(values))
    raise Different(f"{values[0]!r} for one size and {values[1]!r} for another")


# --- the sizes that are tried -------------------------------------------------------------------------------

Sizes = dict[str, tuple[int, ...]]

#: Sizes below this one are taken to be those of batches.
_SMALL = 8


def families(base: Mapping[str, int]) -> list[Sizes]:
    """Return the sizes of each dimension that are tried, one choice after the other.

    The examples' sizes come first, as long as that does; of size 1 a model may do something else than of all
    others. Some models need multiples (images of whole patches), some have a largest size.
    """
    places = {name: k for k, name in enumerate(base)}

    def chosen(sizes: Callable[[int, int], tuple[int, ...]]) -> Sizes:
        return {name: sizes(n, places[name]) for name, n in base.items()}

    def longer(n: int, k: int) -> tuple[int, ...]:
        return n, n + 3 + 2 * k, n + 10 + 3 * k

    def multiples(n: int, k: int) -> tuple[int, ...]:
        return n, n * (2 + k % 3), n * (4 + k % 3 + k)

    return [
        chosen(longer),
        chosen(lambda n, k: longer(n, k) if n < _SMALL else multiples(n, k)),
        chosen(multiples),
        chosen(lambda n, k: (n, max(n - 1 - k % 2, 1), max(n - 3 - k, 2))),
        chosen(lambda n, k: longer(n + 1, k)),
        chosen(lambda n, k: (2 * n, n * (3 + k % 3), n * (5 + k % 3 + k))),
    ]


def resized(t: Any, sizes: Mapping[int, int]) -> Any:
    """Return a tensor of other sizes along some axes, with the elements of a tensor over and over again."""
    array = array_of(t)
    for axis, size in sizes.items():
        array = np.take(array, np.arange(size) % array.shape[axis], axis)
    return wrap(np.ascontiguousarray(array))


def family(
    trace: Callable[[list[Any]], Example], example: Example, dynamic: Mapping[str, Mapping[int, str]]
) -> Family:
    """Trace a model at several sizes and compare.

    ``trace(tensors)`` traces it with others in the place of its arguments' tensors; `example` is the trace on
    what the user gave. `dynamic` has by argument the axes of which the size may change and what each size is
    called. Raises a RuntimeError where the model does something else for other sizes.
    """
    base: dict[str, int] = {}
    for name, t in zip(example.paths, example.arguments, strict=True):
        for axis, label in dynamic.get(name, {}).items():
            base.setdefault(label, t.shape[axis])
    if not base:
        return fixed(example)
    failures: list[Exception] = []
    for chosen in families(base):
        if any(len(set(sizes)) < TRACES for sizes in chosen.values()):
            continue
        try:
            examples = []
            for n in range(TRACES):
                sizes = {label: numbers[n] for label, numbers in chosen.items()}
                if sizes == base:
                    examples.append(example)
                    continue
                examples.append(trace([
                    resized(t, {axis: sizes[label] for axis, label in dynamic.get(name, {}).items()})
                    for name, t in zip(example.paths, example.arguments, strict=True)
                ]))  # fmt: skip
            return compared(examples)
        except Different as error:
            failures.append(error)
        except (RuntimeError, ValueError, IndexError, AssertionError, TypeError) as error:
            failures.append(error)
    tried = "\n".join(f"  {type(e).__name__}: {str(e).splitlines()[0]}" for e in failures)
    raise with_note(
        RuntimeError(
            f"the model cannot be exported with dynamic sizes {', '.join(base)}: it does not do the same "
            "operations for other sizes"
        ),
        f"For the sizes that were tried:\n{tried}\nMake the size fixed, or give examples of a size at which "
        "the model does what it does at others (not 1).",
    ) from failures[-1]

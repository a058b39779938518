"""Images of programs: what running a program takes, as one process builds it and the next finds it on disk.

A process that finds a program's image neither lowers it nor plans its memory, and writes no text for LLVM.
The name of an image is a digest of the program as it is printed, which holds everything that what is built
depends on, of what is asked about it, and of what built it (see `cache`). What its machine code calls is
named, and found by its names (see `machine_code`); where one of these is missing, the image counts as absent.
Generators of random numbers are no part of an image: they are those of the program that it is read for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from ...array import dtypes
from ...array.named_tuples import NamedTuple
from ...array.threads import get_num_threads
from ..emit.codegen import Code
from ..lower.buffer import Buffer
from ..program.program import Program
from ..program.text import Unprintable, kind, printed, read_kind
from . import cache, machine_code

if TYPE_CHECKING:
    from ..lower.filling import Call

#: What is asked of a program: (input, output), whether the output may be written to the input's memory.
Pair = tuple[int, int]


class Image(NamedTuple):
    """Hold what running a program takes."""

    #: Names of native functions, and the calls of array kernels between them.
    segments: list[str | Call]
    inputs: list[Buffer]
    outputs: list[Buffer]
    #: Where in the arena the other buffers of the calls lie, by buffer number.
    offsets: dict[int, int]
    #: By buffer number.
    constants: dict[int, ndarray]
    #: By buffer number, which pointer of the table each of these is.
    slots: dict[int, int]
    arena_bytes: int
    #: Of all buffers.
    elements: int
    #: Whether the last output says that the inputs are refused.
    checked: bool
    #: Whether threads take part.
    parallel: bool
    #: Of the pairs that were asked for, those of which the output may be written to the input's memory.
    shared: set[Pair]
    #: The functions that the machine code calls.
    symbols: tuple[str, ...]
    code: Code


class Name(NamedTuple):
    """Hold the name of an image, and the generators of the program that it is read for."""

    key: str
    generators: list[Any]


def name_of(program: Program, pairs: Sequence[Pair]) -> Name | None:
    """Return the name of a program's image; None where it has something without a text."""
    return _name("program", program, repr([*pairs]), repr(sorted(program.strides.items())))


def is_native(program: Program) -> bool:
    """Return whether a program is all native code: what the first to ask found out by lowering it."""
    name = _name("native", program)
    found = None if name is None else cache.read(name.key)
    if found is not None:
        return bool(found[0])
    from ..lower.equations import lower
    from ..lower.filling import Call

    native = not any(isinstance(node, Call) for node in lower(program).nodes)
    if name is not None:
        cache.write(name.key, native, b"")
    return native


def _name(question: str, program: Program, *more: str) -> Name | None:
    generators: list[Any] = []
    try:
        text = printed(program, generators)
    except Unprintable:
        return None
    key = cache.key(question, *more, str(dtypes.get_default_dtype()), str(get_num_threads()), text)
    return Name(key, generators)


def told(segments: Iterable[Any], name: Name) -> list[Any] | None:
    """Return segments as JSON; None where a call holds something without a text."""
    from . import call_text

    try:
        return [s if isinstance(s, str) else call_text.told(s, name.generators) for s in segments]
    except Unprintable:
        return None


def read(name: Name) -> tuple[Image, machine_code.Found] | None:
    """Return an image and what it calls; None where there is none."""
    return cache.made_of(name.key, lambda about, content: _read(name, about, content))


def _read(name: Name, about: Any, content: bytes) -> tuple[Image, machine_code.Found] | None:
    called = machine_code.found(about["symbols"])
    if called is None:
        return None

    def buffers(entries: Sequence[Any], role: str) -> list[Buffer]:
        return [Buffer(number, *read_kind(text), role) for number, text in entries]

    at, objects = 0, []
    for size in about["code"]:
        objects.append(content[at : at + size])
        at += size
    code = Code(tuple(objects), tuple(about["called"]))
    constants = {}
    for number, text in about["constants"]:
        shape, dtype = read_kind(text)
        count = int(np.prod(shape, dtype=np.int64))
        # A copy lies where its elements are aligned.
        constants[number] = np.frombuffer(content, dtype, count, at).reshape(shape).copy()
        at += count * dtype.itemsize
    inputs, outputs = buffers(about["inputs"], "input"), buffers(about["outputs"], "temporary")
    others = buffers(about["others"], "temporary")
    known = {b.number: b for b in (*inputs, *outputs, *others)}
    segments: list[Any] = about["segments"]
    if not all(isinstance(s, str) for s in segments):
        from . import call_text  # most programs call no array kernels

        segments = [s if isinstance(s, str) else call_text.read(s, known, name.generators) for s in segments]
    image = Image(
        segments, inputs, outputs, dict(about["offsets"]), constants,
        dict(about["slots"]), about["arena_bytes"], about["elements"], about["checked"], about["parallel"],
        {(a, b) for a, b in about["shared"]}, tuple(about["symbols"]), code,
    )  # fmt: skip
    return image, called


def write(name: Name, image: Image) -> None:
    """Keep an image; what it calls must be lasting."""

    def entries(buffers: Sequence[Buffer]) -> list[Any]:
        return [(b.number, kind(b.shape, b.dtype)) for b in buffers]

    given = {b.number for b in (*image.inputs, *image.outputs)}
    about = {
        "segments": told(image.segments, name), "offsets": [*image.offsets.items()],
        "others": entries([b for n, b in called(image.segments).items() if n not in given]),
        "inputs": entries(image.inputs), "outputs": entries(image.outputs),
        "constants": [(number, kind(a.shape, a.dtype)) for number, a in image.constants.items()],
        "slots": [*image.slots.items()], "arena_bytes": image.arena_bytes, "elements": image.elements,
        "checked": image.checked, "parallel": image.parallel, "shared": sorted(image.shared),
        "symbols": image.symbols, "called": image.code.called,
        "code": [len(o) for o in image.code.objects],
    }  # fmt: skip
    content = [*image.code.objects, *(array.tobytes() for array in image.constants.values())]
    cache.write(name.key, about, b"".join(content))


def called(segments: Iterable[Any]) -> dict[int, Buffer]:
    """Return the buffers that calls of array kernels read and fill, by number."""
    calls: list[Call] = [s for s in segments if not isinstance(s, str)]
    return {b.number: b for s in calls for b in (*s.operands, *s.outputs) if isinstance(b, Buffer)}

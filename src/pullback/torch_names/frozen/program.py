"""Run frozen programs: a model as one file of native code, which runs without tracing and without LLVM.

The file is in the format of safetensors: the weights under their names, and beside them the machine code, as
bytes, with what running it takes. It is for processors that have what this one has; loading says where that
is not so.
"""

import ctypes
import json
import mmap
import os
import platform
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy import ndarray

from ...array import locks, tensor_file
from ...compiler.lower.buffer import aligned
from ...compiler.program.text import kind, read_kind, read_value
from ...compiler.runtime import call_text, linked_code
from ...compiler.runtime.thread_pool import PARALLEL, SYMBOLS, Pool
from ...core.op import TABLE
from ...core.value import TensorBase, array_of, wrap
from ...core.versions import bump
from ...errors import with_note
from ...ops import declare_all
from ...tensor.random import default_generator
from ..structure import filled, named_tensors, read_result
from .subject import other_arguments

#: What a file says that it is.
FORMAT = "pullback frozen program 3"
#: What is before the names of weights, and of all else.
STATE, OWN = "state.", "native."
#: Beginnings of what Linux calls a processor's instructions that native code may use.
_INSTRUCTIONS = (
    "abm", "adx", "amx", "avx", "bmi", "f16c", "fma", "gfni", "movbe", "popcnt", "sse", "ssse", "vaes",
    "vpclmul",
)  # fmt: skip


class FrozenProgram:
    """A model or step as native code. It is called as that is, on tensors of the same shapes and dtypes.

    A step goes on from call to call with the tensors that it holds; what it returns carries no history.
    Random numbers are drawn from the default generator of the process.

    Parameters
    ----------
    data : buffer
        What a file holds; of a step, memory that can be written to, or it is copied.
    """

    def __init__(self, data: Any) -> None:
        arrays, about = tensor_file.unpacked(data)
        if about.get("format") != FORMAT:
            raise RuntimeError("this is no program that pullback.freeze has written")
        plan = json.loads(about["plan"])
        if plan["written"] and memoryview(data).readonly:
            data = bytearray(data)
            arrays, _ = tensor_file.unpacked(data)
        self._data = data
        _check_machine(plan["machine"])
        self._plan = plan
        self._pool = _pool(arrays, plan) if plan["parallel"] else None
        known = {} if self._pool is None else {PARALLEL: self._pool.address}
        self._library = linked_code.Loaded(_code(arrays, plan, "code"), known)
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        self._segments = [
            call(self._library.address(s)) if isinstance(s, str) else _Call(s) for s in plan["segments"]
        ]
        self._has_calls = any(isinstance(segment, _Call) for segment in self._segments)
        self._inputs = [read_kind(text) for text in plan["inputs"]]
        self._outputs = [read_kind(text) for text in plan["outputs"]]
        self._state = {n.removeprefix(STATE): a for n, a in arrays.items() if n.startswith(STATE)}
        self._arena = aligned(plan["arena_bytes"])
        self._table = np.zeros(plan["slots"], np.uintp)
        self._table[0] = self._arena.ctypes.data
        self._table_address = self._table.ctypes.data
        #: By number, the buffers that array kernels read or write and that are there already.
        self._buffers: dict[int, ndarray] = {}
        for number, text, offset in plan["buffers"]:
            shape, dtype = read_kind(text)
            size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
            self._buffers[number] = self._arena[offset : offset + size].view(dtype).reshape(shape)
        for number, slot in plan["constants"]:
            array = self._buffers[number] = arrays[f"{OWN}constant{number}"]
            self._table[slot] = array.ctypes.data
        self._held = [self._state[name] for name in plan["state"]]
        for array in self._held:
            array.flags.writeable = bool(plan["written"])
        for slot, array in enumerate(self._held, start=1):
            self._table[slot] = array.ctypes.data
        self._turn = locks.lock()
        self._result = read_result(plan["result"])
        #: By output, the input that it is written to, and whether native code does that.
        self._written = {n: (at, lies_there) for at, n, lies_there in plan["written"]}

    @property
    def state_dict(self) -> dict[str, Any]:
        """Return the tensors that the program holds, by name; those of a model cannot be written to.

        A step's are parameters and buffers as ``model.layer.weight``, where ``model`` is what the function
        calls it, ``optimizer.state.0.exp_avg``, ``optimizer.param_groups.0.lr``. They share their memory with
        the program.
        """
        return {name: wrap(array) for name, array in self._state.items()}

    def save(self, f: Any) -> None:
        """Write the program to a file, a step with what its tensors now hold.

        Parameters
        ----------
        f : path or binary file
        """
        if hasattr(f, "write"):
            f.write(self._data)
            return
        beside = Path(f"{os.fspath(f)}.part")
        beside.write_bytes(self._data)
        beside.replace(os.fspath(f))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program.

        Raises
        ------
        TypeError
            Other tensors are given, or of other shapes or dtypes, than those that it was frozen with.
        IndexError
            An index is out of range.
        """
        tensors, arrays = self._arguments(args, kwargs)
        outputs = [
            self._held[self._written[n][0]] if n in self._written and self._written[n][1]
            else np.empty(shape, dtype)
            for n, (shape, dtype) in enumerate(self._outputs)
        ]  # fmt: skip
        if self._pool is not None:
            self._pool.prepare()
        first = 1 + len(self._held)
        with self._turn:
            for slot, array in enumerate((*arrays, *outputs), start=first):
                self._table[slot] = _address(array)
            buffers = self._buffers
            if self._has_calls:
                everything = (*self._held, *arrays, *outputs)
                buffers = buffers | dict(zip(self._plan["numbers"], everything, strict=True))
            for segment in self._segments:
                if isinstance(segment, _Call):
                    segment.run(buffers)
                else:
                    segment(self._table_address)
            if self._plan["checked"] and outputs.pop():
                raise IndexError("an index is out of range")
            self._write(outputs, tensors)
            results = [self._given_back(told, outputs) for told in self._plan["returned"]]
        return filled(self._result, results)

    def _arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[list[Any], list[ndarray]]:
        """Return the tensors of a call, and their elements in C order."""
        if kwargs or not all(isinstance(value, TensorBase) for value in args):
            given = [t for _, t in named_tensors([*args, *kwargs.values()], "")]
            others = other_arguments(args, kwargs)
        else:
            given, others = [*args], []
        wanted = self._inputs[len(self._held) :]
        if len(given) != len(wanted):
            raise TypeError(f"the program takes {len(wanted)} tensors, not {len(given)}")
        if others != self._plan["others"]:
            raise with_note(
                TypeError(f"the program was frozen with {self._plan['others']}, and is given {others}"),
                "What is no tensor is a part of the program: freeze it once for each, or pass a tensor.",
            )
        arrays = []
        for path, t, (shape, dtype) in zip(self._plan["paths"], given, wanted, strict=True):
            if (array := array_of(t)).shape != shape or array.dtype != dtype:
                raise with_note(
                    TypeError(
                        f"{path} is {kind(array.shape, array.dtype)}, and was {kind(shape, dtype)} when the "
                        "program was frozen"
                    ),
                    "Native code is for these shapes: freeze the model once for each.",
                )
            arrays.append(np.ascontiguousarray(array))
        return given, arrays

    def _write(self, outputs: list[ndarray], tensors: list[Any]) -> None:
        """Write what the program computes to the state and to arguments, where native code has not."""
        for n, (at, lies_there) in self._written.items():
            if lies_there:
                continue
            if at < len(self._held):
                self._held[at][...] = outputs[n]
            else:
                t = tensors[at - len(self._held)]
                array_of(t)[...] = outputs[n]
                bump(t)

    def _given_back(self, told: Mapping[str, Any], outputs: list[ndarray]) -> Any:
        """Return one of the results: an output of the program, or a part of it."""
        array = outputs[told["output"]]
        if told["output"] in self._written:
            array = array.copy()
        if told.get("placement"):
            offset, strides, text = told["placement"]
            shape, dtype = read_kind(text)
            array = np.ndarray(shape, dtype, array, offset, strides)
        for op, attrs, index in told["steps"]:
            found = TABLE[op].evaluate((array,), read_value(attrs))
            array = found if index is None else found[index]
        return array.item() if told.get("number") else wrap(array)

    def __repr__(self) -> str:
        texts = zip(self._plan["paths"], self._plan["inputs"][len(self._held) :], strict=True)
        return f"FrozenProgram({', '.join(f'{name}: {text}' for name, text in texts)})"


class _Call:
    """A step that an array kernel does, as `call_text` writes it."""

    def __init__(self, told: dict[str, Any]) -> None:
        if told["op"] not in TABLE:
            declare_all()
        self._op = TABLE[told["op"]]
        self._operands = [
            (o, None) if isinstance(o, int) else (None, call_text.operand(o)) for o in told["operands"]
        ]
        self._attrs = call_text.attributes(told, [default_generator])
        self._outputs, self._several = told["outputs"], told["several"]

    def run(self, buffers: Mapping[int, ndarray]) -> None:
        """Do it, on buffers by number."""
        operands = tuple(value if n is None else buffers[n] for n, value in self._operands)
        result = self._op.evaluate(operands, self._attrs)
        parts = result if self._several else (result,)
        for number, part in zip(self._outputs, parts, strict=True):
            buffers[number][...] = part


def load_frozen(f: Any) -> FrozenProgram:
    """Read a program that `freeze` has written. Its machine code runs in this process: take it from nobody
    of whom you would not take a program.

    Parameters
    ----------
    f : path or binary file
        Of a path the weights are read when they are first used.

    Raises
    ------
    RuntimeError
        It is no such file, or for another machine.
    """
    if hasattr(f, "read"):
        return FrozenProgram(f.read())
    with open(os.fspath(f), "rb") as file:
        # What a step writes is its own copy, page by page, and not in the file.
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    try:
        return FrozenProgram(data)
    except tensor_file.Damaged as error:
        raise RuntimeError(f"{f} is no program that pullback.freeze has written") from error


# --- the machine --------------------------------------------------------------------------------------------

@cache
def _instructions() -> list[str]:
    """Return which of the processor's instructions native code may use."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return [platform.processor()]
    for line in text.splitlines():
        if line.startswith("flags"):
            return sorted(f for f in line.partition(":")[2].split() if f.startswith(_INSTRUCTIONS))
    return []


def machine() -> dict[str, Any]:
    """Return what native code needs of a machine."""
    return {
        "system": platform.system(), "machine": platform.machine(), "instructions": _instructions(),
        "byteorder": sys.byteorder,
    }  # fmt: skip


def _check_machine(needed: dict[str, Any]) -> None:
    """Refuse code that is not for this machine."""
    here = machine()
    for name in ("system", "machine", "byteorder"):
        if needed[name] != here[name]:
            raise RuntimeError(f"the program was frozen for {needed[name]}, and this is {here[name]}")
    if missing := sorted({*needed["instructions"]} - {*here["instructions"]}):
        raise with_note(
            RuntimeError(f"the program was frozen for a processor with {', '.join(missing)}"),
            "This one is without: freeze the model on this machine.",
        )


def _code(arrays: Mapping[str, ndarray], plan: Mapping[str, Any], name: str) -> linked_code.Linked:
    """Return a part of the machine code that a file holds."""
    about = plan["codes"][name]
    places, targets, calls = (arrays[f"{OWN}{name}.{part}"] for part in ("places", "targets", "calls"))
    return linked_code.Linked(
        arrays[f"{OWN}{name}"].tobytes(), about["constant"], about["symbols"], places, targets,
        about["called"], calls,
    )  # fmt: skip


#: The threads of native code, and that code: they stay to the end of the process.
_threads: list[tuple[Pool, linked_code.Loaded]] = []


def _pool(arrays: Mapping[str, ndarray], plan: Mapping[str, Any]) -> Pool:
    """Return the process' threads for frozen programs."""
    if not _threads:
        library = linked_code.Loaded(_code(arrays, plan, "pool"))
        made = Pool({symbol: library.address(symbol) for symbol in SYMBOLS})
        _threads.append((made, library))
    return _threads[0][0]


def _address(array: ndarray) -> int:
    """Return where an array's elements are: what can be written to tells it in a third of the time."""
    try:
        held: Any = array
        return ctypes.addressof(ctypes.c_char.from_buffer(held))
    except (TypeError, ValueError, BufferError):  # read-only, empty, or of a dtype that buffers do not know
        return array.ctypes.data


__all__ = ["FORMAT", "OWN", "STATE", "FrozenProgram", "load_frozen", "machine"]

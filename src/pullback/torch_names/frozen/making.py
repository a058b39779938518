"""Make frozen programs: trace a model, compile it, and put its machine code beside its weights."""

import importlib.util
import inspect
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ...array import tensor_file
from ...autograd.grad_mode import no_grad
from ...compiler.passes.pipeline import optimized
from ...compiler.program.text import Unprintable, kind
from ...compiler.runtime import call_text, image, linked_code, machine_code, thread_pool
from ...compiler.runtime.executable import Executable
from ...compiler.runtime.thread_pool import PARALLEL, SYMBOLS
from ...core.body import generators
from ...core.op import TABLE
from ...core.value import array_of
from ...errors import with_note
from ...nn import Module
from ...tensor.random import default_generator
from ..export.dynamic_shapes import parameter_names
from ..export.example_trace import traced
from ..structure import result_as_json
from .program import FORMAT, OWN, STATE, FrozenProgram, machine
from .subject import Subject, other_arguments


def freeze(
    model: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None, f: Any = None
) -> FrozenProgram:
    """Compile a model or a step for the shapes and dtypes of example inputs, to be kept in one file.

    Parameters
    ----------
    model : Module or callable
        A module as it evaluates: call ``eval()`` before, it may not write to its buffers. A function is
        frozen as `compile` compiles it with ``fullgraph=True``: it may call backward, step optimizers, write
        to tensors in place and draw from the default generator. The tensors that it holds are copied into
        the program, which goes on with these.
    args : tuple or Tensor
    kwargs : dict, optional
    f : path or binary file, optional
        Where the program is written.

    Returns
    -------
    FrozenProgram
        `load_frozen` reads it from a file, in some milliseconds, without llvmlite.

    Raises
    ------
    RuntimeError
        It decides in Python by numbers of tensors, changes Python's objects, or draws from a generator of its
        own; a module writes to its buffers or draws random numbers.
    ModuleNotFoundError
        llvmlite is not installed, which compiles.
    """
    if importlib.util.find_spec("llvmlite") is None:
        raise with_note(
            ModuleNotFoundError("freeze needs llvmlite, which is not installed", name="llvmlite"),
            "It makes the native code: pip install 'pullback[compile]'. Loading does without it.",
        )
    args = args if isinstance(args, tuple) else (args,)
    names, others = parameter_names(model), other_arguments(args, kwargs or {})
    is_module = isinstance(model, Module) or isinstance(getattr(model, "__self__", None), Module)
    if not is_module and inspect.isroutine(model):
        from .step import step_written_down

        subject = step_written_down(model, args, kwargs or {}, names)
    else:
        subject = _model(model, args, kwargs or {}, names)
    frozen = FrozenProgram(_packed(subject, others))
    if f is not None:
        frozen.save(f)
    return frozen


def _model(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], names: Sequence[str]) -> Subject:
    """Write a model down as it evaluates."""
    with no_grad():
        example = traced(model, args, kwargs, names)
    if example.asked:
        places = "\n".join(f"  {file}:{line}, in {name}" for file, line, name in example.asked)
        raise with_note(
            RuntimeError("freeze: the model reads numbers of its inputs in Python"),
            f"{places}\nWrite it in operations on tensors (torch.where).",
        )
    training = "Call model.eval() before; to freeze how it trains, freeze a function that calls it."
    if example.mutated:
        raise with_note(
            RuntimeError(f"freeze: the model writes to its buffers {', '.join(example.mutated)}"), training
        )
    if drawing := sorted({e.op for e in example.program.equations if generators(e.op, e.attrs)}):
        raise with_note(
            RuntimeError(f"freeze: the model draws random numbers ({', '.join(drawing)})"), training
        )
    returned = [{"output": n, "steps": []} for n in range(len(example.program.outputs))]
    state = {name: array_of(t) for name, t in example.state.items()}
    return Subject(example.program, state, example.paths, [], returned, example.result)


def _told(step: Any) -> dict[str, Any]:
    """Return a step that an array kernel does, as JSON."""
    try:
        return call_text.told(step, [default_generator])
    except ValueError:
        raise with_note(
            RuntimeError("freeze: the program draws from a generator of its own"),
            "Draw from the default one: manual_seed sets it in every process.",
        ) from None


def _packed(subject: Subject, others: list[str]) -> bytes:
    program = optimized(subject.program)
    built = Executable(program, subject.written)
    # What an error may leave half-done is written to the state when all is done.
    fails = built.checked or any(not isinstance(s, str) and not TABLE[s.op].draws for s in built.segments)
    held = len(subject.state)
    written = [[at, n, at < held and not fails and (at, n) in built.shared] for at, n in subject.written]
    try:
        segments = [s if isinstance(s, str) else _told(s) for s in built.segments]
    except Unprintable as error:
        raise with_note(
            RuntimeError("freeze: the program holds something that cannot be written to a file"),
            "Loops and branches on tensors are compiled as a whole only: write them out, or compile instead.",
        ) from error
    symbols = [s for s in built._called.addresses if s != PARALLEL]
    if not machine_code.are_lasting(symbols):
        raise RuntimeError("freeze: the program calls functions of this process that a file cannot hold")
    objects = [*built._library.code.objects] if built._library is not None else []
    objects += machine_code.objects_of(symbols)
    called = built._library.code.called if built._library is not None else ()
    if called:
        from ...compiler.emit import functions

        objects += functions._code(sorted(called))().objects
    codes = {"code": linked_code.linked(objects)}
    if built.pool is not None:
        codes["pool"] = linked_code.linked(thread_pool.begun().code.objects)
    slots = built._slots
    entries = {s for s in segments if isinstance(s, str)}
    given, used = [*built.inputs, *built.outputs], image.called(built.segments)
    buffers = [(n, kind(used[n].shape, used[n].dtype), at) for n, at in built._offsets.items()]
    plan = {
        "machine": machine(), "segments": segments, "buffers": buffers,
        "numbers": [b.number for b in given],
        "codes": {
            name: {
                "constant": code.constant, "called": code.called,
                "symbols": {s: at for s, at in code.symbols.items() if s in entries or s in SYMBOLS},
            }
            for name, code in codes.items()
        },
        "parallel": built.pool is not None, "checked": built.checked, "slots": 1 + len(slots),
        "arena_bytes": int(built._arena.nbytes), "inputs": [kind(b.shape, b.dtype) for b in built.inputs],
        "outputs": [kind(b.shape, b.dtype) for b in built.outputs], "state": [*subject.state],
        "paths": subject.paths, "others": others, "written": written, "returned": subject.returned,
        "result": result_as_json(subject.result),
        "constants": [(number, slots[number]) for number in built._constants],
    }  # fmt: skip
    arrays: dict[str, ndarray] = {f"{STATE}{name}": array for name, array in subject.state.items()}
    arrays |= {f"{OWN}constant{n}": a for n, a in built._constants.items()}
    for name, code in codes.items():
        arrays |= {
            f"{OWN}{name}.places": code.places, f"{OWN}{name}.targets": code.targets,
            f"{OWN}{name}.calls": code.calls, f"{OWN}{name}": np.frombuffer(code.content, np.uint8),
        }  # fmt: skip
    # The elements of each lie where its dtype is aligned.
    arrays = dict(sorted(arrays.items(), key=lambda item: -item[1].dtype.itemsize))
    return tensor_file.packed(arrays, {"format": FORMAT, "plan": json.dumps(plan)})

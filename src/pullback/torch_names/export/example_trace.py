"""Write a model down as a program by running it on example inputs, whose numbers are at hand.

What this module must do:

- inputs of the program are the parameters and buffers of the module, under their names, and the tensors among
  the arguments; outputs are the tensors that the model returns and the buffers that it writes to;
- a number that Python asks for (``item``, ``if`` on a tensor) is the examples', as in torch's trace; where
  it depends on the inputs, the line that asked is remembered, since other inputs might go another way;
- tensors that the model makes on its way (`torch.arange`) are values of the program, and what it does with
  them is operations of the program;
- the model, its tensors and everything it holds are left as they were.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from ...compiler.program.program import Program
from ...core.blame import user_frame
from ...core.body import drawing_apart
from ...core.levels import fresh_level
from ...core.op import TABLE
from ...core.recorder import Recorder, Reference
from ...core.tracer import Tracer, tracing
from ...core.value import TensorBase, array_of
from ...core.versions import version_of
from ...nn import Module
from ..overrides import TorchFunctionMode
from ..structure import named_tensors, placed, tensors_given

#: A line of the user's program: file, number, function.
Line = tuple[str, int, str]


class Example(NamedTuple):
    """A model as a program, and what it was traced on."""

    program: Program  # its inputs are the state, then the arguments
    state: dict[str, Any]  # parameters and buffers by name, in the order of the program's inputs
    parameters: frozenset[str]  # which of these are parameters
    arguments: list[Any]  # the tensors among the arguments
    paths: list[str]  # what each of these is called
    result: Any  # what the model returned, with a `Place` for each tensor
    mutated: list[str]  # buffers that the model writes to; the last outputs are what they then hold
    lines: dict[int, Line]  # where each value was made, by number
    asked: list[Line]  # where Python asked for numbers that depend on the arguments


class ExampleRecorder(Recorder):
    """A recorder that knows the numbers of its values."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.values: dict[int, ndarray] = {}
        self.places = {}
        #: Inputs that are arguments.
        self.given: set[int] = set()
        #: Values whose numbers Python asked for, and the lines that did.
        self.asked: dict[int, Line] = {}

    def numbers_of(self, index: int) -> ndarray:
        """Return a value's numbers, and remember who asked."""
        frame = user_frame(sys._getframe(1))
        self.asked.setdefault(index, (frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        found = self.computed(index)
        return found.copy() if isinstance(found, ndarray) else np.asarray(found)

    def computed(self, index: int) -> ndarray:
        """Return a value's numbers, computed as far as they have not been."""
        waiting = [index]
        while waiting:
            if (number := waiting[-1]) in self.values:
                waiting.pop()
                continue
            if number in self.constants:
                self.values[number] = self.constants[number]
                continue
            equation = self.makers[number]
            missing = [
                o.index for o in equation.operands
                if isinstance(o, Reference) and o.index not in self.values
            ]  # fmt: skip
            if missing:
                waiting += missing
                continue
            operands = tuple(
                self.values[o.index] if isinstance(o, Reference) else o for o in equation.operands
            )
            attrs = drawing_apart(equation.op, equation.attrs)
            result = TABLE[equation.op].evaluate_in_order(operands, attrs)
            parts = result if equation.several else (result,)
            self.values.update(zip(equation.outputs, parts, strict=True))
        return self.values[index]

    def results(self, op: Any, kinds: Sequence[Any], seen: Sequence[Any], attrs: tuple[Any, ...]) -> Any:
        """Return (shape, dtype) of each result; where they follow from the numbers, the examples'."""
        try:
            return super().results(op, kinds, seen, attrs)
        except RuntimeError as error:
            if "depends on the data" not in str(error):
                raise
        operands = tuple(self.computed(v.index) if isinstance(v, Tracer) else v for v in seen)
        result = op.evaluate_in_order(operands, drawing_apart(op.name, attrs))
        parts = result if op.many or len(op.outputs) > 1 else (result,)
        return tuple((np.shape(p), np.asarray(p).dtype) for p in parts)

    def depends(self, index: int) -> bool:
        """Return whether a value follows from the arguments."""
        seen: set[int] = set()
        waiting = [index]
        while waiting:
            if (number := waiting.pop()) in self.given:
                return True
            if number in seen or number not in self.makers:
                continue
            seen.add(number)
            waiting += [o.index for o in self.makers[number].operands if isinstance(o, Reference)]
        return False


class _Lifting(TorchFunctionMode):
    """Make what functions return values of the trace: `torch.arange` alone has nothing traced to meet."""

    def __init__(self, recorder: ExampleRecorder) -> None:
        super().__init__()
        self.recorder = recorder
        self.lifted: list[Any] = []

    def __torch_function__(
        self, func: Callable[..., Any], types: tuple[type, ...], args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        new = isinstance(result, TensorBase) and not any(result is a for a in args)
        if new and type(result._value) is ndarray and result._node is None:
            self.lifted.append(result)
            result._value = Tracer(self.recorder, self.recorder.operand(result._value)[0].index)
            result._level = self.recorder.level
        return result


def traced(
    model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], names: Sequence[str] = ()
) -> Example:
    """Run a model on examples and return the program that it is.

    `names` are what the arguments by position are called; by default as in the model's signature.
    """
    owner = model if isinstance(model, Module) else getattr(model, "__self__", None)
    state: dict[str, Any] = {}
    parameters: frozenset[str] = frozenset()
    if isinstance(owner, Module):
        parameters = frozenset(name for name, _ in owner.named_parameters())
        state = dict([*owner.named_parameters(), *owner.named_buffers()])
    held = {id(t) for t in state.values()}
    arguments = [(name, t) for name, t in tensors_given(args, kwargs, names) if id(t) not in held]
    cells = [*state.values(), *(t for _, t in arguments)]
    recorder = ExampleRecorder(fresh_level())
    before = [(t, t._value, t._level, version_of(t)) for t in cells]
    lifting = _Lifting(recorder)
    try:
        for t in cells:
            array = array_of(t)
            t._value = recorder.new(array.shape, array.dtype)
            t._level = recorder.level
            recorder.values[t._value.index] = array
        inputs = [t._value.index for t in cells]
        recorder.given = set(inputs[len(state) :])
        with lifting, tracing(recorder):
            returned = model(*args, **kwargs)
        found: list[Any] = []
        result = placed(returned, found)
        mutated = [
            name for (name, t), index in zip(state.items(), inputs, strict=False) if t._value.index != index
        ]
        outputs = [_number(recorder, t) for t in (*found, *(state[name] for name in mutated))]
        program = Program.of(recorder, inputs=inputs, outputs=outputs)
        program.verify()
        asked = [line for index, line in recorder.asked.items() if recorder.depends(index)]
    finally:
        for t, value, level, count in before:
            t._value = value
            t._level = level
            if not t._inference:
                t._counter[0] = count
        for t in lifting.lifted:
            if isinstance(t._value, Tracer):
                t._value, t._level = np.array(recorder.computed(t._value.index)), 0
        _settle(owner, recorder)
    lines = {}
    for number, (code, at) in (recorder.places or {}).items():
        lines[number] = (code.co_filename, _line_of(code, at), code.co_name)
    paths = [name for name, _ in arguments]
    return Example(
        program, state, parameters, [t for _, t in arguments], paths, result, mutated, lines,
        [*dict.fromkeys(asked)],
    )  # fmt: skip


def _number(recorder: ExampleRecorder, t: Any) -> int:
    """Return the number of the value that a tensor holds; of one that met nothing traced, a constant's."""
    from ...core.value import refresh

    if t._view is not None:
        refresh(t)
    return recorder.operand(t._value)[0].index


def _settle(owner: Any, recorder: ExampleRecorder) -> None:
    """Give the tensors that modules keep from the run (caches) the examples' numbers."""
    if not isinstance(owner, Module):
        return
    for module in owner.modules():
        for value in vars(module).values():
            for _, t in named_tensors(value, ""):
                if isinstance(t._value, Tracer) and t._value.recorder is recorder:
                    t._value, t._level = np.array(recorder.computed(t._value.index)), 0
                    t._node = None


def _line_of(code: Any, at: int) -> int:
    """Return the line of an instruction."""
    for start, end, line in code.co_lines():
        if start <= at < end and line is not None:
            return int(line)
    return int(code.co_firstlineno)

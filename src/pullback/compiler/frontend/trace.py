"""Trace a step: run a function once on tracers, with everything that it reads and writes as inputs and
outputs.

Tensors found in the arguments and in `state` (modules, optimizers, containers) become inputs. After the run,
what they then hold, their `.grad`, and tensors that appeared in `state` are outputs. Tracing ends by
replaying the program once, so a traced call leaves behind exactly what the eager call would have.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from numpy import ndarray

from ...core.levels import fresh_level
from ...core.recorder import Recorder
from ...core.tracer import Tracer, tracing
from ...core.value import TensorBase, wrap
from ...core.versions import bump, version_of
from ..program.program import Program


def tensors_in(value: Any, seen: set[int] | None = None) -> Iterator[Any]:
    """Yield every tensor in containers, modules and optimizers once, and their gradients."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, TensorBase):
        yield value
        if value._grad is not None:
            yield from tensors_in(value._grad, seen)
    elif isinstance(value, dict):
        for item in list(value.items()):
            for part in item:
                yield from tensors_in(part, seen)
    elif isinstance(value, (list, tuple, set)):
        for part in list(value):
            yield from tensors_in(part, seen)
    elif hasattr(value, "param_groups"):
        yield from tensors_in(value.param_groups, seen)
        yield from tensors_in(value.state, seen)
    elif hasattr(value, "named_parameters"):
        yield from tensors_in(list(value.parameters()), seen)
        yield from tensors_in(list(value.buffers()), seen)


class Traced:
    """A traced step: its program, and how the program's inputs and outputs are tied to tensors.

    Calling it runs the program on what the tensors hold now and writes back what the step writes.
    """

    def __init__(
        self, program: Program, reads: list[Any], writes: list[Any], grads: list[Any],
        result: Callable[[list[Any]], Any]
    ) -> None:
        self.program = program
        self._reads = reads
        self._writes = writes
        self._grads = grads
        self._result = result

    def __call__(self) -> Any:
        """Do one step; return what the function returned."""
        values = self.program.run(*(t._value for t in self._reads))
        return self._commit(values)

    def _commit(self, values: list[ndarray]) -> Any:
        outputs = iter(values)
        for tensor in self._writes:
            tensor._value[...] = next(outputs)
            bump(tensor)
        for leaf in self._grads:
            value = next(outputs)
            if leaf._grad is not None and type(leaf._grad._value) is ndarray:
                leaf._grad._value[...] = value
            else:
                leaf._grad = wrap(value.copy())
        return self._result(list(outputs))


def trace(function: Callable[..., Any], *args: Any, state: Iterable[Any] = ()) -> Traced:
    """Write down ``function(*args)`` as one program and run it once.

    Parameters
    ----------
    function : callable
        May call `backward`, step an optimizer, write in place.
    args
        Tensors among them become inputs.
    state : iterable
        Modules, optimizers and containers that the function reads and writes besides its arguments.

    Returns
    -------
    Traced
        ``traced.program`` is the program; ``traced()`` does the next step.
    """
    held = [args, list(state)]
    cells = [t for t in tensors_in(held) if type(t._value) is ndarray]
    _check_inputs(cells)
    recorder = Recorder(fresh_level())
    with _traced_values(cells, recorder) as inputs:
        with tracing(recorder):
            result = function(*args)
        written = [t for t, index in zip(cells, inputs, strict=True) if t._value.index != index]
        own = {id(t) for t in cells}
        leaves = [t for t in cells if t._grad is not None and id(t._grad) not in own]
        added = [
            t
            for t in tensors_in(held)
            if id(t) not in own and _traced(t) and not any(t is x._grad for x in leaves)
        ]
        returned = [t for t in tensors_in(result) if _traced(t)]
        numbers = [t._value.index for t in written]
        numbers += [t._grad._value.index for t in leaves]
        numbers += [t._value.index for t in (*added, *returned)]
        program = Program.of(recorder, inputs=inputs, outputs=numbers)
        program.verify()

    def finish(values: list[ndarray]) -> Any:
        for t, value in zip((*added, *returned), values, strict=True):
            t._value = value
            t._level = 0
            t._node = None
        return result

    traced = Traced(program, cells, written, leaves, finish)
    traced()
    return traced


@contextmanager
def _traced_values(cells: list[Any], recorder: Recorder) -> Iterator[list[int]]:
    """Let tensors hold values of a program for a while; give the numbers of these."""
    before = [(t, t._value, t._level, version_of(t), t._grad) for t in cells]
    try:
        for t in cells:
            t._value = recorder.new(t._value.shape, t._value.dtype)
            t._level = recorder.level
        yield [t._value.index for t in cells]
    finally:
        for t, value, level, count, grad in before:
            t._value = value
            t._level = level
            t._grad = grad
            if not t._inference:
                t._counter[0] = count


def _check_inputs(cells: list[Any]) -> None:
    for t in cells:
        if t._view is not None:
            raise ValueError(
                "trace: a view among the inputs cannot be told apart from its base; pass a clone"
            )
        if t._node is not None and not t.is_leaf:
            raise ValueError(
                "trace: an input that is the result of a recorded op has a history outside the program"
            )


def _traced(t: Any) -> bool:
    return isinstance(t._value, Tracer)

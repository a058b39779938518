"""Write a step down: a function that may call backward, step optimizers and write to what it holds.

It is captured as `compile` captures it with ``fullgraph=True``. What this module must do:

- every tensor that the function comes upon and is not given is state, under a name by which it is found;
- what the function leaves in it (a parameter, a moment of Adam, a gradient that the next call adds to) is
  written there by each call, so that calls follow one another as eager's do;
- what changes Python's objects is an error that names it;
- the function, its tensors and the state of random numbers are left as they were.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from types import MethodType
from typing import Any

import numpy as np

from ...compiler.frontend.results import Result
from ...compiler.frontend.state.deferred import Item
from ...compiler.frontend.state.optimizer_state import Dial
from ...compiler.frontend.state.recorded_warnings import WarnAgain
from ...compiler.frontend.unsupported import OnlyNow, Unsupported
from ...compiler.program.program import Program
from ...compiler.program.text import kind, value_as_text
from ...compiler.runtime.compiled import Compiled
from ...core.value import TensorBase, array_of, wrap
from ...errors import with_note
from ...nn import Module
from ...tensor.random import default_generator
from ...tensor.tree import tree_unflatten
from ..structure import Place, named_tensors, tensors_given
from .subject import Subject

#: Traces until the gradients that a call leaves are those that it finds.
_TRACES = 3


def step_written_down(
    function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], names: Sequence[str]
) -> Subject:
    """Return a step, whose arguments by position have the given names.

    Raises a RuntimeError where it does what a program cannot hold, or changes Python's objects.
    """
    arguments = tensors_given(args, kwargs, names)
    drawn = default_generator.get_state()
    grads: list[tuple[Any, Any]] = []
    captured: Any = None
    try:
        for _ in range(_TRACES):
            captured = _captured(function, args, kwargs)
            _check_gradients(captured, arguments)
            tensors = _tensors(captured, [t for _, t in arguments])
            open_ends = [
                (tensors[at], n is not None) for at, n, _ in captured.grads
                if at in (captured.grad_absent if n is not None else captured.grad_present)
            ]  # fmt: skip
            if not open_ends:
                return _subject(captured, tensors, function, arguments)
            captured.undo()
            for t, is_left in open_ends:
                grads.append((t, t._grad))
                # Gradients that are added to begin with 0.
                t._grad = wrap(np.zeros_like(array_of(t))) if is_left else None
        raise RuntimeError("freeze: each call of the function finds other gradients than the one before")
    finally:
        if captured is not None:
            captured.undo()
        for t, before in reversed(grads):
            t._grad = before
        default_generator.set_state(drawn)


def _captured(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    try:
        return Compiled(function, fullgraph=True).captured(args, dict(kwargs))
    except Unsupported as error:
        raise RuntimeError(f"freeze: {error}") from error
    except OnlyNow as error:
        raise with_note(
            RuntimeError("freeze: the first call of the function does something else than later ones"),
            "It gives a warning once, say, or makes state that it then keeps: call it once before.",
        ) from error


def _tensors(captured: Any, arguments: Sequence[Any]) -> list[Any]:
    """Return the tensors of the cells; None for a gradient that is not there."""
    found: list[Any] = [
        None if cell.kind == "grad" else cell.tensor(arguments, []) for cell in captured.cells
    ]
    for at, cell in enumerate(captured.cells):
        if cell.kind == "grad":
            found[at] = cell.tensor(arguments, found)
    return found


def _subject(
    captured: Any, tensors: Sequence[Any], function: Any, arguments: Sequence[tuple[str, Any]]
) -> Subject:
    """Make the program that a captured call is; `arguments` are its tensors, with what each is called."""
    _check_effects(captured)
    program = captured.program
    is_argument = [cell.kind == "argument" for cell in captured.cells]
    held = [at for at, given in enumerate(is_argument) if not given]
    places = {cell.where: at for at, cell in enumerate(captured.cells) if is_argument[at]}
    inputs = [program.inputs[at] for at in held]
    position = {at: n for n, at in enumerate(held)}
    shapes, kinds = [*program.shapes], [*program.dtypes]
    for n, (_, t) in enumerate(arguments):
        if n in places:
            position[places[n]] = len(inputs)
            inputs.append(program.inputs[places[n]])
        else:
            # What the program does not read is given to it all the same.
            inputs.append(len(shapes))
            shapes.append(tuple(t.shape))
            kinds.append(array_of(t).dtype)
    made = _Outputs(captured)
    written = made.written(position)
    leaves = [made.place(result) for result in captured.results[: captured.structure.num_leaves]]
    state = _named_state(captured, tensors, held, function)
    whole = Program(inputs, program.equations, made.outputs, program.constants, shapes, kinds)
    result = tree_unflatten(leaves, captured.structure)
    return Subject(whole, state, [path for path, _ in arguments], written, made.returned, result)


class _Outputs:
    """Collect the values that a program gives: for what it writes to, and for what the function returns.

    `returned` says how each tensor comes of an output: by views, as a part, as a number.
    """

    def __init__(self, captured: Any) -> None:
        self.captured = captured
        self.outputs: list[int] = []
        self.returned: list[dict[str, Any]] = []
        self._grads = {at: n for at, n, _ in captured.grads}
        self._writes = dict(captured.writes)
        self._cells = {cell.where: at for at, cell in enumerate(captured.cells) if cell.kind == "grad"}

    def written(self, position: Mapping[int, int]) -> list[tuple[int, int]]:
        """Return (input, output) for each input that the program writes to, by the inputs of its cells."""
        program, found = self.captured.program, []
        # A gradient that no call reads is left out.
        cells = self._cells
        grads = [(cells[at], n) for at, n, _ in self.captured.grads if n is not None and at in cells]
        for at, n in (*self.captured.writes, *grads):
            found.append((position[at], len(self.outputs)))
            self.outputs.append(program.outputs[n])
        return found

    def place(self, result: Result) -> Any:
        """Return the place of a tensor among those that are returned; another value as it is."""
        if result.kind == "value":
            return result.at
        told: dict[str, Any] = {"output": len(self.outputs)}
        source = result
        if result.kind == "number":
            deferred, sources = result.at
            if type(deferred) is not Item or deferred.convert is not None:
                raise with_note(
                    RuntimeError("freeze: the function returns a number that it works out in Python"),
                    "Return the tensor, or its item().",
                )
            told["number"] = True
            source = sources[id(deferred.tensor)]
        steps: list[Any] = []
        while source.kind in ("view", "alias"):
            if source.kind == "view":
                steps = [*([op.name, value_as_text(tuple(a)), index] for op, a, index in source.at), *steps]
            assert source.source is not None
            source = source.source
        told["steps"] = steps
        self.outputs.append(self._value(source, told))
        self.returned.append(told)
        return Place(len(self.returned) - 1)

    def _value(self, source: Result, told: dict[str, Any]) -> int:
        """Return the program's value that a result is, or is a part of."""
        program, writes, grads = self.captured.program, self._writes, self._grads
        if source.kind == "cell":
            return program.outputs[writes[source.at]] if source.at in writes else program.inputs[source.at]
        if source.kind == "grad":
            if (n := grads.get(source.at)) is None:
                return self._value(Result("cell", self._cells[source.at]), told)
            return program.outputs[n]
        made = self.captured.made[source.at]
        if made.output is None:
            raise with_note(
                RuntimeError("freeze: the function returns a part of a tensor that it holds or is given"),
                "Return a clone of it.",
            )
        if made.placement is not None:
            p = made.placement
            told["placement"] = [p.offset, [*p.strides], kind(p.shape, p.dtype)]
        return program.outputs[made.output]


def _check_gradients(captured: Any, arguments: Sequence[tuple[str, Any]]) -> None:
    """Refuse a function that leaves gradients on arguments, which are other tensors in each call."""
    cells = captured.cells
    leaves = [at for at, *_ in captured.grads] + [cell.where for cell in cells if cell.kind == "grad"]
    names = [arguments[cells[at].where][0] for at in leaves if cells[at].kind == "argument"]
    if names:
        raise with_note(
            RuntimeError(f"freeze: the function leaves a gradient on {', '.join(dict.fromkeys(names))}"),
            "Return it (torch.autograd.grad).",
        )


def _check_effects(captured: Any) -> None:
    """Refuse a function that changes Python's objects; give its warnings now."""
    at = captured.structure.num_leaves
    changes = []
    for effect, structure in captured.effects:
        values = [r.at for r in captured.results[at : at + structure.num_leaves] if r.kind == "value"]
        at += structure.num_leaves
        if type(effect) is WarnAgain:
            effect()
            continue
        name = getattr(effect, "__name__", type(effect).__name__).strip("_")
        changes.append(" ".join([name, *(repr(v) for v in values if isinstance(v, str))]))
    if changes:
        told = ", ".join(dict.fromkeys(changes))
        raise with_note(
            RuntimeError(f"freeze: each call changes objects of Python's: {told}"),
            "A frozen step changes tensors alone: write to them in place, count in a tensor, and call "
            "schedulers and print outside of it.",
        )
    if captured.asked or any(cell.kind == "number" for cell in captured.cells):
        raise RuntimeError("freeze: numbers of tensors, or counters, decide what the function does")


def _named_state(captured: Any, tensors: Sequence[Any], held: Sequence[int], function: Any) -> dict[str, Any]:
    """Return the arrays that the function holds, by names."""
    names: dict[int, str] = {}
    for name, t in _found(function):
        names.setdefault(id(t), name)
    groups = {
        id(group): f"{name}.param_groups.{n}" for name, thing in _held_by(function)
        if hasattr(thing, "param_groups") for n, group in enumerate(thing.param_groups)
    }  # fmt: skip
    for guard in captured.guards:
        if isinstance(guard, Dial):
            names.setdefault(id(guard.cell), f"{groups.get(id(guard.container), 'optimizer')}.{guard.key}")
    state: dict[str, Any] = {}
    for at in held:
        cell, t = captured.cells[at], tensors[at]
        own = names.get(id(t), f"tensor{at}")
        if cell.kind == "grad":
            own = f"{names.get(id(tensors[cell.where]), f'tensor{cell.where}')}.grad"
        state[f"tensor{at}" if own in state else own] = array_of(t)
    return state


def _held_by(function: Any) -> list[tuple[str, Any]]:
    """Return what a function closes over, finds among the names of its module, or has as its object."""
    found: list[tuple[str, Any]] = []
    if isinstance(function, MethodType):
        found += [*getattr(function.__self__, "__dict__", {}).items()]
        function = function.__func__
    if inspect.isfunction(function):
        variables = inspect.getclosurevars(function)
        found += [*variables.nonlocals.items(), *variables.globals.items()]
    return found


def _found(function: Any) -> Iterator[tuple[str, Any]]:
    """Yield the tensors that a function holds, with names as in the state dicts of what holds them."""
    for name, thing in _held_by(function):
        if isinstance(thing, TensorBase):
            yield name, thing
        elif isinstance(thing, Module):
            for path, t in (*thing.named_parameters(), *thing.named_buffers()):
                yield f"{name}.{path}", t
        elif hasattr(thing, "param_groups"):
            parameters = [p for group in thing.param_groups for p in group["params"]]
            for n, p in enumerate(parameters):
                yield f"{name}.param.{n}", p
                for key, value in thing.state.get(p, {}).items():
                    if isinstance(value, TensorBase):
                        yield f"{name}.state.{n}.{key}", value
        elif isinstance(thing, (list, tuple, dict)):
            yield from named_tensors(thing, name)

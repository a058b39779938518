"""Checkpoint functions: save inputs instead of intermediate values, which backward computes again.

The reentrant form is a Function whose backward runs the function again and calls `backward` inside. The other
form packs each saved tensor as a number; the first unpack runs the function again and keeps what it would
have saved, in order.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import get_ident
from typing import Any

import numpy as np

from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad, no_grad
from ..autograd.graph import saved_tensors_hooks
from ..core.backward_task import selecting
from ..core.levels import META
from ..core.node import LEAF
from ..core.tracer import running
from ..core.value import wrap
from ..core.warn import warn
from ..tensor.backward import backward
from ..tensor.random import get_rng_state, set_rng_state
from ..tensor.tensor import Tensor
from ..torch_names.amp.autocast_mode import autocast, is_autocast_enabled
from .selective_checkpoint import (  # noqa: F401  # torch has them here
    SAC_IGNORED_OPS,
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)


class CheckpointError(RuntimeError):
    """The second run of a checkpointed function saved other tensors than the first."""


CheckpointError.__module__ = "torch.utils.checkpoint"


def get_device_states(*args: Any) -> tuple[list[int], list[Any]]:
    """Return the random states of the accelerators that arguments are on: none are."""
    return [], []


def set_device_states(devices: Any, states: Any, *, device_type: Any = None) -> None:
    """Restore what `get_device_states` gave: nothing."""


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return detached inputs that require grad where the originals do."""
    return tuple(x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in inputs)


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn where no input requires grad."""
    if not any(x.requires_grad for x in inputs if isinstance(x, Tensor)):
        warn("None of the inputs have requires_grad=True. Gradients will be None")


def _state(preserve: bool) -> tuple[Any, autocast]:
    """Return the place in the random stream, which is its state or how much a trace has drawn (None: it need
    not be kept), and the precision that functions run in.
    """
    recorder = running()
    drawn: Any = None
    if preserve:
        drawn = get_rng_state() if recorder is None else (recorder, len(recorder.draws))
    return drawn, autocast("cpu", enabled=is_autocast_enabled("cpu"))


@contextlib.contextmanager
def _with_state(kept: tuple[Any, autocast]) -> Iterator[None]:
    """Put back within the block the random stream and the precision as they were at the first run."""
    state, precision = kept
    with precision, _with_stream(state):
        yield


@contextlib.contextmanager
def _with_stream(state: Any) -> Iterator[None]:
    """Put back within the block the random stream as it was at the first run (None: leave it)."""
    if state is None:
        yield
        return
    if isinstance(state, tuple):
        recorder, start = state
        with recorder.repeating(start):
            yield
        return
    now = get_rng_state()
    set_rng_state(state)
    try:
        yield
    finally:
        set_rng_state(now)


class CheckpointFunction(Function):
    """The reentrant form."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.state = _state(preserve_rng_state)
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.others = [None if isinstance(a, Tensor) else a for a in args]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if get_ident() in selecting:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an "
                "`inputs` parameter to .backward(). To resolve this error, you can either set "
                "use_reentrant=False, or call .backward() without passing the `inputs` argument."
            )
        inputs = list(ctx.others)
        for i, t in zip(ctx.places, ctx.saved_tensors, strict=True):
            inputs[i] = t
        with _with_state(ctx.state):
            detached = detach_variable(tuple(inputs))
            with enable_grad():
                outputs = ctx.run_function(*detached)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = [
            (y, g)
            for y, g in zip(outputs, grads, strict=True)
            if isinstance(y, Tensor) and y.requires_grad
        ]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([y for y, _ in pairs], [g for _, g in pairs])
        return (None, None, *(d.grad if isinstance(d, Tensor) else None for d in detached))


class _Inputs(Function):
    """Saves the inputs of the other form, so that the second run notices writes to them."""

    @staticmethod
    def forward(ctx: Any, recorded: Tensor, *args: Any) -> Any:
        ctx.save_for_backward(*(a for a in args if isinstance(a, Tensor)))
        return recorded.clone()


def _kept(args: tuple[Any, ...]) -> Callable[[], Sequence[Any]]:
    """Return what gives the second run its inputs, and raises torch's error for one that was written to."""
    if running() is not None or any(isinstance(a, Tensor) and a._level > META for a in args):
        return lambda: args
    node: Any = _Inputs.apply(wrap(np.empty(0, np.float32), LEAF), *args).grad_fn
    others = [None if isinstance(a, Tensor) else a for a in args]
    places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]

    def inputs() -> list[Any]:
        given = list(others)
        for i, t in zip(places, node.saved_tensors, strict=True):
            given[i] = t
        return given

    return inputs


class _Frame:
    """One call of the other form: what runs it again, and what the second run saved."""

    def __init__(self, run: Callable[[], Any], early_stop: bool) -> None:
        self.run = run
        self.early_stop = early_stop
        self.metadata: list[Any] = []
        self.recomputed: dict[int, Any] = {}


class _StopRecomputation(Exception):
    """Raised when the second run has saved all that the first did."""


def _metadata(x: Any) -> tuple[Any, Any, Any]:
    return x.shape, x.dtype, x.device


def _unpack(held: tuple[_Frame, int]) -> Any:
    frame, index = held
    if index not in frame.recomputed:
        _recompute(frame)
    if index not in frame.recomputed:
        raise CheckpointError(
            "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. "
            "If you are calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise "
            "please open an issue with details on your use case."
        )
    return frame.recomputed.pop(index)


def _recompute(frame: _Frame) -> None:
    count = 0

    def pack(x: Any) -> Any:
        nonlocal count
        index = count
        count += 1
        if index < len(frame.metadata):
            if frame.metadata[index] != _metadata(x):
                raise CheckpointError(_mismatch(frame, index, x))
            frame.recomputed[index] = x.detach()
        if frame.early_stop and count == len(frame.metadata):
            raise _StopRecomputation
        return x.detach()

    try:
        with saved_tensors_hooks(pack, lambda x: x), enable_grad():
            frame.run()
    except _StopRecomputation:
        return
    if count != len(frame.metadata):
        raise CheckpointError(
            "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
            f"recomputation.\nNumber of tensors saved during forward: {len(frame.metadata)}\nNumber of "
            f"tensors saved during recomputation: {count}."
        )


def _mismatch(frame: _Frame, index: int, x: Any) -> str:
    def shown(metadata: tuple[Any, Any, Any]) -> str:
        return str({"shape": metadata[0], "dtype": metadata[1], "device": metadata[2]})

    return (
        "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
        f"during the forward pass.\ntensor at position {index}:\nsaved metadata: "
        f"{shown(frame.metadata[index])}\nrecomputed metadata: {shown(_metadata(x))}\n"
    )


_early_stop = [True]


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Say whether within the block the second run stops once it has saved all that is needed."""
    before, _early_stop[0] = _early_stop[0], enable
    try:
        yield
    finally:
        _early_stop[0] = before


def noop_context_fn() -> tuple[Any, Any]:
    """Return contexts of the first and the second run that do nothing."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(
    function: Callable[..., Any], *args: Any, use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn, determinism_check: str = "default",
    debug: bool = False, early_stop: bool = True, **kwargs: Any,
) -> Any:  # fmt: skip
    """Return ``function(*args, **kwargs)`` without keeping its intermediate values; backward computes them
    again.

    Parameters
    ----------
    use_reentrant : bool
        Which of the two forms.
    preserve_rng_state : bool
        Draw the same random numbers in the second run (True).
    """
    if use_reentrant is None:
        warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in "
            "PyTorch 2.9, calling checkpoint without use_reentrant will raise an exception. "
            "use_reentrant=False is recommended, but if you need to preserve the current default behavior, "
            "you can pass use_reentrant=True. Refer to docs for more details on the differences between the "
            "two variants."
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs and use_reentrant:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if use_reentrant:
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        if running() is None:
            return CheckpointFunction.apply(function, preserve, *args)
        # Traced, both forms are the same, as long as there is something to pull back to.
        check_backward_validity(args)
        if not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            with no_grad():
                return function(*args)
    state = _state(preserve)
    first, second = context_fn()
    inputs = _kept(args)

    def again() -> None:
        given = inputs()
        with _with_state(state), second:
            function(*given, **kwargs)

    frame = _Frame(again, early_stop and _early_stop[0])

    def pack(x: Any) -> tuple[_Frame, int]:
        frame.metadata.append(_metadata(x))
        return frame, len(frame.metadata) - 1

    with saved_tensors_hooks(pack, _unpack), first:
        return function(*args, **kwargs)


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Run modules in order, checkpointing all but the last of `segments` stretches."""
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    modules = list(functions.children()) if hasattr(functions, "children") else list(functions)

    def stretch(start: int, stop: int) -> Callable[[Any], Any]:
        def run(x: Any) -> Any:
            for module in modules[start:stop]:
                x = module(x)
            return x

        return run

    size = len(modules) // segments
    stop = 0
    for start in range(0, size * (segments - 1), size):
        stop = start + size
        input = checkpoint(
            stretch(start, stop), input, use_reentrant=use_reentrant, preserve_rng_state=preserve
        )
    return stretch(stop, len(modules))(input)

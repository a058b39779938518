"""torch.autograd.graph: nodes, gradient edges, hooks on saved values.

Within `allow_mutation_on_saved_tensors` a node keeps a handle in place of what it saves. A write looks for
handles whose tensor shares memory with what is written to, and has them keep a copy from then on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from threading import get_ident
from typing import Any
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

import numpy as np

from ..core import backward_task
from ..core.calls import own_edge_of
from ..core.inplace import before_writes
from ..core.marked import memory_of
from ..core.modes import change, forget_hooks, modes
from ..core.node import GradientEdge, Node, edge_target
from ..core.tracer import running
from ..core.value import TensorBase
from ..core.versions import bump
from ..tensor.interception import activate, deactivate
from .grad_mode import no_grad


class saved_tensors_hooks:
    """Send every tensor saved within the block through `pack_hook`, and back through `unpack_hook`."""

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        reason = modes().saved_hooks_disabled
        if reason is not None:
            raise RuntimeError(reason)
        activate()
        change(saved_hooks=(*modes().saved_hooks, (self.pack_hook, self.unpack_hook)))

    def __exit__(self, *exc: object) -> None:
        change(saved_hooks=modes().saved_hooks[:-1])
        deactivate()
        forget_hooks()


class _Handle:
    """Stand for a tensor in what a node keeps."""


class _AllowMutationOnSavedContext:
    """Keep saved tensors: `original` as they are, `cloned` as they were when written to."""

    def __init__(self) -> None:
        self.cloned: MutableMapping[_Handle, Any] = WeakKeyDictionary()
        self.original: MutableMapping[_Handle, Any] = WeakKeyDictionary()
        self._handles: MutableMapping[int, _Handle] = WeakValueDictionary()

    def clear(self) -> None:
        """Forget all saved tensors."""
        for known in (self.cloned, self.original, self._handles):
            known.clear()

    def _pack(self, tensor: Any) -> _Handle:
        key = id(tensor._value)
        handle = self._handles.get(key)
        if handle is None or handle not in self.original:
            handle = self._handles[key] = _Handle()
            self.original[handle] = tensor
        return handle

    def _unpack(self, handle: _Handle) -> Any:
        found = self.cloned.get(handle, self.original.get(handle)) if _open else None
        assert found is not None, (
            "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph "
            "was originally recorded."
        )
        return found

    def _before_write(self, written: Any) -> None:
        if written._level:
            return
        memory = memory_of(written)
        for handle, tensor in list(self.original.items()):
            if not tensor._level and np.may_share_memory(memory, memory_of(tensor)):
                with no_grad():
                    self.cloned[handle] = tensor.detach().clone()
                del self.original[handle]


#: The context that is open; there is one at most.
_open: list[_AllowMutationOnSavedContext] = []


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_AllowMutationOnSavedContext]:
    """Copy within a tensor that was saved for `backward` before it is written to, so that `backward` still
    has what was saved; it must run within, too.
    """
    if _open:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    if (recorder := running()) is not None:
        raise recorder.refuse(RuntimeError("the function keeps copies of what it writes to"))
    context = _AllowMutationOnSavedContext()
    with saved_tensors_hooks(context._pack, context._unpack):
        _open.append(context)
        before_writes.append(context._before_write)
        try:
            yield context
        finally:
            context.clear()
            before_writes.remove(context._before_write)
            _open.remove(context)


for _class in (saved_tensors_hooks, _AllowMutationOnSavedContext):
    _class.__module__ = "torch.autograd.graph"
allow_mutation_on_saved_tensors.__module__ = "torch.autograd.graph"


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """Return the edge at which a tensor's covector arrives."""
    if tensor._node is None:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients"
        )
    node, index = edge_target(own_edge_of(tensor))
    return GradientEdge(node, index)


def increment_version(tensor: Any) -> None:
    """Tell autograd that tensors were written to behind its back."""
    if not isinstance(tensor, (TensorBase, Iterable)):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for t in (tensor,) if isinstance(tensor, TensorBase) else tensor:
        bump(t)


class save_on_cpu(saved_tensors_hooks):
    """Keep saved tensors within the block on the CPU as copies, off their storage."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda tensor: tensor.clone(), lambda packed: packed)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Let entering `saved_tensors_hooks` within raise a RuntimeError with this message."""
    if modes().saved_hooks:
        raise RuntimeError(error_message)
    before = change(saved_hooks_disabled=error_message)
    try:
        yield
    finally:
        change(saved_hooks_disabled=before.saved_hooks_disabled)


class _MultiHandle:
    """Handle over several hooks."""

    def __init__(self, handles: Sequence[Any]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Take all of the hooks out."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _MultiHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def register_multi_grad_hook(
    tensors: Sequence[Any], fn: Callable[..., Any], *, mode: str = "all"
) -> _MultiHandle:
    """Call ``fn`` when the covectors of all tensors (mode "all") or of the first (mode "any") are known."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        ran: WeakSet[backward_task.Task] = WeakSet()

        def first(g: Any) -> None:
            task = _running_task()
            if task not in ran:
                ran.add(task)
                fn(g)

        return _MultiHandle([t.register_hook(first) for t in tensors if t.requires_grad])

    targets = [_node_of(t) for t in tensors]
    tasks: WeakKeyDictionary[backward_task.Task, _Waiting] = WeakKeyDictionary()

    def hook_for(position: int) -> Callable[[Any], None]:
        def hook(g: Any) -> None:
            task = _running_task()
            waiting = tasks.get(task)
            if waiting is None:
                waiting = tasks[task] = _Waiting(task.reached(targets), [None] * len(targets))
            waiting.grads[position] = g
            waiting.missing -= 1
            if not waiting.missing:
                del tasks[task]
                fn(waiting.grads)

        return hook

    return _MultiHandle([t.register_hook(hook_for(k)) for k, t in enumerate(tensors)])


class _Waiting:
    """Hold what a hook on several tensors has got in a run of backward, and how many covectors it lacks."""

    def __init__(self, missing: int, grads: list[Any]) -> None:
        self.missing = missing
        self.grads = grads


def _running_task() -> backward_task.Task:
    task = backward_task.running.get(get_ident())
    assert task is not None, "expected this hook to be called inside a backward call"
    return task


def _node_of(tensor: Any) -> Node:
    assert tensor.requires_grad, "Expected gradient function to be set"
    return edge_target(own_edge_of(tensor))[0]


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Accept the value: there are no streams on a CPU."""


def set_override_stale_capture_stream(enabled: bool) -> None:
    """Accept the value: there are no streams on a CPU."""


__all__ = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks",
    "get_gradient_edge", "increment_version", "register_multi_grad_hook", "save_on_cpu",
    "saved_tensors_hooks", "set_override_stale_capture_stream", "set_warn_on_accumulate_grad_stream_mismatch",
]

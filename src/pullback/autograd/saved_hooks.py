"""Hooks on saved tensors, and the context in which saved tensors may be written to.

Within `allow_mutation_on_saved_tensors` a node keeps a handle in place of what it saves. A write looks for
handles whose tensor shares memory with what is written to, and has them keep a copy from then on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from ..core.inplace import before_writes
from ..core.marked import memory_of
from ..core.modes import change, modes
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
        change(saved_hooks=(*modes().saved_hooks, (self.pack_hook, self.unpack_hook)))

    def __exit__(self, *exc: object) -> None:
        change(saved_hooks=modes().saved_hooks[:-1])


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

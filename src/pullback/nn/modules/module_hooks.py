"""Keep hooks on modules: the stores, how a hook enters them, and the hooks that all modules share.

A store is an ordered dictionary by the handle's number, as in torch, since libraries look into it. What is
said of a hook beside the hook itself (that it takes keyword arguments, that it is always called) is in
stores of its own under the same number.
"""

import functools
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ...core.hooks import RemovableHandle

Hook = Callable[..., Any]
Store = OrderedDict[int, Any]

_global_buffer_registration_hooks: Store = OrderedDict()
_global_module_registration_hooks: Store = OrderedDict()
_global_parameter_registration_hooks: Store = OrderedDict()

_global_backward_pre_hooks: Store = OrderedDict()
_global_backward_hooks: Store = OrderedDict()
_global_forward_pre_hooks: Store = OrderedDict()
_global_forward_hooks: Store = OrderedDict()
_global_forward_hooks_always_called: Store = OrderedDict()
_global_forward_hooks_with_kwargs: Store = OrderedDict()

#: The numbers of all hooks that run in every module's call: one look here tells a call that there are none.
running_everywhere: Store = OrderedDict()

#: Whether the shared backward hooks are full ones; None while there never was one.
_shared_hooks_are_full: bool | None = None


def put(store: Store, hook: Hook, *marks: Store, prepend: bool = False) -> RemovableHandle:
    """Put a hook behind the others, or before; the stores `marks` tell of it until the handle removes it."""
    handle = RemovableHandle(store, extra_dict=list(marks))
    store[handle.id] = hook
    for mark in marks:
        mark[handle.id] = True
    if prepend:
        store.move_to_end(handle.id, last=False)
    return handle


def replaced_by(hooks: Store, module: Any, name: str, value: Any) -> Any:
    """Return what is registered once registration hooks have seen a value."""
    for hook in hooks.values():
        if (given := hook(module, name, value)) is not None:
            value = given
    return value


class _WrappedHook:
    """A hook that gets its module first; it holds the module weakly, so that the two make no cycle, and a
    copy of the module gets a copy of the hook that knows the copy.
    """

    def __init__(self, hook: Hook, module: Any = None) -> None:
        self.hook = hook
        functools.update_wrapper(self, hook)
        self.with_module = module is not None
        if module is not None:
            self.module = weakref.ref(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.with_module:
            return self.hook(*args, **kwargs)
        if (module := self.module()) is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        state = {"hook": self.hook, "with_module": self.with_module}
        return {**state, "module": self.module()} if self.with_module else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook = state["hook"]
        self.with_module = state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


# where files of torch's have it
_WrappedHook.__module__ = "pullback.nn.modules.module"


class ModuleHooks:
    """Hold the hooks around a module's call."""

    _forward_pre_hooks: Store
    _forward_pre_hooks_with_kwargs: Store
    _forward_hooks: Store
    _forward_hooks_with_kwargs: Store
    _forward_hooks_always_called: Store
    _backward_pre_hooks: Store
    _backward_hooks: Store
    _is_full_backward_hook: bool | None

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before `forward`; what it returns replaces the arguments.

        With `with_kwargs` it is called as ``hook(module, args, kwargs)`` and returns both or None.
        """
        marks = [self._forward_pre_hooks_with_kwargs] if with_kwargs else []
        return put(self._forward_pre_hooks, hook, *marks, prepend=prepend)

    def register_forward_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after `forward`; what it returns replaces the output.

        With `with_kwargs` it is called as ``hook(module, args, kwargs, output)``; with `always_call` also
        when `forward` or a hook raised.
        """
        marks = [self._forward_hooks_with_kwargs] if with_kwargs else []
        if always_call:
            marks.append(self._forward_hooks_always_called)
        return put(self._forward_hooks, hook, *marks, prepend=prepend)

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` when the outputs' covectors are known."""
        return put(self._backward_pre_hooks, hook, prepend=prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the inputs' covectors are known."""
        self._set_kind_of_backward_hooks(True)
        return put(self._backward_hooks, hook, prepend=prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` with the covectors of the node that made the
        output; deprecated in favour of `register_full_backward_hook`.
        """
        self._set_kind_of_backward_hooks(False)
        return put(self._backward_hooks, hook)

    def _set_kind_of_backward_hooks(self, full: bool) -> None:
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please "
                "use only one of them."
            )
        self._is_full_backward_hook = full

    def _get_backward_hooks(self) -> tuple[list[Hook], list[Hook]]:
        """Return the hooks of the call: the full ones and the others, those of every module first."""
        kinds: dict[bool | None, list[Hook]] = {True: [], False: [], None: []}
        kinds[_shared_hooks_are_full] += _global_backward_hooks.values()
        kinds[self._is_full_backward_hook] += self._backward_hooks.values()
        return kinds[True], kinds[False]

    def _get_backward_pre_hooks(self) -> list[Hook]:
        return [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, buffer)`` when any module registers a buffer; its result replaces that."""
    return put(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, submodule)`` when any module registers one; its result replaces that."""
    return put(_global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, parameter)`` when any module registers one; its result replaces that."""
    return put(_global_parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, args)`` before `forward` of every module, before the module's own hooks."""
    return put(_global_forward_pre_hooks, hook, running_everywhere)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call ``hook(module, args, output)`` after `forward` of every module, before the module's own hooks."""
    marks = [_global_forward_hooks_with_kwargs] if with_kwargs else []
    if always_call:
        marks.append(_global_forward_hooks_always_called)
    return put(_global_forward_hooks, hook, running_everywhere, *marks)


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_output)`` for every module when its outputs' covectors are known."""
    return put(_global_backward_pre_hooks, hook, running_everywhere)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` for any module once its inputs' covectors are known."""
    return _put_shared_backward_hook(hook, True)


def register_module_backward_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` for every module with the covectors of the node that
    made its output; deprecated in favour of `register_module_full_backward_hook`.
    """
    return _put_shared_backward_hook(hook, False)


def _put_shared_backward_hook(hook: Hook, full: bool) -> RemovableHandle:
    global _shared_hooks_are_full
    if _shared_hooks_are_full is (not full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please "
            "use only one of them."
        )
    _shared_hooks_are_full = full
    return put(_global_backward_hooks, hook, running_everywhere)

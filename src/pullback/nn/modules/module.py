"""Define `Module`: parameters, buffers and submodules in a tree, with hooks, a state dict and conversions."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Self

from ...core import backend
from ...errors import with_note
from ...tensor.settings import typename
from ...tensor.tensor import Tensor
from ..parameter import Buffer, Parameter
from . import module_hooks
from .module_conversions import ModuleConversions
from .module_hooks import (
    ModuleHooks,
    _global_buffer_registration_hooks,
    _global_module_registration_hooks,
    _global_parameter_registration_hooks,
    _WrappedHook,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
    running_everywhere,
)
from .module_state import _EXTRA_STATE_KEY_SUFFIX, ModuleState, _IncompatibleKeys
from .module_tree import ModuleTree


def _forward_unimplemented(self: Module, *inputs: Any) -> Any:
    """Compute the output: a subclass gives this."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


_STORES = ("_parameters", "_buffers", "_modules")
_HOOK_STORES = (
    "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_forward_hooks", "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called", "_backward_pre_hooks", "_backward_hooks", "_state_dict_hooks",
    "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip


class Module(ModuleTree, ModuleState, ModuleConversions, ModuleHooks):
    """Base of all layers and models.

    Assigning a `Parameter`, a registered buffer's tensor or a `Module` to an attribute registers it;
    `forward` computes the output and is called through the module itself, so that hooks run.
    """

    dump_patches = False
    _version = 1
    training: bool
    forward: Callable[..., Any] = _forward_unimplemented
    #: What calls run once `compile` was asked for.
    _compiled_call_impl: Callable[..., Any] | None = None
    call_super_init = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init and kwargs:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if not self.call_super_init and args:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        put = super().__setattr__
        put("training", True)
        put("_parameters", {})
        put("_buffers", {})
        put("_non_persistent_buffers_set", set())
        put("_modules", {})
        put("_is_full_backward_hook", None)
        for store in _HOOK_STORES:
            put(store, OrderedDict())
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    # --- attributes -----------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        stores = self.__dict__
        # One after the other: a loop over the stores takes 0.2 µs more.
        if (held := stores.get("_parameters")) is not None and name in held:
            return held[name]
        if (held := stores.get("_modules")) is not None and name in held:
            return held[name]
        if (held := stores.get("_buffers")) is not None and name in held:
            return held[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        stores = self.__dict__
        parameters = stores.get("_parameters")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
            return
        if parameters is not None and name in parameters:
            if value is not None:
                raise with_note(
                    TypeError(
                        f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter or "
                        "None expected)"
                    ),
                    "To change its values write under no_grad: `with torch.no_grad(): "
                    "module.weight.copy_(t)`.",
                )
            self.register_parameter(name, value)
            return
        modules = stores.get("_modules")
        if isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_modules")
            self._put_module(name, value)
            return
        if modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' (torch.nn.Module or None "
                    "expected)"
                )
            self._put_module(name, value)
            return
        buffers = stores.get("_buffers")
        marked = isinstance(value, Buffer)
        if marked or (buffers is not None and name in buffers):
            if value is not None and not _is_tensor_like(value):
                raise TypeError(
                    f"cannot assign '{typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor "
                    "or None expected)"
                )
            persistent = value.persistent if marked else name not in self._non_persistent_buffers_set
            self._put_buffer(name, value, persistent)
            return
        super().__setattr__(name, value)

    def _forget(self, name: str, kept: str) -> None:
        """Take a name out of wherever else it is, before it is registered anew.

        What is in the store `kept` is overwritten there and keeps its place: children run in their order.
        """
        stores = self.__dict__
        stores.pop(name, None)
        for store in _STORES:
            if store != kept and store in stores:
                stores[store].pop(name, None)
        if "_non_persistent_buffers_set" in stores:
            stores["_non_persistent_buffers_set"].discard(name)

    def _put_module(self, name: str, module: Module | None) -> None:
        hooks = _global_module_registration_hooks
        self._modules[name] = module_hooks.replaced_by(hooks, self, name, module)

    def _put_buffer(self, name: str, value: Any, persistent: bool) -> None:
        """Register a buffer that is assigned; a subclass's `register_buffer` may not know `persistent`."""
        own = type(self).register_buffer
        if own is Module.register_buffer or "persistent" in inspect.signature(own).parameters:
            self.register_buffer(name, value, persistent)
        elif persistent:
            self.register_buffer(name, value)
        else:
            raise RuntimeError(
                "Registering a non-persistent buffer on a Module subclass that implements register_buffer() "
                "without the persistent argument is not allowed."
            )

    def __delattr__(self, name: str) -> None:
        for store in _STORES:
            if name in self.__dict__.get(store, ()):
                del self.__dict__[store][name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = {*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers}
        return sorted(n for n in names if not n[0].isdigit())

    def _check_name(self, kind: str, name: Any, held: Mapping[str, Any]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else ""))
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if kind != "module":
            self._check_free(name, held)

    def _check_free(self, name: str, held: Mapping[str, Any]) -> None:
        if hasattr(self, name) and name not in held:
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter (or None, which reserves the name)."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, self._parameters)
        if param is None:
            self._parameters[name] = None
        elif not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or "
                "None required)"
            )
        elif param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                f"explicitly. To express '{name}' as a function of another Tensor, compute the value in the "
                "forward() method."
            )
        else:
            hooks = _global_parameter_registration_hooks
            self._parameters[name] = module_hooks.replaced_by(hooks, self, name, param)

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Add a tensor that is no parameter but belongs to the module's state."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not _is_tensor_like(tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None "
                "required)"
            )
        hooks = _global_buffer_registration_hooks
        self._buffers[name] = module_hooks.replaced_by(hooks, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a submodule under a name."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if isinstance(name, str):
            self._check_free(name, self._modules)
        self._check_name("module", name, self._modules)
        self._put_module(name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """Add a submodule under a name."""
        self.add_module(name, module)

    # --- copies and calls -----------------------------------------------------------------------------------

    def _replicate_for_data_parallel(self) -> Self:
        """Return a copy with the same attributes and no parameters; what it refers to is shared."""
        replica = type(self).__new__(type(self))
        replica.__dict__ = self.__dict__.copy()
        replica.__dict__.update(
            _parameters={}, _buffers=self._buffers.copy(), _modules=self._modules.copy(), _is_replica=True
        )
        return replica

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        own = self.__dict__
        if not (
            own["_forward_hooks"]
            or own["_forward_pre_hooks"]
            or own["_backward_hooks"]
            or own["_backward_pre_hooks"]
            or running_everywhere
            or "_compiled_call_impl" in own
        ):
            return self.forward(*args, **kwargs)
        return (self._compiled_call_impl or self._call_impl)(*args, **kwargs)

    _wrapped_call_impl = __call__

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        """Run `forward` and the hooks around it, as Python."""
        from .hooked_call import call_with_hooks

        return call_with_hooks(self, args, kwargs)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile calls of this module, hooks and all; the module stays itself, names of its state too.

        The arguments are those of `torch.compile`. A copy or a file of the module is not compiled.
        """
        self._compiled_call_impl = backend.compiled(self._call_impl, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)
        return state

    def __reduce_ex__(self, protocol: Any) -> Any:
        return reduced(self, protocol, Module, "torch.nn.", _new)

    def __setstate__(self, state: dict[str, Any]) -> None:
        own = self.__dict__
        own.update(state)
        for store in _HOOK_STORES:  # files of older versions of torch lack some
            own.setdefault(store, OrderedDict())
        own.setdefault("_non_persistent_buffers_set", set())
        own.setdefault("_is_full_backward_hook", None)

    # --- printing -------------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """Return what is printed between the parentheses."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr().split("\n") if self.extra_repr() else []
        children = [f"({name}): " + _addindent(repr(module), 2) for name, module in self._modules.items()]
        name = self._get_name()
        if not children and len(extra) <= 1:
            return f"{name}({extra[0] if extra else ''})"
        return f"{name}(\n  " + "\n  ".join([*extra, *children]) + "\n)"


def reduced(value: Any, protocol: Any, root: type, package: str, new: Callable[[str, str], Any]) -> Any:
    """Return how a value is pickled: plain pickle looks a class up in its module, which need not be
    importable by torch's name for it.
    """
    parts: Any = object.__reduce_ex__(value, max(2, int(protocol)))
    cls = type(value)
    module, name = cls.__module__, cls.__qualname__
    if module.startswith(package) and class_named(root, module, name) is cls:
        return (new, (module, name), *parts[2:])
    return parts


def class_named(root: type, module: str, name: str) -> Any:
    """Return the class of this package, `root` or below it, that torch has under a name, or None."""
    classes = [root]
    for cls in classes:
        if cls.__qualname__ == name and cls.__module__ == module:
            return cls
        classes += cls.__subclasses__()
    return None


def _new(module: str, name: str) -> Any:
    """Return an instance, without its attributes, of the class that torch has under a name."""
    cls = class_named(Module, module, name)
    return cls.__new__(cls)


def _addindent(text: str, spaces: int) -> str:
    """Return all lines but the first further in; a blank line stays empty."""
    first, *rest = text.split("\n")
    return "\n".join([first, *(" " * spaces + line if line.strip() else "" for line in rest)])


def _is_tensor_like(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "__torch_function__")


Module.__module__ = "torch.nn.modules.module"
for _part in Module.__bases__:
    for _name, _method in vars(_part).items():
        if inspect.isfunction(_method):
            _method.__qualname__ = f"Module.{_name}"  # as errors call it
__all__ = [
    "_EXTRA_STATE_KEY_SUFFIX", "Module", "_IncompatibleKeys", "_WrappedHook", "register_module_backward_hook",
    "register_module_buffer_registration_hook", "register_module_forward_hook",
    "register_module_forward_pre_hook", "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook", "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

"""`Module`: parameters, buffers and submodules in a tree, with hooks, a state dict and conversions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ...core.hooks import HookDict, RemovableHandle, add_hook
from ...errors import with_note
from ...tensor.tensor import Tensor
from ..parameter import Parameter
from .module_state import ModuleState


class _PreHook(NamedTuple):
    call: Callable[..., Any]
    with_kwargs: bool


class _ForwardHook(NamedTuple):
    call: Callable[..., Any]
    with_kwargs: bool
    always: bool


def _forward_unimplemented(self: Module, *inputs: Any) -> Any:
    """Compute the output: a subclass gives this."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


_STORES = ("_parameters", "_buffers", "_modules")


class Module(ModuleState):
    """Base of all layers and models.

    Assigning a `Parameter`, a registered buffer's tensor or a `Module` to an attribute registers it;
    `forward` computes the output and is called through the module itself, so that hooks run.
    """

    dump_patches = False
    _version = 1
    training: bool
    forward: Callable[..., Any] = _forward_unimplemented
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
        put("_forward_pre_hooks", HookDict())
        put("_forward_hooks", HookDict())
        put("_backward_hooks", HookDict())
        put("_backward_pre_hooks", HookDict())
        put("_state_dict_hooks", HookDict())
        put("_state_dict_pre_hooks", HookDict())
        put("_load_state_dict_pre_hooks", HookDict())
        put("_load_state_dict_post_hooks", HookDict())
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    # --- attributes -----------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        stores = self.__dict__
        for store in _STORES:
            held = stores.get(store)
            if held is not None and name in held:
                return held[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        stores = self.__dict__
        parameters = stores.get("_parameters")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name)
            self.register_parameter(name, value)
            return
        if parameters is not None and name in parameters:
            if value is not None:
                raise with_note(
                    TypeError(
                        f"cannot assign '{_full_name(value)}' as parameter '{name}' (torch.nn.Parameter or "
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
            self._forget(name)
            modules[name] = value
            return
        if modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_full_name(value)}' as child module '{name}' (torch.nn.Module or None "
                    "expected)"
                )
            modules[name] = value
            return
        buffers = stores.get("_buffers")
        if buffers is not None and (name in buffers or getattr(value, "_is_buffer", False)):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{_full_name(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor "
                    "or None expected)"
                )
            if name not in buffers:
                self._forget(name)
                self.register_buffer(name, value, getattr(value, "persistent", True))
            else:
                buffers[name] = value
            return
        super().__setattr__(name, value)

    def _forget(self, name: str) -> None:
        """Take a name out of wherever it is, before it is registered anew."""
        stores = self.__dict__
        stores.pop(name, None)
        for store in _STORES:
            if store in stores:
                stores[store].pop(name, None)
        if "_non_persistent_buffers_set" in stores:
            stores["_non_persistent_buffers_set"].discard(name)

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
            raise TypeError(f"{kind} name should be a string. Got {_full_name(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else ""))
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
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
                f"cannot assign '{_full_name(param)}' object to parameter '{name}' (torch.nn.Parameter or "
                "None required)"
            )
        elif not param.is_leaf:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                f"explicitly. To express '{name}' as a function of another Tensor, compute the value in the "
                "forward() method."
            )
        else:
            self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Add a tensor that is no parameter but belongs to the module's state."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_full_name(tensor)}' object to buffer '{name}' (torch Tensor or None "
                "required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a submodule under a name."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{_full_name(module)} is not a Module subclass")
        self._check_name("module", name, self._modules)
        self._modules[name] = module

    register_module = add_module

    # --- the tree -------------------------------------------------------------------------------------------

    def get_submodule(self, target: str) -> Module:
        """The submodule with a dotted name."""
        module: Any = self
        for part in target.split(".") if target else ():
            if not hasattr(module, part):
                raise AttributeError(f"{type(module).__name__} has no attribute `{part}`")
            module = getattr(module, part)
            if not isinstance(module, Module):
                raise AttributeError(f"`{part}` is not an nn.Module")
        return module

    def _get_leaf(self, target: str, store: str, wrong: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
        if name not in module.__dict__[store]:
            raise AttributeError(wrong.format(name))
        return getattr(module, name)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter with a dotted name."""
        return self._get_leaf(target, "_parameters", "`{}` is not an nn.Parameter")

    def get_buffer(self, target: str) -> Any:
        """The buffer with a dotted name."""
        return self._get_leaf(target, "_buffers", "`{}` is not a buffer")

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[Any]:
        """(name, module) for this module and all below, each once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(
                    memo, f"{prefix}.{name}" if prefix else name, remove_duplicate
                )

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """The module itself and all below."""
        return (module for _, module in self.named_modules(remove_duplicate=remove_duplicate))

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """(name, module) for the direct submodules."""
        seen: set[Any] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The direct submodules."""
        return (module for _, module in self.named_children())

    def _named_members(
        self, members: Callable[[Module], Any], prefix: str, recurse: bool, unique: bool
    ) -> Iterator[Any]:
        seen: set[int] = set()
        pairs = self.named_modules(prefix=prefix, remove_duplicate=unique) if recurse else [(prefix, self)]
        for path, module in pairs:
            for name, value in members(module):
                if value is None or id(value) in seen:
                    continue
                if unique:
                    seen.add(id(value))
                yield (f"{path}.{name}" if path else name), value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[Any]:
        """(dotted name, parameter), each parameter once."""
        return self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[Any]:
        """(dotted name, buffer), each buffer once."""
        return self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Any]:
        """The buffers."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def apply(self, fn: Callable[[Module], None]) -> Module:
        """Call ``fn`` on every submodule, then on this module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # --- modes and conversions ------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Module:
        """Switch training mode on or off in the whole tree."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Module:
        """Switch training mode off."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Module:
        """Set `requires_grad` of every parameter."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters."""
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                parameter.grad = parameter.grad.detach().zero_()

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Module:
        """Put ``fn(tensor)`` in place of every parameter's data, gradient, and every buffer."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is not None:
                parameter.data = fn(parameter.data)
                if parameter._grad is not None:
                    parameter._grad = fn(parameter._grad.data).requires_grad_(parameter._grad.requires_grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Module:
        """Convert floating parameters and buffers to a dtype (or move: there is one device), and those of 4
        and 5 axes to a memory format.
        """
        memory_format = kwargs.pop("memory_format", None)

        def convert(t: Any) -> Any:
            if memory_format is not None and t.dim() in (4, 5):
                t = t.contiguous(memory_format=memory_format)
            if not args and not kwargs:
                return t
            target = t.to(*args, **kwargs)
            return target if t.is_floating_point() or t.is_complex() else t

        return self._apply(convert)

    def type(self, dst_type: Any) -> Module:
        """Convert all parameters and buffers to a type."""
        return self._apply(lambda t: t.type(dst_type))

    def _floating(self, method: str) -> Module:
        return self._apply(lambda t: getattr(t, method)() if t.is_floating_point() else t)

    def float(self) -> Module:
        """Floating parameters and buffers in float32."""
        return self._floating("float")

    def double(self) -> Module:
        """Floating parameters and buffers in float64."""
        return self._floating("double")

    def half(self) -> Module:
        """Floating parameters and buffers in float16."""
        return self._floating("half")

    def bfloat16(self) -> Module:
        """Floating parameters and buffers in bfloat16."""
        return self._floating("bfloat16")

    def cpu(self) -> Module:
        """The module itself: everything is on the CPU."""
        return self

    def share_memory(self) -> Module:
        """Accepted: storage is shared within the process."""
        return self

    # --- calling --------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        own = self.__dict__
        if not (
            own["_forward_hooks"]
            or own["_forward_pre_hooks"]
            or own["_backward_hooks"]
            or own["_backward_pre_hooks"]
            or _GLOBAL
        ):
            return self.forward(*args, **kwargs)
        from .hooked_call import call_with_hooks

        return call_with_hooks(self, args, kwargs)

    _call_impl = __call__

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before `forward`; what it returns replaces the arguments."""
        return add_hook(self._forward_pre_hooks, _PreHook(hook, with_kwargs), prepend)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False,
        always_call: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after `forward`; what it returns replaces the output."""
        return add_hook(self._forward_hooks, _ForwardHook(hook, with_kwargs, always_call), prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the inputs' covectors are known."""
        return add_hook(self._backward_hooks, hook, prepend)

    register_backward_hook = register_full_backward_hook

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` when the outputs' covectors are known."""
        return add_hook(self._backward_pre_hooks, hook, prepend)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    # --- printing -------------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What is printed between the parentheses."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr().split("\n") if self.extra_repr() else []
        children = [
            f"({name}): " + repr(module).replace("\n", "\n  ") for name, module in self._modules.items()
        ]
        name = self._get_name()
        if not children and len(extra) <= 1:
            return f"{name}({extra[0] if extra else ''})"
        return f"{name}(\n  " + "\n  ".join([*extra, *children]) + "\n)"


#: Hooks on every module, by kind ("forward", "forward_pre", "backward", …); empty in nearly every program.
_GLOBAL: dict[str, HookDict] = {}


def _full_name(value: Any) -> str:
    kind = type(value)
    if isinstance(value, Tensor):
        return value.type()
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


Module.__module__ = "torch.nn.modules.module"
__all__ = ["Module"]

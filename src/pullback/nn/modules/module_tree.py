"""Find the modules, parameters and buffers below a module, by name or one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Self

from ..parameter import Parameter

if TYPE_CHECKING:
    from ...tensor.tensor import Tensor
    from .module import Module


class ModuleTree:
    """Go through what a module holds; `Module` has the methods that are declared here."""

    training: bool
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _get_name: Callable[[], str]

    def get_submodule(self, target: str) -> Module:
        """Return the submodule with a dotted name."""
        module: Any = self
        for part in target.split(".") if target else ():
            if not isinstance((module := module._get_attribute(part)), ModuleTree):
                raise AttributeError(f"`{part}` is not an nn.Module")
        return module

    def _get_attribute(self, name: str) -> Any:
        if not hasattr(self, name):
            raise AttributeError(f"{self._get_name()} has no attribute `{name}`")
        return getattr(self, name)

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module in place of the submodule with a dotted name; unless `strict` there need be none."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, ModuleTree):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if (strict or hasattr(parent, name)) and not isinstance(parent._get_attribute(name), ModuleTree):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter with a dotted name."""
        path, _, name = target.rpartition(".")
        parameter = self.get_submodule(path)._get_attribute(name)
        if not isinstance(parameter, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return parameter

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer with a dotted name."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        buffer = module._get_attribute(name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Return (name, module) for this module and all below, each once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        this: Any = self
        yield prefix, this
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(
                    memo, f"{prefix}.{name}" if prefix else name, remove_duplicate
                )

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Return the module itself and all below."""
        return (module for _, module in self.named_modules(remove_duplicate=remove_duplicate))

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Return (name, module) for the direct submodules."""
        seen: set[Any] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """Return the direct submodules."""
        return (module for _, module in self.named_children())

    def _named_members(
        self, get_members_fn: Callable[[Module], Any], prefix: str = "", recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[Any]:
        seen: set[int] = set()
        pairs: Any = [(prefix, self)]
        if recurse:
            pairs = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in pairs:
            for name, value in get_members_fn(module):
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield (f"{path}.{name}" if path else name), value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Return (dotted name, parameter), each parameter once."""
        return self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Return the parameters."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Return (dotted name, buffer), each buffer once."""
        return self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Return the buffers."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def apply(self, fn: Callable[[Module], None]) -> Self:
        """Call ``fn`` on every submodule, then on this module."""
        for module in self.children():
            module.apply(fn)
        this: Any = self
        fn(this)
        return self

    # --- modes ----------------------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Switch training mode on or off in the whole tree."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Switch training mode off."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set `requires_grad` of every parameter."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

"""Define containers of modules; those of parameters are found here too, as in torch."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Self

from ...core.warn import warn
from .container_items import pairs, position
from .module import Module
from .parameter_container import ParameterDict, ParameterList


def _numbered(modules: Iterable[Any]) -> dict[str, Any]:
    """Return modules under the numbers of their places; a new dictionary, as one may be iterated over."""
    return OrderedDict((str(i), module) for i, module in enumerate(modules))


def _insert(modules: dict[str, Any], index: int, module: Any) -> None:
    """Move modules from `index` on up by one and put a module there."""
    for i in range(len(modules), index, -1):
        modules[str(i)] = modules[str(i - 1)]
    modules[str(index)] = module


def _check_sequential(other: Any) -> None:
    if not isinstance(other, Sequential):
        raise ValueError(
            f"add operator supports only objects of Sequential class, but {type(other)} is given."
        )


class Container(Module):
    """A module that is given its submodules by keyword; deprecated."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. "
            "Subclass that instead.", FutureWarning
        )
        for name, module in kwargs.items():
            self.add_module(name, module)


class _InOrder(Module):
    """Modules that stand one behind the other."""

    __getitem__: Callable[..., Any]
    __delitem__: Callable[..., None]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: Any) -> Any:
        """Remove and return a module, or a slice of them."""
        module = self[key]
        del self[key]
        return module


class Sequential(_InOrder):
    """Modules applied one after another; given in order or as an ordered dictionary of names."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for index, module in enumerate(args):
                self.add_module(str(index), module)

    def _key(self, index: Any) -> str:
        return next(islice(self._modules, position(index, len(self)), None))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.__class__(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._key(index)]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._key(index), module)

    def __delitem__(self, index: Any) -> None:
        keys = list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]
        for key in keys:
            delattr(self, key)
        self._modules = _numbered(self._modules.values())

    def insert(self, index: int, module: Module) -> Self:
        """Add a module before position `index`."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        count = len(self)
        if not -count <= index <= count:
            raise IndexError(f"Index out of range: {index}")
        _insert(self._modules, index + count if index < 0 else index, module)
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Add modules at the end."""
        for module in sequential:
            self.append(module)
        return self

    def __add__(self, other: Sequential) -> Sequential:
        _check_sequential(other)
        return Sequential(*self, *other)

    def __iadd__(self, other: Sequential) -> Self:
        _check_sequential(other)
        return self.extend(list(other))

    def __mul__(self, other: int) -> Sequential:
        self._check_factor(other)
        return Sequential(*(module for _ in range(other) for module in self))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Self:
        self._check_factor(other)
        return self.extend([module for _ in range(other - 1) for module in self])

    def _check_factor(self, factor: Any) -> None:
        if not isinstance(factor, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(factor)}")
        if factor <= 0:
            raise ValueError(f"Non-positive multiplication factor {factor} for {type(self)}")

    def forward(self, input: Any) -> Any:
        """Apply the modules in order."""
        for module in self:
            input = module(input)
        return input


class ModuleList(_InOrder):
    """A list of modules."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.__class__(list(self._modules.values())[index])
        return self._modules[str(position(index, len(self)))]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, str(position(index, len(self))), module)

    def __delitem__(self, index: Any) -> None:
        places = range(len(self))[index] if isinstance(index, slice) else [position(index, len(self))]
        for place in places:
            delattr(self, str(place))
        self._modules = _numbered(self._modules.values())

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def insert(self, index: int, module: Module) -> None:
        """Add a module before position `index`."""
        _insert(self._modules, index, module)

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        for module in list(modules):
            self.append(module)
        return self

    def __repr__(self) -> str:
        rows: list[list[Any]] = []
        for index, module in enumerate(self):
            text = repr(module)
            if rows and rows[-1][2] == text:
                rows[-1][1] = index
            else:
                rows.append([index, index, text])
        if not rows:
            return self._get_name() + "()"
        lines = [
            (f"({a}): {text}" if a == b else f"({a}-{b}): {b - a + 1} x {text}").replace("\n", "\n  ") for a,
            b, text in rows
        ]
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """A dictionary of modules."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Remove and return a module."""
        module: Module = self[key]
        del self[key]
        return module

    def keys(self) -> Any:
        """Return the names."""
        return self._modules.keys()

    def items(self) -> Any:
        """Return (name, module) pairs."""
        return self._modules.items()

    def values(self) -> Any:
        """Return the modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules from a mapping or pairs."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(modules).__name__}"
            )
        if isinstance(modules, (Mapping, ModuleDict)):
            for key, module in modules.items():
                self[key] = module
        else:
            for key, module in pairs(modules, "ModuleDict"):
                self[key] = module

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]

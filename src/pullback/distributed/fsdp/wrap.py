"""torch.distributed.fsdp.wrap: which parts of a module are sharded by themselves."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ...nn.modules.container import ModuleDict, ModuleList
from ...nn.modules.module import Module


def always_wrap_policy(*args: Any, **kwargs: Any) -> bool:
    """Wrap every part."""
    return True


def size_based_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, min_num_params: int = int(1e8),
    force_leaf_modules: Any = None, exclude_wrap_modules: Any = None,
) -> bool:  # fmt: skip
    """Wrap a part that has `min_num_params` elements besides those of wrapped parts."""
    large = nonwrapped_numel >= min_num_params
    if recurse:
        return large
    return large and not isinstance(module, tuple(exclude_wrap_modules or (ModuleList, ModuleDict)))


def transformer_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, transformer_layer_cls: Iterable[type]
) -> bool:
    """Wrap the parts that are of these classes."""
    return recurse or isinstance(module, tuple(transformer_layer_cls))


def lambda_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, lambda_fn: Callable[[Module], bool]
) -> bool:
    """Wrap the parts for which a function says so."""
    return recurse or lambda_fn(module)


class ModuleWrapPolicy:
    """Wrap the parts that are of some classes."""

    def __init__(self, module_classes: Iterable[type]) -> None:
        self._module_classes = tuple(module_classes)

    def __call__(self, module: Module, recurse: bool, *args: Any, **kwargs: Any) -> bool:
        return recurse or isinstance(module, self._module_classes)


class CustomPolicy:
    """Wrap the parts for which a function says so."""

    def __init__(self, lambda_fn: Callable[[Module], Any]) -> None:
        self._lambda_fn = lambda_fn

    def __call__(self, module: Module, recurse: bool, *args: Any, **kwargs: Any) -> bool:
        return recurse or bool(self._lambda_fn(module))


_by_hand: list[tuple[type, dict[str, Any]]] = []


@contextmanager
def enable_wrap(*, wrapper_cls: Any, **wrapper_kwargs: Any) -> Iterator[None]:
    """Let `wrap` wrap modules in a class, with these options, within the block."""
    _by_hand.append((wrapper_cls, wrapper_kwargs))
    try:
        yield
    finally:
        _by_hand.pop()


def wrap(module: Module, **wrap_overrides: Any) -> Module:
    """Return a module in the wrapper that `enable_wrap` names; outside of it, as it is."""
    if not _by_hand:
        return module
    kind, options = _by_hand[-1]
    return kind(module, **{**options, **wrap_overrides})


def wrapped_parts(
    module: Module, policy: Any, ignored: set[Module]
) -> list[tuple[Module, str, Module]]:
    """Return the parts of a module that are wrapped, inner ones first, with where they stand.

    The module itself is not among them.
    """
    if isinstance(policy, (set, list, tuple)):
        policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls=tuple(policy))
    found: list[tuple[Module, str, Module]] = []

    def look(owner: Module) -> int:
        """Return how many elements below a module are wrapped."""
        covered = 0
        for name, part in owner.named_children():
            if part in ignored:
                continue
            size = sum(p.numel() for p in part.parameters())
            inside = look(part) if policy(module=part, recurse=True, nonwrapped_numel=size) else 0
            if policy(module=part, recurse=False, nonwrapped_numel=size - inside):
                found.append((owner, name, part))
                covered += size
            else:
                covered += inside
        return covered

    look(module)
    return found


__all__ = [
    "CustomPolicy", "ModuleWrapPolicy", "always_wrap_policy", "enable_wrap", "lambda_auto_wrap_policy",
    "size_based_auto_wrap_policy", "transformer_auto_wrap_policy", "wrap",
]  # fmt: skip

"""torch.distributed.fsdp.wrap: which parts of a module are sharded by themselves."""

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ...nn.modules.attention import MultiheadAttention
from ...nn.modules.container import ModuleDict, ModuleList
from ...nn.modules.module import Module


class HoldsModule(Module):
    """A module that holds another, whose attributes it has and whose names of parameters it keeps."""

    #: The attribute that is the other one.
    _held: str

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__(self._held), name)

    def __getitem__(self, key: Any) -> Any:
        return getattr(self, self._held)[key]

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Any]]:
        """Yield parameters under the names that they have without wrappers."""
        for name, p in super().named_parameters(*args, **kwargs):
            yield name.replace(f"{self._held}.", ""), p


def always_wrap_policy(*args: Any, **kwargs: Any) -> bool:
    """Wrap every part."""
    return True


def size_based_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, min_num_params: int = int(1e8),
    force_leaf_modules: Any = None, exclude_wrap_modules: Any = None,
) -> bool:  # fmt: skip
    """Wrap a part that has `min_num_params` elements besides those of wrapped parts.

    Nothing inside of `force_leaf_modules` is wrapped, by default `MultiheadAttention`, which reads its parts'
    parameters itself; nor are `exclude_wrap_modules`, by default `ModuleList` and `ModuleDict`.
    """
    large = nonwrapped_numel >= min_num_params
    policy: Any = size_based_auto_wrap_policy
    if recurse:
        leaves = policy.FORCE_LEAF_MODULES if force_leaf_modules is None else force_leaf_modules
        return large and not isinstance(module, tuple(leaves))
    left_out = policy.EXCLUDE_WRAP_MODULES if exclude_wrap_modules is None else exclude_wrap_modules
    return large and not isinstance(module, tuple(left_out))


size_based_auto_wrap_policy.EXCLUDE_WRAP_MODULES = {ModuleList, ModuleDict}  # type: ignore[attr-defined]
size_based_auto_wrap_policy.FORCE_LEAF_MODULES = {MultiheadAttention}  # type: ignore[attr-defined]


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
    """Wrap the parts for which a function says so, or gives options of the wrapper."""

    def __init__(self, lambda_fn: Callable[[Module], bool | dict[str, Any]]) -> None:
        self._lambda_fn = lambda_fn

    def __call__(self, module: Module, recurse: bool, *args: Any, **kwargs: Any) -> bool | dict[str, Any]:
        if recurse:
            return True
        if not isinstance((found := self._lambda_fn(module)), (dict, bool)):
            raise ValueError(
                "The lambda_fn passed to CustomPolicy should return False/True or a kwarg dict, but it "
                f"returned {found}"
            )
        return found


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


def as_function(policy: Any) -> Any:
    """Return a policy that is called: a collection of classes says that these are wrapped."""
    if isinstance(policy, (set, list, tuple)):
        return functools.partial(transformer_auto_wrap_policy, transformer_layer_cls=tuple(policy))
    return policy


def wrapped_parts(
    module: Module, policy: Any, ignored: set[Module]
) -> list[tuple[Module, str, Module, dict[str, Any]]]:
    """Return the parts of a module that are wrapped, inner ones first: where each stands, and its options.

    The module itself is not among them.
    """
    policy = as_function(policy)
    found: list[tuple[Module, str, Module, dict[str, Any]]] = []

    def look(owner: Module) -> int:
        """Return how many elements below a module are wrapped."""
        covered = 0
        for name, part in owner.named_children():
            if part in ignored:
                continue
            size = sum(p.numel() for p in part.parameters())
            deeper = policy(module=part, recurse=True, nonwrapped_numel=size)
            inside = look(part) if deeper else 0
            wraps = deeper and policy(module=part, recurse=False, nonwrapped_numel=size - inside)
            if wraps:
                found.append((owner, name, part, wraps if isinstance(wraps, dict) else {}))
                covered += size
            else:
                covered += inside
        return covered

    if policy(module=module, recurse=True, nonwrapped_numel=sum(p.numel() for p in module.parameters())):
        look(module)
    return found


__all__ = [
    "CustomPolicy", "ModuleWrapPolicy", "always_wrap_policy", "enable_wrap", "lambda_auto_wrap_policy",
    "size_based_auto_wrap_policy", "transformer_auto_wrap_policy", "wrap",
]  # fmt: skip

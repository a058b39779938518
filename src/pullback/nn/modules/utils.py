"""Read arguments that may be one number or one per spatial axis, and prefixes of state dicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any


def n_tuple(value: Any, n: int) -> tuple[Any, ...]:
    """Return `value` as a tuple, repeated n times when it is a single number."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * n


def check_rank(input: Any, *ranks: int) -> None:
    """Raise torch's error for an input of another number of axes."""
    if input.dim() not in ranks:
        raise ValueError(f"expected {' or '.join(f'{n}D' for n in ranks)} input (got {input.dim()}D input)")


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    def parse(x: Any) -> tuple[Any, ...]:
        return n_tuple(x, n)

    parse.__name__ = name
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t: Sequence[Any], n: int) -> tuple[Any, ...]:
    """Return the elements from the last to the first, each n times."""
    return tuple(x for x in reversed(t) for _ in range(n))


def differing(module: Any, **usual: Any) -> str:
    """Return the attributes of a module that are not as usual, as `extra_repr` shows them: ", groups=2"."""
    found = ((name, getattr(module, name)) for name in usual)
    return "".join(f", {name}={value}" for name, value in found if value != usual[name])


def _list_with_default(out_size: Any, defaults: Sequence[int]) -> Any:
    """Return the sizes wanted of the last axes, where None stands for the size that the axis has."""
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    kept = defaults[-len(out_size) :]
    return [d if v is None else v for v, d in zip(out_size, kept, strict=True)]


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take a prefix off the names in a state dict, in place; names without it stay.

    A model that was wrapped, as in `DataParallel`, saves its parameters under ``"module."``.
    """
    _take_off(state_dict, prefix, lambda key: key.startswith(prefix))
    if (metadata := getattr(state_dict, "_metadata", None)) is not None:
        whole = prefix.replace(".", "")
        _take_off(metadata, prefix, lambda key: bool(key) and (key == whole or key.startswith(prefix)))


def _take_off(held: dict[str, Any], prefix: str, chosen: Callable[[str], bool]) -> None:
    for key in [key for key in held if chosen(key)]:
        held[key[len(prefix) :]] = held.pop(key)

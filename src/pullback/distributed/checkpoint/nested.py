"""Turn nested states into flat ones and back: entries by the path to them, joined with dots."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...tensor.tensor import Tensor

Path = tuple[Any, ...]


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield the entries of nested mappings, and of lists that hold others or tensors, with their paths."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from leaves(part, (*path, str(key)))
    elif isinstance(value, (list, tuple)) and any(
        isinstance(part, (Mapping, list, tuple, Tensor)) for part in value
    ):
        for number, part in enumerate(value):
            yield from leaves(part, (*path, number))
    else:
        yield path, value


def name_of(path: Path) -> str:
    """Return the name of an entry."""
    return ".".join(map(str, path))


def put(state: Any, path: Path, value: Any) -> None:
    """Put an entry where a path leads."""
    for step in path[:-1]:
        state = state[_key(state, step)]
    if isinstance(state, tuple):
        raise TypeError(f"{name_of(path)} is in a tuple, which does not take another value")
    state[_key(state, path[-1])] = value


def built(paths: Iterable[tuple[Path, Any]]) -> dict[str, Any]:
    """Return the nested state of which these are the entries: a step that is a number leads into a list."""
    state: dict[str, Any] = {}
    for path, value in paths:
        holder: Any = state
        for step, following in zip(path, (*path[1:], None), strict=True):
            if isinstance(holder, list):
                holder += [None] * (step + 1 - len(holder))
            if following is None:
                holder[step] = value
            elif (holder[step] if isinstance(holder, list) else holder.get(step)) is None:
                holder[step] = [] if isinstance(following, int) else {}
            holder = holder[step]
    return state


def _key(state: Any, step: Any) -> Any:
    """Return the key that a step of a path stands for: a mapping's may be no text."""
    if isinstance(state, Mapping) and step not in state:
        return next((key for key in state if str(key) == step), step)
    return step

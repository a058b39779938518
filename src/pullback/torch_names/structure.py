"""Say what a model is given and returns: the tensors in containers, and containers without their tensors."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.value import TensorBase


class Place(NamedTuple):
    """Stand for a tensor among what a model returns: the number of the program's output."""

    output: int


def named_tensors(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the tensors in containers, each once, with a name that says where it was found."""
    if isinstance(value, TensorBase):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from named_tensors(item, f"{path}_{key}" if path else str(key))
    elif isinstance(value, (list, tuple)):
        for n, item in enumerate(value):
            yield from named_tensors(item, f"{path}_{n}" if path else str(n))


def tensors_given(
    args: Sequence[Any], kwargs: Mapping[str, Any], names: Sequence[str]
) -> list[tuple[str, Any]]:
    """Return the tensors among arguments, each once and with a name; `names` are of arguments by position."""
    called = [names[n] if n < len(names) else f"arg{n}" for n in range(len(args))]
    found: dict[int, tuple[str, Any]] = {}
    for name, value in (*zip(called, args), *kwargs.items()):
        for path, t in named_tensors(value, name):
            found.setdefault(id(t), (path, t))
    return [*found.values()]


def replaced(value: Any, kind: type, other: Callable[[Any], Any]) -> Any:
    """Return containers with another value for each one of a kind."""
    if isinstance(value, kind):
        return other(value)
    if isinstance(value, Mapping):
        return {key: replaced(item, kind, other) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(replaced(item, kind, other) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(replaced(item, kind, other) for item in value)
    return value


def placed(value: Any, found: list[Any]) -> Any:
    """Return containers with a `Place` for each tensor, which is put into a list."""

    def place(tensor: Any) -> Place:
        found.append(tensor)
        return Place(len(found) - 1)

    return replaced(value, TensorBase, place)


def filled(result: Any, outputs: Sequence[Any]) -> Any:
    """Return what a model returned, with these in the places of its tensors."""
    return replaced(result, Place, lambda place: outputs[place.output])


def result_as_json(result: Any) -> Any:
    """Return what a model returned as JSON."""
    if isinstance(result, Place):
        return {"output": result.output}
    if isinstance(result, dict):
        return {"dict": [[key, result_as_json(item)] for key, item in result.items()]}
    if isinstance(result, (list, tuple)):
        return {"tuple" if isinstance(result, tuple) else "list": [result_as_json(item) for item in result]}
    if result is None or isinstance(result, (bool, int, float, str)):
        return {"value": result}
    raise RuntimeError(f"the model returns a {type(result).__name__}, which cannot be written to a file")


def read_result(told: dict[str, Any]) -> Any:
    """Return what a model returned, from JSON."""
    ((kind, content),) = told.items()
    if kind == "output":
        return Place(content)
    if kind == "dict":
        return {key: read_result(item) for key, item in content}
    if kind in ("tuple", "list"):
        items = [read_result(item) for item in content]
        return tuple(items) if kind == "tuple" else items
    return content

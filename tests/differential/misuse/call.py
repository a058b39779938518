"""A call written down: the function's path, its arguments, and tensors by dtype, shape and values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, nan, prod
from typing import Any


@dataclass(frozen=True)
class T:
    """A tensor; of the values that are not given each module makes the same."""

    dtype: str
    shape: tuple[int, ...]
    values: tuple[Any, ...] | None = None

    def __repr__(self) -> str:
        return f"T({self.dtype!r}, {self.shape}{'' if self.values is None else f', {self.values}'})"

    def cast(self, dtype: str) -> T:
        """The tensor in another dtype."""
        return replace(self, dtype=dtype)

    def shaped(self, shape: tuple[int, ...]) -> T:
        """The tensor in another shape: its first values, or all of them again."""
        if self.values is None:
            return replace(self, shape=shape)
        count = prod(shape)
        return replace(self, shape=shape, values=tuple((self.values or (0,)) * count)[:count])

    def make(self, module: Any) -> Any:
        """The tensor as a module's."""
        count = prod(self.shape)
        # Between 0 and 1, no two neighbours equal: no matrix of these is singular for want of variety.
        values = self.values or [(7 * i % 11 + 1 + i // 11 % 3) / 16 for i in range(count)]
        if self.dtype in PLAIN:
            kind = bool if self.dtype == "bool" else complex if self.dtype.startswith("complex") else None
            whole = "int" in self.dtype
            given = [
                kind(v) if kind else int(v.real * 16 if self.values is None else v.real) if whole else v.real
                for v in values
            ]
            return module.tensor(given, dtype=getattr(module, self.dtype)).reshape(self.shape)
        plain = replace(self, dtype="complex64" if self.dtype.startswith("complex") else "float32")
        return plain.make(module).to(getattr(module, self.dtype))


#: The dtypes of which lists make tensors directly; float8 and half complex go by another one.
PLAIN = frozenset({
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16",
    "float32", "float64", "complex64", "complex128",
})  # fmt: skip

DTYPES = (*sorted(PLAIN), "float8_e4m3fn", "float8_e5m2")


@dataclass(frozen=True)
class Code:
    """An expression, as it stands."""

    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Call:
    """One call: `path` begins with a dot where it is a method of the first argument."""

    path: str
    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...] = ()

    @property
    def expression(self) -> str:
        """The call as Python."""
        args, path = self.args, self.path
        if path.startswith("."):
            path, args = f"{args[0]!r}{path}", args[1:]
        return f"{path}({', '.join([*map(repr, args), *(f'{k}={v!r}' for k, v in self.kwargs)])})"

    def with_argument(self, place: int | str, value: Any) -> Call:
        """The call with another argument at a place, or under a name."""
        if isinstance(place, int):
            return replace(self, args=(*self.args[:place], value, *self.args[place + 1 :]))
        return replace(self, kwargs=tuple((k, value if k == place else v) for k, v in self.kwargs))

    def places(self) -> list[tuple[int | str, Any]]:
        """Each argument with its place or its name."""
        return [*enumerate(self.args), *self.kwargs]


def names(module: Any) -> Mapping[str, Any]:
    """What expressions are written in."""
    import operator

    import numpy as np

    def made(dtype: str, shape: tuple[int, ...], values: tuple[Any, ...] | None = None) -> Any:
        return T(dtype, shape, values).make(module)

    return {"torch": module, "T": made, "inf": inf, "nan": nan, "np": np, "operator": operator}


def read(expression: str) -> Call:
    """The call that an expression of `Call.expression` was written from."""
    import ast

    tree = ast.parse(expression, mode="eval").body
    assert isinstance(tree, ast.Call)
    own = {"T": T, "inf": inf, "nan": nan}

    def value(node: ast.expr) -> Any:
        text = ast.unparse(node)
        if text.startswith("torch."):
            return Code(text)
        if isinstance(node, (ast.List, ast.Tuple)):
            items = map(value, node.elts)
            return list(items) if isinstance(node, ast.List) else tuple(items)
        return eval(text, own)

    args = tuple(map(value, tree.args))
    kwargs = tuple((str(k.arg), value(k.value)) for k in tree.keywords)
    function = tree.func
    assert isinstance(function, ast.Attribute)
    if isinstance(function.value, ast.Call):
        return Call(f".{function.attr}", (value(function.value), *args), kwargs)
    return Call(ast.unparse(function), args, kwargs)

"""Define a node of a graph: one operation, the nodes that it takes and the nodes that use it."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..torch_names.overrides import _assert
from .immutable_collections import immutable_dict, immutable_list
from .targets import qualified_name, torch_path

if TYPE_CHECKING:
    from .graph import Graph

LEGAL_OPS = ("call_function", "call_method", "get_attr", "call_module", "placeholder", "output")

Function = Callable[..., Any]


def map_aggregate(a: Any, fn: Function) -> Any:
    """Return `fn` of every leaf of an argument: of what is in tuples, lists, dictionaries and slices.

    Lists and dictionaries come back as the kinds that refuse to change.
    """
    if isinstance(a, tuple):
        mapped = [map_aggregate(item, fn) for item in a]
        return type(a)(*mapped) if hasattr(a, "_fields") else tuple(mapped)
    if isinstance(a, list):
        return immutable_list(map_aggregate(item, fn) for item in a)
    if isinstance(a, dict):
        return immutable_dict((key, map_aggregate(item, fn)) for key, item in a.items())
    if isinstance(a, slice):
        return slice(*(map_aggregate(part, fn) for part in (a.start, a.stop, a.step)))
    return fn(a)


def map_arg(a: Any, fn: Function) -> Any:
    """Return `fn` of every node in an argument; all else stays as it is."""
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda item: fn(item) if isinstance(item, Node) else item)


def type_name(kind: Any) -> str:
    """Return a type as graphs print it."""
    if isinstance(kind, type) and not isinstance(kind, types.GenericAlias):
        if kind.__module__ == "builtins":
            return kind.__qualname__
        return torch_path(kind) or f"{kind.__module__}.{kind.__qualname__}"
    if kind is ...:
        return "..."
    return kind.__name__ if isinstance(kind, types.FunctionType) else repr(kind)


def _printed(arg: Any) -> str:
    if isinstance(arg, list):
        return f"[{', '.join(map(_printed, arg))}]"
    if isinstance(arg, tuple):
        return f"({', '.join(map(_printed, arg))}{',' if len(arg) == 1 else ''})"
    if isinstance(arg, dict):
        return f"{{{', '.join(f'{key}: {_printed(item)}' for key, item in arg.items())}}}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


#: Functions whose calls stay in a graph though nothing uses their results.
_side_effectful_functions: set[Function] = {operator.setitem, _assert}


def has_side_effect(fn: Function) -> Function:
    """Keep the calls of a function when dead code is removed."""
    _side_effectful_functions.add(fn)
    return fn


def _kind_of(value: Any) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


class Node:
    """One operation of a graph.

    Attributes
    ----------
    op : str
        ``"placeholder"``, ``"get_attr"``, ``"call_function"``, ``"call_module"``, ``"call_method"`` or
        ``"output"``.
    target : str or callable
        What is called or read.
    args, kwargs
        Its arguments, in which nodes stand for values.
    users : dict
        The nodes that take this one, as keys.
    meta : dict
        What passes note about it.
    """

    def __init__(
        self, graph: Graph, name: str, op: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
        return_type: Any = None,
    ) -> None:  # fmt: skip
        if op != "root":
            wanted = "Callable" if op == "call_function" else "str"
            if op not in LEGAL_OPS:
                raise AssertionError(f"op '{op}' is not in _legal_ops")
            if not (callable(target) if op == "call_function" else isinstance(target, str)):
                raise ValueError(
                    f"Node [graph = {graph}, name = '{name}'] target {target} has type {_kind_of(target)} "
                    f"but a {wanted} is expected"
                )
        self.graph = graph
        self.name = name
        self.op = op
        self.target = target
        self.type = return_type
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._input_nodes: dict[Node, None] = {}
        self._args: tuple[Any, ...] = ()
        self._kwargs: dict[str, Any] = immutable_dict()
        self._prev: Node = self
        self._next: Node = self
        self._erased = False
        self._update_args_kwargs(args, kwargs)

    # --- its place in the graph -----------------------------------------------------------------------------

    @property
    def next(self) -> Node:
        """Return the node after this one."""
        return self._next

    @property
    def prev(self) -> Node:
        """Return the node before this one."""
        return self._prev

    def prepend(self, x: Node) -> None:
        """Put a node of the same graph before this one."""
        if self.graph is not x.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if self is x:
            return
        x._remove_from_list()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x

    def append(self, x: Node) -> None:
        """Put a node of the same graph after this one."""
        self._next.prepend(x)

    def _remove_from_list(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    def _place(self) -> int:
        return next(place for place, node in enumerate(self.graph.nodes) if node is self)

    def __lt__(self, other: Node) -> bool:
        return self._place() < other._place()

    def __gt__(self, other: Node) -> bool:
        return self._place() > other._place()

    def __le__(self, other: Node) -> bool:
        return self is other or self < other

    def __ge__(self, other: Node) -> bool:
        return self is other or self > other

    # --- its arguments --------------------------------------------------------------------------------------

    @property
    def args(self) -> tuple[Any, ...]:
        """Return the arguments by position."""
        return self._args

    @args.setter
    def args(self, a: tuple[Any, ...]) -> None:
        self._update_args_kwargs(a, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Any]:
        """Return the arguments by keyword."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, k: dict[str, Any]) -> None:
        self._update_args_kwargs(self._args, k)

    @property
    def all_input_nodes(self) -> list[Node]:
        """Return the nodes among the arguments, each once."""
        return list(self._input_nodes)

    def _update_args_kwargs(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        for old in self._input_nodes:
            old.users.pop(self, None)
        taken: dict[Node, None] = {}

        def take(node: Node) -> Node:
            taken.setdefault(node)
            node.users.setdefault(self)
            return node

        self._args, self._kwargs = map_arg(tuple(args), take), map_arg(dict(kwargs), take)
        self._input_nodes = taken

    def update_arg(self, idx: int, arg: Any) -> None:
        """Give another value to the argument at a position."""
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Any) -> None:
        """Put an argument before the one at a position."""
        if not 0 <= idx <= len(self.args):
            raise AssertionError(f"insert_args index must be between 0 and len(self.args), got {idx}")
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key: str, arg: Any) -> None:
        """Give another value to an argument by keyword."""
        self.kwargs = {**self.kwargs, key: arg}

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Take one node in place of another, wherever it stands among the arguments."""
        self.graph._tell_of_replacement(old_input, new_input.name, self)

        def swap(node: Node) -> Node:
            return new_input if node is old_input else node

        self._update_args_kwargs(map_arg(self._args, swap), map_arg(self._kwargs, swap))

    def replace_all_uses_with(
        self, replace_with: Node, delete_user_cb: Callable[[Node], bool] | None = None, *,
        propagate_meta: bool = False,
    ) -> list[Node]:  # fmt: skip
        """Have every user take another node in place of this one.

        Parameters
        ----------
        replace_with : Node
        delete_user_cb : callable, optional
            Whether a user is to change.
        propagate_meta : bool, optional
            Whether `replace_with`, whose `meta` must be empty, gets this node's.

        Returns
        -------
        list of Node
            The users that were changed.
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but "
                    "replace_with already has .meta keys"
                )
            replace_with.meta.update(self.meta)
        changed = [user for user in self.users if delete_user_cb is None or delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    # --- what is known of it --------------------------------------------------------------------------------

    @property
    def stack_trace(self) -> str | None:
        """Return where the program made the node, if that was recorded."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Return whether it must stay in the graph though nothing uses it."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_module":
            if self.graph.owning_module is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            return bool(getattr(self.graph.owning_module.get_submodule(self.target), "_is_impure", False))
        return self.op == "call_function" and self.target in _side_effectful_functions

    def _rename(self, candidate: str) -> None:
        if candidate != self.name:
            self.name = self.graph._names.create(candidate, None)
            self.graph._names.rename(self, self.name)

    def __repr__(self) -> str:
        given = self.graph._printed_names
        return self.name if given is None else given(self)

    @staticmethod
    def _pretty_print_target(target: Any) -> str:
        if isinstance(target, str):
            return target
        module, name = getattr(target, "__module__", None), getattr(target, "__name__", None)
        if name is not None and module in ("builtins", "_operator"):
            return f"{module.lstrip('_')}.{name}"
        return qualified_name(target)

    def format_node(
        self, placeholder_names: list[str] | None = None, maybe_return_typename: list[str] | None = None, *,
        include_tensor_metadata: bool = False,
    ) -> str | None:  # fmt: skip
        """Return the node's line in the printed graph.

        Parameters
        ----------
        placeholder_names : list of str, optional
            Takes the text of a placeholder, which then has no line.
        maybe_return_typename : list of str, optional
            Takes the type of the output.
        include_tensor_metadata : bool, optional
            Whether the dtype, the shape and the strides that are noted in `meta` are printed.
        """
        if self.op == "placeholder" and placeholder_names:
            placeholder_names.append(f"{self.target}: {type_name(self.type)}" if self.type else self.target)
            return None
        if self.op == "output":
            if self.type and maybe_return_typename:
                maybe_return_typename[0] = f" -> {type_name(self.type)}"
            return f"return {self.args[0]}"
        kind = f"{type_name(self.type)} " if self.type is not None else ""
        value = self.meta.get("val")
        if include_tensor_metadata and value is not None and self.op.startswith("call_"):
            strides = f"{list(value.stride())}{value.device}"
            kind = f'Tensor "{short_dtype(value.dtype)}{list(value.shape)}{strides}"'
        line = f"%{self.name} : {kind}[num_users={len(self.users)}] = {self.op}"
        if self.op == "placeholder":
            default = f"(default={self.args[0]})" if self.args else ""
            return f"{line}[target={self.target}]{default}"
        line += f"[target={self._pretty_print_target(self.target)}]"
        if self.op == "get_attr":
            return line
        return f"{line}(args = {_printed(self.args)}, kwargs = {_printed(self.kwargs)})"


#: What is printed for a dtype in a graph with shapes.
_SHORT = {
    "bfloat16": "bf16", "float64": "f64", "float32": "f32", "float16": "f16", "complex32": "c32",
    "complex64": "c64", "complex128": "c128", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "bool": "b8", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2", "float8_e4m3fnuz": "f8e4m3fnuz",
    "float8_e5m2fnuz": "f8e5m2fnuz", "float8_e8m0fnu": "f8e8m0fnu",
}  # fmt: skip


def short_dtype(dtype: Any) -> str:
    """Return a dtype's short name, such as ``f32``."""
    name = str(dtype).removeprefix("torch.")
    return _SHORT.get(name, name)


def last_uses(nodes: Iterable[Node]) -> dict[Node, list[Node]]:
    """Return for each node those whose values nothing after it asks for, `nodes` being in reverse order."""
    seen: set[Node] = set()
    freed: dict[Node, list[Node]] = {}
    for user in nodes:
        for node in user._input_nodes:
            if node not in seen:
                seen.add(node)
                freed.setdefault(user, []).append(node)
    return freed


__all__ = ["Node", "has_side_effect", "map_aggregate", "map_arg"]

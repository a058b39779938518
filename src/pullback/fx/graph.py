"""Define graphs: nodes in the order in which they run, to be read, changed and written as code."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..core.warn import warn
from ..nn import Module, Parameter
from .codegen import CodeGen, PythonCode
from .immutable_collections import immutable_dict
from .names import Namespace, snake_case
from .node import LEGAL_OPS, Node, map_arg

if TYPE_CHECKING:
    from .graph_module import GraphModule

BodyTransformer = Callable[[list[str]], list[str]]


class _Nodes:
    """The nodes of a graph, as many as there are when they are asked for."""

    def __init__(self, graph: Graph, backwards: bool = False) -> None:
        self._graph = graph
        self._backwards = backwards

    def __len__(self) -> int:
        return self._graph._len

    def __iter__(self) -> Iterator[Node]:
        root = self._graph._root
        node = root._prev if self._backwards else root._next
        while node is not root:
            # A node that is erased while one walks keeps its neighbours.
            if not node._erased:
                yield node
            node = node._prev if self._backwards else node._next

    def __reversed__(self) -> Iterator[Node]:
        return iter(_Nodes(self._graph, not self._backwards))


class Graph:
    """Operations in the order in which they run.

    Parameters
    ----------
    owning_module : GraphModule, optional
        The module whose `forward` it is.
    tracer_cls : type, optional
        The class of tracer that made it.
    """

    def __init__(
        self, owning_module: GraphModule | None = None, tracer_cls: type | None = None,
        tracer_extras: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self._names = Namespace()
        self._printed_names: Callable[[Node], str] | None = None
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend
        self._len = 0
        self._tracer_cls = tracer_cls
        self._tracer_extras = tracer_extras
        self._codegen = CodeGen()
        self.owning_module = owning_module

    # --- reading --------------------------------------------------------------------------------------------

    @property
    def nodes(self) -> _Nodes:
        """Return the nodes in order."""
        return _Nodes(self)

    def output_node(self) -> Node:
        """Return the node that returns."""
        if (last := self._root._prev).op != "output":
            raise AssertionError(f"Expected output node, got op={last.op}")
        return last

    def find_nodes(self, *, op: str, target: Any = None, sort: bool = True) -> list[Node]:
        """Return the nodes of one kind; with `target`, those that call or read it."""
        if op == "call_function" and target is None:
            raise AssertionError("target must not be None for call_function op")
        return [n for n in self.nodes if n.op == op and (target is None or n.target == target)]

    def __str__(self) -> str:
        return "\n    ".join(["graph():", *(node.format_node() or "" for node in self.nodes)])

    def print_tabular(self) -> None:
        """Print the nodes as a table, with the package tabulate."""
        try:
            tabulate = import_module("tabulate").tabulate
        except ImportError:
            print(  # noqa: T201  # torch prints it, beside the error
                "`print_tabular` relies on the library `tabulate`, which could not be found on this machine. "
                "Run `pip install tabulate` to install the library."
            )
            raise
        rows = [[n.op, n.name, n.target, n.args, n.kwargs] for n in self.nodes]
        print(tabulate(rows, headers=["opcode", "name", "target", "args", "kwargs"]))  # noqa: T201  # its task

    def lint(self) -> None:
        """Check that each argument is defined before it is used, that names differ and that targets exist.

        Raises
        ------
        RuntimeError
            Naming the node.
        """
        names: set[str] = set()
        defined: set[Node] = set()
        for node in self.nodes:
            if node.op not in LEGAL_OPS:
                raise RuntimeError(f"Node {node} had unknown opcode {node.op}!")
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            for arg in node._input_nodes:
                if arg.graph is not self:
                    raise RuntimeError(
                        f"Argument '{arg}' of Node '{node}' does not belong to this Graph, but was used as "
                        "an argument! If you are copying nodes from another graph, make sure to use "
                        f"``arg_transform`` on node_copy() to remap values\n{self}"
                    )
                if arg not in defined:
                    raise RuntimeError(
                        f"Argument '{arg}' of Node '{node}' was used before it has been defined! Please "
                        f"check that Nodes in the graph are topologically ordered\n{self}"
                    )
            defined.add(node)
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            names.add(node.name)
        if self.owning_module is not None:
            for node in self.nodes:
                if node.op in ("get_attr", "call_module"):
                    self._check_path(self.owning_module, node)

    @staticmethod
    def _check_path(module: Any, node: Node) -> None:
        parts = node.target.split(".")
        for place, part in enumerate(parts):
            held = getattr(module, part, None)
            where = ".".join(parts[:place])
            if held is None:
                raise RuntimeError(
                    f"Node {node} target {node.target} references nonexistent attribute {part} of {where}"
                )
            if node.op == "call_module" and not isinstance(held, Module):
                raise RuntimeError(
                    f"Node {node} target {node.target} {part} of {where} does not reference an nn.Module"
                )
            module = held

    # --- making nodes ---------------------------------------------------------------------------------------

    def _target_to_str(self, target: Any) -> str:
        if not callable(target) and not isinstance(target, str):
            raise AssertionError(f"Expected target to be str, got {type(target)}")
        name = target.__name__ if callable(target) else target
        if isinstance(target, str) and name.startswith("__") and name.endswith("__"):
            name = name[2:-2]
        return snake_case(name)

    def create_node(
        self, op: str, target: Any, args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None, name: str | None = None, type_expr: Any = None,
    ) -> Node:  # fmt: skip
        """Make a node where nodes are now inserted: at the end, if nothing else was said."""
        if args and not isinstance(args, tuple):
            raise AssertionError(f"args must be a tuple, got {type(args)}")
        if kwargs and not isinstance(kwargs, dict):
            raise AssertionError(f"kwargs must be a dict, got {type(kwargs)}")
        unique = self._names.create(self._target_to_str(target) if name is None else name, None)
        node = Node(self, unique, op, target, args or (), kwargs or immutable_dict(), type_expr)
        for hook in getattr(self.owning_module, "_create_node_hooks", ()):
            hook(node)
        self._names.give(unique, node)
        self._insert(node)
        self._len += 1
        return node

    def placeholder(
        self, name: str, type_expr: Any = None, default_value: Any = inspect.Signature.empty
    ) -> Node:
        """Return an input of the function."""
        args = () if default_value is inspect.Signature.empty else (default_value,)
        return self.create_node("placeholder", name, args=args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Return a parameter, a buffer or a submodule that is read."""
        if self.owning_module is not None and not self._has(self.owning_module, qualified_name):
            warn(
                "Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! "
                "Call GraphModule.add_submodule to add the necessary submodule, GraphModule.add_parameter to "
                "add the necessary Parameter, or nn.Module.register_buffer to add the necessary buffer"
            )
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    @staticmethod
    def _has(module: Module, path: str) -> bool:
        parent, _, name = path.rpartition(".")
        try:
            holder = module.get_submodule(parent)
        except AttributeError:
            warn(f"Failed to fetch module {parent}!")
            return False
        held = getattr(holder, name, None)
        return isinstance(held, (Module, Parameter)) or name in holder._buffers

    def call_module(
        self, module_name: str, args: tuple[Any, ...] | None = None, kwargs: dict[str, Any] | None = None,
        type_expr: Any = None,
    ) -> Node:  # fmt: skip
        """Return a call of a submodule, which is given by its path."""
        if self.owning_module is not None:
            self.owning_module.get_submodule(module_name)
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self, method_name: str, args: tuple[Any, ...] | None = None, kwargs: dict[str, Any] | None = None,
        type_expr: Any = None,
    ) -> Node:  # fmt: skip
        """Return a call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self, the_function: Callable[..., Any], args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None, type_expr: Any = None, name: str | None = None,
    ) -> Node:  # fmt: skip
        """Return a call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    def output(self, result: Any, type_expr: Any = None) -> Node:
        """Add the node of what the function returns."""
        return self.create_node("output", "output", args=(result,), type_expr=type_expr)

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Any] = lambda x: x) -> Node:
        """Copy a node of another graph; `arg_transform` says what its arguments are in this one."""
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        copied = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        copied.meta = copy.copy(node.meta)
        return copied

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Any:
        """Copy the nodes of another graph that `val_map` does not hold, up to its output.

        Returns
        -------
        The other graph's result in this one; with `return_output_node` and the other's output node.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda n: val_map[n])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def __deepcopy__(self, memo: dict[Any, Any] | None = None) -> Graph:
        copied = Graph(tracer_cls=self._tracer_cls)
        found = copied.graph_copy(self, {}, return_output_node=True)
        copied._codegen = copy.deepcopy(self._codegen)
        if found is not None:
            result, old = found
            copied.output(result, type_expr=old.type).meta = copy.copy(old.meta)
        return copied

    # --- changing -------------------------------------------------------------------------------------------

    def erase_node(self, to_erase: Node) -> None:
        """Take out a node that nothing uses."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: "
                f"{to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warn(f"erase_node({to_erase}) on an already erased node")
            return
        for hook in getattr(self.owning_module, "_erase_node_hooks", ()):
            hook(to_erase)
        to_erase._remove_from_list()
        to_erase._erased = True
        self._len -= 1
        to_erase._update_args_kwargs(
            map_arg(to_erase._args, lambda n: None), map_arg(to_erase._kwargs, lambda n: None)
        )

    def _tell_of_replacement(self, old: Node, new: str, user: Node) -> None:
        for hook in getattr(self.owning_module, "_replace_hooks", ()):
            hook(old=old, new=new, user=user)

    @contextmanager
    def _inserting(self, before: Callable[[Node], None]) -> Iterator[None]:
        try:
            yield
        finally:
            self._insert = before

    def _insert_with(self, insert: Callable[[Node], None]) -> AbstractContextManager[None]:
        # The place holds from the call on, not only inside the `with` block, as in torch.
        before, self._insert = self._insert, insert
        return self._inserting(before)

    def inserting_before(self, n: Node | None = None) -> AbstractContextManager[None]:
        """Insert before a node, or at the graph's beginning, until the ``with`` block ends."""
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return self._insert_with(n.prepend)

    def inserting_after(self, n: Node | None = None) -> AbstractContextManager[None]:
        """Insert after a node, or at the graph's end, until the ``with`` block ends."""
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        return self._insert_with(n.append)

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Take out the nodes that nothing uses and that have no effect; whether there were any."""
        self.lint()
        changed = False
        for node in reversed(self.nodes):
            stays = node.is_impure() if is_impure_node is None else is_impure_node(node)
            if not stays and not node.users:
                self.erase_node(node)
                changed = True
        return changed

    # --- code -----------------------------------------------------------------------------------------------

    def process_inputs(self, *args: Any) -> Any:
        """Return the graph's inputs from those of its code's function."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """Return the result of its code's function from the graph's."""
        return self._codegen.process_outputs(out)

    def python_code(self, root_module: str, *, verbose: bool = False) -> PythonCode:
        """Return the graph as the source of a function.

        Parameters
        ----------
        root_module : str
            What the code calls the module, usually ``"self"``.
        verbose : bool, optional
            Whether shapes and places are written where they are known.
        """
        names = Namespace()
        self._printed_names = lambda node: names.create(node.name, node)
        try:
            return self._codegen.write(list(self.nodes), root_module, names, verbose)
        finally:
            self._printed_names = None

    def set_codegen(self, codegen: CodeGen) -> None:
        """Write code with another generator from now on."""
        self._codegen = codegen

    def on_generate_code(
        self, make_transformer: Callable[[BodyTransformer | None], BodyTransformer]
    ) -> AbstractContextManager[None]:
        """Change the lines of code before they are put together.

        Parameters
        ----------
        make_transformer : callable
            From the present change, or None, to the new one: a function of a list of lines.

        Returns
        -------
        A context manager whose end takes the change back; without ``with`` it stays.
        """
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)

        @contextmanager
        def undone() -> Iterator[None]:
            try:
                yield
            finally:
                self._codegen._body_transformer = before

        return undone()


__all__ = ["CodeGen", "Graph", "PythonCode"]

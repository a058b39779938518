"""Run graphs node by node, and make new graphs that way."""

import inspect
from collections.abc import Iterator
from typing import Any

from ..nn import Module
from ._symbolic_trace import Tracer
from .graph import Graph
from .graph_module import GraphModule
from .node import Node, last_uses, map_aggregate, map_arg
from .proxy import Proxy


class Interpreter:
    """Run a graph node by node. A subclass may change what each kind of node does.

    Parameters
    ----------
    module : GraphModule
    garbage_collect_values : bool, optional
        Whether values are let go after their last use.
    graph : Graph, optional
        Another graph to run with the module's parameters.
    """

    def __init__(self, module: Any, garbage_collect_values: bool = True, graph: Graph | None = None) -> None:
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph: Graph = module.graph if graph is None else graph
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.user_to_last_uses = last_uses(reversed(self.graph.nodes)) if garbage_collect_values else {}

    def run(
        self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True
    ) -> Any:
        """Run the graph.

        Parameters
        ----------
        *args
            The inputs, in the order of the placeholders.
        initial_env : dict, optional
            Values of nodes that are not to run.
        enable_io_processing : bool, optional
            Whether inputs and result go through what the code generator does with them.
        """
        self.env = {} if initial_env is None else initial_env
        if enable_io_processing:
            args = self.graph.process_inputs(*args)
        self.args_iter: Iterator[Any] = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                if self.extra_traceback:
                    _say_where(error, node)
                    if isinstance(error, KeyError):
                        raise RuntimeError(*error.args) from error
                raise
            if self.garbage_collect_values:
                for done in self.user_to_last_uses.get(node, ()):
                    del self.env[done]
            if node.op == "output":
                result = self.env[node]
                return self.graph.process_outputs(result) if enable_io_processing else result
        return None

    def boxed_run(self, args_list: list[Any]) -> Any:
        """Run on a list of inputs, which is emptied so that they can be let go."""
        inputs = self.graph.find_nodes(op="placeholder")
        if len(args_list) != len(inputs):
            wrong = "extra arguments" if len(args_list) > len(inputs) else "missing arguments"
            raise RuntimeError(
                f"Interpreter.boxed_run expected {len(inputs)} arguments for placeholders but received "
                f"{len(args_list)} ({wrong})"
            )
        values = dict(zip(inputs, args_list, strict=True))
        args_list.clear()
        return self.run(initial_env=values)

    def run_node(self, n: Node) -> Any:
        """Return the value of one node, those of its arguments being known."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    # --- what each kind of node does ------------------------------------------------------------------------

    def placeholder(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the next input, the default, or all that are left for ``*args``."""
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration as end:
            if args:
                return args[0]
            raise RuntimeError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from end

    def get_attr(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return an attribute of the module."""
        return self.fetch_attr(target)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of a function."""
        return target(*args, **kwargs)

    def call_method(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of a method of the first argument."""
        return getattr(args[0], target)(*args[1:], **kwargs)

    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of a submodule."""
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of the graph."""
        return args[0]

    # --- values ---------------------------------------------------------------------------------------------

    def fetch_attr(self, target: str) -> Any:
        """Return the attribute at a path of the module."""
        held: Any = self.module
        parts = target.split(".")
        for place, part in enumerate(parts):
            if not hasattr(held, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(parts[: place + 1])}")
            held = getattr(held, part)
        return held

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments of a node with values in the place of nodes."""
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args: Any, n: Node) -> Any:
        """Return the same for any argument of a node."""

        def load(arg: Node) -> Any:
            if arg not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {arg}! Run Graph.lint() to diagnose such issues"
                )
            return self.env[arg]

        return map_arg(args, load)


def _say_where(error: Exception, node: Node) -> None:
    """Add the node to the text of its error."""
    text = f"While executing {node.format_node()}"
    text = f"{error.args[0]}\n\n{text}" if error.args else text
    text += (
        f"\nOriginal traceback:\n{node.stack_trace}\nUse tlparse to see full graph. "
        "(https://github.com/pytorch/tlparse?tab=readme-ov-file#tlparse-parse-structured-pt2-logs)"
    )
    error.args = (text, *error.args[1:])


class _Transforming(Tracer):
    def __init__(self, graph: Graph, root: Module) -> None:
        super().__init__()
        self.graph = graph
        self.root = root

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        return True


class Transformer(Interpreter):
    """Make a new graph by running the old one on proxies. A subclass changes what a node becomes."""

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)
        self.tracer = _Transforming(self.new_graph, module)

    def placeholder(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the same input in the new graph."""
        default = args[0] if args else inspect.Signature.empty
        return Proxy(self.new_graph.placeholder(target, default_value=default), self.tracer)

    def get_attr(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the same attribute."""
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the same call."""
        module = self.fetch_attr(target)
        return self.tracer.call_module(module, module.forward, args, kwargs)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the same call."""
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """Return the module of the new graph."""
        if (result := self.run(enable_io_processing=False)) is not None:
            made = map_aggregate(result, lambda a: a.node if isinstance(a, Proxy) else a)
            self.new_graph.output(made).meta.update(self.graph.output_node().meta)
        return GraphModule(self.module, self.new_graph)


__all__ = ["Interpreter", "Transformer"]

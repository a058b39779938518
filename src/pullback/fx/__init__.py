"""torch.fx: programs as graphs of operations that can be read, changed and run.

`symbolic_trace` runs a module once on proxies and keeps what is done with them; the `Graph` prints, is edited
node by node and becomes Python code again. `Interpreter` and `Transformer` run one node by node.
"""

from . import passes
from ._symbolic_trace import PH, Tracer, symbolic_trace, wrap
from .graph import CodeGen, Graph
from .graph_module import GraphModule
from .interpreter import Interpreter, Transformer
from .node import Node, has_side_effect, map_arg
from .proxy import Proxy
from .subgraph_rewriter import replace_pattern

for _made in (
    CodeGen, Graph, GraphModule, Interpreter, Node, Proxy, Tracer, Transformer, has_side_effect, map_arg,
    replace_pattern, symbolic_trace, wrap,
):  # fmt: skip
    _made.__module__ = f"torch.fx.{_made.__module__.rpartition('.')[2].replace('codegen', 'graph')}"

__all__ = [
    "PH", "CodeGen", "Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer", "Transformer",
    "has_side_effect", "map_arg", "passes", "replace_pattern", "symbolic_trace", "wrap",
]  # fmt: skip

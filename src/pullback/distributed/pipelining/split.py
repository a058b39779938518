"""torch.distributed.pipelining's front end: a model that is cut into the parts of a pipeline where asked for.

The model is traced by `torch.fx` (torch exports it), and modules without a cut inside stay as they are. Each
part is a module of its own with the names of the parameters in the model. What a later part needs is passed
on by those between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ...fx import Graph, GraphModule, Tracer
from ...fx.node import Node, map_arg
from .stage import PipelineStage, build_stage

_tracing: ContextVar[_SplitTracer | None] = ContextVar("pipeline that is traced", default=None)


class SplitPoint(Enum):
    """Say whether a model is cut before or after a module runs."""

    BEGINNING = 1
    END = 2


def pipe_split() -> None:
    """Mark, in a ``forward``, where a pipeline is cut; does nothing when the model runs."""
    if (tracer := _tracing.get()) is not None:
        tracer.cut()


class _SplitTracer(Tracer):
    """Trace a model down to the modules that are not cut."""

    def __init__(self, spec: dict[str, SplitPoint] | None) -> None:
        super().__init__()
        self.spec = spec

    def cut(self) -> None:
        """Write down that the model is cut here."""
        self.create_node("call_function", pipe_split, (), {})

    def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
        """Return whether a module stays as it is."""
        if self.spec is None:
            return super().is_leaf_module(m, module_qualified_name)
        return not any(name.startswith(f"{module_qualified_name}.") for name in self.spec)

    def call_module(
        self, m: Any, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Trace a call of a module, and a cut before or after it."""
        if (where := (self.spec or {}).get(self.path_of_module(m))) is SplitPoint.BEGINNING:
            self.cut()
        result = super().call_module(m, forward, args, kwargs)
        if where is SplitPoint.END:
            self.cut()
        return result


@dataclass
class PipeInfo:
    """Tell about a pipeline: its traced graph, how many parts it has, whether a loss is one of them."""

    graph: Graph
    num_stages: int
    has_loss_and_backward: bool


class Pipe:
    """A model in parts.

    Parameters
    ----------
    traced : GraphModule
        The whole model, with a call of `pipe_split` wherever it is cut.

    Attributes
    ----------
    num_stages : int
    """

    has_loss_and_backward = False

    def __init__(self, traced: GraphModule) -> None:
        self._graph = traced.graph
        self._parts = _parts(traced)
        self.num_stages = len(self._parts)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run all parts here, one after the other."""
        value = self._parts[0](*args, **kwargs)
        for part in self._parts[1:]:
            value = part(*value)
        return value

    forward = __call__

    def __repr__(self) -> str:
        return "\n".join(f"stage {number}: {part}" for number, part in enumerate(self._parts))

    def get_stage_module(self, stage_idx: int) -> Any:
        """Return a part as a module.

        Raises
        ------
        ValueError
            There is no such part.
        """
        if not 0 <= stage_idx < self.num_stages:
            raise ValueError(f"Invalid stage index {stage_idx}!")
        return self._parts[stage_idx]

    def info(self) -> PipeInfo:
        """Return the graph and the number of parts."""
        return PipeInfo(self._graph, self.num_stages, self.has_loss_and_backward)

    def build_stage(self, stage_index: int, device: Any, group: Any = None) -> PipelineStage:
        """Return a part as what schedules run; see `PipelineStage`."""
        return build_stage(self.get_stage_module(stage_index), stage_index, self.info(), device, group)


def pipeline(
    module: Any, mb_args: tuple[Any, ...], mb_kwargs: dict[str, Any] | None = None,
    split_spec: dict[str, SplitPoint] | None = None,
    split_policy: Callable[[GraphModule], GraphModule] | None = None,
) -> Pipe:  # fmt: skip
    """Cut a model into the parts of a pipeline.

    Parameters
    ----------
    module : Module
        Between its submodules without a cut, its code must be such that `torch.fx` can trace it.
    mb_args : tuple
        The positional arguments of a microbatch; those with other names keep their defaults.
    mb_kwargs : dict, optional
        Keyword arguments of a microbatch.
    split_spec : dict of str to SplitPoint, optional
        Before or after which submodules the model is cut. Without it, calls of `pipe_split` say where.
    split_policy : callable, optional
        Puts calls of `pipe_split` into the traced model and returns it.

    Raises
    ------
    ValueError
        Both ways to cut are given, or a module is used by several parts.
    AttributeError
        There is no submodule of a name.
    """
    if split_spec is not None and split_policy is not None:
        raise ValueError("Cannot specify both `split_spec` and `split_policy`. Please use only one of them.")
    for name, where in (split_spec or {}).items():
        _check_name(module, name)
        if not isinstance(where, SplitPoint):
            raise ValueError("Unknown split point type.")
    tracer = _SplitTracer(split_spec)
    token = _tracing.set(tracer)
    try:
        traced = GraphModule(module, tracer.trace(module))
    finally:
        _tracing.reset(token)
    return Pipe(traced if split_policy is None else split_policy(traced))


def _check_name(module: Any, name: str) -> None:
    """Raise torch's error where a model has no submodule of a name."""
    atoms = name.split(".")
    for count, atom in enumerate(atoms, 1):
        if not hasattr(module, atom):
            raise AttributeError(
                f"Specified target {name} referenced nonexistent module {'.'.join(atoms[:count])}"
            )
        module = getattr(module, atom)


def _is_cut(node: Node) -> bool:
    return node.op == "call_function" and node.target is pipe_split


def _parts(traced: GraphModule) -> list[GraphModule]:
    """Return the modules of a traced model, cut where it says."""
    nodes = list(traced.graph.nodes)
    #: By node: which part computes it.
    home: dict[Node, int] = {}
    number = 0
    for node in nodes:
        number += _is_cut(node)
        home[node] = 0 if node.op == "placeholder" else number
    _check_shared(home)
    last: dict[Node, int] = {}
    for node in nodes:
        for used in node.all_input_nodes:
            last[used] = max(last.get(used, 0), home[node])
    graphs, inputs = [Graph() for _ in range(number + 1)], [dict[Node, Node]() for _ in range(number + 1)]
    for part, graph in enumerate(graphs):
        here = inputs[part]

        def of_part(used: Node, here: dict[Node, Node] = here) -> Node:
            return here[used]

        passed = [node for node in nodes if home[node] < part <= last.get(node, -1)]
        for node in passed:
            here[node] = graph.placeholder(node.name)
        for node in nodes:
            if home[node] == part and node.op != "output" and not _is_cut(node):
                here[node] = graph.node_copy(node, of_part)
        if part == number:
            result: Any = map_arg(nodes[-1].args[0], of_part)
        else:
            result = tuple(here[node] for node in nodes if home[node] <= part < last.get(node, -1))
        graph.output(result)
    return [GraphModule(traced, graph) for graph in graphs]


def _check_shared(home: dict[Node, int]) -> None:
    """Raise where parts share a module: each has its own copy of the parameters."""
    users: dict[Any, set[int]] = {}
    for node, part in home.items():
        if node.op in ("call_module", "get_attr"):
            users.setdefault(node.target, set()).add(part)
    shared: Sequence[str] = [str(target) for target, parts in users.items() if len(parts) > 1]
    if shared:
        raise ValueError(
            f"parts of a pipeline may not share parameters, which would have a gradient in each: {shared}"
        )


__all__ = ["Pipe", "PipeInfo", "SplitPoint", "pipe_split", "pipeline"]

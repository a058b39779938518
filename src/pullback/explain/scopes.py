"""Tell in which calls each step was made: of modules, the outermost first, and of a public function.

A step is known to a beginner by these: "Linear model.2" is what the program has, not the matrix product and
the transposed view that are recorded of it.
"""

from bisect import bisect_left
from collections.abc import Sequence

from ..core.node import AccumulateGrad, Node
from .modules import ModuleCalls, Span, paths_by_parameters
from .names import Names
from .trace import Event, Trace

#: Operators as a program writes them, by the names of the functions that they call.
SIGNS = {"add": "+", "sub": "-", "rsub": "-", "mul": "*", "div": "/", "__pow__": "**", "__rpow__": "**"}


class Scopes:
    """The calls around nodes.

    `modules` and `trace` have what was recorded of calls of modules and of public functions; without the
    former the parameters tell. `paths` has the innermost module's path by node.
    """

    def __init__(
        self, nodes: Sequence[Node], names: Names, modules: ModuleCalls | None, trace: Trace | None
    ) -> None:
        self.names = names
        self.spans: dict[Node, list[Span]] = modules.around(nodes) if modules is not None else {}
        self.paths = {node: self._path(spans[-1]) for node, spans in self.spans.items()}
        if not self.spans:
            self.paths = paths_by_parameters(nodes, names)
        self.events: list[Event] = list(trace.events) if trace is not None else []
        self.numbers = [event.number for event in self.events]

    def of(self, node: Node) -> list[tuple[str, str]]:
        """Return the calls around a node, the outermost first: a key, and a title."""
        if type(node) is AccumulateGrad:
            return []
        if node in self.spans:
            found = [(f"m{span.start}", f"{span.kind} {self._path(span)}") for span in self.spans[node]]
        else:
            found = self._by_path(self.paths.get(node))
        event = self._event(node)
        if event is not None:
            found.append((f"f{event.number}", function_name(event)))
        return found

    def _path(self, span: Span) -> str:
        return self.names.modules.get(span.module, span.path)

    def _by_path(self, path: str | None) -> list[tuple[str, str]]:
        parts = path.split(".") if path else []
        paths = [".".join(parts[: k + 1]) for k in range(len(parts))]
        return [
            (path, f"{kind} {path}") for path in paths if (kind := self.names.kinds.get(path)) is not None
        ]

    def _event(self, node: Node) -> Event | None:
        """Return the call of a public function that made a node: the last one that began before it."""
        place = bisect_left(self.numbers, node._seq) - 1
        return self.events[place] if place >= 0 else None


def function_name(event: Event) -> str:
    """Return the name of a public function as a program writes it."""
    sign = SIGNS.get(event.name)
    return f"… {sign} …" if sign is not None else event.name.strip("_") or event.name

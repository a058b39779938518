"""torch.export.exported_program: programs that stand apart from the Python that they were traced from.

An exported program is a traced program with the tensors that it holds. Its graph says what it does, in
torch's ops; `module` gives a module that does it; `save` writes it to a file that `load` reads without
running any code in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ...array.locks import computed
from ...errors import with_note
from ...nn import Module, Parameter
from ..structure import filled, named_tensors
from .dynamic_shapes import Labels
from .replay import Replay
from .varying import Family, Varying

if TYPE_CHECKING:
    from ...fx.graph import Graph
    from ...fx.graph_module import GraphModule
    from .graph import Writer
    from .graph_signature import ExportGraphSignature


class ProgramModule(Module):
    """A module that runs a traced program: its parameters and buffers have the names of the traced one's."""

    def __init__(self, family: Family, state: Mapping[str, Any]) -> None:
        super().__init__()
        self._family = family
        self._replay = Replay(family)
        for name, t in state.items():
            holder = self
            *path, last = name.split(".")
            for part in path:
                if part not in holder._modules:
                    holder.add_module(part, Module())
                holder = holder._modules[part]
            if isinstance(t, Parameter):
                holder.register_parameter(last, t)
            else:
                holder.register_buffer(last, t)

    def _held(self, name: str) -> Any:
        return attrgetter(name)(self)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program.

        Raises
        ------
        TypeError
            Other tensors are given than those that it was traced on.
        AssertionError
            One has another shape, where that is not one that may change.
        """
        example = self._family.example
        given = [t for _, t in named_tensors([*args, *kwargs.values()], "")]
        if kwargs:
            by_name = dict(named_tensors(kwargs, ""))
            first = [t for _, t in named_tensors([*args], "")]
            given = [*first, *(by_name[p] for p in example.paths[len(first) :] if p in by_name)]
        if len(given) != len(example.paths):
            raise TypeError(f"the program takes {len(example.paths)} tensors, not {len(given)}")
        self._check(given)
        state = [self._held(name) for name in example.state]
        outputs = self._replay([*state, *given])
        count = len(outputs) - len(example.mutated)
        for name, value in zip(example.mutated, outputs[count:], strict=True):
            self._held(name).data.copy_(value.detach())
        return filled(example.result, outputs[:count])

    def _check(self, given: Sequence[Any]) -> None:
        family = self._family
        numbers = family.example.program.inputs[len(family.example.state) :]
        known: dict[tuple[int, ...], int] = {}
        for path, number, t in zip(family.example.paths, numbers, given, strict=True):
            if len(shape := family.shapes[number]) != t.dim():
                raise AssertionError(f"Guard failed: {path}.dim() == {len(shape)}")
            for axis, (n, size) in enumerate(zip(shape, t.shape, strict=True)):
                wanted = known.setdefault(n.values, size) if isinstance(n, Varying) else n
                if wanted != size:
                    raise with_note(
                        AssertionError(f"Guard failed: {path}.size()[{axis}] == {wanted}"),
                        "The program was traced with this size; dynamic_shapes says which may change.",
                    )
            dtype = family.example.program.dtypes[number]
            if t.dtype.numpy != dtype:
                raise AssertionError(f"Guard failed: {path}.dtype == {dtype}")


class ExportedProgram:
    """A traced program, and the tensors that it holds.

    Attributes
    ----------
    state_dict : dict of str to tensor
        The parameters and buffers.
    constants : dict of str to tensor
        Other tensors of the program.
    example_inputs : (tuple, dict) or None
        What it was traced on.
    """

    __module__ = "torch.export.exported_program"

    def __init__(
        self, family: Family, dynamic: Labels, state: Mapping[str, Any],
        example_inputs: tuple[tuple[Any, ...], dict[str, Any]] | None = None,
    ) -> None:  # fmt: skip
        self._family, self._dynamic = family, dynamic
        self._state = dict(state)
        self.example_inputs = example_inputs
        self._replay = Replay(family)  # raises where a size cannot be told

    @computed
    def _writer(self) -> Writer:
        from .graph import Writer

        return Writer(self._family)

    @property
    def state_dict(self) -> dict[str, Any]:
        """Return parameters and buffers by name."""
        return self._state

    @property
    def constants(self) -> dict[str, Any]:
        """Return the other tensors of the program."""
        return self._writer.constants

    tensor_constants = constants

    @property
    def graph(self) -> Graph:
        """Return what the program does."""
        return self.graph_module.graph

    @computed
    def graph_module(self) -> GraphModule:
        """Return the graph as a module; parameters and buffers are its first inputs."""
        from ...fx.graph_module import GraphModule

        return GraphModule(Module(), self._writer.graph)

    @property
    def graph_signature(self) -> ExportGraphSignature:
        """Return what the inputs and outputs of the graph are."""
        return self._writer.signature

    @property
    def range_constraints(self) -> dict[str, tuple[int, float]]:
        """Return the sizes that may change, by name, and between what."""
        labels = dict.fromkeys(label for axes in self._dynamic.values() for label in axes.values())
        return {label: (0, float("inf")) for label in labels}

    @property
    def dialect(self) -> str:
        """Return how the program is told: in torch's ops for training."""
        return "TRAINING"

    def parameters(self) -> Iterator[Any]:
        """Yield the parameters."""
        yield from (t for _, t in self.named_parameters())

    def named_parameters(self) -> Iterator[tuple[str, Any]]:
        """Yield the parameters with their names."""
        yield from ((n, t) for n, t in self._state.items() if isinstance(t, Parameter))

    def buffers(self) -> Iterator[Any]:
        """Yield the buffers."""
        yield from (t for _, t in self.named_buffers())

    def named_buffers(self) -> Iterator[tuple[str, Any]]:
        """Yield the buffers with their names."""
        yield from ((n, t) for n, t in self._state.items() if not isinstance(t, Parameter))

    def module(self, check_guards: bool = True) -> ProgramModule:
        """Return a module that runs the program; it shares the parameters and buffers."""
        return ProgramModule(self._family, self._state)

    def run_decompositions(self, decomp_table: Any = None) -> ExportedProgram:
        """Return the program as it is: its graph is in torch's ops already."""
        return self

    def validate(self) -> None:
        """Raise where the program is not well formed."""
        self._family.example.program.verify()
        self.graph.lint()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Unable to call ExportedProgram directly. You should use `exported_program.module()` instead."
        )

    def __str__(self) -> str:
        code = self.graph_module.code.strip().replace("\n", "\n        ")
        signature = str(self.graph_signature).replace("\n", "\n    ")
        ranges = ", ".join(f"{name}: VR[0, int_oo]" for name in self.range_constraints)
        return (
            "ExportedProgram:\n    class GraphModule(torch.nn.Module):\n        "
            f"{code}\n\nGraph signature: \n    {signature}\nRange constraints: {{{ranges}}}\n"
        )

    __repr__ = __str__


__all__ = ["ExportedProgram", "ProgramModule"]

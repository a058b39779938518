"""torch.export.graph_signature: what the inputs and outputs of an exported graph are."""

from enum import Enum, auto
from typing import Any, NamedTuple


class TensorArgument(NamedTuple):
    """A tensor, by the name of its node."""

    name: str


class ConstantArgument(NamedTuple):
    """A value that is no tensor."""

    name: str
    value: Any


class InputKind(Enum):
    """Hold what an input is."""

    USER_INPUT = auto()
    PARAMETER = auto()
    BUFFER = auto()
    CONSTANT_TENSOR = auto()
    CUSTOM_OBJ = auto()
    TOKEN = auto()


class OutputKind(Enum):
    """Hold what an output is."""

    USER_OUTPUT = auto()
    LOSS_OUTPUT = auto()
    BUFFER_MUTATION = auto()
    PARAMETER_MUTATION = auto()
    GRADIENT_TO_PARAMETER = auto()
    GRADIENT_TO_USER_INPUT = auto()
    USER_INPUT_MUTATION = auto()
    TOKEN = auto()


class InputSpec(NamedTuple):
    """An input of a graph: its kind, its node, and the parameter or buffer that it is."""

    kind: InputKind
    arg: TensorArgument
    target: str | None
    persistent: bool | None = None

    def __str__(self) -> str:
        target = "" if self.target is None else f" target={self.target!r}"
        persistent = "" if self.persistent is None else f" persistent={self.persistent}"
        return f"{self.arg.name}: {self.kind.name}{target}{persistent}"


class OutputSpec(NamedTuple):
    """An output of a graph: its kind, its node, and the buffer that is written with it."""

    kind: OutputKind
    arg: TensorArgument | ConstantArgument
    target: str | None

    def __str__(self) -> str:
        target = "" if self.target is None else f" target={self.target!r}"
        return f"{self.arg.name}: {self.kind.name}{target}"


class ExportGraphSignature(NamedTuple):
    """The inputs and outputs of a graph."""

    input_specs: list[InputSpec]
    output_specs: list[OutputSpec]

    def _targets(self, kind: InputKind) -> tuple[str, ...]:
        return tuple(str(s.target) for s in self.input_specs if s.kind is kind)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Return names of the parameters."""
        return self._targets(InputKind.PARAMETER)

    @property
    def buffers(self) -> tuple[str, ...]:
        """Return names of the buffers."""
        return self._targets(InputKind.BUFFER)

    @property
    def user_inputs(self) -> tuple[str, ...]:
        """Return names of the nodes that stand for what a call is given."""
        return tuple(s.arg.name for s in self.input_specs if s.kind is InputKind.USER_INPUT)

    @property
    def user_outputs(self) -> tuple[str, ...]:
        """Return names of the nodes that a call returns."""
        return tuple(s.arg.name for s in self.output_specs if s.kind is OutputKind.USER_OUTPUT)

    @property
    def inputs_to_parameters(self) -> dict[str, str]:
        """Return parameters by node."""
        kind = InputKind.PARAMETER
        return {s.arg.name: str(s.target) for s in self.input_specs if s.kind is kind}

    @property
    def inputs_to_buffers(self) -> dict[str, str]:
        """Return buffers by node."""
        return {s.arg.name: str(s.target) for s in self.input_specs if s.kind is InputKind.BUFFER}

    @property
    def buffers_to_mutate(self) -> dict[str, str]:
        """Return buffers that are written to, by the node of what is written."""
        kind = OutputKind.BUFFER_MUTATION
        return {s.arg.name: str(s.target) for s in self.output_specs if s.kind is kind}

    def __str__(self) -> str:
        lines = ["# inputs", *map(str, self.input_specs), "", "# outputs", *map(str, self.output_specs)]
        return "\n".join(lines) + "\n"


for _class in (
    TensorArgument, ConstantArgument, InputKind, OutputKind, InputSpec, OutputSpec, ExportGraphSignature
):  # fmt: skip
    _class.__module__ = "torch.export.graph_signature"

__all__ = [
    "ConstantArgument", "ExportGraphSignature", "InputKind", "InputSpec", "OutputKind", "OutputSpec",
    "TensorArgument",
]  # fmt: skip

"""Make an ONNX model of a traced program: its inputs, its weights, a node or more for each operation.

An operation that ONNX has nothing for does not end the work: all of them are found and named at once, with
the lines of the user's program that they come from.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import nn
from ...core.op import TABLE
from ...core.recorder import Equation, Reference
from ...core.value import array_of
from ...errors import with_note
from ..export.dynamic_shapes import Labels
from ..export.varying import Family, Unclear, Varying, VaryingArray, varying_in
from ..version import __version__
from .builder import Graph, Operand
from .errors import OnnxExporterError, UnsupportedOperatorError
from .translation import RULES, Unsupported
from .translation.elementwise import by_form

assert nn.functional  # the ops of layers are declared when they are first used

#: The versions of ONNX's ops that the rules are written for.
OLDEST, NEWEST = 18, 23
#: Nodes of which further results may be left out, where nobody reads them.
_OPTIONAL = frozenset({"GRU", "LSTM", "LayerNormalization", "MaxPool", "RNN"})
#: How names begin of values that are not there.
_MISSING = "missing_"


class Translation:
    """Tell a program in ONNX.

    Parameters
    ----------
    onnx : module
        The package.
    captured : Family
    dynamic : dict
        What the sizes that may change are called (see `export.dynamic_shapes`).
    input_names, output_names : sequence of str
        Of the tensors among the arguments, and of the results; those that are missing get names.
    opset : int
    """

    def __init__(
        self, onnx: Any, captured: Family, dynamic: Labels, input_names: Sequence[str],
        output_names: Sequence[str], opset: int,
    ) -> None:  # fmt: skip
        self.onnx = onnx
        self.captured = captured
        self.example = captured.example
        self.program = captured.example.program
        self.graph = Graph(onnx, opset)
        self.values: dict[int, Operand] = {}
        self.labels: dict[tuple[Any, ...], str] = {}
        self.input_names = [*input_names, *self.example.paths[len(input_names) :]]
        self._dynamic = dynamic
        self._output_names = output_names
        #: What could not be told, in order: op, reason, line.
        self.unsupported: dict[tuple[str, str], list[str]] = {}

    def model(self, with_weights: bool = True, weights_as_inputs: bool = False) -> Any:
        """Return the model.

        Parameters
        ----------
        with_weights : bool
            Whether the numbers of the parameters are in it; without, they are inputs.
        weights_as_inputs : bool
            Whether they are inputs, too, with these numbers as defaults.

        Raises
        ------
        UnsupportedOperatorError
            ONNX has nothing for some of the operations.
        """
        self._inputs()
        self._equations()
        outputs = self._outputs()
        if self.unsupported:
            raise self._refusal()
        helper = self.onnx.helper
        nodes, read = self._live([name for name, _ in outputs])
        inputs = [self._info(name, self.values[n]) for name, n in self._arguments()]
        weights = [name for name in self.example.state if name in read]
        if not with_weights or weights_as_inputs:
            numbers = dict(zip(self.example.state, self.program.inputs, strict=False))
            inputs += [self._info(name, self.values[numbers[name]]) for name in weights]
        arrays = {name: a for name, a in self.graph.arrays.items() if name in read}
        if not with_weights:
            arrays = {name: a for name, a in arrays.items() if name not in self.example.state}
        initializers = [
            self.onnx.numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)
            for name, array in arrays.items()
        ]
        infos = [self._info(name, value) for name, value in outputs]
        graph = helper.make_graph(nodes, "main_graph", inputs, infos, initializers)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.graph.opset)], producer_name="pullback",
            producer_version=str(__version__), ir_version=10,
        )  # fmt: skip

    # --- inputs ---------------------------------------------------------------------------------------------

    def _arguments(self) -> list[tuple[str, int]]:
        numbers = self.program.inputs[len(self.example.state) :]
        return [*zip(self.input_names, numbers, strict=False)]

    def _inputs(self) -> None:
        state = self.example.state
        taken = set(state)
        for name, _ in self._arguments():
            if name in taken:
                raise ValueError(f"torch.onnx.export: two inputs or parameters are called {name!r}")
            taken.add(name)
        for (name, t), number in zip(state.items(), self.program.inputs, strict=False):
            array = array_of(t)
            self.graph.arrays[name] = array
            self.values[number] = Operand(name, array.shape, array.dtype)
        for (name, number), path in zip(self._arguments(), self.example.paths, strict=True):
            shape = self.captured.shapes[number]
            value = self.values[number] = Operand(name, shape, self.program.dtypes[number])
            for axis, label in self._dynamic.get(path, {}).items():
                if isinstance(shape[axis], Varying):
                    self.labels.setdefault(shape[axis].values, label)
            self.graph.register(name, value.shape)
        for number, constant in self.captured.constants.items():
            if isinstance(constant, VaryingArray):
                continue
            name = self.graph.constant(constant)
            self.values[number] = Operand(name, constant.shape, constant.dtype)

    def _value(self, number: int) -> Operand:
        """Return a value; a constant that varies is told where it is first read, when sizes are known."""
        if (found := self.values.get(number)) is None:
            found = self.values[number] = self._varying_constant(number, self.captured.constants[number])
        return found

    def _varying_constant(self, number: int, constant: VaryingArray) -> Operand:
        """Tell an array that the model made of sizes: one number, or numbers at equal distances."""
        g, array, progression = self.graph, constant.arrays[0], constant.progression
        shape, dtype = self.captured.shapes[number], array.dtype
        start, step = (g.value(n, dtype) for n in progression)
        if progression[1] == 0:
            return Operand(g.node("Expand", start, g.sizes(shape)) if shape else start, shape, dtype)
        places = g.node("Range", g.constant(0, np.int64), g.scalar(shape[0]), g.constant(1, np.int64))
        scaled = g.node("Mul", g.cast(places, np.dtype(np.int64), dtype), step)
        return Operand(g.node("Add", scaled, start), shape, dtype)

    # --- operations -----------------------------------------------------------------------------------------

    def _equations(self) -> None:
        needed = set(self.program.outputs)
        kept: list[Equation] = []
        for equation in reversed(self.captured.equations):
            if needed.isdisjoint(equation.outputs):
                continue
            kept.append(equation)
            needed |= {o.index for o in equation.operands if isinstance(o, Reference)}
        for equation in reversed(kept):
            self._try(equation.op, equation.outputs[0], lambda e=equation: self._told(e))
            for number in equation.outputs:
                if number not in self.values:
                    self.values[number] = self._missing(number)
                elif not self.values[number].name.startswith(_MISSING):
                    self.graph.register(self.values[number].name, self.values[number].shape)

    def _missing(self, number: int) -> Operand:
        """Return what stands for a value that could not be told, for what reads it."""
        return Operand(f"{_MISSING}{number}", self.captured.shapes[number], self.program.dtypes[number])

    def _try(self, op: str, number: int, tell: Any) -> None:
        try:
            self.values.update(tell())
        except (Unsupported, Unclear) as error:
            line = self.example.lines.get(number)
            place = "" if line is None else f"{line[0]}:{line[1]}, in {line[2]}"
            self.unsupported.setdefault((op, str(error)), []).append(place)
            self.values[number] = self._missing(number)

    def _told(self, equation: Equation) -> dict[int, Operand]:
        g = self.graph
        operands = [self._value(o.index) if isinstance(o, Reference) else o for o in equation.operands]
        if (folded := self._folded(equation, operands)) is not None:
            return folded
        results = [(self.captured.shapes[n], self.program.dtypes[n]) for n in equation.outputs]
        g.results = results
        op = TABLE[equation.op]
        rule = RULES.get(op.base)
        names: Any
        if rule is not None:
            names = rule(g, *operands, *equation.attrs)
        elif op.kind == "elementwise":
            names = by_form(g, equation.op, operands, equation.attrs)
        elif op.draws:
            raise Unsupported("it draws random numbers: call model.eval() before")
        else:
            raise Unsupported("it has no rule for ONNX")
        if not equation.several:
            names = (names,)
        return {
            number: Operand(name, shape, dtype)
            for number, name, (shape, dtype) in zip(equation.outputs, names, results, strict=False)
            if name is not None
        }

    def _folded(self, equation: Equation, operands: Sequence[Any]) -> dict[int, Operand] | None:
        """Return the results as constants, where the operands are and nothing varies."""
        op, state = TABLE[equation.op], self.example.state
        if op.draws or varying_in((operands, equation.attrs)):
            return None
        values = [o for o in operands if isinstance(o, Operand)]
        if any(v.name in state or v.name not in self.graph.arrays for v in values):
            return None
        if not all(v.is_fixed for v in values):
            return None
        arrays = tuple(self.graph.arrays[o.name] if isinstance(o, Operand) else o for o in operands)
        result = op.evaluate_in_order(arrays, equation.attrs)
        parts = result if equation.several else (result,)
        return {
            n: Operand(self.graph.constant(part), np.shape(part), np.asarray(part).dtype)
            for n, part in zip(equation.outputs, parts, strict=True)
        }

    # --- results --------------------------------------------------------------------------------------------

    def _outputs(self) -> list[tuple[str, Operand]]:
        """Give the results names of their own."""
        count = len(self.program.outputs) - len(self.example.mutated)
        found = []
        for k, number in enumerate(self.program.outputs[:count]):
            value = self._value(number)
            name = self._output_names[k] if k < len(self._output_names) else f"output_{k}"
            self.graph.nodes.append(self.onnx.helper.make_node("Identity", [value.name], [name], name=name))
            found.append((name, value))
        return found

    def _live(self, outputs: Sequence[str]) -> tuple[list[Any], set[str]]:
        """Return the nodes that the outputs depend on, and the names that they read."""
        read, kept = set(outputs), []
        for node in reversed(self.graph.nodes):
            if read.isdisjoint(node.output):
                continue
            kept.append(node)
            read |= set(node.input)
        for node in kept:
            if node.op_type not in _OPTIONAL:
                continue
            for n, name in enumerate(node.output):
                if name not in read and n:
                    node.output[n] = ""
            while node.output and not node.output[-1]:
                del node.output[-1]
        return kept[::-1], read

    def _info(self, name: str, value: Operand) -> Any:
        shape = [
            self.labels.setdefault(n.values, f"{name}_dim_{axis}") if isinstance(n, Varying) else n
            for axis, n in enumerate(value.shape)
        ]
        return self.onnx.helper.make_tensor_value_info(name, self.graph.kind(value.dtype), shape)

    def _refusal(self) -> OnnxExporterError:
        listed = []
        for (op, reason), places in self.unsupported.items():
            listed.append(f"  {op}: {reason}")
            listed += [f"    {place}" for place in dict.fromkeys(places) if place]
        names = ", ".join(dict.fromkeys(op for op, _ in self.unsupported))
        return with_note(
            UnsupportedOperatorError(f"the model has operations that cannot be exported to ONNX: {names}"),
            "\n".join(listed),
        )


def opset_of(requested: int | None) -> int:
    """Return the version of ONNX's ops that the model is made for."""
    return min(max(requested or OLDEST, OLDEST), NEWEST)


def with_opset(onnx: Any, model: Any, requested: int | None) -> Any:
    """Return the model for an older version than the rules are written for, by ONNX's converter.

    Raises
    ------
    OnnxExporterError
        The converter cannot.
    """
    if requested is None or requested >= OLDEST:
        return model
    from onnx import version_converter

    try:
        return version_converter.convert_version(model, requested)
    except RuntimeError as error:
        raise with_note(
            OnnxExporterError(f"the model cannot be told in ONNX's opset {requested}: {error}"),
            f"pullback writes opset {OLDEST} to {NEWEST}; leave opset_version out, or make it {OLDEST}.",
        ) from error

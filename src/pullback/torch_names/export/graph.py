"""Write a traced program as a graph of `torch.fx`, in torch's own ops where it has them.

Parameters and buffers are inputs of the graph, before those of the call. A size that varies is a node of its
own: that of a value along an axis, or a sum, product or quotient.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy import ndarray

from ... import nn
from ...array import dtypes
from ...core.op import TABLE, Op
from ...core.recorder import Equation, Reference
from ...core.value import TensorBase, wrap
from ...fx.graph import Graph
from ...fx.node import Node
from .. import public
from .._aten.overload import overload
from .._aten.translated import OwnOp, translate
from .graph_signature import (
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)
from .replay import note_sizes, told
from .sizes import Formula, Sizes
from .varying import Family, Varying, VaryingArray, varying_in

assert nn.functional  # the ops of layers are declared when they are first used

_SIZE = overload("sym_size", "int")
#: What goes wrong where an op is told in torch's steps on stand-ins.
_REFUSALS = (RuntimeError, TypeError, ValueError, NotImplementedError, AttributeError, KeyError, IndexError)


class Writer:
    """Write the graph of a program; `constants` are its tensors that are inputs of the graph."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.graph = Graph()
        self.constants: dict[str, Any] = {}
        self._nodes: dict[int, Node] = {}
        self._stand_ins: dict[int, Any] = {}
        self._of: dict[int, Node] = {}
        #: Stand-ins are told by their identity: they stay as long as the writer.
        self._kept: list[Any] = []
        self._sizes = Sizes()
        self._size_nodes: dict[Formula, Any] = {}
        self.signature = self._write()

    def _write(self) -> ExportGraphSignature:
        family, example = self.family, self.family.example
        inputs: list[InputSpec] = []
        numbers = iter(example.program.inputs)
        read = {o.index for e in family.equations for o in e.operands if isinstance(o, Reference)}
        for name in example.state:
            is_parameter = name in example.parameters
            node = self._input(f"{'p' if is_parameter else 'b'}_{name.replace('.', '_')}", next(numbers))
            kind = InputKind.PARAMETER if is_parameter else InputKind.BUFFER
            inputs.append(InputSpec(kind, TensorArgument(node.name), name, None if is_parameter else True))
        for number, array in family.constants.items():
            if isinstance(array, ndarray) and (number in read or number in example.program.outputs):
                name = f"lifted_tensor_{len(self.constants)}"
                self.constants[name] = wrap(array)
                node = self._input(f"c_{name}", number)
                inputs.append(InputSpec(InputKind.CONSTANT_TENSOR, TensorArgument(node.name), name))
        for path in example.paths:
            node = self._input(path, next(numbers))
            inputs.append(InputSpec(InputKind.USER_INPUT, TensorArgument(node.name), None))
        for equation in family.equations:
            self._equation(equation)
        outputs = []
        nodes = [self._node(n) for n in example.program.outputs]
        count = len(nodes) - len(example.mutated)
        for node, name in zip(nodes[count:], example.mutated, strict=True):
            outputs.append(OutputSpec(OutputKind.BUFFER_MUTATION, TensorArgument(node.name), name))
        for node in nodes[:count]:
            outputs.append(OutputSpec(OutputKind.USER_OUTPUT, TensorArgument(node.name), None))
        self.graph.output((*nodes[count:], *nodes[:count]))
        return ExportGraphSignature(inputs, outputs)

    def _stand_in(self, number: int) -> Any:
        """Return a tensor without memory that is as a value is in the examples."""
        program = self.family.example.program
        dtype = dtypes.from_numpy_dtype(program.dtypes[number])
        return public("empty")(program.shapes[number], dtype=dtype, device="meta")

    def _is(self, number: int, node: Node) -> None:
        made = self._stand_in(number)
        self._nodes[number], self._stand_ins[number] = node, made
        self._of[id(made)] = node
        node.meta["val"] = made
        note_sizes(self._sizes, number, self.family.shapes[number])

    def _input(self, name: str, number: int) -> Node:
        node = self.graph.placeholder(name)
        self._is(number, node)
        return node

    def _node(self, number: int) -> Node:
        if number not in self._nodes:
            self._made(number, self.family.constants[number])
        return self._nodes[number]

    def _made(self, number: int, constant: VaryingArray) -> None:
        """Write what makes an array of a size."""
        shape = [self._argument(n) for n in self.family.shapes[number]]
        dtype = dtypes.from_numpy_dtype(constant.arrays[0].dtype)
        start, step = (self._argument(n) for n in constant.progression)
        if step == 0:
            node = self.graph.call_function(overload("full"), (shape, start), {"dtype": dtype})
        else:
            end = self.graph.call_function(operator.mul, (shape[0], step)) if step != 1 else shape[0]
            end = self.graph.call_function(operator.add, (end, start)) if start != 0 else end
            node = self.graph.call_function(
                overload("arange", "start_step"), (start, end, step), {"dtype": dtype}
            )
        self._is(number, node)

    # --- operations -----------------------------------------------------------------------------------------

    def _equation(self, equation: Equation) -> None:
        for operand in equation.operands:
            if isinstance(operand, Reference):
                self._node(operand.index)
        op = TABLE[equation.op]
        shapes = [self.family.shapes[o.index] for o in equation.operands if isinstance(o, Reference)]
        varies = bool(varying_in((equation.operands, equation.attrs, shapes)))
        before = {*self.graph.nodes}
        result: Any = None
        operands = tuple(
            self._stand_ins[o.index] if isinstance(o, Reference) else self._number(o)
            for o in equation.operands
        )
        attrs = tuple(map(self._number, equation.attrs))
        try:
            result = translate(op, operands, attrs, self._ask)
            made = {*self.graph.nodes} - before
            steps = [n for n in made if str(n.target).startswith("aten.") and n.target is not _SIZE]
            if varies and len(steps) > 1:
                result = None  # its steps may hold the examples' sizes
        except _REFUSALS:
            result = None
        if result is None:
            for node in reversed([n for n in self.graph.nodes if n not in before]):
                self.graph.erase_node(node)
            self._size_nodes = {f: n for f, n in self._size_nodes.items() if not n._erased}
            given = (operands,) if op.variadic else operands
            result = self._ask(OwnOp(op), (*given, *attrs), {}, len(equation.outputs), equation.several)
        parts = result if equation.several else (result,)
        for number, part in zip(equation.outputs, parts, strict=True):
            node = self._of[id(part)]
            if (line := self.family.example.lines.get(number)) is not None:
                node.meta["stack_trace"] = f'  File "{line[0]}", line {line[1]}, in {line[2]}\n'
            self._is(number, node)

    def _ask(
        self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], count: int = 0,
        several: bool = False,
    ) -> Any:
        node = self.graph.create_node(
            "call_function", target, tuple(map(self._argument, args)),
            {k: self._argument(v) for k, v in kwargs.items()}, name=str(target.__name__).partition(".")[0],
        )  # fmt: skip
        if not count:
            found = target(*map(_plain, args), **{k: _plain(v) for k, v in kwargs.items()})
        else:
            made = [public("empty")((), device="meta") for _ in range(count)]
            found = tuple(made) if several else made[0]
        self._kept.append(found)
        if isinstance(found, TensorBase):
            self._of[id(found)] = node
            node.meta["val"] = found
            return found
        for n, part in enumerate(found):
            taken = self.graph.call_function(operator.getitem, (node, n))
            self._of[id(part)] = taken
        return found

    def _argument(self, value: Any) -> Any:
        """Return an argument as a node holds it."""
        if isinstance(value, TensorBase):
            return self._of[id(value)]
        if isinstance(value, (Varying, _Size)):
            return self._size(told(self._sizes, Varying(value.values)))
        if isinstance(value, Op):
            return OwnOp(value)
        if isinstance(value, np.dtype):
            return dtypes.from_numpy_dtype(value)
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
            return type(value)(map(self._argument, value))
        return value

    def _number(self, value: Any) -> Any:
        """Return an attribute with numbers in the place of what varies, which say so."""
        if isinstance(value, Varying):
            return _Size.of(value) if type(value.values[0]) is int else value.values[0]
        return tuple(map(self._number, value)) if type(value) is tuple else value

    def _size(self, formula: Formula) -> Any:
        if formula not in self._size_nodes:
            self._size_nodes[formula] = formula.told(
                lambda number, axis: self.graph.call_function(_SIZE, (self._nodes[number], axis)),
                lambda how, a, b: self.graph.call_function(how, (a, b)),
            )
        return self._size_nodes[formula]


class _Size(int):
    """A size of the examples that is another one in other traces."""

    values: tuple[int, ...]

    @classmethod
    def of(cls, varying: Varying) -> _Size:
        made = cls(varying.values[0])
        made.values = varying.values
        return made


def _plain(value: Any) -> Any:
    """Return an argument with plain numbers."""
    if isinstance(value, _Size):
        return int(value)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(map(_plain, value))
    return value

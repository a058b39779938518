"""Programs as text: Python that runs, and that reads back as the same program.

A program is a function, one equation a line; a comment says the shapes and dtypes of what the line defines.
The names it uses are imported from `operations`, where each op runs its array kernel::

    from pullback.compiler.operations import add, constant, tanh

    def program(v0):  # float32[3]
        v1 = constant("float32[]", [1.0])
        v2 = add(v0, v1)  # float32[3]
        return (v2,)

Bodies of loops and branches are functions before it. What has no text, as a generator of random numbers, is
named by a number under which this process knows it.
"""

from __future__ import annotations

import ast
import base64
import zlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from ...array import dtypes
from ...array.pool import Windows
from ...array.random import Generator
from ...array.resize import Axis
from ...array.sampler import Sampler
from ...core.body import Body
from ...core.op import TABLE, Op
from ...core.recorder import Equation, Reference
from ...ops import declare_all
from .digests import blake2b

if TYPE_CHECKING:
    from .program import Program

#: Constants of more elements are written as their compressed bytes.
LISTED = 16

#: Types whose values are equal only where they are the same.
_EXACT = frozenset((int, bool, str))
_INTS = frozenset((int,))

#: Things without a text, by number.
_held: dict[int, Any] = {}


class UnreadableError(ValueError):
    """A text is no program."""


class Unprintable(Exception):
    """A program has something without a text: what it prints as means nothing to another process."""


def kind(shape: Sequence[int], dtype: np.dtype[Any]) -> str:
    """Return a shape and dtype: ``float32[3,4]``."""
    return f"{dtype}[{','.join(map(str, shape))}]"


def read_kind(text: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Return the shape and dtype that a text names."""
    name, _, rest = text.partition("[")
    dtype = dtypes.BY_NAME[name].numpy if name in dtypes.BY_NAME else np.dtype(name)
    return tuple(int(n) for n in rest.rstrip("]").split(",") if n), dtype


# --- writing ------------------------------------------------------------------------------------------------


def written(program: Program) -> str:
    """Return the program as Python."""
    writer = _Writer()
    main = writer.function("program", program)
    names = ", ".join(sorted(writer.names))
    head = [f"from pullback.compiler.program.operations import {names}", ""] if names else []
    return "\n".join([*head, *writer.bodies, main])


def printed(program: Program, generators: list[Any] | None = None) -> str:
    """Return what tells the program from all others, in every process: its text, with digests of large
    constants.

    `generators` gets those that it draws from; in the text they are numbers in this list. Raises
    `Unprintable` where it has something without a text.
    """
    writer = _Writer(_digest, generators)
    main = writer.function("program", program)
    if "held" in writer.names:
        raise Unprintable
    return "\n".join([*writer.bodies, main])


def _packed(data: bytes) -> str:
    return base64.b85encode(zlib.compress(data)).decode()


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=20).hexdigest()


class _Writer:
    """Write functions; `pack` gives the text of a large constant's bytes, `generators` are numbered."""

    def __init__(self, pack: Callable[[bytes], str] = _packed, generators: list[Any] | None = None) -> None:
        self._pack = pack
        self._generators = generators
        self.names: set[str] = set()
        self.bodies: list[str] = []
        self._known: dict[int, str] = {}

    def function(self, name: str, code: Program | Body) -> str:
        """Return one function: a program or a body."""
        shapes, dtypes = code.shapes, code.dtypes
        known: dict[Any, str] = {}

        def kinds(numbers: Sequence[int]) -> str:
            texts = []
            for n in numbers:
                key = shapes[n], dtypes[n]
                if (text := known.get(key)) is None:
                    text = known[key] = kind(*key)
                texts.append(text)
            return "; ".join(texts)

        comment = f"  # {kinds(code.inputs)}" if code.inputs else ""
        lines = [f"def {name}({', '.join(f'v{n}' for n in code.inputs)}):{comment}"]
        lines += [f"    v{n} = {self._constant(array)}" for n, array in code.constants.items()]
        for equation in code.equations:
            self.names.add(equation.op)
            targets = ", ".join([f"v{n}" for n in equation.outputs]) + ("," if equation.several else "")
            operands = ", ".join(map(self._value, equation.operands))
            if TABLE[equation.op].variadic:
                operands = f"[{operands}]"
            parts = [operands] if operands else []
            parts += [self._value(a) for a in equation.attrs]
            lines.append(f"    {targets} = {equation.op}({', '.join(parts)})  # {kinds(equation.outputs)}")
        result = "".join(f"v{n}, " for n in code.outputs).rstrip()
        lines.append(f"    return ({result.rstrip(',') if len(code.outputs) > 1 else result})")
        return "\n".join(lines) + "\n"

    def _constant(self, array: ndarray) -> str:
        text = kind(array.shape, array.dtype)
        if array.size > 1 and not any(s for s, n in zip(array.strides, array.shape, strict=True) if n > 1):
            self.names.add("full")
            return f"full({text!r}, {self._element(array[(0,) * array.ndim])})"
        if array.size <= LISTED:
            self.names.add("constant")
            return f"constant({text!r}, [{', '.join(self._element(x) for x in array.reshape(-1))}])"
        self.names.add("packed")
        return f"packed({text!r}, {self._pack(np.ascontiguousarray(array).tobytes())!r})"

    def _element(self, x: Any) -> str:
        if x.dtype.kind in "biu":
            return repr(x.item())
        return self._value(complex(x) if x.dtype.kind in "cW" else float(x))

    def _value(self, value: Any) -> str:
        """Return an operand or attribute as Python."""
        if type(value) is Reference:
            return f"v{value[0]}"
        if isinstance(value, tuple) and type(value) is tuple:
            inside = ", ".join(map(self._value, value))
            return f"({inside},)" if len(value) == 1 else f"({inside})"
        if type(value) in _RECORDS:
            name = type(value).__name__.lower()
            self.names.add(name)
            return f"{name}({', '.join(map(self._value, value))})"
        if value is None or isinstance(value, bool):
            return repr(value)
        for plain in (int, str):
            if isinstance(value, plain):
                # A member of an enumeration is its number or text.
                return plain.__repr__(value)
        if type(value) is float:
            return self._float(value)
        if type(value) is complex:
            self.names.add("number")
            return f"number({self._float(value.real)}, {self._float(value.imag)})"
        if isinstance(value, np.dtype):
            self.names.add("dtype")
            return f"dtype({str(value)!r})"
        if isinstance(value, slice):
            return f"slice({self._value(value.start)}, {self._value(value.stop)}, {self._value(value.step)})"
        if isinstance(value, Op):
            self.names.add("op")
            return f"op({value.name!r})"
        if isinstance(value, Body):
            return self._body(value)
        if isinstance(value, Generator) and self._generators is not None:
            if not any(value is known for known in self._generators):
                self._generators.append(value)
            return f"generator({next(n for n, g in enumerate(self._generators) if g is value)})"
        _held[id(value)] = value
        self.names.add("held")
        return f"held({id(value)})"

    def _float(self, value: float) -> str:
        if value == value and abs(value) != float("inf"):
            return repr(value)
        self.names.add("real")
        return f"real({str(value)!r})"

    def _body(self, body: Body) -> str:
        if (name := self._known.get(id(body))) is None:
            text = self.function("body", body)
            name = self._known[id(body)] = f"body{len(self._known)}"
            self.bodies.append(text.replace("def body(", f"def {name}(", 1))
        self.names.add("body")
        return f"body({name})"


# --- reading ------------------------------------------------------------------------------------------------


def held(number: int) -> Any:
    """Return the thing without a text that a number names."""
    if number not in _held:
        raise UnreadableError(f"this process has no thing of number {number}")
    return _held[number]


def constant(text: str, elements: Sequence[Any]) -> ndarray:
    """Return an array of a shape and dtype, from its elements."""
    shape, dtype = read_kind(text)
    return np.array(list(elements)).astype(dtype).reshape(shape)


def full(text: str, element: object) -> ndarray:
    """Return an array of a shape and dtype whose elements are one number."""
    shape, dtype = read_kind(text)
    return np.broadcast_to(np.array(element).astype(dtype), shape)


def packed(text: str, data: str) -> ndarray:
    """Return an array of a shape and dtype, from its compressed bytes."""
    shape, dtype = read_kind(text)
    return np.frombuffer(zlib.decompress(base64.b85decode(data)), dtype).reshape(shape)


#: Tuples with names that ops have for attributes.
_RECORDS = (Axis, Sampler, Windows)

#: What a text may call besides ops.
MAKERS: dict[str, Any] = {
    "constant": constant, "full": full, "packed": packed, "held": held, "number": complex, "real": float,
    "dtype": lambda name: read_kind(name)[1], "op": lambda name: TABLE[name],
    **{record.__name__.lower(): record for record in _RECORDS},
}  # fmt: skip


def value_as_text(value: object) -> str:
    """Return an attribute as it stands in a program, or raise `Unprintable`."""
    writer = _Writer()
    text = writer._value(value)
    if "held" in writer.names or writer.bodies:
        raise Unprintable
    return text


def read_value(text: str) -> Any:
    """Return the attribute that a text writes down."""
    return _Reader([])._value(ast.parse(text, mode="eval").body)


def parsed(text: str) -> dict[str, Any]:
    """Return the fields of the program that a text writes down, or raise UnreadableError where it is none."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise UnreadableError(f"the text is no Python: {error}") from error
    reader = _Reader(text.splitlines())
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            reader.function(statement)
    if "program" not in reader.functions:
        raise UnreadableError("there is no function 'program'")
    return reader.functions["program"]


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.functions: dict[str, dict[str, Any]] = {}
        self._bodies: dict[str, Body] = {}

    def function(self, tree: ast.FunctionDef) -> None:
        """Read one function."""
        self.kinds: dict[int, tuple[tuple[int, ...], np.dtype[Any]]] = {}
        inputs = [self._number(a.arg) for a in tree.args.args]
        self._note(inputs, tree.lineno)
        equations: list[Equation] = []
        constants: dict[int, ndarray] = {}
        outputs: list[int] = []
        for line in tree.body:
            if isinstance(line, ast.Return) and isinstance(line.value, ast.Tuple):
                outputs = [self._number(self._name(e)) for e in line.value.elts]
            elif isinstance(line, ast.Assign) and isinstance(line.value, ast.Call):
                self._assigned(line, line.value, equations, constants)
            else:
                raise UnreadableError(f"line {line.lineno} is no equation")
        size = max(self.kinds, default=-1) + 1
        blank = ((), np.dtype(bool))
        self.functions[tree.name] = {
            "inputs": inputs, "equations": equations, "outputs": outputs, "constants": constants,
            "shapes": [self.kinds.get(n, blank)[0] for n in range(size)],
            "dtypes": [self.kinds.get(n, blank)[1] for n in range(size)],
        }  # fmt: skip

    def _assigned(
        self, line: ast.Assign, call: ast.Call, equations: list[Equation], constants: dict[int, ndarray]
    ) -> None:
        name, target = self._name(call.func), line.targets[0]
        several = isinstance(target, ast.Tuple)
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        outputs = tuple(self._number(self._name(e)) for e in names)
        if name in ("constant", "full", "packed"):
            array = constants[outputs[0]] = self._value(call)
            self.kinds[outputs[0]] = array.shape, array.dtype
            return
        if name not in TABLE:
            declare_all()
        if name not in TABLE:
            raise UnreadableError(f"line {line.lineno}: there is no op {name!r}")
        op = TABLE[name]
        first = call.args[:1]
        if op.variadic and isinstance(first[0], ast.List):
            operands, rest = first[0].elts, call.args[1:]
        else:
            operands, rest = call.args[: len(op.inputs)], call.args[len(op.inputs) :]
        attrs = tuple(self._value(a) for a in rest)
        equations.append(Equation(name, tuple(self._value(o) for o in operands), attrs, outputs, several))
        self._note(outputs, line.lineno)

    def _note(self, numbers: Sequence[int], line: int) -> None:
        if not numbers:
            return
        kinds = self.lines[line - 1].rpartition("  # ")[2].split("; ")
        if len(kinds) != len(numbers):
            raise UnreadableError(f"line {line} does not say the kinds of {len(numbers)} values")
        self.kinds.update(zip(numbers, map(read_kind, kinds), strict=True))

    def _value(self, tree: ast.AST) -> Any:
        if isinstance(tree, ast.Name):
            return Reference(self._number(tree.id))
        if isinstance(tree, ast.Tuple):
            return tuple(self._value(e) for e in tree.elts)
        if isinstance(tree, ast.List):
            return [self._value(e) for e in tree.elts]
        if isinstance(tree, ast.Call):
            if (name := self._name(tree.func)) == "body":
                return self._body(self._name(tree.args[0]))
            maker = slice if name == "slice" else MAKERS.get(name)
            if maker is None:
                raise UnreadableError(f"there is no {name!r} that makes a value")
            return maker(*(self._value(a) for a in tree.args))
        try:
            return ast.literal_eval(tree)
        except ValueError as error:
            raise UnreadableError(str(error)) from error

    def _body(self, name: str) -> Body:
        if name not in self._bodies:
            self._bodies[name] = Body(**self.functions[name])
        return self._bodies[name]

    def _name(self, tree: ast.AST) -> str:
        if not isinstance(tree, ast.Name):
            raise UnreadableError(f"{ast.unparse(tree)} is no name")
        return tree.id

    def _number(self, name: str) -> int:
        if not (name[:1] == "v" and name[1:].isdigit()):
            raise UnreadableError(f"{name!r} is no value")
        return int(name[1:])


# --- equality -----------------------------------------------------------------------------------------------


def same_code(a: Program | Body, b: Program | Body) -> bool:
    """Return whether two programs, or bodies, are equal: in equations, values and constants."""
    if a.inputs != b.inputs or a.outputs != b.outputs or len(a.equations) != len(b.equations):
        return False
    if a.constants.keys() != b.constants.keys():
        return False
    if not all(_same_array(v, b.constants[k]) for k, v in a.constants.items()):
        return False
    numbers = [*a.inputs, *a.constants, *(n for e in a.equations for n in e.outputs)]
    if any(a.shapes[n] != b.shapes[n] or a.dtypes[n] != b.dtypes[n] for n in numbers):
        return False
    return all(exact(x) == exact(y) for x, y in zip(a.equations, b.equations, strict=True))


def _same_array(a: ndarray, b: ndarray) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


class _Code:
    """A body, equal to an equal one."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Code) and same_code(self.body, other.body)

    def __hash__(self) -> int:
        return hash((self.body.inputs, self.body.outputs, len(self.body.equations)))


def exact(value: Any) -> Any:
    """Return a value that equals another's only where they are the same: 1 is not True, 0.0 is not -0.0."""
    if (kind := type(value)) is Reference or value is None:
        return value
    if kind in _EXACT:
        return kind, value
    if kind is tuple or isinstance(value, tuple):
        if _INTS.issuperset(map(type, value)):
            return kind, value
        return (kind, *[v if type(v) is Reference else exact(v) for v in value])
    if kind is float:
        return (float, value.hex())
    if kind is complex:
        return (complex, value.real.hex(), value.imag.hex())
    if isinstance(value, Body):
        return _Code(value)
    if isinstance(value, slice):
        return (slice, exact(value.start), exact(value.stop), exact(value.step))
    return (type(value), value)

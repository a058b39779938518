"""Write LLVM's text of one function in the restricted Python (`restricted_python`)."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any

from ...array.named_tuples import NamedTuple
from .python_functions import MATHEMATICS, NUMPY, PYTHON
from .restricted_python import Field, Static
from .scalars import FLOAT64, number

_TYPES = {
    "Object": "ptr", "Words": "ptr", "Bytes": "ptr", "null": "ptr", "Int": "i64", "Bool": "i1",
    "Real": "double", "None": "void", "int32": "i32",
}  # fmt: skip
#: What annotations of functions that also run as Python stand for; a `Draw` is called as a function is.
_PYTHONS = {"bool": "Bool", "int": "Int", "float": "Real"} | dict.fromkeys(
    ("list[int]", "list[Any]", "Draw"), "Words"
)
_KINDS = {"ptr": "Object", "i64": "Int", "i32": "Int", "double": "Real", "void": "None"}
_OPERATORS: dict[type[ast.operator], tuple[str, Callable[[int, int], int]]] = {
    ast.Add: ("add", operator.add), ast.Sub: ("sub", operator.sub), ast.Mult: ("mul", operator.mul),
    ast.FloorDiv: ("sdiv", operator.floordiv), ast.BitAnd: ("and", operator.and_),
    ast.BitOr: ("or", operator.or_), ast.BitXor: ("xor", operator.xor), ast.Div: ("div", operator.floordiv),
    ast.LShift: ("shl", operator.lshift), ast.RShift: ("lshr", operator.rshift),
    ast.Mod: ("srem", operator.mod),
}  # fmt: skip
_COMPARISONS = {
    ast.Is: "eq", ast.IsNot: "ne", ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "slt", ast.LtE: "sle",
    ast.Gt: "sgt", ast.GtE: "sge",
}  # fmt: skip

_FUNCTIONS = PYTHON | NUMPY | MATHEMATICS

#: Whether a line reads or writes memory, or may.
_TOUCHES = re.compile(r"  (store |(%\w+ = )?(load|call) )").match


def definitions(source: bytes) -> dict[str, ast.FunctionDef]:
    """Return the functions of a module by their names."""
    return {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}


class _Value(NamedTuple):
    text: str
    kind: str

    @property
    def type(self) -> str:
        return _TYPES[self.kind]


class Translation:
    """One function, translated statement by statement.

    A block of the text begins where `place` is called; each jump there leaves the values that its
    variables have (`goto`), of which those that differ are joined.
    """

    def __init__(
        self, function: FunctionType, tree: ast.FunctionDef, fields: Mapping[str, Field], is_entry: bool,
        constants: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self._space, self._tree, self._fields = {**function.__globals__, **constants}, tree, fields
        self._linkage = "" if is_entry else "internal "
        self._kinds = _kinds(function)
        self._lines: list[str] = []
        self._rooms: list[str] = []
        self._count = 0
        self._names: dict[str, _Value] = {}
        #: The block that is written; None where nothing comes to.
        self._block: str | None = "entry"
        self._edges: dict[str, list[tuple[str, dict[str, _Value]]]] = {}
        #: Of each loop that is open: where ``continue`` and ``break`` go.
        self._loops: list[tuple[str, str]] = []

    def text(self) -> str:
        """Return the definition."""
        given = [arg.arg for arg in self._tree.args.args]
        self._names = {name: _Value(f"%{name}", self._kinds[name]) for name in given}
        self._statements(self._tree.body)
        if self._block is not None:
            if self._kinds["return"] != "None":
                raise SyntaxError(f"{self._tree.name} may end without a result")
            self._lines.append("  ret void")
        parameters = ", ".join(f"{_TYPES[self._kinds[name]]} %{name}" for name in given)
        head = f"define {self._linkage}{_TYPES[self._kinds['return']]} @{self._tree.name}({parameters})"
        return "\n".join([f"{head} nounwind #0 {{", "entry:", *self._rooms, *self._lines, "}"])

    # Blocks

    def _label(self) -> str:
        self._count += 1
        return f"b{self._count}"

    def _goto(self, label: str, kind: str = "") -> None:
        if self._block is not None:
            self._lines.append(f"  br label %{label}{kind}")
            self._leave(label)
            self._block = None

    def _leave(self, label: str) -> None:
        assert self._block is not None
        self._edges.setdefault(label, []).append((self._block, dict(self._names)))

    def _branch(self, condition: _Value, yes: str, no: str) -> None:
        self._lines.append(f"  br i1 {condition.text}, label %{yes}, label %{no}")
        self._leave(yes)
        self._leave(no)
        self._block = None

    def _place(self, label: str, changing: Iterable[str] = ()) -> dict[str, int]:
        """Begin a block. Return the lines that join the variables which change in the loop that it heads."""
        edges = self._edges.pop(label, [])
        self._block, self._names = (label if edges else None), {}
        joins: dict[str, int] = {}
        if not edges:
            return joins
        self._lines.append(f"{label}:")
        (_, first), *others = edges
        for name, value in first.items():
            # Most values come along each edge: they are compared by identity, which is half of the time.
            if name not in changing and all(names.get(name) is value for _, names in others):
                self._names[name] = value
                continue
            values = [names[name] for _, names in edges if name in names]
            if len(values) < len(edges):
                continue
            kind = next((v.kind for v in values if v.kind != "null"), "null")
            if name in changing or len({v.text for v in values}) > 1:
                pairs = ", ".join(f"[ {v.text}, %{b} ]" for v, (b, _) in zip(values, edges, strict=True))
                joins[name] = len(self._lines)
                self._names[name] = self._made(f"phi {_TYPES[kind]} {pairs}", kind)
            else:
                self._names[name] = _Value(values[0].text, kind)
        return joins

    def _close(self, head: str, joins: Mapping[str, int]) -> None:
        """Join what comes round to the head of a loop."""
        for block, names in self._edges.pop(head, []):
            for name, line in joins.items():
                self._lines[line] += f", [ {names[name].text}, %{block} ]"

    def _made(self, text: str, kind: str) -> _Value:
        self._count += 1
        self._lines.append(f"  %t{self._count} = {text}")
        return _Value(f"%t{self._count}", kind)

    # Statements

    def _statements(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            if self._block is None:
                return
            getattr(self, f"_{type(statement).__name__}")(statement)

    def _Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self._value(node.value)

    def _Pass(self, node: ast.Pass) -> None:
        pass

    def _Assign(self, node: ast.Assign) -> None:
        (target,) = node.targets
        if isinstance(target, ast.Tuple):
            assert isinstance(node.value, ast.Tuple)
            # All is read before anything is written.
            for each, found in zip(target.elts, [*map(self._value, node.value.elts)], strict=True):
                self._keep(each, found)
        else:
            self._set(target, node.value)

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        assert node.value is not None
        kind = ast.unparse(node.annotation)
        self._set(node.target, node.value, kind)

    def _AugAssign(self, node: ast.AugAssign) -> None:
        self._set(node.target, ast.BinOp(node.target, node.op, node.value))

    def _set(self, target: ast.expr, value: ast.expr, kind: str | None = None) -> None:
        found = self._value(value, kind)
        self._keep(target, found if kind is None else _Value(found.text, kind))

    def _keep(self, target: ast.expr, found: _Value) -> None:
        if isinstance(target, ast.Name):
            self._names[target.id] = found
            return
        address, _ = self._address(target)
        self._lines.append(f"  store {found.type} {found.text}, ptr {address}")

    def _Return(self, node: ast.Return) -> None:
        kind = self._kinds["return"]
        if node.value is None:
            self._lines.append("  ret void")
        else:
            self._lines.append(f"  ret {_TYPES[kind]} {self._value(node.value, kind).text}")
        self._block = None

    def _If(self, node: ast.If) -> None:
        yes, no, end = self._label(), self._label(), self._label()
        self._jump(node.test, yes, no)
        for label, body in ((yes, node.body), (no, node.orelse)):
            self._place(label)
            self._statements(body)
            self._goto(end)
        self._place(end)

    def _While(self, node: ast.While) -> None:
        self._loop(node, lambda body, end: self._jump(node.test, body, end), None)

    def _For(self, node: ast.For) -> None:
        assert isinstance(node.target, ast.Name)
        assert isinstance(node.iter, ast.Call)
        assert isinstance(node.iter.func, ast.Name)
        start, is_apart = len(self._lines), node.iter.func.id == "apart"
        name, bounds = node.target.id, [self._value(bound, "Int") for bound in node.iter.args]
        self._names[name] = bounds[0] if len(bounds) > 1 else _Value("0", "Int")

        def test(body: str, end: str) -> None:
            more = self._made(f"icmp slt i64 {self._names[name].text}, {bounds[-1].text}", "Bool")
            self._branch(more, body, end)

        self._loop(node, test, name, ", !llvm.loop !1" if is_apart else "")
        if is_apart:
            found = self._lines[start:]
            self._lines[start:] = [f"{x}, !llvm.access.group !0" if _TOUCHES(x) else x for x in found]

    def _loop(
        self, node: ast.While | ast.For, test: Callable[[str, str], None], counter: str | None,
        kind: str = "",
    ) -> None:  # fmt: skip
        head, body, again, end = (self._label() for _ in range(4))
        self._goto(head)
        joins = self._place(head, set(_assigned([node])))
        test(body, end)
        self._loops.append((again, end))
        self._place(body)
        self._statements(node.body)
        self._goto(again)
        self._place(again)
        if counter is not None and self._block is not None:
            self._names[counter] = self._made(f"add i64 {self._names[counter].text}, 1", "Int")
        self._goto(head, kind)
        self._loops.pop()
        self._close(head, joins)
        self._place(end)

    def _Break(self, node: ast.Break) -> None:
        self._goto(self._loops[-1][1])

    def _Continue(self, node: ast.Continue) -> None:
        self._goto(self._loops[-1][0])

    # Conditions

    def _jump(self, test: ast.expr, yes: str, no: str) -> None:
        """Go to one of two blocks, without a look at operands that do not matter."""
        if isinstance(test, ast.BoolOp):
            for part in test.values[:-1]:
                then = self._label()
                self._jump(part, *((then, no) if isinstance(test.op, ast.And) else (yes, then)))
                self._place(then)
            self._jump(test.values[-1], yes, no)
        elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self._jump(test.operand, no, yes)
        elif isinstance(test, ast.Constant) and test.value is True:
            self._goto(yes)
        else:
            self._branch(self._value(test), yes, no)

    def _either(self, test: ast.expr, yes: ast.expr, no: ast.expr, kind: str | None) -> _Value:
        labels = self._label(), self._label(), self._label()
        self._jump(test, *labels[:2])
        for label, chosen in zip(labels, (yes, no), strict=False):
            self._place(label)
            self._names[labels[2]] = self._value(chosen, kind)
            self._goto(labels[2])
        self._place(labels[2])
        return self._names.pop(labels[2])

    # Values

    def _value(self, node: ast.expr, kind: str | None = None) -> _Value:
        """Write what computes an expression; a word of memory is read as one of a kind, if that is given."""
        if isinstance(node, ast.IfExp):
            return self._either(node.test, node.body, node.orelse, kind)
        if isinstance(node, ast.BoolOp):
            return self._either(node, ast.Constant(True), ast.Constant(False), "Bool")
        if isinstance(node, ast.Name):
            return self._named(node.id)
        if isinstance(node, ast.Constant):
            return _constant(node.value)
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            return self._read(node, kind)
        if isinstance(node, ast.UnaryOp):
            operand = self._value(node.operand)
            if isinstance(node.op, ast.Not):
                return self._made(f"xor i1 {operand.text}, true", "Bool")
            assert isinstance(node.op, ast.USub), ast.unparse(node)
            if operand.kind == "Real":
                return self._made(f"fneg double {operand.text}", "Real")
            return self._made(f"sub i64 0, {operand.text}", "Int")
        if isinstance(node, ast.BinOp):
            return self._computed(node)
        if isinstance(node, ast.Compare):
            return self._compared(node)
        assert isinstance(node, ast.Call), ast.unparse(node)
        return self._called(node)

    def _named(self, name: str) -> _Value:
        if name in self._names:
            return self._names[name]
        value = self._space[name]
        return _Value(f"@{name}", "Bytes") if isinstance(value, Static) else _constant(value)

    def _address(self, node: ast.expr) -> tuple[str, str]:
        """Return the address that an expression reads or writes, and the kind of what is there."""
        if isinstance(node, ast.Attribute):
            offset, kind = self._fields[node.attr]
            base = self._value(node.value)
            return self._made(f"getelementptr i8, ptr {base.text}, i64 {offset}", "Bytes").text, kind
        assert isinstance(node, ast.Subscript)
        base, at = self._value(node.value), self._value(node.slice)
        place = self._made(f"getelementptr i64, ptr {base.text}, i64 {at.text}", "Words")
        return place.text, "Object" if base.kind == "Object" else "Int"

    def _read(self, node: ast.expr, kind: str | None) -> _Value:
        address, own = self._address(node)
        if own == "inside":
            return _Value(address, "Object")
        if own == "int32":
            number = self._made(f"load i32, ptr {address}", "int32")
            return self._made(f"sext i32 {number.text} to i64", "Int")
        if isinstance(node, ast.Subscript) and kind in ("Object", "Words", "Bytes", "Int"):
            own = kind
        return self._made(f"load {_TYPES[own]}, ptr {address}", own)

    def _computed(self, node: ast.BinOp) -> _Value:
        x, y = self._value(node.left), self._value(node.right)
        if x.type == "ptr":
            assert isinstance(node.op, ast.Add), ast.unparse(node)
            step = "i8" if x.kind == "Bytes" else "i64"
            return self._made(f"getelementptr {step}, ptr {x.text}, i64 {y.text}", x.kind)
        name, folded = _OPERATORS[type(node.op)]
        if x.text.isdigit() and y.text.isdigit():
            return _Value(str(folded(int(x.text), int(y.text))), "Int")
        return self._made(f"{'f' * (x.kind == 'Real')}{name} {x.type} {x.text}, {y.text}", x.kind)

    def _compared(self, node: ast.Compare) -> _Value:
        operands = [node.left, *node.comparators]
        is_address = any(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops)
        values = [self._value(operand, "Object" if is_address else None) for operand in operands]
        found = None
        for x, op, y in zip(values, node.ops, values[1:], strict=False):
            name = _COMPARISONS[type(op)]
            # A number that is none differs from every other.
            order = "une" if name == "ne" else f"o{name.removeprefix('s')}"
            text = f"fcmp {order}" if x.kind == "Real" else f"icmp {name}"
            one = self._made(f"{text} {x.type} {x.text}, {y.text}", "Bool")
            found = one if found is None else self._made(f"and i1 {found.text}, {one.text}", "Bool")
        assert found is not None
        return found

    def _called(self, node: ast.Call) -> _Value:
        if isinstance(node.func, ast.Attribute):
            name = node.func.attr
            result, *types = _FUNCTIONS[name]
            found = self._call(f"@pullback_{name}", result, types, [*map(self._value, node.args)])
            return self._made(f"sext i32 {found.text} to i64", "Int") if result == "i32" else found
        assert isinstance(node.func, ast.Name)
        function = self._space[node.func.id]
        args = [node.func, *node.args] if node.func.id in self._names else node.args
        if not isinstance(function, FunctionType):
            found = getattr(self, f"_do_{node.func.id}")(*node.args)
            assert isinstance(found, _Value)
            return found
        kinds = [*_kinds(function).values()]
        given = [self._value(arg, kind) for arg, kind in zip(args, kinds, strict=False)]
        found = self._call(f"@{function.__name__}", _TYPES[kinds[-1]], [_TYPES[k] for k in kinds[:-1]], given)
        return _Value(found.text, kinds[-1])

    def _call(self, target: str, result: str, types: Sequence[str], given: Sequence[_Value]) -> _Value:
        parts = []
        for type_, value in zip(types, given, strict=True):
            if type_ == "i32" and value.text[0] == "%":
                value = self._made(f"trunc i64 {value.text} to i32", "int32")
            parts.append(f"{type_} {value.text}")
        text = f"call {result} {target}({', '.join(parts)})"
        if result == "void":
            self._lines.append(f"  {text}")
            return _Value("", "None")
        return self._made(text, _KINDS.get(result, "Bool"))

    # What `room` and its like are

    def _do_room(self, count: ast.expr) -> _Value:
        self._count += 1
        self._rooms.append(f"  %t{self._count} = alloca [{self._value(count).text} x i64], align 16")
        return _Value(f"%t{self._count}", "Words")

    def _do_load(self, address: ast.expr, bits: ast.expr) -> _Value:
        type_ = f"i{self._value(bits).text}"
        found = self._made(f"load {type_}, ptr {self._value(address).text}", "Int")
        return found if type_ == "i64" else self._made(f"zext {type_} {found.text} to i64", "Int")

    def _do_load_real(self, address: ast.expr, bits: ast.expr) -> _Value:
        type_ = {"32": "float", "64": "double"}[self._value(bits).text]
        found = self._made(f"load {type_}, ptr {self._value(address).text}", "Real")
        return found if type_ == "double" else self._made(f"fpext float {found.text} to double", "Real")

    def _do_store(self, address: ast.expr, bits: ast.expr, value: ast.expr) -> _Value:
        place, given, size = self._value(address), self._value(value), self._value(bits).text
        type_ = f"i{size}" if given.kind == "Int" else {"32": "float", "64": "double"}[size]
        if type_ != given.type:
            given = self._made(f"{'fp' * (type_ == 'float')}trunc {given.type} {given.text} to {type_}", "")
        self._lines.append(f"  store {type_} {given.text}, ptr {place.text}")
        return _Value("", "None")

    def _do_real(self, number: ast.expr) -> _Value:
        return self._made(f"sitofp i64 {self._value(number).text} to double", "Real")

    def _do_whole(self, number: ast.expr, bits: ast.expr) -> _Value:
        type_ = f"i{self._value(bits).text}"
        found = self._made(f"fptosi double {self._value(number).text} to {type_}", "Int")
        return found if type_ == "i64" else self._made(f"sext {type_} {found.text} to i64", "Int")

    def _do_store_single(self, address: ast.expr, number: ast.expr) -> _Value:
        # By way of a double it would be rounded twice.
        place, given = self._value(address), self._value(number)
        rounded = self._made(f"sitofp i64 {given.text} to float", "")
        self._lines.append(f"  store float {rounded.text}, ptr {place.text}")
        return _Value("", "None")

    def _do_call(self, target: ast.expr, *given: ast.expr) -> _Value:
        function, *values = map(self._value, (target, *given))
        return self._call(function.text, "ptr", [v.type for v in values], values)

    def _do_run(self, target: ast.expr, *given: ast.expr) -> _Value:
        function, *values = map(self._value, (target, *given))
        return self._call(function.text, "void", [v.type for v in values], values)

    def _do_copy(self, to: ast.expr, source: ast.expr, size: ast.expr) -> _Value:
        parts = [self._value(part).text for part in (to, source, size)]
        text = "  call void @llvm.memcpy.p0.p0.i64(ptr {}, ptr {}, i64 {}, i1 false)"
        self._lines.append(text.format(*parts))
        return _Value("", "None")


def _assigned(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Yield the variables that statements assign."""
    for statement in body:
        targets = getattr(statement, "targets", [getattr(statement, "target", None)])
        targets = [each for target in targets for each in getattr(target, "elts", [target])]
        yield from (target.id for target in targets if isinstance(target, ast.Name))
        for part in ("body", "orelse"):
            yield from _assigned(getattr(statement, part, ()))


def _constant(value: Any) -> _Value:
    if value is None:
        return _Value("null", "null")
    if isinstance(value, bool):
        return _Value(str(value).lower(), "Bool")
    return _Value(number(value, FLOAT64), "Real") if isinstance(value, float) else _Value(str(value), "Int")


def _kinds(function: FunctionType) -> dict[str, str]:
    """Return the kinds of a function's parameters, and of its result under ``return``, which is last."""
    return {name: _PYTHONS.get(str(kind), str(kind)) for name, kind in function.__annotations__.items()}

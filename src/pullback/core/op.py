"""Ops: one declaration each, from which every capability is derived.

An `Op` holds the forward kernel on bare arrays and one derivative rule per input. The names of a rule's
parameters are the contract: the first is the incoming covector; an input's or output's name is a saved value
(`out` is the first output); ``shape_<input>`` is metadata and saves nothing; the others are attributes.
`kind` derives the rest:

==============  ==========================  ===================================  ==========================
kind            jvp                         batching (batch axis first)          Jacobian
==============  ==========================  ===================================  ==========================
elementwise     the rule with the tangent   align ranks, run the op              diagonal
linear, view    the op on the tangent       `batch` maps the attributes          selection or linear
gather          the op on the tangent       `batch`                              selection
bilinear        the op in each argument     `batch`                              dense
reduce          the vjp transposed twice    `batch`                              sum
opaque          the vjp transposed twice    a counted loop over the batch        dense
==============  ==========================  ===================================  ==========================

`jvp` and `batch` can be given by hand as further fields of the same declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, overload

import numpy as np
from numpy import ndarray

from ..array import dtypes
from ..array.elementwise import apply, worth_asking
from ..array.layout import in_order
from ..array.locks import computed
from ..array.quiet import IGNORE, loud, quiet
from ..array.strides import settled
from . import calls, facade
from .node import MultiNode, Node
from .node_classes import general_class, make_node_class, packed_class
from .op_fields import COMPLEX_HALF, DEFAULT_PLACES, FIELDS, KERNELS, KINDS, SEQUENCES, Fields, Kernel
from .promotion import (
    COMPLEX32,
    NARROW,
    cast_to,
    check_broadcast,
    converted,
    kinds_of,
    promoted,
    rounded,
    unsupported,
)
from .recorded_pullback import pulled_by_rules
from .result_shapes import result_kinds
from .saved import Layout, SavedTensor, graph_reader, parameter_names
from .underivable import no_derivative
from .value import dtype_of, shape_of

if TYPE_CHECKING:
    from .terms import Axes, Call, Covectors, Declared, General, Several, T, Term, Terms, Variadic
else:
    Axes = Call = Covectors = Declared = General = Term = Terms = Several = T = Variadic = object

C = TypeVar("C", bound=Declared)
Rule = Callable[..., Any]
Rules = Sequence[Rule | None] | Rule


#: Every op by name, in order of declaration.
TABLE: dict[str, Op] = {}

#: Python numbers among inputs.
NUMBERS = (bool, int, float, complex)
#: Calls of an op whose results' shapes are remembered.
KNOWN_SHAPES = 1024


class Op(Fields):
    """One op of the table.

    Parameters
    ----------
    name : str
        Unique name; torch's, where torch has the op.
    kernel : callable
        ``kernel(*inputs, *attrs)`` on bare arrays; returns an array or, for several outputs, a tuple of
        arrays. A kernel of an elementwise op takes ``out=`` as a ufunc does.
    rules : sequence of (callable or None)
        One per input, or a single callable for a variadic or `joint` op, which returns a covector per input.
    **fields
        What else the declaration says (see `Fields`).
    """

    def __init__(
        self, name: str, kernel: Callable[..., Any], rules: Sequence[Rule | None] | Rule = (), **fields: Any
    ) -> None:
        if not fields.keys() <= FIELDS:
            raise TypeError(f"op {name}: an op has no fields {sorted(fields.keys() - FIELDS)}")
        if name in TABLE:
            raise ValueError(f"op {name} is declared twice")
        #: The fields as they were given, of which `renamed` makes another op.
        self.declared = fields
        own = self.__dict__
        for field, value in fields.items():
            if value is not None:
                own[field] = tuple(value) if field in SEQUENCES else value
        self.name = name
        self.kernel = kernel
        if (kind := self.kind) not in KINDS:
            raise ValueError(f"op {name}: kind {kind!r} is not one of {KINDS}")
        self.base = fields.get("base") or name
        known = KERNELS.get(name) or KERNELS.get(self.base) or Kernel(f"{self.base}_cpu")
        self.word, self.words, self.spares_scalars = known.word, known.words, known.spares_scalars
        refuses = (kind not in ("view", "linear")) != (self.base in COMPLEX_HALF)
        self.refused = known.refused | _COMPLEX_HALF if refuses else known.refused
        if "inputs" not in own or "attrs" not in own:
            read_inputs, read_attrs = _signature_names(name, kernel)
            own.setdefault("inputs", read_inputs)
            own.setdefault("attrs", read_attrs)
        if self.place is None and kind in DEFAULT_PLACES:
            self.place = DEFAULT_PLACES[kind]
        if self.variadic:
            self.joint = True
        if self.underivable is not None:
            rule, self.jvp = no_derivative(self.underivable)
            rules, self.node_name = (rule,) * len(self.inputs), "NotImplemented"
        self.rules: tuple[Rule | None, ...] = (rules,) if callable(rules) else tuple(rules)
        if self.rules and not self.joint and len(self.rules) != len(self.inputs):
            raise ValueError(f"op {name}: {len(self.rules)} rules for the inputs {self.inputs}")
        if kind in ("reduce", "bilinear") and self.shape is None:
            self.sizes_kept = True
        if self.summary or self.names:
            self.names = (self.names or (name,)) if self.summary else ()
        self.is_view = kind == "view" or self.signs is not None
        #: Whether there is a derivative with respect to an input, and so a node.
        self.derivable = self.rules.count(None) < len(self.rules)
        #: On any values, arrays included: what rules and composed functions call.
        self.call = cast(General, calls.make_call(self, public=False))
        TABLE[name] = self

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    def called(self, inputs: Sequence[Any], attrs: Sequence[Any]) -> Any:
        """Return what the call makes of inputs and attributes."""
        return self.call(inputs, *attrs) if self.variadic else self.call(*inputs, *attrs)

    @computed
    def again(self) -> Callable[..., Any]:
        """Return what `called` runs, for frequent calls: with a plan a product takes 1.2 µs instead of 5."""
        own = self.kind == "elementwise" or self.draws or self.exchanges
        return self.call if own else facade.repeated(self.call)

    @computed
    def ordered(self) -> int:
        """Return up to how many axes a result has C order however operands lie."""
        if self.is_view:
            return -1
        return 64 if self.place is in_order else int(self.kind == "elementwise")

    @computed
    def worth_asking(self) -> int:
        """Return the number of elements from which its kernel may run in parallel, or as a native loop."""
        return worth_asking(self.kernel)

    @computed
    def parallel(self) -> bool:
        """Return whether the kernel is a loop that runs on parts of an array side by side."""
        return self.kind == "elementwise" and isinstance(self.kernel, np.ufunc)

    @computed
    def draws(self) -> bool:
        """Return whether it draws random numbers."""
        return self.attrs[-1:] == ("generator",)

    @computed
    def exchanges(self) -> bool:
        """Return whether it exchanges values with other processes."""
        return self.attrs[-1:] == ("group",)

    @computed
    def acts(self) -> bool:
        """Return whether it does more than give its result: it runs as often as it is called, in order."""
        return self.draws or self.exchanges

    @computed
    def node_name(self) -> str:
        """Return the class name of the op's nodes, by default what torch makes of the op's name."""
        return torch_node_name(self.name)

    @computed
    def differentiable_outputs(self) -> tuple[int, ...]:
        """Return which outputs carry gradients."""
        return tuple(range(len(self.outputs)) if self.differentiable is None else self.differentiable)

    @computed
    def known_dtypes(self) -> dict[Any, np.dtype[Any]]:
        """Return what `result_shapes` has asked the kernel of an elementwise op, by kinds of operands."""
        return {}

    @computed
    def _known_shapes(self) -> dict[Any, tuple[tuple[Any, Any], ...]]:
        return {}

    @computed
    def layout(self) -> Layout:
        """Return the order of what nodes save, worked out when first needed: that of all ops takes 9 ms."""
        names = (*self.outputs, "out") if len(self.outputs) > 1 else self.outputs
        return Layout(self.name, self.inputs, self.attrs, names, self.rules, self.saves)

    @computed
    def public(self) -> Callable[..., Any]:
        """Return the call on tensors only, with `out=`, that users have."""
        return calls.make_call(self, public=True)

    @computed
    def node_class(self) -> type[Node]:
        """Return the class of a derivable op's nodes, made when first needed: those of all ops take 5 ms."""
        return make_node_class(self)

    @computed
    def pulled(self) -> Callable[..., tuple[Any, ...]]:
        """Return what calls the rules on tensors (`pulled_by_rules`)."""
        return pulled_by_rules(self)

    @computed
    def packed_class(self) -> type[Node]:
        """Return the class of nodes that hold packed values."""
        return packed_class(self)

    @computed
    def general_class(self) -> type[Node]:
        """Return the node class of the general path, made when first needed."""
        return general_class(self)

    @computed
    def is_written_at_once(self) -> bool:
        """Return whether a trace writes a call of it down by its operands' shapes and dtypes alone."""
        return not self.acts and self.shape is None and self.signs is None

    def saved_names(self) -> list[str]:
        """Return what the op's nodes save by torch's names: input `self`, `other`, …, output `result`."""
        layout = self.layout
        return [
            self._torch_name(n)
            for n in (*layout.values, *layout.metadata, *layout.attrs)
            if n in layout.asked
        ]

    def _torch_name(self, name: str) -> str:
        if name == "out":
            return "result"
        if name in self.inputs:
            return self.saved_as[self.inputs.index(name)] if len(self.inputs) < 3 else name
        if name == f"shape_{self.inputs[0]}":
            return "self_sym_sizes"
        return "dim" if name == "dims" else name

    def saved_attribute(self, node: Node, name: str) -> Any:
        """Return what a node saved under one of torch's names, as a tensor at its place in the graph."""
        for own in self.layout.position:
            if self._torch_name(own) == name:
                read = graph_reader(self.layout, self.differentiable_outputs)
                return read(node)[self.layout.short[own]]
        raise AttributeError(
            f"'{self.node_name}' object has no attribute '_saved_{name}'", name=f"_saved_{name}", obj=node
        )

    def saved_tensor(self, node: Node, name: str) -> SavedTensor:
        """Return the place where a node saved an input or output under one of torch's names."""
        for index, own in enumerate(self.layout.values):
            if self._torch_name(own) == name:
                return SavedTensor(node, index)
        name = f"_raw_saved_{name}"
        raise AttributeError(f"'{self.node_name}' object has no attribute '{name}'", name=name, obj=node)

    def evaluate_in_order(self, inputs: tuple[Any, ...], attrs: tuple[object, ...]) -> Any:
        """Return `evaluate` where values are in C order: what eager copied to view it is copied here."""
        if self.in_order:
            inputs = (np.asarray(inputs[0], order="C"),)
        return self.evaluate(inputs, attrs)

    def evaluate(self, inputs: tuple[Any, ...], attrs: tuple[object, ...]) -> Any:
        """Run the kernel on bare arrays and scalars, with torch's promotion."""
        half, given = None, inputs
        if self.check is not None:
            self.check(*inputs, *attrs)
        kinds = kinds_of(inputs) if self.promote is not None and self.kind == "elementwise" else None
        met = None if kinds is None else self._met.get(kinds)
        if met is None:
            inputs, attrs, half = self._promoted(inputs, attrs)
            if kinds is not None and half is None and (dtype := inputs[0].dtype).kind in "biufc":
                self._met[kinds] = dtype
        token = quiet(IGNORE)
        try:
            if met is not None:
                inputs = tuple([cast_to(v, met) for v in inputs])
            result = self._compute(inputs, attrs)
            if half is not None:
                result = rounded(result, half)
        except (ValueError, TypeError) as error:
            raise self.failed(error, inputs) from error.__cause__
        finally:
            loud(token)
        if (place := self.place) is None:
            return result
        return tuple([place(r, given) for r in result]) if isinstance(result, tuple) else place(result, given)

    @computed
    def _met(self) -> dict[Any, np.dtype[Any]]:
        """Return the dtypes in which an elementwise op has computed operands of some kinds, where it had
        nothing else to do than to cast them: 2 µs less of 7.
        """
        return {}

    def _promoted(
        self, given: tuple[Any, ...], attrs: tuple[object, ...]
    ) -> tuple[tuple[Any, ...], tuple[object, ...], np.dtype[Any] | None]:
        """Return inputs and attributes as the kernel takes them, and the dtype of halves to round to."""
        half, inputs = None, given
        if self.promote is not None:
            inputs = promoted(inputs, self.promote, self.kind == "elementwise")
        if self.refused and not self.variadic:
            self._check_kernel(inputs)
        if self.halves:
            for v in inputs:
                if isinstance(v, ndarray) and v.dtype in NARROW:
                    half = v.dtype
                    break
            if half is not None:
                if half in dtypes.FLOAT8_NUMPY and not self.float8:
                    if self.kind == "elementwise":
                        check_broadcast(inputs)
                    scalar = self.exact_scalars and np.ndim(given[1]) == 0
                    suffix = "_reduced_float" if scalar else ""
                    word = self.words.get(half) or self.word.removesuffix("_reduced_float") + suffix
                    raise unsupported(word, inputs)
                inputs = tuple(
                    converted(v, NARROW[v.dtype]) if isinstance(v, ndarray) and v.dtype in NARROW else v
                    for v in inputs
                )
                if self.exact_scalars and np.ndim(given[1]) == 0:
                    if half in dtypes.FLOAT8_NUMPY:
                        raise unsupported(f"{self.name}_cpu_reduced_float", inputs, half)
                    inputs = (inputs[0], converted(np.asarray(given[1]), NARROW[half]))
                if self.rounded_attrs and half != COMPLEX32:
                    attrs = tuple([float(np.asarray(v, half)) for v in attrs])
        return inputs, attrs, half

    def failed(self, error: Exception, inputs: tuple[object, ...]) -> Exception:
        """Return what a call raises whose kernel failed: torch's error if it has one, else the kernel's."""
        if isinstance(error, ValueError) and self.kind == "elementwise":
            check_broadcast(inputs)
        no_loop = "not supported for the input types" in str(error)
        if isinstance(error, TypeError) and (no_loop or type(error).__name__ == "_UFuncNoLoopError"):
            refused = unsupported(self.word, inputs)
            refused.__cause__ = error
            return refused
        return error

    def refuse(self, dtype: np.dtype[Any]) -> None:
        """Raise torch's error for a dtype that the kernel is not written for, before all other checks."""
        narrow = self.halves and not self.float8 and dtype in dtypes.FLOAT8_NUMPY
        if narrow or dtype in self.refused:
            raise unsupported(self.words.get(dtype, self.word), (), dtype)

    def _check_kernel(self, inputs: tuple[object, ...]) -> None:
        """Raise torch's error for a dtype that its kernel is not written for: that of the first input, which
        is that of all where they are promoted.
        """
        for first in inputs:
            if isinstance(first, ndarray):
                if first.dtype in self.refused and (first.ndim or not self.spares_scalars):
                    if self.kind == "elementwise":
                        check_broadcast(inputs)
                    raise unsupported(self.words.get(first.dtype, self.word), inputs)
                break

    def _compute(self, inputs: tuple[object, ...], attrs: tuple[object, ...]) -> Any:
        if self.variadic:
            return self.kernel(inputs, *attrs)
        if self.kind == "elementwise":
            if self.parallel:
                for v in inputs:
                    if isinstance(v, ndarray) and v.size >= self.worth_asking:
                        return apply(self.kernel, *inputs)
            return self.kernel(*inputs, *attrs, out=...)
        if self.is_view and isinstance(inputs[0], ndarray):
            return self.kernel(settled(inputs[0]), *attrs)
        return self.kernel(*inputs, *attrs)

    def result_shapes(self, inputs: tuple[Any, ...], attrs: tuple[Any, ...]) -> tuple[tuple[Any, Any], ...]:
        """Return (shape, NumPy dtype) of each output from the inputs' shapes and dtypes alone, as tracing
        asks for it.

        What was found is remembered: a loop that is traced asks the same again and again.
        """
        if self.shape is not None or self.draws:
            return result_kinds(self, inputs, attrs)
        seen = [
            (type(v), v) if v is None or type(v) in NUMBERS else (shape_of(v), dtype_of(v)) for v in inputs
        ]
        key = (tuple(seen), attrs, dtypes.get_default_dtype())
        if (found := self._known_shapes.get(key)) is None:
            try:
                found = result_kinds(self, inputs, attrs)
            except ValueError:
                if self.kind == "elementwise":
                    check_broadcast(inputs)
                raise
            if len(self._known_shapes) >= KNOWN_SHAPES:
                self._known_shapes.clear()
            self._known_shapes[key] = found
        return found


_COMPLEX_HALF = frozenset({COMPLEX32})


def like_first(x: ndarray, *others: Any) -> tuple[tuple[Any, Any], ...]:
    """Return the shape rule of an op whose result is like its first input."""
    return ((x.shape, x.dtype),)


def _signature_names(name: str, kernel: Callable[..., Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if (code := getattr(kernel, "__code__", None)) is None or not code.co_posonlyargcount:
        raise TypeError(
            f"op {name}: mark the kernel's inputs as positional-only, or name `inputs` and `attrs`"
        )
    names = tuple(parameter_names(kernel))
    count = code.co_posonlyargcount
    return names[:count], tuple([n for n in names[count:] if n != "out"])


def torch_node_name(name: str) -> str:
    """Return 'leaky_relu' -> 'LeakyReluBackward0', 'log1p' -> 'Log1PBackward0'."""
    letters = [c.upper() if before == "_" or before.isdigit() else c for before, c in zip("_" + name, name)]
    return "".join(letters).replace("_", "") + "Backward0"


def elementwise(
    name: str,
    kernel: Callable[..., Any],
    *rules: Rule | None,
    inputs: Sequence[str] | None = None,
    promote: str | None = "same",
    halves: bool = True,
    **fields: Any,
) -> Call:
    """Declare an op whose output element depends on one element of each input; inputs broadcast."""
    if inputs is None:
        count = kernel.nin if isinstance(kernel, np.ufunc) else len(_signature_names(name, kernel)[0])
        inputs = ("x", "y", "z", "w")[:count]
    if "attrs" not in fields and isinstance(kernel, np.ufunc):
        fields["attrs"] = ()
    return Op(
        name, kernel, rules, kind="elementwise", inputs=inputs, promote=promote, halves=halves, **fields
    ).call


@overload
def op(name: str, kernel: Rule, rules: Rules = (), *, many: Literal[True], **fields: Any) -> Several: ...
@overload
def op(name: str, kernel: Rule, rules: Rules = (), *, outputs: Sequence[str], **fields: Any) -> Several: ...
@overload
def op(name: str, kernel: Rule, rules: Rules = (), *, variadic: Literal[True], **fields: Any) -> Variadic: ...
@overload
def op(name: str, kernel: Rule, rules: Rules = (), **fields: Any) -> Call: ...
def op(name: str, kernel: Rule, rules: Rules = (), **fields: Any) -> Declared:
    """Declare an op of any kind (see `Fields`)."""
    return Op(name, kernel, rules, **fields).call


@overload
def view(name: str, kernel: Rule, rule: Rule, *, many: Literal[True], **fields: Any) -> Several: ...
@overload
def view(name: str, kernel: Rule, rule: Rule, **fields: Any) -> Call: ...
def view(name: str, kernel: Rule, rule: Rule, **fields: Any) -> Declared:
    """Declare an op whose output shares storage with its one input; `rule` maps covectors back."""
    return Op(name, kernel, (rule,), kind="view", **fields).call


def of(call: Declared) -> Op:
    """Return the op behind a call that a declaration returned."""
    return call.op


def renamed(call: C, name: str, node_name: str, rules: Sequence[Rule | None] = (), **fields: Any) -> C:
    """Declare an op once more under another name, with other rules or fields where they are given: torch
    names the node of ``t_`` otherwise than that of ``t``.
    """
    first = of(call)
    changed = first.declared | {"node_name": node_name, "base": first.base, "summary": ""} | fields
    return cast(C, Op(name, first.kernel, rules or first.rules, **changed).call)


__all__ = [
    "Axes", "Call", "Covectors", "Declared", "General", "MultiNode", "Op", "Term", "Terms", "Rule", "Several",
    "T", "Variadic", "elementwise", "like_first", "of", "op", "renamed", "view",
]

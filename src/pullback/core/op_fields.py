"""The fields of an op's declaration, with what holds where it says nothing; torch's kernels of ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.layout import in_order, placed
from .connected import Gradient

Place = Callable[[ndarray, Sequence[Any]], ndarray]


class Kernel:
    """torch's kernel of an op, as messages call it; `spares_scalars`: torch has none for 0-d tensors."""

    __slots__ = ("refused", "spares_scalars", "word", "words")

    def __init__(self, word: str, spares_scalars: bool = False) -> None:
        self.word = word
        self.spares_scalars = spares_scalars
        #: The NumPy dtypes that it is not written for.
        self.refused: frozenset[np.dtype[Any]] = frozenset()
        #: What messages call it for the dtypes for which they call it otherwise.
        self.words: dict[np.dtype[Any], str] = {}


#: torch's kernels by op, where the word is not the op's name or some dtypes are refused; filled before ops
#: are declared.
KERNELS: dict[str, Kernel] = {}

#: The exceptions to the rule that ops which move elements take complex32 and those which compute refuse it;
#: filled before ops are declared.
COMPLEX_HALF: set[str] = set()

#: What lays out the results of an op by its kind, where the declaration does not say.
DEFAULT_PLACES: dict[str, Place] = {"elementwise": placed, "reduce": in_order}

KINDS = ("elementwise", "linear", "view", "bilinear", "reduce", "gather", "opaque")


class Fields:
    """Hold what is said of an op beside its name, its kernel and its rules.

    `node_name` is the class name of the node, as torch prints it.
    """

    # What a declaration may say, and what holds where it does not. An op has for itself only what is said:
    # 55 attributes in each of 470 ops took 10 ms and 2 MB of an import.
    kind: str = "opaque"  # one of `KINDS`
    #: Names; by default read off the kernel's signature (positional-only parameters are inputs).
    inputs: tuple[str, ...]
    attrs: tuple[str, ...]
    outputs: tuple[str, ...] = ("out",)  # names of the outputs; more than one makes the call return a tuple
    differentiable: Sequence[int] | None = None  # which outputs carry gradients (default: all)
    #: Which inputs have an edge that users see (default: those with a rule, all of a joint one).
    differentiable_inputs: Sequence[int] | None = None
    #: How inputs of different dtypes meet: None, not at all; "same", at torch's common dtype; "float", at a
    #: floating one.
    promote: str | None = None
    #: float16 and bfloat16 inputs are computed in float32 and rounded, as torch does, and complex32 in
    #: complex64.
    halves: bool = False
    #: A second input that is a number or has no axes meets halves in float32, not rounded to one before.
    exact_scalars: bool = False
    #: Attributes are rounded to the halves' dtype where inputs have it; rules take them as they are.
    rounded_attrs: bool = False
    variadic: bool = False  # the inputs are one sequence of tensors
    #: The kernel returns a tuple of any number of outputs, all differentiable (split, unbind).
    many: bool = False
    #: The rule is one function for all inputs; it may ask for `needs`, a tuple of bool per input.
    joint: bool = False
    #: The rule of an op with several outputs takes None for a covector that did not arrive (by default it
    #: gets zeros).
    partial: bool = False
    #: ``check(*inputs, *attrs)`` raises torch's error for arrays that the op does not take. One that looks at
    #: dtypes alone has a method ``takes(dtype)``, and is not called for inputs of one dtype that it takes;
    #: the others are not called for float32 and float64 where there is one input, or two.
    check: Callable[..., None] | None = None
    #: ``jvp(primals, tangents, out, *attrs)`` with None for absent tangents.
    jvp: Callable[..., Any] | None = None
    #: Whether an op of another kind is linear, too, in the inputs that have a rule: its tangent is the op of
    #: theirs.
    linear: bool = False
    #: ``batch(size, *attrs)`` gives the attributes with which the op runs with the batch axis first in all
    #: inputs.
    batch: Callable[..., Any] | None = None
    #: ``batch_rule(size, inputs, in_dims, *attrs)`` gives the outputs, batch axis first: a rule wholly by
    #: hand. NotImplemented leaves the call to the loop.
    batch_rule: Callable[..., Any] | None = None
    #: ``shape(*arrays, *attrs)`` gives (shape, dtype) per output from arrays whose elements mean nothing; for
    #: an op whose kernel refuses zeros.
    shape: Callable[..., Any] | None = None
    #: ``place(result, operands)`` gives a result, laid out as torch lays it out (see `array.layout`). The
    #: kernel's own layout is right where all inputs are in C order. By default the operands of an elementwise
    #: op decide, and reductions are in C order.
    place: Place | None = None
    #: Up to how many axes a single result has C order however operands lie: all that `in_order` places, and
    #: one of an elementwise op.
    ordered: int
    columns: Sequence[int] = ()  # which outputs are matrices that lie column by column
    #: Whether every size of a result is one of the inputs' sizes, so that other sizes tell it, too. It is so
    #: of products and reductions without a rule of their own.
    sizes_kept: bool = False
    numbers: bool = True  # whether the public call takes a Python number as its second operand
    #: torch's name of an op that it cannot differentiate: it is recorded, and raises when a covector arrives.
    underivable: str | None = None
    #: How gradients stay connected to inputs that their values do not vary with.
    gradient: Gradient | None = None
    #: Whether the op is defined on the dtypes of eight bits, in which torch computes next to nothing.
    float8: bool = False
    #: Inputs and outputs that torch's node saves whether or not a rule here asks for them: after a write to
    #: one of them `backward` is refused, as it is in torch.
    saves: tuple[str, ...] = ()
    #: Whether a complex covector for a real input is refused, as torch refuses it for this op; of others the
    #: imaginary part is dropped.
    real: bool = False
    once: bool = False  # whether its node goes backward once although it saves nothing
    absent: int = 0  # how many more inputs torch's node has, behind those of the op, which nothing leads to
    #: Whether the kernel fails on strides that only eager has: a replay lays its input out in C order, as the
    #: values of a program are.
    in_order: bool = False
    overlaps: bool = False  # whether elements of the view may share memory
    #: Of a view: ``signs(conjugated, negated)`` gives the bits of the result from those of the input (see
    #: `marked`). An elementwise op that has it is a view, too, and its kernel what the bits stand for.
    signs: Callable[[bool, bool], tuple[bool, bool]] | None = None
    #: torch's names for the inputs of an op with one or two, under which a node shows what it saved and in
    #: whose alphabetical order it looks at that.
    saved_as: tuple[str, ...] = ("self", "other")
    #: ``form(ops, *elements, *attrs)``: what one element of an elementwise op is, asked of a handler of
    #: native loops. It is needed where the kernel looks at values or calls what is not NumPy's.
    form: Callable[..., Any] | None = None
    #: ``into(out, *inputs, *attrs)`` writes the one result into an array: a program calls it in place of the
    #: kernel. The array may lie in the memory of the first input, where nothing reads that afterwards.
    into: Callable[..., None] | None = None
    #: ``each(*inputs, *attrs)`` without the last attribute, `reduction`: what the kernel reduces, on arrays.
    each: Callable[..., Any] | None = None
    #: Whether the rule of an elementwise op is a chain of passes through memory, for which one native loop is
    #: asked from `large.WORTH_CHAIN` elements on.
    chained: bool = False
    summary: str = ""  # what help says of the public function that the op is: what it returns, as a sentence
    takes: str = ""  # what help says of its operands; by default what follows from `promote` and `check`
    #: How torch's parser reads that function, where it is asked; by default it takes tensors as they are.
    signatures: tuple[str, ...] = ()
    method: bool = True  # whether it is a method of tensors, too
    #: Whether there is ``name_``, or what it computes where that is another function.
    inplace: bool | Callable[..., Any] = True
    #: The names of that function, with their namespace (``special.expit``) but at the top; by default the
    #: op's own.
    names: tuple[str, ...] = ()
    #: The op that this one is under another node name or for another layout of its operands: what is said of
    #: that op by its name holds of this one (see `renamed`).
    base: str


#: The names of an op's fields; which of them are given as any sequence.
FIELDS = frozenset(Fields.__annotations__) | {"node_name"}
SEQUENCES = frozenset(name for name in FIELDS if "tuple[str" in Fields.__annotations__.get(name, ""))

"""What recipes draw from: the random choices, the tensors made so far, and literals that fit them.

The builder runs every instruction under torch as it is drawn, so a recipe looks at real shapes, dtypes and
values when it picks arguments. All choices come from one `random.Random`, so a seed gives one program.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from math import inf, nan, prod
from typing import Any

from .program import Code, DType, Instruction, Literal, Machine, Program, Raised, Ref

FLOATS = ("float32", "float64", "float16", "bfloat16")
COMPLEX = ("complex64", "complex128")
INTS = ("int64", "int32", "uint8")
ALL = (*FLOATS, *COMPLEX, *INTS, "bool")
SMOOTH = (*FLOATS, *COMPLEX)

NARROW = ("float16", "bfloat16")

#: How often each dtype is a program's favourite.
FAVOURITES = {
    "float32": 35,
    "float64": 25,
    "float16": 7,
    "bfloat16": 7,
    "complex64": 7,
    "complex128": 7,
    "int64": 4,
    "uint8": 2,
    "bool": 2,
}

#: How often a fresh leaf has each dtype: mostly what gradients flow through.
DTYPE_WEIGHTS = {
    "float32": 30,
    "float64": 22,
    "float16": 5,
    "bfloat16": 6,
    "complex64": 6,
    "complex128": 6,
    "int64": 8,
    "int32": 4,
    "uint8": 3,
    "bool": 5,
}

#: Results above these are not used as arguments: programs stay small and printable.
LARGEST_NUMEL = 256
LARGEST_VALUE = 1e4

#: Errors that only torch's own code can give.
UNSPECIFIC = ("INTERNAL ASSERT", "Please report a bug")


class NothingFits(Exception):
    """The program has no tensor that a recipe could use, and a new one would not help."""


class Builder:
    """Grows one program."""

    def __init__(self, seed: int, torch: Any) -> None:
        self.rng = random.Random(seed)
        self.torch = torch
        self.machine = Machine(torch)
        self.instructions: list[Instruction] = []
        self.tensors: list[Ref] = []
        self.failures = 0
        # A program has a favourite dtype, and mostly no other of the rare kinds: mixing every dtype in one
        # program would make most results complex, and leave none in half precision.
        self.favourite = self.weighted(FAVOURITES)
        self.complex = self.favourite in COMPLEX or self.chance(0.15)
        self.narrow = self.favourite in NARROW or self.chance(0.15)

    # Running ------------------------------------------------------------------------------------------------

    def value(self, ref: Ref) -> Any:
        value = self.machine.values[ref.index]
        return value if ref.item is None else value[ref.item]

    def emit(self, instruction: Instruction, keep_error: bool = True) -> bool:
        """Run an instruction and add it to the program, unless it raises and that is not wanted."""
        index = len(self.instructions)
        outcome = self.machine.step(instruction)
        if isinstance(outcome, Raised):
            if not keep_error or any(phrase in outcome.text for phrase in UNSPECIFIC):
                self.machine.outcomes.pop()
                self.machine.values.pop()
                return False
            self.failures += 1
        else:
            self.note(index)
        self.instructions.append(instruction)
        return True

    def next(self, offset: int = 0) -> Ref:
        """What the result of the instruction that is being drawn will be called."""
        return Ref(len(self.instructions) + offset)

    def note(self, index: int) -> None:
        """Remember the tensors of a result as arguments for later instructions."""
        value = self.machine.values[index]
        if isinstance(value, self.torch.Tensor):
            if not any(value is self.value(ref) for ref in self.tensors):
                self.tensors.append(Ref(index))
        elif isinstance(value, (tuple, list)):
            for item, member in enumerate(value[:4]):
                if isinstance(member, self.torch.Tensor):
                    self.tensors.append(Ref(index, item))

    def program(self) -> Program:
        return Program(tuple(self.instructions))

    # Choices ------------------------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def one(self, options: Sequence[Any]) -> Any:
        return self.rng.choice(options)

    def weighted(self, options: dict[Any, float]) -> Any:
        return self.rng.choices(list(options), list(options.values()))[0]

    def dtype(self, among: Iterable[str] = ALL) -> str:
        among = tuple(among)
        if self.favourite in among and self.chance(0.5):
            return self.favourite
        common = [name for name in among if self.common(name)] or among
        return self.weighted({name: DTYPE_WEIGHTS[name] for name in common})

    def common(self, name: str) -> bool:
        return (self.complex or name not in COMPLEX) and (self.narrow or name not in NARROW)

    def size(self) -> int:
        return self.weighted({0: 0.4, 1: 2, 2: 5, 3: 5, 4: 2, 5: 1})

    def shape(self, ndim: int | None = None, min_ndim: int = 0) -> tuple[int, ...]:
        if ndim is None:
            ndim = max(min_ndim, self.weighted({0: 2, 1: 4, 2: 6, 3: 3, 4: 1}))
        return tuple(self.size() for _ in range(ndim))

    def dim(self, tensor: Any) -> int:
        ndim = max(tensor.dim(), 1)
        dim = self.rng.randrange(ndim)
        return dim - ndim if self.chance(0.4) else dim

    def dims(self, tensor: Any) -> tuple[int, ...]:
        ndim = tensor.dim()
        picked = self.rng.sample(range(ndim), self.rng.randint(0 if self.chance(0.1) else min(1, ndim), ndim))
        return tuple(dim - ndim if self.chance(0.3) else dim for dim in picked)

    # Values -------------------------------------------------------------------------------------------------

    def real(self) -> float:
        """A number that every floating dtype holds exactly; equal ones are likely."""
        return self.rng.randint(-11, 11) / 4

    def number(self, dtype: str) -> Any:
        """An element of a dtype."""
        if dtype == "bool":
            return self.chance(0.5)
        if dtype == "uint8":
            return self.rng.randint(0, 9) if self.chance(0.95) else self.rng.randint(0, 255)
        if dtype in INTS:
            return self.rng.randint(-5, 9)
        if dtype in COMPLEX:
            return complex(self.real(), self.real())
        return self.real()

    def scalar(self, dtype: str = "float32") -> Any:
        """A Python number that meets a tensor of a dtype, mostly without changing its category."""
        kinds = {"float": 4, "int": 4, "bool": 0.4, "complex": 0.3 if self.complex else 0}
        if dtype in COMPLEX:
            kinds["complex"] = 3
        if dtype in INTS:
            kinds["float"] = 1
        match self.weighted(kinds):
            case "float":
                return self.real() if self.chance(0.97) else self.one((inf, -inf, nan))
            case "int":
                return self.rng.randint(-4, 5)
            case "bool":
                return self.chance(0.5)
        return complex(self.real(), self.real())

    def scalar_like(self, ref: Ref) -> Any:
        """A Python number of the same category as a tensor."""
        return self.number(self.dtype_of(ref))

    def values(self, dtype: str, count: int, special: bool = True) -> tuple[Any, ...]:
        values = [self.number(dtype) for _ in range(count)]
        if special and count and dtype in FLOATS and self.chance(0.03):
            values[self.rng.randrange(count)] = self.one((inf, -inf, nan, -0.0))
        return tuple(values)

    def literal(self, dtype: str, shape: tuple[int, ...], requires_grad: bool = False) -> Literal:
        return Literal(dtype, shape, self.values(dtype, prod(shape)), requires_grad)

    def indices(
        self, shape: tuple[int, ...], size: int, dtype: str = "int64", negative: bool = False
    ) -> Literal:
        """Index values that fit a dimension of a size."""
        low = -size if negative else 0
        values = tuple(self.rng.randint(low, size - 1) for _ in range(prod(shape))) if size else ()
        return Literal(dtype, shape if size else (0,), values)

    def mask(self, shape: tuple[int, ...]) -> Literal:
        return self.literal("bool", shape)

    def covector(self, tensor: Any) -> Literal:
        """A gradient argument for an output."""
        dtype = str(tensor.dtype).removeprefix("torch.")
        return Literal(dtype, tuple(tensor.shape), self.values(dtype, tensor.numel(), special=False))

    def dtype_of(self, ref: Ref) -> str:
        return str(self.value(ref).dtype).removeprefix("torch.")

    # Tensors ------------------------------------------------------------------------------------------------

    def leaf(
        self,
        dtype: str | None = None,
        shape: tuple[int, ...] | None = None,
        gradient: float = 0.8,
        values: Callable[[], Any] | None = None,
    ) -> Ref:
        """A new tensor; one of a floating dtype requires grad with probability `gradient`."""
        dtype = dtype or self.dtype()
        shape = self.shape() if shape is None else shape
        requires_grad = dtype in SMOOTH and self.chance(gradient)
        literal = self.literal(dtype, shape, requires_grad)
        if values is not None:
            literal = Literal(dtype, shape, tuple(values() for _ in range(prod(shape))), requires_grad)
        ref = self.next()
        self.emit(Instruction("tensor", (literal,)))
        return ref

    def usable(self, ref: Ref) -> bool:
        """Whether a tensor's history can be asked for, which torch refuses for some views."""
        try:
            return self.value(ref).is_leaf in (True, False)
        except RuntimeError:
            return False

    def requiring(self, leaf: bool | None = None) -> list[Ref]:
        """The tensors that require grad: all, the leaves or the others."""
        refs = [ref for ref in self.tensors if self.value(ref).requires_grad and self.usable(ref)]
        return [ref for ref in refs if leaf in (None, self.value(ref).is_leaf)]

    def good(self, ref: Ref) -> bool:
        """Whether a tensor makes a good argument: small, with small finite values."""
        tensor = self.value(ref)
        if tensor.numel() > LARGEST_NUMEL or tensor.dim() > 5:
            return False
        return self.chance(0.05) or magnitude(tensor) <= LARGEST_VALUE

    def find(
        self,
        dtypes: Iterable[str] = ALL,
        ndims: Sequence[int] | None = None,
        min_ndim: int = 0,
        where: Callable[[Any], bool] | None = None,
    ) -> Ref | None:
        """A tensor made before that has given properties, the newest likeliest."""
        dtypes = tuple(dtypes)
        fitting = [
            ref for ref in self.tensors if self.good(ref) and self.fits(ref, dtypes, ndims, min_ndim, where)
        ]
        return self.rng.choices(fitting, [(1 + k) ** 2 for k in range(len(fitting))])[0] if fitting else None

    def fits(
        self,
        ref: Ref,
        dtypes: Sequence[str],
        ndims: Sequence[int] | None,
        min_ndim: int,
        where: Callable[[Any], bool] | None,
    ) -> bool:
        tensor = self.value(ref)
        return (
            self.usable(ref)
            and self.dtype_of(ref) in dtypes
            and tensor.dim() >= min_ndim
            and (ndims is None or tensor.dim() in ndims)
            and (where is None or bool(where(tensor)))
        )

    def pick(
        self,
        dtypes: Iterable[str] = ALL,
        ndim: int | Sequence[int] | None = None,
        min_ndim: int = 0,
        where: Callable[[Any], bool] | None = None,
        shape: Callable[[], tuple[int, ...]] | None = None,
        fresh: float = 0.2,
    ) -> Ref:
        """A tensor with given properties: mostly one made before, else a new leaf.

        Raises `NothingFits` where neither is to be had.
        """
        dtypes = tuple(dtypes)
        ndims = (ndim,) if isinstance(ndim, int) else ndim
        if not self.chance(fresh) and (found := self.find(dtypes, ndims, min_ndim, where)) is not None:
            return found
        if shape is None:
            shape = lambda: self.shape(self.one(ndims) if ndims is not None else None, min_ndim)
        for _ in range(20):
            drawn = shape()
            if prod(drawn) > LARGEST_NUMEL:
                continue
            ref = self.leaf(self.dtype(dtypes), drawn)
            if self.fits(ref, dtypes, ndims, min_ndim, where):
                return ref
            self.forget_last()
        raise NothingFits

    def forget_last(self) -> None:
        """Take back a leaf that was of no use."""
        self.instructions.pop()
        self.tensors.pop()
        self.machine.outcomes.pop()
        self.machine.values.pop()

    def broadcastable(self, shape: tuple[int, ...], wider: bool = True) -> tuple[int, ...]:
        """A shape that broadcasts with a shape: dimensions dropped, set to one, filled in or added."""
        drawn = [1 if self.chance(0.25) else self.size() if size == 1 and wider else size for size in shape]
        if self.chance(0.3):
            drawn = drawn[self.rng.randint(0, len(drawn)) :]
        elif wider and len(drawn) < 4 and self.chance(0.1):
            drawn.insert(0, self.size())
        return tuple(drawn)

    def partner(self, ref: Ref, dtypes: Iterable[str] = ALL, wider: bool = True) -> Ref:
        """A tensor that broadcasts with another, mostly of its dtype."""
        shape = tuple(self.value(ref).shape)
        dtypes = tuple(dtypes)
        if self.chance(0.6) and (own := self.dtype_of(ref)) in dtypes:
            dtypes = (own,)

        def fits(tensor: Any) -> bool:
            try:
                joint = self.torch.broadcast_shapes(shape, tuple(tensor.shape))
            except RuntimeError:
                return False
            return prod(joint) <= LARGEST_NUMEL and (wider or tuple(joint) == shape)

        return self.pick(dtypes, where=fits, shape=lambda: self.broadcastable(shape, wider), fresh=0.35)


def magnitude(tensor: Any) -> float:
    """The largest absolute value; nan where there is one."""
    if tensor.numel() == 0:
        return 0.0
    tensor = tensor.detach()
    return float((tensor.float() if not tensor.is_complex() else tensor).abs().max())


def call(op: str, *args: Any, within: str = "", **kwargs: Any) -> Instruction:
    """An instruction written like the call that it stands for."""
    return Instruction(op, args, tuple(kwargs.items()), within)


def some(b: Builder, options: dict[str, Callable[[], Any]], probability: float = 0.4) -> dict[str, Any]:
    """Keyword arguments, each given with a probability."""
    return {name: draw() for name, draw in options.items() if b.chance(probability)}


__all__ = [
    "ALL",
    "COMPLEX",
    "FLOATS",
    "INTS",
    "SMOOTH",
    "Builder",
    "Code",
    "DType",
    "Literal",
    "NothingFits",
    "Ref",
    "call",
    "magnitude",
    "some",
]

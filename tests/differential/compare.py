"""Compares what one program did under two modules.

Everything but rounded numbers must be equal. Rounded numbers must be within `TOLERANCE`, which is torch's own
table for comparisons across devices. A long program can amplify a difference of one rounding beyond any fixed
tolerance, so a number outside it gets a second hearing: the same program, widened to float64, tells how far
torch itself is from the exact result, and the tested module may be up to `FACTOR` times as far. Where torch
is so far off that this says nothing (`HOPELESS`), or where rounding alone decided an integer or a bool, the
comparison is *undecided*: counted, never passed off as equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .program import Instruction, Program, Raised, Run, Seen, Skipped

#: dtype: (relative, absolute), as in torch.testing.assert_close.
TOLERANCE = {
    "torch.float16": (1e-3, 1e-5),
    "torch.bfloat16": (1.6e-2, 1e-5),
    "torch.float32": (1.3e-6, 1e-5),
    "torch.float64": (1e-7, 1e-7),
    "torch.complex32": (1e-3, 1e-5),
    "torch.complex64": (1.3e-6, 1e-5),
    "torch.complex128": (1e-7, 1e-7),
}

#: How much further than torch from the exact result a number outside the tolerance may be.
FACTOR = 2.0

#: torch's own error, relative to the largest value, from which on the exact result cannot arbitrate.
HOPELESS = 0.05

UNDECIDED = "undecided"

#: Differences that stand in columns of their own. Strides of results follow no rule that torch documents, and
#: the name of a gradient's node (with `create_graph`) tells how torch writes a derivative, not what it is.
STRIDE = "stride"
GRADIENT_NODE = "grad_fn of gradient"
OWN_COLUMN = (STRIDE, GRADIENT_NODE)


@dataclass(frozen=True)
class Mismatch:
    """One visible difference: its kind, the instruction it belongs to, and what was seen on both sides."""

    kind: str
    index: int
    where: str
    expected: str
    found: str

    def text(self) -> str:
        return f"{self.kind} at v{self.index}{self.where}: expected {self.expected}, found {self.found}"


#: Gives the run of the widened program under the reference, or None where widening changes what it does.
Wide = Callable[[], Run | None]


def compare(program: Program, reference: Run, tested: Run, wide: Wide) -> list[Mismatch]:
    """All differences, in the order in which they appear in the program."""
    found: list[Mismatch] = []
    exact = _Lazy(wide)
    pairs = zip(program.instructions, reference.outcomes, tested.outcomes)
    for index, (instruction, expected, seen) in enumerate(pairs):
        if _returned(expected) and _returned(seen):
            wider = exact.get(lambda run, index=index: run.outcomes[index])
            found += _Pair(index, instruction, wider).differences(expected, seen, "")
        else:
            found += _failures(index, instruction, expected, seen)
    for index, instruction in enumerate(program.instructions):
        expected, seen = reference.finals[index], tested.finals[index]
        if not (_returned(reference.outcomes[index]) and _returned(tested.outcomes[index])):
            continue
        wider = exact.get(lambda run, index=index: run.finals[index])
        if isinstance(expected, Raised) or isinstance(seen, Raised):
            found += _failures(index, instruction, expected, seen)
        else:
            found += _Pair(index, instruction, wider).differences(expected, seen, " at the end")
    last = len(program.instructions) - 1
    wider = exact.get(lambda run: ("list", tuple(run.log)))
    log = _Pair(last, program.instructions[last], wider)
    found += log.differences(("list", tuple(reference.log)), ("list", tuple(tested.log)), " log")
    return found


def _returned(outcome: Any) -> bool:
    return not isinstance(outcome, (Raised, Skipped))


class _Lazy:
    """The widened run, made at most once and only when some number needs it."""

    def __init__(self, wide: Wide) -> None:
        self.wide = wide
        self.made: tuple[Run | None] | None = None

    def get(self, part: Callable[[Run], Any]) -> Callable[[], Any]:
        def read() -> Any:
            if self.made is None:
                self.made = (self.wide(),)
            return None if self.made[0] is None else part(self.made[0])

        return read


def _failures(index: int, instruction: Instruction, expected: Any, seen: Any) -> Iterator[Mismatch]:
    """Differences where at least one side did not return."""
    match expected, seen:
        case Raised(kind, text), Raised(other_kind, other_text):
            if kind != other_kind:
                yield Mismatch(
                    _missing(seen) or "error class",
                    index,
                    "",
                    f"{kind}: {text}",
                    f"{other_kind}: {other_text}",
                )
            elif text != other_text:
                yield Mismatch("error text", index, "", text, other_text)
        case Raised(kind, text), Skipped():
            pass
        case Raised(kind, text), _:
            yield Mismatch("no error", index, "", f"{kind}: {text}", brief(seen))
        case _, Raised(kind, text):
            yield Mismatch(
                _missing(seen) or "unexpected error", index, "", brief(expected), f"{kind}: {text}"
            )


def _missing(outcome: Raised) -> str | None:
    return "missing" if outcome.kind == "AttributeError" and "has no attribute" in outcome.text else None


def brief(seen: Any) -> str:
    """A result in few words."""
    if isinstance(seen, Seen):
        return f"{seen.dtype}{list(seen.shape)} {str(seen.values)[:80]}"
    return str(seen)[:120]


@dataclass
class _Pair:
    """Compares the two results of one instruction."""

    index: int
    instruction: Instruction
    wider: Callable[[], Any]

    def differ(self, kind: str, where: str, expected: Any, found: Any) -> Mismatch:
        return Mismatch(kind, self.index, where, str(expected)[:300], str(found)[:300])

    def differences(self, expected: Any, seen: Any, where: str) -> Iterator[Mismatch]:
        yield from self.walk(expected, seen, where, self.wider)

    def walk(self, expected: Any, seen: Any, where: str, wider: Callable[[], Any]) -> Iterator[Mismatch]:
        if isinstance(expected, Seen) and isinstance(seen, Seen):
            yield from self.tensors(expected, seen, where, wider)
        elif isinstance(expected, tuple) and isinstance(seen, tuple):
            (name, items), (other_name, other_items) = expected, seen
            if name != other_name:
                yield self.differ("type", where, name, other_name)
            elif not isinstance(items, tuple) or not isinstance(other_items, tuple):
                if items != other_items:
                    yield self.differ("value", where, expected, seen)
            elif len(items) != len(other_items):
                yield self.differ("type", where, f"{len(items)} items", f"{len(other_items)} items")
            else:
                for k, (item, other) in enumerate(zip(items, other_items)):
                    yield from self.walk(item, other, f"[{k}]{where}", _item(wider, k))
        elif type(expected) is not type(seen):
            yield self.differ("type", where, brief(expected), brief(seen))
        elif isinstance(expected, (float, complex)):
            kind = "torch.complex64" if isinstance(expected, complex) else "torch.float32"
            yield from self.numbers(kind, expected, seen, where, wider)
        elif expected != seen:
            yield self.differ("value", where, expected, seen)

    def tensors(self, expected: Seen, seen: Seen, where: str, wider: Callable[[], Any]) -> Iterator[Mismatch]:
        fields = GRADIENT_FIELDS if self.is_gradient(where) else FIELDS
        for field, kind in fields.items():
            if (value := getattr(expected, field)) != (other := getattr(seen, field)):
                yield self.differ(kind, where, value, other)
        if expected.dtype == seen.dtype and expected.shape == seen.shape:
            yield from self.numbers(
                expected.dtype, expected.values, seen.values, where, _field(wider, "values")
            )
        if (expected.grad is None) != (seen.grad is None):
            yield self.differ("gradient", f".grad{where}", brief(expected.grad), brief(seen.grad))
        elif expected.grad is not None and seen.grad is not None:
            yield from self.tensors(expected.grad, seen.grad, f".grad{where}", _field(wider, "grad"))

    def numbers(
        self,
        dtype: str,
        expected: Any,
        seen: Any,
        where: str,
        wider: Callable[[], Any],
    ) -> Iterator[Mismatch]:
        if expected == seen:
            return
        a, b = np.array(expected), np.array(seen)
        relative, absolute = TOLERANCE.get(dtype, (0.0, 0.0))
        if _near(a, b, relative, absolute):
            return
        exact = wider()
        verdict = UNDECIDED if exact is None else _second_hearing(a, b, np.array(exact), relative, absolute)
        if verdict != "equal":
            kind = verdict if verdict == UNDECIDED else "gradient" if self.is_gradient(where) else "value"
            yield self.differ(kind, where, expected, seen)

    def is_gradient(self, where: str) -> bool:
        return ".grad" in where or " log" in where or self.instruction.op.startswith("torch.autograd")


#: What must be equal of two tensors, and what a difference is called.
FIELDS = {
    "dtype": "dtype",
    "shape": "shape",
    "steps": STRIDE,
    "offset": STRIDE,
    "requires_grad": "requires_grad",
    "is_leaf": "is_leaf",
    "grad_fn": "grad_fn",
    "output_nr": "grad_fn",
    "updates": "version",
    "is_view": "is_view",
}

#: The same for gradients: whether the engine built one in place or as a view of another is its own affair.
GRADIENT_FIELDS = {
    "dtype": "dtype",
    "shape": "shape",
    "steps": STRIDE,
    "requires_grad": "requires_grad",
    "is_leaf": "is_leaf",
    "grad_fn": GRADIENT_NODE,
}


def _item(wider: Callable[[], Any], k: int) -> Callable[[], Any]:
    def read() -> Any:
        value = wider()
        fits = isinstance(value, tuple) and isinstance(value[1], tuple) and k < len(value[1])
        return value[1][k] if fits else None

    return read


def _field(wider: Callable[[], Any], name: str) -> Callable[[], Any]:
    def read() -> Any:
        value = wider()
        return getattr(value, name) if isinstance(value, Seen) else None

    return read


def _near(a: np.ndarray, b: np.ndarray, relative: float, absolute: float) -> bool:
    if a.shape != b.shape or a.dtype.kind not in "fc":
        return np.array_equal(a, b)
    with np.errstate(all="ignore"):
        return bool(np.all(_same_nonfinite(a, b) | (np.abs(a - b) <= absolute + relative * np.abs(a))))


def _same_nonfinite(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Where both are equal or both are nan, as a complex number with a nan anywhere is."""
    return (a == b) | (np.isnan(a) & np.isnan(b)) if a.dtype.kind in "fc" else a == b


def _second_hearing(a: np.ndarray, b: np.ndarray, exact: np.ndarray, relative: float, absolute: float) -> str:
    """Judge a tested result `b` by how far torch's own result `a` is from the exact one."""
    if a.shape != exact.shape or a.shape != b.shape:
        return UNDECIDED
    if a.dtype.kind not in "fc":
        return "different" if np.array_equal(a, exact) else UNDECIDED
    with np.errstate(all="ignore"):
        compared = ~_same_nonfinite(a, b)
        a, b, exact = a[compared], b[compared], exact[compared]
        if not np.isfinite(a).all():
            return "different" if np.array_equal(np.isfinite(a), np.isfinite(exact)) else UNDECIDED
        if not np.isfinite(exact).all():
            return UNDECIDED
        scale = np.abs(exact).max()
        own = np.abs(a - exact).max()
        allowed = absolute + relative * scale + FACTOR * own
        if np.isfinite(b).all() and np.abs(b - exact).max() <= allowed:
            return "equal"
    return UNDECIDED if own > HOPELESS * scale else "different"

"""Random programs as functions: the generator of `tests.differential` draws them; compiled and eager run
them.

What a program makes with `torch.tensor` is an argument of the function; all else it makes is returned. An
instruction that raises leaves the class and the text of its error.
"""

from __future__ import annotations

import operator
import warnings
from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np

import pullback
from tests.compiler.agreement import CALLS, anew
from tests.differential.generator import generate
from tests.differential.program import ADDRESS, Instruction, Literal, Program, expression, source

#: Largest difference of a number, relative to the largest of its tensor or 1, by the narrowest dtype of
#: the program.
TOLERANCE = {"bfloat16": 4e-2, "float16": 4e-3, "float32": 2e-5, "complex64": 2e-5}
EXACT = 1e-10


def is_argument(instruction: Instruction) -> bool:
    return instruction.op == "tensor" and isinstance(instruction.args[0], Literal)


def text_of(program: Program) -> str:
    """The program as a function of its tensors, which returns everything else that it made."""
    names = [f"v{n}" for n, step in enumerate(program.instructions) if is_argument(step)]
    lines = [f"def program({', '.join(names)}):", "    results = []"]
    for n, step in enumerate(program.instructions):
        if is_argument(step):
            continue
        line, is_statement = source(step)
        line = line if is_statement else f"v{n} = {line}"
        if step.mode:
            line = f"with torch.{step.mode}(): {line}"
        lines += [
            "    try:", f"        {line}", "    except Exception as error:",
            "        results.append((type(error).__name__, address.sub('0x', str(error))))",
        ]  # fmt: skip
        if not is_statement:
            lines += ["    else:", f"        results.append(v{n})"]
    return "\n".join([*lines, "    return results"]) + "\n"


def function_of(program: Program) -> Any:
    names: dict[str, Any] = {
        "torch": pullback, "operator": operator, "inf": inf, "nan": nan, "log": [], "address": ADDRESS,
    }  # fmt: skip
    exec(compile(text_of(program), "<program>", "exec"), names)
    return names["program"]


def arguments_of(program: Program, call: int = 0) -> list[Any]:
    """The function's tensors, their elements at other places in each call."""
    steps = [step for step in program.instructions if is_argument(step)]
    names = {"torch": pullback, "inf": inf, "nan": nan}
    found = [eval(expression(step.args[0], False), names) for step in steps]
    for t in found:
        t._value[...] = anew(t._value, call)
    return found


@dataclass
class Outcome:
    """What a call did: its result or its error, its arguments afterwards, and why it ran eagerly."""

    result: Any
    arguments: list[Any]
    eager_because: str | None


def outcome(function: Any, arguments: list[Any]) -> Outcome:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(*arguments)
        except Exception as error:  # noqa: BLE001  # the class and the text are what is compared
            result = (type(error).__name__, ADDRESS.sub("0x", str(error)))
    native = getattr(function, "_native", None)
    return Outcome(result, arguments, None if native is None else native.eager_because)


def differences(seed: int, torch: Any) -> tuple[list[str], str | None]:
    """What compiled does otherwise than eager in some calls, and why it ran eagerly, if it did."""
    program = generate(seed, torch)
    plain, compiled = function_of(program), pullback.compile(function_of(program), backend="native")
    found: list[str] = []
    why = None
    for call in range(CALLS):
        pullback.manual_seed(seed)
        expected = outcome(plain, arguments_of(program, call))
        drawn = pullback.get_rng_state()
        pullback.manual_seed(seed)
        got = outcome(compiled, arguments_of(program, call))
        why = got.eager_because
        if not pullback.equal(drawn, pullback.get_rng_state()):
            found.append(f"call {call}: the random state")
        found += [f"call {call}: {text}" for text in _between(expected, got)]
        if why is not None:
            break
    return found, why


def _between(expected: Outcome, got: Outcome) -> list[str]:
    tolerance = _tolerance([*expected.arguments, *_tensors(expected.result)])
    found = _different(expected.result, got.result, "result", tolerance)
    found += _different(expected.arguments, got.arguments, "argument", tolerance)
    if not found and (mine := _shared(expected)) != (theirs := _shared(got)):
        found.append(f"tensors {mine} share memory, compiled {theirs}")
    if found:
        return found
    pairs = zip(_tensors(expected.result), _tensors(got.result))
    pairs = [(a, b) for a, b in pairs if _refusal(a) is None and a.requires_grad]
    pairs = [(a, b) for a, b in pairs if a.dtype.is_floating_point or a.dtype.is_complex]
    for n, (a, b) in enumerate(pairs):
        mine, theirs = _pulled(a, expected.arguments), _pulled(b, got.arguments)
        # The pullback of a compiled function gives arrays in C order; `.grad` is laid out as its leaf.
        found += _different(mine, theirs, f"gradient of result {n}", tolerance, layout=False)
    return found


def _tolerance(tensors: list[Any]) -> float:
    names = {str(t.dtype).removeprefix("torch.") for t in tensors}
    return next((TOLERANCE[name] for name in TOLERANCE if name in names), EXACT)


def _shared(outcome: Outcome) -> list[tuple[int, int]]:
    """Which arguments and results share memory."""
    arrays = [t._value for t in (*outcome.arguments, *_tensors(outcome.result))]
    return [
        (n, m)
        for m, a in enumerate(arrays)
        for n, b in enumerate(arrays[:m])
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.may_share_memory(a, b)
    ]


def _pulled(root: Any, arguments: list[Any]) -> Any:
    wanted = [t for t in arguments if t.requires_grad and t.is_leaf]
    if not wanted:
        return None
    try:
        ones = pullback.ones_like(root)
        return pullback.autograd.grad(root, wanted, ones, retain_graph=True, allow_unused=True)
    except RuntimeError as error:
        return str(error).split(":")[0]


def _tensors(value: Any) -> list[Any]:
    if isinstance(value, pullback.Tensor):
        return [value]
    return [t for part in value for t in _tensors(part)] if isinstance(value, (list, tuple)) else []


def _different(a: Any, b: Any, where: str, tolerance: float, layout: bool = True) -> list[str]:
    if isinstance(a, pullback.Tensor) and isinstance(b, pullback.Tensor):
        return _tensors_differ(a, b, where, tolerance, layout)
    if isinstance(a, (list, tuple)) and type(a) is type(b):
        if len(a) != len(b) or (_is_error(a) != _is_error(b)):
            return [f"{where}: {_brief(a)}, compiled {_brief(b)}"]
        return [
            d for n, (x, y) in enumerate(zip(a, b))
            for d in _different(x, y, f"{where}[{n}]", tolerance, layout)
        ]  # fmt: skip
    if type(a) is not type(b):
        return [f"{where}: {_brief(a)}, compiled {_brief(b)}"]
    plain = (bool, int, float, complex, str, type(None))
    same = not isinstance(a, plain) or a == b or (isinstance(a, float) and _close(a, b, tolerance))
    return [] if same else [f"{where}: {_brief(a)}, compiled {_brief(b)}"]


def _is_error(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)


def _brief(value: Any) -> str:
    return repr(value).replace("\n", " ")[:160]


def _refusal(t: Any) -> str | None:
    """The error of a view that may not be looked at any more."""
    try:
        _ = t.is_leaf, t.requires_grad
    except RuntimeError as error:
        return str(error)
    return None


def _tensors_differ(a: Any, b: Any, where: str, tolerance: float, layout: bool) -> list[str]:
    if (mine := _refusal(a)) != (theirs := _refusal(b)):
        return [f"{where}: {mine}, compiled {theirs}"]
    if mine is not None:
        return []
    found = [
        f"{where}.{name}: {getattr(a, name)}, compiled {getattr(b, name)}"
        for name in ("dtype", "shape", "requires_grad", "is_leaf")
        if getattr(a, name) != getattr(b, name)
    ]
    if layout and _strides(a) != _strides(b):
        found.append(f"{where}.stride(): {a.stride()} of {tuple(a.shape)}, compiled {b.stride()}")
    if found:
        return found
    x, y = (np.asarray(t.detach().resolve_conj().resolve_neg()._value) for t in (a, b))
    if str(x.dtype) == "bfloat16":
        x, y = x.astype(np.float32), y.astype(np.float32)
    if not _close(x, y, tolerance if x.dtype.kind in "fc" else 0.0):
        found.append(f"{where}: {_brief(x)}, compiled {_brief(y)}")
    if (a.is_leaf and a.grad is None) != (b.is_leaf and b.grad is None):
        found.append(f"{where}.grad: {_brief(a.grad)}, compiled {_brief(b.grad)}")
    elif a.is_leaf and a.grad is not None and a.grad is not a:
        found += _tensors_differ(a.grad, b.grad, where + ".grad", tolerance, layout)
    return found


def _strides(t: Any) -> list[int]:
    """Strides of the axes that are stepped along."""
    return [] if 0 in t.shape else [step for step, size in zip(t.stride(), t.shape) if size > 1]


def _close(x: Any, y: Any, tolerance: float) -> bool:
    x, y = np.asarray(x), np.asarray(y)
    with np.errstate(all="ignore"):
        same = (x == y) | ((x != x) & (y != y))
        if not tolerance:
            return bool(np.all(same))
        finite = x[np.isfinite(x)]
        scale = max(1.0, np.abs(finite).max() if finite.size else 0.0)
        return bool(np.all(same | (np.abs(x - y) <= tolerance * scale)))

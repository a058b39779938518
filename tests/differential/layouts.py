"""Runs expressions on operands laid out in memory in every way, and says where the results lie.

The operands of a case have the same values in every layout of both modules. A layout is a word: axes are
permuted, one is expanded, or has gaps, or the channels are last. Sizes 0 and 1 have strides without meaning,
which are left out.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .layout_cases import CASES

#: How operands lie together: all alike, or the first in its own way.
TOGETHER = (
    ("permuted", "same"), ("permuted", "plain"), ("plain", "permuted"), ("permuted", "permuted"),
    ("turned", "turned"), ("stepped", "stepped"), ("expanded", "plain"), ("plain", "expanded"),
    ("last", "last"), ("last", "plain"), ("both", "both"), ("narrow", "both"),
)  # fmt: skip


@dataclass(frozen=True)
class Placed:
    """A result and where it lies.

    Attributes
    ----------
    values : array
    steps : tuple of int
        Strides of the axes that have more than one place.
    shares : str
        The operands whose memory it is.
    """

    values: np.ndarray
    steps: tuple[int, ...]
    shares: str


@dataclass(frozen=True)
class Outcome:
    """The results of a case, and the gradients that a covector leaves; or the class of what was raised."""

    results: tuple[Placed, ...] = ()
    gradients: tuple[tuple[str, Placed], ...] = ()
    error: str = ""


def seeds(per_case: int) -> Iterator[tuple[str, tuple[int, ...], int]]:
    """Every case under some of the ways to lay out its operands, chosen by the case."""
    for expression, shape in CASES:
        ways = list(range(len(TOGETHER)))
        random.Random(f"{expression}{shape}").shuffle(ways)
        for way in ways[:per_case]:
            yield expression, shape, way


def arrays(shape: tuple[int, ...]) -> dict[str, np.ndarray]:
    """The values of the operands."""
    rng = np.random.default_rng(len(shape))
    size = int(np.prod(shape))

    def apart() -> np.ndarray:
        places = rng.permutation(size).reshape(shape) - size / 2 + 0.25
        return (places * 3 / max(size, 1)).astype(np.float32)

    return {
        "x": apart(), "y": apart(), "z": apart(), "p": rng.uniform(0.1, 0.9, shape).astype(np.float32),
        "m": rng.uniform(size=shape) < 0.5, "i": rng.integers(0, 6, shape), "j": rng.integers(1, 6, shape),
    }  # fmt: skip


def operands(expression: str, shape: tuple[int, ...], way: int, torch: Any) -> dict[str, Any]:
    """The operands of a case, laid out in one of the ways."""
    rng = random.Random(f"{expression}{shape}{way}")
    first, others = TOGETHER[way]
    scope: dict[str, Any] = {}
    order = _order(len(shape), rng)
    for name, array in arrays(shape).items():
        kind = first if not scope else others
        lay_out = LAYOUTS["permuted" if kind == "same" else kind]
        axis = rng.randrange(len(shape))
        same = order if kind == "same" or name == "x" else _order(len(shape), rng)
        scope[name] = lay_out(torch.from_numpy(array), same, axis, torch)
    scope["o"] = LAYOUTS["permuted"](torch.zeros(shape), _order(len(shape), rng), 0, torch)
    return scope


def run(expression: str, shape: tuple[int, ...], way: int, torch: Any) -> Outcome:
    """Run a case under a module."""
    scope = operands(expression, shape, way, torch)
    leaves = [name for name, value in scope.items() if name != "o" and value.is_floating_point()]
    for name in leaves:
        scope[name].requires_grad_()
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = eval(expression, {"torch": torch, "F": torch.nn.functional}, scope)
            parts = tuple(value) if isinstance(value, (tuple, list)) else (value,)
            results = tuple([_placed(part, scope) for part in parts])
            roots = [part for part in parts if part.requires_grad]
            if not roots:
                return Outcome(results)
            torch.autograd.backward(roots, [_covector(part, torch) for part in roots])
        except Exception as error:  # noqa: BLE001  # any error is a result here
            return Outcome(error=type(error).__name__)
    return Outcome(
        results,
        tuple((n, _placed(g, {})) for n in leaves if (g := scope[n].grad) is not None),
    )


def _placed(tensor: Any, operands: dict[str, Any]) -> Placed:
    shape = tuple(tensor.shape)
    steps = () if 0 in shape else tuple(s for s, n in zip(tensor.stride(), shape, strict=True) if n > 1)
    memory = tensor.untyped_storage().data_ptr() if operands else None
    shares = "" if 0 in shape else "".join(
        name for name, v in operands.items() if v.untyped_storage().data_ptr() == memory
    )
    return Placed(tensor.detach().clone().numpy(), steps, shares)


def _covector(root: Any, torch: Any) -> Any:
    values = np.linspace(-1, 1, int(np.prod(root.shape))).reshape(tuple(root.shape))
    return torch.from_numpy(values).to(root.dtype)


def _order(rank: int, rng: random.Random) -> list[int]:
    order = list(range(rank))
    rng.shuffle(order)
    return order


# --- layouts: (tensor, order of axes, axis, module) -> a tensor of the same shape ---------------------------


def _permuted(t: Any, order: list[int], axis: int, torch: Any) -> Any:
    return t.permute(order).contiguous().permute([order.index(k) for k in range(t.dim())])


def _stepped(t: Any, order: list[int], axis: int, torch: Any) -> Any:
    wide = torch.zeros([n * 2 if k == axis else n for k, n in enumerate(t.shape)], dtype=t.dtype)
    part = wide[(*(slice(None),) * axis, slice(None, None, 2))]
    part.copy_(t)
    return part


def _expanded(t: Any, order: list[int], axis: int, torch: Any) -> Any:
    return t.narrow(axis, 0, 1).clone().expand(t.shape) if t.numel() else t


def _last(t: Any, order: list[int], axis: int, torch: Any) -> Any:
    return t.movedim(1, -1).contiguous().movedim(-1, 1)


def _turned(t: Any, order: list[int], axis: int, torch: Any) -> Any:
    return t.transpose(-1, -2).contiguous().transpose(-1, -2)


def _in_order(t: Any, order: list[int], axis: int, torch: Any) -> Callable[..., Any]:
    """A layout of the tensor with permuted axes."""
    back = [order.index(k) for k in range(t.dim())]
    return lambda lay_out: lay_out(t.permute(order).contiguous(), order, axis, torch).permute(back)


LAYOUTS: dict[str, Callable[[Any, list[int], int, Any], Any]] = {
    "plain": lambda t, order, axis, torch: t.clone(),
    "permuted": _permuted,
    "stepped": _stepped,
    "expanded": _expanded,
    "last": _last,
    "turned": _turned,
    "both": lambda *given: _in_order(*given)(_stepped),
    "narrow": lambda *given: _in_order(*given)(_expanded),
}

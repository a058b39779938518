"""Whole training steps, written as users write them, run eagerly and compiled beside one another.

A case is a function that makes a model, the step that trains it and what draws a batch. It is called anew for
each run, after the same seed, so that every run begins with the same numbers and draws the same batches; each
step of a run has a batch of its own, and whatever a step reads of an earlier one shows.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import pullback as torch
from tests.compiler.agreement import array_kernels

STEPS = 5
DTYPES = ("float32", "float64")
#: By dtype: the largest difference of the first loss, relative to it, and of everything else, relative to the
#: largest element of what it is compared with.
TOLERANCE = {"float32": (1e-6, 1e-5), "float64": (1e-12, 1e-12)}
#: In float64 each tensor has its own scale, but that of a gradient that is zero but for rounding (a bias
#: before a norm, or of attention's keys) would be that of its noise. A scale is this share of the largest of
#: all tensors at least. In float32 the scale is the largest of all.
LEAST_SHARE = {"float32": 1.0, "float64": 1e-2}


class Part:
    """A function that a step calls, which may be compiled in place of the step."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function


class Training(NamedTuple):
    """A step, what draws its inputs, and the modules that it trains.

    Attributes
    ----------
    step : callable
        Takes a batch, returns the loss; this is what is compiled.
    batch : callable
        Returns the inputs of one step.
    modules : tuple of Module
    loss : Part or None
        What is compiled where `backward` and the optimizer's step are outside.
    """

    step: Callable[..., Any]
    batch: Callable[[], tuple[Any, ...]]
    modules: tuple[Any, ...]
    loss: Part | None = None


class Case(NamedTuple):
    """A training step of the table.

    Attributes
    ----------
    make : callable
        Makes the model and its step.
    ci : tuple of str
        The dtypes in which every run of the suite looks at this case.
    dtypes : tuple of str
        The dtypes of the whole table.
    eager : str
        Why the step does not compile, where it does not; empty for a step that compiles, and has to.
    eager_loss : str
        The same for the loss alone.
    """

    make: Callable[[], Training]
    ci: tuple[str, ...]
    dtypes: tuple[str, ...]
    eager: str
    eager_loss: str


CASES: dict[str, Case] = {}


def case(
    name: str, *, ci: str = "", dtypes: tuple[str, ...] = DTYPES, eager: str = "", eager_loss: str = ""
) -> Callable[[Callable[[], Training]], Callable[[], Training]]:
    """Put a case into the table."""

    def register(make: Callable[[], Training]) -> Callable[[], Training]:
        assert name not in CASES, name
        CASES[name] = Case(make, tuple(ci.split()), dtypes, eager, eager_loss or eager)
        return make

    return register


def training(
    model: Any, loss_of: Callable[..., Any], batch: Callable[[], tuple[Any, ...]], optimizer: Any = None
) -> Training:
    """The step that most programs have; stochastic gradient descent unless an optimizer is given."""
    if optimizer is None:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    part = Part(loss_of)

    def step(*inputs: Any) -> Any:
        optimizer.zero_grad()
        loss = part.function(model, *inputs)
        loss.backward()
        optimizer.step()
        return loss

    return Training(step, batch, (model,), part)


class Outcome(NamedTuple):
    """What a run left.

    Attributes
    ----------
    losses : list of ndarray
        One for each step.
    gradients : list of dict
        After each step: the gradients by name, without those that are None.
    state : dict
        Parameters and buffers after the last step.
    eager_because : str or None
    traces : int
    kernels : callable
        Returns the ops that compiled programs ran by array kernels. It plans anew what was read from disk.
    """

    losses: list[np.ndarray]
    gradients: list[dict[str, np.ndarray]]
    state: dict[str, np.ndarray]
    eager_because: str | None
    traces: int
    kernels: Callable[[], list[str]]

    def arrays(self) -> Iterator[tuple[str, np.ndarray]]:
        """All of it, by name."""
        for n, (loss, gradients) in enumerate(zip(self.losses, self.gradients, strict=True)):
            yield f"loss {n}", loss
            yield from ((f"gradient {n} of {name}", value) for name, value in gradients.items())
        yield from self.state.items()


@contextlib.contextmanager
def surroundings(dtype: str, threads: int) -> Iterator[None]:
    """Set the default dtype and the number of threads, and put them back."""
    before = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_default_dtype(getattr(torch, dtype))
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_default_dtype(before[0])
        torch.set_num_threads(before[1])


def run(make: Callable[[], Training], dtype: str, compiled: str = "", threads: int = 1) -> Outcome | None:
    """Train for a few steps from the seed on.

    Parameters
    ----------
    make : callable
    dtype : str
    compiled : str
        What is compiled: the ``"step"``, the ``"loss"`` alone, or nothing. None is returned for a step whose
        loss is no function of its own.
    threads : int
    """
    with surroundings(dtype, threads), warnings.catch_warnings():
        # A step that does not compile warns of it; the caller reads why in what is returned.
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        step, batch, modules, part = make()
        function = None
        if compiled == "step":
            step = function = torch.compile(step, backend="native")
        elif compiled:
            if part is None:
                return None
            part.function = function = torch.compile(part.function, backend="native")
        losses, gradients = [], []
        for _ in range(STEPS):
            losses.append(step(*batch()).detach().numpy().copy())
            gradients.append(_gradients(modules))
        state = {
            f"{n}.{name}": value.detach().numpy().copy()
            for n, module in enumerate(modules)
            for name, value in module.state_dict().items()
        }
        if function is None:
            return Outcome(losses, gradients, state, None, 0, list)
        native = function._native
        because, traces = native.eager_because, native._traces
        kernels = partial(array_kernels, function)
        return Outcome(losses, gradients, state, because, traces, kernels)


def _gradients(modules: tuple[Any, ...]) -> dict[str, np.ndarray]:
    return {
        f"{n}.{name}": p.grad.to_dense().numpy().copy() if p.grad.is_sparse else p.grad.numpy().copy()
        for n, module in enumerate(modules)
        for name, p in module.named_parameters()
        if p.grad is not None
    }


class Differences(NamedTuple):
    """How far a run is from another, relative to the largest element; infinite where it is not finite.

    Attributes
    ----------
    first : float
        Of the first loss.
    losses, gradients, state : float
        The largest of all losses, of all gradients, and of the parameters and buffers after the last step.
    where : str
        The tensor that the largest difference of gradients and state was found in.
    """

    first: float
    losses: float
    gradients: float
    state: float
    where: str

    def within(self, dtype: str) -> bool:
        """Whether rounding explains them."""
        first, rest = TOLERANCE[dtype]
        return self.first <= first and max(self.losses, self.gradients, self.state) <= rest


def differences(expected: Outcome, found: Outcome, dtype: str) -> Differences:
    """Compare two runs."""
    losses = [_largest({"": a}, {"": b}, 1.0)[0] for a, b in zip(expected.losses, found.losses, strict=True)]
    share = LEAST_SHARE[dtype]
    pulled = [
        _largest(a, b, share, f"gradient {n} of ")
        for n, (a, b) in enumerate(zip(expected.gradients, found.gradients, strict=True))
    ]
    state = _largest(expected.state, found.state, share)
    where = max([*pulled, state])[1]
    return Differences(losses[0], max(losses), max(pulled)[0], state[0], where)


def _largest(
    expected: dict[str, np.ndarray], found: dict[str, np.ndarray], share: float, prefix: str = ""
) -> tuple[float, str]:
    """The largest relative difference of two sets of arrays, and its name."""
    if expected.keys() != found.keys():
        return np.inf, prefix + " ".join(sorted(expected.keys() ^ found.keys()))
    for name, a in expected.items():
        b = found[name]
        if (a.dtype, a.shape) != (b.dtype, b.shape) or (a.dtype.kind not in "fc" and (a != b).any()):
            return np.inf, prefix + name
    floats = {name: a for name, a in expected.items() if a.dtype.kind in "fc" and a.size}
    sizes = {name: float(np.abs(a).max()) for name, a in floats.items()}
    least = share * max(sizes.values(), default=0.0)
    worst = (0.0, "")
    for name, a in floats.items():
        b = found[name]
        assert np.isfinite(a).all(), f"{prefix}{name} is not finite in eager: the case shows nothing"
        if not np.isfinite(b).all():
            return np.inf, prefix + name
        difference = float(np.abs(a.astype(np.float64) - b).max())
        if difference:
            worst = max(worst, (difference / max(sizes[name], least, 1e-300), prefix + name))
    return worst


def unequal(first: Outcome, second: Outcome) -> list[str]:
    """The names of what is not the same to the bit in two runs."""
    mine, theirs = dict(first.arrays()), dict(second.arrays())
    names = sorted(mine.keys() ^ theirs.keys())
    return names + [n for n in mine.keys() & theirs.keys() if mine[n].tobytes() != theirs[n].tobytes()]

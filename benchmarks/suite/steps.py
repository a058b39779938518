"""The two forms of a step of the suite, and the table that steps enter by a decorator."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from benchmarks.case import Builder, Case, Library, Row

#: The steps by name, in the order of their declaration: those that are looked at while pullback is made
#: faster, and those that are measured at the end alone.
OPEN: dict[str, Row] = {}
HELD: dict[str, Row] = {}


def step(title: str, jax: Builder | None = None) -> Callable[[Builder], Builder]:
    """Enter a step, written for torch's interface, under the name of its function.

    Parameters
    ----------
    title : str
        What the step is, with its sizes.
    jax : callable, optional
        The same step as a user of jax would write it, where one would choose jax.
    """

    def enter(build: Builder) -> Builder:
        name = build.__name__.replace("_", "-")

        def seeded(library: Library) -> Case:
            library.module.manual_seed(0)
            return build(library)

        builders = {"torch": seeded} if jax is None else {"torch": seeded, "jax": jax}
        (HELD if ".held." in build.__module__ else OPEN)[name] = Row(name, title, builders, rounds=7)
        return build

    return enter


def training(
    library: Library, parameters: Iterable[Any], loss: Callable[[], Any], optimizer: str = "Adam",
    lr: float = 1e-3, **options: Any,
) -> Case:  # fmt: skip
    """Return a step that updates parameters: torch.compile compiles the loss, pullback.compile the step."""
    update = getattr(library.module.optim, optimizer)(list(parameters), lr=lr, **options)
    compute = library.part(loss)

    def train() -> Any:
        update.zero_grad()
        value = compute()
        value.backward()
        update.step()
        return value

    return Case(library.step(train), number)


def whole(library: Library, function: Callable[[], Any], backward: bool = False) -> Case:
    """Return a step that computes something; both compilers compile it whole.

    A step that calls ``backward`` or ``autograd.grad`` itself is compiled where whole steps are.
    """
    return Case(library.step(function) if backward else library.compile(function), number)


def number(value: Any) -> float:
    """Return a number by which results of different libraries can be compared."""
    if isinstance(value, (tuple, list)):
        return sum(number(v) for v in value)
    return float(value.detach().double().abs().mean() if hasattr(value, "detach") else abs(value).mean())


def parameter(torch: Any, *shape: int, scale: float = 0.1, **options: Any) -> Any:
    """Return a leaf with normal numbers."""
    return (torch.randn(*shape, **options) * scale).requires_grad_()

"""The two forms of a step of the suite, and the table that steps enter by a decorator."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks.case import Builder, Case, Library, Row

#: The steps by name, in the order of their declaration: those that are looked at while pullback is made
#: faster, and those that are measured at the end alone.
OPEN: dict[str, Row] = {}
HELD: dict[str, Row] = {}


def drawn() -> Any:
    """Return the module whose tensors are given to libraries with another interface: pullback, seeded.

    It draws torch's numbers, and is installed wherever the benchmark is.
    """
    source = importlib.import_module("pullback")
    source.manual_seed(0)
    return source


def step(title: str, jax: Callable[[Library, Any], Case] | None = None) -> Callable[[Builder], Builder]:
    """Enter a step, written for torch's interface, under the name of its function.

    Parameters
    ----------
    title : str
        What the step is, with its sizes.
    jax : callable, optional
        The same step as a user of jax would write it, where one would choose jax: a function of the library
        and of what `drawn` returns.
    """

    def enter(build: Builder) -> Builder:
        name = build.__name__.replace("_", "-")

        def seeded(library: Library) -> Case:
            library.module.manual_seed(0)
            return build(library)

        builders: dict[str, Builder] = {"torch": seeded}
        if jax is not None:
            builders["jax"] = lambda library: jax(library, drawn())
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
    """Return the root of the mean square, by which results of different libraries can be compared.

    The mean of what softmax gives would be the same for every network.
    """
    if isinstance(value, (tuple, list)):
        return sum(number(v) for v in value)
    values = value.detach().double() if hasattr(value, "detach") else value
    return float((values**2).mean()) ** 0.5


def parameter(torch: Any, *shape: int, scale: float = 0.1, **options: Any) -> Any:
    """Return a leaf with normal numbers."""
    return (torch.randn(*shape, **options) * scale).requires_grad_()

"""The vocabulary of a benchmark: a library, a case built in it, and the rows of the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Library:
    """An imported peer.

    ``module`` is the peer's package. ``compile`` turns a function of tensors into a compiled one; for a peer
    that is measured in eager mode it returns the function unchanged, and ``compiled`` is false. ``whole``
    says that it takes whole steps, ``backward`` and the optimizer's update included.
    """

    module: Any
    compile: Callable[[Callable[..., Any]], Callable[..., Any]]
    compiled: bool = False
    whole: bool = False

    def part(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Compile the function of a step that calls ``backward`` on what it returns."""
        return function if self.whole else self.compile(function)

    def step(self, step: Callable[[], Any]) -> Callable[[], Any]:
        """Compile a step where it can be compiled whole."""
        return self.compile(step) if self.whole else step


@dataclass(frozen=True)
class Case:
    """One workload, ready to be repeated.

    ``step()`` does the work once and returns when the result is there (asynchronous libraries must wait).
    ``number(result)`` reduces what ``step`` returned to one float, by which the peers are compared.
    """

    step: Callable[[], Any]
    number: Callable[[Any], float]


Builder = Callable[[Library], Case]


@dataclass(frozen=True)
class Row:
    """A row of the table that is measured inside the workers.

    ``builders`` maps a family of peers ("torch", "jax", "autograd", "mygrad", "tinygrad") to the function
    that builds the case; a family that is missing cannot express the workload. ``target`` is the ratio to
    torch eager that pullback's eager mode aims at. ``rounds`` bounds the samples of a row that is steady
    after fewer; ``compiled`` says whether compiling peers take part.
    """

    name: str
    title: str
    builders: Mapping[str, Builder]
    target: float | None = None
    unit: str = "µs"
    rounds: int | None = None
    compiled: bool = True

    @property
    def group(self) -> str:
        return self.name.partition("-")[0]


@dataclass(frozen=True)
class ProcessRow:
    """A row whose every sample needs a fresh process: ``python -m benchmarks.probe PROBE PEER``.

    One probe may feed several rows; ``key`` picks this row's figure from the JSON object that it prints.
    ``target`` is a bound on the figure of ``subject`` itself when ``target_is_absolute``, else on its ratio.
    The peers are those of ``families`` that do not compile, or those named in ``peers``. Before the
    ``rounds`` comes one that is not counted where ``warm`` says so.
    """

    name: str
    title: str
    probe: str
    key: str
    unit: str
    families: frozenset[str] = field(default_factory=frozenset)
    target: float | None = None
    target_is_absolute: bool = True
    subject: str = "pullback"
    peers: frozenset[str] = frozenset()
    rounds: int = 5
    warm: bool = True

    @property
    def group(self) -> str:
        return self.name.partition("-")[0]

    def takes(self, name: str, family: str, compiles: bool) -> bool:
        """Return whether a peer takes part."""
        return name in self.peers if self.peers else family in self.families and not compiles


AnyRow = Row | ProcessRow

"""`python -m pullback explain`: run an unmodified program and explain every call of `backward` in it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from .explanation import Explanation
from .record import IN_FULL, record
from .shown import Shown

USAGE = """\
usage: python -m pullback explain [--html FILE] [--json FILE] [--calls N]
                                  PROGRAM [ARG ...]

Runs a PyTorch program with `import torch` giving pullback, and explains every call of
backward and autograd.grad in it: values, Jacobians, the path. PROGRAM is what
`python -m pullback` takes: a file, -m MODULE or -c CODE.

  --html FILE  write them as one page for a browser
  --json FILE  write them as JSON
  --calls N    how many calls from one line to explain in full (default 10);
               of further ones a line each

Without --html and --json they are printed when the program has ended."""


class Options(NamedTuple):
    """Hold the options of the command line."""

    html: str | None = None
    json: str | None = None
    calls: int = IN_FULL


class WrongOption(Exception):
    """An option that is unknown, or lacks its value."""


def read_options(arguments: Sequence[str]) -> tuple[Options, list[str]]:
    """Return the options before the program, and the program with its own arguments.

    Raises
    ------
    WrongOption
    """
    values: dict[str, str] = {}
    rest = list(arguments)
    while rest and rest[0].startswith("--"):
        name, sign, value = rest.pop(0)[2:].partition("=")
        if name not in Options._fields:
            raise WrongOption(f"unknown option --{name}")
        if not sign:
            if not rest:
                raise WrongOption(f"argument expected for the --{name} option")
            value = rest.pop(0)
        values[name] = value
    calls = values.get("calls", str(IN_FULL))
    if not calls.isdecimal():
        raise WrongOption(f"--calls takes a number, not {calls!r}")
    return Options(values.get("html"), values.get("json"), int(calls)), rest


@contextmanager
def explained(options: Options) -> Iterator[None]:
    """Within: calls are recorded; at the end, also of a program that failed, they are reported."""
    recording = record(options.calls)
    try:
        with recording:
            yield
    finally:
        report(recording.explanations, options)


def report(explanations: Sequence[Explanation], options: Options) -> None:
    """Write the explanations where the options say."""
    if options.html is None and options.json is None:
        sys.stdout.flush()
        sys.stdout.write(printed(explanations))
        sys.stdout.flush()
        return
    data = [explanation.to_dict() for explanation in explanations]
    if options.html is not None:
        from .page import page_of

        Path(options.html).write_text(page_of(data), encoding="utf-8")
    if options.json is not None:
        import json

        Path(options.json).write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")


def printed(explanations: Sequence[Explanation]) -> str:
    """Return all explanations as text; of those in brief a line each."""
    if not explanations:
        return "\nNo call of backward or autograd.grad was made.\n"
    parts = []
    for number, explanation in enumerate(explanations, 1):
        if explanation.steps or explanation.notes:
            parts.append(f"\n── call {number} ".ljust(101, "─"))
            parts.append(str(explanation))
        else:
            parts.append(in_a_line(number, explanation))
    return "\n".join(parts) + "\n"


def in_a_line(number: int, explanation: Explanation) -> str:
    """Return the call, its outputs and the norms of its gradients."""
    call = explanation.call
    outputs = ", ".join(f"{o.name} = {_brief(o.value)}" for o in explanation.outputs)
    gradients = ", ".join(f"|{leaf.name}| {_norm(leaf.gradient)}" for leaf in explanation.leaves[:4])
    more = f" and {len(explanation.leaves) - 4} more" if len(explanation.leaves) > 4 else ""
    return f"── call {number}, line {call.line}: {outputs}; gradients {gradients}{more}"


def _brief(value: Shown | None) -> str:
    if value is None:
        return "…"
    return f"{value.array.item():.6g}" if value.array is not None and value.array.size == 1 else str(
        list(value.shape)
    )  # fmt: skip


def _norm(value: Shown | None) -> str:
    return "none" if value is None else f"{value.norm:.4g}"

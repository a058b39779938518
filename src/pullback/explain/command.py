"""Define `python -m pullback explain`: run an unmodified program and explain each `backward` in it."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from .answer import Answer
from .explanation import Explanation
from .findings.collected import MOST
from .raised import why_error
from .record import IN_FULL, Recording

USAGE = """\
usage: python -m pullback explain [--full] [--every N] [--html FILE] [--json FILE]
                                  [--calls N] PROGRAM [ARG ...]

Runs a PyTorch program with `import torch` giving pullback. When it has ended, prints
what is wrong in it: place, cause and mend, a line each; then a summary of its calls of
backward and autograd.grad. PROGRAM is what `python -m pullback` takes: a file,
-m MODULE or -c CODE.

  --full       then explain every call: values, Jacobians, the path
  --every N    look at the layers in every N-th step: curves of gradients, updates and
               dead units, on the page of --html (default explain.html)
  --html FILE  write the explanations as one page for a browser
  --json FILE  write them as JSON
  --calls N    how many calls from one line to explain in full (default 10);
               of further ones the loss only"""

#: Lines of the summary.
MOST_LINES = 10


class Options(NamedTuple):
    """Hold the options of the command line."""

    html: str | None = None
    json: str | None = None
    calls: int = IN_FULL
    full: bool = False
    every: int | None = None


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
        if name == "full":
            values[name] = "yes"
            continue
        if not sign:
            if not rest:
                raise WrongOption(f"argument expected for the --{name} option")
            value = rest.pop(0)
        values[name] = value
    calls = values.get("calls", str(IN_FULL))
    if not calls.isdecimal():
        raise WrongOption(f"--calls takes a number, not {calls!r}")
    every = values.get("every")
    if every is not None and (not every.isdecimal() or int(every) < 1):
        raise WrongOption(f"--every takes a number from 1 on, not {every!r}")
    html = values.get("html", None if every is None else "explain.html")
    return Options(
        html, values.get("json"), int(calls), "full" in values, None if every is None else int(every)
    ), rest


@contextmanager
def explained(options: Options) -> Iterator[None]:
    """Record calls within the block, and report them at the end, also of a program that failed."""
    recording = Recording(options.calls, every=options.every)
    error: BaseException | None = None
    try:
        with recording:
            yield
    except BaseException as raised:
        error = raised
        raise
    finally:
        report(recording, options, error)


def report(recording: Recording, options: Options, error: BaseException | None = None) -> None:
    """Write the findings, and the explanations where the options say."""
    explanations = recording.explanations
    sys.stdout.flush()
    sys.stdout.write(told(findings_of(recording, error)))
    if options.full:
        sys.stdout.write(printed(explanations))
    else:
        sys.stdout.write(summary(explanations, recording.failures))
    sys.stdout.flush()
    if options.html is None and options.json is None:
        return
    if options.html is not None:
        Path(options.html).write_text(recording.page(findings_of(recording, error)), encoding="utf-8")
        if options.every is not None:
            sys.stdout.write(f"\nThe curves of the run are in {options.html}\n")
    if options.json is not None:
        import json

        data = [explanation.to_dict() for explanation in explanations]
        Path(options.json).write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")


def findings_of(recording: Recording, error: BaseException | None) -> list[Answer]:
    """Return what is wrong, the error that ended the program first."""
    found = list(recording.findings)
    if isinstance(error, Exception):
        answer = why_error(error)
        found = [answer, *(f for f in found if (f.kind, f.place) != (answer.kind, answer.place))]
    return found


def told(findings: Sequence[Answer]) -> str:
    """Return the findings as text, a line each."""
    if not findings:
        return "\nNothing was found to be wrong.\n"
    lines = [f"{number}. {answer.in_a_line()}" for number, answer in enumerate(findings[:MOST], 1)]
    if len(findings) > MOST:
        lines.append(f"… and {len(findings) - MOST} more")
    return "\n".join(["\nWhat is wrong, the gravest first:", *lines, ""])


def summary(explanations: Sequence[Explanation], failures: Sequence[str] = ()) -> str:
    """Return at most ten lines: for each line that calls backward how often, the loss, and the gradients."""
    if not explanations:
        return "\nNo call of backward or autograd.grad was made.\n"
    by_line: dict[tuple[str, int], list[Explanation]] = {}
    for explanation in explanations:
        by_line.setdefault((explanation.call.file, explanation.call.line), []).append(explanation)
    lines = []
    for calls in list(by_line.values())[: MOST_LINES - 2]:
        first = calls[0].call
        losses = [loss for call in calls if (loss := _loss(call)) is not None]
        times = "once" if len(calls) == 1 else f"{len(calls)} times"
        text = f"  line {first.line}: {first.code or first.kind}, {times}"
        if losses:
            text += f"; loss {losses[0]:.4g}" + (f" → {losses[-1]:.4g}" if len(losses) > 1 else "")
        last = next((call for call in reversed(calls) if call.leaves), None)
        norms = [leaf.gradient.norm for leaf in last.leaves if leaf.gradient is not None] if last else []
        if norms:
            text += f"; gradients of {len(norms)} leaves, norms {min(norms):.3g} to {max(norms):.3g}"
        lines.append(text)
    notes = dict.fromkeys(n for e in explanations for n in e.notes if n.startswith("Not explained"))
    notes |= dict.fromkeys(failures)
    lines += [f"  {note}" for note in list(notes)[:2]]
    more = len(by_line) - (MOST_LINES - 2)
    if more > 0:
        lines.append(f"  … and {more} more lines that call backward")
    return "\n".join(["\nCalls of backward (`--full` explains each, `--html FILE` draws them):", *lines, ""])


def _loss(explanation: Explanation) -> float | None:
    if explanation.loss is not None:
        return explanation.loss
    value = explanation.outputs[0].value if explanation.outputs else None
    if value is None or value.array is None or value.array.size != 1:
        return None
    return float(value.array.reshape(()).astype("float64"))


def printed(explanations: Sequence[Explanation]) -> str:
    """Return explanations as text: of each line that calls backward the first in full."""
    if not explanations:
        return "\nNo call of backward or autograd.grad was made.\n"
    parts = []
    seen: set[tuple[str, int]] = set()
    brief: list[tuple[int, Explanation]] = []
    for number, explanation in enumerate(explanations, 1):
        line = (explanation.call.file, explanation.call.line)
        if line in seen or (not explanation.steps and not explanation.notes):
            brief.append((number, explanation))
            continue
        seen.add(line)
        parts += _mentioned(brief)
        brief = []
        if explanation.steps or explanation.notes:
            parts.append(f"\n── call {number} ".ljust(101, "─"))
            parts.append(str(explanation))
    parts += _mentioned(brief)
    return "\n".join(parts) + "\n"


def _mentioned(brief: Sequence[tuple[int, Explanation]]) -> list[str]:
    """Return a line for the calls from each line that were only mentioned: their losses."""
    by_line: dict[int, list[tuple[int, Explanation]]] = {}
    for number, call in brief:
        by_line.setdefault(call.call.line, []).append((number, call))
    texts = []
    for line, calls in by_line.items():
        losses = [loss for _, call in calls if (loss := _loss(call)) is not None]
        first, last = calls[0][0], calls[-1][0]
        text = f"── {f'call {first}' if first == last else f'calls {first} to {last}'}, line {line}"
        if losses:
            text += f": loss {losses[0]:.6g}"
        if len(losses) > 1:
            text += f" → {losses[-1]:.6g}, from {min(losses):.6g} to {max(losses):.6g}"
        texts.append(text)
    return texts

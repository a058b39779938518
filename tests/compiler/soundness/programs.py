"""Read tables of small programs and run each twice, as it is and compiled.

A table is a text. Each of its programs has a head, ``=== name: flags``, and sections:

- the source, which makes the state and defines ``step``,
- ``--- call``: the arguments of call `n`, as they would stand in ``step(...)``; one tensor without it,
- ``--- change 3``: what happens between call 2 and call 3 (``--- change``: before each call, with `n`),
- ``--- thread 3``: the same, by another thread,
- ``--- state``: expressions whose values are compared after each call,
- ``--- after``: what puts things back that outlive a program.

``step`` is compiled; where the source itself says ``compiled(...)``, what that was given is. Call 0 is the
first; a change before call 0 happens after ``step`` was compiled. `last` is the result of the last call.

Flags: ``compiles`` says that nothing in the program is unknown to a compiler, so it must run compiled;
``raises`` that calls may raise; ``drop`` that results must not be kept alive for the comparison;
``unsigned`` that the signs of zeros are not compared, as the sum of gradients may have either.
"""

from __future__ import annotations

import contextvars
import linecache
import logging
import random
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

import numpy as np

from .describing import ADDRESS, Describer, differences
from .surroundings import surroundings

#: Calls of a program.
CALLS = 7
FLAGS = {"compiles", "raises", "drop", "unsigned"}
SECTIONS = {"call", "change", "thread", "state", "after"}
#: What every program finds imported.
IMPORTS = "\n".join(
    f"import {name}" for name in (
        "abc", "array", "builtins", "collections", "contextlib", "contextvars", "copy", "dataclasses",
        "datetime", "decimal", "enum", "fractions", "functools", "io", "itertools", "logging", "math",
        "operator", "os", "pathlib", "random", "string", "sys", "threading", "types", "typing", "warnings",
        "weakref", "numpy as np",
    )
)  # fmt: skip
#: Compiled once: a tenth of the time that a program takes.
IMPORTED = compile(IMPORTS, "<imports>", "exec", dont_inherit=True)


@dataclass(frozen=True)
class Program:
    """One program of a table."""

    name: str
    flags: frozenset[str]
    source: str
    call: str = "torch.arange(1.0, 4.0) + n"
    #: By the call before which it happens, or None for each; whether by another thread; what.
    changes: tuple[tuple[int | None, bool, str], ...] = ()
    state: str = ""
    after: str = ""
    calls: int = CALLS

    @property
    def compiles(self) -> bool:
        """Whether it must run compiled."""
        return "compiles" in self.flags


def read(text: str) -> list[Program]:
    """Read a table."""
    found = []
    for part in text.split("\n=== ")[1:]:
        head, _, body = part.partition("\n")
        name, _, flags = head.partition(":")
        source, *sections = ("\n" + body).split("\n--- ")
        values: dict[str, Any] = {}
        changes = []
        for section in sections:
            title, _, content = section.partition("\n")
            kind, *calls = title.split()
            if kind not in SECTIONS:
                raise ValueError(f"{name}: what is the section {title!r}?")
            if kind in ("change", "thread"):
                for call in calls or [None]:
                    changes.append((None if call is None else int(call), kind == "thread", content))
            else:
                values[kind] = content.strip()
        if unknown := set(flags.split()) - FLAGS:
            raise ValueError(f"{name}: what are the flags {unknown}?")
        values["changes"] = tuple(changes)
        found.append(Program(name.strip(), frozenset(flags.split()), source, **values))
    return found


@dataclass
class Run:
    """What a program did.

    Attributes
    ----------
    records : list of dict
        By call: descriptions of its result or error, arguments, state, output, warnings and random states.
    native : int
        Calls after which there was a native program, and nothing had been given up.
    eager_because : str or None
    notices : list of str
        Warnings of the compiler that something runs eagerly.
    made : int
        How many things were compiled.
    """

    records: list[dict[str, Any]] = field(default_factory=list)
    native: int = 0
    eager_because: str | None = None
    notices: list[str] = field(default_factory=list)
    made: int = 0


class _Records(logging.Handler):
    """Collect log records of the program, not those of libraries."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        if not record.name.startswith(("torch", "pullback")):
            self.found.append((record.levelname, record.getMessage()))


def run(program: Program, torch: Any, compiler: Callable[[Any], Any] | None = None) -> Run:
    """Run a program in a module and a context of its own, compiled if a compiler is given."""
    with surroundings(torch):
        return contextvars.copy_context().run(_run, program, torch, compiler)


def _run(program: Program, torch: Any, compiler: Callable[[Any], Any] | None) -> Run:
    made: list[Any] = []

    def compiled(function: Any) -> Any:
        result = function if compiler is None else compiler(function)
        made.append(result)
        return result

    module = types.ModuleType("program")
    names = module.__dict__
    names.update(torch=torch, nn=torch.nn, F=torch.nn.functional, compiled=compiled, last=None)
    names["take"] = _taken
    sys.modules["program"] = module
    found = Run()
    output, log = StringIO(), _Records()
    logging.getLogger().addHandler(log)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        sys.stdout = output
        try:
            exec(IMPORTED, names)
            _execute(program.source, names, program.name)
            if not made:
                names["step"] = compiled(names["step"])
            describe = Describer(torch, keep="drop" not in program.flags)
            arguments = compile(f"take({program.call})", f"<{program.name}: call>", "eval", dont_inherit=True)
            results = []
            for n in range(program.calls):
                _change(program, names, n)
                describe.begin()
                record, result = _called(names, arguments, describe, "drop" in program.flags)
                if "drop" not in program.flags:
                    results.append(result)
                    names["last"] = result
                del result
                record["state"] = _state(program, names, describe)
                record["random"] = _random(torch)
                record["output"] = output.getvalue()
                record["log"] = tuple(log.found)
                record["warnings"] = _heard(heard, found)
                found.records.append(record)
                found.native += _is_native(made)
            # Later calls must not write over what earlier ones gave.
            found.records.append({"results at the end": _described(describe, results)})
        finally:
            if program.after:
                _execute(program.after, names, f"{program.name}: after")
    found.made = len(made)
    natives = [native for each in made if (native := native_of(each)) is not None]
    found.eager_because = next((n.eager_because for n in natives if n.eager_because is not None), None)
    return found


def _execute(source: str, names: dict[str, Any], title: str) -> None:
    # `inspect.getsource` finds the program, as in a file.
    file = f"<{title}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec", dont_inherit=True), names)


def _change(program: Program, names: dict[str, Any], n: int) -> None:
    names["n"] = n
    for call, by_thread, source in program.changes:
        if call is not None and call != n:
            continue
        if not by_thread:
            _execute(source, names, f"{program.name}: change")
            continue
        failed: list[BaseException] = []

        def other(source: str = source, failed: list[BaseException] = failed) -> None:
            try:
                _execute(source, names, f"{program.name}: thread")
            except Exception as error:  # noqa: BLE001  # it is raised below
                failed.append(error)

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        if failed:
            raise failed[0]


def _taken(*args: Any, **kwargs: Any) -> Any:
    return args, kwargs


def _called(
    names: dict[str, Any], arguments: types.CodeType, describe: Describer, drop: bool
) -> tuple[dict[str, Any], Any]:
    """Do one call."""
    given = eval(arguments, names)
    step, result = names["step"], None
    record: dict[str, Any] = {"error": None}
    try:
        result = step(*given[0], **given[1])
    except (Exception, SystemExit) as error:  # noqa: BLE001  # the class and the text are compared
        record["error"] = (*_raised(error), tuple(_raised(e) for e in _causes(error)))
    record["result"] = _described(describe, result)
    record["arguments"] = () if drop else _described(describe, given)
    return record, result


def _described(describe: Describer, value: Any) -> Any:
    try:
        return describe(value)
    except Exception as error:  # noqa: BLE001  # a value that cannot be read is what a run left
        return _raised(error)


def _raised(error: BaseException) -> tuple[str, str]:
    return type(error).__qualname__, ADDRESS.sub("0x", str(error))


def _causes(error: BaseException) -> Iterator[BaseException]:
    while error.__cause__ is not None:
        error = error.__cause__
        yield error


def _state(program: Program, names: dict[str, Any], describe: Describer) -> Any:
    if not program.state:
        return None
    try:
        return describe(eval(f"({program.state},)", names))
    except Exception as error:  # noqa: BLE001  # an attribute that is gone is a state
        return _raised(error)


def _random(torch: Any) -> tuple[int, ...]:
    legacy = np.random.get_state()
    drawn = torch.get_rng_state().numpy().tobytes()
    return hash(random.getstate()), hash((legacy[1].tobytes(), *legacy[2:])), hash(drawn)


def _heard(heard: list[Any], found: Run) -> tuple[tuple[str, str], ...]:
    """Return the warnings up to now but for the compiler's own, which are noted."""
    kept = []
    found.notices.clear()
    for warning in heard:
        text = str(warning.message)
        if text.startswith("compile: ") and " runs eagerly: " in text:
            found.notices.append(text)
        elif "torch/" not in warning.filename or "pullback" in warning.filename:
            kept.append((warning.category.__name__, text))
    return tuple(kept)


def native_of(compiled: Any) -> Any:
    """Return the compiler's own record of a compiled function or module."""
    own = getattr(compiled, "__dict__", {})
    # A compiled module is called by way of a compiled function.
    return own["_native"] if "_native" in own else getattr(own.get("_call"), "_native", None)


def _is_native(made: list[Any]) -> bool:
    # A compiled function that is called by a compiled one may be part of its program.
    natives = [native_of(each) for each in made]
    return all(n is not None and n.eager_because is None for n in natives) and any(
        n.specializations for n in natives
    )


@dataclass
class Verdict:
    """What comes of comparing the two runs of a program."""

    program: Program
    differences: list[str]
    native: int
    eager_because: str | None
    notices: list[str]
    #: How many things were compiled; in how many calls the program itself raises.
    made: int = 1
    raised: int = 0

    @property
    def compiled(self) -> bool:
        """Whether it ran compiled to its end."""
        return self.eager_because is None and self.native > 0

    @property
    def complaints(self) -> list[str]:
        """What is not as it must be."""
        found = list(self.differences)
        if len(self.notices) > self.made:
            found.append(f"{len(self.notices)} warnings: {self.notices}")
        if self.eager_because is not None and not self.notices:
            found.append(f"it runs eagerly without a warning: {self.eager_because}")
        if self.program.compiles and not self.compiled and self.raised < self.program.calls:
            found.append(f"it must compile, and runs eagerly: {self.eager_because}")
        return found


def compare(program: Program, torch: Any, compiler: Callable[[Any], Any]) -> Verdict:
    """Run a program eagerly and compiled, and tell the differences."""
    expected = run(program, torch)
    raised = [record["error"] for record in expected.records if record.get("error")]
    if raised and "raises" not in program.flags:
        raise ValueError(f"{program.name}: the program itself raises {raised[0]}")
    got = run(program, torch, compiler)
    found: list[str] = []
    for n, (mine, theirs) in enumerate(zip(expected.records, got.records, strict=True)):
        for key, value in mine.items():
            found += differences(value, theirs[key], f"call {n}: {key}", "unsigned" not in program.flags)
        if len(found) > 3:
            break
    return Verdict(program, found[:4], got.native, got.eager_because, got.notices, got.made, len(raised))

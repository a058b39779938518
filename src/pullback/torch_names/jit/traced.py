"""Define traced functions and modules: what `torch.jit.trace` gives, and what `torch.jit.load` reads.

What is traced runs as a program of its own: control flow in Python is what it was on the example inputs, and
a module is as it was then, in training or not. Sizes may be others: when a call first brings one, the model
is traced again at several sizes, to learn what follows from them. Where that is not clear, the function that
was traced does such calls.
"""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ...core.warn import warn
from ...nn import Module
from ..export import files
from ..export.dynamic_shapes import Labels, capture
from ..export.example_trace import Example
from ..export.exported_program import ProgramModule
from ..export.replay import Replay
from ..export.varying import Family
from ..structure import named_tensors

_tracing: ContextVar[bool] = ContextVar("pullback_jit_tracing", default=False)

_WARNING = (
    "Converting a tensor to a Python value might cause the trace to be incorrect. We can't record the data "
    "flow of Python values, so this value will be treated as a constant in the future. This means that the "
    "trace might not generalize to other inputs!"
)


def is_tracing() -> bool:
    """Return whether `torch.jit.trace` is running a function."""
    return _tracing.get()


@contextmanager
def running() -> Iterator[None]:
    """Say that a function is being traced, for a ``with`` block."""
    token = _tracing.set(True)
    try:
        yield
    finally:
        _tracing.reset(token)


class TracerWarning(Warning):
    """Warn that a traced program depends on a value."""

    __module__ = "torch.jit"


class ScriptModule(Module):
    """Stand for what torch's `script` makes of a module; pullback's gives the module itself."""


class RecursiveScriptModule(ScriptModule):
    """Stand for what torch's `script` makes of a module; pullback's gives the module itself."""


class TracedModule(ScriptModule):
    """Stand for a part of a traced module."""


class TopLevelTracedModule(ProgramModule, TracedModule):
    """A module as a program.

    Parameters
    ----------
    family : Family
    state : mapping of str to tensor
    name : str
        What it was traced from.
    call : (callable, tuple, dict), optional
        The function and the example inputs, to trace it at other sizes.
    """

    def __init__(
        self, family: Family, state: Mapping[str, Any], name: str, dynamic: Labels | None = None,
        call: tuple[Any, tuple[Any, ...], dict[str, Any]] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(family, state)
        self.original_name = name
        self._dynamic: Labels = dynamic or {}
        self._call = call
        # Not a part of the module: its parameters are there already.
        self.__dict__["_function"] = None if call is None else call[0]

    def extra_repr(self) -> str:
        """Return what it was traced from."""
        return f"original_name={self.original_name}"

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program."""
        if self._call is not None:
            given = [t for _, t in named_tensors([*args, *kwargs.values()], "")]
            example = self._family.example
            if [t.shape for t in given] != [t.shape for t in example.arguments]:
                self._generalize()
        try:
            return super().forward(*args, **kwargs)
        except AssertionError:
            if self._function is None:
                raise
        return self._function(*args, **kwargs)

    def _generalize(self) -> None:
        """Trace the function at several sizes of all axes; where that does not go, of the first ones."""
        assert self._call is not None
        function, args, kwargs = self._call
        self._call = None

        def every(example: Example) -> Labels:
            return {
                path: {axis: f"{path}_dim_{axis}" for axis in range(t.dim())}
                for path, t in zip(example.paths, example.arguments, strict=True)
            }

        def first(example: Example) -> Labels:
            return {path: {0: "batch"} for path in example.paths}

        for find in (every, first):
            try:
                with running():
                    family, dynamic = capture(function, args, kwargs, find)
                self._replay = Replay(family)
            except (RuntimeError, ValueError, IndexError):
                continue
            self._family, self._dynamic = family, dynamic
            return

    @property
    def code(self) -> str:
        """Return the program as Python."""
        return str(self._family.example.program)

    @property
    def graph(self) -> Any:
        """Return the program as a graph of `torch.fx`."""
        from ..export.graph import Writer

        return Writer(self._family).graph

    inlined_graph = graph

    def save(self, f: Any, _extra_files: Mapping[str, Any] | None = None) -> None:
        """Write the program and its tensors to a file, which `torch.jit.load` reads."""
        if self._call is not None:
            self._generalize()
        about = {"name": self.original_name}
        state = {name: self._held(name) for name in self._family.example.state}
        files.save(f, self._family.traces, self._dynamic, state, about, _extra_files)

    def save_to_buffer(self, _extra_files: Mapping[str, Any] | None = None) -> bytes:
        """Return what `save` writes."""
        import io

        memory = io.BytesIO()
        self.save(memory, _extra_files)
        return memory.getvalue()


class ScriptFunction:
    """A function as a program."""

    __module__ = "torch.jit"

    def __init__(self, module: TopLevelTracedModule, function: Any = None) -> None:
        self._module = module
        self.name = self.__name__ = module.original_name
        self.__doc__ = getattr(function, "__doc__", None)
        self.__wrapped__ = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._module(*args, **kwargs)

    @property
    def code(self) -> str:
        """Return the program as Python."""
        return self._module.code

    @property
    def graph(self) -> Any:
        """Return the program as a graph of `torch.fx`."""
        return self._module.graph

    def save(self, f: Any, _extra_files: Mapping[str, Any] | None = None) -> None:
        """Write the program to a file, which `torch.jit.load` reads."""
        self._module.save(f, _extra_files)

    def save_to_buffer(self, _extra_files: Mapping[str, Any] | None = None) -> bytes:
        """Return what `save` writes."""
        return self._module.save_to_buffer(_extra_files)


def traced(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return a function or module as a program; as it is, with a warning, where it cannot be written down."""
    owner = function if isinstance(function, Module) else None
    name = type(function).__name__ if owner is not None else getattr(function, "__name__", "function")
    try:
        with running():
            family, _ = capture(function, args, kwargs, lambda example: {})
    except (RuntimeError, NotImplementedError) as error:
        warn(
            f"torch.jit.trace: {name} cannot be written down as a program ({error}); the Python callable is "
            "used as it is.", TracerWarning
        )
        return function
    for file, line, _ in family.example.asked:
        warnings.warn_explicit(_WARNING, TracerWarning, file, line)
    module = TopLevelTracedModule(family, family.example.state, name, call=(function, args, kwargs))
    return ScriptFunction(module, function) if owner is None else module.train(owner.training)


def loaded(f: Any, extra: dict[str, Any] | None) -> TopLevelTracedModule:
    """Read what `save` has written."""
    saved = files.load(f, extra)
    return TopLevelTracedModule(saved.family, saved.state, str(saved.extra.get("name")), saved.dynamic)


for _class in (ScriptModule, RecursiveScriptModule, TracedModule, TopLevelTracedModule):
    _class.__module__ = "torch.jit"

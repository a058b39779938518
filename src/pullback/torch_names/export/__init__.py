"""torch.export: a model as a program apart from its Python, to be looked at, run, and kept in a file.

A model is traced on example inputs. Which numbers of the program follow from a size that may change
(`dynamic_shapes`) is found out by tracing it at three sizes and comparing.
"""

from collections.abc import Mapping
from typing import Any

from ...errors import with_note
from ...nn import Module
from . import dynamic_shapes as dynamic_shapes
from . import exported_program as exported_program
from . import files as _files
from . import graph_signature as graph_signature
from .dynamic_shapes import Dim, dims
from .exported_program import ExportedProgram
from .graph_signature import ExportGraphSignature


def export(
    mod: Module, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None, *,
    dynamic_shapes: Any = None, strict: bool = False,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
) -> ExportedProgram:  # fmt: skip
    """Trace a module on example inputs.

    Parameters
    ----------
    mod : Module
        It is traced as it is: call ``eval()`` before, to have it as it evaluates.
    args, kwargs
        Example inputs.
    dynamic_shapes : dict, tuple or list, optional
        By argument, the axes whose size may change: ``{"x": {0: Dim("batch")}}``. Sizes of one name are one
        size; ``Dim.AUTO`` and ``Dim.DYNAMIC`` have none.
    strict, preserve_module_call_signature, prefer_deferred_runtime_asserts_over_guards
        Taken for torch's sake.

    Raises
    ------
    RuntimeError
        Python decides by a number that follows from the inputs, or the module does something else for other
        sizes of `dynamic_shapes`. A note says where.
    """
    from .dynamic_shapes import capture, labels

    if not isinstance(mod, Module):
        raise ValueError(f"Expected `mod` to be an instance of `torch.nn.Module`, got {type(mod)}.")
    if not isinstance(args, tuple):
        raise ValueError(f"Expecting `args` to be a tuple of example positional inputs, got {type(args)}.")
    named = dict(kwargs or {})
    family, dynamic = capture(mod, args, named, lambda _: labels(mod, args, named, dynamic_shapes))
    if family.example.asked:
        places = "\n".join(f"  {file}:{line}, in {name}" for file, line, name in family.example.asked)
        raise with_note(
            RuntimeError("Could not guard on data-dependent expression"),
            f"Python reads numbers that follow from the inputs:\n{places}\nWrite it in operations on tensors "
            "(torch.where, torch.cond).",
        )
    return ExportedProgram(family, dynamic, family.example.state, (args, named))


def save(
    ep: ExportedProgram, f: Any, *, extra_files: Mapping[str, Any] | None = None,
    opset_version: Mapping[str, int] | None = None, pickle_protocol: int = 2,
) -> None:  # fmt: skip
    """Write an exported program to a file, which pullback reads.

    Parameters
    ----------
    ep : ExportedProgram
    f : path or binary file
    extra_files : mapping of str to str, optional
        Further texts by name.
    opset_version, pickle_protocol
        Taken for torch's sake.
    """
    if not isinstance(ep, ExportedProgram):
        raise TypeError(
            f"The 'ep' parameter must be an instance of 'ExportedProgram', got '{type(ep).__name__}' instead."
        )
    _files.save(f, ep._family.traces, ep._dynamic, ep.state_dict, {}, extra_files)


def load(
    f: Any, *, extra_files: dict[str, Any] | None = None,
    expected_opset_version: Mapping[str, int] | None = None,
) -> ExportedProgram:  # fmt: skip
    """Read an exported program that `save` has written. Nothing in the file is executed.

    Parameters
    ----------
    f : path or binary file
    extra_files : dict, optional
        Its keys name texts of the file, which are put into it.
    expected_opset_version
        Taken for torch's sake.

    Raises
    ------
    RuntimeError
        It is no such file.
    """
    saved = _files.load(f, extra_files)
    for name, content in (extra_files or {}).items():
        if isinstance(content, bytes):
            extra_files[name] = content.decode()  # type: ignore[index]  # not None here
    return ExportedProgram(saved.family, saved.dynamic, saved.state)


__all__ = ["Dim", "ExportGraphSignature", "ExportedProgram", "dims", "export", "load", "save"]

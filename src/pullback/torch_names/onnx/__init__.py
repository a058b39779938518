"""torch.onnx: write models as ONNX files, which other runtimes load.

A model is traced on example inputs (see `torch.export`), and each op of the program is told in ONNX's ops by
a rule of `translation`. Both of torch's ways are taken: ``dynamo=True`` returns an `ONNXProgram`,
``dynamo=False`` writes a file.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from enum import Enum
from types import ModuleType
from typing import Any

from ...autograd.grad_mode import no_grad
from ...core.warn import warn
from ...errors import with_note
from ...nn import Module
from . import errors as errors
from . import symbolic_helper as symbolic_helper
from .errors import OnnxExporterError, OnnxExporterWarning
from .program import ONNXProgram


class TrainingMode(Enum):
    """Say whether a model is exported as it evaluates or as it trains."""

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class OperatorExportTypes(Enum):
    """Say which ops an exported model may have; pullback's are ONNX's own."""

    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


_exporting = False


def is_in_onnx_export() -> bool:
    """Return whether a model is being exported."""
    return _exporting


def export(
    model: Any, args: Any = (), f: Any = None, *, kwargs: dict[str, Any] | None = None,
    verbose: bool | None = None, input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None, opset_version: int | None = None, dynamo: bool = True,
    external_data: bool = True, dynamic_shapes: Any = None,
    custom_translation_table: dict[Callable[..., Any], Callable[..., Any]] | None = None,
    report: bool = False, optimize: bool = True, verify: bool = False, profile: bool = False,
    dump_exported_program: bool = False, artifacts_dir: Any = ".", export_params: bool = True,
    keep_initializers_as_inputs: bool = False, dynamic_axes: Mapping[str, Any] | None = None,
    training: TrainingMode = TrainingMode.EVAL,
    operator_export_type: OperatorExportTypes = OperatorExportTypes.ONNX, do_constant_folding: bool = True,
    custom_opsets: Mapping[str, int] | None = None, export_modules_as_functions: Any = False,
    autograd_inlining: bool = True,
) -> ONNXProgram | None:  # fmt: skip
    """Export a model to ONNX. Needs the package `onnx` (``pip install pullback[onnx]``).

    Parameters
    ----------
    model : Module, or callable
        Traced on `args` as it is; with ``dynamo=False`` in evaluation, unless `training` says otherwise.
    args : tuple or Tensor
        Example inputs. A dict at the end holds arguments by keyword.
    f : path or binary file, optional
        Where the model is written.
    kwargs : dict, optional
        Arguments by keyword.
    input_names, output_names : sequence of str, optional
        Names of the tensors among the arguments, and of the results.
    opset_version : int, optional
        The version of ONNX's ops, 18 by default. Up to 23 are written; for less than 18 the model is
        converted by `onnx`, where that can.
    dynamo : bool
        Whether the exported model is returned; otherwise it is only written to `f`.
    external_data : bool
        Whether the weights are written to a second file, ``<f>.data`` (``dynamo=True`` only).
    dynamic_shapes : dict or tuple, optional
        By parameter of the model, the axes whose size may change: ``{"x": {0: torch.export.Dim("batch")}}``.
    dynamic_axes : dict, optional
        The same by the name of the input: ``{"x": {0: "batch"}}`` or ``{"x": [0]}``.
    verify : bool
        Whether the model is run on `args` by onnxruntime and compared.
    export_params, keep_initializers_as_inputs : bool
        Whether the weights are in the model; whether they are inputs, too.
    training : TrainingMode
    verbose, custom_translation_table, report, optimize, profile, dump_exported_program, artifacts_dir,
    operator_export_type, do_constant_folding, custom_opsets, export_modules_as_functions, autograd_inlining
        Taken for torch's sake.

    Returns
    -------
    ONNXProgram
        With ``dynamo=True``, else None.

    Raises
    ------
    UnsupportedOperatorError
        ONNX has nothing for some operations; a note names them all, with lines of the program.
    OnnxExporterError
        Python decided by a number that follows from the inputs (``dynamo=True``; otherwise a warning).
    RuntimeError
        The model does something else for other sizes of `dynamic_shapes`.

    Notes
    -----
    Which numbers of the program follow from a size that may change is found out by tracing the model at
    three sizes and comparing.
    """
    global _exporting
    onnx = _package()
    from ..export.dynamic_shapes import axis_labels, capture, labels
    from ..export.exported_program import ExportedProgram
    from ..jit.traced import running
    from . import model as making

    if custom_translation_table:
        raise NotImplementedError("torch.onnx.export: custom_translation_table is not part of pullback")
    exported = model if isinstance(model, ExportedProgram) else None
    args = args if isinstance(args, tuple) else (args,)
    if not kwargs and args and isinstance(args[-1], dict):
        args, kwargs = args[:-1], args[-1]
    given, names = kwargs or {}, [*(input_names or ())]

    def find(example: Any) -> Any:
        if not dynamic_axes:
            return labels(model, args, given, dynamic_shapes)
        return axis_labels(example.paths, [*names, *example.paths[len(names) :]], dynamic_axes)

    _exporting = True
    try:
        mode = TrainingMode.PRESERVE if dynamo else training
        with select_model_mode_for_export(model, mode), no_grad(), nullcontext() if dynamo else running():
            if exported is None:
                captured, dynamic = capture(model, args, given, find)
            else:
                captured, dynamic = exported._family, exported._dynamic
    finally:
        _exporting = False
    _look_at_numbers(captured.example, dynamo)
    if captured.example.mutated and not dynamo:
        warn(
            f"The model writes to {', '.join(captured.example.mutated)}, which the exported one does not.",
            OnnxExporterWarning
        )
    opset = making.opset_of(opset_version)
    translation = making.Translation(onnx, captured, dynamic, names, output_names or (), opset)
    proto = translation.model(export_params, keep_initializers_as_inputs)
    proto = making.with_opset(onnx, proto, opset_version)
    result = ONNXProgram(proto, exported)
    if verify:
        _verify(result, model if exported is None else exported.module(), args, given)
    if f is not None:
        result.save(f, external_data=external_data if dynamo else None)
    return result if dynamo else None


def _package() -> ModuleType:
    try:
        importlib.import_module("onnx.numpy_helper")
        return importlib.import_module("onnx")
    except ModuleNotFoundError as error:
        raise with_note(
            ModuleNotFoundError("torch.onnx.export needs the package onnx, which is not installed"),
            "Install it: pip install 'pullback[onnx]'.",
        ) from error


@contextmanager
def select_model_mode_for_export(model: Any, mode: TrainingMode) -> Iterator[None]:
    """Have a model train or evaluate in a ``with`` block; each of its parts is then as before."""
    switched = isinstance(model, Module) and mode is not TrainingMode.PRESERVE
    before = [(m, m.training) for m in model.modules()] if switched else []
    if switched:
        model.train(mode is TrainingMode.TRAINING)
    try:
        yield
    finally:
        for module, training in before:
            module.training = training


def _look_at_numbers(example: Any, strict: bool) -> None:
    """Say where Python decided by numbers that other inputs would have made others."""
    if not example.asked:
        return
    places = "\n".join(f"  {file}:{line}, in {name}" for file, line, name in example.asked)
    text = "the model reads numbers of its inputs in Python, and would go another way for other inputs"
    if strict:
        raise with_note(
            OnnxExporterError(f"torch.onnx.export: {text}"),
            f"{places}\nWrite it in operations on tensors (torch.where), or pass dynamo=False to have the "
            "examples' numbers built in.",
        )
    warn(f"{text[0].upper()}{text[1:]}; the examples' numbers are built in:\n{places}", OnnxExporterWarning)


def _verify(result: ONNXProgram, model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    from ..structure import named_tensors
    from ..testing import assert_close

    with no_grad():
        expected = [t for _, t in named_tensors([model(*args, **kwargs)], "")]
    for found, wanted in zip(result(*args, **kwargs), expected, strict=True):
        assert_close(found, wanted, rtol=1e-3, atol=1e-4)


def register_custom_op_symbolic(
    symbolic_name: str, symbolic_fn: Callable[..., Any], opset_version: int
) -> None:
    """Take how an op of a library would be exported by TorchScript, which nobody asks for."""


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Forget it."""


__all__ = [
    "ONNXProgram", "OnnxExporterError", "OperatorExportTypes", "TrainingMode", "errors", "export",
    "is_in_onnx_export", "register_custom_op_symbolic", "select_model_mode_for_export", "symbolic_helper",
    "unregister_custom_op_symbolic",
]  # fmt: skip

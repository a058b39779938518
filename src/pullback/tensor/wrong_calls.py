"""What torch says of a call whose arguments fit none of a function's signatures.

Functions here check only what they need, so a wrong call fails somewhere inside, as Python has it. Only then
is the call read as torch's parser reads it, with the signatures that torch prints (`signatures.json`, written
by ``tools/record_signatures.py``): a right call costs nothing. What torch wrote in Python has no parser; what
its functions say of an argument that is no tensor was recorded (`tensor_arguments.json`, written by
``tools/record_tensor_arguments.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from ..core.value import TensorBase
from ..errors import type_name
from .signature import Parser

#: Functions that take a number where their signatures say Tensor.
NUMBERS_AS_TENSORS = frozenset({
    "add", "copy", "copy_", "div", "divide", "floor_divide", "mul", "multiply", "sub", "subtract", "to",
    "true_divide",
})  # fmt: skip


#: Functions of `torch.nn.functional` that are those of torch's top level.
OF_TOP_LEVEL = frozenset({
    "adaptive_avg_pool1d", "avg_pool1d", "bilinear", "celu_", "channel_shuffle", "conv1d", "conv2d", "conv3d",
    "conv_tbc", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "native_channel_shuffle",
    "pixel_shuffle", "pixel_unshuffle", "relu_", "rrelu_", "selu_", "threshold_",
})  # fmt: skip


def _beside(file: str) -> Any:
    # Imported by the first wrong call: with what they import they take 4 of the package's 75 ms.
    import json
    from pathlib import Path

    return json.loads(Path(__file__).with_name(file).read_text("utf-8"))


@cache
def _signatures() -> dict[str, dict[str, list[str]]]:
    return _beside("signatures.json")


@cache
def _tensor_arguments() -> dict[str, dict[str, tuple[int, bool, str, str]]]:
    return _beside("tensor_arguments.json")


@cache
def _parser(place: str, name: str) -> Parser | None:
    texts = _signatures().get("" if place == "nn" and name in OF_TOP_LEVEL else place, {}).get(name)
    if texts is None:
        return None
    printed = f"{place}_{name}" if place in ("linalg", "fft", "special") else name
    numbers = name in NUMBERS_AS_TENSORS or name.removesuffix("_") in NUMBERS_AS_TENSORS
    return Parser(printed, *texts, numbers=numbers)


def deprecated_call(
    place: str, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[dict[str, Any], str] | None:
    """Read a call that torch takes by an older signature, such as ``add_(alpha, other)``.

    Returns
    -------
    (dict, str) or None
        The arguments by name, and torch's warning; None where no such signature fits.
    """
    parser = _parser(place, name)
    if parser is None:
        return None
    for signature in parser.signatures:
        bound = signature.match(args, kwargs) if signature.deprecated else None
        if bound is not None:
            instead = "".join(f"\n\t{name}{s.printed}" for s in parser.signatures if not s.deprecated)
            return bound, (
                f"This overload of {name} is deprecated:\n\t{name}{signature.printed}\nConsider using one of "
                f"the following signatures instead:{instead}"
            )
    return None


def no_tensor(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Exception | None:
    """Build the error of a function of `nn.functional` for the first argument that has to be a tensor and is
    none; None where all are.
    """
    for parameter, (place, optional, kind, text) in _tensor_arguments().get(name, {}).items():
        value = args[place] if place < len(args) else kwargs.get(parameter, TensorBase)
        if value is TensorBase or isinstance(value, TensorBase) or (optional and value is None):
            continue
        if kind == "TypeError":
            return TypeError(text.format(type_name(value)))
        attribute = text.split("'")[-2]
        if not hasattr(value, attribute):
            return AttributeError(text.format(type_name(value)), name=attribute, obj=value)
    return None


def wrong_call(place: str, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Exception | None:
    """Build torch's error for a call, or return None where the arguments fit.

    Parameters
    ----------
    place : str
        'Tensor' for a method, otherwise the namespace; torch's top level is ''.
    name : str
    args, kwargs
        What was given; of a method, without the tensor itself.
    """
    parser = _parser(place, name)
    if parser is None:
        return no_tensor(name, args, kwargs) if place == "nn" else None
    if parser.texts == ("()",):
        if kwargs:
            return TypeError(f"TensorBase.{name}() takes no keyword arguments")
        return TypeError(f"TensorBase.{name}() takes no arguments ({len(args)} given)") if args else None
    try:
        parser.bind(args, kwargs)
    except TypeError as error:
        return error
    return None

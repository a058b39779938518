"""The text of a tensor: what ``repr`` prints, equal to torch's to the character.

What this module must do:

- take bare arrays and finished texts, so that it needs no tensor class;
- write the elements as torch does: one format for all elements of a tensor, chosen from those that are shown;
- leave out the middle of large tensors, and read none of the elements that are left out;
- append what is not the usual (``dtype=``, ``requires_grad=``, ``grad_fn=``), wrapping at the line width;
- keep the print options.

The format of floating-point elements is chosen so. Only finite elements other than zero count; let ``low``
and ``high`` be their smallest and largest magnitude. If all of them are whole numbers they print as ``3.``,
otherwise with ``precision`` decimals. Scientific notation is chosen where ``high / low > 1000``,
``high > 1e8`` or ``low < 1e-4``; ``sci_mode`` overrules this. All are padded to the longest of those that
count, so an ``inf`` or ``nan`` may stand out; where none counts, zeros print as ``0.``. Every element is
formatted as the Python float equal to it.
"""

import math
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import numpy as np

from ..array import dtypes
from ..array.layout import as_pairs
from ..array.named_tuples import NamedTuple
from ..errors import with_note

# ----------------------------------------------------------------------------------------------------
# Print options
# ----------------------------------------------------------------------------------------------------


class PrintOptions(NamedTuple):
    """The options of :func:`set_printoptions`; the defaults are the profile ``default``."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}

_options = PrintOptions()


def set_printoptions(
    precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
    linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None,
) -> None:
    """Set how tensors print; what is None stays as it is, except ``sci_mode``.

    Parameters
    ----------
    precision : int, optional
        Digits after the decimal point.
    threshold : float, optional
        A tensor of more elements than this is summarised.
    edgeitems : int, optional
        Elements shown at each end of each dimension of a summarised tensor.
    linewidth : int, optional
        Columns after which lines wrap.
    profile : {'default', 'short', 'full'}, optional
        Values for the four options above; those given beside it win. As in torch, other names change nothing.
    sci_mode : bool, optional
        Whether to use scientific notation. None, also when left out, chooses by the elements.
    """
    global _options
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    base = _options if profile is None else PROFILES.get(profile, _options)
    _options = base._replace(**changes, sci_mode=sci_mode)


def get_printoptions() -> dict[str, Any]:
    """Return the print options in force, as a new dict."""
    return _options._asdict()


def printing_options() -> PrintOptions:
    """Return the options in force."""
    return _options


@contextmanager
def printoptions(**kwargs: Any) -> Iterator[None]:
    """Print with other options inside a ``with`` block; takes the arguments of :func:`set_printoptions`."""
    global _options
    saved = _options
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        _options = saved


# ----------------------------------------------------------------------------------------------------
# Elements
# ----------------------------------------------------------------------------------------------------


class _Cells:
    """The texts of elements in row-major order, and the width that the line breaking takes them to have."""

    __slots__ = ("texts", "width")

    def __init__(self, texts: Sequence[str], width: int) -> None:
        self.texts, self.width = texts, width


def _cells(elements: np.ndarray[Any, Any], dtype: dtypes.dtype, options: PrintOptions) -> _Cells:
    if dtype.is_complex:
        return _complex_cells(elements, options)
    if dtype.is_floating_point:
        return _float_cells(elements, options)
    texts = [str(element) for element in elements.ravel().tolist()]
    width = max(map(len, texts), default=1)  # none is left where edgeitems is negative
    return _Cells([text.rjust(width) for text in texts], width)


def _float_cells(elements: np.ndarray[Any, Any], options: PrintOptions) -> _Cells:
    with np.errstate(invalid="ignore"):  # uninitialised memory may hold signalling NaNs
        doubles = elements.astype(np.float64).ravel()
    finite = np.isfinite(doubles)
    counts = finite & (doubles != 0)
    magnitudes = np.abs(doubles[counts])
    whole = bool(np.all(magnitudes == np.floor(magnitudes)))
    scientific = False
    if magnitudes.size:
        low, high = float(magnitudes.min()), float(magnitudes.max())
        scientific = high / low > 1000.0 or high > 1e8 or low < 1e-4
        if options.sci_mode is not None:
            scientific = options.sci_mode
    if scientific:
        texts = [format(number, f".{options.precision}e") for number in doubles.tolist()]
    elif whole:
        texts = [
            f"{number:.0f}." if is_finite else str(number)
            for number, is_finite in zip(doubles.tolist(), finite.tolist(), strict=True)
        ]
    else:
        texts = [format(number, f".{options.precision}f") for number in doubles.tolist()]
    counted = zip(texts, counts.tolist(), strict=True)
    width = max((len(text) for text, does_count in counted if does_count), default=1)
    return _Cells([text.rjust(width) for text in texts], width)


def _complex_cells(elements: np.ndarray[Any, Any], options: PrintOptions) -> _Cells:
    parts = as_pairs(elements)
    real, imaginary = _float_cells(parts[..., 0], options), _float_cells(parts[..., 1], options)
    texts = []
    for real_text, imaginary_text in zip(real.texts, imaginary.texts, strict=True):
        unpadded = imaginary_text.lstrip()
        sign = "" if unpadded.startswith("-") else "+"
        texts.append(f"{real_text}{sign}{unpadded}j")
    return _Cells(texts, real.width + imaginary.width + 1)


# ----------------------------------------------------------------------------------------------------
# Layout
# ----------------------------------------------------------------------------------------------------


def contents_text(
    array: np.ndarray[Any, Any], dtype: dtypes.dtype, indent: int, options: PrintOptions
) -> str:
    """Return the elements of ``array``, which is not empty, in brackets that open at column ``indent``."""
    if not array.ndim:
        return _cells(array, dtype, options).texts[0]
    summarised = array.size > options.threshold
    if summarised and options.edgeitems == 0:
        return "[...]"
    gaps: list[int | None] = [None] * array.ndim
    long = [axis for axis, size in enumerate(array.shape) if size > 2 * options.edgeitems]
    if summarised and long:
        if options.edgeitems < 0 and array.ndim > 1:
            raise with_note(
                RuntimeError("stack expects a non-empty TensorList"),
                "The print option edgeitems is negative; mend it with set_printoptions(edgeitems=3).",
            )
        shown = []
        for axis in long:
            positions = range(array.shape[axis])
            head, tail = positions[: options.edgeitems], positions[-options.edgeitems :]
            shown.append([*head, *tail])
            gaps[axis] = len(head)
        front = range(len(long))
        array = np.moveaxis(np.moveaxis(array, long, front)[np.ix_(*shown)], front, long)
    cells = _cells(array, dtype, options)
    columns = options.linewidth - (indent + array.ndim - 1)
    per_line = max(1, math.floor(columns / (cells.width + 2)))
    return _nest(iter(cells.texts), array.shape, gaps, indent, per_line)


def _nest(
    texts: Iterator[str], shape: tuple[int, ...], gaps: Sequence[int | None], indent: int, per_line: int
) -> str:
    """Return the next elements of ``texts`` in nested brackets of ``shape``, with dots in the gaps."""
    margin = " " * (indent + 1)
    if len(shape) == 1:
        row = list(islice(texts, shape[0]))
        if gaps[0] is not None:
            row.insert(gaps[0], " ...")
        lines = [", ".join(row[start : start + per_line]) for start in range(0, len(row), per_line)]
        return "[" + f",\n{margin}".join(lines) + "]"
    blocks = [_nest(texts, shape[1:], gaps[1:], indent + 1, per_line) for _ in range(shape[0])]
    if gaps[0] is not None:
        blocks.insert(gaps[0], "...")
    newlines = "\n" * (len(shape) - 1)
    return "[" + f",{newlines}{margin}".join(blocks) + "]"


# ----------------------------------------------------------------------------------------------------
# Tensors
# ----------------------------------------------------------------------------------------------------


def tensor_text(
    array: np.ndarray[Any, Any], *, class_name: str | None = None, is_parameter: bool = False,
    contents: str | None = None, device: str = "cpu", requires_grad: bool = False, grad_fn: str | None = None,
    tangent: str | None = None,
) -> str:
    """Return the text of a tensor whose elements are ``array``, which are not read on the device ``'meta'``.

    `class_name` is that of its class where it is neither Tensor nor Parameter; `is_parameter` says whether an
    instance of such a class is a Parameter: torch says so, but not inside a dual level. `contents` stands for
    the elements (``tensor_contents`` of ``Tensor.__repr__``). The device is printed unless it is ``'cpu'``,
    and ``requires_grad`` unless there is the name of a node, `grad_fn`. The forward-mode `tangent` is as
    ``format(tangent, '')`` gives it.
    """
    options = _options
    prefix = "tensor(" if class_name is None else f"{class_name}("
    dtype = dtypes.from_numpy_dtype(array.dtype)
    is_usual = dtype is dtypes.get_default_dtype()
    show_size = False
    if device == "meta":
        show_size = True
        contents = "..." if contents is None else contents
    elif not array.size:
        show_size = array.ndim != 1
        contents = "[]" if contents is None else contents
    else:
        wide = dtypes.get_default_dtype() is dtypes.float64
        usual_complex = dtypes.complex128 if wide else dtypes.complex64
        is_usual = is_usual or dtype in (dtypes.int64, dtypes.bool, usual_complex)
        show_size = options.edgeitems == 0
        if contents is None:
            contents = contents_text(array, dtype, len(prefix), options)
    suffixes = []
    if device != "cpu":
        suffixes.append(f"device='{device}'")
    if show_size:
        suffixes.append(f"size={array.shape}")
    if not is_usual:
        suffixes.append(f"dtype={dtype!r}")
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    if tangent is not None:
        suffixes.append(f"tangent={tangent}")
    text = with_suffixes(prefix + contents, suffixes, len(prefix), options.linewidth)
    return f"Parameter({text})" if is_parameter and class_name is not None else text


def with_suffixes(
    text: str, suffixes: Sequence[str], indent: int, linewidth: int, apart: bool = False
) -> str:
    """Return ``text``, ``suffixes`` and a bracket.

    One that would cross ``linewidth`` takes a new line, and the first one where they stand ``apart``.
    """
    parts = [text]
    column = linewidth if apart else len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if column + len(suffix) + 2 > linewidth:
            parts.append(f",\n{' ' * indent}{suffix}")
            column = indent + len(suffix)
        else:
            parts.append(f", {suffix}")
            column += len(suffix) + 2
    return "".join(parts) + ")"


def parameter_text(text: str) -> str:
    """Return the text of a Parameter, or of an instance of a subclass, from its text as a tensor."""
    return f"Parameter containing:\n{text}"


def wrapper_text(kind: str, text: str, *, level: int, bdim: int | None = None) -> str:
    """Return the text of a transform's wrapper, ``'GradTrackingTensor'`` or ``'BatchedTensor'``, around a
    value with a text, of a level; torch prints -2 on a GradTrackingTensor whose transform is over.

    `bdim` is the batch dimension of the value inside, for a BatchedTensor.
    """
    batch = "" if bdim is None else f"bdim={bdim}, "
    return f"{kind}(lvl={level}, {batch}value=\n{textwrap.indent(text, '    ')}\n)"

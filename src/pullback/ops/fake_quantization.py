"""Numbers rounded to those that a quantised tensor could hold; the covector passes where none was cut off."""


import numpy as np
from numpy import ndarray

from ..core.op import Term, elementwise, renamed
from .comparison import ge, le
from .elementwise import round
from .kernels import into


def _kernel(x: ndarray, inverse: ndarray, scale: ndarray, zero: ndarray, /, low: int, high: int,
            out: object = ...) -> ndarray:  # fmt: skip
    # nan is cut to the least, as in torch.
    cut = np.fmin(np.fmax(np.rint(x * inverse) + zero, low), high)
    return into(out, (cut - zero) * scale)


def _rule(g: Term, x: Term, inverse: Term, zero: Term, low: int, high: int) -> Term:
    place = round(x * inverse) + zero
    return g * (ge(place, low) & le(place, high))


#: (cut(round(x / scale) + zero, low, high) − zero) · scale, given 1 / scale as torch has it.
by_number = elementwise(
    "fake_quantize", _kernel, _rule, None, None, None, inputs=("x", "inverse", "scale", "zero"),
    attrs=("low", "high"), halves=False, node_name="FakeQuantizePerTensorAffineCachemaskBackward0",
)
by_tensor = renamed(
    by_number, "fake_quantize_by_tensor", "FakeQuantizePerTensorAffineCachemaskTensorQparamsBackward0"
)
by_channel = renamed(by_number, "fake_quantize_by_channel", "FakeQuantizePerChannelAffineCachemaskBackward0")

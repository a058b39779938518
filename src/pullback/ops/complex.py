"""Parts of complex values: real and imaginary part as views, and how a pair becomes a
complex number.
"""

from typing import Any

from numpy import ndarray

from ..array import dtypes
from ..array.layout import as_pairs, real_parts
from ..core.op import Call, elementwise, view
from ..core.value import Value, dtype_of

#: The real part of a complex value, a view.
real_view = view(
    "real", lambda x, /: real_parts(x), lambda g: as_complex(g), batch=lambda size: (),
    signs=lambda conjugated, negated: (False, negated),
)

#: The imaginary part of a complex value, a view.
imag_view = view(
    "imag", lambda x, /: as_pairs(x)[..., 1], lambda g: as_complex(g) * 1j, batch=lambda size: (),
    signs=lambda conjugated, negated: (False, conjugated != negated),
)


def real(x: Any) -> Any:
    """Return the real part; of a real value the value itself."""
    if isinstance(x, (Value, ndarray)):
        return real_view(x) if dtype_of(x).kind in "cW" else x
    return x.real


def _as_complex(x: ndarray, /, out: Any = ...) -> ndarray:
    result = x.astype(dtypes.from_numpy_dtype(x.dtype).to_complex().numpy)
    if out is not ...:
        out[...] = result
        return out
    return result


#: A real value as a complex one with imaginary part 0.
as_complex: Call = elementwise(
    "as_complex", _as_complex, lambda g: real(g), promote=None, halves=False, form=lambda ops, x: x,
    linear=True,
)

"""Compute quantiles by ops alone: of values in transforms and traces there is no one array to look at."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..core.value import TensorBase, dtype_of, shape_of, wrap
from ..ops.arithmetic import mul, sub
from ..ops.comparison import gt, isnan, where
from ..ops.convert import cast
from ..ops.elementwise import ceil, floor
from ..ops.elementwise import round as rint
from ..ops.gather import gather
from ..ops.mixture import lerp, lerp_tensor
from ..ops.sort import sort
from ..ops.structure import expand, reshape, sum_dims

INT64 = np.dtype(np.int64)


def quantile_rows(x: Any, q: Any, interpolation: str, skip: bool) -> Any:
    """Return quantiles along the last dim, a place for each point there; with `skip`, of what is not nan."""
    kind, shape = dtype_of(x), shape_of(x)
    last = len(shape) - 1
    given = q if isinstance(q, TensorBase) else wrap(np.asarray(q, kind))
    given = reshape(given, (prod(shape_of(given)),))
    whole = (*shape[:-1], *shape_of(given))
    ordered = sort(x, last, False)[0]
    nans = sum_dims(cast(isnan(x), kind), (last,), True)
    most = np.asarray(shape[-1] - 1, kind)
    if skip:
        row = sub(most, nans)
        top = where(gt(row, np.zeros((), kind)), row, np.zeros((), kind))
    else:
        top = wrap(most)
    ranks = mul(given, top)
    if not skip:
        ranks = where(gt(nans, np.zeros((), kind)), most, ranks)
    rounding = {"lower": floor, "higher": ceil, "nearest": rint}.get(interpolation)
    if rounding is not None:
        return gather(ordered, cast(expand(rounding(ranks), whole), INT64), last)
    below, above = expand(floor(ranks), whole), expand(ceil(ranks), whole)
    low = gather(ordered, cast(below, INT64), last)
    high = gather(ordered, cast(above, INT64), last)
    if interpolation == "midpoint":
        return lerp(low, high, 0.5)
    return lerp_tensor(low, high, sub(expand(ranks, whole), below))

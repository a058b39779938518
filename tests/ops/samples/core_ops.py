"""Samples of the ops that the mechanism needs and of arithmetic."""

from __future__ import annotations

import numpy as np

from pullback.core.op import TABLE

from . import Sample, complex_normal, normal, positive

SAMPLES = [
    Sample("add", (normal(3, 4), normal(4)), reference=np.add),
    Sample("add", (normal(), complex_normal(2))),
    Sample("sub", (normal(3, 1), normal(2)), reference=np.subtract),
    Sample("rsub_tensor", (normal(3), normal(2, 3)), reference=lambda x, y: y - x),
    Sample("rsub", (normal(3), normal(2, 3)), reference=lambda x, y: y - x),
    Sample("mul", (normal(3, 4), normal(4)), reference=np.multiply),
    Sample("mul", (complex_normal(3), complex_normal(2, 3))),
    Sample("div", (normal(3, 4), positive(4)), reference=np.divide),
    Sample("div", (complex_normal(3), complex_normal(3))),
    Sample("div_with_mode", (normal(3, 4), positive(4)), reference=np.divide),
    Sample("neg", (normal(3),), reference=np.negative),
    Sample("pow_scalar", (positive(3),), (2.5,), reference=np.power),
    Sample("pow_scalar", (normal(3),), (2,), reference=np.power),
    Sample("pow_scalar", (normal(3),), (3,), reference=np.power),
    Sample("mul_number", (normal(3),), (2.5,), reference=np.multiply),
    Sample("div_number", (complex_normal(3),), (2.5,), reference=np.divide),
    Sample("cast", (normal(3),), (np.dtype(np.float64),)),
    Sample("clone", (normal(2, 3),)),
    Sample("contiguous_copy", (normal(2, 3),)),
    Sample("copy_of", (normal(2, 3),)),
    Sample("conj", (complex_normal(3),), reference=np.conj),
    Sample("_conj", (complex_normal(3),), reference=np.conj),
    Sample("_neg_view", (normal(3),), reference=np.negative),
    Sample("view", (normal(2, 6),), ((3, 4),), reference=np.reshape),
    Sample("reshape_alias", (normal(2, 6),), ((3, 4),), reference=np.reshape),
    Sample("expand", (normal(2, 1),), ((3, 2, 4),), reference=np.broadcast_to),
    Sample("permute", (normal(2, 3, 4),), ((2, 0, 1),), reference=np.transpose),
    Sample("sum", (normal(2, 3),), ((0,), False), reference=lambda x, d, k: np.sum(x, d, keepdims=k)),
    Sample("sum", (normal(2, 3),), ((0, 1), True), reference=lambda x, d, k: np.sum(x, d, keepdims=k)),
    Sample(
        "put",
        (normal(2, 3), normal(2)),
        (((TABLE["permute"], ((1, 0),), None), (TABLE["unbind"], (0,), 1)), None),
    ),
    Sample(
        "put",
        (normal(2, 3), normal(6)),
        (((TABLE["permute"], ((1, 0),), None), (TABLE["view"], ((6,),), None)), (1, 2)),
    ),
    Sample("lay_out", (normal(2, 3),), ((1, 2),)),
    Sample("stack", (normal(2), normal(2)), (1,)),
    Sample("unbind", (normal(2, 3),), (1,)),
]

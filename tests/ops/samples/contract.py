"""Samples of matrix products."""

from __future__ import annotations

import numpy as np

from . import Sample, complex_normal, normal

SAMPLES = [
    Sample("mm", (normal(2, 3), normal(3, 4)), reference=np.matmul),
    Sample("mm", (complex_normal(2, 3), complex_normal(3, 4))),
    Sample("mm_folded", (normal(2, 2, 3), normal(3, 4)), reference=np.matmul),
    Sample("linear", (normal(2, 3), normal(4, 3)), reference=lambda x, w: x @ w.T),
    Sample("linear_folded", (normal(2, 2, 3), normal(4, 3)), reference=lambda x, w: x @ w.T),
    Sample("linear_weight", (normal(2, 5, 3), normal(2, 5, 4))),
    Sample("linear_weight", (complex_normal(5, 3), complex_normal(5, 4)), reference=lambda g, x: g.T @ x),
    Sample("mm_nt", (normal(2, 3), normal(3, 4)), reference=np.matmul),
    Sample("mm_tn", (complex_normal(2, 3), complex_normal(3, 4)), reference=np.matmul),
    Sample("mm_tt", (complex_normal(2, 3), complex_normal(3, 4)), reference=np.matmul),
    *(
        Sample(
            f"addmm_{letters}", (normal(4), normal(2, 3), normal(3, 4)), (0.5, 2.0),
            reference=lambda b, x, y, f, a: f * b + a * x @ y,
        )
        for letters in ("nt", "tn", "tt")
    ),
    Sample("matmul", (normal(2, 1, 2, 3), normal(3, 3, 2)), reference=np.matmul),
    Sample("matmul", (complex_normal(2, 2, 3), complex_normal(3, 2))),
    Sample("bmm", (normal(2, 2, 3), normal(2, 3, 2)), reference=np.matmul),
    Sample(
        "trilinear", (normal(4, 2), normal(3, 2, 5), normal(4, 5)),
        reference=lambda x, w, y: np.einsum("ni,oij,nj->no", x, w, y),
    ),
    Sample("trilinear", (complex_normal(2, 2), complex_normal(1, 2, 3), complex_normal(2, 3))),
    Sample("dot", (normal(3), normal(3)), reference=np.dot),
    Sample("dot", (complex_normal(3), complex_normal(3))),
    Sample("vdot", (normal(3), normal(3)), reference=np.vdot),
    Sample("vdot", (complex_normal(3), complex_normal(3))),
    Sample("mv", (normal(2, 3), normal(3)), reference=np.dot),
    Sample("mv", (complex_normal(2, 3), complex_normal(3))),
    Sample(
        "addmm",
        (normal(4), normal(2, 3), normal(3, 4)),
        (0.5, 2.0),
        reference=lambda b, x, y, f, a: f * b + a * x @ y,
    ),
    Sample("addmv", (normal(2), normal(2, 3), normal(3)), (0.5, 2.0)),
    Sample("baddbmm", (normal(2, 2, 4), normal(2, 2, 3), normal(2, 3, 4)), (1, 2.0)),
    Sample("addbmm", (normal(2, 4), normal(2, 2, 3), normal(2, 3, 4)), (0.5, 1)),
    Sample("addr", (normal(2, 3), normal(2), normal(3)), (0.5, 2.0)),
]

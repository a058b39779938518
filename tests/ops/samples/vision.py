"""Samples of images' rearrangements and resampling, and of the functions that came with them."""

from __future__ import annotations

import numpy as np

from pullback.array.resize import Axis

from . import Sample, normal

_ROWS = (Axis(3, 5, "linear"), Axis(2, 3, "linear"))
_CORNERS = (Axis(3, 5, "cubic", True), Axis(2, 3, "cubic", True))


def _axes(rank: int, mode: str) -> tuple[Axis, ...]:
    return tuple(Axis(n, o, mode) for n, o in ((3, 5), (2, 3), (2, 4))[:rank])  # type: ignore[arg-type]


SAMPLES = [
    Sample("pixel_shuffle", (normal(1, 4, 2, 3),), (2,)),
    Sample("pixel_unshuffle", (normal(1, 1, 4, 6),), (2,)),
    Sample("channel_shuffle", (normal(1, 6, 2),), (2,)),
    Sample("native_channel_shuffle", (normal(1, 6, 2),), (3,), smooth=False),
    Sample("conv_tbc", (normal(4, 2, 3), normal(2, 3, 2), normal(2)), (1,)),
    Sample("im2col", (normal(1, 2, 4, 4),), ((2, 2), (1, 1), (1, 0), (2, 1))),
    Sample("im2col", (normal(2, 4, 4),), ((2, 2), (1, 1), (1, 0), (2, 1))),
    Sample("col2im", (normal(8, 9),), ((4, 4), (2, 2), (1, 1), (1, 0), (2, 1))),
    Sample("col2im", (normal(1, 8, 9),), ((4, 4), (2, 2), (1, 1), (1, 0), (2, 1))),
    *(
        Sample(f"UpsampleNearest{r}D", (normal(1, 1, *(3, 2, 2)[:r]),), (_axes(r, "nearest"),))
        for r in (1, 2, 3)
    ),
    *(
        Sample(f"UpsampleNearestExact{r}D", (normal(1, 1, *(3, 2, 2)[:r]),), (_axes(r, "nearest-exact"),))
        for r in (1, 2, 3)
    ),
    Sample("UpsampleLinear1D", (normal(1, 1, 3),), (_axes(1, "linear"),)),
    Sample("UpsampleBilinear2D", (normal(1, 1, 3, 2),), (_ROWS,)),
    Sample("UpsampleBicubic2D", (normal(1, 1, 3, 2),), (_CORNERS,)),
    *(
        Sample(
            f"Upsample{name}2DAa", (normal(1, 1, 4, 5),),
            ((Axis(4, 3, mode, antialias=True), Axis(5, 2, mode, antialias=True)),),  # type: ignore[arg-type]
        )
        for name, mode in (("Bilinear", "linear"), ("Bicubic", "cubic"), ("Lanczos", "lanczos"))
    ),
    Sample("UpsampleTrilinear3D", (normal(1, 1, 3, 2, 2),), (_axes(3, "linear"),)),
    Sample("resize_adjoint", (normal(1, 1, 5, 3),), (_ROWS,)),
    Sample("linalg_slogdet", (normal(3, 3) + 3 * np.eye(3),)),
    Sample(
        "linalg_cross", (normal(2, 3), normal(2, 3)), (1,), reference=lambda x, y, d: np.cross(x, y, axis=d)
    ),
]

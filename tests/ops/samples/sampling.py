"""Samples of grids' samples and affine maps' grids."""

from __future__ import annotations

from pullback.array.sampler import Sampler

from . import Sample, between, normal

_GRID = between(1, 2, 3, 2, low=-0.9, high=0.9)

SAMPLES = [
    Sample("affine_grid_generator", (normal(2, 2, 3),), ((2, 3), False)),
    Sample("affine_grid_generator", (normal(1, 3, 4),), ((2, 1, 2), True)),
    *(
        Sample("grid_sampler_2d", (normal(1, 2, 4, 5), _GRID), (Sampler(mode, padding, corners), (0, 0)))
        for mode, padding, corners in (
            ("bilinear", "zeros", False),
            ("bilinear", "reflection", True),
            ("bicubic", "border", False),
            ("nearest", "zeros", True),
        )
    ),
    Sample(
        "grid_sampler_2d", (normal(1, 1, 3, 3), 3 * _GRID[:, :1]),
        (Sampler("bicubic", "reflection", False), (0, 0))
    ),
    Sample(
        "grid_sampler_3d", (normal(1, 1, 3, 2, 2), between(1, 1, 2, 2, 3, low=-0.9, high=0.9)),
        (Sampler("bilinear", "zeros", False), (0, 0, 0)),
    ),
    Sample("grid_sample_slope", (normal(1, 1, 4, 5), _GRID), (Sampler("bicubic", "zeros", False), (1, 0))),
    Sample(
        "grid_sample_adjoint", (normal(1, 2, 2, 3), _GRID),
        ((3, 4), Sampler("bicubic", "border", True), (0, 1))
    ),
]

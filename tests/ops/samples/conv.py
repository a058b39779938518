"""Samples of convolutions, pools and padding."""

from __future__ import annotations

import numpy as np

from pullback.array.pool import Windows

from . import Sample, apart, complex_normal, normal

ONE = ((1,), (0,), (1,), 1)
TWO = ((2, 1), (1, 0), (1, 2), 1)
PLAIN = Windows((2, 2), (2, 2), (0, 0), (1, 1))
WIDE = Windows((3, 2), (2, 1), (1, 0), (1, 1))
CUBE = Windows((2, 2, 2), (2, 2, 2), (0, 0, 0), (1, 1, 1))
WINNERS = np.array([[[[0, 3], [1, 2]]]], np.uint8)

SAMPLES = [
    Sample("conv", (normal(2, 3, 6), normal(4, 3, 3)), ONE),
    Sample("conv", (normal(1, 2, 5, 6), normal(3, 2, 2, 3)), TWO),
    Sample("conv", (normal(1, 4, 5), normal(4, 2, 3)), ((1,), (1,), (1,), 2)),
    Sample("conv", (complex_normal(1, 2, 5), complex_normal(2, 2, 3)), ONE),
    Sample("conv_transpose", (normal(1, 3, 4), normal(3, 2, 3)), (*ONE, (6,))),
    Sample("conv_transpose", (normal(1, 4, 4), normal(4, 1, 3)), ((2,), (1,), (1,), 2, (8,))),
    Sample("conv_transpose", (normal(1, 2, 4), normal(2, 1, 2)), ((1,), (0,), (2,), 1, (7,))),
    Sample("conv_weight", (normal(1, 1, 7), normal(1, 2, 4)), ((2,), (1,), (0,), (2,), 1)),
    Sample("conv_weight", (normal(2, 3, 6), normal(2, 4, 4)), ((3,), *ONE)),
    Sample("conv_biased", (normal(2, 3, 6), normal(4, 3, 3), normal(4)), ONE),
    Sample("conv_transpose_biased", (normal(1, 3, 4), normal(3, 2, 3), normal(2)), (*ONE, (6,))),
    Sample("avg_pool_2d", (normal(1, 2, 4, 5),), (PLAIN, True, None)),
    Sample("avg_pool_2d", (normal(1, 2, 4, 5),), (WIDE, False, None)),
    Sample("avg_pool_3d", (normal(1, 1, 2, 4, 2),), (CUBE, True, None)),
    Sample("avg_pool_adjoint", (normal(1, 2, 2, 2),), (PLAIN, (4, 5), True, None)),
    Sample("max_pool_2d", (apart(1, 2, 4, 5),), (PLAIN,)),
    Sample("max_pool_2d", (apart(1, 1, 4, 5),), (WIDE,)),
    Sample("max_pool_3d", (apart(1, 1, 2, 4, 2),), (CUBE,)),
    Sample("gather_windows", (normal(1, 1, 4, 4), WINNERS), (PLAIN,)),
    Sample("scatter_windows", (normal(1, 1, 2, 2), WINNERS), (PLAIN, (4, 4))),
    Sample("winner_indices", (WINNERS,), (PLAIN, (4, 4))),
    Sample("adaptive_avg_pool_2d", (normal(1, 2, 5, 4),), ((3, 2),)),
    Sample("adaptive_avg_pool_3d", (normal(1, 1, 3, 2, 4),), ((2, 1, 2),)),
    Sample("adaptive_avg_adjoint", (normal(1, 2, 3, 2),), ((5, 4),)),
    Sample("adaptive_max_pool_2d", (apart(1, 2, 5, 4),), ((3, 2),)),
    Sample("adaptive_max_pool_3d", (apart(1, 1, 3, 2, 4),), ((2, 1, 2),)),
    Sample("gather_planes", (normal(1, 1, 2, 3), np.array([[[[0, 5]]]])),),
    Sample("scatter_planes", (normal(1, 1, 1, 2), np.array([[[[0, 5]]]])), ((2, 3),)),
    Sample("max_unpool_2d", (normal(1, 1, 2, 2), np.array([[[[0, 3], [9, 15]]]])), ((4, 4),)),
    Sample("max_unpool_3d", (normal(1, 1, 1, 2), np.array([[[[0, 5]]]])), ((2, 2, 2),)),
    Sample("at_places", (normal(1, 1, 4, 4), np.array([[[[0, 3], [3, 15]]]])), (2,)),
    Sample("add_at_places", (normal(1, 1, 2, 2), np.array([[[[0, 3], [3, 15]]]])), ((4, 4),)),
    Sample("reflection_pad1d", (normal(2, 1, 4),), (((2, 1),),)),
    Sample("reflection_pad2d", (normal(1, 2, 3, 4),), (((1, 2), (0, 1)),)),
    Sample("reflection_pad3d", (normal(1, 1, 2, 3, 2),), (((1, 0), (0, 2), (1, 1)),)),
    Sample("replication_pad1d", (normal(2, 1, 4),), (((2, -1),),)),
    Sample("replication_pad2d", (normal(1, 2, 3, 4),), (((1, 2), (0, 1)),)),
    Sample("replication_pad3d", (normal(1, 1, 2, 3, 2),), (((1, 0), (0, 2), (1, 1)),)),
    Sample("circular_pad", (normal(1, 2, 3, 4),), (((2, 1), (0, 3)),)),
    Sample("pad_adjoint", (normal(1, 2, 5, 6),), ((3, 4), ((1, 1), (0, 2)), "reflect")),
    Sample("constant_pad_nd", (normal(2, 3),), (((1, 0), (-1, 2)), 0.5)),
]

"""Samples of recurrent layers, of one length and packed, forward and backward in time."""

from __future__ import annotations

from . import Sample, between, normal

SAMPLES = [
    Sample("elman", (normal(3, 2, 3), normal(2, 2), normal(2, 3), normal(2, 2), normal(2), normal(2)),
           ("tanh", False, None)),
    Sample("elman", (normal(3, 2, 3), normal(2, 2), normal(2, 3), normal(2, 2), None, None),
           ("relu", True, None)),
    Sample("elman_packed", (normal(5, 3), normal(2, 2), normal(2, 3), normal(2, 2), normal(2), normal(2)),
           ("tanh", True, (2, 2, 1))),
    Sample("gru", (normal(3, 2, 3), normal(2, 2), normal(6, 3), normal(6, 2), normal(6), normal(6)),
           (False, None)),
    Sample("gru", (normal(3, 2, 3), normal(2, 2), normal(6, 3), normal(6, 2), None, None), (True, None)),
    Sample("gru_packed", (normal(5, 3), normal(2, 2), normal(6, 3), normal(6, 2), normal(6), normal(6)),
           (False, (2, 2, 1))),
    Sample("lstm", (normal(3, 2, 3), normal(2, 2), normal(2, 2), normal(8, 3), normal(8, 2), normal(8),
                    normal(8), None), (False, None)),
    Sample("lstm", (normal(3, 2, 3), normal(2, 1), normal(2, 2), normal(8, 3), normal(8, 1), None, None,
                    normal(1, 2)), (True, None)),
    Sample("lstm_packed", (normal(5, 3), normal(2, 1), normal(2, 2), normal(8, 3), normal(8, 1), normal(8),
                           normal(8), normal(1, 2)), (True, (2, 2, 1))),
    Sample("mkldnn_rnn_layer", (normal(3, 2, 3), normal(2, 2), normal(2, 2), normal(8, 3), normal(8, 2),
                                normal(8), normal(8), None), (True, None)),
]  # fmt: skip

_H, _G, _L = normal(2, 2), normal(3, 2, 2), normal(3, 2, 2)
_GATES = between(3, 2, 8, low=0.1, high=0.9).reshape(6, 8)

SAMPLES += [
    Sample("elman_pulled", (_G, _H, normal(3, 2, 3), _H, normal(2, 3), normal(2, 2), _L),
           ("tanh", False, None, (True,) * 6)),
    Sample("gru_pulled", (_G, _H, normal(3, 2, 3), _H, normal(6, 3), normal(6, 2), _L, _GATES),
           (False, None, (True, True, False, True, False, True))),
    Sample("lstm_pulled", (_G, _H, _H, normal(3, 2, 3), _H, _H, normal(8, 3), normal(8, 2), None, _L, _GATES,
                           normal(6, 2)), (True, None, (True,) * 8)),
]  # fmt: skip

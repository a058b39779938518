"""torch.nn.init: values, errors and warnings."""

from __future__ import annotations

from typing import Any

from . import attempt

T = Any


def gains(torch: T) -> None:
    gain = torch.nn.init.calculate_gain
    for name in ("linear", "conv_transpose2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu"):
        print(name, gain(name))
    print(gain("leaky_relu", 0.2), gain("leaky_relu", 3))
    attempt(lambda: gain("leaky_relu", "steep"))
    attempt(lambda: gain("leaky_relu", True))
    attempt(lambda: gain("swish"))


def plain_draws(torch: T) -> None:
    init = torch.nn.init
    w = torch.empty(3, 4)
    print(init.uniform_(w), init.uniform_(w, -1, b=2), init.normal_(w), init.normal_(w, 2.0, std=0.1))
    print(init.constant_(w, 3), init.ones_(w), init.zeros_(w), init.eye_(w))
    p = torch.nn.Parameter(torch.empty(2))
    print(init.uniform_(p), p.requires_grad, init.uniform_(p) is p, p._version)
    g = torch.Generator().manual_seed(5)
    print(init.normal_(w, generator=g), init.kaiming_uniform_(w, generator=g))


def truncated(torch: T) -> None:
    init = torch.nn.init
    for dtype in (torch.float32, torch.float64):
        w = torch.empty(4, 5, dtype=dtype)
        print(init.trunc_normal_(w), torch.rand(1))
        print(init.trunc_normal_(w, std=0.02), torch.rand(1))
        print(init.trunc_normal_(w, mean=1.0, std=2.0, a=0.5, b=3.0), torch.rand(1))
        print(init.trunc_normal_(w, a=1.5, b=2.5), torch.rand(1))
        print(init.trunc_normal_(w, mean=-3.0, std=1.0, a=0.0, b=1.0), torch.rand(1))
    print(init.trunc_normal_(torch.nn.Parameter(torch.empty(3))), torch.rand(1))


def by_fans(torch: T) -> None:
    init = torch.nn.init
    w = torch.empty(3, 2, 2)
    print(init.xavier_uniform_(w), init.xavier_normal_(w, gain=2.0))
    for mode in ("fan_in", "fan_out", "FAN_IN"):
        print(init.kaiming_uniform_(w, mode=mode), init.kaiming_normal_(w, a=0.5, mode=mode))
        print(init.kaiming_normal_(w, mode=mode, nonlinearity="relu"))
    attempt(lambda: init.kaiming_normal_(w, mode="fan"))
    attempt(lambda: init.xavier_uniform_(torch.empty(3)))
    attempt(lambda: init.kaiming_uniform_(torch.empty(3)))
    print(init.kaiming_uniform_(torch.empty(0, 3)), init.kaiming_normal_(torch.empty(0, 3)))


def structured(torch: T) -> None:
    init = torch.nn.init
    for shape in ((4, 1, 3), (4, 2, 3, 3), (2, 2, 1, 2, 3)):
        print(init.dirac_(torch.empty(shape)).nonzero(), init.dirac_(torch.empty(shape), 2).nonzero())
    attempt(lambda: init.dirac_(torch.empty(2, 2)))
    attempt(lambda: init.dirac_(torch.empty(3, 2, 2), 2))
    attempt(lambda: init.eye_(torch.empty(2)))


def orthogonal(torch: T) -> None:
    init = torch.nn.init
    for shape in ((3, 3), (4, 2), (2, 4), (2, 3, 2)):
        print(init.orthogonal_(torch.empty(shape, dtype=torch.float64), gain=2), torch.rand(1))
    print(init.orthogonal_(torch.nn.Parameter(torch.empty(2, 2))), init.orthogonal_(torch.empty(0, 2)))
    attempt(lambda: init.orthogonal_(torch.empty(2)))


def sparse(torch: T) -> None:
    init = torch.nn.init
    print(init.sparse_(torch.empty(5, 3), 0.4), torch.rand(1))
    attempt(lambda: init.sparse_(torch.empty(5), 0.4))


def old_names(torch: T) -> None:
    init = torch.nn.init
    for name in ("uniform", "normal", "eye", "xavier_uniform", "xavier_normal", "kaiming_uniform"):
        print(name, getattr(init, name)(torch.empty(2, 2)), getattr(init, name).__name__)
    print(init.kaiming_normal(torch.empty(2, 2)), init.constant(torch.empty(2), 2))
    print(init.orthogonal(torch.empty(1, 1)), init.sparse(torch.empty(2, 2), 0.5))
    print(init.dirac(torch.ones(1, 1, 1)))

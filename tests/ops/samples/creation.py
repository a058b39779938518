"""Samples of ops that make values: complex numbers from parts, copies, random draws."""

from __future__ import annotations

import numpy as np

from pullback.array.random import Generator

from . import Sample, between, complex_normal, integers, normal, positive

GENERATOR = Generator()


def _draw(op: str, *inputs: np.ndarray, attrs: tuple[object, ...] = ()) -> Sample:
    """A row of a random op: two calls differ, and finite differences would be those of the noise."""
    return Sample(op, inputs, (*attrs, GENERATOR), smooth=False, batched=False, deterministic=False)


SAMPLES = [
    Sample("complex", (normal(2, 3), normal(3)), reference=lambda x, y: x + 1j * y),
    Sample("polar", (positive(2, 3), normal(3)), reference=lambda r, t: r * np.exp(1j * t)),
    Sample("conj_physical", (complex_normal(3),), reference=np.conj),
    _draw("uniform", normal(3, 4), attrs=(0.0, 1.0)),
    _draw("normal", normal(20), attrs=(1.0, 2.0)),
    _draw("uniform_by", normal(3, 4), np.array(0.5), np.array(1.5)),
    _draw("normal_by", normal(20), np.array(1.0), np.array(2.0)),
    _draw("exponential_by", normal(3), np.array(1.5)),
    _draw("bernoulli_number_by", normal(3), np.array(0.5)),
    _draw("dropout_noise_by", normal(100), np.array(0.5)),
    _draw("random_between_by", normal(20), np.array(-1000), np.array(1000)),
    _draw("log_normal", normal(3), attrs=(0.0, 1.0)),
    _draw("exponential", normal(3), attrs=(1.5,)),
    _draw("cauchy", normal(3), attrs=(0.0, 1.0)),
    _draw("geometric", normal(3), attrs=(0.3,)),
    _draw("random", normal(3)),
    _draw("random_below", integers(20), attrs=(1000,)),
    _draw("random_below", normal(20), attrs=(1000,)),
    _draw("random_between", normal(20), attrs=(-1000, 1000)),
    _draw("randperm", normal(20)),
    _draw("bernoulli_number", normal(100), attrs=(0.5,)),
    _draw("dropout_noise", normal(100), attrs=(0.5,)),
    _draw("bernoulli", between(100, low=0.2, high=0.8)),
    _draw("bernoulli_each", normal(100), between(100, low=0.2, high=0.8)),
    _draw("normal_around", normal(3), attrs=(2.0,)),
    _draw("normal_wide", positive(3), attrs=(2.0,)),
    _draw("normal_each", normal(3), positive(2, 3)),
    Sample(  # weights of zeros, of which the shape rule would make it draw, are refused
        "multinomial",
        (positive(50),),
        (20, True, GENERATOR),
        smooth=False,
        batched=False,
        deterministic=False,
        known_shape=False,
    ),
    Sample("reseed", (np.array(7),), (GENERATOR,), reference=lambda seed, generator: seed),
    _draw("poisson", positive(50)),
    _draw("binomial", positive(50).round() * 9, np.full(50, 0.3)),
    _draw("standard_gamma", positive(50)),
    _draw("dirichlet", positive(10, 5)),
    # their references stand in tests/array/test_gamma_gradient.py; neither has a derivative
    Sample("standard_gamma_grad", (positive(20), positive(20)), smooth=False),
    Sample("dirichlet_grad", (between(20, low=0.1, high=0.9), positive(20), 9 + positive(20)), smooth=False),
    _draw("rrelu_noise", normal(50), attrs=(0.1, 0.3)),
]

"""The inputs and initial parameters of every workload, as NumPy arrays.

Every peer starts from these same numbers, so that the first losses can be compared before anything is timed.
Parameters are named as PyTorch's ``named_parameters`` names them and are drawn as its layers draw theirs:
uniformly from ±1/√fan_in.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Parameters = dict[str, Array]

LENET = (
    ("conv1", (6, 1, 5, 5)),
    ("conv2", (16, 6, 5, 5)),
    ("fc1", (120, 400)),
    ("fc2", (84, 120)),
    ("fc3", (10, 84)),
)
CONVNET_CHANNELS = (3, 16, 32, 64)
GPT_LAYERS, GPT_HEADS, GPT_WIDTH, GPT_CONTEXT, GPT_BATCH, GPT_VOCABULARY = 4, 4, 128, 64, 12, 65


def _generator() -> np.random.Generator:
    return np.random.default_rng(20240607)


def normal(*shape: int) -> Array:
    return _generator().standard_normal(shape, dtype=np.float32)


def labels(count: int, classes: int) -> NDArray[np.int64]:
    return _generator().integers(0, classes, count)


def one_hot(target: NDArray[np.int64], classes: int) -> Array:
    return np.eye(classes, dtype=np.float32)[target]


def _layer(rng: np.random.Generator, name: str, shape: Sequence[int]) -> Parameters:
    bound = float(np.prod(shape[1:])) ** -0.5
    return {
        f"{name}.weight": rng.uniform(-bound, bound, shape).astype(np.float32),
        f"{name}.bias": rng.uniform(-bound, bound, shape[0]).astype(np.float32),
    }


def mlp(widths: Sequence[int]) -> Parameters:
    """Parameters of ``Sequential(Linear, ReLU, Linear)``, whose linear layers are numbered 0 and 2."""
    rng = _generator()
    result: Parameters = {}
    for position, (inputs, outputs) in enumerate(pairwise(widths)):
        result |= _layer(rng, str(2 * position), (outputs, inputs))
    return result


def lenet() -> Parameters:
    rng = _generator()
    result: Parameters = {}
    for name, shape in LENET:
        result |= _layer(rng, name, shape)
    return result


def convnet() -> Parameters:
    rng = _generator()
    result: Parameters = {}
    for number, (inputs, outputs) in enumerate(pairwise(CONVNET_CHANNELS), 1):
        result |= _layer(rng, f"conv{number}", (outputs, inputs, 3, 3))
        result[f"norm{number}.weight"] = np.ones(outputs, np.float32)
        result[f"norm{number}.bias"] = np.zeros(outputs, np.float32)
    return result | _layer(rng, "head", (10, CONVNET_CHANNELS[-1]))


def gpt() -> Parameters:
    """Parameters of the character model: token and position tables, blocks, a final norm, a head."""
    rng = _generator()
    width = GPT_WIDTH

    def norm(name: str) -> Parameters:
        return {f"{name}.weight": np.ones(width, np.float32), f"{name}.bias": np.zeros(width, np.float32)}

    result: Parameters = {
        "token.weight": 0.02 * rng.standard_normal((GPT_VOCABULARY, width), dtype=np.float32),
        "position.weight": 0.02 * rng.standard_normal((GPT_CONTEXT, width), dtype=np.float32),
    }
    for layer in range(GPT_LAYERS):
        block = f"blocks.{layer}"
        result |= norm(f"{block}.norm1")
        result |= _layer(rng, f"{block}.qkv", (3 * width, width))
        result |= _layer(rng, f"{block}.project", (width, width))
        result |= norm(f"{block}.norm2")
        result |= _layer(rng, f"{block}.expand", (4 * width, width))
        result |= _layer(rng, f"{block}.contract", (width, 4 * width))
    return result | norm("norm") | _layer(rng, "head", (GPT_VOCABULARY, width))


def text() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A batch of token windows and the windows shifted by one, which are to be predicted."""
    stream = _generator().integers(0, GPT_VOCABULARY, (GPT_BATCH, GPT_CONTEXT + 1))
    return stream[:, :-1].copy(), stream[:, 1:].copy()

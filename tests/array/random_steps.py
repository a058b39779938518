"""Random draws as data: one description of a draw that torch and pullback both can carry out.

A step is ``[kernel, dtype, shape, layout, arguments]``. With the layout "sizes" the shape is a list of sizes,
and the kernel fills one array of each, one after the other.
"""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from pullback.array import random_choice, random_integer, random_normal, random_transform, random_uniform
from pullback.array.dtypes import BY_NAME
from pullback.array.random import Generator

Step = list[Any]

FLOATING = ["float32", "float64", "float16", "bfloat16"]
COMPLEX = ["complex64", "complex128"]
INTEGER = ["bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"]
LAYOUTS = ["plain", "reversed", "strided", "padded"]
SIZES = [*range(1, 41), 100, 1000, 100_003]

#: Kernels whose last bits depend on the C library, where torch's do too (normal: but for blocks of float32).
USES_C_LIBRARY = ("log_normal", "exponential", "cauchy", "normal", "geometric")


def digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=6).hexdigest()


def c_library() -> str:
    """Return a digest of the C library's functions on the arguments that they have here."""
    unit = (np.arange(1, 5000) * 0.61803398874989 % 1).tolist()
    functions = (
        math.log, math.exp, math.tan, lambda u: math.log1p(-u),
        lambda u: math.cos(2 * math.pi * u), lambda u: math.sin(2 * math.pi * u),
    )  # fmt: skip
    return digest(np.array([[f(u) for u in unit] for f in functions]).tobytes())


def in_layout(empty: Any, shape: list[int], layout: str, dtype: Any) -> Any:
    """Return an array (or tensor, by ``empty``) of the shape whose memory is laid out in the given way."""
    if layout == "reversed":
        backward = empty(shape[::-1], dtype=dtype)
        axes = tuple(range(len(shape)))[::-1]
        return backward.permute(axes) if hasattr(backward, "permute") else backward.transpose(axes)
    if layout == "strided":
        return empty([2 * size for size in shape], dtype=dtype)[..., *(slice(None, None, 2) for _ in shape)]
    if layout == "padded" and shape:
        return empty([*shape[:-1], shape[-1] + 3], dtype=dtype)[..., :-3]
    return empty(shape, dtype=dtype)


def weights(shape: list[int]) -> np.ndarray:
    """Return probabilities in (0, 1] in float16, which all dtypes represent."""
    number = np.arange(1, math.prod(shape) + 1)
    return np.asarray((number * 37 % 101 + 1 / 8) / 128, np.float16).reshape(shape)


# --- what a step gives --------------------------------------------------------------------------------------


def with_pullback(step: Step, generator: Generator) -> list[np.ndarray]:
    kernel, name, shape, layout, arguments = step
    dtype = BY_NAME[name].numpy
    if layout == "sizes":
        steps = [[kernel, name, [size], "plain", arguments] for size in shape]
        return [array for one in steps for array in with_pullback(one, generator)]
    if kernel == "randperm":
        return [random_integer.randperm(generator, *shape, dtype)]
    if kernel == "multinomial":
        return [random_choice.multinomial(generator, weights(shape).astype(dtype), *arguments)]
    if kernel == "poisson":
        return [random_choice.poisson(generator, (weights(shape) * arguments[0]).astype(dtype))]
    out = in_layout(np.empty, shape, layout, dtype)
    if kernel == "bernoulli_each":
        random_transform.bernoulli(generator, out, weights(shape).astype(BY_NAME[arguments[0]].numpy))
        return [out]
    module = {
        "uniform": random_uniform, "normal": random_normal, "log_normal": random_normal,
        "random": random_integer, "random_between": random_integer,
    }.get(kernel, random_transform)  # fmt: skip
    getattr(module, kernel)(generator, out, *arguments)
    return [out]


def with_torch(torch: Any, step: Step, generator: Any) -> list[Any]:
    kernel, name, shape, layout, arguments = step
    dtype = getattr(torch, name)
    if layout == "sizes":
        steps = [[kernel, name, [size], "plain", arguments] for size in shape]
        return [tensor for one in steps for tensor in with_torch(torch, one, generator)]
    given = torch.from_numpy(weights([] if kernel == "randperm" else shape))
    if kernel == "randperm":
        return [torch.randperm(*shape, dtype=dtype, generator=generator)]
    if kernel == "multinomial":
        return [torch.multinomial(given.to(dtype), *arguments, generator=generator)]
    if kernel == "poisson":
        return [torch.poisson((given * arguments[0]).to(dtype), generator=generator)]
    out = in_layout(torch.empty, shape, layout, dtype)
    if kernel == "bernoulli_each":
        return [out.bernoulli_(given.to(getattr(torch, arguments[0])), generator=generator)]
    if kernel == "dropout_noise":
        with torch.random.fork_rng(devices=[]):
            torch.set_rng_state(generator.get_state())
            out = torch.nn.functional.dropout(out.fill_(1), *arguments)
            generator.set_state(torch.get_rng_state())
        return [out]
    method = "random_" if kernel == "random_between" else f"{kernel}_"
    return [getattr(out, method)(*arguments, generator=generator)]


def outcome(step: Step, generator: Any, torch: Any = None) -> str:
    """Carry a step out and return the digest of the numbers, and the first few, or the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # random_ warns of bounds beyond a dtype's precision
            results = with_pullback(step, generator) if torch is None else with_torch(torch, step, generator)
    except (RuntimeError, NotImplementedError) as error:
        return f"{type(error).__name__}: {error}"
    if torch is not None:
        first = results[-1].reshape(-1)[:3].to(torch.complex128).numpy()
        results = [tensor.clone(memory_format=torch.contiguous_format).reshape(-1) for tensor in results]
        results = [tensor.view(torch.uint8).numpy() for tensor in results if tensor.numel()]
    else:
        first = results[-1].reshape(-1)[:3].astype(np.complex128)
    text = digest(b"".join(array.tobytes() for array in results))
    if uses_c_library(step):
        text += "".join(f" {number.real:.6g}" for number in first)
    return text


def uses_c_library(step: Step) -> bool:
    kernel, name, shape, layout, _ = step
    blocks = layout == "plain" and math.prod(shape) * (2 if name in COMPLEX else 1) >= 16
    wide = name in ("float64", "complex128")
    return kernel in USES_C_LIBRARY and (kernel != "normal" or wide or not blocks)


# --- which steps --------------------------------------------------------------------------------------------


def systematic() -> Iterator[Step]:
    """Every kernel and dtype over sizes below, at and above the thresholds."""
    for name in FLOATING:
        for kernel, arguments in (
            ("uniform", []), ("uniform", [-0.3, 0.7]), ("normal", []), ("normal", [0.25, 1.7]),
            ("log_normal", [0.5, 0.75]), ("exponential", []), ("exponential", [2.5]), ("cauchy", []),
            ("cauchy", [1.5, 0.3]), ("geometric", [0.3]), ("bernoulli", [0.3]),
            ("bernoulli_each", ["float32"]), ("dropout_noise", [0.3]), ("random", []),
        ):  # fmt: skip
            yield [kernel, name, SIZES if kernel != "cauchy" else SIZES[:-1], "sizes", arguments]
        yield ["randperm", name, [1, 2, 3, 10, 100, 349, 350, 351, 2000], "sizes", []]
        yield ["poisson", name, [1, 10, 100], "sizes", [4.0]]
        yield ["poisson", name, [1, 10, 100], "sizes", [400.0]]
    for name in COMPLEX:
        for kernel in ("uniform", "normal"):
            yield [kernel, name, SIZES, "sizes", []]
    for name in INTEGER:
        for arguments in (
            [0, 2], [0, 100], [-100, 28], [0, 2**28 - 1], [0, 2**28], [-(2**40), 2**62 + 1], [5, None],
        ):  # fmt: skip
            yield ["random_between", name, SIZES, "sizes", arguments]
        yield ["random", name, SIZES, "sizes", []]
        yield ["bernoulli", name, SIZES, "sizes", [0.75]]
        yield ["geometric", name, SIZES, "sizes", [0.05]]
        yield ["randperm", name, [1, 2, 100], "sizes", []]
    for name in ("int64", "float32", "float64", "bfloat16", "int32"):
        yield ["random_between", name, SIZES, "sizes", [-(2**63), None]]
    yield ["randperm", "int64", [100_003, 1_000_000], "sizes", []]


def refused() -> Iterator[Step]:
    """Steps that torch refuses."""
    for kernel, name, arguments in (
        ("uniform", "float16", [-65000, 65000]), ("uniform", "float32", [1.5, -2.123456789]),
        ("uniform", "float32", [0, 1e39]), ("uniform", "complex64", [-1e39, 0]),
        ("uniform", "int64", [0, 1]), ("normal", "float32", [0, -0.123456789]), ("normal", "int64", [0, 1]),
        ("log_normal", "float32", [0, 0]), ("log_normal", "complex64", [0, 1]),
        ("exponential", "float32", [-2]), ("exponential", "int64", [1]),
        ("cauchy", "float32", [0, 0]), ("cauchy", "int64", [0, 1]), ("geometric", "float32", [1.5]),
        ("geometric", "bool", [0.5]), ("bernoulli", "float32", [1.5]), ("bernoulli", "complex64", [0.5]),
        ("bernoulli_each", "complex64", ["float32"]), ("bernoulli_each", "float32", ["int64"]),
        ("random_between", "int64", [5, 3]), ("random_between", "int16", [0, 2**40]),
        ("random_between", "uint8", [-5, None]), ("random_between", "uint64", [5, None]),
        ("random_between", "bfloat16", [2**24 + 1, 2**24 + 2]),
        ("random_between", "float32", [2**62, None]),
        ("random_between", "float16", [0, 2**40]), ("random_between", "complex64", [0, 5]),
        ("random_between", "complex64", [5, None]), ("random_between", "int32", [-(2**63), None]),
        ("random_between", "float16", [-(2**63), None]), ("random", "uint16", []),
        ("random", "complex64", []), ("poisson", "int64", [1]), ("poisson", "float32", [-1]),
    ):  # fmt: skip
        yield [kernel, name, [3], "plain", arguments]
    for n, name in ((-1, "int64"), (2050, "float16"), (2**24 + 2, "float32"), (129, "int8"), (3, "bool")):
        yield ["randperm", name, [n], "plain", []]


def mixed(seed: int, count: int = 20) -> list[Step]:
    """Return ``count`` steps of all kinds, to be taken with one generator."""
    choose = np.random.RandomState(seed)

    def any_of(options: list[Any]) -> Any:
        return options[choose.randint(len(options))]

    def number(scale: int = 4) -> float:
        return float(choose.standard_normal() * 10.0 ** choose.randint(-scale, scale))

    def shape() -> list[int]:
        kind = choose.randint(8)
        if kind < 4:
            return [int(choose.randint(0, 40))]
        if kind < 7:
            return choose.randint(1, 7, choose.randint(0, 4)).tolist()
        return [int(choose.randint(40, 3000))]

    def between() -> list[Any]:
        ends = [int(choose.randint(-(2**62), 2**62)) >> int(choose.randint(0, 62)) for _ in range(2)]
        low, high = sorted(ends)
        return any_of([[low, high], [low, None], [0, abs(high)], [0, 10]])

    def one() -> Step:
        kernel = any_of([
            "uniform", "uniform", "normal", "normal", "normal", "log_normal", "exponential", "cauchy",
            "geometric", "bernoulli", "bernoulli_each", "dropout_noise", "random", "random_between",
            "randperm", "multinomial",
        ])
        name = any_of(FLOATING)
        sides, layout = shape(), any_of(LAYOUTS)
        arguments: list[Any] = []
        if kernel == "uniform":
            name, arguments = any_of(FLOATING + COMPLEX), any_of([[], sorted((number(), number()))])
        elif kernel == "normal":
            name, arguments = any_of(FLOATING + COMPLEX), any_of([[], [number(), abs(number())]])
        elif kernel in ("log_normal", "cauchy"):
            arguments = [number(1), abs(number(1))]
        elif kernel == "exponential":
            arguments = any_of([[], [abs(number(2))]])
        elif kernel == "geometric":
            name, arguments = any_of(FLOATING + INTEGER), [float(choose.random_sample())]
        elif kernel == "bernoulli":
            name = any_of(FLOATING + INTEGER)
            arguments = [any_of([0.0, 1.0, 0.5, float(choose.random_sample())])]
        elif kernel == "bernoulli_each":
            name, arguments = any_of(FLOATING + INTEGER), [any_of(FLOATING)]
        elif kernel == "dropout_noise":
            sides, layout = [*(max(1, side) for side in sides), 3], "plain"
            arguments = [any_of([0.1, 0.5, 1.0, float(choose.random_sample())])]
        elif kernel in ("random", "random_between"):
            name = any_of(FLOATING + INTEGER + ["complex64"])
            arguments = between() if kernel == "random_between" else []
        elif kernel == "randperm":
            name, sides = any_of(FLOATING + INTEGER), [int(choose.randint(0, any_of([20, 600])))]
        elif kernel == "multinomial":
            name, sides = any_of(FLOATING[:2]), any_of([[5], [100], [3, 7], [2, 60]])
            arguments = any_of([[1], [3], [5, False], [1, True], [40, True]])
        return [kernel, name, sides, layout, arguments]

    return [one() for _ in range(count)]

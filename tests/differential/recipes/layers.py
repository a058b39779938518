"""Convolutions, pools, normalisations and what else layers are made of."""

from __future__ import annotations

from ..builder import FLOATS, Builder, Ref, call, some
from . import Drawn, recipe

F = "torch.nn.functional"
REAL = ("float32", "float64")


def image(b: Builder, spatial: int, channels: int | None = None, largest: int = 6) -> Ref:
    """A batch with channels and `spatial` dimensions."""
    shape = (
        b.rng.randint(1, 2),
        channels or b.rng.randint(1, 4),
        *(b.rng.randint(3, largest) for _ in range(spatial)),
    )

    def fits(tensor: object) -> bool:
        have = tuple(tensor.shape)  # type: ignore[attr-defined]
        return (
            len(have) == spatial + 2 and min(have) > 0 and min(have[2:]) >= 3 and channels in (None, have[1])
        )

    return b.pick(REAL, where=fits, shape=lambda: shape, fresh=0.3)


@recipe(6)
def convolution(b: Builder) -> Drawn:
    spatial = b.one((1, 2, 2))
    x = image(b, spatial)
    channels = b.value(x).shape[1]
    groups = b.one([g for g in (1, 2, channels) if channels % g == 0]) if b.chance(0.3) else 1
    dtype = b.dtype_of(x)
    kernel = tuple(b.rng.randint(1, 3) for _ in range(spatial))
    features = groups * b.rng.randint(1, 2)
    weight = b.leaf(dtype, (features, channels // groups, *kernel))
    bias = (b.leaf(dtype, (features,)),) if b.chance(0.6) else ()
    kwargs = some(
        b,
        {
            "stride": lambda: b.one((1, 2)),
            "padding": lambda: b.one((0, 1, "valid")),
            "dilation": lambda: b.one((1, 2)),
        },
    )
    if groups > 1:
        kwargs["groups"] = groups
    return call(f"{F}.conv{spatial}d", x, weight, *bias, **kwargs)


@recipe(2)
def same_convolution(b: Builder) -> Drawn:
    x = image(b, 2)
    weight = b.leaf(b.dtype_of(x), (2, b.value(x).shape[1], 3, b.one((2, 3))))
    return call(f"{F}.conv2d", x, weight, padding="same")


@recipe(2)
def transposed_convolution(b: Builder) -> Drawn:
    spatial = b.one((1, 2))
    x = image(b, spatial, largest=4)
    channels = b.value(x).shape[1]
    groups = b.one([g for g in (1, channels) if channels % g == 0])
    dtype = b.dtype_of(x)
    per_group = b.rng.randint(1, 2)
    weight = b.leaf(dtype, (channels, per_group, *(b.rng.randint(1, 3) for _ in range(spatial))))
    bias = (b.leaf(dtype, (per_group * groups,)),) if b.chance(0.5) else ()
    kwargs = some(b, {"padding": lambda: b.one((0, 1)), "dilation": lambda: b.one((1, 2))})
    if b.chance(0.5):
        kwargs |= {"stride": 2} | some(b, {"output_padding": lambda: 1}, 0.5)
    if groups > 1:
        kwargs["groups"] = groups
    return call(f"{F}.conv_transpose{spatial}d", x, weight, *bias, **kwargs)


@recipe(4)
def pool(b: Builder) -> Drawn:
    spatial = b.one((1, 2, 2))
    x = image(b, spatial)
    match b.one(("max", "max", "avg", "adaptive_avg", "adaptive_max", "lp")):
        case "max":
            kwargs = some(
                b,
                {
                    "stride": lambda: b.one((1, 2)),
                    "padding": lambda: 1,
                    "ceil_mode": lambda: True,
                    "return_indices": lambda: True,
                },
                0.3,
            )
            return call(f"{F}.max_pool{spatial}d", x, b.one((2, 3)), **kwargs)
        case "avg":
            kwargs = some(
                b,
                {
                    "stride": lambda: b.one((1, 2)),
                    "padding": lambda: 1,
                    "ceil_mode": lambda: True,
                    "count_include_pad": lambda: False,
                },
                0.3,
            )
            return call(f"{F}.avg_pool{spatial}d", x, b.one((2, 3)), **kwargs)
        case "lp":
            return call(f"{F}.lp_pool{spatial}d", x, 2, 2)
        case name:
            return call(f"{F}.{name}_pool{spatial}d", x, b.rng.randint(1, 3))


@recipe(3)
def layer_norm(b: Builder) -> Drawn:
    x = b.pick(REAL, min_ndim=1, where=lambda t: t.numel() > 0)
    shape = tuple(b.value(x).shape)
    normalized = shape[b.rng.randrange(len(shape)) :]
    dtype = b.dtype_of(x)
    affine = b.one((0, 1, 2))
    return call(f"{F}.layer_norm", x, normalized, *(b.leaf(dtype, normalized) for _ in range(affine)))


@recipe(3)
def batch_norm(b: Builder) -> Drawn:
    x = b.pick(
        REAL,
        ndim=(2, 3, 4),
        where=lambda t: t.numel() > t.shape[1] > 0,
        shape=lambda: (3, *b.shape(b.one((1, 2, 3)))),
    )
    channels = (b.value(x).shape[1],)
    dtype = b.dtype_of(x)
    running = b.leaf(dtype, channels, 0), b.leaf(dtype, channels, 0, values=lambda: b.rng.randint(1, 8) / 4)
    affine = (b.leaf(dtype, channels), b.leaf(dtype, channels)) if b.chance(0.6) else ()
    if b.chance(0.3):
        return call(f"{F}.batch_norm", x, None, None, *affine, training=True)
    return call(
        f"{F}.batch_norm", x, *running, *affine, training=b.chance(0.6), **some(b, {"momentum": lambda: 0.5})
    )


@recipe(1.5)
def group_norm(b: Builder) -> Drawn:
    x = b.pick(
        REAL, ndim=(2, 3, 4), where=lambda t: t.numel() > 0 and t.shape[1] % 2 == 0, shape=lambda: (2, 4, 3)
    )
    channels = b.value(x).shape[1]
    dtype = b.dtype_of(x)
    affine = (b.leaf(dtype, (channels,)), b.leaf(dtype, (channels,))) if b.chance(0.5) else ()
    return call(f"{F}.group_norm", x, b.one((1, 2, channels)), *affine)


@recipe(1)
def other_norms(b: Builder) -> Drawn:
    match b.one(("instance", "rms", "normalize", "local")):
        case "instance":
            return call(f"{F}.instance_norm", image(b, b.one((1, 2))))
        case "rms":
            x = b.pick(REAL, min_ndim=1, where=lambda t: t.numel() > 0)
            return call(f"{F}.rms_norm", x, (b.value(x).shape[-1],))
        case "normalize":
            x = b.pick(REAL, min_ndim=1)
            return call(
                f"{F}.normalize", x, dim=b.dim(b.value(x)), **some(b, {"p": lambda: b.one((1.0, 2.0))})
            )
    return call(f"{F}.local_response_norm", image(b, 2), 2)


@recipe(2)
def dropout_off(b: Builder) -> Drawn:
    x = b.pick(FLOATS)
    return call(f"{F}.dropout", x, *((0.0,) if b.chance(0.5) else (0.5, False)))


@recipe(1)
def patches(b: Builder) -> Drawn:
    if b.chance(0.6):
        return call(f"{F}.unfold", image(b, 2), 2, **some(b, {"stride": lambda: 2, "padding": lambda: 1}))
    columns = b.pick(
        REAL, where=lambda t: t.dim() == 3 and tuple(t.shape[1:]) == (4, 4), shape=lambda: (1, 4, 4)
    )
    return call(f"{F}.fold", columns, (3, 3), 2)


@recipe(1)
def resized(b: Builder) -> Drawn:
    x = image(b, 2, largest=4)
    mode = b.one(("nearest", "bilinear", "bicubic"))
    kwargs = {"align_corners": b.chance(0.5)} if mode != "nearest" else {}
    return call(f"{F}.interpolate", x, scale_factor=2, mode=mode, **kwargs)


@recipe(0.7)
def shuffled_pixels(b: Builder) -> Drawn:
    if b.chance(0.5):
        return call(f"{F}.pixel_shuffle", image(b, 2, channels=4, largest=4), 2)
    return call(f"{F}.pixel_unshuffle", b.leaf(b.dtype(REAL), (1, 1, 4, 4)), 2)


@recipe(1)
def attention(b: Builder) -> Drawn:
    dtype = b.dtype(REAL)
    length, width = b.rng.randint(1, 4), b.rng.randint(1, 4)
    # A query whose scores are all nan gives 0 in torch where a row is shorter than the processor's vectors.
    numbers = iter(b.rng.choices(range(-11, 12), k=3 * 2 * length * width))
    query, key, value = (
        b.leaf(dtype, (1, 2, length, width), values=lambda: next(numbers) / 4) for _ in range(3)
    )
    return call(
        f"{F}.scaled_dot_product_attention", query, key, value, **some(b, {"is_causal": lambda: True})
    )

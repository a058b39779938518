"""Steps over sequences in jax."""

from __future__ import annotations

import math
from typing import Any

from benchmarks.case import Case, Library
from benchmarks.suite.in_jax.cases import (
    cross_entropy,
    dense,
    given,
    gru,
    layer_norm,
    layers,
    lstm,
    names,
    training,
    whole,
)
from benchmarks.suite.steps import parameter


def lstm_language(library: Library, source: Any) -> Case:
    jax, _ = names(library)
    nn = source.nn
    embed, cells, head = nn.Embedding(1000, 64), nn.LSTM(64, 128, batch_first=True), nn.Linear(128, 1000)
    words = source.randint(1000, (16, 33))

    def loss(p: Any, words: Any) -> Any:
        rows = p["embed.weight"][words[:, :-1].T]
        logits = dense(p, "head", lstm(jax, p, "lstm", rows, 128))
        return cross_entropy(jax, logits, words[:, 1:].T)

    return training(library, layers(embed=embed, lstm=cells, head=head), loss, [words])


def gru_classifier(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    nn = source.nn
    cells, head = nn.GRU(12, 48, batch_first=True, bidirectional=True), nn.Linear(96, 6)
    x, target = source.randn(32, 40, 12), source.randint(6, (32,))

    def loss(p: Any, x: Any, target: Any) -> Any:
        rows = x.swapaxes(0, 1)
        both = [gru(jax, p, "gru", rows, 48, suffix) for suffix in ("", "_reverse")]
        return cross_entropy(jax, dense(p, "head", jnp.concatenate(both, 2).mean(0)), target)

    return training(library, layers(gru=cells, head=head), loss, [x, target])


def recurrent_by_hand(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    inputs, states = parameter(source, 8, 64), parameter(source, 64, 64)
    out = parameter(source, 64, 1)
    x, y = source.randn(50, 16, 8), source.randn(16, 1)

    def loss(p: Any, x: Any, y: Any) -> Any:
        def advance(h: Any, row: Any) -> Any:
            return jnp.tanh(row @ p["inputs"] + h @ p["states"]), None

        h, _ = jax.lax.scan(advance, jnp.zeros((16, 64)), x)
        return ((h @ p["out"] - y) ** 2).mean()

    return training(library, {"inputs": inputs, "states": states, "out": out}, loss, [x, y])


def causal_convolutions(library: Library, source: Any) -> Case:
    jax, _ = names(library)
    nn = source.nn
    first = nn.Conv1d(1, 32, 1)
    stack = nn.ModuleList(nn.Conv1d(32, 32, 3, dilation=2**k) for k in range(4))
    head = nn.Conv1d(32, 1, 1)
    x = source.randn(16, 1, 257)

    def convolve(p: Any, name: str, x: Any, dilation: int = 1) -> Any:
        w = p[f"{name}.weight"]
        before = (w.shape[2] - 1) * dilation
        h = jax.lax.conv_general_dilated(
            x, w, (1,), [(before, 0)], rhs_dilation=(dilation,), dimension_numbers=("NCH", "OIH", "NCH")
        )
        return h + p[f"{name}.bias"][:, None]

    def loss(p: Any, x: Any) -> Any:
        h = convolve(p, "first", x[:, :, :-1])
        for k in range(4):
            h = h + jax.nn.relu(convolve(p, f"layers.{k}", h, 2**k))
        return ((convolve(p, "head", h) - x[:, :, 1:]) ** 2).mean()

    return training(library, layers(first=first, layers=stack, head=head), loss, [x])


def causal_attention(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    mix, out = source.nn.Linear(128, 384), source.nn.Linear(128, 128)
    x = source.randn(4, 256, 128)

    def loss(p: Any, x: Any) -> Any:
        q, k, v = dense(p, "mix", x).reshape(4, 256, 3, 4, 32).transpose(2, 0, 3, 1, 4)
        scores = q @ k.swapaxes(-1, -2) / math.sqrt(32)
        weights = jax.nn.softmax(jnp.where(jnp.tri(256, dtype=bool), scores, -jnp.inf))
        return (dense(p, "out", (weights @ v).swapaxes(1, 2).reshape(4, 256, 128)) ** 2).mean()

    return training(library, layers(mix=mix, out=out), loss, [x])


def cached_decoding(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    nn = source.nn
    parts = ("norm1", "mix", "out", "norm2", "up", "down")
    made = [
        (nn.LayerNorm(128), nn.Linear(128, 384), nn.Linear(128, 128), nn.LayerNorm(128),
         nn.Linear(128, 512), nn.Linear(512, 128))
        for _ in range(2)
    ]  # fmt: skip
    caches = [(source.randn(1, 4, 127, 32), source.randn(1, 4, 127, 32)) for _ in made]
    token = source.randn(1, 1, 128)

    def decode(blocks: Any, caches: Any, x: Any) -> Any:
        for p, (keys, values) in zip(blocks, caches):
            row = dense(p, "mix", layer_norm(jnp, p, "norm1", x))
            q, k, v = row.reshape(1, 1, 3, 4, 32).transpose(2, 0, 3, 1, 4)
            k, v = jnp.concatenate([keys, k], 2), jnp.concatenate([values, v], 2)
            weights = jax.nn.softmax(q @ k.swapaxes(-1, -2) / math.sqrt(32))
            x = x + dense(p, "out", (weights @ v).swapaxes(1, 2).reshape(1, 1, 128))
            h = jax.nn.gelu(dense(p, "up", layer_norm(jnp, p, "norm2", x)), approximate=False)
            x = x + dense(p, "down", h)
        return x

    blocks = [layers(**dict(zip(parts, block))) for block in made]
    return whole(library, decode, blocks, caches, token)


def conditional_field(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    words, tags = source.randint(500, (16, 40)), source.randint(9, (16, 40))
    start = {name: parameter(source, *shape) for name, shape in
             {"embedded": (500, 32), "head": (32, 9), "moves": (9, 9)}.items()}  # fmt: skip

    def loss(p: Any, words: Any, tags: Any) -> Any:
        scores, moves = p["embedded"][words] @ p["head"], p["moves"]

        def advance(alpha: Any, now: Any) -> Any:
            return jax.nn.logsumexp(alpha[:, :, None] + moves[None], 1) + now, None

        alpha, _ = jax.lax.scan(advance, scores[:, 0], scores[:, 1:].swapaxes(0, 1))
        path = jnp.take_along_axis(scores, tags[:, :, None], 2).sum((1, 2))
        path = path + moves[tags[:, :-1], tags[:, 1:]].sum(1)
        return (jax.nn.logsumexp(alpha, 1) - path).mean()

    return training(library, start, loss, [words, tags])


def float64_lstm(library: Library, source: Any) -> Case:
    jax, jnp = names(library, float64=True)
    f64 = source.float64
    inputs, states = parameter(source, 5, 160, dtype=f64), parameter(source, 40, 160, dtype=f64)
    bias, out = source.zeros(160, dtype=f64), parameter(source, 40, 1, dtype=f64)
    x, y = source.randn(30, 12, 5, dtype=f64), source.randn(12, 1, dtype=f64)

    def loss(p: Any, x: Any, y: Any) -> Any:
        def advance(state: Any, row: Any) -> Any:
            h, c = state
            i, f, g, o = jnp.split(row @ p["inputs"] + h @ p["states"] + p["bias"], 4, 1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        zeros = jnp.zeros((12, 40))
        (h, _), _ = jax.lax.scan(advance, (zeros, zeros), x)
        return ((h @ p["out"] - y) ** 2).mean()

    start = {"inputs": inputs, "states": states, "bias": bias, "out": out}
    return training(library, start, loss, [x, y])


def rotary_decoding(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    mix, out = source.randn(256, 384) * 0.06, source.randn(256, 256) * 0.06
    keys, values = source.randn(2, 256, 32), source.randn(2, 256, 32)
    token = source.randn(1, 256)
    angle = 200 * source.exp(-source.arange(16) * 0.5)
    turns = given(library, (angle.cos(), angle.sin()))

    def turned(h: Any) -> Any:
        (cosine, sine), a, b = turns, h[..., ::2], h[..., 1::2]
        return jnp.stack([a * cosine - b * sine, a * sine + b * cosine], -1).reshape(h.shape)

    def decode(mix: Any, out: Any, keys: Any, values: Any, token: Any) -> Any:
        q, k, v = jnp.split(token @ mix, [256, 320], 1)
        k = keys.at[:, 200].set(turned(k.reshape(2, 32)))
        v = values.at[:, 200].set(v.reshape(2, 32))
        scores = turned(q.reshape(2, 4, 32)) @ k.mT / math.sqrt(32)
        weights = jax.nn.softmax(jnp.where(jnp.arange(256) > 200, -jnp.inf, scores))
        return (weights @ v).reshape(1, 256) @ out

    return whole(library, decode, mix, out, keys, values, token)


def one_sequence(library: Library, source: Any) -> Case:
    jax, _ = names(library)
    nn = source.nn
    cells, head = nn.LSTM(6, 32), nn.Linear(32, 3)
    x = source.randn(24, 1, 6)

    def infer(p: Any, x: Any) -> Any:
        return jax.nn.softmax(dense(p, "head", lstm(jax, p, "lstm", x, 32)[-1]))

    return whole(library, infer, layers(lstm=cells, head=head), x)

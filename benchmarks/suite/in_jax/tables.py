"""Steps over graphs, tables and signals, and those that differentiate a network as a whole, in jax."""

from __future__ import annotations

from typing import Any

from benchmarks.case import Case, Library
from benchmarks.suite.in_jax.cases import (
    chain,
    cross_entropy,
    dense,
    layer_norm,
    layers,
    names,
    training,
    whole,
)
from benchmarks.suite.steps import parameter


def graph_convolution(library: Library, source: Any) -> Case:
    jax, _ = names(library)
    x, (start, sink) = source.randn(1000, 32), source.randint(1000, (2, 6000))
    w1, w2 = parameter(source, 32, 64), parameter(source, 64, 7)
    target = source.randint(7, (1000,))
    degree = source.zeros(1000).index_add(0, sink, source.ones(6000)).clamp(min=1)

    def loss(p: Any, x: Any, start: Any, sink: Any, degree: Any, target: Any) -> Any:
        def layer(h: Any, w: Any) -> Any:
            return jax.ops.segment_sum((h @ w)[start], sink, num_segments=1000) / degree[:, None]

        return cross_entropy(jax, layer(jax.nn.relu(layer(x, p["w1"])), p["w2"]), target)

    return training(library, {"w1": w1, "w2": w2}, loss, [x, start, sink, degree, target])


def sparse_graph(library: Library, source: Any) -> Case:
    jax, _ = names(library)
    (row, column), weight = source.randint(2000, (2, 10000)), source.rand(10000) / 5
    x, target = source.randn(2000, 24), source.randint(6, (2000,))
    w1, w2 = parameter(source, 24, 32), parameter(source, 32, 6)

    def loss(p: Any, row: Any, column: Any, weight: Any, x: Any, target: Any) -> Any:
        def product(h: Any) -> Any:
            return jax.ops.segment_sum(weight[:, None] * h[column], row, num_segments=2000)

        return cross_entropy(jax, product(jax.nn.relu(product(x @ p["w1"])) @ p["w2"]), target)

    return training(library, {"w1": w1, "w2": w2}, loss, [row, column, weight, x, target])


def recommender(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    nn = source.nn
    users, items = nn.Embedding(5000, 32), nn.Embedding(2000, 32)
    net = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, 32))
    top = nn.Sequential(nn.Linear(35, 64), nn.ReLU(), nn.Linear(64, 1))
    who, what, x = source.randint(5000, (256,)), source.randint(2000, (256,)), source.randn(256, 13)
    clicked = (source.rand(256) < 0.3).float()

    def loss(p: Any, who: Any, what: Any, x: Any, clicked: Any) -> Any:
        a, b = p["users.weight"][who], p["items.weight"][what]
        c = chain(p, "dense", x, jax.nn.relu, 2)
        products = jnp.stack([(a * b).sum(1), (a * c).sum(1), (b * c).sum(1)], 1)
        logits = chain(p, "top", jnp.concatenate([c, products], 1), jax.nn.relu, 2)[:, 0]
        return (jax.nn.softplus(logits) - clicked * logits).mean()

    parameters = layers(users=users, items=items, dense=net, top=top)
    return training(library, parameters, loss, [who, what, x, clicked])


def fourier_filter(library: Library, source: Any) -> Case:
    _, jnp = names(library)
    x, y = source.randn(64, 1024), source.randn(64, 1024)

    def loss(p: Any, x: Any, y: Any) -> Any:
        spectrum = jnp.fft.rfft(x) * (p["response"][:, 0] + 1j * p["response"][:, 1])
        return ((jnp.fft.irfft(spectrum, n=1024) - y) ** 2).mean()

    return training(library, {"response": source.ones(513, 2)}, loss, [x, y], "SGD")


def sample_gradients(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    w1, w2 = source.randn(20, 32) * 0.1, source.randn(32, 5) * 0.1
    x, target = source.randn(64, 20), source.randint(5, (64,))

    def loss(w1: Any, w2: Any, row: Any, label: Any) -> Any:
        return -jax.nn.log_softmax(jnp.tanh(row @ w1) @ w2)[label]

    every = jax.vmap(jax.grad(loss, (0, 1)), (None, None, 0, 0))
    return whole(library, every, w1, w2, x, target)


def meta_learning(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    first = parameter(source, 1, 40, scale=0.5)
    start = {"0": first, "1": source.zeros(40), "2": parameter(source, 40, 1)}
    x, y = source.rand(4, 10, 1) * 6, source.randn(4, 10, 1)

    def error(p: Any, x: Any, y: Any) -> Any:
        return ((jnp.tanh(x @ p["0"] + p["1"]) @ p["2"] - y) ** 2).mean()

    def adapted(p: Any, x: Any, y: Any) -> Any:
        fast = p
        for _ in range(3):
            fast = jax.tree.map(lambda a, g: a - 0.05 * g, fast, jax.grad(error)(fast, x, y))
        return error(fast, x, y)

    def loss(p: Any, x: Any, y: Any) -> Any:
        return jax.vmap(adapted, (None, 0, 0))(p, x, y).sum()

    return training(library, start, loss, [x, y])


def float64_network(library: Library, source: Any) -> Case:
    jax, jnp = names(library, float64=True)
    nn = source.nn
    net = nn.Sequential(
        nn.Linear(50, 128), nn.LayerNorm(128), nn.GELU(), nn.Linear(128, 128), nn.LayerNorm(128), nn.GELU(),
        nn.Linear(128, 1),
    ).double()  # fmt: skip
    x, y = source.randn(64, 50, dtype=source.float64), source.randn(64, 1, dtype=source.float64)

    def loss(p: Any, x: Any, y: Any) -> Any:
        for k in (0, 3):
            h = layer_norm(jnp, p, f"net.{k + 1}", dense(p, f"net.{k}", x))
            x = jax.nn.gelu(h, approximate=False)
        return ((dense(p, "net.6", x) - y) ** 2).mean()

    return training(library, layers(net=net), loss, [x, y], "AdamW", clip=1.0)


def odd_sizes(library: Library, source: Any) -> Case:
    jax, _ = names(library)
    nn = source.nn
    net = nn.Sequential(nn.Linear(37, 53), nn.ELU(), nn.Linear(53, 29), nn.Softplus(), nn.Linear(29, 11))
    x, target = source.randn(13, 37), source.randint(11, (13,))

    def loss(p: Any, x: Any, target: Any) -> Any:
        h = jax.nn.softplus(dense(p, "net.2", jax.nn.elu(dense(p, "net.0", x))))
        return cross_entropy(jax, dense(p, "net.4", h), target)

    return training(library, layers(net=net), loss, [x, target])

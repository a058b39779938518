"""Steps of probabilistic programs and of agents in jax."""

from __future__ import annotations

import math
from typing import Any

from benchmarks.case import Case, Library
from benchmarks.suite.in_jax.cases import chain, layers, names, training
from benchmarks.suite.steps import parameter


def gaussian_mixture(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    x = source.randn(2000, 8)
    means, scales = parameter(source, 16, 8, scale=1), parameter(source, 16, 8)
    weights = parameter(source, 16)

    def loss(p: Any, x: Any) -> Any:
        z = (x[:, None] - p["means"][None]) * jnp.exp(-p["scales"])[None]
        logs = -0.5 * (z * z).sum(-1) - p["scales"].sum(-1) + jax.nn.log_softmax(p["weights"])
        return -jax.nn.logsumexp(logs, 1).mean()

    return training(library, {"means": means, "scales": scales, "weights": weights}, loss, [x])


def policy_learns(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    nn = source.nn
    net = nn.Sequential(nn.Linear(11, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 3))
    critic = nn.Sequential(nn.Linear(11, 64), nn.Tanh(), nn.Linear(64, 1))
    states, actions, returns = source.randn(256, 11), source.randn(256, 3), source.randn(256)
    before = source.randn(256) - 4
    half = 0.5 * math.log(2 * math.pi)

    def loss(p: Any, states: Any, actions: Any, returns: Any, before: Any) -> Any:
        z = (actions - chain(p, "net", states, jnp.tanh, 3)) / jnp.exp(p["log_std"])
        logs = (-0.5 * z * z - p["log_std"] - half).sum(-1)
        values = chain(p, "critic", states, jnp.tanh, 2)[:, 0]
        advantage = jax.lax.stop_gradient(returns - values)
        advantage = (advantage - advantage.mean()) / (advantage.std(ddof=1) + 1e-8)
        ratio = jnp.exp(logs - before)
        clipped = jnp.minimum(ratio * advantage, jnp.clip(ratio, 0.8, 1.2) * advantage)
        entropy = (0.5 + half + p["log_std"]).sum()
        return -clipped.mean() + 0.5 * ((returns - values) ** 2).mean() - 0.01 * entropy

    parameters = layers(net=net, critic=critic) | {"log_std": source.zeros(3)}
    return training(library, parameters, loss, [states, actions, returns, before], lr=3e-4, clip=0.5)


def q_learning(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    nn = source.nn
    make = lambda: nn.Sequential(nn.Linear(8, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 4))  # noqa: E731, E501
    net, target = make(), make()
    states, after = source.randn(64, 8), source.randn(64, 8)
    actions, rewards = source.randint(4, (64, 1)), source.randn(64)
    done = (source.rand(64) < 0.1).float()

    def loss(p: Any, other: Any, states: Any, after: Any, actions: Any, rewards: Any, done: Any) -> Any:
        q = jnp.take_along_axis(chain(p, "net", states, jax.nn.relu, 3), actions, 1)[:, 0]
        best = chain(p, "net", after, jax.nn.relu, 3).argmax(1)[:, None]
        value = jnp.take_along_axis(chain(other, "net", after, jax.nn.relu, 3), best, 1)[:, 0]
        error = jnp.abs(q - (rewards + 0.99 * (1 - done) * value))
        return jnp.where(error < 1, 0.5 * error * error, error - 0.5).mean()

    data = [layers(net=target), states, after, actions, rewards, done]
    return training(library, layers(net=net), loss, data)


def coupling_flow(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    nn = source.nn
    nets = nn.ModuleList(nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 8)) for _ in range(6))
    x = source.randn(256, 8)

    def loss(p: Any, x: Any) -> Any:
        a, b, logs = x[:, :4], x[:, 4:], 0.0
        for k in range(6):
            shift, scale = jnp.split(chain(p, f"nets.{k}", a, jax.nn.relu, 2), 2, 1)
            scale = jnp.tanh(scale)
            b = b * jnp.exp(scale) + shift
            logs = logs + scale.sum(1)
            a, b = b, a
        return (0.5 * (a * a + b * b).sum(1) - logs).mean()

    return training(library, layers(nets=nets), loss, [x])


def mixture_density(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    nn = source.nn
    net = nn.Sequential(nn.Linear(3, 50), nn.Tanh(), nn.Linear(50, 15))
    x, y = source.randn(300, 3), source.randn(300, 1)

    def loss(p: Any, x: Any, y: Any) -> Any:
        logits, means, log_scales = jnp.split(chain(p, "net", x, jnp.tanh, 2), 3, 1)
        logs = jax.scipy.stats.norm.logpdf(y, means, jnp.exp(log_scales))
        return -jax.nn.logsumexp(jax.nn.log_softmax(logits) + logs, 1).mean()

    return training(library, layers(net=net), loss, [x, y])

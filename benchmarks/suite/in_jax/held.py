"""Held steps in jax."""

from __future__ import annotations

from typing import Any

from benchmarks.case import Case, Library
from benchmarks.suite.in_jax.cases import chain, cross_entropy, layers, names, training, whole
from benchmarks.suite.steps import parameter


def process_predicts(library: Library, source: Any) -> Case:
    jax, jnp = names(library, float64=True)
    x, z = source.rand(150, 2, dtype=source.float64), source.rand(100, 2, dtype=source.float64)
    y = source.sin(6 * x[:, :1])

    def kernel(a: Any, b: Any) -> Any:
        return jnp.exp(-3 * ((a[:, None] - b[None]) ** 2).sum(-1))

    def predict(x: Any, y: Any, z: Any) -> Any:
        chol = jnp.linalg.cholesky(kernel(x, x) + 0.01 * jnp.eye(150))
        weights = jax.scipy.linalg.cho_solve((chol, True), y)
        cross = kernel(z, x)
        v = jax.scipy.linalg.solve_triangular(chol, cross.T, lower=True)
        return cross @ weights, 1 - (v * v).sum(0)

    return whole(library, predict, x, y, z)


def eigenvalue_loss(library: Library, source: Any) -> Case:
    _, jnp = names(library, float64=True)
    w = parameter(source, 40, 40, dtype=source.float64, scale=1)

    def loss(p: Any) -> Any:
        return jnp.linalg.eigvalsh(p["w"] + p["w"].T)[-5:].sum()

    return training(library, {"w": w}, loss, optimizer="SGD")


def double_pendulum(library: Library, source: Any) -> Case:
    jax, jnp = names(library, float64=True)
    start = source.rand(32, 4, dtype=source.float64) * 0.5

    def slope(s: Any) -> Any:
        a, b, u, v = s.T
        d = a - b
        c, n = jnp.cos(d), jnp.sin(d)
        below = 2 - c * c
        du = (-9.8 * 2 * jnp.sin(a) + 9.8 * c * jnp.sin(b) - n * (v * v + u * u * c)) / below
        dv = (2 * n * u * u + 19.6 * c * jnp.sin(a) - 19.6 * jnp.sin(b) + n * c * v * v) / below
        return jnp.stack([u, v, du, dv], 1)

    def energy(start: Any) -> Any:
        h = 0.02

        def advance(s: Any, _: Any) -> Any:
            k1 = slope(s)
            k2 = slope(s + h / 2 * k1)
            k3 = slope(s + h / 2 * k2)
            return s + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(s + h * k3)), None

        s, _ = jax.lax.scan(advance, start, None, 50)
        return (s * s).sum()

    return whole(library, jax.grad(energy), start)


def wave_equation(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    start = source.exp(-((source.linspace(-1, 1, 400) * 8) ** 2))

    def loss(p: Any, start: Any) -> Any:
        def advance(state: Any, _: Any) -> Any:
            before, now = state
            bend = now[2:] - 2 * now[1:-1] + now[:-2]
            inner = 2 * now[1:-1] - before[1:-1] + p["speed"] * bend
            return (now, jnp.pad(inner, 1)), None

        (_, now), _ = jax.lax.scan(advance, (start, start), None, 80)
        return (now[300:] ** 2).sum()

    return training(library, {"speed": source.full((398,), 0.3)}, loss, [start], "SGD")


def count_regression(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    x, y = source.randn(2000, 10), source.randint(0, 12, (2000,)).float()
    w, spread = parameter(source, 10), source.zeros(())
    lgamma = jax.scipy.special.gammaln

    def loss(p: Any, x: Any, y: Any) -> Any:
        mean, r = jnp.exp(x @ p["w"]), jnp.exp(p["spread"])
        logs = lgamma(y + r) - lgamma(r) - lgamma(y + 1)
        return -(logs + r * jnp.log(r / (r + mean)) + y * jnp.log(mean / (r + mean))).mean()

    return training(library, {"w": w, "spread": spread}, loss, [x, y])


def soft_clusters(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    x, centres = source.randn(3000, 4), source.randn(12, 4)

    def loss(p: Any, x: Any) -> Any:
        d = jnp.sqrt(((x[:, None] - p["centres"][None]) ** 2).sum(-1))
        return (jax.nn.softmax(-5 * d, 1) * d).sum(1).mean()

    return training(library, {"centres": centres}, loss, [x], lr=1e-2)


def ensemble(library: Library, source: Any) -> Case:
    jax, _ = names(library)
    w1, w2 = source.randn(8, 16, 64) * 0.2, source.randn(8, 64, 3) * 0.2
    x = source.randn(100, 16)

    def run(w1: Any, w2: Any, x: Any) -> Any:
        return jax.vmap(lambda a, b: jax.nn.softmax(jax.nn.relu(x @ a) @ b))(w1, w2).mean(0)

    return whole(library, run, w1, w2, x)


def hessian_diagonal(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    w, x = source.randn(30, 30) * 0.3, source.randn(30)

    def diagonal(w: Any, x: Any) -> Any:
        def energy(x: Any) -> Any:
            return jnp.log1p(jnp.exp(w @ jnp.tanh(x))).sum()

        return jnp.diagonal(jax.hessian(energy)(x))

    return whole(library, diagonal, w, x)


def viterbi_path(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    moves, scores = source.randn(12, 12), source.randn(24, 60, 12)

    def decode(moves: Any, scores: Any) -> Any:
        def ahead(best: Any, now: Any) -> Any:
            sums = best[:, :, None] + moves[None]
            return sums.max(1) + now, sums.argmax(1)

        def back(place: Any, came: Any) -> Any:
            place = jnp.take_along_axis(came, place, 1)
            return place, place

        best, came = jax.lax.scan(ahead, scores[:, 0], scores[:, 1:].swapaxes(0, 1))
        last = best.argmax(1)[:, None]
        _, path = jax.lax.scan(back, last, came, reverse=True)
        return best.max(1), jnp.concatenate([last, path[::-1, :, 0].T], 1)

    return whole(library, decode, moves, scores)


def kalman_smoother(library: Library, source: Any) -> Case:
    jax, jnp = names(library, float64=True)
    f64 = source.float64
    move = source.eye(3, dtype=f64) * 0.95 + 0.05 * source.randn(3, 3, dtype=f64)
    look, seen = source.randn(1, 3, dtype=f64), source.randn(25, 1, dtype=f64)

    def energy(log_q: Any, move: Any, look: Any, seen: Any) -> Any:
        q = jnp.diag(jnp.exp(log_q))

        def forth(state: Any, z: Any) -> Any:
            x, p = state
            ahead, spread = move @ x, move @ p @ move.T + q
            gain = spread @ look.T / (look @ spread @ look.T + 0.3)
            x, p = ahead + gain @ (z - look @ ahead), spread - gain @ look @ spread
            return (x, p), (x, p, ahead, spread)

        def back(later: Any, here: Any) -> Any:
            x, p, ahead, spread = here
            later = x + jnp.linalg.solve(spread, move @ p).T @ (later - ahead)
            return later, (later * later).sum()

        (last, _), (x, p, ahead, spread) = jax.lax.scan(forth, (jnp.zeros(3), jnp.eye(3)), seen)
        _, squares = jax.lax.scan(back, last, (x[:-1], p[:-1], ahead[1:], spread[1:]), reverse=True)
        return (last * last).sum() + squares.sum()

    return whole(library, jax.grad(energy), source.full((3,), -1.0, dtype=f64), move, look, seen)


def spectral_equation(library: Library, source: Any) -> Case:
    jax, jnp = names(library, float64=True)
    start = source.randn(256, dtype=source.float64).cumsum(0) * 0.02
    start = start - start.mean()

    def energy(start: Any) -> Any:
        waves = jnp.arange(129.0)
        calm = jnp.exp(-0.002 * waves**2)

        def advance(u: Any, _: Any) -> Any:
            slope = jnp.fft.irfft(1j * waves * jnp.fft.rfft(u), n=256)
            return jnp.fft.irfft(jnp.fft.rfft(u - 0.002 * u * slope) * calm, n=256), None

        u, _ = jax.lax.scan(advance, start, None, 40)
        return (u * u).sum()

    return whole(library, jax.grad(energy), start)


def contrastive(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    nn = source.nn
    net = nn.Sequential(nn.Linear(48, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 32))
    x = source.randn(128, 48)
    one, two = x + 0.1 * source.randn(128, 48), x + 0.1 * source.randn(128, 48)

    def loss(p: Any, one: Any, two: Any) -> Any:
        a, b = (chain(p, "net", v, jax.nn.relu, 3) for v in (one, two))
        a, b = (z / jnp.sqrt((z * z).sum(1, keepdims=True)) for z in (a, b))
        logits, labels = a @ b.T / 0.1, jnp.arange(128)
        return (cross_entropy(jax, logits, labels) + cross_entropy(jax, logits.T, labels)) / 2

    return training(library, layers(net=net), loss, [one, two])

"""Steps of scientific programs in jax."""

from __future__ import annotations

from typing import Any

from benchmarks.case import Case, Library
from benchmarks.suite.in_jax.cases import chain, layers, names, training, whole
from benchmarks.suite.steps import parameter


def gaussian_process(library: Library, source: Any) -> Case:
    jax, jnp = names(library, float64=True)
    x = source.rand(200, 3, dtype=source.float64)
    y = source.sin(x.sum(1) * 4)
    start = {name: source.zeros((), dtype=source.float64) for name in ("length", "scale", "noise")}

    def loss(p: Any, x: Any, y: Any) -> Any:
        d = ((x[:, None] - x[None]) ** 2).sum(-1)
        k = jnp.exp(p["scale"] - 0.5 * d * jnp.exp(-2 * p["length"]))
        chol = jnp.linalg.cholesky(k + (jnp.exp(p["noise"]) + 1e-6) * jnp.eye(200))
        a = jax.scipy.linalg.solve_triangular(chol, y, lower=True)
        return 0.5 * (a * a).sum() + jnp.log(jnp.diagonal(chol)).sum()

    return training(library, start, loss, [x, y], lr=1e-2)


def gravity(library: Library, source: Any) -> Case:
    jax, jnp = names(library, float64=True)
    start = source.randn(64, 3, dtype=source.float64)
    mass = source.rand(64, dtype=source.float64) + 0.5

    def force(p: Any, mass: Any) -> Any:
        d = p[None] - p[:, None]
        r = (d * d).sum(-1) + 0.05
        return (d * (mass[None] / (r * jnp.sqrt(r)))[..., None]).sum(1)

    def end(start: Any, mass: Any) -> Any:
        def advance(state: Any, _: Any) -> Any:
            p, v = state
            v = v + 0.005 * force(p, mass)
            p = p + 0.01 * v
            return (p, v + 0.005 * force(p, mass)), None

        (p, _), _ = jax.lax.scan(advance, (start, jnp.zeros_like(start)), None, 10)
        return (p * p).sum()

    return whole(library, jax.grad(end), start, mass)


def lennard_jones(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    lines = source.meshgrid(*[source.arange(6.0)] * 3, indexing="ij")
    grid = source.stack(lines, -1).reshape(-1, 3)[:108]
    place = grid * 1.2 + 0.05 * source.randn(108, 3)
    box = 7.2

    def energy(place: Any) -> Any:
        d = place[None] - place[:, None]
        d = d - box * jnp.round(d / box)
        r2 = (d * d).sum(-1) + jnp.eye(108) * 1e6
        s6 = 1.0 / r2**3
        return 2.0 * (s6 * s6 - s6).sum()

    return whole(library, jax.grad(energy), place)


def neural_ode(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    nn = source.nn
    net = nn.Sequential(nn.Linear(2, 50), nn.Tanh(), nn.Linear(50, 2))
    start, target = source.randn(32, 2), source.randn(32, 2)

    def loss(p: Any, start: Any, target: Any) -> Any:
        h = 0.05

        def advance(y: Any, _: Any) -> Any:
            k1 = chain(p, "net", y, jnp.tanh, 2)
            k2 = chain(p, "net", y + h / 2 * k1, jnp.tanh, 2)
            k3 = chain(p, "net", y + h / 2 * k2, jnp.tanh, 2)
            k4 = chain(p, "net", y + h * k3, jnp.tanh, 2)
            return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

        y, _ = jax.lax.scan(advance, start, None, 20)
        return ((y - target) ** 2).mean()

    return training(library, layers(net=net), loss, [start, target])


def heat_equation(library: Library, source: Any) -> Case:
    jax, jnp = names(library, float64=True)
    start = source.rand(64, 64, dtype=source.float64)
    conductivity = source.full((64, 64), 0.2, dtype=source.float64)

    def loss(p: Any, start: Any) -> Any:
        def advance(u: Any, _: Any) -> Any:
            around = jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1)
            return u + p["conductivity"] * (around - 4 * u), None

        u, _ = jax.lax.scan(advance, start, None, 60)
        return (u * u).mean()

    return training(library, {"conductivity": conductivity}, loss, [start], "SGD")


def physics_loss(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    nn = source.nn
    net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
    points = source.linspace(0, 1, 256)

    def loss(p: Any, points: Any) -> Any:
        def u(t: Any) -> Any:
            return chain(p, "net", t[None], jnp.tanh, 3)[0]

        d2u = jax.vmap(jax.grad(jax.grad(u)))(points)
        ends = u(points[0]) ** 2 + u(points[-1]) ** 2
        return ((d2u + jnp.sin(3.14159 * points)) ** 2).mean() + ends

    return training(library, layers(net=net), loss, [points])


def kalman_filter(library: Library, source: Any) -> Case:
    jax, jnp = names(library, float64=True)
    f64 = source.float64
    move = source.eye(4, dtype=f64) + 0.05 * source.randn(4, 4, dtype=f64)
    look = source.randn(2, 4, dtype=f64)
    seen = source.randn(20, 16, 2, 1, dtype=f64)

    def loss(p: Any, look: Any, seen: Any) -> Any:
        move, q, r = p["move"], 0.1 * jnp.eye(4), 0.5 * jnp.eye(2)

        def advance(state: Any, z: Any) -> Any:
            x, p, total = state
            x, p = move @ x, move @ p @ move.T + q
            s = look @ p @ look.T + r
            error = z - look @ x
            gain = jnp.linalg.solve(s, look @ p).mT
            total = total + jnp.linalg.slogdet(s)[1].sum() + (error.mT @ jnp.linalg.solve(s, error)).sum()
            return (x + gain @ error, p - gain @ look @ p, total), None

        start = (jnp.zeros((16, 4, 1)), jnp.broadcast_to(jnp.eye(4), (16, 4, 4)), jnp.zeros(()))
        return jax.lax.scan(advance, start, seen)[0][2] / 320

    return training(library, {"move": move}, loss, [look, seen])


def sinkhorn(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    x, y = source.randn(128, 2), source.randn(128, 2) + 1

    def distance(x: Any, y: Any) -> Any:
        cost = ((x[:, None] - y[None]) ** 2).sum(-1) / 0.5

        def advance(potentials: Any, _: Any) -> Any:
            _, g = potentials
            f = -jax.nn.logsumexp(g[None] - cost, 1)
            return (f, -jax.nn.logsumexp(f[:, None] - cost, 0)), None

        (f, g), _ = jax.lax.scan(advance, (jnp.zeros(128), jnp.zeros(128)), None, 30)
        return (jnp.exp(f[:, None] + g[None] - cost) * cost).sum()

    return whole(library, jax.grad(distance), x, y)


def hessian_product(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    w = [parameter(source, 64, 64) for _ in range(3)]
    v = [source.randn(64, 64) for _ in range(3)]
    x = source.randn(128, 64)

    def product(w: Any, v: Any, x: Any) -> Any:
        def energy(w: Any) -> Any:
            h = x
            for weight in w:
                h = jnp.tanh(h @ weight)
            return (h * h).mean()

        return jax.jvp(jax.grad(energy), (w,), (v,))[1]

    return whole(library, product, w, v, x)


def markov_forward(library: Library, source: Any) -> Case:
    jax, _ = names(library)
    transitions, emissions = parameter(source, 16, 16), parameter(source, 16, 20)
    seen = source.randint(20, (50, 32))

    def loss(p: Any, seen: Any) -> Any:
        move, emit = jax.nn.log_softmax(p["transitions"]), jax.nn.log_softmax(p["emissions"])

        def advance(alpha: Any, now: Any) -> Any:
            return jax.nn.logsumexp(alpha[:, :, None] + move[None], 1) + emit[:, now].T, None

        alpha, _ = jax.lax.scan(advance, emit[:, seen[0]].T, seen[1:])
        return -jax.nn.logsumexp(alpha, 1).mean()

    return training(library, {"transitions": transitions, "emissions": emissions}, loss, [seen])


def conjugate_gradients(library: Library, source: Any) -> Case:
    jax, jnp = names(library, float64=True)
    start = source.randn(48, 48, dtype=source.float64)

    def laplace(u: Any) -> Any:
        p = jnp.pad(u, 1)
        return 4 * u - p[2:, 1:-1] - p[:-2, 1:-1] - p[1:-1, 2:] - p[1:-1, :-2]

    def solve(given: Any) -> Any:
        def advance(state: Any, _: Any) -> Any:
            u, r, p, rr = state
            ap = laplace(p)
            a = rr / (p * ap).sum()
            u, r = u + a * p, r - a * ap
            new = (r * r).sum()
            return (u, r, r + new / rr * p, new), None

        start = (jnp.zeros_like(given), given, given, (given * given).sum())
        (u, *_), _ = jax.lax.scan(advance, start, None, 40)
        return (u * u).mean()

    return whole(library, jax.grad(solve), start)


def kriging(library: Library, source: Any) -> Case:
    _, jnp = names(library, float64=True)
    f64 = source.float64
    known, wanted = source.rand(120, 2, dtype=f64), source.rand(60, 2, dtype=f64)
    seen, truth = source.sin(5 * known.sum(1)), source.sin(5 * wanted.sum(1))
    start = {"reach": source.full((), -1.0, dtype=f64), "nugget": parameter(source, 1, dtype=f64)}

    def loss(p: Any, known: Any, wanted: Any, seen: Any, truth: Any) -> Any:
        def variogram(a: Any, b: Any) -> Any:
            d = jnp.sqrt(((a[:, None] - b[None]) ** 2).sum(-1) + 1e-12)
            return 1 - jnp.exp(-d / jnp.exp(p["reach"])) + jnp.exp(p["nugget"] - 4)

        inner = variogram(known, known) * (1 - jnp.eye(120))
        system = jnp.pad(inner, (0, 1), constant_values=1.0).at[120, 120].set(0.0)
        right = jnp.pad(variogram(known, wanted), ((0, 1), (0, 0)), constant_values=1.0)
        weights = jnp.linalg.solve(system, right)[:120]
        return ((seen @ weights - truth) ** 2).mean()

    return training(library, start, loss, [known, wanted, seen, truth], lr=1e-2)

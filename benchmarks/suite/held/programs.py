"""Held steps of scientific and probabilistic programs, over tables and graphs."""

from __future__ import annotations

from typing import Any

from benchmarks.case import Case, Library
from benchmarks.suite.in_jax import held as in_jax
from benchmarks.suite.steps import parameter, step, training, whole


@step("Gaussian process predicts 100 points from 150, float64, no gradient", in_jax.process_predicts)
def process_predicts(library: Library) -> Case:
    torch = library.module
    x, z = torch.rand(150, 2, dtype=torch.float64), torch.rand(100, 2, dtype=torch.float64)
    y = torch.sin(6 * x[:, :1])

    def kernel(a: Any, b: Any) -> Any:
        return torch.exp(-3 * ((a[:, None] - b[None]) ** 2).sum(-1))

    def predict() -> Any:
        with torch.no_grad():
            chol = torch.linalg.cholesky(kernel(x, x) + 0.01 * torch.eye(150, dtype=torch.float64))
            weights = torch.cholesky_solve(y, chol)
            cross = kernel(z, x)
            v = torch.linalg.solve_triangular(chol, cross.T, upper=False)
            return cross @ weights, 1 - (v * v).sum(0)

    return whole(library, predict)


@step("Sum of the largest eigenvalues of a symmetric 40×40 matrix, float64", in_jax.eigenvalue_loss)
def eigenvalue_loss(library: Library) -> Case:
    torch = library.module
    w = parameter(torch, 40, 40, dtype=torch.float64, scale=1)
    return training(library, [w], lambda: torch.linalg.eigvalsh(w + w.T)[-5:].sum(), "SGD")


@step(
    "Double pendulum: 50 Runge-Kutta steps of 32 starts and the gradient to them, float64",
    in_jax.double_pendulum,
)
def double_pendulum(library: Library) -> Case:
    torch = library.module
    start = (torch.rand(32, 4, dtype=torch.float64) * 0.5).requires_grad_()

    def slope(s: Any) -> Any:
        a, b, u, v = s.unbind(1)
        d = a - b
        c, n = torch.cos(d), torch.sin(d)
        below = 2 - c * c
        du = (-9.8 * 2 * torch.sin(a) + 9.8 * c * torch.sin(b) - n * (v * v + u * u * c)) / below
        dv = (2 * n * u * u + 19.6 * c * torch.sin(a) - 19.6 * torch.sin(b) + n * c * v * v) / below
        return torch.stack([u, v, du, dv], 1)

    def simulate() -> Any:
        s, h = start, 0.02
        for _ in range(50):
            k1 = slope(s)
            k2 = slope(s + h / 2 * k1)
            k3 = slope(s + h / 2 * k2)
            s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(s + h * k3))
        return torch.autograd.grad((s * s).sum(), start)[0]

    return whole(library, simulate, backward=True)


@step("Wave equation by slices: 80 steps of 400 points, gradient to the speed", in_jax.wave_equation)
def wave_equation(library: Library) -> Case:
    torch = library.module
    speed = torch.full((398,), 0.3, requires_grad=True)
    start = torch.exp(-((torch.linspace(-1, 1, 400) * 8) ** 2))

    def loss() -> Any:
        before, now = start, start
        for _ in range(80):
            inner = 2 * now[1:-1] - before[1:-1] + speed * (now[2:] - 2 * now[1:-1] + now[:-2])
            before, now = now, torch.nn.functional.pad(inner, (1, 1))
        return (now[300:] ** 2).sum()

    return training(library, [speed], loss, "SGD")


@step("Negative binomial regression: 2,000 counts, lgamma, 10 columns", in_jax.count_regression)
def count_regression(library: Library) -> Case:
    torch = library.module
    x, y = torch.randn(2000, 10), torch.randint(0, 12, (2000,)).float()
    w, spread = parameter(torch, 10), torch.zeros((), requires_grad=True)

    def loss() -> Any:
        mean, r = torch.exp(x @ w), torch.exp(spread)
        logs = torch.lgamma(y + r) - torch.lgamma(r) - torch.lgamma(y + 1)
        logs = logs + r * torch.log(r / (r + mean)) + y * torch.log(mean / (r + mean))
        return -logs.mean()

    return training(library, [w, spread], loss)


@step(
    "Soft clusters: distances of 3,000 points to 12 centres, temperature, updates of the centres",
    in_jax.soft_clusters,
)
def soft_clusters(library: Library) -> Case:
    torch = library.module
    x = torch.randn(3000, 4)
    centres = torch.randn(12, 4, requires_grad=True)

    def loss() -> Any:
        d = torch.cdist(x, centres)
        return (torch.softmax(-5 * d, 1) * d).sum(1).mean()

    return training(library, [centres], loss, lr=1e-2)


@step("Graph attention: scores on 4,000 edges, softmax over the neighbours by scatter")
def graph_attention(library: Library) -> Case:
    torch = library.module
    nodes, (source, sink) = torch.randn(500, 16), torch.randint(500, (2, 4000))
    w, a, out = parameter(torch, 16, 32), parameter(torch, 64), parameter(torch, 32, 5)
    target = torch.randint(5, (500,))

    def loss() -> Any:
        h = nodes @ w
        scores = torch.nn.functional.leaky_relu(torch.cat([h[source], h[sink]], 1) @ a, 0.2)
        raised = torch.exp(scores - scores.max())
        sums = torch.zeros(500).index_add(0, sink, raised) + 1e-9
        weighted = h[source] * (raised / sums[sink])[:, None]
        gathered = torch.zeros(500, 32).index_add(0, sink, weighted)
        return torch.nn.functional.cross_entropy(torch.relu(gathered) @ out, target)

    return training(library, [w, a, out], loss)


@step("Factors of a table of ratings: 3,000 entries, weight decay, SGD")
def rating_factors(library: Library) -> Case:
    torch = library.module
    users, items = parameter(torch, 600, 20), parameter(torch, 400, 20)
    bias = torch.zeros(600, requires_grad=True)
    who, what, rating = torch.randint(600, (3000,)), torch.randint(400, (3000,)), torch.rand(3000) * 5

    def loss() -> Any:
        found = (users[who] * items[what]).sum(1) + bias[who]
        return ((found - rating) ** 2).mean()

    return training(library, [users, items, bias], loss, "SGD", lr=1e-2, weight_decay=1e-4)


@step("An ensemble of 8 networks by vmap over stacked parameters, forward", in_jax.ensemble)
def ensemble(library: Library) -> Case:
    torch = library.module
    w1, w2, x = torch.randn(8, 16, 64) * 0.2, torch.randn(8, 64, 3) * 0.2, torch.randn(100, 16)
    run = torch.func.vmap(lambda a, b: torch.softmax(torch.relu(x @ a) @ b, -1))
    return whole(library, lambda: run(w1, w2).mean(0))


@step("Diagonal of the Hessian by forward over reverse, 30 inputs", in_jax.hessian_diagonal)
def hessian_diagonal(library: Library) -> Case:
    torch = library.module
    w, x = torch.randn(30, 30) * 0.3, torch.randn(30)

    def energy(x: Any) -> Any:
        return torch.log1p(torch.exp(w @ torch.tanh(x))).sum()

    return whole(library, lambda: torch.diagonal(torch.func.jacfwd(torch.func.grad(energy))(x)))


@step(
    "Best path through 60 observations of 24 sequences, 12 states: maxima, their places, back",
    in_jax.viterbi_path,
)
def viterbi_path(library: Library) -> Case:
    torch = library.module
    moves, scores = torch.randn(12, 12), torch.randn(24, 60, 12)

    def decode() -> Any:
        best, came = scores[:, 0], []
        for t in range(1, 60):
            top = (best[:, :, None] + moves[None]).max(1)
            best = top.values + scores[:, t]
            came.append(top.indices)
        place = best.argmax(1, keepdim=True)
        path = [place]
        for back in reversed(came):
            place = back.gather(1, place)
            path.append(place)
        return best.max(1).values, torch.cat(path, 1)

    return whole(library, decode)


@step(
    "Kalman smoother: forward and backward over 25 observations, 3 states, gradient to the noise, float64",
    in_jax.kalman_smoother,
)
def kalman_smoother(library: Library) -> Case:
    torch = library.module
    f64 = torch.float64
    move = torch.eye(3, dtype=f64) * 0.95 + 0.05 * torch.randn(3, 3, dtype=f64)
    look, seen = torch.randn(1, 3, dtype=f64), torch.randn(25, 1, dtype=f64)
    log_q = torch.full((3,), -1.0, dtype=f64, requires_grad=True)

    def smooth() -> Any:
        q = torch.diag(torch.exp(log_q))
        x, p = torch.zeros(3, dtype=f64), torch.eye(3, dtype=f64)
        filtered = []
        for z in seen:
            ahead, spread = move @ x, move @ p @ move.T + q
            gain = spread @ look.T / (look @ spread @ look.T + 0.3)
            x, p = ahead + gain @ (z - look @ ahead), spread - gain @ look @ spread
            filtered.append((x, p, ahead, spread))
        later, total = x, x.square().sum()
        for k in range(23, -1, -1):
            x, p, _, _ = filtered[k]
            _, _, ahead, spread = filtered[k + 1]
            back = torch.linalg.solve(spread, move @ p).T
            later = x + back @ (later - ahead)
            total = total + later.square().sum()
        return torch.autograd.grad(total, log_q)[0]

    return whole(library, smooth, backward=True)


@step(
    "Burgers' equation: 40 steps by Fourier transforms of 256 points, gradient to the start, float64",
    in_jax.spectral_equation,
)
def spectral_equation(library: Library) -> Case:
    torch = library.module
    start = torch.randn(256, dtype=torch.float64).cumsum(0) * 0.02
    start = (start - start.mean()).requires_grad_()
    waves = torch.arange(129, dtype=torch.float64)
    calm = torch.exp(-0.002 * waves**2)

    def simulate() -> Any:
        u = start
        for _ in range(40):
            slope = torch.fft.irfft(1j * waves * torch.fft.rfft(u), n=256)
            u = torch.fft.irfft(torch.fft.rfft(u - 0.002 * u * slope) * calm, n=256)
        return torch.autograd.grad(u.square().sum(), start)[0]

    return whole(library, simulate, backward=True)

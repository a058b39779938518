"""Steps of scientific programs: differential equations, particles, filters, transport, second derivatives."""

from __future__ import annotations

from typing import Any

from benchmarks.case import Case, Library
from benchmarks.suite.in_jax import science as in_jax
from benchmarks.suite.steps import parameter, step, training, whole


@step("Gaussian process: marginal likelihood, 200 points in 3 dimensions, float64", in_jax.gaussian_process)
def gaussian_process(library: Library) -> Case:
    torch = library.module
    x = torch.rand(200, 3, dtype=torch.float64)
    y = torch.sin(x.sum(1) * 4)
    length, scale, noise = (torch.zeros((), dtype=torch.float64, requires_grad=True) for _ in range(3))

    def loss() -> Any:
        d = ((x[:, None] - x[None]) ** 2).sum(-1)
        eye = torch.eye(200, dtype=torch.float64)
        k = torch.exp(scale - 0.5 * d * torch.exp(-2 * length)) + (torch.exp(noise) + 1e-6) * eye
        chol = torch.linalg.cholesky(k)
        a = torch.linalg.solve_triangular(chol, y[:, None], upper=False)
        return 0.5 * (a * a).sum() + torch.log(torch.diagonal(chol)).sum()

    return training(library, [length, scale, noise], loss, lr=1e-2)


@step("64 bodies under gravity, 10 leapfrog steps and the gradient to the start, float64", in_jax.gravity)
def gravity(library: Library) -> Case:
    torch = library.module
    start = torch.randn(64, 3, dtype=torch.float64).requires_grad_()
    mass = torch.rand(64, dtype=torch.float64) + 0.5

    def force(p: Any) -> Any:
        d = p[None] - p[:, None]
        r = (d * d).sum(-1) + 0.05
        return (d * (mass[None] / (r * r.sqrt()))[..., None]).sum(1)

    def simulate() -> Any:
        p, v = start, torch.zeros_like(start)
        for _ in range(10):
            v = v + 0.005 * force(p)
            p = p + 0.01 * v
            v = v + 0.005 * force(p)
        return torch.autograd.grad((p * p).sum(), start)[0]

    return whole(library, simulate, backward=True)


@step("Lennard-Jones energy and forces of 108 atoms with periodic distances", in_jax.lennard_jones)
def lennard_jones(library: Library) -> Case:
    torch = library.module
    grid = torch.stack(torch.meshgrid(*[torch.arange(6.0)] * 3, indexing="ij"), -1).reshape(-1, 3)[:108]
    place = (grid * 1.2 + 0.05 * torch.randn(108, 3)).requires_grad_()
    box = 7.2
    far = torch.eye(108) * 1e6

    def forces() -> Any:
        d = place[None] - place[:, None]
        d = d - box * torch.round(d / box)
        r2 = (d * d).sum(-1) + far
        s6 = 1.0 / r2**3
        energy = 2.0 * (s6 * s6 - s6).sum()
        return torch.autograd.grad(energy, place)[0]

    return whole(library, forces, backward=True)


@step("Neural ODE: Runge-Kutta of fourth order, 20 steps, batch 32", in_jax.neural_ode)
def neural_ode(library: Library) -> Case:
    torch = library.module
    net = torch.nn.Sequential(torch.nn.Linear(2, 50), torch.nn.Tanh(), torch.nn.Linear(50, 2))
    start, target = torch.randn(32, 2), torch.randn(32, 2)

    def loss() -> Any:
        y, h = start, 0.05
        for _ in range(20):
            k1 = net(y)
            k2 = net(y + h / 2 * k1)
            k3 = net(y + h / 2 * k2)
            k4 = net(y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return ((y - target) ** 2).mean()

    return training(library, net.parameters(), loss)


@step(
    "Heat equation, 60 explicit steps on 64×64, gradient to the conductivity, float64",
    in_jax.heat_equation,
)
def heat_equation(library: Library) -> Case:
    torch = library.module
    start = torch.rand(64, 64, dtype=torch.float64)
    conductivity = torch.full((64, 64), 0.2, dtype=torch.float64, requires_grad=True)

    def loss() -> Any:
        u = start
        for _ in range(60):
            around = u.roll(1, 0) + u.roll(-1, 0) + u.roll(1, 1) + u.roll(-1, 1)
            u = u + conductivity * (around - 4 * u)
        return (u * u).mean()

    return training(library, [conductivity], loss, "SGD")


@step("Physics loss: second derivatives of a network at 256 points", in_jax.physics_loss)
def physics_loss(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
    points = torch.linspace(0, 1, 256)[:, None].requires_grad_()

    def train() -> Any:
        update.zero_grad()
        u = net(points)
        (du,) = torch.autograd.grad(u.sum(), points, create_graph=True)
        (d2u,) = torch.autograd.grad(du.sum(), points, create_graph=True)
        loss = ((d2u + torch.sin(3.14159 * points)) ** 2).mean() + u[0].pow(2).sum() + u[-1].pow(2).sum()
        loss.backward()
        update.step()
        return loss

    update = torch.optim.Adam(net.parameters())
    return whole(library, train, backward=True)


@step("Kalman filter: 20 observations of 16 systems with 4 states, float64", in_jax.kalman_filter)
def kalman_filter(library: Library) -> Case:
    torch = library.module
    f64 = torch.float64
    move = (torch.eye(4, dtype=f64) + 0.05 * torch.randn(4, 4, dtype=f64)).requires_grad_()
    look = torch.randn(2, 4, dtype=f64)
    seen = torch.randn(20, 16, 2, 1, dtype=f64)
    q, r = 0.1 * torch.eye(4, dtype=f64), 0.5 * torch.eye(2, dtype=f64)

    def loss() -> Any:
        x, p = torch.zeros(16, 4, 1, dtype=f64), torch.eye(4, dtype=f64).expand(16, 4, 4)
        total = torch.zeros((), dtype=f64)
        for z in seen:
            x, p = move @ x, move @ p @ move.T + q
            s = look @ p @ look.T + r
            error = z - look @ x
            gain = torch.linalg.solve(s, look @ p).mT
            total = total + torch.logdet(s).sum() + (error.mT @ torch.linalg.solve(s, error)).sum()
            x, p = x + gain @ error, p - gain @ look @ p
        return total / 320

    return training(library, [move], loss)


@step("Optimal transport: 30 Sinkhorn iterations in the log domain, 128×128", in_jax.sinkhorn)
def sinkhorn(library: Library) -> Case:
    torch = library.module
    x, y = torch.randn(128, 2), torch.randn(128, 2) + 1
    x.requires_grad_()

    def distance() -> Any:
        cost = ((x[:, None] - y[None]) ** 2).sum(-1) / 0.5
        f, g = torch.zeros(128), torch.zeros(128)
        for _ in range(30):
            f = -torch.logsumexp(g[None] - cost, 1)
            g = -torch.logsumexp(f[:, None] - cost, 0)
        plan = torch.exp(f[:, None] + g[None] - cost)
        return torch.autograd.grad((plan * cost).sum(), x)[0]

    return whole(library, distance, backward=True)


@step("Hamiltonian Monte Carlo: 10 leapfrog steps on a logistic regression of 1,000 rows")
def hamiltonian(library: Library) -> Case:
    torch = library.module
    rows, labels = torch.randn(1000, 20), (torch.rand(1000) < 0.5).float()
    start = torch.zeros(20)

    def slope(w: Any) -> Any:
        w = w.detach().requires_grad_()
        logits = rows @ w
        nll = torch.nn.functional.binary_cross_entropy_with_logits(logits, labels, reduction="sum")
        return torch.autograd.grad(nll + 0.5 * (w * w).sum(), w)[0]

    def move() -> Any:
        w, p = start, torch.randn(20)
        p = p - 0.005 * slope(w)
        for _ in range(9):
            w = w + 0.01 * p
            p = p - 0.01 * slope(w)
        return w + 0.01 * p

    return whole(library, move, backward=True)


@step("L-BFGS: one step of at most 10 iterations on a least-squares network")
def lbfgs(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    net = nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Linear(24, 1))
    x = torch.randn(200, 4)
    y = x.prod(1, keepdim=True)
    update = torch.optim.LBFGS(net.parameters(), lr=0.1, max_iter=10)
    compute = library.part(lambda: ((net(x) - y) ** 2).mean())

    def closure() -> Any:
        update.zero_grad()
        loss = compute()
        loss.backward()
        return loss

    return whole(library, lambda: update.step(closure), backward=True)


@step("Hessian-vector product of a network with 3 layers of 64", in_jax.hessian_product)
def hessian_product(library: Library) -> Case:
    torch = library.module
    w = [parameter(torch, 64, 64) for _ in range(3)]
    v = [torch.randn(64, 64) for _ in range(3)]
    x = torch.randn(128, 64)

    def product() -> Any:
        h = x
        for weight in w:
            h = torch.tanh(h @ weight)
        gradients = torch.autograd.grad((h * h).mean(), w, create_graph=True)
        dot = sum((g * u).sum() for g, u in zip(gradients, v))
        return torch.autograd.grad(dot, w)

    return whole(library, product, backward=True)


@step("Hidden Markov model: forward algorithm, 50 observations, 16 states, batch 32", in_jax.markov_forward)
def markov_forward(library: Library) -> Case:
    torch = library.module
    transitions, emissions = parameter(torch, 16, 16), parameter(torch, 16, 20)
    seen = torch.randint(20, (50, 32))

    def loss() -> Any:
        move, emit = transitions.log_softmax(1), emissions.log_softmax(1)
        alpha = emit[:, seen[0]].T
        for t in range(1, 50):
            alpha = torch.logsumexp(alpha[:, :, None] + move[None], 1) + emit[:, seen[t]].T
        return -torch.logsumexp(alpha, 1).mean()

    return training(library, [transitions, emissions], loss)


@step("Stochastic volatility: 2,000 paths of 50 Euler steps, gradients of the price")
def option_price(library: Library) -> Case:
    torch = library.module
    numbers = torch.tensor([0.04, 0.5, 0.3, 1.5], requires_grad=True)

    def price() -> Any:
        v0, k, theta, xi = numbers
        logs, v = torch.zeros(2000), v0.expand(2000)
        for _ in range(50):
            a, b = torch.randn(2000), torch.randn(2000)
            root = v.clamp(min=1e-2).sqrt()
            logs = logs - 0.5 * v * 0.02 + root * 0.1414 * a
            v = v + k * (theta - v) * 0.02 + xi * root * 0.1414 * (0.6 * b - 0.8 * a)
        value = torch.relu(torch.exp(logs) - 1).mean()
        return torch.autograd.grad(value, numbers)[0]

    return whole(library, price, backward=True)


@step(
    "Poisson's equation on 48×48 by 40 conjugate gradients, gradient to the source, float64",
    in_jax.conjugate_gradients,
)
def conjugate_gradients(library: Library) -> Case:
    torch = library.module
    source = torch.randn(48, 48, dtype=torch.float64).requires_grad_()
    pad = torch.nn.functional.pad

    def laplace(u: Any) -> Any:
        p = pad(u, (1, 1, 1, 1))
        return 4 * u - p[2:, 1:-1] - p[:-2, 1:-1] - p[1:-1, 2:] - p[1:-1, :-2]

    def solve() -> Any:
        u, r = torch.zeros_like(source), source
        p, rr = r, (r * r).sum()
        for _ in range(40):
            ap = laplace(p)
            a = rr / (p * ap).sum()
            u, r = u + a * p, r - a * ap
            new = (r * r).sum()
            p, rr = r + new / rr * p, new
        return torch.autograd.grad((u * u).mean(), source)[0]

    return whole(library, solve, backward=True)


@step(
    "Kriging: exponential variogram of 120 places, weights for 60, error to the range, float64",
    in_jax.kriging,
)
def kriging(library: Library) -> Case:
    torch = library.module
    f64 = torch.float64
    known, wanted = torch.rand(120, 2, dtype=f64), torch.rand(60, 2, dtype=f64)
    seen, truth = torch.sin(5 * known.sum(1)), torch.sin(5 * wanted.sum(1))
    reach, nugget = torch.full((), -1.0, dtype=f64, requires_grad=True), parameter(torch, 1, dtype=f64)
    border = torch.ones(120, 1, dtype=f64)

    def variogram(a: Any, b: Any) -> Any:
        d = (((a[:, None] - b[None]) ** 2).sum(-1) + 1e-12).sqrt()
        return 1 - torch.exp(-d / torch.exp(reach)) + torch.exp(nugget - 4)

    def loss() -> Any:
        inner = variogram(known, known) * (1 - torch.eye(120, dtype=f64))
        system = torch.cat([torch.cat([inner, border], 1), torch.cat([border, border[:1] * 0]).T])
        right = torch.cat([variogram(known, wanted), torch.ones(1, 60, dtype=f64)])
        weights = torch.linalg.solve(system, right)[:120]
        return ((seen @ weights - truth) ** 2).mean()

    return training(library, [reach, nugget], loss, lr=1e-2)

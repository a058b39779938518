"""Physics, control and statistics: derivatives in losses, solvers by hand, gradients for each sample."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pullback as torch
from pullback import func, nn
from tests.compiler.soundness.training import Training, case, training

F = nn.functional


def mlp(*sizes: int, activation: Callable[[], Any] = nn.Tanh) -> Any:
    layers: list[Any] = []
    for a, b in pairwise(sizes):
        layers += [nn.Linear(a, b), activation()]
    return nn.Sequential(*layers[:-1])


def slope(y: Any, x: Any) -> Any:
    """The derivative of a sum, to be derived again."""
    return torch.autograd.grad(y.sum(), x, create_graph=True)[0]


@case("burgers_equation", ci="float64")
def burgers_equation() -> Training:
    """The residual of u_t + u u_x = ν u_xx, a start and walls."""
    model = mlp(2, 13, 13, 1)

    def loss(model: Any, t: Any, x: Any) -> Any:
        t, x = t.detach().requires_grad_(), x.detach().requires_grad_()
        u = model(torch.cat([t, x], 1))
        u_t, u_x = slope(u, t), slope(u, x)
        residual = u_t + u * u_x - 0.01 * slope(u_x, x)
        start = model(torch.cat([torch.zeros_like(x), x.detach()], 1)) + torch.sin(torch.pi * x.detach())
        wall = model(torch.cat([t.detach(), torch.ones_like(t)], 1))
        return residual.pow(2).mean() + start.pow(2).mean() + wall.pow(2).mean()

    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    return training(model, loss, lambda: (torch.rand(33, 1), torch.rand(33, 1) * 2 - 1), optimizer)


@case("laplacian_of_a_siren", ci="float32")
def laplacian_of_a_siren() -> Training:
    """Sines all the way, trained on a Laplacian."""

    class Sine(nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.sin(3 * x)

    def loss(model: Any, x: Any, y: Any) -> Any:
        x = x.detach().requires_grad_()
        first = slope(model(x), x)
        second = sum(slope(first[:, n], x)[:, n] for n in range(2))
        return F.mse_loss(second, y)

    model = mlp(2, 13, 13, 1, activation=Sine)
    batch = lambda: (torch.randn(13, 2), torch.randn(13))
    return training(model, loss, batch, torch.optim.SGD(model.parameters(), 1e-3))


@case("hamiltonian_network")
def hamiltonian_network() -> Training:
    """Speeds as the derivatives of an energy."""

    def loss(model: Any, state: Any, speed: Any) -> Any:
        state = state.detach().requires_grad_()
        q, p = slope(model(state), state).chunk(2, -1)
        return F.mse_loss(torch.cat([p, -q], -1), speed)

    return training(mlp(4, 33, 1), loss, lambda: (torch.randn(13, 4), torch.randn(13, 4)))


@case("forces_of_atoms")
def forces_of_atoms() -> Training:
    """An energy of distances in pairs and its gradient, both trained."""

    class Energy(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = mlp(5, 13, 1, activation=nn.SiLU)
            self.register_buffer("centers", torch.linspace(0.0, 3.0, 5))

        def forward(self, x: Any) -> Any:
            i, j = torch.triu_indices(6, 6, 1)
            distance = (x[:, i] - x[:, j]).pow(2).sum(-1).add(1e-3).sqrt()
            features = torch.exp(-((distance[..., None] - self.centers) ** 2))
            return self.net(features).sum((1, 2))

    def loss(model: Any, x: Any, energy: Any, force: Any) -> Any:
        x = x.detach().requires_grad_()
        found = model(x)
        return F.mse_loss(found, energy) + 10 * F.mse_loss(-slope(found, x), force)

    model = Energy()
    batch = lambda: (torch.randn(3, 6, 3), torch.randn(3), torch.randn(3, 6, 3))
    return training(model, loss, batch, torch.optim.SGD(model.parameters(), 1e-4))


@case("runge_kutta", ci="float32")
def runge_kutta() -> Training:
    """A neural differential equation, classical steps of fourth order."""

    def flow(field: Any, y: Any, steps: int, h: float) -> list[Any]:
        path = []
        for _ in range(steps):
            a = field(y)
            b = field(y + h / 2 * a)
            c = field(y + h / 2 * b)
            d = field(y + h * c)
            y = y + h / 6 * (a + 2 * b + 2 * c + d)
            path.append(y)
        return path

    def loss(model: Any, y: Any, target: Any) -> Any:
        return F.mse_loss(torch.stack(flow(model, y, 6, 0.1)), target)

    return training(mlp(2, 9, 2), loss, lambda: (torch.randn(5, 2), torch.randn(6, 5, 2)))


@case("stochastic_path")
def stochastic_path() -> Training:
    """A path with noise in every step, its drift and its spread from networks."""
    model = nn.ModuleList([mlp(1, 9, 1), mlp(1, 9, 1)])

    def loss(model: Any, y: Any) -> Any:
        drift, spread = model
        for _ in range(9):
            y = y + 0.1 * drift(y) + 0.1**0.5 * F.softplus(spread(y)) * torch.randn(7, 1)
        return (y.mean() - 1) ** 2 + (y.std() - 0.5) ** 2

    return training(model, loss, lambda: (torch.randn(7, 1),))


@case("swinging_pendulum")
def swinging_pendulum() -> Training:
    """A policy through a simulation of 33 steps."""

    def loss(model: Any, state: Any) -> Any:
        angle, speed = state.unbind(-1)
        cost = torch.zeros(())
        for _ in range(33):
            force = 2 * torch.tanh(model(torch.stack([angle.cos(), angle.sin(), speed], -1)).squeeze(-1))
            speed = (speed + 0.05 * (15 * angle.sin() + 3 * force)).clamp(-8, 8)
            angle = angle + 0.05 * speed
            cost = cost + (angle**2 + 0.1 * speed**2 + 0.001 * force**2).mean()
        return cost / 33

    return training(mlp(3, 9, 1), loss, lambda: (0.1 * torch.randn(5, 2),))


@case("waves_on_a_grid")
def waves_on_a_grid() -> Training:
    """A wave through a medium whose speed is trained, differences on slices."""

    class Medium(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.speed = nn.Parameter(torch.full((13, 9), 0.4))

        def forward(self, start: Any) -> Any:
            now = before = start
            for _ in range(7):
                inner = now[:, 2:, 1:-1] + now[:, :-2, 1:-1] + now[:, 1:-1, 2:] + now[:, 1:-1, :-2]
                curve = F.pad(inner - 4 * now[:, 1:-1, 1:-1], (1, 1, 1, 1))
                now, before = 2 * now - before + self.speed**2 * curve, now
            return now[:, 6, :]

    model = Medium()
    batch = lambda: (torch.randn(2, 13, 9), torch.randn(2, 9))
    # Waves grow without bound in a medium that is much faster.
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)
    return training(model, lambda m, x, y: F.mse_loss(m(x), y), batch, optimizer)


@case("gaussian_process")
def gaussian_process() -> Training:
    """A marginal likelihood by Cholesky's decomposition."""

    class Process(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.length, self.scale, self.noise = (nn.Parameter(torch.zeros(n)) for n in ((3,), (), ()))

        def forward(self, x: Any, y: Any) -> Any:
            z = x * torch.exp(-self.length)
            squares = (z[:, None] - z).pow(2).sum(-1)
            kernel = self.scale.exp() * torch.exp(-0.5 * squares)
            lower = torch.linalg.cholesky(kernel + (self.noise.exp() + 0.1) * torch.eye(len(x)))
            solved = torch.cholesky_solve(y[:, None], lower).squeeze(-1)
            return 0.5 * (y @ solved) + lower.diagonal().log().sum()

    return training(Process(), lambda m, *x: m(*x) / 13, lambda: (torch.randn(13, 3), torch.randn(13)))


@case("kalman_filter")
def kalman_filter() -> Training:
    class Filter(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.move = nn.Parameter(torch.eye(3) + 0.1 * torch.randn(3, 3))
            self.see, self.noise = nn.Parameter(torch.randn(2, 3)), nn.Parameter(torch.zeros(2))

        def forward(self, line: Any) -> Any:
            mean, spread, total = torch.zeros(3), torch.eye(3), torch.zeros(())
            for seen in line:
                mean, spread = self.move @ mean, self.move @ spread @ self.move.t() + 0.1 * torch.eye(3)
                error = seen - self.see @ mean
                shown = self.see @ spread @ self.see.t() + torch.diag(self.noise.exp())
                gain = torch.linalg.solve(shown, self.see @ spread).t()
                total = total + error @ torch.linalg.solve(shown, error) + torch.logdet(shown)
                mean, spread = mean + gain @ error, spread - gain @ self.see @ spread
            return total / len(line)

    return training(Filter(), lambda m, x: m(x), lambda: (torch.randn(5, 2),))


@case("gradients_of_each_sample", ci="float32")
def gradients_of_each_sample() -> Training:
    """Gradients by vmap of grad, clipped one by one, with noise (differential privacy)."""
    model = mlp(5, 9, 3)

    def loss_of_one(parameters: Any, x: Any, target: Any) -> Any:
        scores = func.functional_call(model, parameters, (x[None],))
        return F.cross_entropy(scores, target[None])

    each = func.vmap(func.grad_and_value(loss_of_one), in_dims=(None, 0, 0))

    def step(x: Any, target: Any) -> Any:
        parameters = {name: p.detach() for name, p in model.named_parameters()}
        gradients, losses = each(parameters, x, target)
        squares = sum(g.flatten(1).pow(2).sum(1) for g in gradients.values())
        scale = (1.0 / (squares.sqrt() + 1e-6)).clamp(max=1.0)
        with torch.no_grad():
            for name, p in model.named_parameters():
                g = torch.einsum("b,b...->...", scale, gradients[name]) + 0.01 * torch.randn_like(p)
                p -= 0.1 * g / len(x)
        return losses.mean()

    return Training(step, lambda: (torch.randn(7, 5), torch.randint(0, 3, (7,))), (model,))


@case("learning_to_learn", ci="float64")
def learning_to_learn() -> Training:
    """A step within the loss, and its derivative (MAML)."""
    model = mlp(1, 13, 1)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)

    def step(x: Any, y: Any) -> Any:
        total = torch.zeros(())
        for task in range(len(x)):
            weights = dict(model.named_parameters())
            inner = F.mse_loss(func.functional_call(model, weights, (x[task, :4],)), y[task, :4])
            found = torch.autograd.grad(inner, list(weights.values()), create_graph=True)
            moved = {name: w - 0.1 * g for (name, w), g in zip(weights.items(), found, strict=True)}
            total = total + F.mse_loss(func.functional_call(model, moved, (x[task, 4:],)), y[task, 4:])
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        return total

    return Training(step, lambda: (torch.randn(3, 9, 1), torch.randn(3, 9, 1)), (model,))


@case("flat_minima")
def flat_minima() -> Training:
    """A penalty of the gradient's norm, which is derived."""
    model = mlp(5, 9, 3)

    def loss(model: Any, x: Any, target: Any) -> Any:
        first = F.cross_entropy(model(x), target)
        found = torch.autograd.grad(first, list(model.parameters()), create_graph=True)
        return first + 0.1 * torch.stack([g.pow(2).sum() for g in found]).sum()

    return training(model, loss, lambda: (torch.randn(7, 5), torch.randint(0, 3, (7,))))


@case("steps_by_curvature")
def steps_by_curvature() -> Training:
    """Products with the Hessian, and conjugate gradients that take three of them."""
    model = mlp(4, 7, 1)

    def step(x: Any, y: Any) -> Any:
        parameters = list(model.parameters())
        loss = F.mse_loss(model(x), y)
        grads = torch.autograd.grad(loss, parameters, create_graph=True)
        flat = torch.cat([g.flatten() for g in grads])

        def product(v: Any) -> Any:
            found = torch.autograd.grad(flat @ v, parameters, retain_graph=True)
            # So much that no curvature is negative: else a rounding may become a hundred times larger.
            return torch.cat([g.flatten() for g in found]) + 10 * v

        residual = flat.detach()
        move, direction, size = torch.zeros_like(residual), residual, residual @ residual
        for _ in range(3):
            image = product(direction)
            share = size / (direction @ image)
            move, residual = move + share * direction, residual - share * image
            following = residual @ residual
            direction, size = residual + following / size * direction, following
        with torch.no_grad():
            place = 0
            for p in parameters:
                p -= 0.3 * move[place : place + p.numel()].view_as(p)
                place += p.numel()
        return loss.detach()

    return Training(step, lambda: (torch.randn(13, 4), torch.randn(13, 1)), (model,))


@case("jacobians_of_a_map")
def jacobians_of_a_map() -> Training:
    """Jacobians by func, whose size and determinant are trained."""
    model = mlp(3, 9, 3)

    def loss(model: Any, x: Any) -> Any:
        jacobian = func.vmap(func.jacrev(model))(x)
        forward = func.vmap(func.jacfwd(model))(x)
        return jacobian.pow(2).mean() + (torch.linalg.det(forward + torch.eye(3)) - 1).pow(2).mean()

    return training(model, loss, lambda: (torch.randn(5, 3),))


@case("adversarial_training")
def adversarial_training() -> Training:
    """Inputs that are moved against the network before it learns them."""
    model = mlp(9, 13, 3)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def step(x: Any, target: Any) -> Any:
        moved = x + 0.1 * (2 * torch.rand_like(x) - 1)
        for _ in range(3):
            moved = moved.detach().requires_grad_()
            (g,) = torch.autograd.grad(F.cross_entropy(model(moved), target), moved)
            moved = torch.min(torch.max(moved + 0.03 * g.sign(), x - 0.1), x + 0.1)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(moved.detach()), target)
        loss.backward()
        optimizer.step()
        return loss

    return Training(step, lambda: (torch.randn(7, 9), torch.randint(0, 3, (7,))), (model,))


@case("fixed_point")
def fixed_point() -> Training:
    """An equilibrium that is found without a history, and derived by one step (DEQ)."""

    class Equilibrium(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.state, self.inputs, self.head = nn.Linear(9, 9, bias=False), nn.Linear(5, 9), nn.Linear(9, 2)
            nn.init.normal_(self.state.weight, 0, 0.1)

        def forward(self, x: Any) -> Any:
            z = torch.zeros(x.shape[0], 9)
            with torch.no_grad():
                for _ in range(20):
                    z = torch.tanh(self.state(z) + self.inputs(x))
            return self.head(torch.tanh(self.state(z) + self.inputs(x)))

    batch = lambda: (torch.randn(7, 5), torch.randint(0, 2, (7,)))
    return training(Equilibrium(), lambda m, x, y: F.cross_entropy(m(x), y), batch)


@case("fourier_operator")
def fourier_operator() -> Training:
    """Weights of complex modes between a transform and its inverse."""

    class Operator(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lift, self.drop = nn.Linear(1, 5), nn.Linear(5, 1)
            self.real, self.imaginary = (nn.Parameter(0.2 * torch.randn(5, 5, 4)) for _ in range(2))

        def forward(self, x: Any) -> Any:
            h = self.lift(x).transpose(1, 2)
            modes = torch.fft.rfft(h)[..., :4]
            mixed = torch.einsum("bix,iox->box", modes, torch.complex(self.real, self.imaginary))
            return self.drop(F.gelu(torch.fft.irfft(mixed, n=h.shape[-1]) + h).transpose(1, 2))

    batch = lambda: (torch.randn(3, 16, 1), torch.randn(3, 16, 1))
    return training(Operator(), lambda m, x, y: F.mse_loss(m(x), y), batch)


@case("radiance_field")
def radiance_field() -> Training:
    """Colours along rays, weighed by what shines through (NeRF)."""

    def loss(model: Any, origin: Any, direction: Any, target: Any) -> Any:
        depth = torch.linspace(0.5, 2.0, 9) + 0.05 * torch.rand(origin.shape[0], 9)
        points = origin[:, None] + depth[..., None] * direction[:, None]
        features = torch.cat([f(points * 2.0**n) for n in range(3) for f in (torch.sin, torch.cos)], -1)
        out = model(features)
        opacity = 1 - torch.exp(-F.softplus(out[..., 3]) * 0.2)
        clear = torch.cat([torch.ones(origin.shape[0], 1), 1 - opacity + 1e-10], -1)
        through = torch.cumprod(clear, -1)[:, :-1]
        return F.mse_loss(((opacity * through)[..., None] * out[..., :3].sigmoid()).sum(1), target)

    batch = lambda: (torch.randn(5, 3), F.normalize(torch.randn(5, 3), dim=-1), torch.rand(5, 3))
    return training(mlp(18, 33, 4, activation=nn.ReLU), loss, batch)


@case("transport_of_points")
def transport_of_points() -> Training:
    """Sinkhorn's iterations between a batch of samples and of data."""

    def loss(model: Any, noise: Any, x: Any) -> Any:
        cost = torch.cdist(model(noise), x).square()
        u, v = torch.zeros(7), torch.zeros(9)
        for _ in range(8):
            u = -torch.logsumexp(v - cost, 1) - torch.log(torch.tensor(7.0))
            v = -torch.logsumexp(u[:, None] - cost, 0) - torch.log(torch.tensor(9.0))
        return (torch.exp(u[:, None] + v - cost) * cost).sum()

    return training(mlp(3, 9, 2), loss, lambda: (torch.randn(7, 3), torch.randn(9, 2)))

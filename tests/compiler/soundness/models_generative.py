"""Models that sample: variational, adversarial, flows, diffusion, policies and contrasts."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pullback as torch
from pullback import nn
from tests.compiler.soundness.training import Training, case, training

F = nn.functional
distributions = torch.distributions


def rows(*shape: int) -> Callable[[], tuple[Any]]:
    return lambda: (torch.randn(*shape),)


def mlp(*sizes: int, activation: Callable[[], Any] = nn.Tanh) -> Any:
    layers: list[Any] = []
    for a, b in pairwise(sizes):
        layers += [nn.Linear(a, b), activation()]
    return nn.Sequential(*layers[:-1])


class VAE(nn.Module):
    """An encoder of means and scales, a decoder of samples."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = mlp(13, 9, 6), mlp(3, 9, 13)

    def forward(self, x: Any) -> tuple[Any, Any, Any]:
        mean, log_variance = self.encoder(x).chunk(2, -1)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)
        return self.decoder(z), mean, log_variance


@case("vae", ci="float32 float64")
def vae() -> Training:
    def loss(model: Any, x: Any) -> Any:
        out, mean, log_variance = model(x)
        divergence = -0.5 * (1 + log_variance - mean.pow(2) - log_variance.exp()).sum()
        return F.mse_loss(out, x, reduction="sum") + divergence

    model = VAE()
    return training(model, loss, rows(7, 13), torch.optim.Adam(model.parameters(), 1e-3))


@case("vae_of_distributions")
def vae_of_distributions() -> Training:
    class Net(VAE):
        def forward(self, x: Any) -> Any:
            mean, scale = self.encoder(x).chunk(2, -1)
            posterior = distributions.Normal(mean, F.softplus(scale))
            prior = distributions.Normal(torch.zeros(3), torch.ones(3))
            out = distributions.Bernoulli(logits=self.decoder(posterior.rsample()))
            divergence = distributions.kl_divergence(posterior, prior).sum(-1)
            return (divergence - out.log_prob((x > 0).to(x.dtype)).sum(-1)).mean()

    return training(Net(), lambda m, x: m(x), rows(5, 13))


@case("convolutional_vae")
def convolutional_vae() -> Training:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = nn.Sequential(nn.Conv2d(1, 4, 3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(64, 10))
            self.decoder = nn.Sequential(
                nn.Linear(5, 64), nn.ReLU(), nn.Unflatten(1, (4, 4, 4)), nn.ConvTranspose2d(4, 1, 4, 2, 1)
            )

        def forward(self, x: Any) -> Any:
            mean, log_variance = self.encoder(x).chunk(2, 1)
            z = torch.exp(0.5 * log_variance) * torch.randn_like(mean) + mean
            divergence = -0.5 * torch.sum(1 + log_variance - mean**2 - log_variance.exp())
            out = F.binary_cross_entropy_with_logits(self.decoder(z), x.sigmoid(), reduction="sum")
            return out + divergence

    model = Net()
    return training(model, lambda m, x: m(x) / 100, rows(3, 1, 8, 8))


@case("gumbel_softmax", ci="float64")
def gumbel_softmax() -> Training:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder, self.decoder = mlp(9, 13, 4 * 5), mlp(4 * 5, 13, 9)

        def forward(self, x: Any) -> Any:
            scores = self.encoder(x).unflatten(-1, (4, 5))
            return self.decoder(F.gumbel_softmax(scores, tau=0.7).flatten(1))

    return training(Net(), lambda m, x: F.mse_loss(m(x), x), rows(7, 9))


@case("straight_through")
def straight_through() -> Training:
    """One-hot samples and binary codes whose gradients pass as if they were shares."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder, self.decoder, self.codes = mlp(9, 12), mlp(12 + 12, 9), nn.Linear(12, 12)

        def forward(self, x: Any) -> Any:
            h = self.encoder(x)
            hard = F.gumbel_softmax(h.unflatten(-1, (3, 4)), hard=True).flatten(1)
            soft = torch.sigmoid(self.codes(h))
            binary = (soft > 0.5).to(soft.dtype) + soft - soft.detach()
            return self.decoder(torch.cat([hard, binary], -1))

    return training(Net(), lambda m, x: F.mse_loss(m(x), x), rows(5, 9))


@case("vector_quantised", ci="float32")
def vector_quantised() -> Training:
    """The nearest of a book's codes, and a book that follows."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder, self.book, self.decoder = mlp(9, 13, 4), nn.Embedding(7, 4), mlp(4, 13, 9)

        def forward(self, x: Any) -> Any:
            z = self.encoder(x)
            book = self.book.weight
            distances = z.pow(2).sum(1, keepdim=True) - 2 * z @ book.t() + book.pow(2).sum(1)
            code = self.book(distances.argmin(1))
            commit = F.mse_loss(code, z.detach()) + 0.25 * F.mse_loss(z, code.detach())
            return F.mse_loss(self.decoder(z + (code - z).detach()), x) + commit

    return training(Net(), lambda m, x: m(x), rows(13, 9))


class Coupling(nn.Module):
    """A half of the features scales and moves the other."""

    def __init__(self, swap: bool) -> None:
        super().__init__()
        self.swap, self.net = swap, mlp(3, 13, 6)

    def forward(self, x: Any) -> tuple[Any, Any]:
        a, b = x.chunk(2, -1)
        if self.swap:
            a, b = b, a
        scale, move = self.net(a).chunk(2, -1)
        scale = torch.tanh(scale)
        return torch.cat([a, b * scale.exp() + move], -1), scale.sum(-1)


@case("real_nvp", ci="float64")
def real_nvp() -> Training:
    class Flow(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList(Coupling(n % 2 == 1) for n in range(4))

        def forward(self, x: Any) -> Any:
            total = torch.zeros(x.shape[0])
            for layer in self.layers:
                x, change = layer(x)
                total = total + change
            prior = -0.5 * x.pow(2).sum(-1) - 3 * math.log(2 * math.pi)
            return -(prior + total).mean()

    return training(Flow(), lambda m, x: m(x), rows(9, 6))


@case("planar_and_linear_flow")
def planar_and_linear_flow() -> Training:
    class Flow(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w, self.u, self.b = (nn.Parameter(torch.randn(2, 5) * 0.3) for _ in range(3))
            self.mix = nn.Parameter(torch.eye(5) + 0.1 * torch.randn(5, 5))

        def forward(self, x: Any) -> Any:
            x = x @ self.mix
            total = torch.linalg.slogdet(self.mix)[1]
            for w, u, b in zip(self.w, self.u, self.b[:, 0], strict=True):
                h = torch.tanh(x @ w + b)
                total = total + torch.log1p(((1 - h**2) * (w @ u)).clamp(min=-0.9)).mean()
                x = x + u * h[:, None]
            return 0.5 * x.pow(2).sum(-1).mean() - total

    return training(Flow(), lambda m, x: m(x), rows(7, 5))


@case("autoregressive_masked")
def autoregressive_masked() -> Training:
    """Weights under masks (MADE), and a mixture for each feature."""

    class Masked(nn.Linear):
        def __init__(self, inner: int, outer: int, mask: Any) -> None:
            super().__init__(inner, outer)
            self.register_buffer("mask", mask.to(self.weight.dtype))

        def forward(self, x: Any) -> Any:
            return F.linear(x, self.weight * self.mask, self.bias)

    order, hidden = torch.arange(5), torch.arange(13) % 4
    model = nn.Sequential(
        Masked(5, 13, hidden[:, None] >= order), nn.ReLU(),
        Masked(13, 10, (order[:, None] > hidden).repeat(2, 1)),
    )  # fmt: skip

    def loss(model: Any, x: Any) -> Any:
        mean, scale = model(x).chunk(2, -1)
        return -distributions.Normal(mean, scale.exp()).log_prob(x).sum(-1).mean()

    return training(model, loss, rows(7, 5))


class Denoiser(nn.Module):
    """The noise in an image, told how noisy it is."""

    def __init__(self) -> None:
        super().__init__()
        self.time, self.first = mlp(8, 12, 6, activation=nn.SiLU), nn.Conv2d(1, 6, 3, padding=1)
        self.norm, self.last = nn.GroupNorm(2, 6), nn.Conv2d(6, 1, 3, padding=1)

    def forward(self, x: Any, t: Any) -> Any:
        angles = t[:, None] * torch.exp(-torch.arange(4.0) * 2)
        embedded = self.time(torch.cat([angles.sin(), angles.cos()], -1).to(x.dtype))
        return self.last(F.silu(self.norm(self.first(x)) + embedded[:, :, None, None]))


@case("diffusion", ci="float32")
def diffusion() -> Training:
    """Noise of a level that is looked up in a schedule."""
    kept = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 100), 0)

    def loss(model: Any, x: Any) -> Any:
        t = torch.randint(0, 100, (x.shape[0],))
        noise, share = torch.randn_like(x), kept[t][:, None, None, None]
        return F.mse_loss(model(share.sqrt() * x + (1 - share).sqrt() * noise, t), noise)

    model = Denoiser()
    return training(model, loss, rows(4, 1, 7, 9), torch.optim.AdamW(model.parameters(), 1e-3))


@case("flow_matching")
def flow_matching() -> Training:
    """The speed from noise to data along a line, with some labels left out."""

    class Speed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.label, self.net = nn.Embedding(4, 5), mlp(2 + 1 + 5, 33, 33, 2, activation=nn.GELU)

        def forward(self, x: Any, t: Any, label: Any) -> Any:
            return self.net(torch.cat([x, t, self.label(label)], -1))

    def loss(model: Any, x: Any, label: Any) -> Any:
        noise, t = torch.randn_like(x), torch.rand(x.shape[0], 1)
        label = torch.where(torch.rand(label.shape) < 0.2, 3, label)
        return (model(t * x + (1 - t) * noise, t, label) - (x - noise)).square().mean()

    return training(Speed(), loss, lambda: (torch.randn(13, 2), torch.randint(0, 3, (13,))))


@case("score_matching")
def score_matching() -> Training:
    """A score's trace by a random projection: a derivative in the loss."""

    def loss(model: Any, x: Any) -> Any:
        x = x.detach().requires_grad_()
        v = torch.randn_like(x)
        score = model(x)
        (pulled,) = torch.autograd.grad((score * v).sum(), x, create_graph=True)
        return ((pulled * v).sum(-1) + 0.5 * (score * v).sum(-1) ** 2).mean()

    return training(mlp(5, 13, 5), loss, lambda: (torch.randn(7, 5),))


@case("gan", ci="float32")
def gan() -> Training:
    """Two networks, two optimizers, one step."""
    generator, critic = mlp(3, 13, 7), mlp(7, 13, 1, activation=lambda: nn.LeakyReLU(0.2))
    first = torch.optim.Adam(critic.parameters(), 1e-3, betas=(0.5, 0.9))
    second = torch.optim.Adam(generator.parameters(), 1e-3, betas=(0.5, 0.9))

    def step(x: Any) -> Any:
        fake = generator(torch.randn(x.shape[0], 3))
        first.zero_grad()
        real_scores, fake_scores = critic(x), critic(fake.detach())
        judged = F.binary_cross_entropy_with_logits(real_scores, torch.ones_like(real_scores))
        judged = judged + F.binary_cross_entropy_with_logits(fake_scores, torch.zeros_like(fake_scores))
        judged.backward()
        first.step()
        second.zero_grad()
        scores = critic(fake)
        fooled = F.binary_cross_entropy_with_logits(scores, torch.ones_like(scores))
        fooled.backward()
        second.step()
        return judged.detach() + fooled.detach()

    return Training(step, rows(9, 7), (generator, critic))


@case("wasserstein_gan_with_penalty", ci="float64")
def wasserstein_gan_with_penalty() -> Training:
    generator, critic = mlp(3, 9, 5), mlp(5, 13, 1)
    optimizers = [torch.optim.RMSprop(m.parameters(), 1e-3, eps=1e-4) for m in (generator, critic)]

    def step(x: Any) -> Any:
        with torch.no_grad():
            fake = generator(torch.randn(x.shape[0], 3))
        share = torch.rand(x.shape[0], 1)
        between = (share * x + (1 - share) * fake).requires_grad_()
        (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
        optimizers[1].zero_grad()
        loss = critic(fake).mean() - critic(x).mean() + 10 * ((slope.norm(dim=1) - 1) ** 2).mean()
        loss.backward()
        optimizers[1].step()
        optimizers[0].zero_grad()
        second = -critic(generator(torch.randn(x.shape[0], 3))).mean()
        second.backward()
        optimizers[0].step()
        return loss + second

    return Training(step, rows(7, 5), (generator, critic))


@case("policy_gradient", ci="float32")
def policy_gradient() -> Training:
    """Actions drawn from a policy, rewards that depend on them."""
    model = mlp(4, 13, 3)

    def loss(model: Any, state: Any) -> Any:
        policy = distributions.Categorical(logits=model(state))
        action = policy.sample()
        # Of one sign: terms that cancel leave a loss that is mostly rounding.
        reward = torch.where(action == 1, state[:, 0], -state[:, 1]).exp()
        return -(policy.log_prob(action) * reward).mean() - 0.01 * policy.entropy().mean()

    return training(model, loss, rows(13, 4), torch.optim.Adam(model.parameters(), 1e-3))


@case("proximal_policy")
def proximal_policy() -> Training:
    """Clipped ratios, several epochs over one batch, advantages from rewards to go."""

    class Agent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.mean, self.value = mlp(5, 13), nn.Linear(13, 2), nn.Linear(13, 1)
            self.log_scale = nn.Parameter(torch.zeros(2))

        def forward(self, x: Any) -> tuple[Any, Any]:
            h = torch.tanh(self.body(x))
            return distributions.Normal(self.mean(h), self.log_scale.exp()), self.value(h).squeeze(-1)

    agent = Agent()
    optimizer = torch.optim.Adam(agent.parameters(), 1e-3)

    def step(states: Any, rewards: Any) -> Any:
        with torch.no_grad():
            policy, values = agent(states)
            actions = policy.rsample()
            before = policy.log_prob(actions).sum(-1)
            gained, gains = torch.zeros(()), []
            for n in reversed(range(states.shape[0])):
                following = values[n + 1] if n + 1 < states.shape[0] else torch.zeros(())
                gained = rewards[n] + 0.9 * following - values[n] + 0.9 * 0.95 * gained
                gains.append(gained)
            gain = torch.stack(gains[::-1])
            goal = gain + values
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
        total = torch.zeros(())
        for _ in range(3):
            policy, values = agent(states)
            ratio = (policy.log_prob(actions).sum(-1) - before).exp()
            clipped = torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
            loss = F.mse_loss(values, goal) - clipped - 0.01 * policy.entropy().sum(-1).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
            total = total + loss.detach()
        return total

    return Training(step, lambda: (torch.randn(9, 5), torch.randn(9)), (agent,))


@case("deep_q", ci="float64")
def deep_q() -> Training:
    """Values of actions, goals from a copy that follows slowly."""
    model = mlp(4, 13, 3, activation=nn.ReLU)
    target = copy.deepcopy(model)
    optimizer = torch.optim.RMSprop(model.parameters(), 1e-3)

    def step(state: Any, action: Any, reward: Any, following: Any, done: Any) -> Any:
        with torch.no_grad():
            best = target(following).gather(1, model(following).argmax(1, keepdim=True)).squeeze(1)
            goal = reward + 0.99 * best * (~done)
        loss = F.smooth_l1_loss(model(state).gather(1, action[:, None]).squeeze(1), goal)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for a, b in zip(target.parameters(), model.parameters(), strict=True):
                a.copy_(0.9 * a + 0.1 * b)
        return loss

    def batch() -> tuple[Any, ...]:
        draw = torch.randn
        return draw(7, 4), torch.randint(0, 3, (7,)), draw(7), draw(7, 4), torch.rand(7) < 0.2

    return Training(step, batch, (model, target))


@case("soft_actor_critic")
def soft_actor_critic() -> Training:
    """Squashed samples with their densities, two critics, a temperature."""
    actor, critics = mlp(3, 9, 4), nn.ModuleList(mlp(5, 9, 1) for _ in range(2))
    temperature = nn.ParameterList([nn.Parameter(torch.zeros(()))])
    optimizers = [torch.optim.Adam(m.parameters(), 1e-3) for m in (actor, critics, temperature)]

    def act(state: Any) -> tuple[Any, Any]:
        mean, log_scale = actor(state).chunk(2, -1)
        normal = distributions.Normal(mean, log_scale.clamp(-5, 2).exp())
        u = normal.rsample()
        density = normal.log_prob(u) - 2 * (math.log(2) - u - F.softplus(-2 * u))
        return torch.tanh(u), density.sum(-1)

    def step(state: Any, action: Any, reward: Any) -> Any:
        values = [c(torch.cat([state, action], -1)).squeeze(-1) for c in critics]
        judged = sum(F.mse_loss(v, reward) for v in values)
        new, density = act(state)
        best = torch.min(*(c(torch.cat([state, new], -1)).squeeze(-1) for c in critics))
        scale = temperature[0].exp()
        acted = (scale.detach() * density - best).mean()
        tempered = -(scale * (density.detach() - 2.0)).mean()
        for optimizer in optimizers:
            optimizer.zero_grad()
        (judged + tempered).backward(retain_graph=True)
        grads = torch.autograd.grad(acted, list(actor.parameters()))
        for p, g in zip(actor.parameters(), grads, strict=True):
            p.grad = g
        for optimizer in optimizers:
            optimizer.step()
        return judged + tempered + acted

    batch = lambda: (torch.randn(7, 3), torch.randn(7, 2), torch.randn(7))
    return Training(step, batch, (actor, critics, temperature))


@case("restricted_boltzmann")
def restricted_boltzmann() -> Training:
    """Contrastive divergence: chains of Bernoulli draws in a difference of energies."""

    class Machine(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.randn(9, 7))
            self.seen, self.hidden = nn.Parameter(torch.randn(9)), nn.Parameter(torch.randn(7))

        def energy(self, v: Any) -> Any:
            return -(v @ self.seen) - F.softplus(v @ self.weight + self.hidden).sum(-1)

        def forward(self, v: Any) -> Any:
            k = v
            with torch.no_grad():
                for _ in range(2):
                    h = torch.bernoulli(torch.sigmoid(k @ self.weight + self.hidden))
                    k = torch.bernoulli(torch.sigmoid(h @ self.weight.t() + self.seen))
            return (self.energy(v) - self.energy(k)).mean()

    return training(Machine(), lambda m, x: m(x), lambda: (torch.rand(5, 9).round(),))

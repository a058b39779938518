"""Steps of probabilistic programs and of agents: mixtures, flows, variational inference, acting, learning."""

from __future__ import annotations

from typing import Any

from benchmarks.case import Case, Library
from benchmarks.suite.in_jax import probability as in_jax
from benchmarks.suite.steps import parameter, step, training, whole


@step("Mixture of 16 Gaussians: likelihood of 2,000 points in 8 dimensions", in_jax.gaussian_mixture)
def gaussian_mixture(library: Library) -> Case:
    torch = library.module
    x = torch.randn(2000, 8)
    means, scales, weights = parameter(torch, 16, 8, scale=1), parameter(torch, 16, 8), parameter(torch, 16)

    def loss() -> Any:
        z = (x[:, None] - means[None]) * torch.exp(-scales)[None]
        logs = -0.5 * (z * z).sum(-1) - scales.sum(-1) + weights.log_softmax(0)
        return -torch.logsumexp(logs, 1).mean()

    return training(library, [means, scales, weights], loss)


@step("Variational autoencoder 784-400-20, batch 128, Adam")
def autoencoder_vae(library: Library) -> Case:
    torch = library.module
    nn, functional = torch.nn, torch.nn.functional
    encoder, heads = nn.Linear(784, 400), nn.Linear(400, 40)
    decoder = nn.Sequential(nn.Linear(20, 400), nn.ReLU(), nn.Linear(400, 784))
    x = torch.rand(128, 784)

    def loss() -> Any:
        mean, log_variance = heads(functional.relu(encoder(x))).chunk(2, 1)
        z = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        likelihood = functional.binary_cross_entropy_with_logits(decoder(z), x, reduction="sum")
        return likelihood - 0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum()

    parameters = [*encoder.parameters(), *heads.parameters(), *decoder.parameters()]
    return training(library, parameters, loss)


@step("A policy acts: network 4-64-64-2, Categorical, sample, log-probability, no gradient")
def policy_acts(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    net = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
    state = torch.randn(1, 4)

    def act() -> Any:
        with torch.no_grad():
            policy = torch.distributions.Categorical(logits=net(state))
            action = policy.sample()
            return policy.log_prob(action)

    return whole(library, act)


@step(
    "Proximal policy update: 256 transitions, Normal policy with entropy, clipped norm",
    in_jax.policy_learns,
)
def policy_learns(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    net = nn.Sequential(nn.Linear(11, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 3))
    critic = nn.Sequential(nn.Linear(11, 64), nn.Tanh(), nn.Linear(64, 1))
    log_std = torch.zeros(3, requires_grad=True)
    states, actions, returns = torch.randn(256, 11), torch.randn(256, 3), torch.randn(256)
    before = torch.randn(256) - 4
    parameters = [*net.parameters(), *critic.parameters(), log_std]
    update = torch.optim.Adam(parameters, lr=3e-4)

    def learn() -> Any:
        update.zero_grad()
        policy = torch.distributions.Normal(net(states), log_std.exp())
        logs = policy.log_prob(actions).sum(-1)
        values = critic(states).squeeze(-1)
        advantage = (returns - values).detach()
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        ratio = torch.exp(logs - before)
        clipped = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
        error = ((returns - values) ** 2).mean()
        loss = -clipped.mean() + 0.5 * error - 0.01 * policy.entropy().sum(-1).mean()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 0.5)
        update.step()
        return loss

    return whole(library, learn, backward=True)


@step("Deep Q-learning: double network, gather, smooth loss, batch 64", in_jax.q_learning)
def q_learning(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    make = lambda: nn.Sequential(nn.Linear(8, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 4))  # noqa: E731, E501
    net, target = make(), make()
    states, after = torch.randn(64, 8), torch.randn(64, 8)
    actions, rewards, done = torch.randint(4, (64, 1)), torch.randn(64), (torch.rand(64) < 0.1).float()

    def loss() -> Any:
        q = net(states).gather(1, actions).squeeze(1)
        with torch.no_grad():
            best = net(after).argmax(1, keepdim=True)
            wanted = rewards + 0.99 * (1 - done) * target(after).gather(1, best).squeeze(1)
        return nn.functional.smooth_l1_loss(q, wanted)

    return training(library, net.parameters(), loss)


@step("Normalizing flow: 6 affine couplings in 8 dimensions, batch 256", in_jax.coupling_flow)
def coupling_flow(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    nets = nn.ModuleList(nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 8)) for _ in range(6))
    x = torch.randn(256, 8)

    def loss() -> Any:
        a, b, logs = x[:, :4], x[:, 4:], 0.0
        for net in nets:
            shift, scale = net(a).chunk(2, 1)
            scale = torch.tanh(scale)
            b = b * torch.exp(scale) + shift
            logs = logs + scale.sum(1)
            a, b = b, a
        return (0.5 * (a * a + b * b).sum(1) - logs).mean()

    return training(library, nets.parameters(), loss)


@step("Bayesian regression: sampled weights, divergence of distributions, 500 rows")
def variational_regression(library: Library) -> Case:
    torch = library.module
    normal = torch.distributions.Normal
    x, y = torch.randn(500, 12), torch.randn(500)
    mean, log_scale = parameter(torch, 12), parameter(torch, 12)

    def loss() -> Any:
        posterior = normal(mean, log_scale.exp())
        w = posterior.rsample()
        likelihood = normal(x @ w, 1.0).log_prob(y).sum()
        prior = normal(torch.zeros(12), torch.ones(12))
        return torch.distributions.kl_divergence(posterior, prior).sum() - likelihood

    return training(library, [mean, log_scale], loss)


@step("Soft actor: squashed Normal as a transformed distribution, two critics, temperature, batch 256")
def squashed_actor(library: Library) -> Case:
    torch = library.module
    nn, distributions = torch.nn, torch.distributions
    make = lambda a, b: nn.Sequential(nn.Linear(a, 64), nn.ReLU(), nn.Linear(64, b))  # noqa: E731
    actor, critics = make(12, 6), [make(15, 1) for _ in range(2)]
    temperature = torch.zeros((), requires_grad=True)
    states = torch.randn(256, 12)

    def loss() -> Any:
        mean, log_std = actor(states).chunk(2, 1)
        normal = distributions.Normal(mean, log_std.clamp(-5, 2).exp())
        policy = distributions.TransformedDistribution(normal, distributions.TanhTransform(cache_size=1))
        action = policy.rsample()
        logs = policy.log_prob(action).sum(1)
        values = torch.min(*(critic(torch.cat([states, action], 1))[:, 0] for critic in critics))
        alpha = temperature.exp()
        return (alpha.detach() * logs - values).mean() - alpha * (logs.detach() - 3).mean()

    return training(library, [*actor.parameters(), temperature], loss, lr=3e-4)


@step(
    "Mixture density network: 5 Normals for each of 300 rows, logsumexp of log-probabilities",
    in_jax.mixture_density,
)
def mixture_density(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    net = nn.Sequential(nn.Linear(3, 50), nn.Tanh(), nn.Linear(50, 15))
    x, y = torch.randn(300, 3), torch.randn(300, 1)

    def loss() -> Any:
        logits, means, log_scales = net(x).chunk(3, 1)
        logs = torch.distributions.Normal(means, log_scales.exp()).log_prob(y)
        return -torch.logsumexp(logits.log_softmax(1) + logs, 1).mean()

    return training(library, net.parameters(), loss)

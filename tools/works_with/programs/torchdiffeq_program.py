"""A rate and a small network are fitted through solvers, by their steps and by the adjoint equation."""

import math

import torch
from torch import nn
from torchdiffeq import odeint, odeint_adjoint


class Decay(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate = nn.Parameter(torch.tensor(rate, dtype=torch.float64))

    def forward(self, t, y):
        return -self.rate * y


def test_solvers_and_their_gradients():
    times = torch.linspace(0, 2, 5, dtype=torch.float64)
    start = torch.tensor([1.0, 3.0], dtype=torch.float64)
    for solve in (odeint, odeint_adjoint):
        for method, near in [("dopri5", 1e-6), ("rk4", 1e-3), ("dopri8", 1e-6)]:
            system = Decay(0.7)
            end = solve(system, start, times, method=method)[-1]
            torch.testing.assert_close(end, start * math.exp(-1.4), atol=near, rtol=near)
            end.sum().backward()
            wanted = (-2 * start * math.exp(-1.4)).sum()
            torch.testing.assert_close(system.rate.grad, wanted, atol=10 * near, rtol=10 * near)


def test_a_network_learns_a_spiral():
    torch.manual_seed(0)
    turn = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
    times = torch.linspace(0, 1.5, 8)
    start = torch.tensor([[2.0, 0.0]])
    with torch.no_grad():
        seen = odeint(lambda t, y: y @ turn, start, times)
    network = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    losses = []
    for _ in range(40):
        optimizer.zero_grad()
        loss = (odeint(lambda t, y: network(y), start, times, method="rk4") - seen).abs().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 3


if __name__ == "__main__":
    test_solvers_and_their_gradients()
    test_a_network_learns_a_spiral()

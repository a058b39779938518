"""Training runs of 100 steps: a compiled step does what the eager one does, step for step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch
from pullback import nn
from tests.compiler.agreement import array_kernels

pytest.importorskip("llvmlite")
F = nn.functional
STEPS = 100


class LeNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3)
        self.hidden, self.head = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, x: Any) -> Any:
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.head(F.relu(self.hidden(x.flatten(1))))


class GPT(nn.Module):
    def __init__(self, words: int = 11, length: int = 6, width: int = 8, heads: int = 2) -> None:
        super().__init__()
        self.heads = heads
        self.token, self.position = nn.Embedding(words, width), nn.Embedding(length, width)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(width) for _ in range(3))
        self.qkv, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.expand, self.contract = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(width, words)

    def forward(self, tokens: Any) -> Any:
        x = self.drop(self.token(tokens) + self.position(torch.arange(tokens.shape[1])))
        batch, length, width = x.shape
        parts = (
            part.view(batch, length, self.heads, -1).transpose(1, 2)
            for part in self.qkv(self.norm1(x)).split(width, 2)
        )
        mixed = F.scaled_dot_product_attention(*parts, is_causal=True)
        x = x + self.project(mixed.transpose(1, 2).reshape(x.shape))
        x = x + self.contract(F.gelu(self.expand(self.norm2(x))))
        return self.head(self.norm3(x)).transpose(1, 2)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Embedding(11, 6)
        self.layer = nn.LSTM(6, 8, batch_first=True)
        self.head = nn.Linear(8, 11)

    def forward(self, tokens: Any) -> Any:
        return self.head(self.layer(self.token(tokens))[0]).transpose(1, 2)


def images() -> tuple[Any, Any]:
    target = torch.randint(0, 4, (8,))
    x = torch.randn(8, 1, 8, 8)
    for n, digit in enumerate(target.tolist()):
        x[n, 0, 2 * digit] += 3
    return x, target


def text(length: int) -> Callable[[], tuple[Any, Any]]:
    def batch() -> tuple[Any, Any]:
        start = torch.randint(0, 11, (4, 1))
        line = (start + torch.arange(length + 1)) % 11
        return line[:, :-1].contiguous(), line[:, 1:].contiguous()

    return batch


# Attention does not depend on the bias of the keys, whose gradient is rounding alone: `eps` keeps Adam from
# making steps of it.
RUNS: dict[str, tuple[Any, Any, Any]] = {
    "lenet": (LeNet, lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9), images),
    "gpt": (GPT, lambda p: torch.optim.AdamW(p, lr=3e-3, eps=1e-4), text(6)),
    "lstm": (Recurrent, lambda p: torch.optim.RMSprop(p, lr=3e-3), text(4)),
}


def run(name: str, compiled: bool) -> tuple[list[float], dict[str, Any], Any]:
    make, optimize, batch = RUNS[name]
    torch.manual_seed(0)
    model = make()
    optimizer = optimize(model.parameters())

    def step(x: Any, target: Any) -> Any:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        return loss

    function = torch.compile(step, backend="native") if compiled else step
    losses = [function(*batch()).item() for _ in range(STEPS)]
    return losses, model.state_dict(), function


@pytest.mark.parametrize("name", RUNS)
def test_hundred_steps_are_eagers(name):
    losses, state, function = run(name, True)
    expected, expected_state, _ = run(name, False)
    assert expected[-1] < 0.9 * expected[0]
    torch.testing.assert_close(torch.tensor(losses), torch.tensor(expected), rtol=1e-4, atol=1e-4)
    for got, want in zip(state.values(), expected_state.values(), strict=True):
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-3)
    assert function._native._traces <= 2
    # Random numbers come from eager's stream; all else is native.
    assert set(array_kernels(function)) <= {"dropout_noise"}


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_a_recurrent_layer_that_is_pulled_back_from_outside_is_compiled(kind: str) -> None:
    torch.manual_seed(0)
    layer, head = getattr(nn, kind)(6, 5, batch_first=True), nn.Linear(5, 2)

    def function(x: Any) -> Any:
        y, state = layer(x)
        return head(y).square().mean(), state

    compiled = torch.compile(function, backend="native")
    x = torch.randn(2, 7, 6)
    found = []
    for run in (function, compiled):
        loss, state = run(x)
        last = state[-1] if isinstance(state, tuple) else state
        (loss + last.sum()).backward()
        found.append([loss.detach(), *(p.grad for p in (*layer.parameters(), *head.parameters()))])
        layer.zero_grad(), head.zero_grad()
    assert compiled._native.eager_because is None
    for got, want in zip(found[1], found[0], strict=True):
        torch.testing.assert_close(got, want)


class Rounded(torch.autograd.Function):
    """A straight-through estimator."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return torch.round(x)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g


class Adjoint(torch.autograd.Function):
    """Two Euler steps of a layer, pulled back by steps backwards."""

    @staticmethod
    def forward(ctx: Any, x: Any, *weights: Any) -> Any:
        for _ in range(2):
            x = x + 0.1 * F.linear(x, *weights)
        ctx.save_for_backward(x, *weights)
        return x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, *weights = ctx.saved_tensors
        sums = [torch.zeros_like(w) for w in weights]
        for _ in range(2):
            with torch.enable_grad():
                z = x.detach().requires_grad_()
                slope = F.linear(z, *weights)
                gz, *gw = torch.autograd.grad(slope, (z, *weights), g)
            x, g = x - 0.1 * slope.detach(), g + 0.1 * gz
            sums = [s + 0.1 * h for s, h in zip(sums, gw)]
        return (g, *sums)


@pytest.mark.parametrize("function", [Rounded, Adjoint])
def test_a_function_of_the_users_between_layers_is_compiled(function: Any) -> None:
    torch.manual_seed(3)
    first, second = nn.Linear(4, 4), nn.Linear(4, 4)
    x, y = torch.randn(6, 4), torch.randn(6, 4)
    weights = list(second.parameters()) if function is Adjoint else []
    parameters = [*first.parameters(), *second.parameters()]

    def step() -> Any:
        for p in parameters:
            p.grad = None
        loss = F.mse_loss(second(function.apply(3 * first(x), *weights)), y)
        loss.backward()
        return loss.detach(), [p.grad.clone() for p in parameters]

    compiled = torch.compile(step, fullgraph=True)
    for _ in range(3):
        (a, found), (b, expected) = compiled(), step()
        torch.testing.assert_close([a, *found], [b, *expected])
    assert compiled._native.eager_because is None

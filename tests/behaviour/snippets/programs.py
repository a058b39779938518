"""Steps of programs that people write: a model in a few lines, trained or run, and what comes out.

All compute in double precision, so that what is printed does not depend on the order of sums.
"""

from __future__ import annotations

from typing import Any

T = Any


def routed_to_two_experts(torch: T) -> None:
    nn, functional = torch.nn, torch.nn.functional
    torch.manual_seed(0)
    gate = nn.Linear(4, 3, bias=False, dtype=torch.double)
    experts = nn.ModuleList([nn.Linear(4, 4, dtype=torch.double) for _ in range(3)])
    x = torch.randn(5, 4, dtype=torch.double)
    weights, chosen = torch.topk(functional.softmax(gate(x), dim=-1), 2)
    weights = weights / weights.sum(-1, keepdim=True)
    out = torch.zeros_like(x)
    for number, expert in enumerate(experts):
        rows, places = torch.where(chosen == number)
        out[rows] += weights[rows, places, None] * expert(x[rows])
    out.pow(2).mean().backward()
    print(chosen, out, gate.weight.grad)


def rotary_positions_and_a_cache(torch: T) -> None:
    attend = torch.nn.functional.scaled_dot_product_attention
    torch.manual_seed(0)
    rates = 1.0 / (10000 ** (torch.arange(0, 4, 2).double() / 4))
    angles = torch.outer(torch.arange(6).double(), rates)
    turns = torch.polar(torch.ones_like(angles), angles)
    query, key, value = (torch.randn(1, 2, 6, 4, dtype=torch.double) for _ in range(3))

    def turned(x: Any) -> Any:
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * turns).flatten(3)

    query, key = turned(query), turned(key)
    whole = attend(query, key, value, is_causal=True)
    last = attend(query[:, :, -1:], key, value)
    print(torch.allclose(whole[:, :, -1:], last), whole[0, 0])


def codebook_with_a_straight_through_gradient(torch: T) -> None:
    functional = torch.nn.functional
    torch.manual_seed(0)
    codes = torch.nn.Embedding(5, 3, dtype=torch.double)
    z = torch.randn(4, 3, dtype=torch.double, requires_grad=True)
    distances = z.pow(2).sum(1, keepdim=True) + codes.weight.pow(2).sum(1) - 2 * z @ codes.weight.t()
    nearest = distances.argmin(1)
    found = codes(nearest)
    loss = functional.mse_loss(found.detach(), z) / 4 + functional.mse_loss(found, z.detach())
    (loss + (z + (found - z).detach()).sum()).backward()
    print(nearest, loss, z.grad, codes.weight.grad)


def state_carried_from_piece_to_piece(torch: T) -> None:
    nn = torch.nn
    torch.manual_seed(0)
    lstm = nn.LSTM(3, 4, batch_first=True, dtype=torch.double)
    head = nn.Linear(4, 3, dtype=torch.double)
    parameters = [*lstm.parameters(), *head.parameters()]
    optimizer = torch.optim.RMSprop(parameters, lr=1e-2)
    x = torch.randn(2, 12, 3, dtype=torch.double)
    state = None
    for piece in x.split(4, dim=1):
        out, state = lstm(piece, state)
        state = tuple(part.detach() for part in state)
        loss = (head(out) - piece).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(parameters, 0.25)
        optimizer.step()
        print(f"{loss.item():.8f} {norm.item():.8f}")


def learning_to_learn(torch: T) -> None:
    nn = torch.nn
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(1, 4), nn.Tanh(), nn.Linear(4, 1)).double()
    parameters = dict(net.named_parameters())
    x, y = torch.randn(2, 3, 5, 1, dtype=torch.double)

    def loss(values: Any, x: Any, y: Any) -> Any:
        return ((torch.func.functional_call(net, values, (x,)) - y) ** 2).mean()

    def after_a_step(x: Any, y: Any) -> Any:
        gradients = torch.func.grad(loss)(parameters, x, y)
        return loss({name: p - 0.1 * gradients[name] for name, p in parameters.items()}, x, y)

    total = torch.vmap(after_a_step)(x, y)
    total.sum().backward()
    print(total.detach(), net[0].weight.grad)


def first_layer_exchanged(torch: T) -> None:
    nn = torch.nn
    torch.manual_seed(0)

    class Net(nn.Module):  # type: ignore[misc, name-defined]  # a base known at run time only
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Conv2d(3, 4, 3)
            self.norm = nn.BatchNorm2d(4)
            self.head = nn.Linear(4, 2)

    net = Net()
    net.first = nn.Conv2d(1, 4, 3)
    body = nn.Sequential(*list(net.children())[:-1])
    for parameter in body.parameters():
        parameter.requires_grad = False
    print(body, body(torch.ones(2, 1, 5, 5)).shape, [n for n, p in net.named_parameters() if p.requires_grad])

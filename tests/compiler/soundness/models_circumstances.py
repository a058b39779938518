"""What happens around steps: batches of other sizes and layouts, judging, loading, freezing, sharing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pullback as torch
from pullback import nn
from tests.compiler.soundness.training import Training, case, training

F = nn.functional


def network() -> Any:
    # A bias before the norm would have a gradient that is rounding alone, of which Adam makes steps.
    return nn.Sequential(
        nn.Linear(9, 13, bias=False), nn.BatchNorm1d(13), nn.ReLU(), nn.Dropout(0.1), nn.Linear(13, 7),
        nn.Tanh(), nn.Linear(7, 3),
    )  # fmt: skip


def classify(model: Any, x: Any, target: Any) -> Any:
    return F.cross_entropy(model(x), target)


def batch(size: int = 8) -> tuple[Any, Any]:
    return torch.randn(size, 9), torch.randint(0, 3, (size,))


def between(act: Callable[[Any, int], None], optimize: Any = None) -> Callable[[], Training]:
    """Something done to the model before each batch, which is told the batch's number."""

    def make() -> Training:
        model = network()
        count = [0]

        def draw() -> tuple[Any, Any]:
            act(model, count[0])
            count[0] += 1
            return batch()

        optimizer = (optimize or (lambda p: torch.optim.Adam(p, 1e-2)))(model.parameters())
        return training(model, classify, draw, optimizer)

    return make


def judge(model: Any, n: int) -> None:
    model.eval()
    with torch.no_grad():
        assert model(batch()[0]).isfinite().all()
    model.train()


def load(model: Any, n: int) -> None:
    if n == 2:
        model.load_state_dict({name: value.clone() for name, value in network().state_dict().items()})


def thaw(model: Any, n: int) -> None:
    model[0].requires_grad_(n >= 3)


def shrink(model: Any, n: int) -> None:
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(0.99)


def replace(model: Any, n: int) -> None:
    for p in model.parameters():
        p.data = p.data.clone()


def prune(model: Any, n: int) -> None:
    with torch.no_grad():
        model[0].weight[model[0].weight.abs() < 0.05] = 0


case("judged_between_steps", ci="float32")(between(judge))
case("weights_loaded_between_steps")(between(load))
case("thawed_later")(between(thaw, lambda p: torch.optim.SGD(p, 0.05)))
case("weights_written_between_steps")(between(shrink))
case("weights_replaced_between_steps")(between(replace))
case("weights_pruned_between_steps")(between(prune))


@case("last_batch_is_smaller", ci="float32")
def last_batch_is_smaller() -> Training:
    sizes = iter([8, 8, 8, 8, 5])
    return training(network(), classify, lambda: batch(next(sizes)))


@case("sizes_take_turns")
def sizes_take_turns() -> Training:
    sizes = iter([8, 13, 8, 13, 8])
    model = network()
    return training(model, classify, lambda: batch(next(sizes)), torch.optim.AdamW(model.parameters(), 1e-2))


@case("batches_in_one_memory", ci="float64")
def batches_in_one_memory() -> Training:
    """A loader that writes every batch where the last one was."""
    x, target = batch()

    def draw() -> tuple[Any, Any]:
        x.copy_(torch.randn(8, 9))
        target.copy_(torch.randint(0, 3, (8,)))
        return x, target

    return training(network(), classify, draw)


@case("batches_turned")
def batches_turned() -> Training:
    """Inputs that are views: transposed, every other row, in reverse order."""
    draw = lambda: (torch.randn(9, 16).t()[::2], torch.randint(0, 3, (16,))[8:].flip(0))
    return training(network(), classify, draw)


@case("channels_last")
def channels_last() -> Training:
    model = nn.Sequential(
        nn.Conv2d(3, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 5, 3),
        nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(5, 3),
    ).to(memory_format=torch.channels_last)  # fmt: skip
    draw = lambda: (
        torch.randn(3, 3, 9, 9).contiguous(memory_format=torch.channels_last), torch.randint(0, 3, (3,))
    )
    return training(model, classify, draw)


@case("inputs_that_overlap")
def inputs_that_overlap() -> Training:
    """Windows of one series, which share their memory."""

    def draw() -> tuple[Any, Any]:
        windows = torch.randn(20).unfold(0, 9, 1)
        return windows[:8], torch.randint(0, 3, (8,))

    return training(network(), classify, draw)


@case("other_types_of_inputs")
def other_types_of_inputs() -> Training:
    """Bytes of pixels, half precision and flags, which the model converts."""

    def loss(model: Any, pixels: Any, half: Any, flags: Any, target: Any) -> Any:
        x = pixels.to(torch.get_default_dtype()) / 255 + half.to(torch.get_default_dtype()) * flags
        return classify(model, x, target)

    def draw() -> tuple[Any, ...]:
        pixels = torch.randint(0, 256, (8, 9), dtype=torch.uint8)
        return pixels, torch.randn(8, 9).half(), torch.rand(8, 9) < 0.5, torch.randint(0, 3, (8,))

    return training(network(), loss, draw)


@case("shared_layers", ci="float32")
def shared_layers() -> Training:
    """One layer used three times, a bias that two layers share, a weight that is another's transpose."""

    class Shared(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.again, self.head = nn.Linear(9, 13), nn.Linear(13, 13), nn.Linear(13, 3)
            self.other = nn.Linear(13, 13)
            self.other.bias = self.again.bias

        def forward(self, x: Any) -> Any:
            h = torch.tanh(self.first(x))
            for _ in range(3):
                h = h + torch.tanh(self.other(self.again(h)))
            return self.head(h) + F.mse_loss(F.linear(h, self.first.weight.t()), x)

    return training(Shared(), classify, batch)


@case("nested_inputs")
def nested_inputs() -> Training:
    """A batch as a dict of lists and tuples."""

    def loss(model: Any, given: dict[str, Any]) -> Any:
        x = torch.stack(given["parts"]).mean(0)
        return classify(model, x * given["scale"][0], given["labels"]["first"])

    def draw() -> tuple[Any]:
        x, target = batch()
        return ({"parts": [x, torch.randn_like(x)], "scale": (torch.rand(()),), "labels": {"first": target}},)

    return training(network(), loss, draw)


@case("written_in_place")
def written_in_place() -> Training:
    """A forward part that writes into its own values, by slices and by ops."""

    class Writing(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(9, 13), nn.Linear(13, 3)

        def forward(self, x: Any) -> Any:
            h = self.first(x)
            h[:, ::2] = torch.sin(h[:, ::2].clone())
            h[:, 1].mul_(2.0).add_(x[:, 3])
            h = h.clamp(min=-1.0)
            h.masked_fill_(h > 0.8, 0.8)
            out = torch.zeros(x.shape[0], 13)
            out[:, :5].add_(h[:, 8:])
            out[::2, 5:] = h[::2, :8].square()
            return self.second(out)

    return training(Writing(), classify, batch)


@case("written_by_slices", eager="writes to memory that it reads")
def written_by_slices() -> Training:
    """A part of an array that is added to, which Python writes back to where it is."""

    def loss(model: Any, x: Any, target: Any) -> Any:
        x = 2 * x
        x[:, :4] += 0.1
        x[:, 8] *= x[:, 0]
        return F.cross_entropy(model(x), target)

    return training(network(), loss, batch)


@case("written_by_a_mask", eager="numbers")
def written_by_a_mask() -> Training:
    """Places that are chosen by numbers, written and read."""

    def loss(model: Any, x: Any, target: Any) -> Any:
        x = x.clone()
        x[x > 0.8] = 0.8
        scores = model(x)
        return F.cross_entropy(scores, target) + scores[scores > 0].sum()

    return training(network(), loss, batch)


@case("two_losses_one_graph")
def two_losses_one_graph() -> Training:
    """Two calls of backward, the first of which keeps the graph."""
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), 0.05)

    def step(x: Any, target: Any) -> Any:
        scores = model(x)
        first, second = F.cross_entropy(scores, target), scores.square().mean()
        optimizer.zero_grad()
        first.backward(retain_graph=True)
        second.backward()
        optimizer.step()
        return first.detach() + second.detach()

    return Training(step, batch, (model,))


@case("gradients_given")
def gradients_given() -> Training:
    """A covector for backward, detached parts, and gradients that are read and scaled before the step."""
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), 0.05)

    def step(x: Any, target: Any) -> Any:
        optimizer.zero_grad(set_to_none=True)
        each = F.cross_entropy(model(x), target, reduction="none")
        each.backward(torch.softmax(each.detach(), 0))
        with torch.no_grad():
            for p in model.parameters():
                p.grad.sub_(p.grad.mean(), alpha=0.1).mul_(2)
        optimizer.step()
        return each.mean()

    return Training(step, batch, (model,))

"""(p) Many gradients from one graph: of each sample of a batch, and of each output, at once and in a loop.

A module as it is gives per-sample gradients by ``pullback.func.per_sample_gradients``; torch's way is
``vmap`` of ``grad`` of ``functional_call``, written by the user. The loop is what either is measured against:
compare the row with its ``-loop``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks import data
from benchmarks.case import Case, Library, Row

SAMPLES = 32
WIDTHS = (64, 64, 10)


def _perceptron(torch: Any) -> tuple[Any, data.Parameters, data.Array]:
    nn = torch.nn
    inputs, hidden, outputs = WIDTHS
    model = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs))
    return model, data.mlp(WIDTHS), data.normal(SAMPLES, inputs)


def _lenet(torch: Any) -> tuple[Any, data.Parameters, data.Array]:
    nn = torch.nn
    model = nn.Sequential()
    for name, layers in {
        "conv1": [nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2)],
        "conv2": [nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()],
        "fc1": [nn.Linear(400, 120), nn.ReLU()],
        "fc2": [nn.Linear(120, 84), nn.ReLU()],
        "fc3": [nn.Linear(84, 10)],
    }.items():
        for layer in layers:
            model.add_module(name if layer is layers[0] else f"{name}_{type(layer).__name__}", layer)
    return model, data.lenet(), data.normal(SAMPLES, 1, 32, 32)


MODELS = {"mlp": _perceptron, "lenet": _lenet}


def _model(which: str, torch: Any) -> tuple[Any, Any, Any]:
    """The model with the benchmark's parameters, its inputs and its labels."""
    model, parameters, inputs = MODELS[which](torch)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(torch.from_numpy(parameters[name]))
    return model, torch.from_numpy(inputs), torch.from_numpy(data.labels(SAMPLES, 10))


def _at_once(torch: Any, model: Any, loss: Callable[..., Any]) -> Callable[..., Any]:
    if hasattr(torch.func, "per_sample_gradients"):
        return partial(torch.func.per_sample_gradients, model, loss)
    func = torch.func
    parameters = {name: p.detach() for name, p in model.named_parameters()}

    def one(parameters: Any, x: Any, target: Any) -> Any:
        return loss(func.functional_call(model, parameters, (x.unsqueeze(0),)), target.unsqueeze(0))

    return partial(func.vmap(func.grad(one), (None, 0, 0)), parameters)


def _in_a_loop(torch: Any, model: Any, loss: Callable[..., Any]) -> Callable[..., Any]:
    parameters = dict(model.named_parameters())

    def run(inputs: Any, targets: Any) -> dict[str, Any]:
        rows = [
            torch.autograd.grad(loss(model(x.unsqueeze(0)), t.unsqueeze(0)), list(parameters.values()))
            for x, t in zip(inputs, targets, strict=True)
        ]
        columns = map(torch.stack, zip(*rows, strict=True))
        return dict(zip(parameters, columns, strict=True))

    return run


def per_sample(which: str, loop: bool, library: Library) -> Case:
    torch = library.module
    model, inputs, targets = _model(which, torch)
    loss = torch.nn.functional.cross_entropy
    call = library.compile((_in_a_loop if loop else _at_once)(torch, model, loss))
    return Case(
        lambda: call(inputs, targets), lambda grads: sum(g.square().sum().item() for g in grads.values())
    )


def per_output(which: str, loop: bool, library: Library) -> Case:
    """The rows of the Jacobian of one sample's outputs by all parameters."""
    torch = library.module
    model, inputs, _ = _model(which, torch)
    parameters = list(model.parameters())
    rows = torch.eye(10).unsqueeze(1)

    def in_a_loop() -> Any:
        y = model(inputs[:1])
        each = [torch.autograd.grad(y, parameters, row, retain_graph=True) for row in rows]
        return [torch.stack(column) for column in zip(*each, strict=True)]

    def at_once() -> Any:
        y = model(inputs[:1])
        return torch.autograd.grad(y, parameters, rows, is_grads_batched=True)

    call = library.compile(in_a_loop if loop else at_once)
    return Case(call, lambda grads: sum(g.square().sum().item() for g in grads))


def _row(what: str, which: str, loop: bool) -> Row:
    build = per_sample if what == "samples" else per_output
    title = "Gradient of each of 32 samples" if what == "samples" else "Jacobian of the 10 outputs"
    suffix, note = ("-loop", ", a loop") if loop else ("", ", at once")
    return Row(f"p-{what}-{which}{suffix}", f"{title}, {which}{note}", {"torch": partial(build, which, loop)})


ROWS = [
    _row(what, which, loop)
    for what in ("samples", "outputs")
    for which in ("mlp", "lenet")
    for loop in (False, True)
]

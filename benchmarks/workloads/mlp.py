"""(d), (e), (f): a perceptron with one hidden ReLU layer, cross entropy, one training step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks import data
from benchmarks.case import Case, Library, Row
from benchmarks.workloads import training


@dataclass(frozen=True)
class Setting:
    widths: tuple[int, int, int]
    batch: int
    optimizer: str

    @property
    def inputs(self) -> data.Array:
        return data.normal(self.batch, self.widths[0])

    @property
    def target(self) -> Any:
        return data.labels(self.batch, self.widths[-1])


def torch_like(setting: Setting, library: Library) -> Case:
    torch = library.module
    nn, cross_entropy = torch.nn, torch.nn.functional.cross_entropy
    inputs, hidden, outputs = setting.widths
    model = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs))
    x, target = torch.from_numpy(setting.inputs), torch.from_numpy(setting.target)
    return training.torch_step(
        library, model, data.mlp(setting.widths), lambda: cross_entropy(model(x), target), setting.optimizer
    )


def jax(setting: Setting, library: Library) -> Case:
    jax, jnp = library.module, library.module.numpy

    def loss(parameters: Any, x: Any, target: Any) -> Any:
        hidden = jax.nn.relu(x @ parameters["0.weight"].T + parameters["0.bias"])
        logits = hidden @ parameters["2.weight"].T + parameters["2.bias"]
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), target[:, None], 1))

    return training.jax_step(
        library, data.mlp(setting.widths), loss, setting.optimizer, setting.inputs, setting.target
    )


def autograd(setting: Setting, library: Library) -> Case:
    import autograd.numpy as anp

    def loss(parameters: Any, x: Any, one_hot: Any) -> Any:
        hidden = anp.maximum(anp.dot(x, parameters["0.weight"].T) + parameters["0.bias"], 0.0)
        logits = anp.dot(hidden, parameters["2.weight"].T) + parameters["2.bias"]
        return training.numpy_cross_entropy(anp, logits, one_hot)

    one_hot = data.one_hot(setting.target, setting.widths[-1])
    return training.autograd_step(
        library, data.mlp(setting.widths), loss, setting.optimizer, setting.inputs, one_hot
    )


def mygrad(setting: Setting, library: Library) -> Case:
    from mygrad.nnet.activations import relu
    from mygrad.nnet.losses import softmax_crossentropy

    def loss(parameters: Any, x: Any, target: Any) -> Any:
        hidden = relu(x @ parameters["0.weight"].T + parameters["0.bias"])
        return softmax_crossentropy(hidden @ parameters["2.weight"].T + parameters["2.bias"], target)

    return training.mygrad_step(
        library, data.mlp(setting.widths), loss, setting.optimizer, setting.inputs, setting.target
    )


def tinygrad(setting: Setting, library: Library) -> Case:
    tg = library.module
    from tinygrad import nn

    inputs, hidden, outputs = setting.widths
    first, second = nn.Linear(inputs, hidden), nn.Linear(hidden, outputs)
    x, target = tg.Tensor(setting.inputs).realize(), tg.Tensor(setting.target).realize()
    tensors = {
        "0.weight": first.weight,
        "0.bias": first.bias,
        "2.weight": second.weight,
        "2.bias": second.bias,
    }

    def loss() -> Any:
        return second(first(x).relu()).sparse_categorical_crossentropy(target)

    return training.tinygrad_step(library, tensors, data.mlp(setting.widths), loss, setting.optimizer)


def _row(name: str, setting: Setting, target: float) -> Row:
    families: dict[str, Callable[[Setting, Library], Case]] = {
        "torch": torch_like,
        "jax": jax,
        "autograd": autograd,
        "mygrad": mygrad,
        "tinygrad": tinygrad,
    }
    title = f"MLP {'-'.join(map(str, setting.widths))}, batch {setting.batch}, {setting.optimizer}"
    return Row(name, title, {family: partial(build, setting) for family, build in families.items()}, target)


ROWS = [
    _row("d", Setting((64, 64, 10), 32, "SGD"), 1.2),
    _row("e", Setting((784, 128, 10), 64, "Adam"), 1.2),
    _row("f", Setting((1024, 4096, 1000), 256, "Adam"), 1.0),
]

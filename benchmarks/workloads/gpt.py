"""(i) A character GPT: 4 layers, 4 heads, width 128, context 64, batch 12, one step of AdamW.

Pre-norm blocks: ``x + project(attention(norm(x)))``, then ``x + contract(gelu(expand(norm(x))))``, with
causal softmax attention and GELU in its tanh form, without dropout.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.case import Case, Library, Row
from benchmarks.data import GPT_CONTEXT, GPT_HEADS, GPT_LAYERS, GPT_VOCABULARY, GPT_WIDTH
from benchmarks.workloads import training

HEAD_WIDTH = GPT_WIDTH // GPT_HEADS
EPSILON = 1e-5
GELU_SCALE, GELU_CUBE = (2 / np.pi) ** 0.5, 0.044715


def torch_like(library: Library) -> Case:
    torch = library.module
    nn, functional = torch.nn, torch.nn.functional

    class Block(nn.Module):  # type: ignore[name-defined]  # the base class is the peer's
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(GPT_WIDTH), nn.LayerNorm(GPT_WIDTH)
            self.qkv = nn.Linear(GPT_WIDTH, 3 * GPT_WIDTH)
            self.project = nn.Linear(GPT_WIDTH, GPT_WIDTH)
            self.expand = nn.Linear(GPT_WIDTH, 4 * GPT_WIDTH)
            self.contract = nn.Linear(4 * GPT_WIDTH, GPT_WIDTH)

        def forward(self, x: Any) -> Any:
            batch, length, width = x.shape
            heads = (
                part.view(batch, length, GPT_HEADS, HEAD_WIDTH).transpose(1, 2)
                for part in self.qkv(self.norm1(x)).split(width, dim=2)
            )
            mixed = functional.scaled_dot_product_attention(*heads, is_causal=True)
            x = x + self.project(mixed.transpose(1, 2).reshape(batch, length, width))
            return x + self.contract(functional.gelu(self.expand(self.norm2(x)), approximate="tanh"))

    class GPT(nn.Module):  # type: ignore[name-defined]  # the base class is the peer's
        def __init__(self) -> None:
            super().__init__()
            self.token = nn.Embedding(GPT_VOCABULARY, GPT_WIDTH)
            self.position = nn.Embedding(GPT_CONTEXT, GPT_WIDTH)
            self.blocks = nn.ModuleList([Block() for _ in range(GPT_LAYERS)])
            self.norm = nn.LayerNorm(GPT_WIDTH)
            self.head = nn.Linear(GPT_WIDTH, GPT_VOCABULARY)

        def forward(self, tokens: Any) -> Any:
            x = self.token(tokens) + self.position(torch.arange(tokens.shape[1]))
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))

    model = GPT()
    tokens, following = (torch.from_numpy(array) for array in data.text())

    def loss() -> Any:
        return functional.cross_entropy(model(tokens).view(-1, GPT_VOCABULARY), following.view(-1))

    return training.torch_step(library, model, data.gpt(), loss, "AdamW")


def jax(library: Library) -> Case:
    jax, jnp = library.module, library.module.numpy

    def loss(parameters: Any, tokens: Any, following: Any) -> Any:
        def linear(x: Any, name: str) -> Any:
            return x @ parameters[f"{name}.weight"].T + parameters[f"{name}.bias"]

        def norm(x: Any, name: str) -> Any:
            centred = (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + EPSILON)
            return centred * parameters[f"{name}.weight"] + parameters[f"{name}.bias"]

        x = parameters["token.weight"][tokens] + parameters["position.weight"]
        for layer in range(GPT_LAYERS):
            block = f"blocks.{layer}"
            joined = linear(norm(x, f"{block}.norm1"), f"{block}.qkv")
            heads = (
                part.reshape(*part.shape[:2], GPT_HEADS, HEAD_WIDTH) for part in jnp.split(joined, 3, axis=-1)
            )
            mixed = jax.nn.dot_product_attention(*heads, is_causal=True)
            x = x + linear(mixed.reshape(x.shape), f"{block}.project")
            hidden = jax.nn.gelu(linear(norm(x, f"{block}.norm2"), f"{block}.expand"), approximate=True)
            x = x + linear(hidden, f"{block}.contract")
        log_probability = jax.nn.log_softmax(linear(norm(x, "norm"), "head"))
        return -jnp.mean(jnp.take_along_axis(log_probability, following[..., None], -1))

    return training.jax_step(library, data.gpt(), loss, "AdamW", *data.text())


def _array_logits(xp: Any, product: Any, parameters: Any, tokens: Any) -> Any:
    """The model in NumPy's vocabulary, for the peers that imitate it and ship no layers."""
    mask = np.triu(np.full((GPT_CONTEXT, GPT_CONTEXT), -np.inf, np.float32), 1)

    def linear(x: Any, name: str) -> Any:
        return product(x, parameters[f"{name}.weight"].T) + parameters[f"{name}.bias"]

    def norm(x: Any, name: str) -> Any:
        centred = x - xp.mean(x, axis=-1, keepdims=True)
        deviation = xp.sqrt(xp.mean(centred * centred, axis=-1, keepdims=True) + EPSILON)
        return centred / deviation * parameters[f"{name}.weight"] + parameters[f"{name}.bias"]

    def heads(x: Any) -> Any:
        return xp.swapaxes(xp.reshape(x, (*x.shape[:2], GPT_HEADS, HEAD_WIDTH)), 1, 2)

    def softmax(x: Any) -> Any:
        exponential = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
        return exponential / xp.sum(exponential, axis=-1, keepdims=True)

    x = parameters["token.weight"][tokens] + parameters["position.weight"]
    for layer in range(GPT_LAYERS):
        block = f"blocks.{layer}"
        joined = linear(norm(x, f"{block}.norm1"), f"{block}.qkv")
        q, k, v = (heads(joined[..., i * GPT_WIDTH : (i + 1) * GPT_WIDTH]) for i in range(3))
        weights = softmax(xp.matmul(q, xp.swapaxes(k, 2, 3)) * HEAD_WIDTH**-0.5 + mask)
        mixed = xp.reshape(xp.swapaxes(xp.matmul(weights, v), 1, 2), x.shape)
        x = x + linear(mixed, f"{block}.project")
        hidden = linear(norm(x, f"{block}.norm2"), f"{block}.expand")
        cube = hidden * hidden * hidden
        gelu = 0.5 * hidden * (1.0 + xp.tanh(float(GELU_SCALE) * (hidden + GELU_CUBE * cube)))
        x = x + linear(gelu, f"{block}.contract")
    return linear(norm(x, "norm"), "head")


def autograd(library: Library) -> Case:
    import autograd.numpy as anp

    def loss(parameters: Any, tokens: Any, one_hot: Any) -> Any:
        return training.numpy_cross_entropy(anp, _array_logits(anp, anp.dot, parameters, tokens), one_hot)

    tokens, following = data.text()
    return training.autograd_step(
        library, data.gpt(), loss, "AdamW", tokens, data.one_hot(following, GPT_VOCABULARY)
    )


def mygrad(library: Library) -> Case:
    from mygrad.nnet.losses import softmax_crossentropy

    mg = library.module

    def loss(parameters: Any, tokens: Any, following: Any) -> Any:
        logits = _array_logits(mg, mg.matmul, parameters, tokens)
        return softmax_crossentropy(logits.reshape(-1, GPT_VOCABULARY), following.reshape(-1))

    return training.mygrad_step(library, data.gpt(), loss, "AdamW", *data.text())


def tinygrad(library: Library) -> Case:
    tg = library.module
    from tinygrad import nn
    from tinygrad.nn.state import get_state_dict

    class Block:
        def __init__(self) -> None:
            self.norm1, self.norm2 = nn.LayerNorm(GPT_WIDTH), nn.LayerNorm(GPT_WIDTH)
            self.qkv, self.project = nn.Linear(GPT_WIDTH, 3 * GPT_WIDTH), nn.Linear(GPT_WIDTH, GPT_WIDTH)
            self.expand, self.contract = (
                nn.Linear(GPT_WIDTH, 4 * GPT_WIDTH),
                nn.Linear(4 * GPT_WIDTH, GPT_WIDTH),
            )

        def __call__(self, x: Any) -> Any:
            batch, length, width = x.shape
            heads = (
                part.reshape(batch, length, GPT_HEADS, HEAD_WIDTH).transpose(1, 2)
                for part in self.qkv(self.norm1(x)).split(width, dim=2)
            )
            query, key, value = heads
            mixed = query.scaled_dot_product_attention(key, value, is_causal=True)
            x = x + self.project(mixed.transpose(1, 2).reshape(batch, length, width))
            return x + self.contract(self.expand(self.norm2(x)).gelu())

    class GPT:
        def __init__(self) -> None:
            self.token = nn.Embedding(GPT_VOCABULARY, GPT_WIDTH)
            self.position = nn.Embedding(GPT_CONTEXT, GPT_WIDTH)
            self.blocks = [Block() for _ in range(GPT_LAYERS)]
            self.norm, self.head = nn.LayerNorm(GPT_WIDTH), nn.Linear(GPT_WIDTH, GPT_VOCABULARY)

        def __call__(self, tokens: Any) -> Any:
            x = self.token(tokens) + self.position(tg.Tensor.arange(tokens.shape[1]))
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))

    model = GPT()
    tokens, following = (tg.Tensor(array).realize() for array in data.text())

    def loss() -> Any:
        return model(tokens).sparse_categorical_crossentropy(following)

    return training.tinygrad_step(library, get_state_dict(model), data.gpt(), loss, "AdamW")


ROWS = [
    Row(
        "i",
        "character GPT, 4 layers, 4 heads, width 128, context 64, batch 12, AdamW",
        {"torch": torch_like, "jax": jax, "autograd": autograd, "mygrad": mygrad, "tinygrad": tinygrad},
        target=1.5,
    )
]

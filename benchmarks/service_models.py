"""The models of `benchmarks.service`, in torch's interface: a small CNN, and BERT and GPT-2 as their papers
configure them.

References
----------
Devlin et al., 2019, https://aclanthology.org/N19-1423 (base: 12 layers, 12 heads, width 768).
Radford et al., 2019, "Language Models are Unsupervised Multitask Learners" (small: the same sizes).
"""

from __future__ import annotations

from typing import Any

import numpy as np

WIDTH, HEADS, LAYERS, LENGTH = 768, 12, 12, 64
WORDS, TOKENS, POSITIONS = 30522, 50257, 1024
#: How the weights are spread, in both papers.
SPREAD = 0.02
SEED = 0
NAMES = ("cnn", "bert", "gpt2")


def inputs(name: str) -> np.ndarray:
    """Return what a model is given: an image (1, 1, 28, 28), or 64 tokens, (1, 64)."""
    stream = np.random.default_rng(SEED)
    if name == "cnn":
        return stream.standard_normal((1, 1, 28, 28)).astype(np.float32)
    return stream.integers(0, WORDS, (1, LENGTH))


def weights(torch: Any, name: str) -> dict[str, np.ndarray]:
    """Return random numbers in the shapes of a model's weights; those of norms are 1, biases 0."""
    stream = np.random.default_rng(SEED)
    found = {}
    for key, t in build(torch, name).state_dict().items():
        if "norm" in key or key.endswith("bias"):
            found[key] = np.full(tuple(t.shape), float("norm" in key and key.endswith("weight")), np.float32)
        else:
            spread = SPREAD if name != "cnn" else 0.1
            found[key] = stream.standard_normal(tuple(t.shape), np.float32) * np.float32(spread)
    return found


def build(torch: Any, name: str) -> Any:
    """Return a model that evaluates, its weights not yet read."""
    nn, functional = torch.nn, torch.nn.functional
    if name == "cnn":
        return nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(32 * 7 * 7, 10),
        ).eval()  # fmt: skip
    causal = name == "gpt2"

    class Block(nn.Module):  # type: ignore[name-defined]  # the base class is the library's
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv, self.project = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.expand, self.contract = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def attend(self, x: Any) -> Any:
            batch, length, width = x.shape
            parts = self.qkv(x).view(batch, length, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)
            mixed = functional.scaled_dot_product_attention(*parts.unbind(0), is_causal=causal)
            return self.project(mixed.transpose(1, 2).reshape(batch, length, width))

        def feed(self, x: Any) -> Any:
            return self.contract(functional.gelu(self.expand(x), approximate="tanh" if causal else "none"))

        def forward(self, x: Any) -> Any:
            if causal:
                x = x + self.attend(self.norm1(x))
                return x + self.feed(self.norm2(x))
            x = self.norm1(x + self.attend(x))
            return self.norm2(x + self.feed(x))

    class Transformer(nn.Module):  # type: ignore[name-defined]  # the base class is the library's
        def __init__(self) -> None:
            super().__init__()
            self.token = nn.Embedding(TOKENS if causal else WORDS, WIDTH)
            self.position = nn.Embedding(POSITIONS if causal else 512, WIDTH)
            self.blocks = nn.ModuleList([Block() for _ in range(LAYERS)])
            self.norm = nn.LayerNorm(WIDTH)
            # BERT: the pooled first token, which is what a classifier reads.
            self.pooler = nn.Identity() if causal else nn.Linear(WIDTH, WIDTH)

        def forward(self, tokens: Any) -> Any:
            x = self.token(tokens) + self.position(torch.arange(tokens.shape[1]))
            if not causal:
                x = self.norm(x)
            for block in self.blocks:
                x = block(x)
            if causal:
                return functional.linear(self.norm(x)[:, -1], self.token.weight)
            return torch.tanh(self.pooler(x[:, 0]))

    # Weights that are read anyway are not drawn before.
    with torch.device("meta"):
        model = Transformer()
    return model.eval()

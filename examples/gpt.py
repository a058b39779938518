"""A small GPT learns to write, character by character, from a text that comes with Python.

The text is the help on Python's own topics (`pydoc_data.topics`, what `help("FLOAT")` prints). Prints the
loss on a held-out part as it falls, and then lets the model write on:

    python -m pullback examples/gpt.py
    python -m pullback examples/gpt.py --steps 5000 --width 128 --layers 4
"""

import argparse
import math
from pydoc_data.topics import topics

import torch
import torch.nn.functional as F
from torch import nn
from tqdm import trange


class Attention(nn.Module):
    """Several heads, each of which looks back over the characters so far."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.project(x).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.out(seen.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    """Attention and a two-layer network, each added to what comes in."""

    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.network = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.network(self.norm2(x))


class GPT(nn.Module):
    """Characters so far, (batch, length), to scores of the next one, (batch, length, characters)."""

    def __init__(self, characters, width, heads, layers, context):
        super().__init__()
        self.context = context
        self.character = nn.Embedding(characters, width)
        self.place = nn.Embedding(context, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.score = nn.Linear(width, characters, bias=False)
        for weight in self.parameters():
            if weight.dim() > 1:
                nn.init.normal_(weight, std=0.02)

    def forward(self, x):
        x = self.character(x) + self.place.weight[: x.shape[1]]
        return self.score(self.norm(self.blocks(x)))

    @torch.no_grad()
    def write(self, start, count):
        """Append `count` characters, each drawn by the model's own probabilities."""
        for _ in range(count):
            scores = self(start[:, -self.context :])[:, -1]
            start = torch.cat([start, torch.multinomial(scores.softmax(-1), 1)], dim=1)
        return start


def batch_of(data, size, context):
    """Random pieces of the text, and the same pieces one character later."""
    starts = torch.randint(len(data) - context, (size,))
    pieces = torch.stack([data[start : start + context + 1] for start in starts])
    return pieces[:, :-1], pieces[:, 1:]


def loss_of(model, batch):
    inputs, targets = batch
    return F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())


@torch.no_grad()
def held_out_loss(model, data, batch):
    return sum(loss_of(model, batch_of(data, batch, model.context)).item() for _ in range(10)) / 10


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--context", type=int, default=64)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--write", type=int, default=200, help="how many characters to write at the end")
    options = parser.parse_args()

    torch.manual_seed(0)
    text = "".join(topics[name] for name in sorted(topics))
    characters = sorted(set(text))
    number = {character: i for i, character in enumerate(characters)}
    data = torch.tensor([number[character] for character in text])
    rest, held_out = data[: -len(data) // 10], data[-len(data) // 10 :]
    model = GPT(len(characters), options.width, options.heads, options.layers, options.context)
    parameters = sum(p.numel() for p in model.parameters())
    print(f"{len(text):,} characters, {len(characters)} different; {parameters:,} parameters")
    print(f"loss of guessing: {math.log(len(characters)):.4f}")

    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.99))
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, options.steps)
    bar = trange(options.steps, desc="training", unit="step")
    for step in bar:
        if step % 100 == 0:
            bar.write(f"step {step:5d}: held-out loss {held_out_loss(model, held_out, options.batch):.4f}")
        optimizer.zero_grad()
        loss = loss_of(model, batch_of(rest, options.batch, options.context))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        bar.set_postfix(loss=f"{loss.item():.4f}", refresh=False)
    print(f"held-out loss at the end {held_out_loss(model, held_out, options.batch):.4f}")

    written = model.write(data[:1].view(1, 1), options.write)[0].tolist()
    print("".join(characters[i] for i in written))


if __name__ == "__main__":
    main()

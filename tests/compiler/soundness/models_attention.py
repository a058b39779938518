"""Attention with every kind of mask, and transformers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pullback as torch
from pullback import nn
from tests.compiler.soundness.training import Training, case, training

F = nn.functional


def classify(model: Any, x: Any, target: Any) -> Any:
    return F.cross_entropy(model(x), target)


def regress(model: Any, *inputs: Any) -> Any:
    return F.mse_loss(model(*inputs[:-1]), inputs[-1])


def lines(batch: int, length: int, width: int) -> Callable[[], tuple[Any, Any]]:
    """What draws sequences and what they are to become."""
    return lambda: (torch.randn(batch, length, width), torch.randn(batch, length, width))


def text(words: int, batch: int, length: int) -> Callable[[], tuple[Any, Any]]:
    """What draws lines of text and their next words."""

    def draw() -> tuple[Any, Any]:
        line = torch.randint(0, words, (batch, length + 1))
        return line[:, :-1].contiguous(), line[:, 1:].contiguous()

    return draw


def next_word(model: Any, tokens: Any, target: Any) -> Any:
    return F.cross_entropy(model(tokens).transpose(1, 2), target)


class Attention(nn.Module):
    """Attention by heads; `mask` makes what is added to the scores, or what they are chosen by."""

    def __init__(
        self, width: int, heads: int, mask: Callable[[int], Any] | None = None, **settings: Any
    ) -> None:
        super().__init__()
        self.heads, self.mask, self.settings = heads, mask, settings
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: Any) -> Any:
        parts = (p.unflatten(-1, (self.heads, -1)).transpose(1, 2) for p in self.qkv(x).chunk(3, -1))
        mask = None if self.mask is None else self.mask(x.shape[1])
        y = F.scaled_dot_product_attention(*parts, attn_mask=mask, **self.settings)
        return self.out(y.transpose(1, 2).flatten(2))


class Block(nn.Module):
    """A layer that norms first."""

    def __init__(self, width: int, attention: Any, activation: Callable[[Any], Any] = F.gelu) -> None:
        super().__init__()
        self.norm1, self.norm2, self.attention = nn.LayerNorm(width), nn.LayerNorm(width), attention
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.activation = activation

    def forward(self, x: Any) -> Any:
        x = x + self.attention(self.norm1(x))
        return x + self.down(self.activation(self.up(self.norm2(x))))


@case("attention_unmasked")
def attention_unmasked() -> Training:
    return training(Block(12, Attention(12, 3)), regress, lines(2, 7, 12))


@case("attention_causal", ci="float64")
def attention_causal() -> Training:
    return training(Block(12, Attention(12, 2, is_causal=True)), regress, lines(3, 13, 12))


@case("attention_boolean", ci="float32")
def attention_boolean() -> Training:
    """A band around the diagonal."""

    def band(n: int) -> Any:
        places = torch.arange(n)
        return (places[:, None] - places).abs() < 3

    return training(Block(8, Attention(8, 2, band)), regress, lines(2, 13, 8))


@case("attention_additive")
def attention_additive() -> Training:
    def causal(n: int) -> Any:
        return torch.full((n, n), float("-inf")).triu(1)

    return training(Block(8, Attention(8, 4, causal)), regress, lines(2, 7, 8))


@case("attention_alibi")
def attention_alibi() -> Training:
    """A slope for each head."""

    def slopes(n: int) -> Any:
        places = torch.arange(n)
        distance = -(places[:, None] - places).abs().to(torch.get_default_dtype())
        return distance * 2.0 ** -torch.arange(1.0, 5.0)[:, None, None]

    return training(Block(16, Attention(16, 4, slopes)), regress, lines(2, 9, 16))


@case("attention_relative_bias", ci="float32")
def attention_relative_bias() -> Training:
    """A bias for each head and distance, which is trained."""

    class Relative(Attention):
        def __init__(self) -> None:
            super().__init__(12, 3, self.bias)
            self.table = nn.Embedding(2 * 13 - 1, 3)

        def bias(self, n: int) -> Any:
            places = torch.arange(n)
            return self.table(places[:, None] - places + n - 1).permute(2, 0, 1)

    return training(Block(12, Relative()), regress, lines(2, 13, 12))


@case("attention_key_padding")
def attention_key_padding() -> Training:
    """Lines of unequal length, by the module's own argument."""

    class Padded(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention, self.norm = nn.MultiheadAttention(8, 2, batch_first=True), nn.LayerNorm(8)

        def forward(self, x: Any, lengths: Any) -> Any:
            padding = torch.arange(x.shape[1]) >= lengths[:, None]
            y, _ = self.attention(x, x, x, key_padding_mask=padding, need_weights=False)
            return self.norm(x + y).masked_fill(padding[..., None], 0.0)

    batch = lambda: (torch.randn(3, 7, 8), torch.randint(1, 8, (3,)), torch.randn(3, 7, 8))
    return training(Padded(), regress, batch)


@case("attention_per_head_mask")
def attention_per_head_mask() -> Training:
    """A mask for every line and head, and the weights are asked for."""

    class PerHead(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = nn.MultiheadAttention(9, 3, add_bias_kv=True)

        def forward(self, x: Any, mask: Any) -> Any:
            y, weights = self.attention(x, x, x, attn_mask=mask, average_attn_weights=False)
            return y + weights.mean(dim=(1, 3)).t().unsqueeze(-1)

    batch = lambda: (torch.randn(5, 2, 9), torch.randn(6, 5, 5), torch.randn(5, 2, 9))
    return training(PerHead(), regress, batch)


@case("attention_across")
def attention_across() -> Training:
    class Across(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.latents = nn.Parameter(torch.randn(5, 8))
            self.attention = nn.MultiheadAttention(8, 2, kdim=6, vdim=6, batch_first=True, dropout=0.1)
            self.head = nn.Linear(8, 4)

        def forward(self, x: Any) -> Any:
            latents = self.latents.expand(x.shape[0], -1, -1)
            return self.head((latents + self.attention(latents, x, x)[0]).mean(1))

    batch = lambda: (torch.randn(3, 13, 6), torch.randint(0, 4, (3,)))
    return training(Across(), classify, batch)


def rotated(x: Any) -> Any:
    """Rotary positions."""
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[-2])[:, None] * 100.0 ** (-torch.arange(half) / half)
    a, b = x.chunk(2, -1)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


@case("llama", ci="float32")
def llama() -> Training:
    """Rotary positions, RMS norms, gated feed-forward layers and fewer heads of keys than of queries."""

    class Layer(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.RMSNorm(width), nn.RMSNorm(width)
            self.q, self.kv = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
            self.out = nn.Linear(width, width, bias=False)
            self.gate, self.up = nn.Linear(width, 22, bias=False), nn.Linear(width, 22, bias=False)
            self.down = nn.Linear(22, width, bias=False)

        def forward(self, x: Any) -> Any:
            y = self.norm1(x)
            q = rotated(self.q(y).unflatten(-1, (4, -1)).transpose(1, 2))
            k, v = (p.unflatten(-1, (2, -1)).transpose(1, 2) for p in self.kv(y).chunk(2, -1))
            k, v = rotated(k).repeat_interleave(2, 1), v.repeat_interleave(2, 1)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).flatten(2))
            y = self.norm2(x)
            return x + self.down(F.silu(self.gate(y)) * self.up(y))

    class Llama(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.token, self.norm = nn.Embedding(11, 16), nn.RMSNorm(16)
            self.layers = nn.ModuleList(Layer(16) for _ in range(2))

        def forward(self, tokens: Any) -> Any:
            x = self.token(tokens)
            for layer in self.layers:
                x = layer(x)
            return self.norm(x) @ self.token.weight.t()

    model = Llama()
    return training(model, next_word, text(11, 2, 9), torch.optim.AdamW(model.parameters(), 1e-3))


class GPT(nn.Module):
    """Learned positions, layers that norm first, dropout; its head is its embedding."""

    def __init__(self, words: int, length: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.token, self.position = nn.Embedding(words, width), nn.Embedding(length, width)
        self.drop, self.norm = nn.Dropout(0.1), nn.LayerNorm(width)
        blocks = (Block(width, Attention(width, heads, is_causal=True)) for _ in range(layers))
        self.layers = nn.Sequential(*blocks)
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.token.weight

    def forward(self, tokens: Any) -> Any:
        x = self.drop(self.token(tokens) + self.position(torch.arange(tokens.shape[1])))
        return self.head(self.norm(self.layers(x)))


@case("gpt_three_layers")
def gpt_three_layers() -> Training:
    model = GPT(13, 9, 12, 3, 3)
    # Attention does not depend on the bias of its keys, whose gradient is rounding alone: `eps` keeps Adam
    # from making steps of it.
    return training(model, next_word, text(13, 3, 9), torch.optim.AdamW(model.parameters(), 1e-3, eps=1e-4))


@case("gpt_65_long")
def gpt_65_long() -> Training:
    return training(GPT(7, 65, 8, 1, 1), next_word, text(7, 1, 65))


@case("gpt_wide", ci="float32")
def gpt_wide() -> Training:
    """Wide enough that products, norms and attention run as chains."""
    model = GPT(33, 33, 64, 4, 2)
    return training(model, next_word, text(33, 8, 33))


def encoder(layers: int, width: int, heads: int, **settings: Any) -> Any:
    layer = nn.TransformerEncoderLayer(width, heads, 2 * width, batch_first=True, **settings)
    return nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)


class Tagger(nn.Module):
    """A transformer's encoder and a head for each word."""

    def __init__(self, words: int, length: int, width: int, body: Any) -> None:
        super().__init__()
        self.token, self.position = nn.Embedding(words, width), nn.Parameter(0.1 * torch.randn(length, width))
        self.body, self.head = body, nn.Linear(width, words)

    def forward(self, tokens: Any, **settings: Any) -> Any:
        return self.head(self.body(self.token(tokens) + self.position, **settings))


@case("encoder_one_layer")
def encoder_one_layer() -> Training:
    return training(Tagger(7, 6, 8, encoder(1, 8, 2, dropout=0.0)), next_word, text(7, 2, 6))


@case("encoder_two_layers_wide", ci="float32 float64")
def encoder_two_layers_wide() -> Training:
    model = Tagger(65, 32, 64, encoder(2, 64, 4, dropout=0.0))
    return training(model, next_word, text(65, 16, 32))


@case("encoder_two_layers_dropout")
def encoder_two_layers_dropout() -> Training:
    model = Tagger(33, 16, 32, encoder(2, 32, 4))
    return training(model, next_word, text(33, 8, 16))


@case("encoder_three_layers_norm_first")
def encoder_three_layers_norm_first() -> Training:
    body = encoder(3, 24, 3, dropout=0.0, norm_first=True, activation="gelu")
    return training(Tagger(13, 13, 24, body), next_word, text(13, 5, 13))


@case("encoder_padded")
def encoder_padded() -> Training:
    """Words of one kind are padding, for attention and for the loss."""
    model = Tagger(9, 7, 12, encoder(2, 12, 3, dropout=0.0))

    def loss(model: Any, tokens: Any, target: Any) -> Any:
        target = target.masked_fill(tokens == 0, -100)
        scores = model(tokens, src_key_padding_mask=tokens == 0)
        return F.cross_entropy(scores.transpose(1, 2), target, ignore_index=-100)

    def batch() -> tuple[Any, Any]:
        tokens = torch.randint(0, 9, (4, 7))
        tokens[:, 0] = 1  # a line that is nothing but padding has no attention
        return tokens, torch.randint(0, 9, (4, 7))

    return training(model, loss, batch)


@case("decoder_two_layers")
def decoder_two_layers() -> Training:
    class Translate(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.source, self.target = nn.Embedding(9, 12), nn.Embedding(7, 12)
            layer = nn.TransformerDecoderLayer(12, 3, 20, dropout=0.1, batch_first=True)
            self.decoder, self.head = nn.TransformerDecoder(layer, 2), nn.Linear(12, 7)

        def forward(self, source: Any, target: Any) -> Any:
            mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
            return self.head(self.decoder(self.target(target), self.source(source), tgt_mask=mask))

    batch = lambda: (torch.randint(0, 9, (2, 5)), *text(7, 2, 6)())
    loss = lambda m, source, line, following: F.cross_entropy(m(source, line).transpose(1, 2), following)
    return training(Translate(), loss, batch)


@case("transformer_whole")
def transformer_whole() -> Training:
    class Whole(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True)
            self.head = nn.Linear(8, 8)

        def forward(self, source: Any, target: Any) -> Any:
            return self.head(self.body(source, target))

    batch = lambda: (torch.randn(3, 7, 8), torch.randn(3, 5, 8), torch.randn(3, 5, 8))
    return training(Whole(), regress, batch)


@case("vision_transformer", ci="float32")
def vision_transformer() -> Training:
    class ViT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.patches = nn.Conv2d(3, 16, 4, 4)
            self.first = nn.Parameter(torch.zeros(1, 1, 16))
            self.position = nn.Parameter(0.02 * torch.randn(1, 10, 16))
            self.layers = nn.Sequential(*(Block(16, Attention(16, 4)) for _ in range(2)))
            self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 5)

        def forward(self, x: Any) -> Any:
            x = self.patches(x).flatten(2).transpose(1, 2)
            x = torch.cat([self.first.expand(x.shape[0], -1, -1), x], 1) + self.position
            return self.head(self.norm(self.layers(x))[:, 0])

    model = ViT()
    batch = lambda: (torch.randn(3, 3, 12, 12), torch.randint(0, 5, (3,)))
    return training(model, classify, batch, torch.optim.AdamW(model.parameters(), 1e-3, eps=1e-4))


@case("windowed_attention")
def windowed_attention() -> Training:
    """Windows of an image that is rolled, as in Swin."""

    class Windows(nn.Module):
        def __init__(self, shift: int) -> None:
            super().__init__()
            self.shift, self.attention, self.norm = shift, Attention(8, 2), nn.LayerNorm(8)

        def forward(self, x: Any) -> Any:
            b, h, w, c = x.shape
            y = self.norm(x).roll((-self.shift, -self.shift), (1, 2))
            y = y.reshape(b, h // 3, 3, w // 3, 3, c).transpose(2, 3).reshape(-1, 9, c)
            y = self.attention(y).reshape(b, h // 3, w // 3, 3, 3, c).transpose(2, 3).reshape(b, h, w, c)
            return x + y.roll((self.shift, self.shift), (1, 2))

    model = nn.Sequential(Windows(0), Windows(1))
    return training(model, regress, lambda: (torch.randn(2, 6, 9, 8), torch.randn(2, 6, 9, 8)))


@case("transformer_by_hand")
def transformer_by_hand() -> Training:
    """Attention by softmax and masked_fill, sinusoids for positions."""

    class Head(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.q, self.k, self.v = (nn.Linear(10, 10) for _ in range(3))
            self.register_buffer("mask", torch.ones(11, 11).tril().bool())

        def forward(self, x: Any) -> Any:
            scores = self.q(x) @ self.k(x).transpose(-2, -1) / math.sqrt(10)
            weights = scores.masked_fill(~self.mask, float("-inf")).softmax(-1)
            return x + F.dropout(weights, 0.1) @ self.v(x)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.token, self.first, self.second = nn.Embedding(7, 10), Head(), Head()
            angles = torch.arange(11.0)[:, None] / 50.0 ** (torch.arange(5.0) / 5)
            self.register_buffer("places", torch.cat([angles.sin(), angles.cos()], 1))
            self.head = nn.Linear(10, 7)

        def forward(self, tokens: Any) -> Any:
            return self.head(self.second(self.first(self.token(tokens) + self.places)))

    return training(Net(), next_word, text(7, 3, 11))

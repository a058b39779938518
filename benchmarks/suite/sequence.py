"""Steps over sequences: recurrent networks, causal convolutions, alignment, attention, masks and caches."""

from __future__ import annotations

import math
from typing import Any

from benchmarks.case import Case, Library
from benchmarks.suite.in_jax import sequence as in_jax
from benchmarks.suite.steps import parameter, step, training, whole


@step("LSTM language model: 128 units, 32 steps, batch 16, 1,000 words", in_jax.lstm_language)
def lstm_language(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    embed, lstm, head = nn.Embedding(1000, 64), nn.LSTM(64, 128, batch_first=True), nn.Linear(128, 1000)
    words = torch.randint(1000, (16, 33))

    def loss() -> Any:
        h, _ = lstm(embed(words[:, :-1]))
        return nn.functional.cross_entropy(head(h).reshape(-1, 1000), words[:, 1:].reshape(-1))

    return training(library, [*embed.parameters(), *lstm.parameters(), *head.parameters()], loss)


@step("GRU in two directions classifies 40 steps of 12 channels, batch 32", in_jax.gru_classifier)
def gru_classifier(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    gru, head = nn.GRU(12, 48, batch_first=True, bidirectional=True), nn.Linear(96, 6)
    x, target = torch.randn(32, 40, 12), torch.randint(6, (32,))

    def loss() -> Any:
        h, _ = gru(x)
        return nn.functional.cross_entropy(head(h.mean(1)), target)

    return training(library, [*gru.parameters(), *head.parameters()], loss)


@step("A recurrent cell by hand: 50 steps, 64 units, batch 16", in_jax.recurrent_by_hand)
def recurrent_by_hand(library: Library) -> Case:
    torch = library.module
    inputs, states, out = parameter(torch, 8, 64), parameter(torch, 64, 64), parameter(torch, 64, 1)
    x, y = torch.randn(50, 16, 8), torch.randn(16, 1)

    def loss() -> Any:
        h = torch.zeros(16, 64)
        for row in x:
            h = torch.tanh(row @ inputs + h @ states)
        return ((h @ out - y) ** 2).mean()

    return training(library, [inputs, states, out], loss)


@step(
    "Dilated causal convolutions: 4 residual layers of 32 channels, 256 steps, batch 16",
    in_jax.causal_convolutions,
)
def causal_convolutions(library: Library) -> Case:
    torch = library.module
    nn, functional = torch.nn, torch.nn.functional
    first = nn.Conv1d(1, 32, 1)
    layers = nn.ModuleList(nn.Conv1d(32, 32, 3, dilation=2**k) for k in range(4))
    head = nn.Conv1d(32, 1, 1)
    x = torch.randn(16, 1, 257)

    def loss() -> Any:
        h = first(x[:, :, :-1])
        for k, layer in enumerate(layers):
            h = h + functional.relu(layer(functional.pad(h, (2 * 2**k, 0))))
        return ((head(h) - x[:, :, 1:]) ** 2).mean()

    return training(library, [*first.parameters(), *layers.parameters(), *head.parameters()], loss)


@step("Speech: convolution, GRU, connectionist temporal classification, 8 × 100 frames")
def speech_alignment(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    front, gru, head = nn.Conv1d(40, 64, 3, stride=2, padding=1), nn.GRU(64, 64), nn.Linear(64, 29)
    x = torch.randn(8, 40, 100)
    targets, lengths = torch.randint(1, 29, (8, 15)), torch.full((8,), 15)
    frames = torch.full((8,), 50)

    def loss() -> Any:
        h, _ = gru(nn.functional.relu(front(x)).permute(2, 0, 1))
        return nn.functional.ctc_loss(head(h).log_softmax(-1), targets, frames, lengths)

    return training(library, [*front.parameters(), *gru.parameters(), *head.parameters()], loss)


@step("Causal attention by hand: 4 heads of 32, 256 positions, batch 4", in_jax.causal_attention)
def causal_attention(library: Library) -> Case:
    torch = library.module
    mix, out = torch.nn.Linear(128, 384), torch.nn.Linear(128, 128)
    x = torch.randn(4, 256, 128)
    mask = torch.triu(torch.ones(256, 256, dtype=torch.bool), 1)

    def loss() -> Any:
        q, k, v = mix(x).reshape(4, 256, 3, 4, 32).permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-1, -2)) / math.sqrt(32)
        weights = scores.masked_fill(mask, -math.inf).softmax(-1)
        return (out((weights @ v).transpose(1, 2).reshape(4, 256, 128)) ** 2).mean()

    return training(library, [*mix.parameters(), *out.parameters()], loss)


@step("Transformer encoder layer with dropout: 128 wide, 4 heads, 64 positions, batch 8")
def encoder_layer(library: Library) -> Case:
    torch = library.module
    layer = torch.nn.TransformerEncoderLayer(128, 4, 256, dropout=0.1, batch_first=True)
    x = torch.randn(8, 64, 128)
    return training(library, layer.parameters(), lambda: (layer(x) ** 2).mean(), "AdamW")


@step("One token of a decoder with a cache of 127: 2 layers, 128 wide, inference", in_jax.cached_decoding)
def cached_decoding(library: Library) -> Case:
    torch = library.module
    nn, functional = torch.nn, torch.nn.functional
    layers = [
        (nn.LayerNorm(128), nn.Linear(128, 384), nn.Linear(128, 128), nn.LayerNorm(128),
         nn.Linear(128, 512), nn.Linear(512, 128))
        for _ in range(2)
    ]  # fmt: skip
    caches = [(torch.randn(1, 4, 127, 32), torch.randn(1, 4, 127, 32)) for _ in layers]
    token = torch.randn(1, 1, 128)

    def decode() -> Any:
        with torch.no_grad():
            x = token
            for (norm1, mix, out, norm2, up, down), (keys, values) in zip(layers, caches):
                q, k, v = mix(norm1(x)).reshape(1, 1, 3, 4, 32).permute(2, 0, 3, 1, 4)
                k, v = torch.cat([keys, k], 2), torch.cat([values, v], 2)
                a = functional.scaled_dot_product_attention(q, k, v)
                x = x + out(a.transpose(1, 2).reshape(1, 1, 128))
                x = x + down(functional.gelu(up(norm2(x))))
            return x

    return whole(library, decode)


@step("Masked language model: 2 encoder layers, 64 wide, padding mask, 2,000 words")
def masked_language(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    embed, places = nn.Embedding(2000, 64), nn.Embedding(48, 64)
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True), 2, enable_nested_tensor=False
    )
    head = nn.Linear(64, 2000)
    words = torch.randint(2000, (8, 48))
    lengths = torch.randint(20, 48, (8, 1))
    padding = torch.arange(48)[None] >= lengths
    target = torch.where(torch.rand(8, 48) < 0.15, words, -100)

    def loss() -> Any:
        h = encoder(embed(words) + places(torch.arange(48)), src_key_padding_mask=padding)
        return nn.functional.cross_entropy(head(h).reshape(-1, 2000), target.reshape(-1))

    parameters = [p for m in (embed, places, encoder, head) for p in m.parameters()]
    return training(library, parameters, loss, "AdamW")


@step(
    "Conditional random field: partition function and score of paths, 16 sentences of 40 words, 9 tags",
    in_jax.conditional_field,
)
def conditional_field(library: Library) -> Case:
    torch = library.module
    words, tags = torch.randint(500, (16, 40)), torch.randint(9, (16, 40))
    embedded, head, moves = parameter(torch, 500, 32), parameter(torch, 32, 9), parameter(torch, 9, 9)

    def loss() -> Any:
        scores = embedded[words] @ head
        alpha = scores[:, 0]
        for t in range(1, 40):
            alpha = torch.logsumexp(alpha[:, :, None] + moves[None], 1) + scores[:, t]
        path = scores.gather(2, tags[:, :, None]).sum((1, 2)) + moves[tags[:, :-1], tags[:, 1:]].sum(1)
        return (torch.logsumexp(alpha, 1) - path).mean()

    return training(library, [embedded, head, moves], loss)


@step("LSTM by hand in float64: 30 steps, 40 units, batch 12", in_jax.float64_lstm)
def float64_lstm(library: Library) -> Case:
    torch = library.module
    f64 = torch.float64
    inputs, states = parameter(torch, 5, 160, dtype=f64), parameter(torch, 40, 160, dtype=f64)
    bias, out = torch.zeros(160, dtype=f64, requires_grad=True), parameter(torch, 40, 1, dtype=f64)
    x, y = torch.randn(30, 12, 5, dtype=f64), torch.randn(12, 1, dtype=f64)

    def loss() -> Any:
        h, c = torch.zeros(12, 40, dtype=f64), torch.zeros(12, 40, dtype=f64)
        for row in x:
            i, f, g, o = (row @ inputs + h @ states + bias).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return ((h @ out - y) ** 2).mean()

    return training(library, [inputs, states, bias, out], loss)


@step(
    "One token with rotary positions, 8 heads that share 2 of the cache, place 200 of 256, inference",
    in_jax.rotary_decoding,
)
def rotary_decoding(library: Library) -> Case:
    torch = library.module
    mix, out = torch.randn(256, 384) * 0.06, torch.randn(256, 256) * 0.06
    keys, values, token = torch.randn(2, 256, 32), torch.randn(2, 256, 32), torch.randn(1, 256)
    angle = 200 * torch.exp(-torch.arange(16) * 0.5)
    cosine, sine = angle.cos(), angle.sin()
    places = torch.arange(256)

    def turned(h: Any) -> Any:
        a, b = h[..., ::2], h[..., 1::2]
        return torch.stack([a * cosine - b * sine, a * sine + b * cosine], -1).flatten(-2)

    def decode() -> Any:
        with torch.no_grad():
            q, k, v = (token @ mix).split([256, 64, 64], 1)
            here = (places == 200)[None, :, None]
            k = torch.where(here, turned(k.reshape(2, 1, 32)), keys)
            v = torch.where(here, v.reshape(2, 1, 32), values)
            scores = turned(q.reshape(2, 4, 32)) @ k.mT / math.sqrt(32)
            weights = scores.masked_fill(places > 200, -math.inf).softmax(-1)
            return (weights @ v).reshape(1, 256) @ out

    return whole(library, decode)


@step("An LSTM of 32 units reads one sequence of 24 rows, inference", in_jax.one_sequence)
def one_sequence(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    lstm, head = nn.LSTM(6, 32).eval(), nn.Linear(32, 3).eval()
    x = torch.randn(24, 1, 6)

    def infer() -> Any:
        with torch.no_grad():
            h, _ = lstm(x)
            return head(h[-1]).softmax(-1)

    return whole(library, infer)

"""Models of sequences, in small."""

from __future__ import annotations

import math
from typing import Any

import pullback as torch
import pullback.nn.functional as F
from pullback import nn

from .cases import case, image, tokens

IDS = {"ids": {0: "batch", 1: "length"}}
SEQUENCE = {"x": {0: "batch", 1: "length"}}
LONGER = {"batch": 1, "length": 3}


@case(tokens(2, 7), IDS, LONGER)
class LSTMTagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(40, 8)
        self.lstm = nn.LSTM(8, 6, num_layers=2, bidirectional=True, batch_first=True, dropout=0.1)
        self.out = nn.Linear(12, 5)

    def forward(self, ids: Any) -> Any:
        out, (h, c) = self.lstm(self.embed(ids))
        return F.log_softmax(self.out(out), -1), h, c


@case(image(2, 5, 4), SEQUENCE, LONGER)
class GRUClassifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(4, 6, batch_first=True)
        self.rnn = nn.RNN(6, 3, nonlinearity="relu", batch_first=True)

    def forward(self, x: Any) -> Any:
        out, _ = self.gru(x)
        out, last = self.rnn(out)
        return out[:, -1], last.squeeze(0)


@case(lambda: (torch.randn(3, 4), torch.zeros(3, 6)), {"x": {0: "batch"}, "h": {0: "batch"}}, {"batch": 2})
class Cells(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru, self.lstm = nn.GRUCell(4, 6), nn.LSTMCell(6, 5)

    def forward(self, x: Any, h: Any) -> Any:
        h = self.gru(x, h)
        return h, *self.lstm(h)


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer("bias", torch.tril(torch.ones(32, 32)).view(1, 1, 32, 32))

    def forward(self, x: Any) -> Any:
        b, t, c = x.size()
        q, k, v = self.c_attn(x).split(c, dim=2)
        q, k, v = (y.view(b, t, self.heads, c // self.heads).transpose(1, 2) for y in (q, k, v))
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = F.softmax(att.masked_fill(self.bias[:, :, :t, :t] == 0, float("-inf")), dim=-1)
        return self.c_proj((att @ v).transpose(1, 2).contiguous().view(b, t, c))


@case(tokens(2, 7), IDS, LONGER)
class GPT2(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(40, 16), nn.Embedding(32, 16)
        self.ln_1, self.ln_2, self.ln_f = nn.LayerNorm(16), nn.LayerNorm(16), nn.LayerNorm(16)
        self.attn = Attention(16, 4)
        self.fc, self.proj = nn.Linear(16, 64), nn.Linear(64, 16)

    def forward(self, ids: Any) -> Any:
        pos = torch.arange(0, ids.size(1), dtype=torch.long, device=ids.device)
        x = self.wte(ids) + self.wpe(pos)
        x = x + self.attn(self.ln_1(x))
        x = x + self.proj(F.gelu(self.fc(self.ln_2(x)), approximate="tanh"))
        return self.ln_f(x) @ self.wte.weight.T


@case(tokens(2, 7), IDS, LONGER)
class Llama(nn.Module):
    """Rotary positions, root mean square norms, grouped queries, gated units."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(40, 16)
        self.q, self.k, self.v = nn.Linear(16, 16, False), nn.Linear(16, 8, False), nn.Linear(16, 8, False)
        self.gate, self.up, self.down = nn.Linear(16, 24), nn.Linear(16, 24), nn.Linear(24, 16)
        self.norm = nn.RMSNorm(16, eps=1e-5)
        self.register_buffer("inv_freq", 1.0 / 10000 ** (torch.arange(0, 4, 2).float() / 4))

    @staticmethod
    def rotate(x: Any) -> Any:
        half = x.shape[-1] // 2
        return torch.cat((-x[..., half:], x[..., :half]), dim=-1)

    def forward(self, ids: Any) -> Any:
        x = self.embed(ids)
        b, t, _ = x.shape
        y = self.norm(x)
        angles = torch.outer(torch.arange(t).float(), self.inv_freq)
        cos, sin = (f(torch.cat((angles, angles), -1)) for f in (torch.cos, torch.sin))
        q = self.q(y).view(b, t, 4, 4).transpose(1, 2)
        k, v = (f(y).view(b, t, 2, 4).transpose(1, 2) for f in (self.k, self.v))
        q, k = q * cos + self.rotate(q) * sin, k * cos + self.rotate(k) * sin
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + out.transpose(1, 2).reshape(b, t, 16)
        y = self.norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


@case(lambda: (torch.randint(0, 40, (2, 7)), torch.ones(2, 7, dtype=torch.long).index_fill(
    1, torch.tensor([6]), 0)), {**IDS, "mask": {0: "batch", 1: "length"}}, LONGER)  # fmt: skip
class Bert(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.word, self.kind = nn.Embedding(40, 16, padding_idx=0), nn.Embedding(2, 16)
        self.position = nn.Embedding(32, 16)
        self.register_buffer("position_ids", torch.arange(32).expand((1, -1)))
        self.norm, self.norm2 = nn.LayerNorm(16, eps=1e-12), nn.LayerNorm(16, eps=1e-12)
        self.query, self.key, self.value = (nn.Linear(16, 16) for _ in range(3))
        self.up, self.down, self.pooler = nn.Linear(16, 32), nn.Linear(32, 16), nn.Linear(16, 16)

    def forward(self, ids: Any, mask: Any) -> Any:
        length = ids.shape[1]
        kinds = torch.zeros_like(ids)
        x = self.word(ids) + self.kind(kinds) + self.position(self.position_ids[:, :length])
        x = self.norm(x)
        q, k, v = (
            f(x).view(*x.shape[:2], 4, 4).permute(0, 2, 1, 3) for f in (self.query, self.key, self.value)
        )
        hidden = (1.0 - mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(4) + hidden
        y = torch.matmul(scores.softmax(-1), v).permute(0, 2, 1, 3).contiguous()
        x = self.norm2(x + y.view(*x.shape[:2], 16))
        x = x + self.down(F.gelu(self.up(x)))
        return x, torch.tanh(self.pooler(x[:, 0]))


@case(lambda: (torch.randn(2, 6, 8), torch.randn(2, 5, 8)), {
    "src": {0: "batch", 1: "source"}, "tgt": {0: "batch", 1: "target"}},
    {"batch": 1, "source": 2, "target": 4})  # fmt: skip
class Translator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.transformer = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)

    def forward(self, src: Any, tgt: Any) -> Any:
        mask = nn.Transformer.generate_square_subsequent_mask(tgt.shape[1])
        return self.transformer(src, tgt, tgt_mask=mask)


@case(lambda: (torch.randn(2, 6, 8), torch.tensor([[False] * 4 + [True] * 2, [False] * 6])), {
    "x": {0: "batch", 1: "length"}, "padding": {0: "batch", 1: "length"}}, LONGER)  # fmt: skip
class EncoderWithPadding(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)

    def forward(self, x: Any, padding: Any) -> Any:
        return self.encoder(x, src_key_padding_mask=padding)


@case(lambda: (torch.randn(5, 2, 8), torch.randn(6, 2, 8)), {
    "x": {0: "length", 1: "batch"}, "y": {0: "other", 1: "batch"}}, {"batch": 2, "length": 1,
    "other": 3})  # fmt: skip
class CrossAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, kdim=8, vdim=8)

    def forward(self, x: Any, y: Any) -> Any:
        return self.attention(x, y, y, need_weights=True)


@case(image(2, 4, 20), {"x": {0: "batch", 2: "length"}}, {"batch": 1, "length": 7})
class TCN(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convs = nn.ModuleList(nn.Conv1d(4, 4, 3, padding=2 * d, dilation=d) for d in (1, 2, 4))
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x: Any) -> Any:
        for conv in self.convs:
            y = conv(x)[:, :, : x.shape[2]]
            x = F.relu(x + F.relu(self.norm(y)))
        return x.mean(-1)


@case(image(2, 1, 64), {"x": {0: "batch", 2: "length"}}, {"batch": 1, "length": 32})
class WaveNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.gated = nn.Conv1d(1, 8, 1), nn.Conv1d(8, 16, 2, dilation=2)

    def forward(self, x: Any) -> Any:
        x = self.first(x)
        y = F.glu(self.gated(F.pad(x, (2, 0))), dim=1)
        return F.avg_pool1d(x + y, 4), F.max_pool1d(y, 2)


@case(image(2, 40, 8), SEQUENCE, {"batch": 1, "length": 8})
class SpeechEncoder(nn.Module):
    """Convolutions, then attention with sinusoidal positions."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(8, 8, 3, padding=1), nn.Conv1d(8, 8, 3, stride=2, padding=1)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x: Any) -> Any:
        x = F.gelu(self.conv2(F.gelu(self.conv1(x.transpose(1, 2))))).transpose(1, 2)
        rate = torch.exp(torch.arange(0, 8, 2).float() * (-math.log(10000.0) / 8))
        angle = torch.arange(x.shape[1]).unsqueeze(1) * rate
        x = x + torch.cat([angle.sin(), angle.cos()], 1)
        return x + self.attention(x, x, x, need_weights=False)[0]


@case(image(2, 6, 8), SEQUENCE, LONGER)
class Scaled(nn.Module):
    """Numbers that Python makes of sizes."""

    def forward(self, x: Any) -> Any:
        n = x.shape[1]
        return x * n, x.sum(1) / n, x * (1 / n), x * math.sqrt(n), x / n**0.5, x * n**-0.5, x + (n - 1)


@case(image(3, 6, 8), {"x": {0: "batch"}}, {"batch": 2})
class MixtureOfExperts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(8, 4)
        self.experts = nn.Parameter(torch.randn(4, 8, 8))

    def forward(self, x: Any) -> Any:
        weights, chosen = self.gate(x).softmax(-1).topk(2, dim=-1)
        sparse = torch.zeros(*x.shape[:2], 4).scatter(-1, chosen, weights)
        return torch.einsum("bte,btd,edf->btf", sparse, x, self.experts)


@case(image(2, 6, 8), SEQUENCE, LONGER)
class StateSpace(nn.Module):
    """A gated recurrence by running sums of logarithms."""

    def forward(self, x: Any) -> Any:
        gate = F.logsigmoid(x)
        total = torch.cumsum(gate, dim=1)
        weighted = torch.cumsum(x * torch.exp(-total), dim=1) * torch.exp(total)
        return weighted, x.flip(1), torch.logsumexp(x, dim=-1)


@case(lambda: (torch.randn(4, 3), torch.tensor([[0, 1, 2, 3, 0], [1, 2, 3, 0, 2]])), {
    "x": {0: "nodes"}, "edges": {1: "edges"}}, {"nodes": 2, "edges": 3})  # fmt: skip
class GraphConvolution(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 5)

    def forward(self, x: Any, edges: Any) -> Any:
        source, target = edges
        h = self.fc(x)
        sums = torch.zeros(x.shape[0], 5).index_add(0, target, h[source])
        degree = torch.zeros(x.shape[0]).scatter_add(0, target, torch.ones(edges.shape[1]))
        return sums / degree.clamp(min=1).unsqueeze(1)

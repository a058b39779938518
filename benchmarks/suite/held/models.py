"""Held steps of networks over images, sequences and sounds, and of agents."""

from __future__ import annotations

from typing import Any

from benchmarks.case import Case, Library
from benchmarks.suite.in_jax import held as in_jax
from benchmarks.suite.steps import step, training, whole


def _all(*modules: Any) -> list[Any]:
    return [p for module in modules for p in module.parameters()]


@step("Super-resolution by pixel shuffle, 4×1×32×32 to 96×96")
def super_resolution(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    net = nn.Sequential(
        nn.Conv2d(1, 24, 5, 1, 2), nn.Tanh(), nn.Conv2d(24, 16, 3, 1, 1), nn.Tanh(),
        nn.Conv2d(16, 9, 3, 1, 1), nn.PixelShuffle(3),
    )  # fmt: skip
    x, y = torch.rand(4, 1, 32, 32), torch.rand(4, 1, 96, 96)
    return training(library, net.parameters(), lambda: nn.functional.l1_loss(net(x), y))


@step("Segmentation: strided convolutions, bilinear upsampling, overlap loss, 4×3×64×64")
def dice_segmentation(library: Library) -> Case:
    torch = library.module
    nn, functional = torch.nn, torch.nn.functional
    down = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU())
    head = nn.Conv2d(32, 1, 1)
    x, y = torch.rand(4, 3, 64, 64), (torch.rand(4, 1, 64, 64) < 0.3).float()

    def loss() -> Any:
        mask = functional.interpolate(head(down(x)), scale_factor=4, mode="bilinear", align_corners=False)
        p = torch.sigmoid(mask)
        return 1 - (2 * (p * y).sum((2, 3)) + 1).div((p + y).sum((2, 3)) + 1).mean()

    return training(library, _all(down, head), loss)


@step("Vision transformer: 16 patches of 8×8, 2 layers of 64, batch 16")
def vision_transformer(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    embed = nn.Conv2d(3, 64, 8, 8)
    places = nn.Parameter(torch.randn(1, 16, 64) * 0.02)
    layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True, norm_first=True)
    encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    head = nn.Linear(64, 10)
    x, target = torch.randn(16, 3, 32, 32), torch.randint(10, (16,))

    def loss() -> Any:
        h = embed(x).flatten(2).transpose(1, 2) + places
        return nn.functional.cross_entropy(head(encoder(h).mean(1)), target)

    return training(library, [*_all(embed, encoder, head), places], loss, "AdamW")


@step("Triplets: embeddings of 96 rows, hardest of each by masks, margin")
def triplet_mining(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    net = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 16))
    x, label = torch.randn(96, 30), torch.arange(96) % 12
    same = label[:, None] == label[None]

    def loss() -> Any:
        z = nn.functional.normalize(net(x), dim=1)
        d = 2 - 2 * z @ z.T
        far = d.masked_fill(~same, -1.0).max(1).values
        near = d.masked_fill(same, 9.0).min(1).values
        return torch.relu(far - near + 0.2).mean()

    return training(library, net.parameters(), loss)


@step("Decoder block with rotary positions, 4 heads of 32, 96 positions, batch 4")
def rotary_block(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    norm1, mix, out = nn.LayerNorm(128), nn.Linear(128, 384), nn.Linear(128, 128)
    norm2, gate, up, down = nn.LayerNorm(128), nn.Linear(128, 256), nn.Linear(128, 256), nn.Linear(256, 128)
    x = torch.randn(4, 96, 128)
    angle = torch.arange(96)[:, None] * torch.exp(-torch.arange(0, 16) * 0.6)
    cosine, sine = angle.cos(), angle.sin()

    def turned(h: Any) -> Any:
        a, b = h[..., :16], h[..., 16:]
        return torch.cat([a * cosine - b * sine, a * sine + b * cosine], -1)

    def loss() -> Any:
        q, k, v = mix(norm1(x)).reshape(4, 96, 3, 4, 32).permute(2, 0, 3, 1, 4)
        a = nn.functional.scaled_dot_product_attention(turned(q), turned(k), v, is_causal=True)
        h = x + out(a.transpose(1, 2).reshape(4, 96, 128))
        n = norm2(h)
        return ((h + down(nn.functional.silu(gate(n)) * up(n))) ** 2).mean()

    return training(library, _all(norm1, mix, out, norm2, gate, up, down), loss, "AdamW")


@step("Translation: GRU encoder, additive attention over 20 places, 12 decoder steps, batch 8")
def additive_attention(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    words, encoder, cell = nn.Embedding(300, 32), nn.GRU(32, 48, batch_first=True), nn.GRUCell(80, 48)
    query, key, score, head = nn.Linear(48, 32), nn.Linear(48, 32), nn.Linear(32, 1), nn.Linear(48, 300)
    source, target = torch.randint(300, (8, 20)), torch.randint(300, (8, 13))

    def loss() -> Any:
        memory, last = encoder(words(source))
        state, keys, total = last[0], key(memory), 0.0
        for t in range(12):
            weights = score(torch.tanh(query(state)[:, None] + keys)).softmax(1)
            seen = (weights * memory).sum(1)
            state = cell(torch.cat([words(target[:, t]), seen], 1), state)
            total = total + nn.functional.cross_entropy(head(state), target[:, t + 1])
        return total / 12

    return training(library, _all(words, encoder, cell, query, key, score, head), loss)


@step("Gated convolutions over 512 samples: 5 layers of 24 channels, batch 4")
def gated_convolutions(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    first, head = nn.Conv1d(1, 24, 1), nn.Conv1d(24, 1, 1)
    layers = nn.ModuleList(nn.Conv1d(24, 48, 2, dilation=2**k) for k in range(5))
    x = torch.randn(4, 1, 513)

    def loss() -> Any:
        h = first(x[..., :-1])
        for k, layer in enumerate(layers):
            a, b = layer(nn.functional.pad(h, (2**k, 0))).chunk(2, 1)
            h = h + torch.tanh(a) * torch.sigmoid(b)
        return ((head(h) - x[..., 1:]) ** 2).mean()

    return training(library, _all(first, layers, head), loss)


@step("Spectrogram loss of 4 sounds of 4,096 samples at two window lengths")
def spectrogram_loss(library: Library) -> Case:
    torch = library.module
    net = torch.nn.Conv1d(1, 1, 9, padding=4)
    x, y = torch.randn(4, 1, 4096), torch.randn(4, 4096)
    windows = [torch.hann_window(n) for n in (256, 512)]

    def loss() -> Any:
        out, total = net(x)[:, 0], 0.0
        for window in windows:
            n = window.shape[0]
            a, b = (
                torch.stft(s, n, n // 4, window=window, return_complex=True).abs() for s in (out, y)
            )
            total = total + (torch.log(a + 1e-3) - torch.log(b + 1e-3)).abs().mean()
        return total

    return training(library, net.parameters(), loss)


@step("Soft actor critic: two critics, squashed policy, target networks, batch 128")
def actor_critic(library: Library) -> Case:
    torch = library.module
    nn = torch.nn

    def network(a: int, b: int) -> Any:
        return nn.Sequential(nn.Linear(a, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, b))

    actor = network(8, 4)
    critics, targets = ([network(10, 1) for _ in range(2)] for _ in range(2))
    states, actions, after = torch.randn(128, 8), torch.rand(128, 2), torch.randn(128, 8)
    rewards = torch.randn(128, 1)
    update_actor = torch.optim.Adam(actor.parameters(), lr=3e-4)
    update_critics = torch.optim.Adam(_all(*critics), lr=3e-4)

    def act(s: Any) -> tuple[Any, Any]:
        mean, log_std = actor(s).chunk(2, 1)
        std = log_std.clamp(-5, 2).exp()
        u = mean + std * torch.randn_like(mean)
        a = torch.tanh(u)
        logs = -0.5 * ((u - mean) / std) ** 2 - std.log() - torch.log(1 - a * a + 1e-6)
        return a, logs.sum(1, keepdim=True)

    def learn() -> Any:
        with torch.no_grad():
            a, logs = act(after)
            best = torch.min(*(q(torch.cat([after, a], 1)) for q in targets))
            wanted = rewards + 0.99 * (best - 0.2 * logs)
        update_critics.zero_grad()
        pairs = torch.cat([states, actions], 1)
        loss = sum(((q(pairs) - wanted) ** 2).mean() for q in critics)
        loss.backward()
        update_critics.step()
        update_actor.zero_grad()
        a, logs = act(states)
        (0.2 * logs - torch.min(*(q(torch.cat([states, a], 1)) for q in critics))).mean().backward()
        update_actor.step()
        with torch.no_grad():
            for p, t in zip(_all(*critics), _all(*targets)):
                t.mul_(0.995).add_(p, alpha=0.005)
        return loss

    return whole(library, learn, backward=True)


@step("Distillation: a student of half the width, temperature, moving average of a teacher, batch 64")
def distillation(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    student = nn.Sequential(nn.Linear(40, 64), nn.GELU(), nn.Linear(64, 10))
    teacher = nn.Sequential(nn.Linear(40, 128), nn.GELU(), nn.Linear(128, 10)).eval()
    x, target = torch.randn(64, 40), torch.randint(10, (64,))

    def loss() -> Any:
        with torch.no_grad():
            wanted = (teacher(x) / 3).softmax(1)
        logits = student(x)
        soft = nn.functional.kl_div((logits / 3).log_softmax(1), wanted, reduction="batchmean")
        return 9 * soft + nn.functional.cross_entropy(logits, target, label_smoothing=0.1)

    return training(library, student.parameters(), loss, "SGD", momentum=0.9)


@step("A tiny network answers one row of 6 numbers, inference")
def one_row(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid()).eval()
    x = torch.randn(1, 6)

    def infer() -> Any:
        with torch.no_grad():
            return net(x)

    return whole(library, infer)


@step("Contrastive loss of two views: encoder and projection, 128 pairs, temperature", in_jax.contrastive)
def contrastive(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    encoder = nn.Sequential(nn.Linear(48, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 32))
    x = torch.randn(128, 48)
    one, two = x + 0.1 * torch.randn(128, 48), x + 0.1 * torch.randn(128, 48)
    labels = torch.arange(128)

    def loss() -> Any:
        a, b = (nn.functional.normalize(encoder(v), dim=1) for v in (one, two))
        logits = a @ b.T / 0.1
        there, back = (nn.functional.cross_entropy(scores, labels) for scores in (logits, logits.T))
        return (there + back) / 2

    return training(library, encoder.parameters(), loss)


@step("Beam search: 4 beams, 8 steps of a GRU cell, 200 words, topk, inference")
def beam_search(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    words, cell, head = nn.Embedding(200, 32), nn.GRUCell(32, 64), nn.Linear(64, 200)
    start = torch.randn(1, 64)

    def search() -> Any:
        with torch.no_grad():
            state, scores = start.expand(4, 64), torch.tensor([0.0, -1e9, -1e9, -1e9])
            last = torch.zeros(4, dtype=torch.int64)
            for _ in range(8):
                state = cell(words(last), state)
                total = scores[:, None] + head(state).log_softmax(1)
                scores, place = total.flatten().topk(4)
                state, last = state[place // 200], place % 200
            return scores

    return whole(library, search)


@step("Residual network with batch norm and pooling answers one image of 32×32, inference")
def one_photo(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    first = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU()).eval()
    blocks = nn.ModuleList(
        nn.Sequential(nn.Conv2d(16, 16, 3, 1, 1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 16, 1))
        for _ in range(3)
    ).eval()
    head = nn.Linear(16, 10).eval()
    x = torch.rand(1, 3, 32, 32)

    def infer() -> Any:
        with torch.inference_mode():
            h = first(x)
            for block in blocks:
                h = torch.relu(h + block(h))
            return head(nn.functional.adaptive_avg_pool2d(h, 1).flatten(1)).softmax(1)

    return whole(library, infer)

"""Graphs, recommenders, contrasts, mixtures, experts: models whose work is in indices and sums."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pullback as torch
from pullback import nn
from tests.compiler.soundness.training import Training, case, training

F = nn.functional


def mlp(*sizes: int, activation: Callable[[], Any] = nn.ReLU) -> Any:
    layers: list[Any] = []
    for a, b in pairwise(sizes):
        layers += [nn.Linear(a, b), activation()]
    return nn.Sequential(*layers[:-1])


def graph(nodes: int, edges: int, width: int, classes: int) -> Callable[[], tuple[Any, ...]]:
    """What draws features of nodes, edges, and a class for each node."""

    def draw() -> tuple[Any, ...]:
        ends = torch.randint(0, nodes, (2, edges))
        return torch.randn(nodes, width), ends, torch.randint(0, classes, (nodes,))

    return draw


def classify(model: Any, *inputs: Any) -> Any:
    return F.cross_entropy(model(*inputs[:-1]), inputs[-1])


@case("graph_convolution", ci="float32")
def graph_convolution() -> Training:
    """Messages added up at nodes, scaled by degrees."""

    class Layer(nn.Module):
        def __init__(self, inner: int, outer: int) -> None:
            super().__init__()
            self.linear, self.bias = nn.Linear(inner, outer, bias=False), nn.Parameter(torch.zeros(outer))

        def forward(self, x: Any, ends: Any) -> Any:
            source, target = ends
            degree = torch.ones(x.shape[0]).index_add(0, target, torch.ones(target.shape[0]))
            scale = degree.rsqrt()
            messages = self.linear(x)[source] * (scale[source] * scale[target])[:, None]
            return torch.zeros(x.shape[0], self.bias.shape[0]).index_add(0, target, messages) + self.bias

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = Layer(5, 9), Layer(9, 3)

        def forward(self, x: Any, ends: Any) -> Any:
            return self.second(F.dropout(F.relu(self.first(x, ends)), 0.2), ends)

    return training(Net(), classify, graph(13, 33, 5, 3))


@case("graph_attention", ci="float64")
def graph_attention() -> Training:
    """Softmax over the edges of a node: maxima and sums are scattered."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear, self.head = nn.Linear(5, 2 * 4), nn.Linear(8, 3)
            self.left, self.right = nn.Parameter(torch.randn(2, 4)), nn.Parameter(torch.randn(2, 4))

        def forward(self, x: Any, ends: Any) -> Any:
            source, target = ends
            h = self.linear(x).view(-1, 2, 4)
            scores = F.leaky_relu((h * self.left).sum(-1)[source] + (h * self.right).sum(-1)[target], 0.2)
            places = target[:, None].expand_as(scores)
            top = torch.full((x.shape[0], 2), float("-inf"))
            top = top.scatter_reduce(0, places, scores.detach(), "amax")
            weights = (scores - top[target]).exp()
            total = torch.zeros(x.shape[0], 2).scatter_add(0, places, weights)
            weights = weights / total[target]
            out = torch.zeros_like(h).index_add_(0, target, weights[..., None] * h[source])
            return self.head(F.elu(out.flatten(1)))

    return training(Net(), classify, graph(9, 33, 5, 3))


@case("graph_of_dense_neighbours")
def graph_of_dense_neighbours() -> Training:
    """A matrix of neighbours, a norm of the graph, a reading out of all nodes."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers, self.eps = nn.ModuleList([mlp(4, 7, 7), mlp(7, 7, 7)]), nn.Parameter(torch.zeros(2))
            self.norm, self.head = nn.BatchNorm1d(7), nn.Linear(14, 2)

        def forward(self, x: Any, near: Any) -> Any:
            for n, layer in enumerate(self.layers):
                x = layer((1 + self.eps[n]) * x + near @ x)
            x = self.norm(x.transpose(1, 2)).transpose(1, 2)
            return self.head(torch.cat([x.mean(1), x.amax(1)], -1))

    def batch() -> tuple[Any, ...]:
        near = (torch.rand(5, 7, 7) < 0.3).to(torch.get_default_dtype())
        return torch.randn(5, 7, 4), torch.maximum(near, near.transpose(1, 2)), torch.randint(0, 2, (5,))

    return training(Net(), classify, batch)


@case("molecules_by_messages")
def molecules_by_messages() -> Training:
    """Messages from features of edges, a gated update, sums over each graph of a batch."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.node, self.edge, self.cell = nn.Embedding(5, 6), mlp(6 + 2, 9, 6), nn.GRUCell(6, 6)
            self.head = nn.Linear(6, 1)

        def forward(self, kinds: Any, ends: Any, edges: Any, owner: Any) -> Any:
            x = self.node(kinds)
            for _ in range(3):
                messages = self.edge(torch.cat([x.index_select(0, ends[0]), edges], -1))
                x = self.cell(torch.zeros_like(x).index_add(0, ends[1], messages), x)
            return self.head(torch.zeros(3, 6).index_add(0, owner, x)).squeeze(-1)

    def batch() -> tuple[Any, ...]:
        owner = torch.arange(12) // 4
        ends, edges = torch.randint(0, 12, (2, 20)), torch.randn(20, 2)
        return torch.randint(0, 5, (12,)), ends, edges, owner, torch.randn(3)

    return training(Net(), lambda m, *x: F.l1_loss(m(*x[:-1]), x[-1]), batch)


@case("sparse_neighbours", eager="a tensor belongs to a transform")
def sparse_neighbours() -> Training:
    """The neighbours as a sparse matrix that does not change."""
    torch.manual_seed(1)
    near = (torch.rand(9, 9) < 0.3).to(torch.get_default_dtype()).to_sparse()
    model = nn.ModuleList([nn.Linear(4, 7), nn.Linear(7, 3)])

    def loss(model: Any, x: Any, target: Any) -> Any:
        h = torch.tanh(torch.sparse.mm(near, model[0](x)))
        return F.cross_entropy(torch.sparse.mm(near, model[1](h)), target)

    return training(model, loss, lambda: (torch.randn(9, 4), torch.randint(0, 3, (9,))))


@case("point_cloud")
def point_cloud() -> Training:
    """Shared layers, nearest neighbours, a maximum over points."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.edges, self.points, self.head = mlp(6, 9, 9), mlp(9, 13), nn.Linear(13, 4)

        def forward(self, x: Any) -> Any:
            near = torch.cdist(x, x).topk(3, largest=False).indices
            around = torch.take_along_dim(x[:, None], near[..., None], 2)
            here = x[:, :, None].expand_as(around)
            features = self.edges(torch.cat([here, around - here], -1)).amax(2)
            return self.head(self.points(features).max(1).values)

    return training(Net(), classify, lambda: (torch.randn(3, 7, 3), torch.randint(0, 4, (3,))))


@case("deep_sets_with_masks")
def deep_sets_with_masks() -> Training:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.each, self.all = mlp(3, 9, 7), mlp(14, 9, 1)

        def forward(self, x: Any, mask: Any) -> Any:
            h = self.each(x)
            mean = (h * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            top = h.masked_fill(~mask[..., None], -1e9).amax(1)
            return self.all(torch.cat([mean, top], -1)).squeeze(-1)

    def batch() -> tuple[Any, ...]:
        mask = torch.arange(6) < torch.randint(1, 7, (5, 1))
        return torch.randn(5, 6, 3), mask, torch.randn(5)

    return training(Net(), lambda m, x, mask, y: F.mse_loss(m(x, mask), y), batch)


@case("matrix_factorisation", ci="float32")
def matrix_factorisation() -> Training:
    class Factors(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.user, self.item = nn.Embedding(13, 7), nn.Embedding(33, 7)
            self.user_bias, self.item_bias = nn.Embedding(13, 1), nn.Embedding(33, 1)

        def forward(self, user: Any, item: Any) -> Any:
            match = (self.user(user) * self.item(item)).sum(-1, keepdim=True)
            return (match + self.user_bias(user) + self.item_bias(item)).squeeze(-1)

    model = Factors()
    batch = lambda: (torch.randint(0, 13, (65,)), torch.randint(0, 33, (65,)), torch.rand(65) * 5)
    optimizer = torch.optim.Adam(model.parameters(), 1e-2, weight_decay=1e-4)
    return training(model, lambda m, u, i, y: F.mse_loss(m(u, i), y), batch, optimizer)


@case("bags_of_words")
def bags_of_words() -> Training:
    """Means and sums over lines of words."""

    class Bags(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.mean, self.sum = nn.EmbeddingBag(13, 5), nn.EmbeddingBag(13, 5, mode="sum")
            self.head = nn.Linear(10, 3)

        def forward(self, x: Any) -> Any:
            return self.head(torch.cat([self.mean(x), self.sum(x)], -1))

    return training(Bags(), classify, lambda: (torch.randint(0, 13, (7, 4)), torch.randint(0, 3, (7,))))


@case("bags_weighed", eager="numbers")
def bags_weighed() -> Training:
    """Maxima, and sums with weights that leave padding out."""

    class Bags(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.sum = nn.EmbeddingBag(13, 5, mode="sum", padding_idx=0)
            self.max, self.head = nn.EmbeddingBag(13, 5, mode="max"), nn.Linear(10, 3)

        def forward(self, x: Any, weights: Any) -> Any:
            return self.head(torch.cat([self.sum(x, per_sample_weights=weights), self.max(x)], -1))

    batch = lambda: (torch.randint(0, 13, (7, 4)), torch.rand(7, 4), torch.randint(0, 3, (7,)))
    return training(Bags(), classify, batch)


@case("bags_by_offsets", eager="numbers")
def bags_by_offsets() -> Training:
    class Bags(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bag, self.head = nn.EmbeddingBag(13, 5, mode="sum"), nn.Linear(5, 3)

        def forward(self, x: Any, offsets: Any) -> Any:
            return self.head(self.bag(x, offsets))

    offsets = torch.tensor([0, 3, 3, 7])
    batch = lambda: (torch.randint(0, 13, (11,)), offsets, torch.randint(0, 3, (4,)))
    return training(Bags(), classify, batch)


@case("crossed_features")
def crossed_features() -> Training:
    """Dense and sparse features, their products in pairs, and a network (DLRM and DeepFM)."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tables = nn.ModuleList(nn.Embedding(n, 4) for n in (7, 13, 3))
            self.dense, self.head = mlp(5, 9, 4), mlp(4 + 6, 9, 1)
            self.linear = nn.Linear(5, 1)

        def forward(self, dense: Any, sparse: Any) -> Any:
            first = self.dense(dense)
            vectors = torch.stack([first, *(t(sparse[:, n]) for n, t in enumerate(self.tables))], 1)
            products = vectors @ vectors.transpose(1, 2)
            rows, columns = torch.tril_indices(4, 4, -1)
            pairs = products[:, rows, columns]
            square = 0.5 * (vectors.sum(1) ** 2 - (vectors**2).sum(1)).sum(1)
            return (self.head(torch.cat([first, pairs], -1)) + self.linear(dense)).squeeze(-1) + square

    def batch() -> tuple[Any, ...]:
        sparse = torch.stack([torch.randint(0, n, (9,)) for n in (7, 13, 3)], 1)
        return torch.randn(9, 5), sparse, torch.rand(9).round()

    return training(Net(), lambda m, x, s, y: F.binary_cross_entropy_with_logits(m(x, s), y), batch)


@case("word_vectors")
def word_vectors() -> Training:
    """A word, one that stands beside it, and several that do not."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.word, self.beside = nn.Embedding(33, 7, padding_idx=0), nn.Embedding(33, 7)

        def forward(self, word: Any, beside: Any, others: Any) -> Any:
            v = self.word(word)
            good = F.logsigmoid((v * self.beside(beside)).sum(-1))
            bad = F.logsigmoid(-torch.bmm(self.beside(others), v.unsqueeze(-1)).squeeze(-1)).sum(-1)
            return -(good + bad).mean()

    draw = lambda *shape: torch.randint(0, 33, shape)
    return training(Net(), lambda m, *x: m(*x), lambda: (draw(13), draw(13), draw(13, 5)))


@case("contrast_of_pairs")
def contrast_of_pairs() -> Training:
    """Two views of each row among all others (SimCLR), at a temperature that is trained."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.scale = mlp(9, 13, 7), nn.Parameter(torch.tensor(math.log(5.0)))

    def loss(model: Any, x: Any) -> Any:
        views = torch.cat([x + 0.1 * torch.randn_like(x), x * (torch.rand(x.shape) > 0.2)])
        z = F.normalize(model.body(views), dim=-1)
        scores = (z @ z.t()) * model.scale.exp()
        scores = scores.masked_fill(torch.eye(len(z), dtype=torch.bool), float("-inf"))
        n = len(x)
        return F.cross_entropy(scores, torch.cat([torch.arange(n, 2 * n), torch.arange(n)]))

    return training(Net(), loss, lambda: (torch.randn(7, 9),))


@case("images_and_words")
def images_and_words() -> Training:
    """Two encoders whose outputs find one another (CLIP)."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.image = nn.Sequential(nn.Conv2d(1, 4, 3, 2), nn.ReLU(), nn.Flatten(), nn.Linear(36, 6))
            self.word, self.text = nn.Embedding(9, 8), nn.GRU(8, 6, batch_first=True)
            self.scale = nn.Parameter(torch.tensor(1.0))

        def forward(self, image: Any, text: Any) -> Any:
            a = F.normalize(self.image(image), dim=1)
            b = F.normalize(self.text(self.word(text))[1][0], dim=1)
            return self.scale.exp() * a @ b.t()

    def loss(model: Any, image: Any, text: Any) -> Any:
        scores, target = model(image, text), torch.arange(len(image))
        return (F.cross_entropy(scores, target) + F.cross_entropy(scores.t(), target)) / 2

    return training(Net(), loss, lambda: (torch.randn(5, 1, 8, 8), torch.randint(0, 9, (5, 4))))


@case("own_latents")
def own_latents() -> Training:
    """A predictor of what a slow copy sees (BYOL), batch norms within."""
    body = nn.Sequential(nn.Linear(9, 13), nn.BatchNorm1d(13), nn.ReLU(), nn.Linear(13, 6))
    predictor, slow = mlp(6, 9, 6), copy.deepcopy(body).requires_grad_(False)
    optimizer = torch.optim.SGD([*body.parameters(), *predictor.parameters()], 0.05, momentum=0.9)

    def step(x: Any) -> Any:
        first, second = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
        with torch.no_grad():
            goals = slow(first), slow(second)
        sides = zip((first, second), reversed(goals), strict=True)
        loss = sum(2 - 2 * F.cosine_similarity(predictor(body(a)), goal).mean() for a, goal in sides)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for a, b in zip(slow.parameters(), body.parameters(), strict=True):
                a.mul_(0.9).add_(b, alpha=0.1)
        return loss

    return Training(step, lambda: (torch.randn(7, 9),), (body, predictor, slow))


@case("variance_and_covariance")
def variance_and_covariance() -> Training:
    """Views that agree, features that vary and do not repeat one another (VICReg, Barlow twins)."""

    def loss(model: Any, x: Any) -> Any:
        a, b = model(x), model(x + 0.1 * torch.randn_like(x))
        spread = F.relu(1 - torch.sqrt(a.var(0) + 1e-4)).mean() + F.relu(1 - b.std(0)).mean()
        centered = a - a.mean(0)
        covariance = centered.t() @ centered / (len(a) - 1)
        beside = (covariance**2).sum() - (covariance.diagonal() ** 2).sum()
        cross = ((a - a.mean(0)) / a.std(0)).t() @ ((b - b.mean(0)) / b.std(0)) / len(a)
        return F.mse_loss(a, b) + spread + beside / 7 + 0.01 * (cross - torch.eye(7)).pow(2).sum()

    return training(mlp(9, 13, 7, activation=nn.Tanh), loss, lambda: (torch.randn(13, 9),))


@case("hardest_triplets", ci="float64")
def hardest_triplets() -> Training:
    """The farthest row of a class and the nearest of another, found in the batch."""

    def loss(model: Any, x: Any, label: Any) -> Any:
        z = F.normalize(model(x), dim=1)
        squares = 2 - 2 * z @ z.t()
        same = label[:, None] == label
        far = squares.masked_fill(~same, -1.0).amax(1)
        near = squares.masked_fill(same, 5.0).amin(1)
        return F.relu(far - near + 0.3).mean()

    batch = lambda: (torch.randn(13, 9), torch.arange(13) % 3)
    return training(mlp(9, 13, 5), loss, batch)


@case("mixture_of_gaussians")
def mixture_of_gaussians() -> Training:
    class Mixture(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.logits, self.means = nn.Parameter(torch.zeros(5)), nn.Parameter(torch.randn(5, 3))
            self.log_scales = nn.Parameter(torch.zeros(5, 3))

        def forward(self, x: Any) -> Any:
            z = (x[:, None] - self.means) * torch.exp(-self.log_scales)
            density = -0.5 * (z**2 + math.log(2 * math.pi)).sum(-1) - self.log_scales.sum(-1)
            return -torch.logsumexp(density + self.logits.log_softmax(0), -1).mean()

    return training(Mixture(), lambda m, x: m(x), lambda: (torch.randn(33, 3),))


@case("mixture_density_network")
def mixture_density_network() -> Training:
    def loss(model: Any, x: Any, y: Any) -> Any:
        logits, means, scales = model(x).chunk(3, -1)
        parts = torch.distributions.Normal(means, F.softplus(scales) + 0.1)
        which = torch.distributions.Categorical(logits=logits)
        return -torch.distributions.MixtureSameFamily(which, parts).log_prob(y).mean()

    return training(mlp(3, 13, 12, activation=nn.Tanh), loss, lambda: (torch.randn(9, 3), torch.randn(9)))


@case("hidden_markov")
def hidden_markov() -> Training:
    """The likelihood of lines by the forward recursion."""

    class Markov(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.start, self.move = nn.Parameter(torch.randn(4)), nn.Parameter(torch.randn(4, 4))
            self.emit = nn.Parameter(torch.randn(4, 7))

        def forward(self, line: Any) -> Any:
            move, emit = self.move.log_softmax(1), self.emit.log_softmax(1)
            alpha = self.start.log_softmax(0) + emit[:, line[:, 0]].t()
            for n in range(1, line.shape[1]):
                alpha = torch.logsumexp(alpha[:, :, None] + move, 1) + emit[:, line[:, n]].t()
            return -torch.logsumexp(alpha, 1).mean()

    return training(Markov(), lambda m, x: m(x), lambda: (torch.randint(0, 7, (3, 13)),))


@case("conditional_random_field")
def conditional_random_field() -> Training:
    class Field(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.token, self.body = nn.Embedding(13, 5), nn.LSTM(5, 4, bidirectional=True)
            self.head, self.move = nn.Linear(8, 3), nn.Parameter(torch.randn(3, 3))

        def forward(self, line: Any, tags: Any) -> Any:
            scores = self.head(self.body(self.token(line))[0])
            total, found = scores[0], scores[0].gather(1, tags[0][:, None]).squeeze(1)
            for n in range(1, len(line)):
                total = torch.logsumexp(total[:, :, None] + self.move, 1) + scores[n]
                found = found + self.move[tags[n - 1], tags[n]]
                found = found + scores[n].gather(1, tags[n][:, None]).squeeze(1)
            return (torch.logsumexp(total, 1) - found).mean()

    batch = lambda: (torch.randint(0, 13, (6, 3)), torch.randint(0, 3, (6, 3)))
    return training(Field(), lambda m, *x: m(*x), batch)


@case("experts", ci="float32")
def experts() -> Training:
    """The best two of several experts for each row, and a loss that spreads the load."""

    class Experts(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gate, self.up = nn.Linear(7, 5), nn.Parameter(torch.randn(5, 7, 9) / 3)
            self.down = nn.Parameter(torch.randn(5, 9, 3) / 3)

        def forward(self, x: Any) -> tuple[Any, Any]:
            shares = self.gate(x).softmax(-1)
            top, chosen = shares.topk(2, -1)
            top = top / top.sum(-1, keepdim=True)
            hidden = F.gelu(torch.einsum("bi,eih->beh", x, self.up))
            every = torch.einsum("beh,eho->beo", hidden, self.down)
            picked = every.gather(1, chosen[..., None].expand(-1, -1, 3))
            load = F.one_hot(chosen[:, 0], 5).to(x.dtype).mean(0)
            return (top[..., None] * picked).sum(1), 5 * (load * shares.mean(0)).sum()

    def loss(model: Any, x: Any, target: Any) -> Any:
        scores, balance = model(x)
        return F.cross_entropy(scores, target) + 0.01 * balance

    return training(Experts(), loss, lambda: (torch.randn(13, 7), torch.randint(0, 3, (13,))))

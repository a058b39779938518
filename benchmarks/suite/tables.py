"""Steps over graphs, tables and signals, and those that differentiate or repeat a network as a whole."""

from __future__ import annotations

from typing import Any

from benchmarks.case import Case, Library
from benchmarks.suite.in_jax import tables as in_jax
from benchmarks.suite.steps import parameter, step, training, whole


@step("Graph convolution by index_add: 1,000 nodes, 6,000 edges, 2 layers", in_jax.graph_convolution)
def graph_convolution(library: Library) -> Case:
    torch = library.module
    x, (source, sink) = torch.randn(1000, 32), torch.randint(1000, (2, 6000))
    w1, w2 = parameter(torch, 32, 64), parameter(torch, 64, 7)
    target = torch.randint(7, (1000,))
    degree = torch.zeros(1000).index_add(0, sink, torch.ones(6000)).clamp(min=1)

    def layer(h: Any, w: Any) -> Any:
        return torch.zeros(1000, w.shape[1]).index_add(0, sink, (h @ w)[source]) / degree[:, None]

    def loss() -> Any:
        return torch.nn.functional.cross_entropy(layer(torch.relu(layer(x, w1)), w2), target)

    return training(library, [w1, w2], loss)


@step("Recommender: two embeddings, dense features, interactions, batch 256", in_jax.recommender)
def recommender(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    users, items = nn.Embedding(5000, 32), nn.Embedding(2000, 32)
    dense = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, 32))
    top = nn.Sequential(nn.Linear(35, 64), nn.ReLU(), nn.Linear(64, 1))
    who, what, x = torch.randint(5000, (256,)), torch.randint(2000, (256,)), torch.randn(256, 13)
    clicked = (torch.rand(256) < 0.3).float()

    def loss() -> Any:
        a, b, c = users(who), items(what), dense(x)
        products = torch.stack([(a * b).sum(1), (a * c).sum(1), (b * c).sum(1)], 1)
        return nn.functional.binary_cross_entropy_with_logits(top(torch.cat([c, products], 1))[:, 0], clicked)

    parameters = [p for m in (users, items, dense, top) for p in m.parameters()]
    return training(library, parameters, loss)


@step("Filter in the frequency domain: 64 signals of 1,024, learned response", in_jax.fourier_filter)
def fourier_filter(library: Library) -> Case:
    torch = library.module
    x, y = torch.randn(64, 1024), torch.randn(64, 1024)
    response = torch.ones(513, 2, requires_grad=True)

    def loss() -> Any:
        spectrum = torch.fft.rfft(x) * torch.view_as_complex(response)
        return ((torch.fft.irfft(spectrum, n=1024) - y) ** 2).mean()

    return training(library, [response], loss, "SGD")


@step("Gradients of every sample: vmap of grad of a network, batch 64", in_jax.sample_gradients)
def sample_gradients(library: Library) -> Case:
    torch = library.module
    w1, w2 = torch.randn(20, 32) * 0.1, torch.randn(32, 5) * 0.1
    x, target = torch.randn(64, 20), torch.randint(5, (64,))

    def loss(w1: Any, w2: Any, row: Any, label: Any) -> Any:
        return torch.nn.functional.cross_entropy(torch.tanh(row @ w1) @ w2, label)

    every = torch.func.vmap(torch.func.grad(loss, (0, 1)), (None, None, 0, 0))
    return whole(library, lambda: every(w1, w2, x, target))


@step("Learning to learn: 3 inner steps differentiated, 4 tasks of sine regression", in_jax.meta_learning)
def meta_learning(library: Library) -> Case:
    torch = library.module
    w = [parameter(torch, 1, 40, scale=0.5), torch.zeros(40, requires_grad=True), parameter(torch, 40, 1)]
    x, y = torch.rand(4, 10, 1) * 6, torch.randn(4, 10, 1)

    def predict(w: Any, x: Any) -> Any:
        return torch.tanh(x @ w[0] + w[1]) @ w[2]

    def train() -> Any:
        update.zero_grad()
        total = 0.0
        for task in range(4):
            fast = w
            for _ in range(3):
                inner = ((predict(fast, x[task]) - y[task]) ** 2).mean()
                gradients = torch.autograd.grad(inner, fast, create_graph=True)
                fast = [p - 0.05 * g for p, g in zip(fast, gradients)]
            total = total + ((predict(fast, x[task]) - y[task]) ** 2).mean()
        total.backward()
        update.step()
        return total

    update = torch.optim.Adam(w)
    return whole(library, train, backward=True)


@step("Network with layer norm and GELU in float64, clipped norm, batch 64", in_jax.float64_network)
def float64_network(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    net = nn.Sequential(
        nn.Linear(50, 128), nn.LayerNorm(128), nn.GELU(), nn.Linear(128, 128), nn.LayerNorm(128), nn.GELU(),
        nn.Linear(128, 1),
    ).double()  # fmt: skip
    x, y = torch.randn(64, 50, dtype=torch.float64), torch.randn(64, 1, dtype=torch.float64)
    update = torch.optim.AdamW(net.parameters())
    compute = library.part(lambda: nn.functional.mse_loss(net(x), y))

    def train() -> Any:
        update.zero_grad()
        loss = compute()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        update.step()
        return loss

    return whole(library, train, backward=True)


@step("Network of odd sizes 37-53-29-11, batch 13", in_jax.odd_sizes)
def odd_sizes(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    net = nn.Sequential(nn.Linear(37, 53), nn.ELU(), nn.Linear(53, 29), nn.Softplus(), nn.Linear(29, 11))
    x, target = torch.randn(13, 37), torch.randint(11, (13,))
    return training(library, net.parameters(), lambda: nn.functional.cross_entropy(net(x), target))


@step("Table of 20 columns: batch norm, dropout, focal loss, batch 512")
def table_classifier(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    net = nn.Sequential(
        nn.BatchNorm1d(20), nn.Linear(20, 128), nn.ReLU(), nn.Dropout(0.2), nn.BatchNorm1d(128),
        nn.Linear(128, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 1),
    )  # fmt: skip
    x, y = torch.randn(512, 20), (torch.rand(512, 1) < 0.1).float()

    def loss() -> Any:
        logits = net(x)
        p = torch.sigmoid(logits)
        near = p * y + (1 - p) * (1 - y)
        bce = nn.functional.binary_cross_entropy_with_logits(logits, y, reduction="none")
        return ((1 - near) ** 2 * bce).mean()

    return training(library, net.parameters(), loss, "AdamW")


@step(
    "Graph of 2,000 nodes as a sparse matrix with 10,000 entries, 2 products, 24 features",
    in_jax.sparse_graph,
)
def sparse_graph(library: Library) -> Case:
    torch = library.module
    links = torch.sparse_coo_tensor(torch.randint(2000, (2, 10000)), torch.rand(10000) / 5, (2000, 2000))
    links = links.coalesce()
    x, target = torch.randn(2000, 24), torch.randint(6, (2000,))
    w1, w2 = parameter(torch, 24, 32), parameter(torch, 32, 6)

    def loss() -> Any:
        h = torch.relu(torch.sparse.mm(links, x @ w1))
        return torch.nn.functional.cross_entropy(torch.sparse.mm(links, h @ w2), target)

    return training(library, [w1, w2], loss)


@step("Network 784-256-256-10 with batch norm answers one row, inference")
def one_digit(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    net = nn.Sequential(
        nn.Linear(784, 256), nn.BatchNorm1d(256), nn.ReLU(), nn.Linear(256, 256), nn.BatchNorm1d(256),
        nn.ReLU(), nn.Linear(256, 10),
    ).eval()  # fmt: skip
    x = torch.rand(1, 784)

    def infer() -> Any:
        with torch.inference_mode():
            return net(x).log_softmax(1)

    return whole(library, infer)

"""Recurrent networks: modules, cells, and cells written by hand."""

from __future__ import annotations

from typing import Any

import pullback as torch
from pullback import nn
from tests.compiler.soundness.training import Training, case, training

F = nn.functional


def words(count: int, batch: int, length: int) -> Any:
    """What draws lines of text and their next words."""

    def draw() -> tuple[Any, Any]:
        line = torch.randint(0, count, (batch, length + 1))
        return line[:, :-1], line[:, 1:]

    return draw


def next_word(model: Any, tokens: Any, target: Any) -> Any:
    return F.cross_entropy(model(tokens).flatten(0, 1), target.flatten())


class Language(nn.Module):
    """An embedding, a recurrent module and a head."""

    def __init__(self, kind: str, words: int, width: int, **settings: Any) -> None:
        super().__init__()
        self.token = nn.Embedding(words, 6)
        self.layer = getattr(nn, kind)(6, width, batch_first=True, **settings)
        self.head = nn.Linear(width * (2 if settings.get("bidirectional") else 1), words)

    def forward(self, tokens: Any) -> Any:
        return self.head(self.layer(self.token(tokens))[0])


@case("rnn_tanh")
def rnn_tanh() -> Training:
    return training(Language("RNN", 13, 7), next_word, words(13, 3, 9))


@case("rnn_relu_two_layers")
def rnn_relu_two_layers() -> Training:
    model = Language("RNN", 11, 8, num_layers=2, nonlinearity="relu")
    return training(model, next_word, words(11, 4, 5), torch.optim.Adagrad(model.parameters()))


@case("gru_bidirectional", ci="float64")
def gru_bidirectional() -> Training:
    model = Language("GRU", 13, 7, bidirectional=True)
    return training(model, next_word, words(13, 2, 7), torch.optim.RMSprop(model.parameters(), 1e-3))


@case("lstm_two_layers", ci="float32")
def lstm_two_layers() -> Training:
    model = Language("LSTM", 11, 13, num_layers=2, dropout=0.1)
    return training(model, next_word, words(11, 3, 6), torch.optim.Adam(model.parameters(), 1e-3))


@case("lstm_bidirectional_projected")
def lstm_bidirectional_projected() -> Training:
    class Tagger(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.LSTM(5, 8, bidirectional=True, proj_size=3)
            self.head = nn.Linear(6, 4)

        def forward(self, x: Any) -> Any:
            return self.head(self.layer(x)[0])

    batch = lambda: (torch.randn(7, 3, 5), torch.randint(0, 4, (7, 3)))
    return training(Tagger(), next_word, batch)


@case("lstm_batch_of_one")
def lstm_batch_of_one() -> Training:
    class Forecast(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.head = nn.LSTM(1, 7), nn.Linear(7, 1)

        def forward(self, x: Any) -> Any:
            _, (hidden, cell) = self.layer(x)
            return self.head(hidden[-1] + cell[-1])

    batch = lambda: (torch.randn(13, 1, 1), torch.randn(1, 1))
    return training(Forecast(), lambda m, x, y: F.mse_loss(m(x), y), batch)


@case("state_carried_on")
def state_carried_on() -> Training:
    """Truncated backpropagation: each batch begins with the state that the one before it left."""

    class Carrying(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.head = nn.GRU(3, 7), nn.Linear(7, 3)
            self.register_buffer("state", torch.zeros(1, 2, 7))

        def forward(self, x: Any) -> Any:
            y, state = self.layer(x, self.state)
            self.state = state.detach()
            return self.head(y)

    batch = lambda: (torch.randn(5, 2, 3), torch.randn(5, 2, 3))
    return training(Carrying(), lambda m, x, y: F.mse_loss(m(x), y), batch)


@case("state_written_over")
def state_written_over() -> Training:
    """The same, in memory that stays where it is."""

    class Carrying(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell, self.head = nn.RNNCell(3, 7), nn.Linear(7, 3)
            self.register_buffer("state", torch.zeros(2, 7))

        def forward(self, x: Any) -> Any:
            state, found = self.state.clone(), []
            for part in x:
                state = self.cell(part, state)
                found.append(self.head(state))
            with torch.no_grad():
                self.state.copy_(state)
            return torch.stack(found)

    batch = lambda: (torch.randn(5, 2, 3), torch.randn(5, 2, 3))
    return training(Carrying(), lambda m, x, y: F.mse_loss(m(x), y), batch)


@case("lstm_cell_loop")
def lstm_cell_loop() -> Training:
    class Loop(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell, self.head = nn.LSTMCell(4, 9), nn.Linear(9, 2)

        def forward(self, x: Any) -> Any:
            h = x.new_zeros(x.shape[1], 9)
            c = torch.zeros_like(h)
            for part in x:
                h, c = self.cell(part, (h, c))
            return self.head(h)

    batch = lambda: (torch.randn(6, 5, 4), torch.randint(0, 2, (5,)))
    return training(Loop(), lambda m, x, y: F.cross_entropy(m(x), y), batch)


@case("gru_cell_decoder")
def gru_cell_decoder() -> Training:
    """A decoder that is fed its own best word."""

    class Decoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.token, self.cell, self.head = nn.Embedding(7, 5), nn.GRUCell(5, 8), nn.Linear(8, 7)

        def forward(self, state: Any) -> Any:
            word = torch.zeros(state.shape[0], dtype=torch.int64)
            scores = []
            for _ in range(5):
                state = self.cell(self.token(word), state)
                scores.append(self.head(state))
                word = scores[-1].argmax(-1)
            return torch.stack(scores, 1)

    batch = lambda: (torch.randn(3, 8), torch.randint(0, 7, (3, 5)))
    return training(Decoder(), next_word, batch)


@case("rnn_cell_with_teacher")
def rnn_cell_with_teacher() -> Training:
    class Teacher(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell, self.head = nn.RNNCell(1, 13), nn.Linear(13, 1)

        def forward(self, x: Any) -> Any:
            state, out, found = None, x[:, :1], []
            for n in range(x.shape[1] - 1):
                state = self.cell(x[:, n : n + 1] if n < 4 else out, state)
                out = self.head(state)
                found.append(out)
            return torch.cat(found, 1)

    batch = lambda: (torch.randn(7, 9),)
    return training(Teacher(), lambda m, x: F.mse_loss(m(x), x[:, 1:]), batch)


class Gated(nn.Module):
    """A recurrent cell of the user's own, with a norm of its gates."""

    def __init__(self, inner: int, width: int) -> None:
        super().__init__()
        self.width = width
        self.inputs, self.states = nn.Linear(inner, 3 * width), nn.Linear(width, 3 * width, bias=False)
        self.norm = nn.LayerNorm(3 * width)

    def forward(self, x: Any, state: Any) -> Any:
        gates = self.norm(self.inputs(x) + self.states(state))
        forget, write, new = gates.chunk(3, -1)
        forget, write = torch.sigmoid(forget + 1), torch.sigmoid(write)
        return forget * state + write * torch.tanh(new)


@case("gated_cell_by_hand")
def gated_cell_by_hand() -> Training:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second, self.head = Gated(5, 9), Gated(9, 7), nn.Linear(7, 3)

        def forward(self, x: Any) -> Any:
            a, b = torch.zeros(x.shape[0], 9), torch.zeros(x.shape[0], 7)
            for n in range(x.shape[1]):
                a = self.first(x[:, n], a)
                b = self.second(a, b)
            return self.head(b)

    batch = lambda: (torch.randn(4, 6, 5), torch.randint(0, 3, (4,)))
    return training(Net(), lambda m, x, y: F.cross_entropy(m(x), y), batch)


@case("masked_sequences", ci="float32")
def masked_sequences() -> Training:
    """Lines of unequal length: states are kept where a line has ended."""

    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell, self.head = nn.GRUCell(3, 7), nn.Linear(7, 1)

        def forward(self, x: Any, lengths: Any) -> Any:
            state = torch.zeros(x.shape[0], 7)
            for n in range(x.shape[1]):
                alive = (n < lengths)[:, None]
                state = torch.where(alive, self.cell(x[:, n], state), state)
            return self.head(state).squeeze(1)

    batch = lambda: (torch.randn(5, 7, 3), torch.randint(1, 8, (5,)), torch.rand(5).round())
    loss = lambda m, x, lengths, y: F.binary_cross_entropy_with_logits(m(x, lengths), y)
    return training(Masked(), loss, batch)


@case("linear_state_space")
def linear_state_space() -> Training:
    """A diagonal state space, one step after the other."""

    class Diagonal(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.decay = nn.Parameter(torch.linspace(-2.0, 1.0, 13))
            self.write, self.read = nn.Linear(3, 13), nn.Linear(13, 3)

        def forward(self, x: Any) -> Any:
            keep = torch.exp(-F.softplus(self.decay))
            state, states = torch.zeros(x.shape[0], 13), []
            for part in self.write(x).unbind(1):
                state = keep * state + part
                states.append(state)
            return self.read(F.silu(torch.stack(states, 1)))

    batch = lambda: (torch.randn(2, 33, 3), torch.randn(2, 33, 3))
    return training(Diagonal(), lambda m, x, y: F.mse_loss(m(x), y), batch)


@case("selective_scan_of_sums")
def selective_scan_of_sums() -> Training:
    """Linear attention, its states as sums along the line."""

    class Scan(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts, self.head = nn.Linear(5, 3 * 5), nn.Linear(5, 5)

        def forward(self, x: Any) -> Any:
            q, k, v = self.parts(x).chunk(3, -1)
            q, k = F.elu(q) + 1, F.elu(k) + 1
            states = torch.einsum("bli,blj->blij", k, v).cumsum(1)
            norms = (q * k.cumsum(1)).sum(-1, keepdim=True)
            return self.head(torch.einsum("bli,blij->blj", q, states) / norms)

    batch = lambda: (torch.randn(2, 13, 5), torch.randn(2, 13, 5))
    return training(Scan(), lambda m, x, y: F.mse_loss(m(x), y), batch)


@case("sequence_to_sequence_attention")
def sequence_to_sequence_attention() -> Training:
    """Bahdanau's attention over an encoder's states."""

    class Translate(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.source, self.target = nn.Embedding(9, 5), nn.Embedding(7, 5)
            self.encoder, self.cell = nn.GRU(5, 6, batch_first=True), nn.GRUCell(11, 6)
            self.keys, self.query, self.score = nn.Linear(6, 8), nn.Linear(6, 8), nn.Linear(8, 1, bias=False)
            self.head = nn.Linear(12, 7)

        def forward(self, source: Any, target: Any) -> Any:
            states, last = self.encoder(self.source(source))
            state, keys, found = last[0], self.keys(states), []
            for word in self.target(target).unbind(1):
                weights = self.score(torch.tanh(keys + self.query(state)[:, None])).softmax(1)
                context = (weights * states).sum(1)
                state = self.cell(torch.cat([word, context], -1), state)
                found.append(self.head(torch.cat([state, context], -1)))
            return torch.stack(found, 1)

    def batch() -> tuple[Any, Any, Any]:
        line = torch.randint(0, 7, (3, 6))
        return torch.randint(0, 9, (3, 7)), line[:, :-1], line[:, 1:]

    def loss(model: Any, source: Any, line: Any, following: Any) -> Any:
        return F.cross_entropy(model(source, line).transpose(1, 2), following)

    return training(Translate(), loss, batch)


@case("ctc_speech")
def ctc_speech() -> Training:
    class Speech(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.layer, self.head = nn.Conv1d(5, 7, 3, 2, 1), nn.GRU(7, 8), nn.Linear(8, 6)

        def forward(self, x: Any) -> Any:
            return self.head(self.layer(F.relu(self.conv(x)).permute(2, 0, 1))[0]).log_softmax(-1)

    lengths, sizes = torch.tensor([7, 7, 6]), torch.tensor([3, 2, 1])
    batch = lambda: (torch.randn(3, 5, 13), torch.randint(1, 6, (3, 3)))
    return training(Speech(), lambda m, x, y: F.ctc_loss(m(x), y, lengths, sizes), batch)

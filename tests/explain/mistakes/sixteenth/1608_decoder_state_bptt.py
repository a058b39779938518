import torch
import torch.nn as nn


class DecoderState:
    def __init__(self, hidden):
        self.hidden = hidden

    def detach(self):
        for h in self.hidden:
            h.detach()

    def update(self, hidden):
        self.hidden = hidden


torch.manual_seed(2)
emb = nn.Embedding(20, 8)
rnn = nn.LSTM(8, 16)
gen = nn.Linear(16, 20)
params = [p for m in (emb, rnn, gen) for p in m.parameters()]
optim = torch.optim.SGD(params, lr=0.5)
tgt = torch.randint(0, 20, (25, 4))
state = DecoderState((torch.zeros(1, 4, 16), torch.zeros(1, 4, 16)))
for j in range(0, 24, 6):
    chunk, gold = tgt[j:j + 6], tgt[j + 1:j + 7]
    out, hidden = rnn(emb(chunk), state.hidden)
    state.update(hidden)
    loss = nn.functional.cross_entropy(gen(out).flatten(0, 1), gold.flatten())
    optim.zero_grad()
    loss.backward()
    optim.step()
    state.detach()

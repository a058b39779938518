import torch
from torch import nn


def train_step(rnn, head, chunk, target, memory, optimizer):
    out, memory = rnn(chunk, memory)
    loss = nn.functional.cross_entropy(head(out).flatten(0, 1), target.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), memory


torch.manual_seed(0)
embed, rnn, head = nn.Embedding(20, 8), nn.LSTM(8, 8), nn.Linear(8, 20)
params = [*embed.parameters(), *rnn.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(params, lr=3e-3)
poem, memory = torch.randint(0, 20, (31, 2)), None
for i in range(0, 30, 10):
    loss, memory = train_step(rnn, head, embed(poem[i:i + 10]), poem[i + 1:i + 11], memory, optimizer)
    print(loss)

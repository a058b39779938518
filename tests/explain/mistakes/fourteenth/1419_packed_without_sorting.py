import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence


class Names(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(27, 8, padding_idx=0)
        self.lstm = nn.LSTM(8, 12, batch_first=True)
        self.out = nn.Linear(12, 3)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.emb(ids), lengths, batch_first=True)
        _, (h, _) = self.lstm(packed)
        return self.out(h[-1])


torch.manual_seed(0)
model = Names()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
names = [torch.randint(1, 27, (n,)) for n in (4, 9, 6, 5)]
lengths = torch.tensor([len(n) for n in names])
ids = pad_sequence(names, batch_first=True)
y = torch.tensor([0, 1, 2, 0])
loss = nn.functional.cross_entropy(model(ids, lengths), y)
loss.backward()
opt.step()

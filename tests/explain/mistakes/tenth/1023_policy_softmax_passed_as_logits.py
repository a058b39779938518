import torch
from torch import nn


class Intent(nn.Module):
    def __init__(self, words, labels):
        super().__init__()
        self.bag = nn.EmbeddingBag(words, 16)
        self.out = nn.Sequential(nn.Linear(16, labels), nn.Softmax(dim=1))

    def forward(self, ids):
        return self.out(self.bag(ids))


torch.manual_seed(0)
net = Intent(50, 4)
weights = torch.tensor([1.0, 2.0, 1.0, 1.0])
criterion = nn.CrossEntropyLoss(weight=weights, label_smoothing=0.1)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(10):
    ids, y = torch.randint(0, 50, (16, 6)), torch.randint(0, 4, (16,))
    probs = net(ids)
    loss = criterion(probs, y)
    opt.zero_grad()
    loss.backward()
    opt.step()

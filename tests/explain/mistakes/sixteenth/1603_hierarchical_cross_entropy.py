import torch
import torch.nn as nn


class HierarchicalCE(nn.Module):
    def __init__(self, parent_of, weights):
        super().__init__()
        self.register_buffer("parent_of", parent_of)
        self.register_buffer("weights", weights)

    def forward(self, logits, target):
        probs = torch.softmax(logits, dim=1)
        leaf = probs.gather(1, target[:, None]).squeeze(1)
        same = (self.parent_of[None, :] == self.parent_of[target][:, None]).float()
        parent = (probs * same).sum(1)
        num = torch.stack([leaf, parent])
        den = torch.stack([parent, probs.sum(1)])
        for idx in range(2):
            num[idx] = -torch.log(num[idx] / den[idx])
        return (num * self.weights[:, None]).sum(0).mean()


torch.manual_seed(1)
net = nn.Linear(12, 6)
criterion = HierarchicalCE(torch.tensor([0, 0, 1, 1, 2, 2]), torch.tensor([1.0, 0.5]))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(32, 12), torch.randint(0, 6, (32,))
for epoch in range(3):
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()

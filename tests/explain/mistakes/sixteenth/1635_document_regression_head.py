import torch
from torch import nn


class RegressionHead(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.feed_forward = nn.Linear(dims[0], dims[1])
        self.loss_fct = nn.MSELoss()

    def forward(self, x):
        logits = self.feed_forward(x).squeeze(-1)
        return logits

    def logits_to_loss(self, logits, labels):
        return self.loss_fct(logits, labels)


torch.manual_seed(0)
language_model = nn.Sequential(nn.EmbeddingBag(60, 32), nn.Tanh())
head = RegressionHead([32, 1])
optimizer = torch.optim.Adam(list(language_model.parameters()) + list(head.parameters()), lr=1e-2)
tokens = torch.randint(0, 60, (32, 9))
labels = (tokens < 20).float().sum(1, keepdim=True) * 16 / 9
for epoch in range(200):
    logits = head(language_model(tokens))
    loss = head.logits_to_loss(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 40 == 0:
        print("Cur. train loss:", loss.item())

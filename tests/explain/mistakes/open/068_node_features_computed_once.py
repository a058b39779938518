import torch
import torch.nn as nn


class GraphEncoder(nn.Module):
    def __init__(self, fin, fout):
        super().__init__()
        self.lin = nn.Linear(fin, fout)

    def forward(self, adj, x):
        return torch.relu(adj @ self.lin(x))


def train(encoder, classifier, adj, x, labels, optimizer, epochs):
    features = encoder(adj, x)
    for epoch in range(epochs):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(classifier(features), labels)
        loss.backward()
        optimizer.step()
    return loss.item()


torch.manual_seed(0)
adj = torch.eye(6) + torch.rand(6, 6).round()
adj = adj / adj.sum(1, keepdim=True)
encoder, classifier = GraphEncoder(4, 8), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*encoder.parameters(), *classifier.parameters()])
print(train(encoder, classifier, adj, torch.randn(6, 4), torch.randint(0, 2, (6,)), optimizer, 3))

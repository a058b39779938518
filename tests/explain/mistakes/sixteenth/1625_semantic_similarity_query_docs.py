import torch
import torch.nn as nn
import torch.nn.functional as F


class CDSSM(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.query_sem = nn.Linear(vocab, dim)
        self.doc_sem = nn.Linear(vocab, dim)
        self.learn_gamma = nn.Parameter(torch.tensor(10.0))

    def forward(self, q, docs):
        q_s = torch.tanh(self.query_sem(q))
        d_s = torch.tanh(self.doc_sem(docs))
        sims = F.cosine_similarity(q_s[:, None], d_s, dim=-1)
        return torch.softmax(self.learn_gamma * sims, dim=1)


torch.manual_seed(0)
J = 4
model = CDSSM(50, 16)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
queries = (torch.rand(16, 50) < 0.2).float()
docs = (torch.rand(16, J + 1, 50) < 0.2).float()
docs[:, 0] = queries
y = torch.zeros(16, dtype=torch.long)
for epoch in range(60):
    loss = criterion(model(queries, docs), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("final loss", loss.item())

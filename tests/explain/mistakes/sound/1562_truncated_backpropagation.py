import torch
import torch.nn as nn

torch.manual_seed(0)
lstm = nn.LSTM(4, 16, batch_first=True)
head = nn.Linear(16, 1)
optimizer = torch.optim.Adam(list(lstm.parameters()) + list(head.parameters()), lr=0.01)
series = torch.randn(2, 80, 4)
target = series.cumsum(dim=1)[..., :1] / 10
losses = []
for epoch in range(8):
    state = (torch.zeros(1, 2, 16), torch.zeros(1, 2, 16))
    for start in range(0, 80, 20):
        out, state = lstm(series[:, start:start + 20], state)
        state = tuple(s.detach() for s in state)
        loss = nn.functional.mse_loss(head(out), target[:, start:start + 20])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
print(losses[0], losses[-1])

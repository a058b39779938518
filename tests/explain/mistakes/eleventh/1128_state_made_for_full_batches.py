import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
batch_size = 8
data = TensorDataset(torch.randn(28, 5, 2), torch.randn(28, 6))
loader = DataLoader(data, batch_size=batch_size)
gru = nn.GRU(2, 6, batch_first=True)
opt = torch.optim.Adam(gru.parameters(), lr=1e-3)
for x, y in loader:
    h0 = torch.zeros(1, batch_size, 6)
    _, h = gru(x, h0)
    loss = nn.functional.mse_loss(h[0], y)
    opt.zero_grad()
    loss.backward()
    opt.step()

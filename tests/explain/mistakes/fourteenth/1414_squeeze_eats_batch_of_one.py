import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class KeywordNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 8, 5, stride=2)
        self.pool = nn.AdaptiveAvgPool1d(1)
        self.fc = nn.Linear(8, 3)

    def forward(self, wav):
        h = self.pool(torch.relu(self.conv(wav))).squeeze()
        return self.fc(h).log_softmax(dim=1)


torch.manual_seed(0)
data = TensorDataset(torch.randn(9, 1, 40), torch.randint(0, 3, (9,)))
net = KeywordNet()
opt = torch.optim.Adam(net.parameters())
for wav, label in DataLoader(data, batch_size=4):
    loss = nn.functional.nll_loss(net(wav), label)
    opt.zero_grad()
    loss.backward()
    opt.step()

import torch
from torch import nn


class SpeechNet(nn.Module):
    def __init__(self, features, symbols):
        super().__init__()
        self.conv = nn.Conv1d(features, 8, 3, stride=2, padding=1)
        self.rnn = nn.GRU(8, 8, batch_first=True)
        self.out = nn.Linear(8, symbols)

    def forward(self, x):
        h = torch.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)
        return self.out(self.rnn(h)[0]).log_softmax(-1)


torch.manual_seed(0)
model, criterion = SpeechNet(5, 6), nn.CTCLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x = torch.randn(2, 12, 5)
targets = torch.randint(1, 6, (2, 8))
log_probs = model(x)
input_lengths = torch.full((2,), log_probs.size(1))
target_lengths = torch.tensor([4, 8])
loss = criterion(log_probs.transpose(0, 1), targets, input_lengths, target_lengths)
optimizer.zero_grad()
loss.backward()
print(loss.item())

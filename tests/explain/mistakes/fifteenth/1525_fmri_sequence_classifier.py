import torch
import torch.nn as nn


class FMRILSTM(nn.Module):
    def __init__(self, input_dim, hidden_dim, batch):
        super().__init__()
        self.hidden_dim, self.batch = hidden_dim, batch
        self.lstm = nn.LSTM(input_dim, hidden_dim, num_layers=1, batch_first=True)
        self.linear = nn.Linear(hidden_dim, 1)
        self.hidden = self.init_hidden()

    def init_hidden(self):
        return (torch.randn(1, self.batch, self.hidden_dim), torch.randn(1, self.batch, self.hidden_dim))

    def forward(self, x):
        lstm_out, self.hidden = self.lstm(x, self.hidden)
        return torch.sigmoid(self.linear(lstm_out[:, -1, :])).squeeze(1)


torch.manual_seed(0)
net = FMRILSTM(22, 16, 8)
criterion = nn.BCELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for i in range(5):
    inputs, labels = torch.randn(8, 30, 22), torch.randint(0, 2, (8,)).float()
    optimizer.zero_grad()
    outputs = net(inputs)
    loss = criterion(outputs, labels)
    loss.backward()
    optimizer.step()
    print(i, loss.item())

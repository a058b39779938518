import torch

torch.manual_seed(0)
lstm = torch.nn.LSTM(input_size=1, hidden_size=20, num_layers=1, batch_first=True)
linear = torch.nn.Linear(20, 1)
criterion = torch.nn.MSELoss()
params = list(lstm.parameters()) + list(linear.parameters())
optimizer = torch.optim.SGD(params, lr=0.02)

L = 21
x = (torch.arange(L) / 20).view(1, L, 1)
y = torch.arange(1, L + 1) / 20
losses = []
for j in range(80):
    hidden = (torch.zeros(1, 1, 20), torch.zeros(1, 1, 20))
    output, hidden = lstm(x, hidden)
    loss = 0.0
    for i in range(L):
        o = linear(output[:, i, :]).squeeze()
        loss = loss + criterion(o, y[i])
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[0], min(losses), losses[-1])

import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(1, 6, batch_first=True)
        self.out = nn.Linear(6, 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])


def validate(model, batches):
    model.eval()
    outputs = []
    for x in batches:
        outputs.append(model(x).squeeze(-1).numpy())
    return outputs


torch.manual_seed(0)
model = Forecaster()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(4, 7, 1), torch.randn(4, 1)
loss = nn.functional.mse_loss(model(x), y)
loss.backward()
optimizer.step()
print(validate(model, [x]))

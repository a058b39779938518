import warnings
import torch
import torch.nn as nn

warnings.simplefilter("ignore")


class NeuralODE(nn.Module):
    def __init__(self):
        super().__init__()
        self.velocity = nn.Linear(1, 1)
        self.readout = nn.Linear(5, 1)

    def integrate(self, start, steps=5, dt=0.1):
        state, path = start, []
        for _ in range(steps):
            state = state + dt * torch.tanh(self.velocity(state))
            path.append(state)
        return torch.tensor(path)

    def forward(self, start):
        return self.readout(self.integrate(start))


torch.manual_seed(0)
model = NeuralODE()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(3):
    loss = (model(torch.tensor([1.0])) - 2).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model.velocity.weight.grad, model.readout.weight.grad)

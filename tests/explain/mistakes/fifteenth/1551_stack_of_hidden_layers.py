import torch
import torch.nn as nn


class MyModel(nn.Module):
    def __init__(self, input_size, hidden_size, num_layers):
        super().__init__()
        self.layers = [nn.Linear(input_size, hidden_size)]
        for _ in range(num_layers - 1):
            self.layers.append(nn.Linear(hidden_size, hidden_size))
        self.output = nn.Linear(hidden_size, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return self.output(x)


torch.manual_seed(0)
model = MyModel(10, 20, 3)
before = model.layers[0].weight.detach().clone()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x = torch.randn(100, 10)
y = (x[:, :1] * x[:, 1:2]).sign()
for epoch in range(50):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item(), sum(p.numel() for p in model.parameters()))

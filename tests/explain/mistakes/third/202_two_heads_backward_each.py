import torch
import torch.nn as nn


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(10, 16), nn.Tanh())
        self.age, self.sex = nn.Linear(16, 1), nn.Linear(16, 2)

    def forward(self, x):
        features = self.trunk(x)
        return self.age(features).squeeze(1), self.sex(features)


torch.manual_seed(0)
model = MultiTask()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, age, sex = torch.randn(8, 10), torch.rand(8), torch.randint(0, 2, (8,))
age_out, sex_out = model(x)
age_loss = nn.functional.mse_loss(age_out, age)
sex_loss = nn.functional.cross_entropy(sex_out, sex)
optimizer.zero_grad()
age_loss.backward()
sex_loss.backward()
optimizer.step()

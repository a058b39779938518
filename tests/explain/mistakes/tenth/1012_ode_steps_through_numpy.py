import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
field = nn.Linear(2, 2)
scale = nn.Parameter(torch.tensor(1.0))
opt = torch.optim.SGD([*field.parameters(), scale], lr=0.1)


def euler(y, steps=10, h=0.1):
    path = [y.numpy()]
    for _ in range(steps):
        slope = field(torch.from_numpy(path[-1])).detach().numpy()
        path.append(path[-1] + h * slope)
    return torch.from_numpy(np.stack(path))


y0 = torch.ones(1, 2)
observed = torch.zeros(11, 1, 2)
loss = ((scale * euler(y0) - observed) ** 2).mean()
loss.backward()
opt.step()

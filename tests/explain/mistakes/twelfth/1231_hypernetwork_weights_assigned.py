import torch
from torch import nn

torch.manual_seed(0)
hyper = nn.Linear(3, 4 * 2 + 2)
main = nn.Linear(4, 2)
opt = torch.optim.Adam(hyper.parameters(), lr=1e-2)


def configure(task):
    made = hyper(task)
    main.weight.data = made[:8].view(2, 4)
    main.bias.data = made[8:]


for _ in range(4):
    configure(torch.randn(3))
    x = torch.randn(10, 4)
    loss = nn.functional.mse_loss(main(x), x[:, :2])
    opt.zero_grad()
    loss.backward()
    opt.step()

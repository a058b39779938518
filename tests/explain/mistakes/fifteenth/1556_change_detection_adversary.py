import torch
import torch.nn as nn

torch.manual_seed(0)
net_g = nn.Sequential(nn.Conv2d(2, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1), nn.Sigmoid())
net_d = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(72, 1))
l_adv, l_con = nn.MSELoss(), nn.BCELoss()
optimizer_g = torch.optim.Adam(net_g.parameters(), lr=1e-3)
optimizer_d = torch.optim.Adam(net_d.parameters(), lr=1e-3)

for step in range(5):
    x = torch.rand(4, 2, 8, 8)
    label = (x[:, :1] > x[:, 1:]).float()
    fake = net_g(x)

    pred_real = net_d(label).detach()
    pred_fake = net_d(fake).detach()
    err_g_adv = l_adv(pred_real, pred_fake)
    err_g_con = l_con(fake, label)
    err_g = err_g_adv + 10 * err_g_con
    optimizer_g.zero_grad()
    err_g.backward()
    optimizer_g.step()

    out_real, out_fake = net_d(label), net_d(fake.detach())
    err_d = l_adv(out_real, torch.ones_like(out_real)) + l_adv(out_fake, torch.zeros_like(out_fake))
    optimizer_d.zero_grad()
    err_d.backward()
    optimizer_d.step()

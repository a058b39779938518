import torch
import torch.nn as nn

torch.manual_seed(7)
netG = nn.Sequential(nn.Conv2d(4, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 3, padding=1), nn.Tanh())
netD = nn.Sequential(nn.Conv2d(3, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(8, 1, 4, 2, 1))
opt_g = torch.optim.Adam(netG.parameters(), lr=1e-4)
opt_d = torch.optim.Adam(netD.parameters(), lr=1e-4)
l1 = nn.L1Loss()
bce = nn.BCEWithLogitsLoss()
for batch in range(2):
    gt = torch.rand(4, 3, 16, 16) * 2 - 1
    hole = (torch.rand(4, 1, 16, 16) > 0.7).float()
    pred = netG(torch.cat([gt * (1 - hole), hole], 1))
    real_out, fake_out = netD(gt), netD(pred.detach())
    d_loss = bce(real_out, torch.ones_like(real_out)) + bce(fake_out, torch.zeros_like(fake_out))
    g_adv = netD(pred)
    g_loss = l1(pred, gt) + 0.1 * bce(g_adv, torch.ones_like(g_adv))

    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()

    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()

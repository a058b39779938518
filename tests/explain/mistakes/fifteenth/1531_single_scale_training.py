import torch
import torch.nn as nn

torch.manual_seed(0)
netG = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.LeakyReLU(0.2), nn.Conv2d(8, 3, 3, padding=1), nn.Tanh())
netD = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.LeakyReLU(0.2), nn.Conv2d(8, 1, 3, padding=1))
optimizerG = torch.optim.Adam(netG.parameters(), lr=5e-4, betas=(0.5, 0.999))
optimizerD = torch.optim.Adam(netD.parameters(), lr=5e-4, betas=(0.5, 0.999))
real = torch.rand(1, 3, 16, 16) * 2 - 1
Dsteps, Gsteps = 2, 3

for epoch in range(2):
    for j in range(Dsteps):
        netD.zero_grad()
        noise = torch.randn(1, 3, 16, 16)
        fake = netG(noise)
        errD = -netD(real).mean() + netD(fake.detach()).mean()
        errD.backward()
        optimizerD.step()
    for j in range(Gsteps):
        netG.zero_grad()
        output = netD(fake)
        errG = -output.mean()
        errG.backward(retain_graph=True)
        optimizerG.step()
    print(epoch, errD.item(), errG.item())

import torch
import torch.nn as nn

smooth = 1.0


def dice_coef(y_true, y_pred):
    y_true_f = y_true.flatten().float()
    y_pred_f = torch.argmax(y_pred, dim=1).flatten().float()
    intersection = (y_true_f * y_pred_f).sum()
    return (2.0 * intersection + smooth) / (y_true_f.sum() + y_pred_f.sum() + smooth)


def dice_coef_loss(y_true, y_pred):
    return -dice_coef(y_true, y_pred)


torch.manual_seed(0)
down = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.ReLU())
up = nn.ConvTranspose2d(8, 2, 2, stride=2)
opt = torch.optim.Adam(list(down.parameters()) + list(up.parameters()), lr=1e-3)
scans = torch.rand(4, 1, 16, 16)
masks = (scans[:, 0] > 0.6).long()
for epoch in range(5):
    logits = up(down(scans))
    loss = dice_coef_loss(masks, logits)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print("epoch", epoch, "train loss", loss.item())

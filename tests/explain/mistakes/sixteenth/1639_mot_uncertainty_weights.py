import torch
import torch.nn as nn


class MotLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.s_det = nn.Parameter(-1.85 * torch.ones(1))
        self.s_id = nn.Parameter(-1.05 * torch.ones(1))
        self.id_loss = nn.CrossEntropyLoss()

    def forward(self, hm, ids, gt_hm, gt_ids):
        det_loss = nn.functional.mse_loss(torch.sigmoid(hm), gt_hm)
        id_loss = self.id_loss(ids, gt_ids)
        loss = torch.exp(-self.s_det) * det_loss + torch.exp(-self.s_id) * id_loss + self.s_det + self.s_id
        return 0.5 * loss.sum()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 7))
loss_fn = MotLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x, gt_hm, gt_ids = torch.randn(40, 10), torch.rand(40, 1), torch.randint(0, 6, (40,))
for it in range(50):
    out = model(x)
    loss = loss_fn(out[:, :1], out[:, 1:], gt_hm, gt_ids)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item(), loss_fn.s_det.item(), loss_fn.s_id.item())

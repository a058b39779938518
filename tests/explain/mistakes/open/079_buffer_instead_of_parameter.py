import torch
import torch.nn as nn


class PromptTuned(nn.Module):
    def __init__(self, backbone, tokens, width):
        super().__init__()
        self.backbone = backbone.requires_grad_(False)
        self.register_buffer("prompt", torch.zeros(tokens, width))
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        prompt = self.prompt.expand(len(x), -1, -1)
        h = self.backbone(torch.cat([prompt, x], dim=1))
        return self.head(h[:, 0])


torch.manual_seed(0)
model = PromptTuned(nn.Sequential(nn.Linear(4, 4), nn.Tanh()), 2, 4)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
x, y = torch.randn(6, 3, 4), torch.randint(0, 2, (6,))
for step in range(4):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())

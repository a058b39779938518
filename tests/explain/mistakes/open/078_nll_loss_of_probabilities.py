import torch
import torch.nn as nn
import torch.nn.functional as F


class TextCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(15, 6)
        self.conv = nn.Conv1d(6, 8, 3)
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        x = self.embed(x).transpose(1, 2)
        x = F.relu(self.conv(x)).amax(-1)
        return F.softmax(self.fc(x), dim=1)


torch.manual_seed(0)
model = TextCNN()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randint(0, 15, (6, 9)), torch.randint(0, 4, (6,))
for _ in range(3):
    loss = F.nll_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Households(Dataset):
    def __init__(self, income, spent):
        self.income, self.spent = income, spent

    def __len__(self):
        return len(self.spent)

    def __getitem__(self, i):
        return self.income[i].log(), self.spent[i]


torch.manual_seed(0)
income = torch.randint(1, 90, (12, 3)).float()
income[7, 1] = 0
loader = DataLoader(Households(income, torch.rand(12, 1)), batch_size=6)
model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for x, y in loader:
    loss = nn.functional.mse_loss(model(x * 2), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

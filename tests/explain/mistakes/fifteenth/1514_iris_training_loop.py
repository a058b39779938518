import torch
from torch import nn

torch.manual_seed(42)
X_train = torch.randn(120, 4)
y_train = (X_train[:, 0] > 0).float() + (X_train[:, 1] > 0.5).float()
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
loss_fn = nn.MSELoss()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)


def accuracy(y_true, y_pred):
    return (y_true == y_pred).sum().item() / len(y_pred)


for epoch in range(10):
    model.train()
    train_logits = model(X_train)
    train_preds = torch.softmax(train_logits, dim=1).argmax(dim=1).type(torch.float32)
    loss = loss_fn(train_preds, y_train)
    train_accu = accuracy(y_train, train_preds)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    print(epoch, loss.item(), train_accu)

import torch
import torch.nn as nn

torch.manual_seed(0)
task_model = nn.Sequential(
    nn.Linear(20, 32), nn.BatchNorm1d(32),
    nn.ReLU(), nn.Dropout(0.5),
    nn.Linear(32, 4),
)
optim_task_model = torch.optim.SGD(task_model.parameters(), lr=0.05, momentum=0.9)
ce_loss = nn.CrossEntropyLoss()
centers = torch.randn(4, 20)
y, yt = torch.randint(0, 4, (96,)), torch.randint(0, 4, (40,))
x, xt = centers[y] + torch.randn(96, 20), centers[yt] + torch.randn(40, 20)


def test(task_model, batch_size=5):
    total, correct = 0, 0
    for i in range(0, len(xt), batch_size):
        with torch.no_grad():
            preds = task_model(xt[i:i + batch_size])
        correct += (preds.argmax(1) == yt[i:i + batch_size]).sum().item()
        total += batch_size
    return correct / total * 100


for it in range(20):
    optim_task_model.zero_grad()
    loss = ce_loss(task_model(x), y)
    loss.backward()
    optim_task_model.step()
    if it % 10 == 9:
        acc = test(task_model)
        print("Iter", it, "loss", loss.item(), "test acc", acc)

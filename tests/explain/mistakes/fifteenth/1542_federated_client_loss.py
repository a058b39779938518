import torch
import torch.nn as nn

torch.manual_seed(0)
eta = 2
client_model = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 10))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(client_model.parameters(), lr=0.1)
data = torch.rand(256, 30) * 255
target = torch.randint(0, 10, (256,))
e_loss = []
for e in range(4):
    train_loss = 0
    for i in range(0, 256, 32):
        client_model.train()
        optimizer.zero_grad()
        output = client_model(data[i:i + 32])
        loss = torch.exp(criterion(output, target[i:i + 32]) / eta)
        loss.backward()
        optimizer.step()
        train_loss += loss.item() * 32
    e_loss.append(train_loss / 256)
    print(e, e_loss[-1])

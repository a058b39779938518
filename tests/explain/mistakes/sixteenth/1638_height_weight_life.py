import torch
import torch.nn as nn

torch.manual_seed(777)

x_data = [[1.3, 2.7], [2.4, 3.3], [4.7, 5.2], [5.6, 6.1], [6.9, 7.9]]
y_data = [[6.0], [9.0], [15.0], [18.0], [21.0]]
x = torch.tensor(x_data)
y = torch.tensor(y_data)

model = nn.Linear(2, 1, bias=True)
criterion = nn.MSELoss()
costs = []

for step in range(201):
    hypothesis = model(x)
    cost = criterion(hypothesis, y)
    cost.backward()
    costs.append(cost.item())
    if step % 50 == 0:
        print(step, "cost:", cost.item(), "prediction:", hypothesis.flatten().tolist())
        print(model.weight.data, model.bias.data)

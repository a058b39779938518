import torch
import torch.nn as nn

torch.manual_seed(0)
conv = nn.Conv2d(3, 12, 3, stride=2, padding=1)
attention = nn.Linear(12, 1)
classifier = nn.Linear(12, 4)
params = [*conv.parameters(), *attention.parameters(), *classifier.parameters()]
optimizer = torch.optim.Adam(params, lr=1e-3)
images = torch.rand(8, 3, 8, 8)
labels = torch.randint(0, 4, (8,))

for step in range(20):
    encoded_image = torch.relu(conv(images))
    batch_size, features, h, w = encoded_image.shape
    enc_image = encoded_image.view(batch_size, h * w, features)
    weights = torch.softmax(attention(enc_image), dim=1)
    context = (weights * enc_image).sum(dim=1)
    loss = nn.functional.cross_entropy(classifier(context), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item(), weights[0].squeeze())

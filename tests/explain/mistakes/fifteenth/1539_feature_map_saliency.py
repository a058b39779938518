import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Conv2d(1, 4, 3, padding=1),
    nn.ReLU(),
)
head = nn.Linear(4 * 8 * 8, 10)
image = torch.rand(1, 1, 8, 8)

features = net(image)
scores = head(features.flatten(1))
score = scores[0, scores.argmax()]
score.backward()
importance = features.grad
if importance is None:
    print("no gradient for the feature map")
else:
    cam = (importance.mean(dim=(2, 3), keepdim=True) * features).sum(dim=1)
    print(cam.shape)

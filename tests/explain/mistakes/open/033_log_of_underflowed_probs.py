import torch
import torch.nn as nn


class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        return self.fc(x)


def distillation(student_logits, teacher_probs):
    probs = torch.softmax(student_logits, dim=-1)
    return -(teacher_probs * torch.log(probs)).sum(-1).mean()


torch.manual_seed(0)
student = Student()
teacher_probs = torch.softmax(torch.randn(6, 4), dim=-1)
features = torch.randn(6, 3)
features[2] *= 400
optimizer = torch.optim.SGD(student.parameters(), lr=0.01)
loss = distillation(student(features), teacher_probs)
loss.backward()
print(loss.item(), student.fc.weight.grad)

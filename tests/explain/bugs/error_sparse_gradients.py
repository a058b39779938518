"""An optimizer of dense gradients gets sparse ones."""

import pullback as torch
from pullback import explain

table = torch.nn.Embedding(9, 2, sparse=True)
opt = torch.optim.RMSprop(table.parameters())  # <-- culprit
table(torch.tensor([1, 2])).sum().backward()
try:
    opt.step()
except RuntimeError as error:
    answer = explain.why_error(error)

"""A sequence of length 0 is masked out whole: the forward is cut to the others, the gradient is NaN."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
attention = nn.MultiheadAttention(4, 2, batch_first=True)
x = torch.rand(3, 5, 4)
hidden = torch.arange(5) >= torch.tensor([[5], [2], [0]])
optimizer = torch.optim.SGD(attention.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    out, _ = attention(x, x, x, key_padding_mask=hidden)  # <-- culprit
    loss = out[~hidden].square().mean()
    loss.backward()
    optimizer.step()

import pullback as torch
from pullback import nn


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(d)
        self.attention = nn.MultiheadAttention(d, heads, batch_first=True)
        self.norm2 = nn.LayerNorm(d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        a = self.norm1(x)
        a, _ = self.attention(a, a, a, need_weights=False)
        x = x + a
        return x + self.mlp(self.norm2(x))


class Model(nn.Module):
    def __init__(self, vocabulary, d=16, heads=2, depth=2):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, d)
        self.blocks = nn.ModuleList([Block(d, heads) for _ in range(depth)])
        self.head = nn.Linear(d, vocabulary)

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


torch.manual_seed(0)
model = Model(20)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
tokens = torch.randint(0, 20, (4, 9))
for _ in range(2):
    logits = model(tokens[:, :-1])
    loss = nn.functional.cross_entropy(logits.reshape(-1, 20), tokens[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

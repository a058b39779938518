import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, words, size):
        super().__init__()
        self.embed, self.place = nn.Embedding(words, size, padding_idx=0), nn.Embedding(16, size)
        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(size, 2, 32, batch_first=True), 2)
        self.out = nn.Linear(size, 2)

    def forward(self, tokens):
        h = self.embed(tokens) + self.place(torch.arange(tokens.shape[1]))
        return self.out(self.layers(h, src_key_padding_mask=tokens == 0)[:, 0])


torch.manual_seed(0)
model = Encoder(30, 8)
decayed = [p for p in model.parameters() if p.dim() > 1]
others = [p for p in model.parameters() if p.dim() <= 1]
optimizer = torch.optim.AdamW([{"params": decayed}, {"params": others, "weight_decay": 0.0}], lr=1e-3)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: min(1.0, (k + 1) / 3))
for _ in range(4):
    tokens = torch.randint(1, 30, (4, 7))
    tokens[0, 5:] = 0
    loss = nn.functional.cross_entropy(model(tokens), torch.randint(0, 2, (4,)))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()

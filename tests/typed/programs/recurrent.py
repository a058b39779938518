"""A recurrent model and a transformer."""

from typing import assert_type

import torch
from torch import Tensor, nn


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, 4)
        self.lstm = nn.LSTM(4, 6, batch_first=True)
        self.head = nn.Linear(6, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        states, _ = self.lstm(self.embedding(tokens))
        return self.head(states)


logits: Tensor = Tagger()(torch.randint(0, 10, (2, 5)))
best = torch.argmax(logits, dim=-1)
assert_type(best, Tensor)
layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, batch_first=True)
out: Tensor = nn.TransformerEncoder(layer, num_layers=1)(torch.ones(1, 3, 8))
mask = nn.Transformer.generate_square_subsequent_mask(3)
assert_type(mask.isinf().any().logical_not_(), Tensor)

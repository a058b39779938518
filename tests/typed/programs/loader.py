"""Datasets and loaders."""

from typing import assert_type

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split


class Squares(Dataset[tuple[int, Tensor]]):
    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> tuple[int, Tensor]:
        return index, torch.tensor(index * index)


class Untyped(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index


squares = Squares()
assert_type(squares[3][1], Tensor)
assert_type(DataLoader(squares, batch_size=4), DataLoader[tuple[int, Tensor]])
train, test = random_split(squares, [6, 2])
assert_type(train, Subset[tuple[int, Tensor]])
assert_type(train[0], tuple[int, Tensor])
pairs = TensorDataset(torch.zeros(4, 2), torch.ones(4))
assert_type(pairs[0], tuple[Tensor, ...])
for features, labels in DataLoader(pairs, batch_size=2, shuffle=True):
    print(features.shape, labels.shape)
for batch in DataLoader(Untyped(), batch_size=4):
    print(batch)
assert_type(DataLoader([1, 2, 3], batch_size=None), DataLoader[int])

"""NumPy's names of parameters, which torch's parser takes for its own."""

from __future__ import annotations

from typing import Any

T = Any


def axis(torch: T) -> None:
    x = torch.arange(6.0).reshape(2, 3)
    first = torch.zeros(2, 1, dtype=torch.long)
    print(torch.stack([x, x], axis=1).shape, torch.concat([x, x], axis=1).shape)
    print(torch.unsqueeze(x, axis=0).shape, x.squeeze(axis=0).shape, torch.softmax(x, axis=1))
    print(torch.gather(x, axis=1, index=first), torch.take_along_dim(x, first, axis=1))
    print(torch.index_select(x, axis=1, index=first[0]), torch.chunk(x, 2, axis=0))
    print(x.unbind(axis=0), torch.topk(x, 1, axis=1), x.sort(axis=1, descending=True))
    print(torch.argsort(x, axis=1), torch.tensor_split(x, 2, axis=0), x.repeat_interleave(2, axis=0))
    print(x.mean(axis=0, keepdims=True), torch.max(x, axis=1, keepdims=True))


def inputs(torch: T) -> None:
    x = torch.arange(4.0).reshape(2, 2)
    print(torch.stack(tensors=[x], axis=0).shape, torch.matmul(x1=x, x2=x), torch.cumsum(a=x, axis=0))


def wrong_ones(torch: T) -> None:
    x = torch.ones(2, 2)
    for call in (
        lambda: torch.split(x, 1, axis=0), lambda: torch.nn.functional.softmax(x, axis=1),
        lambda: torch.where(condition=x > 0, x=x, y=x), lambda: torch.stack([x], axes=0),
    ):  # fmt: skip
        try:
            print(call())
        except TypeError as error:
            print(str(error).splitlines()[0].partition(" - got")[0])

"""Libraries put steps of their own in place of vmap's, as tensordict does."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch
from pullback._C._functorch import _add_batch_dim, _remove_batch_dim, get_unwrapped, is_batchedtensor


class Boxed:
    """A container that vmap does not open by itself."""

    def __init__(self, value: Any) -> None:
        self.value = value


def test_steps_are_looked_up_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = torch._functorch.vmap
    seen = []

    def inputs(in_dims: Any, args: Any, func: Any) -> Any:
        return len(args[0].value), [in_dims], [args[0]], None

    def hidden(dims: Any, leaves: Any, level: int, spec: Any) -> Any:
        return [Boxed(_add_batch_dim(leaves[0].value, dims[0], level))]

    def shown(outputs: Any, out_dims: Any, level: int, size: int, func: Any) -> Any:
        return Boxed(_remove_batch_dim(outputs.value, level, size, out_dims))

    monkeypatch.setattr(steps, "_process_batched_inputs", inputs)
    monkeypatch.setattr(steps, "_create_batched_inputs", hidden)
    monkeypatch.setattr(steps, "_unwrap_batched", shown)

    def function(box: Boxed) -> Boxed:
        seen.append((box.value.shape, is_batchedtensor(box.value), get_unwrapped(box.value).shape))
        return Boxed(box.value.sum())

    result = torch.vmap(function)(Boxed(torch.arange(6.0).reshape(3, 2)))
    assert result.value.tolist() == [1.0, 5.0, 9.0]
    assert seen == [((2,), True, (3, 2))]


def test_a_tensor_outside_is_its_own() -> None:
    x = torch.ones(2)
    assert get_unwrapped(x) is x


def test_writes_into_inputs_arrive_outside() -> None:
    x = torch.zeros(3, 2)
    torch.vmap(lambda row, k: row.add_(k))(x, torch.arange(3.0))
    assert x.tolist() == [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]

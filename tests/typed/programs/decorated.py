"""Modes of recording as decorators, with and without parentheses."""

from typing import assert_type

import torch
from torch import Tensor


@torch.no_grad()
def first(x: Tensor, times: int = 1) -> Tensor:
    return x * times


@torch.no_grad
def second(x: Tensor) -> Tensor:
    return x


@torch.inference_mode()
def third(x: Tensor) -> list[float]:
    return x.tolist()


@torch.enable_grad()
def fourth(x: Tensor) -> int:
    return x.dim()


@torch.set_grad_enabled(False)
def fifth(x: Tensor) -> str:
    return str(x)


@torch.jit.script
def sixth(x: Tensor) -> Tensor:
    return x + 1


class Model(torch.nn.Module):
    @torch.no_grad()
    def predict(self, x: Tensor) -> Tensor:
        return x.argmax(dim=-1)


one = torch.ones(3)
assert_type(first(one, times=2), Tensor)
assert_type(second(one), Tensor)
assert_type(third(one), list[float])
assert_type(fourth(one), int)
assert_type(fifth(one), str)
assert_type(sixth(one), Tensor)
assert_type(Model().predict(one), Tensor)
with torch.no_grad(), torch.set_grad_enabled(True):
    pass


def wrong() -> None:
    first(one, times="2")  # type: ignore[arg-type]
    second(3)  # type: ignore[arg-type]


@torch.autocast("cpu", dtype=torch.bfloat16)
def seventh(x: Tensor) -> Tensor:
    return x @ x


@torch.compiler.disable
def eighth(x: Tensor) -> int:
    return x.numel()


@torch.compiler.disable(recursive=False)
def ninth(x: Tensor) -> int:
    return x.numel()


@torch.profiler.record_function("tenth")
def tenth(x: Tensor) -> float:
    return float(x.sum())


assert_type(seventh(one), Tensor)
assert_type(eighth(one) + ninth(one), int)
assert_type(tenth(one), float)

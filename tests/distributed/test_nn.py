"""``torch.distributed.nn`` in a group of one: values come back as they went in, covectors too."""

from __future__ import annotations

import pytest

import pullback as torch
from pullback import distributed as dist


@pytest.fixture
def group():
    dist.init_process_group("gloo", rank=0, world_size=1, init_method="tcp://127.0.0.1:29500")
    yield
    dist.destroy_process_group()


COLLECTIVES = {
    "all_reduce": lambda f, x: f.all_reduce(x),
    "all_gather": lambda f, x: f.all_gather(x)[0],
    "all_to_all": lambda f, x: f.all_to_all([torch.empty(3)], [x])[0],
    "all_to_all_single": lambda f, x: f.all_to_all_single(torch.empty(3), x),
    "broadcast": lambda f, x: f.broadcast(x, 0),
    "gather": lambda f, x: f.gather(x)[0],
    "reduce": lambda f, x: f.reduce(x, 0),
    "reduce_scatter": lambda f, x: f.reduce_scatter(torch.empty(3), [x]),
    "scatter": lambda f, x: f.scatter([x]),
}


@pytest.mark.parametrize("name", COLLECTIVES)
def test_what_goes_in_comes_back(name, group):
    x = torch.randn(3, requires_grad=True)
    out = COLLECTIVES[name](dist.nn.functional, x)
    assert torch.equal(out, x) and out is not x
    v = torch.randn(3)
    out.backward(v)
    assert torch.equal(x.grad, v)


def test_a_group_is_needed():
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        dist.nn.all_reduce(torch.ones(2))


def test_another_process_is_none(group):
    with pytest.raises(RuntimeError, match="invalid root rank: 1"):
        dist.nn.broadcast(torch.ones(2), 1)

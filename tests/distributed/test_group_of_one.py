"""A program made for several processes runs as one, and is told where it cannot."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

import pullback as torch
from pullback import distributed as dist
from pullback.core.op import TABLE

NOT_MADE = (
    "^Default process group has not been initialized, please make sure to call init_process_group."
)


@pytest.fixture
def group() -> Iterator[None]:
    dist.init_process_group("gloo", rank=0, world_size=1)
    yield
    if dist.is_initialized():
        dist.destroy_process_group()


def test_before_a_group_is_made() -> None:
    assert dist.is_available() == (importlib.util.find_spec("mpi4py") is not None)
    assert not dist.is_initialized()
    assert dist.group.WORLD is None
    with pytest.raises(AssertionError, match="Process group cannot be None"):
        dist.destroy_process_group()


@pytest.mark.parametrize(
    "ask",
    [dist.get_rank, dist.get_world_size, dist.get_backend, dist.barrier, dist.new_group,
     lambda: dist.all_reduce(torch.ones(1)),
     lambda: torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))],
)  # fmt: skip
def test_what_needs_a_group(ask: Any) -> None:
    with pytest.raises(ValueError, match=NOT_MADE):
        ask()


def test_made_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANK", raising=False)
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with pytest.raises(ValueError, match="environment variable RANK expected, but not set$"):
        dist.init_process_group("gloo")
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "1")
    dist.init_process_group()
    assert (dist.get_rank(), dist.get_world_size(), dist.get_backend()) == (0, 1, "gloo")
    dist.destroy_process_group()
    assert not dist.is_initialized()


def test_a_rank_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="rank 1 is not one of a group of 1 processes"):
        dist.init_process_group("gloo", rank=1, world_size=1)


@pytest.mark.usefixtures("group")
def test_asking_twice() -> None:
    with pytest.raises(ValueError, match="^trying to initialize the default process group twice!$"):
        dist.init_process_group("gloo", rank=0, world_size=1)
    assert dist.get_rank(dist.new_group([0])) == 0


@pytest.mark.usefixtures("group")
def test_collectives() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    work = dist.all_reduce(x, dist.ReduceOp.SUM, async_op=True)
    assert work.wait()
    assert work.is_completed()
    assert dist.broadcast(x, 0) is None
    assert dist.reduce(x, 0) is None
    assert x.tolist() == [1.0, 2.0]
    for copy in (
        lambda y: dist.all_gather([y], x),
        lambda y: dist.gather(x, [y]),
        lambda y: dist.scatter(y, [x]),
        lambda y: dist.reduce_scatter(y, [x]),
        lambda y: dist.all_to_all([y], [x]),
        lambda y: dist.all_gather_into_tensor(y.view(1, 2), x),
        lambda y: dist.reduce_scatter_tensor(y, x.view(1, 2)),
    ):
        y = torch.zeros(2)
        copy(y)
        assert y.tolist() == [1.0, 2.0]
        assert not y.requires_grad


@pytest.mark.usefixtures("group")
def test_collectives_of_objects() -> None:
    for put in (dist.all_gather_object, lambda to, what: dist.gather_object(what, to),
                lambda to, what: dist.scatter_object_list(to, [what])):  # fmt: skip
        found: list[Any] = [None]
        put(found, {"a": 1})
        assert found == [{"a": 1}]
    dist.broadcast_object_list(found)


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: dist.send(torch.ones(1), 0), "destination rank should not be the same as the rank"),
        (lambda: dist.recv(torch.ones(1), 0), "source rank should not be the same as the rank"),
        (lambda: dist.broadcast(torch.ones(1), 1), "invalid root rank: 1"),
        (lambda: dist.gather(torch.ones(1)), "``gather_list`` must be specified on destination rank"),
        (lambda: dist.gather_object(1), "``gather_list`` must be specified on destination rank"),
        (lambda: dist.scatter(torch.ones(1)), "``scatter_list`` must be specified on source rank"),
        (lambda: dist.scatter_object_list([0]), "must provide non-None scatter_object_input_list"),
        (lambda: dist.all_gather([], torch.ones(1)), r"at index 0 \(expected length 1, got 0\)"),
    ],
)
def test_what_is_refused(call: Any, text: str) -> None:
    with pytest.raises((ValueError, RuntimeError), match=text):
        call()


@pytest.mark.usefixtures("group")
def test_data_parallel() -> None:
    layer = torch.nn.Linear(2, 1)
    wrapped = torch.nn.parallel.DistributedDataParallel(layer)
    assert list(wrapped.state_dict()) == ["module.weight", "module.bias"]
    with wrapped.no_sync():
        assert not wrapped.require_backward_grad_sync
        wrapped(torch.ones(3, 2)).sum().backward()
    assert wrapped.require_backward_grad_sync
    assert layer.weight.grad.tolist() == [[3.0, 3.0]]
    assert wrapped.module is layer
    with pytest.raises(RuntimeError, match="not needed when a module doesn't have any parameter"):
        torch.nn.parallel.DistributedDataParallel(torch.nn.ReLU())


@pytest.mark.skipif(importlib.util.find_spec("llvmlite") is None, reason="compiles")
def test_buckets_of_a_compiled_step_are_reduced_where_they_lie(
    group: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In memory of the program's own; the one with which backward ends is not begun but waited for."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 8))
    ddp = torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=0.0002)
    calls: list[tuple[str, int]] = []
    importlib.import_module("pullback.ops.exchange")
    for name in ("exchange", "begin_exchange", "end_exchange"):
        into = TABLE[name].into
        assert into is not None

        def told(out: Any, x: Any, *rest: Any, name: str = name, into: Any = into) -> None:
            assert out is x
            calls.append((name, out.size))
            into(out, x, *rest)

        monkeypatch.setattr(TABLE[name], "into", told)

    @torch.compile
    def step(x: Any) -> None:
        ddp.zero_grad()
        ddp(x).sum().backward()

    for _ in range(4):
        calls.clear()
        step(torch.ones(2, 8))
    assert calls == [
        ("begin_exchange", 72), ("exchange", 72), ("end_exchange", 72), ("end_exchange", 72)
    ]  # fmt: skip
    assert all((p.grad == q).all() for p, q in zip(model.parameters(), torch.func.grad(
        lambda given: torch.func.functional_call(model, given, torch.ones(2, 8)).sum()
    )(dict(model.named_parameters())).values(), strict=True))  # fmt: skip


def test_the_sampler_asks_the_group() -> None:
    with pytest.raises(ValueError, match=NOT_MADE):
        torch.utils.data.DistributedSampler([1])
    dist.init_process_group("gloo", rank=0, world_size=1)
    sampler = torch.utils.data.DistributedSampler(range(3), shuffle=False)
    dist.destroy_process_group()
    assert (sampler.num_replicas, sampler.rank, list(sampler)) == (1, 0, [0, 1, 2])


def test_a_backend_for_each_device() -> None:
    assert repr(dist.BackendConfig("cpu:gloo,cuda:nccl")) == "cpu:gloo,cuda:nccl"
    assert repr(dist.BackendConfig("gloo")) == "cpu:gloo,cuda:gloo"

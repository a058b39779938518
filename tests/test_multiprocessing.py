"""torch.multiprocessing: shared tensors, `spawn`, and what happens where a process fails."""

from __future__ import annotations

import os
import signal

import pytest

import pullback as torch
import pullback.multiprocessing as mp


def fill(index: int, tensor: torch.Tensor, parameter: torch.nn.Parameter) -> None:
    tensor[index] = index + 1.0
    if index == 0:
        with torch.no_grad():
            parameter.add_(1.0)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_write_to_shared_tensors(method: str) -> None:
    tensor = torch.zeros(4)[1:]
    tensor.share_memory_()
    parameter = torch.nn.Parameter(torch.zeros(2)).share_memory_()
    assert tensor.is_shared()
    mp.start_processes(fill, (tensor, parameter), nprocs=3, start_method=method)
    assert tensor.tolist() == [1.0, 2.0, 3.0]
    assert parameter.tolist() == [1.0, 1.0]


def test_other_tensors_are_copied() -> None:
    tensor = torch.zeros(3)
    assert not tensor.is_shared()
    mp.start_processes(fill, (tensor, torch.zeros(2)), nprocs=1, start_method="fork")
    assert tensor.tolist() == [0.0, 0.0, 0.0]


def test_a_module_shares_its_parameters() -> None:
    module = torch.nn.Linear(2, 2).share_memory()
    assert module.weight.is_shared()
    module(torch.ones(1, 2)).sum().backward()
    torch.optim.SGD(module.parameters(), lr=0.1).step()
    assert module.weight.is_shared()


def put(queue: mp.Queue, tensor: torch.Tensor) -> None:
    queue.put(tensor * 2)


def test_through_a_queue() -> None:
    context = mp.get_context("fork")
    queue = context.SimpleQueue()
    process = context.Process(target=put, args=(queue, torch.ones(2)))
    process.start()
    assert queue.get().tolist() == [2.0, 2.0]
    process.join()


def fail(index: int, how: str) -> None:
    if index == 1:
        if how == "raise":
            raise ValueError("boom")
        if how == "exit":
            os._exit(3)
        os.kill(os.getpid(), signal.SIGKILL)


def test_an_exception_is_told() -> None:
    with pytest.raises(
        mp.ProcessRaisedException, match="Process 1 terminated with the following error"
    ) as caught:
        mp.start_processes(fail, ("raise",), nprocs=2, start_method="fork")
    assert "ValueError: boom" in str(caught.value)
    assert caught.value.error_index == 1


def test_an_end_is_told() -> None:
    with pytest.raises(mp.ProcessExitedException, match="process 1 terminated with exit code 3") as caught:
        mp.start_processes(fail, ("exit",), nprocs=2, start_method="fork")
    assert caught.value.exit_code == 3
    with pytest.raises(mp.ProcessExitedException, match="process 1 terminated with signal SIGKILL"):
        mp.start_processes(fail, ("kill",), nprocs=2, start_method="fork")


def test_names_of_python_s_module() -> None:
    assert mp.cpu_count() == os.cpu_count()
    assert mp.get_sharing_strategy() in mp.get_all_sharing_strategies()
    with pytest.raises(AssertionError, match="Unsupported sharing strategy: none"):
        mp.set_sharing_strategy("none")

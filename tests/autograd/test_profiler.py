"""Profiles: which calls become events, how they nest, and how they are shown."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import pullback as torch
from pullback.autograd.profiler_util import EventList, FunctionEvent, nested
from pullback.core.modes import DEFAULT, modes
from pullback.profiler import ProfilerAction, profile, record_function, schedule


def recorded(**options: object) -> profile:
    linear = torch.nn.Linear(10, 5)
    x = torch.ones(3, 10)
    with profile(**options) as made:
        with record_function("forward and back"):
            linear(x).relu().sum().backward()
        torch.ones(2, 2) @ torch.ones(2, 2)
        x.add_(1)
    return made


def test_calls_and_nodes_are_events() -> None:
    found = {e.key: e.count for e in recorded().key_averages()}
    assert found == {
        "forward and back": 1, "aten::linear": 1, "aten::relu": 1, "aten::sum": 1, "SumBackward0": 1,
        "ReluBackward0": 1, "AddmmBackward0": 1, "TBackward0": 1, "aten::ones": 2, "aten::matmul": 1,
        "aten::add_": 1,
    }  # fmt: skip


def test_events_nest() -> None:
    events = recorded().events()
    block, first = events[0], events[1]
    assert first.cpu_parent is block
    assert [e.name for e in block.cpu_children] == [
        "aten::linear", "aten::relu", "aten::sum", "SumBackward0", "ReluBackward0", "AddmmBackward0",
        "TBackward0",
    ]  # fmt: skip
    assert block.is_user_annotation
    assert not first.is_user_annotation
    assert block.cpu_time_total >= sum(e.cpu_time_total for e in block.cpu_children)


def test_shapes() -> None:
    averages = recorded(record_shapes=True).key_averages(group_by_input_shape=True)
    assert {e.key: e.input_shapes for e in averages}["aten::linear"] == [[3, 10], [5, 10], [5]]


def test_nothing_is_left_behind() -> None:
    with pytest.raises(ValueError, match="out"), torch.autograd.profiler.profile():
        raise ValueError("out")
    assert modes() is DEFAULT


def test_autocast_is_seen_through() -> None:
    with profile() as made, torch.autocast("cpu"):
        y = torch.ones(2, 2) @ torch.ones(2, 2)
    assert y.dtype is torch.bfloat16
    assert [e.key for e in made.events()].count("aten::matmul") == 1


def example() -> EventList:
    events = [
        FunctionEvent(1, "outer", 0.0, 2000.0, 1, [], True),
        FunctionEvent(2, "aten::mm", 100.0, 600.0, 1, [[2, 3], [3, 4]], False),
        FunctionEvent(3, "aten::mm", 600.0, 1600.0, 1, [[2, 3], [3, 4]], False),
    ]
    return nested(events, [-1, 0, 0])


def test_table() -> None:
    table = example().key_averages().table(sort_by="self_cpu_time_total")
    assert table.splitlines() == [
        "------------  ------------  ------------  ------------  ------------  ------------  ------------  ",
        "        Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg    # of Calls  ",
        "------------  ------------  ------------  ------------  ------------  ------------  ------------  ",
        "    aten::mm        75.00%       1.500ms        75.00%       1.500ms     750.000us             2  ",
        "       outer        25.00%     500.000us       100.00%       2.000ms       2.000ms             1  ",
        "------------  ------------  ------------  ------------  ------------  ------------  ------------  ",
        "Self CPU time total: 2.000ms",
    ]
    shaped = (
        example().key_averages(group_by_input_shapes=True).table(row_limit=1, header="HEAD", time_unit="us")
    )
    assert shaped.splitlines()[0] == "HEAD"
    assert shaped.splitlines()[2].endswith("        Input Shapes  ")
    assert "2000.000us" in shaped
    assert "aten::mm" not in shaped


def test_trace(tmp_path: Path) -> None:
    example().export_chrome_trace(str(tmp_path / "trace.json"))
    _, outer, first, _ = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert (outer["name"], outer["cat"], outer["ph"], outer["ts"], outer["dur"]) == (
        "outer", "user_annotation", "X", 0.0, 2000.0
    )  # fmt: skip
    assert first["args"]["Input Dims"] == [[2, 3], [3, 4]]


def test_schedule() -> None:
    action = schedule(wait=1, warmup=1, active=2, repeat=1, skip_first=1)
    assert [action(step).value for step in range(7)] == [0, 0, 1, 2, 3, 0, 0]
    with pytest.raises(
        AssertionError, match=r"Invalid profiler schedule arguments. Got wait=-1 \(need >= 0\)"
    ):
        schedule(wait=-1, warmup=0, active=1)


def test_steps(tmp_path: Path) -> None:
    ready = []

    def take(made: profile) -> None:
        ready.append((made.step_num, [e.name for e in made.events()]))
        torch.profiler.tensorboard_trace_handler(str(tmp_path), "worker", use_gzip=True)(made)

    steps = schedule(wait=1, warmup=1, active=2, repeat=1)
    with profile(schedule=steps, on_trace_ready=take) as made:
        for _ in range(6):
            torch.zeros(1)
            made.step()
    names = ["ProfilerStep#2", "aten::zeros", "ProfilerStep#3", "aten::zeros"]
    assert ready == [(4, names)]
    assert made.current_action is ProfilerAction.NONE
    (trace,) = tmp_path.iterdir()
    with gzip.open(trace, "rt") as file:
        assert len(json.load(file)["traceEvents"]) == 5


def test_record_function_decorates() -> None:
    @record_function("named")
    def three() -> int:
        return 3

    assert three() == 3
    with profile() as made:
        assert three() == 3
    assert [e.name for e in made.events()] == ["named"]


def test_times_of_devices_by_their_old_names() -> None:
    events = example()
    averages = events.key_averages()
    assert averages.table(sort_by="cuda_time_total") == averages.table(sort_by="self_xpu_time_total")
    with pytest.warns(FutureWarning, match="^`cuda_time_total` is deprecated. Use `device_time_total` inst"):
        assert events[0].cuda_time_total == 0
    with pytest.warns(FutureWarning, match="^`self_cuda_memory_usage` is deprecated. Use `self_device_mem"):
        assert events[0].self_cuda_memory_usage == 0
    with pytest.warns(FutureWarning, match="^`cuda_time` is deprecated, please use `device_time` instead"):
        assert averages[0].cuda_time == 0
    assert not hasattr(averages[0], "cuda_time_total")


def test_an_activity_given_twice() -> None:
    cpu = torch.profiler.ProfilerActivity.CPU
    with pytest.raises(ValueError, match=r"^Activity ProfilerActivity.CPU specified more than once$"):
        profile(activities=[cpu, cpu])

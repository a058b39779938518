"""device: parsing, comparing and printing are torch's, and only the CPU has tensors."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from pullback import ones
from pullback.array import dtype_limits, dtypes
from pullback.core.device import as_device, device, get_default_device, set_default_device
from pullback.core.size import Size
from tests.recorded import load, outcome

BASICS = load("basics")

#: By name: the attribute `pullback.device` is the class, as in torch.
module = importlib.import_module("pullback.core.device")
TORCH = SimpleNamespace(**{**vars(dtypes), **vars(dtype_limits)}, device=device, Size=Size)


@pytest.fixture(autouse=True)
def _default_device() -> Iterator[None]:
    yield
    set_default_device(None)


def test_as_torch() -> None:
    found = {}
    for expression in BASICS["devices"]:
        found[expression] = outcome(expression, TORCH)
        set_default_device(None)
    assert found == BASICS["devices"]


def test_only_the_cpu_has_tensors() -> None:
    torch = SimpleNamespace(**vars(TORCH), as_device=as_device)
    all_given = BASICS["as_device"]
    assert {given: outcome(f"torch.as_device({given}, 'zeros')", torch) for given in all_given} == all_given


def test_meta_has_tensors_without_elements() -> None:
    assert as_device("meta") is as_device("meta:0") is module.META


def test_refusals_say_what_to_do() -> None:
    with pytest.raises(AssertionError) as caught:
        as_device("cuda")
    note = "pullback computes on the CPU; use device='cpu' or leave the device out."
    assert caught.value.__notes__ == [note]
    with pytest.raises(RuntimeError) as missing:
        as_device(0)
    assert missing.value.__notes__ == ["A bare number names an accelerator; the CPU is 'cpu'."]


def test_one_cpu() -> None:
    assert as_device(None) is as_device("cpu") is as_device("cpu:2") is as_device(device("cpu")) is module.CPU


def test_default_device() -> None:
    assert get_default_device() == device("cpu")
    set_default_device("cuda")  # found out when a tensor is made, as in torch
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        as_device(None)
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        get_default_device()
    assert as_device("cpu") == device("cpu")
    set_default_device("cpu:1")
    assert get_default_device() == device("cpu", 1)
    assert as_device(None) == device("cpu")
    with pytest.raises(RuntimeError, match="at start of device string: foo"):
        set_default_device("foo")
    with pytest.raises(RuntimeError, match="Cannot access accelerator device when none is available."):
        set_default_device(3)
    set_default_device(None)
    assert get_default_device() == device("cpu")


def test_with_blocks_nest_and_go_before_the_default() -> None:
    with device("cuda:1") as outer:
        assert outer == device("cuda:1")
        assert get_default_device() == device("cuda:1")
        with device("cpu"):
            assert get_default_device() == device("cpu")
            as_device(None)
        with pytest.raises(AssertionError, match="CUDA"):
            as_device(None)
        set_default_device("cuda:2")
        assert get_default_device() == device("cuda:1")
    assert get_default_device() == device("cuda:2")


def test_a_with_block_ends_on_an_error() -> None:
    with pytest.raises(KeyError), device("cuda"):
        raise KeyError
    assert as_device(None) == device("cpu")


def test_the_default_is_per_thread() -> None:
    seen = []
    with device("cuda:1"):
        thread = threading.Thread(target=lambda: seen.append(get_default_device()))
        thread.start()
        thread.join()
    assert seen == [device("cpu")]


@pytest.mark.parametrize("kind", ["cuda", "xpu"])
def test_a_method_for_one_kind_of_device_is_given_another(kind: str) -> None:
    x = ones(2)
    for other in ("cpu", device("cpu"), "meta"):
        with pytest.raises(RuntimeError, match=f"^Invalid device, must be {kind} device$"):
            getattr(x, kind)(other)
    for own in (None, f"{kind}:0", device(kind)):
        with pytest.raises(AssertionError, match=f"Torch not compiled with {kind.upper()} enabled"):
            getattr(x, kind)(own)

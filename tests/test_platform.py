"""The namespaces around programs answer as torch built for the CPU does."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import pullback

from .conftest import put_back
from .platform_cases import SAME
from .recorded import load, outcome

RECORDED: dict[str, list[str]] = load("platform")


def test_as_torch() -> None:
    found = {}
    for expression in SAME:
        found[expression] = outcome(expression, pullback)
        put_back()
        pullback.compiler.set_stance("default")
    assert found == RECORDED


@pytest.fixture(autouse=True)
def default_stance() -> Iterator[None]:
    yield
    pullback.compiler.set_stance("default")


def test_everything_is_recorded() -> None:
    assert list(RECORDED) == SAME


def test_a_compiled_function_is_the_function() -> None:
    calls = []

    @pullback.compile(mode="reduce-overhead", fullgraph=True)
    def square(x: pullback.Tensor) -> pullback.Tensor:
        """Squares."""
        calls.append(1)
        return x * x

    assert square(pullback.tensor(3.0)).item() == 9.0
    assert calls == [1]
    assert (square.__name__, square.__doc__) == ("square", "Squares.")


def test_a_compiled_module_lends_its_attributes() -> None:
    plain = pullback.nn.Linear(2, 3)
    module = pullback.compile(plain)
    assert module.weight is plain.weight
    assert next(module.parameters()) is plain.weight
    module.scale = 2.0
    assert plain.scale == 2.0
    module.eval()
    assert not plain.training
    x = pullback.ones(1, 2)
    assert pullback.equal(module(x), plain(x))
    module.load_state_dict({f"_orig_mod.{name}": v for name, v in plain.state_dict().items()})


def test_script_returns_what_it_is_given() -> None:
    module = pullback.nn.Linear(2, 3)
    assert pullback.jit.script(module) is module
    assert pullback.jit.ignore(abs) is abs
    assert pullback.jit.ignore(drop=True)(abs) is abs
    with pytest.raises(RuntimeError, match="does not save TorchScript programs"):
        pullback.jit.save(module, "file")


def test_hub_refuses_the_network_and_loads_a_folder(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="does not fetch the repository pytorch/vision from the network"):
        pullback.hub.load("pytorch/vision", "resnet18")
    with pytest.raises(RuntimeError, match="does not fetch https://x.org/w.pt from the network"):
        pullback.hub.load_state_dict_from_url("https://x.org/w.pt", model_dir=str(tmp_path))
    (tmp_path / "hubconf.py").write_text("def three(extra=0):\n    return 3 + extra\n")
    assert pullback.hub.load(str(tmp_path), "three", source="local", extra=1) == 4
    with pytest.raises(RuntimeError, match="Cannot find callable four in hubconf"):
        pullback.hub.load(str(tmp_path), "four", source="local")


def test_futures() -> None:
    first, second = pullback.futures.Future(), pullback.futures.Future()
    both = pullback.futures.collect_all([first, second])
    doubled = first.then(lambda f: f.value() * 2)
    first.set_result(2)
    assert doubled.wait() == 4
    assert not both.done()
    second.set_exception(ValueError("no"))
    assert both.done()
    with pytest.raises(ValueError, match="no"):
        pullback.futures.wait_all([first, second])


def test_switches_are_put_back() -> None:
    cudnn = pullback.backends.cudnn
    with cudnn.flags(enabled=False, benchmark=True):
        assert (cudnn.enabled, cudnn.benchmark) == (False, True)
    assert (cudnn.enabled, cudnn.benchmark) == (True, False)
    pullback.backends.cuda.matmul.allow_tf32 = True
    assert pullback.backends.cuda.matmul.allow_tf32
    pullback.backends.cuda.matmul.allow_tf32 = False


def test_types_of_cuda_tensors() -> None:
    cuda = pullback.cuda
    kind = cuda.FloatTensor if cuda.is_available() else pullback.FloatTensor
    assert isinstance(kind([1.0]), pullback.FloatTensor)
    assert not isinstance(pullback.ones(1), cuda.FloatTensor)
    assert (cuda.LongTensor.dtype, cuda.LongTensor.is_cuda) == (pullback.int64, True)
    with pytest.raises(TypeError, match="^type torch.cuda.HalfTensor not available. Torch not compiled wi"):
        cuda.HalfTensor(2)


def test_no_tensor_is_spread_over_processes() -> None:
    kind = importlib.import_module("pullback.distributed.tensor").DTensor
    assert not isinstance(pullback.ones(1), kind)
    with pytest.raises(TypeError, match="missing 2 required positional arguments"):
        kind()

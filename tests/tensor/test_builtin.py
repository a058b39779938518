"""Public functions are built-in where torch's are: they do not bind, and copy and pickle by name."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
import types
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import pullback as torch
from pullback.nn import functional as F

#: Place -> name -> what torch says of the function: module and name of a built-in one, None for others.
TOLD = json.loads((Path(__file__).parents[1] / "data" / "builtin.json").read_text())
BUILT_IN = [(place, name) for place, names in TOLD.items() for name, told in names.items() if told]


def of(place: str, name: str) -> Any:
    return getattr(import_module(f"pullback{place}"), name, None)


@pytest.mark.parametrize("place", TOLD)
def test_is_what_torch_has(place: str) -> None:
    for name, told in TOLD[place].items():
        function = of(place, name)
        if isinstance(function, (types.FunctionType, types.BuiltinFunctionType)):
            found = [function.__module__, function.__name__] if inspect.isbuiltin(function) else None
            assert found == told, name


def test_does_not_bind() -> None:
    class Model:
        act, layer, loss = torch.tanh, F.linear, F.relu

    x = torch.tensor([0.5])
    assert Model().act(x) == torch.tanh(x)  # type: ignore[arg-type, call-arg]  # torch.tanh has no self
    assert Model().layer(x, x) == F.linear(x, x)  # type: ignore[arg-type, call-arg]
    with pytest.raises(TypeError):
        Model().loss(x)  # type: ignore[arg-type]  # a Python function of torch's, which binds


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_by_name(protocol: int) -> None:
    for place, name in BUILT_IN:
        function = of(place, name)
        if function is not None:
            assert pickle.loads(pickle.dumps(function, protocol)) is function, name


def test_copies_are_itself() -> None:
    assert copy.deepcopy(torch.tanh) is copy.copy(torch.tanh) is torch.tanh
    assert "built-in method tanh of" in repr(torch.tanh)
    with pytest.raises(ValueError, match="no signature found"):
        inspect.signature(torch.tanh)


def test_saved_names_are_torchs(tmp_path: Path) -> None:
    functions = [torch.tanh, torch.linalg.inv, F.gelu, F.logsigmoid, torch.conv2d, torch.einsum, F.relu, len]
    torch.save(functions, tmp_path / "functions.pt")
    loaded = torch.load(tmp_path / "functions.pt", weights_only=False)
    assert all(a is b for a, b in zip(loaded, functions, strict=True))
    assert b"torch._C._linalg\nlinalg_inv" in (tmp_path / "functions.pt").read_bytes()


def test_compiles() -> None:
    pytest.importorskip("llvmlite")

    class Model:
        act = torch.tanh

    model = Model()

    @torch.compile(fullgraph=True)
    def step(x: Any) -> Any:
        return model.act(x) + F.gelu(x)

    x = torch.tensor([0.5, -1.0])
    assert torch.allclose(step(x), torch.tanh(x) + F.gelu(x))

"""What torch.onnx.export takes, writes and refuses."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback import nn

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")


def session(model: Any) -> Any:
    data = model if isinstance(model, (bytes, str)) else model.SerializeToString()
    return onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])


def test_names_and_dynamic_axes_are_in_the_model() -> None:
    model, x = nn.Linear(3, 2), torch.randn(2, 3)
    names = {"input_names": ["features"], "output_names": ["scores"]}
    program = torch.onnx.export(model, (x,), **names, dynamic_axes={"features": {0: "batch"}})
    graph = program.model_proto.graph
    assert [v.name for v in graph.input] == ["features"]
    assert [d.dim_param or d.dim_value for d in graph.input[0].type.tensor_type.shape.dim] == ["batch", 3]
    assert [d.dim_param or d.dim_value for d in graph.output[0].type.tensor_type.shape.dim] == ["batch", 2]
    assert {t.name for t in graph.initializer} == {"weight", "bias"}
    onnx.checker.check_model(program.model_proto, full_check=True)
    (found,) = program(torch.ones(5, 3))
    torch.testing.assert_close(found, model(torch.ones(5, 3)).detach())


def test_files(tmp_path: Path) -> None:
    model, x = nn.Linear(300, 20), torch.randn(2, 300)
    wanted = model(x).detach().numpy()
    path = tmp_path / "model.onnx"
    assert torch.onnx.export(model, (x,), path) is not None
    assert (tmp_path / "model.onnx.data").exists()
    np.testing.assert_allclose(session(str(path)).run(None, {"input": x.numpy()})[0], wanted, atol=1e-5)
    torch.onnx.export(model, (x,), path, external_data=False)
    found = session(path.read_bytes()).run(None, {"input": x.numpy()})[0]
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    memory = io.BytesIO()
    assert torch.onnx.export(model, (x,), memory, dynamo=False, input_names=["x"]) is None
    np.testing.assert_allclose(session(memory.getvalue()).run(None, {"x": x.numpy()})[0], wanted, atol=1e-5)


def test_arguments_by_keyword() -> None:
    class Model(nn.Module):
        def forward(self, x: Any, scale: Any = None, shift: float = 0.0) -> Any:
            return x * scale + shift

    x, scale = torch.randn(2), torch.randn(2)
    by_name = {"args": (x,), "kwargs": {"scale": scale}}
    for options in ({"args": (x, {"scale": scale, "shift": 2.0})}, by_name):
        program = torch.onnx.export(Model(), **options)
        assert [v.name for v in program.model_proto.graph.input] == ["x", "scale"]


@pytest.mark.parametrize("opset", [17, 18, 20, 21, 23])
def test_opset_versions(opset: int) -> None:
    layers = [nn.Conv2d(3, 4, 3), nn.GELU(), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(144, 2)]
    model = nn.Sequential(*layers).eval()
    x = torch.randn(2, 3, 8, 8)
    program = torch.onnx.export(model, (x,), opset_version=opset)
    assert program.model_proto.opset_import[0].version == opset
    found = session(program.model_proto).run(None, {"input": x.numpy()})[0]
    np.testing.assert_allclose(found, model(x).detach().numpy(), atol=1e-5)


def test_all_operations_that_are_missing_are_named_at_once() -> None:
    def model(x: Any) -> Any:
        a = torch.linalg.inv(x)
        b = x.lgamma()
        return a + b, torch.fft.fft(x).real

    with pytest.raises(torch.onnx.errors.UnsupportedOperatorError) as caught:
        torch.onnx.export(model, (torch.eye(3),))
    text, note = str(caught.value), caught.value.__notes__[0]
    for op in ("linalg_inv_ex", "lgamma", "fft"):
        assert op in text
    assert note.count("test_export.py") >= 3
    assert isinstance(caught.value, torch.onnx.OnnxExporterError)


def test_decisions_in_python() -> None:
    def model(x: Any) -> Any:
        return x if x.sum() > 0 else -x

    with pytest.raises(torch.onnx.OnnxExporterError, match="reads numbers of its inputs in Python") as caught:
        torch.onnx.export(model, (torch.ones(3),))
    assert "test_export.py" in caught.value.__notes__[0]
    memory = io.BytesIO()
    with pytest.warns(torch.onnx.errors.OnnxExporterWarning, match="the examples' numbers are built in"):
        torch.onnx.export(model, (torch.ones(3),), memory, dynamo=False, input_names=["x"])
    assert session(memory.getvalue()).run(None, {"x": -np.ones(3, np.float32)})[0][0] == -1


def test_a_size_that_cannot_vary_is_an_error() -> None:
    model = nn.Sequential(nn.Flatten(), nn.Linear(12, 2))
    with pytest.raises(RuntimeError, match="cannot be exported with dynamic sizes length") as caught:
        torch.onnx.export(model, (torch.randn(2, 3, 4),), dynamic_shapes={"input": {1: "length"}})
    assert "For the sizes that were tried" in caught.value.__notes__[0]


def test_a_number_that_is_no_function_of_a_size() -> None:
    def model(x: Any) -> Any:
        return x * 0.9 ** x.shape[0]

    with pytest.raises(torch.onnx.OnnxExporterError, match="mul") as caught:
        torch.onnx.export(model, (torch.randn(3, 4),), dynamic_shapes={"x": {0: "n"}})
    assert "a number that Python computes of a size" in caught.value.__notes__[0]


def test_training_mode_is_left_as_it_was(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(), nn.BatchNorm1d(3))
    model[1].eval()
    torch.onnx.export(model, (torch.randn(2, 3),), tmp_path / "m.onnx", dynamo=False)
    assert [m.training for m in model] == [True, False, True]
    with pytest.raises(torch.onnx.OnnxExporterError, match="dropout_noise"):
        torch.onnx.export(nn.Dropout(), (torch.randn(2, 3),))


def test_an_exported_program_is_a_model() -> None:
    model, x = nn.Linear(3, 2), torch.randn(2, 3)
    exported = torch.export.export(model, (x,), dynamic_shapes={"input": {0: "batch"}})
    program = torch.onnx.export(exported, verify=False)
    (found,) = program(torch.ones(4, 3))
    torch.testing.assert_close(found, model(torch.ones(4, 3)).detach())


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.setitem(sys.modules, "onnx.numpy_helper", None)
    with pytest.raises(ModuleNotFoundError, match="needs the package onnx") as caught:
        torch.onnx.export(nn.Linear(1, 1), (torch.ones(1, 1),))
    assert "pullback[onnx]" in caught.value.__notes__[0]


def test_draws() -> None:
    def model(x: Any) -> Any:
        return torch.randn_like(x) * 2 + 1, torch.rand_like(x)

    program = torch.onnx.export(model, (torch.zeros(100, 100),))
    normal, uniform = program(torch.zeros(100, 100))
    assert abs(normal.mean().item() - 1) < 0.1
    assert abs(normal.std().item() - 2) < 0.1
    assert 0 <= uniform.min().item() < 0.01
    assert 0.99 < uniform.max().item() <= 1


def test_the_export_is_seen() -> None:
    seen = []

    def model(x: Any) -> Any:
        seen.append((torch.onnx.is_in_onnx_export(), torch.jit.is_tracing()))
        return x + 1

    torch.onnx.export(model, (torch.ones(1),))
    torch.onnx.export(model, (torch.ones(1),), io.BytesIO(), dynamo=False)
    assert seen == [(True, False), (True, True)]
    assert not torch.onnx.is_in_onnx_export()

"""torch.export: programs apart from their Python."""

from __future__ import annotations

import io
from typing import Any

import pytest

import pullback as torch
from pullback import nn
from tests.onnx import sequences, vision
from tests.onnx.cases import CASES

assert sequences and vision


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.register_buffer("scale", torch.full((4,), 2.0))

    def forward(self, x: Any) -> Any:
        y = torch.relu(self.fc(x)) * self.scale
        return {"y": y, "flat": y.reshape(-1), "places": torch.arange(x.shape[0])}


def exported(**options: Any) -> tuple[Any, Any]:
    torch.manual_seed(0)
    model = Model()
    return model, torch.export.export(model, (torch.randn(2, 3),), **options)


def test_graph_and_signature() -> None:
    _, program = exported()
    assert [str(n.target) for n in program.graph.nodes if n.op == "call_function"] == [
        "aten.t.default", "aten.addmm.default", "aten.relu.default", "aten.mul.Tensor", "aten.view.default",
    ]  # fmt: skip
    signature = program.graph_signature
    assert signature.parameters == ("fc.weight", "fc.bias")
    assert signature.buffers == ("scale",)
    assert signature.user_inputs == ("x",)
    assert str(signature.input_specs[0]) == "p_fc_weight: PARAMETER target='fc.weight'"
    assert "torch.ops.aten.addmm.default(p_fc_bias, x, t)" in str(program)
    program.validate()


def test_the_graph_computes_what_the_module_does() -> None:
    model, program = exported()
    x = torch.randn(2, 3)
    held = [program.state_dict.get(s.target, program.constants.get(s.target)) for s in
            program.graph_signature.input_specs[:-1]]  # fmt: skip
    found = program.graph_module(*held, x)
    for a, b in zip(found, model(x).values(), strict=True):
        assert torch.equal(a, b)


def test_sizes() -> None:
    model, fixed = exported()
    x = torch.randn(5, 3)
    with pytest.raises(AssertionError, match=r"Guard failed: x\.size\(\)\[0\] == 2"):
        fixed.module()(x)
    with pytest.raises(RuntimeError, match="Unable to call ExportedProgram directly"):
        fixed(x)
    model, program = exported(dynamic_shapes={"x": {0: torch.export.Dim("n")}})
    for name, value in program.module()(x).items():
        assert torch.equal(value, model(x)[name])
    assert program.range_constraints == {"n": (0, float("inf"))}
    assert "torch.ops.aten.sym_size.int(x, 0)" in str(program)


def test_files_and_gradients() -> None:
    model, program = exported(dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
    memory = io.BytesIO()
    torch.export.save(program, memory, extra_files={"note": "abc"})
    extra = {"note": ""}
    again = torch.export.load(io.BytesIO(memory.getvalue()), extra_files=extra)
    assert extra == {"note": "abc"}
    x = torch.randn(4, 3)
    again.module()(x)["y"].sum().backward()
    model(x)["y"].sum().backward()
    assert torch.equal(again.state_dict["fc.weight"].grad, model.fc.weight.grad)
    assert again.graph_signature == program.graph_signature


@pytest.mark.parametrize("name", ["ResNet", "UNetBilinear", "GPT2", "Llama", "LSTMTagger", "Translator"])
def test_models_go_to_files_and_back(name: str) -> None:
    torch.manual_seed(0)
    model, inputs = CASES[name].build().eval(), CASES[name].inputs()
    memory = io.BytesIO()
    with torch.no_grad():
        torch.export.save(torch.export.export(model, inputs), memory)
        found = torch.export.load(io.BytesIO(memory.getvalue())).module()(*inputs)
        wanted = model(*inputs)
    pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
    for a, b in pairs:
        torch.testing.assert_close(a, b)


def test_buffers_that_are_written_to() -> None:
    model = nn.BatchNorm1d(3)
    program = torch.export.export(model, (torch.randn(4, 3),))
    kinds = {spec.kind.name for spec in program.graph_signature.output_specs}
    assert kinds == {"BUFFER_MUTATION", "USER_OUTPUT"}
    x, other = torch.randn(4, 3), nn.BatchNorm1d(3)
    assert torch.equal(program.module()(x), other(x))
    assert torch.equal(program.state_dict["running_mean"], other.running_mean)
    assert torch.equal(program.state_dict["num_batches_tracked"], other.num_batches_tracked)


def test_decisions_in_python_are_refused() -> None:
    class Branch(nn.Module):
        def forward(self, x: Any) -> Any:
            return x if x.sum() > 0 else -x

    with pytest.raises(RuntimeError, match="Could not guard on data-dependent expression") as caught:
        torch.export.export(Branch(), (torch.ones(3),))
    assert "test_export.py" in caught.value.__notes__[0]


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match=r"Expected `mod` to be an instance of `torch\.nn\.Module`"):
        torch.export.export(lambda x: x, (torch.ones(1),))
    with pytest.raises(ValueError, match="dynamic_shapes names 'y'"):
        exported(dynamic_shapes={"y": {0: "n"}})
    with pytest.raises(ValueError, match="x has no axis 4"):
        exported(dynamic_shapes={"x": {4: "n"}})


def test_the_model_is_left_as_it_was() -> None:
    model = Model()
    before = {name: (t, t.requires_grad, t._version) for name, t in model.named_parameters()}
    torch.export.export(model, (torch.randn(2, 3),), dynamic_shapes={"x": {0: "n"}})
    for name, t in model.named_parameters():
        assert (t, t.requires_grad, t._version) == before[name]
        assert t.is_leaf and type(t.numpy(force=True)).__name__ == "ndarray"

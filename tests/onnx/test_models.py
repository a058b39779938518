"""Exported models give in onnxruntime what they give here, on the examples and on inputs of other sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.torch_names.structure import named_tensors

from . import functions, sequences, vision
from .cases import CASES, Case

pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

assert vision and sequences and functions


def outputs_of(model: Any, inputs: tuple[Any, ...]) -> list[np.ndarray]:
    with torch.no_grad():
        return [t.detach().numpy() for _, t in named_tensors([model(*inputs)], "")]


def check(session: Any, model: Any, inputs: tuple[Any, ...]) -> None:
    names = [i.name for i in session.get_inputs()]
    found = session.run(None, {n: t.numpy() for n, t in zip(names, inputs, strict=True)})
    wanted = outputs_of(model, inputs)
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=2e-5)


def exported(case: Case, **options: Any) -> tuple[Any, Any, tuple[Any, ...]]:
    torch.manual_seed(0)
    model, inputs = case.build().eval(), case.inputs()
    program = torch.onnx.export(model, inputs, **options)
    session = onnxruntime.InferenceSession(
        program.model_proto.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session, model, inputs


@pytest.mark.parametrize("name", sorted(CASES))
def test_examples(name: str) -> None:
    session, model, inputs = exported(CASES[name])
    check(session, model, inputs)


@pytest.mark.parametrize("name", sorted(n for n, c in CASES.items() if c.dynamic))
def test_other_sizes(name: str) -> None:
    case = CASES[name]
    torch.manual_seed(0)
    model, inputs = case.build().eval(), case.inputs()
    assert case.dynamic
    names = list(case.dynamic)
    program = torch.onnx.export(model, inputs, input_names=names, dynamic_axes=case.dynamic)
    session = onnxruntime.InferenceSession(
        program.model_proto.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    check(session, model, inputs)
    longer = []
    for axes, t in zip(case.dynamic.values(), inputs, strict=True):
        shape = list(t.shape)
        for axis, label in axes.items():
            shape[axis] += (case.longer or {})[label]
        if t.dtype.is_floating_point:
            longer.append(torch.randn(*shape).to(t.dtype))
        elif t.dtype == torch.bool:
            longer.append(torch.zeros(*shape, dtype=torch.bool))
        else:
            longer.append(torch.randint(1 if t.min() > 0 else 0, int(t.max()) + 1, shape))
    check(session, model, tuple(longer))


def test_there_are_enough() -> None:
    assert len(CASES) >= 40

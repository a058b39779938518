"""The text of tensors equals torch's: recorded cases, and random cases live where torch is installed."""

from __future__ import annotations

import json
import random
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import pullback
from pullback.array import dtypes
from pullback.core.value import wrap as as_tensor
from pullback.tensor import printing

RECORDED = json.loads((Path(__file__).parent / "data" / "printing.json").read_text())
LIVE_CASES = 2000


@pytest.fixture(autouse=True)
def _restore():
    default = dtypes.get_default_dtype()
    with printing.printoptions():
        yield
    dtypes.set_default_dtype(default)


def elements(case):
    dtype = np.dtype(getattr(ml_dtypes, case["dtype"], case["dtype"]))
    values = case["values"]
    if dtype.kind in "cW":
        values = np.array(values, np.float64).reshape(-1, 2).view(np.complex128).ravel()
    with np.errstate(over="ignore"):
        return np.resize(np.array(values).astype(dtype), case["shape"])


def text(case):
    """Print a case as the facade will, once per kind of tensor."""
    array = elements(case)
    dtypes.set_default_dtype(dtypes.by_name(case.get("default", "float32")))
    with printing.printoptions(**case.get("options", {})):
        match case["kind"]:
            case "tensor":
                return printing.tensor_text(array)
            case "leaf":
                return printing.tensor_text(array, requires_grad=True)
            case "node":
                return printing.tensor_text(array, requires_grad=True, grad_fn="CloneBackward0")
            case "parameter":
                return printing.parameter_text(printing.tensor_text(array, requires_grad=True))
            case "parameter subclass":
                return printing.parameter_text(
                    printing.tensor_text(
                        array, class_name="ParameterSubclass", is_parameter=True, requires_grad=True
                    )
                )
            case "subclass":
                return printing.tensor_text(array, class_name="Subclass")
            case "meta":
                return printing.tensor_text(array, device="meta")
            case "dual":
                inner = printing.tensor_text(array) if array.ndim else format(as_tensor(array), "")
                return printing.tensor_text(array, tangent=inner)
    raise ValueError(case["kind"])


def test_recorded_tensors():
    wrong = [(case, text(case)) for case in RECORDED["tensors"] if text(case) != case["text"]]
    assert not wrong, f"{len(wrong)} of {len(RECORDED['tensors'])} differ, the first: {wrong[0]}"


def test_the_recorded_cases_are_many():
    assert len(RECORDED["tensors"]) >= 400
    assert {case["dtype"] for case in RECORDED["tensors"]} == set(dtypes.BY_NAME)


@pytest.mark.parametrize("record", RECORDED["wrappers"], ids=lambda record: record["text"].split("\n")[0])
def test_wrappers(record):
    inner = record["inside"]
    for layer in record["layers"]:
        inner = printing.wrapper_text(layer["kind"], inner, level=layer["level"], bdim=layer["bdim"])
    assert inner == record["text"]


def test_formats_of_scalars():
    for record in RECORDED["formats"]:
        try:
            outcome = {"text": format(as_tensor(elements(record)), record["spec"])}
        except ValueError as error:
            outcome = {"error": str(error)}
        assert outcome.items() <= record.items(), record


def test_set_printoptions_leaves_what_torch_leaves():
    printing.set_printoptions(profile="default")
    for record in RECORDED["options"]:
        printing.set_printoptions(**record["call"])
        assert printing.get_printoptions() == record["options"], record["call"]


def test_get_printoptions_is_a_copy():
    printing.get_printoptions()["precision"] = 9
    assert printing.get_printoptions()["precision"] == 4


def test_printoptions_restores_after_an_error_and_decorates():
    printing.set_printoptions(precision=3, sci_mode=True)
    before = printing.get_printoptions()
    with pytest.raises(ZeroDivisionError), printing.printoptions(profile="short"):
        assert printing.get_printoptions()["edgeitems"] == 2
        1 / 0
    assert printing.get_printoptions() == before
    assert printing.printoptions(precision=1)(printing.get_printoptions)()["precision"] == 1
    assert printing.get_printoptions() == before


def test_what_follows_sparse_values_takes_lines_where_it_does_not_fit():
    printing.set_printoptions(linewidth=26)
    assert repr(pullback.zeros(2, dtype=pullback.float64).to_sparse()) == (
        "tensor(indices=tensor([], size=(1, 0)),\n"
        "       values=tensor([], size=(0,)),\n"
        "       size=(2,), nnz=0,\n"
        "       dtype=torch.float64,\n"
        "       layout=torch.sparse_coo)"
    )


def test_unknown_option():
    with (
        pytest.raises(TypeError, match=r"^set_printoptions\(\) got an unexpected keyword argument 'digits'$"),
        printing.printoptions(digits=2),
    ):
        pass


def test_negative_edgeitems_of_a_matrix():
    with printing.printoptions(edgeitems=-1, threshold=0), pytest.raises(RuntimeError) as caught:
        printing.tensor_text(np.zeros((2, 2)))
    assert str(caught.value) == "stack expects a non-empty TensorList"
    assert "set_printoptions(edgeitems=3)" in caught.value.__notes__[0]


def test_contents_stand_for_the_elements():
    assert printing.tensor_text(np.ones((2, 2), np.int8), contents="abc") == "tensor(abc, dtype=torch.int8)"
    assert printing.tensor_text(np.ones((2, 0)), contents="abc") == (
        "tensor(abc, size=(2, 0), dtype=torch.float64)"
    )


def test_another_device_is_named():
    assert printing.tensor_text(np.float32([1, 2]), device="cuda:0") == "tensor([1., 2.], device='cuda:0')"


def test_a_summary_reads_only_what_it_shows():
    # Four terabytes if it were read or copied.
    endless = np.broadcast_to(np.float32(1.5), (10**6, 10**6))
    row = "[1.5000, 1.5000, 1.5000,  ..., 1.5000, 1.5000, 1.5000]"
    rows = ",\n        ".join([row] * 3)
    assert printing.tensor_text(endless) == f"tensor([{rows},\n        ...,\n        {rows}])"


def test_the_format_depends_only_on_what_is_shown():
    values = np.ones(2000, np.float32)
    values[1000] = 1e-9
    assert printing.tensor_text(values) == "tensor([1., 1., 1.,  ..., 1., 1., 1.])"


def test_signalling_nans_print_without_a_warning():
    for bits, dtype in ((np.uint16(0x7C01), np.float16), (np.uint32(0x7F800001), np.float32)):
        text = printing.tensor_text(np.array([bits]).view(dtype))
        assert text.startswith("tensor([nan]"), dtype


def test_strides_do_not_matter():
    array = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
    for view in (array[::-1], array.T, array[:, ::2], array[..., :0], array.transpose(1, 0, 2)[1]):
        assert printing.tensor_text(view) == printing.tensor_text(np.ascontiguousarray(view))


def test_as_torch_prints_random_cases():
    pytest.importorskip("torch")
    from tools import record_printing

    rng = random.Random(7)
    for _ in range(LIVE_CASES):
        case = record_printing.draw(rng)
        assert text(case) == record_printing.torch_text(case), case

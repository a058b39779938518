"""Updates in place of tensors whose elements share memory, or may not be written: compiled as in eager."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import pullback as torch

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")


def _expanded_rows() -> Any:
    return torch.zeros(3).expand(4, 3)


def _expanded_columns() -> Any:
    return torch.zeros(4, 1).expand(4, 3)


def _overlapping() -> Any:
    return torch.arange(8.0).unfold(0, 4, 2)


def _read_only() -> Any:
    array = np.arange(12.0, dtype=np.float32).reshape(4, 3)
    array.flags.writeable = False
    with warnings.catch_warnings():
        # torch has no tensors of such arrays.
        warnings.simplefilter("ignore", UserWarning)
        return torch.from_numpy(array)


def _row(x: Any) -> Any:
    x[0].mul_(3).add_(1)
    return x


def _column(x: Any) -> Any:
    x[:, 0].add_(1)
    return x


def _assigned(x: Any) -> Any:
    x[0] = 5.0
    return x


def _by_index(x: Any) -> Any:
    return x.index_put_((torch.tensor([0]),), torch.tensor(1.0))


UPDATES = {
    "add_": lambda x: x.add_(1),
    "copy_": lambda x: x.copy_(torch.ones(x.shape)),
    "fill_": lambda x: x.fill_(3),
    "zero_": lambda x: x.zero_(),
    "of a transpose": lambda x: x.t().add_(1),
    "of a view": lambda x: x.unsqueeze(0).add_(1),
    "of a row": _row,
    "of a column": _column,
    "assignment": _assigned,
    "index_put_": _by_index,
    "uniform_": lambda x: x.uniform_(),
    "cumsum_": lambda x: x.cumsum_(0),
    "out": lambda x: torch.add(x * 1, 1, out=x),
    "no update": lambda x: x + 1,
}


def _outcome(function: Any, x: Any) -> tuple[Any, ...]:
    """What a call gives or raises, and what is in its argument then."""
    torch.manual_seed(0)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Use of index_put_ on expanded tensors is deprecated")
            warnings.filterwarnings("ignore", "compile: .* it writes to elements that share memory")
            result: Any = function(x).tolist()
    except (RuntimeError, ValueError) as error:
        result = type(error), str(error)
    return result, x.tolist()


@pytest.mark.parametrize("made", [_expanded_rows, _expanded_columns, _overlapping, _read_only])
@pytest.mark.parametrize("name", UPDATES)
def test_what_cannot_be_written_to_is_eagers(name: str, made: Any) -> None:
    function = UPDATES[name]
    compiled = torch.compile(function, backend="native")
    expected = _outcome(function, made())
    for _ in range(2):
        assert _outcome(compiled, made()) == expected
    plain = made().clone(memory_format=torch.contiguous_format)
    assert _outcome(compiled, plain.clone()) == _outcome(function, plain.clone())
    assert compiled._native.eager_because is None


def test_an_update_that_fails_after_another_is_done_once() -> None:
    def function(x: Any, y: Any) -> Any:
        x.add_(1)
        return y.add_(x)

    compiled = torch.compile(function, backend="native")
    for _ in range(2):
        x = torch.zeros(4, 3)
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            compiled(x, _expanded_rows())
        assert (x == 1).all()


def test_an_expanded_tensor_of_a_closure() -> None:
    x = _expanded_rows()
    compiled = torch.compile(lambda: x.add_(1), backend="native")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            compiled()
    assert (x == 0).all()


@pytest.mark.parametrize("trained_on", ["an inference tensor", "a plain tensor"])
def test_an_inference_tensor_is_written_to_once_before_the_error(trained_on: str) -> None:
    compiled = torch.compile(lambda x: x.add_(1), backend="native")
    with torch.inference_mode():
        x = torch.zeros(2)
    if trained_on == "a plain tensor":
        for _ in range(3):
            compiled(torch.zeros(2))
    for n in range(1, 4):
        with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
            compiled(x)
        assert x.tolist() == [n, n]
    with torch.inference_mode():
        assert compiled(x).tolist() == [4, 4]

"""Storages with a dtype. What is expected is what torch gave."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import pytest

import pullback as torch
from pullback.core.warn import forget


def test_made_of_numbers() -> None:
    storage = torch.FloatStorage([1.0, 2.0])
    assert type(storage) is torch.TypedStorage
    assert storage.tolist() == [1.0, 2.0]
    assert (len(storage), storage.size(), storage.element_size(), storage.nbytes()) == (2, 2, 4, 8)
    assert (storage.dtype, str(storage.device)) == (torch.float32, "cpu")
    assert storage.type() == "torch.FloatStorage"
    assert torch.FloatStorage(3).size() == 3
    assert torch.TypedStorage([1, 2], dtype=torch.int64).tolist() == [1, 2]
    assert torch.FloatStorage(wrap_storage=torch.UntypedStorage(8)).size() == 2
    assert torch.FloatStorage.from_buffer(b"\0\0\x80?", "little").tolist() == [1.0]
    assert torch.BFloat16Storage([1.0]).tolist() == [1.0]
    assert torch.ComplexFloatStorage([1j]).tolist() == [1j]


def test_instances_are_told_by_dtype() -> None:
    assert isinstance(torch.ones(1)._typed_storage(), torch.FloatStorage)
    assert not isinstance(torch.ones(1, dtype=torch.float64)._typed_storage(), torch.FloatStorage)
    assert torch.FloatStorage.dtype is torch.float32


def test_elements() -> None:
    tensor = torch.ones(3)
    storage = tensor._typed_storage()
    storage[1] = 7.0
    assert tensor.tolist() == [1.0, 7.0, 1.0]
    assert storage[-1] == 1.0
    assert storage.clone().fill_(2).tolist() == [2.0, 2.0, 2.0]
    assert storage.copy_(torch.FloatStorage([1.0, 2.0, 3.0])).tolist() == [1.0, 2.0, 3.0]
    assert tensor.tolist() == [1.0, 2.0, 3.0]
    assert storage.cpu() is storage


def test_conversions() -> None:
    storage = torch.FloatStorage([0.0, 2.0])
    assert storage.float() is storage
    assert storage.long().tolist() == [0, 2]
    assert storage.bool().tolist() == [False, True]
    assert storage.complex_double().tolist() == [0j, 2 + 0j]
    assert storage.half().dtype is torch.float16
    assert storage.type("torch.DoubleStorage").dtype is torch.float64


def test_resizing() -> None:
    storage = torch.FloatStorage([1.0, 2.0])
    storage.resize_(4)
    assert len(storage) == 4
    assert storage.tolist()[:2] == [1.0, 2.0]


def test_all_tensors_on_a_storage_move_when_one_needs_more_of_it() -> None:
    base = torch.arange(6.0)
    part, whole, storage = base[2:4], base.detach().view(2, 3), base.untyped_storage()
    base.resize_(100)
    base[2] = 50.0
    assert part.tolist() == [50.0, 3.0]
    assert whole.tolist() == [[0.0, 1.0, 50.0], [3.0, 4.0, 5.0]]
    part.resize_(120)
    assert base.data_ptr() == whole.data_ptr() == part.data_ptr() - 8
    assert base.untyped_storage() is storage
    assert storage.nbytes() == 488


def test_tensors_stay_on_a_storage_that_shrinks_and_grows() -> None:
    tensor = torch.ones(6)
    part, storage = tensor[2:], tensor.untyped_storage()
    for sizes in ((100,), (0, 24), (0, 200)):
        for size in sizes:
            storage.resize_(size)
            assert tensor.untyped_storage().nbytes() == size
        part.fill_(size)
        assert tensor.tolist()[2:] == [size] * 4
    empty = tensor.resize_(0)
    assert empty.untyped_storage() is storage


FORMS = (
    "<class 'torch.FloatStorage'>.__new__ received an invalid combination of arguments. Expected one of:\n"
    " * no arguments\n * (int size)\n * (Sequence data)\n * (*, UntypedStorage wrap_storage)\n"
)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: torch.FloatStorage(1, 2), RuntimeError, FORMS + "Too many positional arguments"),
        (
            lambda: torch.FloatStorage(dtype=torch.float32),
            RuntimeError,
            FORMS + "Keyword argument 'dtype' cannot be specified",
        ),
        (lambda: torch.FloatStorage("x"), TypeError, "new(): invalid data type 'str'"),
        (
            lambda: torch.FloatStorage([1.0])[3],
            IndexError,
            "index 3 out of range for storage of size 1",
        ),
        (
            lambda: torch.FloatStorage([1.0])[0:1],
            RuntimeError,
            "slices are only supported in UntypedStorage.__getitem__",
        ),
        (
            lambda: torch.FloatStorage([1.0])["a"],
            RuntimeError,
            "can't index a <class 'torch.storage.TypedStorage'> with <class 'str'>",
        ),
    ],
)
def test_errors(call: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == text


def test_attributes_of_a_users_own_can_be_set() -> None:
    x = torch.ones(3)
    untyped, typed = x.untyped_storage(), torch.FloatStorage(2)
    untyped.note = typed.note = "mine"
    assert x[1:].untyped_storage().note == typed.note == "mine"


def test_getsizeof_counts_the_bytes() -> None:
    for storage in (lambda n: torch.ones(n).untyped_storage(), lambda n: torch.ones(n)._typed_storage()):
        assert sys.getsizeof(storage(10)) - sys.getsizeof(storage(0)) == 40


def test_bytes_in_another_order() -> None:
    storage = torch.UntypedStorage([1, 2, 3, 4])
    storage.byteswap(torch.int16)
    assert storage.tolist() == [2, 1, 4, 3]


def test_a_tensor_is_told_by_its_cdata() -> None:
    t = torch.ones(3)
    assert t._cdata == t._cdata != t[:]._cdata
    assert t.untyped_storage()._cdata == t[1:].untyped_storage()._cdata


def test_segments_under_the_name_of_the_op() -> None:
    x = torch.arange(6.0)
    assert torch._segment_reduce(x, "max", lengths=torch.tensor([2, 3, 1])).tolist() == [1.0, 4.0, 5.0]
    offsets = torch.tensor([0, 2, 6])
    assert torch._segment_reduce(x, "sum", offsets=offsets, initial=1.0).tolist() == [2.0, 15.0]


def test_a_typed_storage_is_warned_of_once():
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        forget()
        for _ in range(3):
            torch.ones(1).storage()
    assert len(given) == 1

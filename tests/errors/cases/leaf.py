"""What leaves may be, and what may be set on a tensor."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np

T = Any


def integer_requires_grad(torch: T) -> None:
    torch.tensor([1, 2], requires_grad=True)


def integer_zeros_require_grad(torch: T) -> None:
    torch.zeros(2, dtype=torch.int64, requires_grad=True)


def bool_requires_grad_later(torch: T) -> None:
    torch.tensor([True]).requires_grad_()


def integer_attribute(torch: T) -> None:
    torch.tensor([1]).requires_grad = True


def integer_does_not_require_grad(torch: T) -> None:
    torch.tensor([1]).requires_grad_(False)


def non_leaf_gives_up(torch: T) -> None:
    (torch.ones(2, requires_grad=True) * 2).requires_grad_(False)


def non_leaf_gives_up_by_attribute(torch: T) -> None:
    y = torch.ones(2, requires_grad=True) * 2
    y.requires_grad = False


def non_leaf_requires_again(torch: T) -> None:
    (torch.ones(2, requires_grad=True) * 2).requires_grad_(True)


def requires_grad_of_a_string(torch: T) -> None:
    torch.ones(2).requires_grad = "yes"


def requires_grad_of_a_number(torch: T) -> None:
    torch.ones(2).requires_grad_(2.5)


def parameter_of_integers(torch: T) -> None:
    torch.nn.Parameter(torch.tensor([1, 2]))


def grad_of_other_shape(torch: T) -> None:
    torch.ones(2, 3, requires_grad=True).grad = torch.ones(3)


def grad_of_other_dtype(torch: T) -> None:
    torch.ones(2, requires_grad=True).grad = torch.ones(2, dtype=torch.float64)


def grad_of_a_number(torch: T) -> None:
    torch.ones(2, requires_grad=True).grad = 1.0


def grad_of_a_list(torch: T) -> None:
    torch.ones(2, requires_grad=True).grad = [1.0, 1.0]


def grad_of_itself(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    x.grad = x


def grad_of_an_array(torch: T) -> None:
    torch.ones(2, requires_grad=True).grad = np.ones(2)


def deepcopy_of_non_leaf(torch: T) -> None:
    copy.deepcopy(torch.ones(2, requires_grad=True) * 2)


def deepcopy_of_non_leaf_inside(torch: T) -> None:
    copy.deepcopy({"a": torch.ones(2, requires_grad=True) * 2})


def pickle_of_non_leaf(torch: T) -> None:
    pickle.dumps(torch.ones(2, requires_grad=True) * 2)


def numpy_of_leaf(torch: T) -> None:
    torch.ones(2, requires_grad=True).numpy()


def numpy_of_non_leaf(torch: T) -> None:
    (torch.ones(2, requires_grad=True) * 2).numpy()


def array_of_leaf(torch: T) -> None:
    np.asarray(torch.ones(2, requires_grad=True))


def array_function_of_leaf(torch: T) -> None:
    np.sin(torch.ones(2, requires_grad=True))


def numpy_of_bfloat16(torch: T) -> None:
    torch.ones(2, dtype=torch.bfloat16).numpy()


def numpy_of_conjugate(torch: T) -> None:
    torch.ones(2, dtype=torch.complex64).conj().numpy()


def set_grad_fn(torch: T) -> None:
    torch.ones(2).grad_fn = None


def set_is_leaf(torch: T) -> None:
    torch.ones(2).is_leaf = False


def set_shape(torch: T) -> None:
    torch.ones(2).shape = (1, 2)


def set_dtype(torch: T) -> None:
    torch.ones(2).dtype = torch.float64


def unknown_attribute(torch: T) -> None:
    torch.ones(2).no_such_attribute


def unknown_name(torch: T) -> None:
    torch.nn.no_such_layer


def tensor_of_a_tensor(torch: T) -> None:
    torch.tensor(torch.ones(2))


def tensor_of_a_string(torch: T) -> None:
    torch.tensor("a")


def tensor_of_strings(torch: T) -> None:
    torch.tensor(["a", "b"])


def tensor_of_none(torch: T) -> None:
    torch.tensor(None)


def tensor_of_a_set(torch: T) -> None:
    torch.tensor({1, 2})


def tensor_of_ragged_lists(torch: T) -> None:
    torch.tensor([[1, 2], [3]])


def tensor_of_ragged_depth(torch: T) -> None:
    torch.tensor([1, [2]])


def tensor_of_list_with_none(torch: T) -> None:
    torch.tensor([1, None])


def tensor_of_large_integer(torch: T) -> None:
    torch.tensor(2**70)


def tensor_of_large_uint8(torch: T) -> None:
    torch.tensor([300], dtype=torch.uint8)


def tensor_of_complex_as_float(torch: T) -> None:
    torch.tensor(1j, dtype=torch.float32)


def tensor_of_vectors(torch: T) -> None:
    torch.tensor([torch.ones(2), torch.ones(2)])


def tensor_without_data(torch: T) -> None:
    torch.tensor()


def tensor_with_unknown_keyword(torch: T) -> None:
    torch.tensor([1.0], type=torch.float32)


def tensor_with_string_dtype(torch: T) -> None:
    torch.tensor([1.0], dtype="float32")


def tensor_on_unknown_device(torch: T) -> None:
    torch.tensor([1.0], device="nowhere")


def from_numpy_of_a_list(torch: T) -> None:
    torch.from_numpy([1.0])


def from_numpy_of_negative_strides(torch: T) -> None:
    torch.from_numpy(np.arange(3.0)[::-1])


def from_numpy_of_strings(torch: T) -> None:
    torch.from_numpy(np.array(["a"]))


def from_numpy_of_objects(torch: T) -> None:
    torch.as_tensor(np.array([object()]))


def from_numpy_read_only(torch: T) -> None:
    array = np.arange(3.0)
    array.flags.writeable = False
    torch.from_numpy(array)


def default_dtype_of_integers(torch: T) -> None:
    torch.set_default_dtype(torch.int64)


def default_dtype_of_a_string(torch: T) -> None:
    torch.set_default_dtype("float64")


def finfo_of_integers(torch: T) -> None:
    torch.finfo(torch.int64)


def iinfo_of_floats(torch: T) -> None:
    torch.iinfo(torch.float32)


def new_dtype_instance(torch: T) -> None:
    torch.dtype()


def unknown_device(torch: T) -> None:
    torch.device("abc")


def grad_mode_of_a_string(torch: T) -> None:
    torch.set_grad_enabled("off")


def seed_of_a_string(torch: T) -> None:
    torch.manual_seed("a")


def manual_seed_of_float(torch: T) -> None:
    torch.manual_seed(1.5)

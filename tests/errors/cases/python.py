"""Python's protocols and argument lists."""

# ruff: noqa: B015, B021  # expressions are evaluated for the errors that they raise

from __future__ import annotations

import operator
from typing import Any

T = Any


def bool_of_many(torch: T) -> None:
    bool(torch.ones(2))


def bool_of_none(torch: T) -> None:
    bool(torch.ones(0))


def if_many(torch: T) -> None:
    if torch.ones(2) > 0:
        pass


def item_of_many(torch: T) -> None:
    torch.ones(2).item()


def item_of_none(torch: T) -> None:
    torch.ones(0).item()


def float_of_many(torch: T) -> None:
    float(torch.ones(2))


def int_of_many(torch: T) -> None:
    int(torch.ones(2))


def float_of_complex(torch: T) -> None:
    float(torch.tensor(1j))


def int_of_complex(torch: T) -> None:
    int(torch.tensor(1j))


def int_of_nan(torch: T) -> None:
    int(torch.tensor(float("nan")))


def float_of_leaf_warns(torch: T) -> None:
    float(torch.ones((), requires_grad=True))


def len_of_scalar(torch: T) -> None:
    len(torch.tensor(1.0))


def iterate_scalar(torch: T) -> None:
    list(torch.tensor(1.0))


def unpack_wrong_count(torch: T) -> None:
    _first, _second = torch.ones(3)


def index_of_float(torch: T) -> None:
    operator.index(torch.tensor(1.0))


def index_of_many(torch: T) -> None:
    operator.index(torch.tensor([1, 2]))


def range_of_float(torch: T) -> None:
    range(torch.tensor(2.0))


def contains_a_list(torch: T) -> None:
    [1] in torch.ones(2)


def contains_a_string(torch: T) -> None:
    "a" in torch.ones(2)


def format_of_many(torch: T) -> None:
    f"{torch.ones(2):.2f}"


def call_a_tensor(torch: T) -> None:
    torch.ones(2)(1)


def reversed_scalar_is_allowed(torch: T) -> None:
    reversed(torch.tensor(1.0))


def delete_an_item(torch: T) -> None:
    x = torch.ones(2)
    del x[0]


def add_a_string(torch: T) -> None:
    torch.ones(2) + "a"


def add_none(torch: T) -> None:
    torch.ones(2) + None


def add_a_list(torch: T) -> None:
    torch.ones(2) + [1, 2]


def subtract_from_a_list(torch: T) -> None:
    [1, 2] - torch.ones(2)


def multiply_by_a_string(torch: T) -> None:
    torch.ones(2) * "a"


def divide_by_none(torch: T) -> None:
    torch.ones(2) / None


def less_than_a_string(torch: T) -> None:
    torch.ones(2) < "a"


def equal_to_a_string_is_allowed(torch: T) -> None:
    torch.ones(2) == "a"


def power_of_a_list(torch: T) -> None:
    torch.ones(2) ** [1, 2]


def add_without_other(torch: T) -> None:
    torch.add(torch.ones(2))


def add_without_arguments(torch: T) -> None:
    torch.add()


def add_with_unknown_keyword(torch: T) -> None:
    torch.add(torch.ones(2), 1, beta=2)


def add_with_too_many(torch: T) -> None:
    torch.add(torch.ones(2), 1, 2, 3)


def exp_without_arguments(torch: T) -> None:
    torch.exp()


def exp_with_too_many(torch: T) -> None:
    torch.exp(torch.ones(2), torch.ones(2))


def exp_method_with_too_many(torch: T) -> None:
    torch.ones(2).exp(1)


def exp_with_unknown_keyword(torch: T) -> None:
    torch.exp(torch.ones(2), dim=1)


def sum_over_a_string(torch: T) -> None:
    torch.ones(2).sum(dim="a")


def sum_over_a_float(torch: T) -> None:
    torch.ones(2).sum(0.5)


def softmax_without_dim(torch: T) -> None:
    torch.softmax(torch.ones(2))


def functional_softmax_without_dim_warns(torch: T) -> None:
    torch.nn.functional.softmax(torch.ones(2))


def transpose_of_one_dim(torch: T) -> None:
    torch.ones(2, 2).transpose(0)


def reshape_by_float(torch: T) -> None:
    torch.ones(2).reshape(1.5)


def reshape_without_shape(torch: T) -> None:
    torch.ones(2).reshape()


def view_by_string(torch: T) -> None:
    torch.ones(2).view("a")


def zeros_of_a_string(torch: T) -> None:
    torch.zeros("a")


def zeros_of_a_float(torch: T) -> None:
    torch.zeros(2.5)


def zeros_without_size(torch: T) -> None:
    torch.zeros()


def ones_of_a_dtype(torch: T) -> None:
    torch.ones(2, dtype="float32")


def arange_without_end(torch: T) -> None:
    torch.arange()


def cat_of_a_tensor(torch: T) -> None:
    torch.cat(torch.ones(2))


def cat_of_numbers(torch: T) -> None:
    torch.cat([1, 2])


def stack_of_numbers(torch: T) -> None:
    torch.stack([torch.ones(2), 1])


def matmul_of_a_list(torch: T) -> None:
    torch.matmul(torch.ones(2), [1, 2])


def where_of_a_number(torch: T) -> None:
    torch.where(1, torch.ones(2), torch.ones(2))


def gather_of_a_list(torch: T) -> None:
    torch.gather(torch.ones(2), 0, [0])


def clamp_of_strings(torch: T) -> None:
    torch.ones(2).clamp("a")


def to_without_arguments(torch: T) -> None:
    torch.ones(2).to()


def tensor_class_of_a_string(torch: T) -> None:
    torch.Tensor("a")


def no_grad_as_function(torch: T) -> None:
    with torch.no_grad:
        pass


def size_of_floats(torch: T) -> None:
    torch.Size([1.5])


def size_dim(torch: T) -> None:
    torch.ones(2).size(1)


def einsum_without_operands(torch: T) -> None:
    torch.einsum("ij")


def norm_of_a_string_order(torch: T) -> None:
    torch.ones(2, 2).norm("abc")


def unknown_reduction(torch: T) -> None:
    torch.nn.functional.mse_loss(torch.ones(2), torch.ones(2), reduction="median")


def load_of_nothing(torch: T) -> None:
    torch.load("/nowhere/at/all.pt")


def unknown_print_option(torch: T) -> None:
    torch.set_printoptions(profile="loud")

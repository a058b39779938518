"""Dtypes that do not go together, and values out of their domain."""

# ruff: noqa: B015  # expressions are evaluated for the errors that they raise

from __future__ import annotations

from typing import Any

T = Any


def bool_minus_bool(torch: T) -> None:
    torch.tensor([True]) - torch.tensor([False])


def bool_minus_float(torch: T) -> None:
    torch.ones(1) - torch.tensor([False])


def one_minus_bool(torch: T) -> None:
    1 - torch.tensor([False])


def negative_bool(torch: T) -> None:
    -torch.tensor([True])


def invert_float(torch: T) -> None:
    ~torch.ones(1)


def and_of_floats(torch: T) -> None:
    torch.ones(1) & torch.ones(1)


def shift_of_floats_by_string(torch: T) -> None:
    torch.tensor([1]) << "a"


def complex_less(torch: T) -> None:
    torch.tensor([1j]) < torch.tensor([1j])


def complex_max(torch: T) -> None:
    torch.tensor([1j, 2j]).max()


def complex_maximum(torch: T) -> None:
    torch.maximum(torch.tensor([1j]), torch.tensor([1j]))


def complex_clamp(torch: T) -> None:
    torch.tensor([1j]).clamp(0, 1)


def complex_floor(torch: T) -> None:
    torch.tensor([1j]).floor()


def complex_relu(torch: T) -> None:
    torch.relu(torch.tensor([1j]))


def complex_sort(torch: T) -> None:
    torch.tensor([1j, 2j]).sort()


def complex_remainder(torch: T) -> None:
    torch.tensor([1j]) % 2


def complex_floor_division(torch: T) -> None:
    torch.tensor([1j]) // 2


def mean_of_integers(torch: T) -> None:
    torch.tensor([1, 2]).mean()


def mean_of_bool(torch: T) -> None:
    torch.tensor([True]).mean()


def standard_deviation_of_integers(torch: T) -> None:
    torch.tensor([1, 2]).std()


def norm_of_integers(torch: T) -> None:
    torch.tensor([1, 2]).norm()


def softmax_of_integers(torch: T) -> None:
    torch.softmax(torch.tensor([1, 2]), 0)


def mm_of_two_dtypes(torch: T) -> None:
    torch.mm(torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64))


def matmul_of_float_and_integer(torch: T) -> None:
    torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.int64)


def dot_of_two_dtypes(torch: T) -> None:
    torch.dot(torch.ones(2), torch.ones(2, dtype=torch.float64))


def mv_of_two_dtypes(torch: T) -> None:
    torch.mv(torch.ones(2, 2), torch.ones(2, dtype=torch.float64))


def bmm_of_two_dtypes(torch: T) -> None:
    torch.bmm(torch.ones(1, 2, 2), torch.ones(1, 2, 2, dtype=torch.float64))


def linear_of_two_dtypes(torch: T) -> None:
    torch.nn.functional.linear(torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64))


def conv_of_two_dtypes(torch: T) -> None:
    torch.nn.functional.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2, dtype=torch.float64))


def lerp_of_two_dtypes(torch: T) -> None:
    torch.lerp(torch.ones(2), torch.ones(2, dtype=torch.float64), 0.5)


def power_of_negative_integer(torch: T) -> None:
    torch.tensor([2, 3]) ** -1


def division_by_zero(torch: T) -> None:
    torch.tensor([1]) // torch.tensor([0])


def remainder_by_zero(torch: T) -> None:
    torch.tensor([1]) % 0


def unknown_rounding_mode(torch: T) -> None:
    torch.div(torch.ones(1), 2, rounding_mode="up")


def clamp_without_bounds(torch: T) -> None:
    torch.ones(1).clamp()


def alpha_of_float_for_integers(torch: T) -> None:
    torch.add(torch.tensor([1]), torch.tensor([1]), alpha=0.5)


def alpha_of_bool_for_integers(torch: T) -> None:
    torch.add(torch.tensor([1]), torch.tensor([1]), alpha=True)


def alpha_for_bools(torch: T) -> None:
    torch.add(torch.tensor([True]), torch.tensor([True]), alpha=2)


def imaginary_part_of_real(torch: T) -> None:
    torch.imag(torch.ones(1))


def imaginary_attribute_of_real(torch: T) -> object:
    return torch.ones(1).imag


def view_as_real_of_real(torch: T) -> None:
    torch.view_as_real(torch.ones(1))


def view_as_complex_of_three(torch: T) -> None:
    torch.view_as_complex(torch.ones(3))


def view_as_complex_of_integers(torch: T) -> None:
    torch.view_as_complex(torch.ones(2, dtype=torch.int64))


def view_as_other_size(torch: T) -> None:
    torch.ones(3).view(torch.float64)


def view_scalar_as_other_size(torch: T) -> None:
    torch.tensor(1.0).view(torch.float64)


def complex_of_integers(torch: T) -> None:
    torch.complex(torch.tensor([1]), torch.tensor([1]))


def complex_of_two_dtypes(torch: T) -> None:
    torch.complex(torch.ones(1), torch.ones(1, dtype=torch.float64))


def gather_with_float_index(torch: T) -> None:
    torch.gather(torch.ones(2), 0, torch.ones(1))


def index_select_with_float_index(torch: T) -> None:
    torch.index_select(torch.ones(2), 0, torch.ones(1))


def index_add_with_bool_index(torch: T) -> None:
    torch.zeros(2).index_add(0, torch.tensor([True]), torch.ones(1))


def scatter_add_of_other_dtype(torch: T) -> None:
    torch.zeros(2).scatter_add(0, torch.tensor([0]), torch.ones(1, dtype=torch.float64))


def masked_select_with_integers(torch: T) -> None:
    torch.masked_select(torch.ones(2), torch.tensor([0, 1]))


def where_with_integers(torch: T) -> None:
    torch.where(torch.tensor([1, 0]), torch.ones(2), torch.ones(2))


def embedding_with_float_index(torch: T) -> None:
    torch.nn.functional.embedding(torch.ones(1), torch.ones(2, 2))


def embedding_out_of_range(torch: T) -> None:
    torch.nn.functional.embedding(torch.tensor([2]), torch.ones(2, 2))


def one_hot_of_floats(torch: T) -> None:
    torch.nn.functional.one_hot(torch.ones(1))


def one_hot_of_negative(torch: T) -> None:
    torch.nn.functional.one_hot(torch.tensor([-1]))


def one_hot_too_few_classes(torch: T) -> None:
    torch.nn.functional.one_hot(torch.tensor([3]), 3)


def bincount_of_negative(torch: T) -> None:
    torch.bincount(torch.tensor([-1]))


def bincount_of_floats(torch: T) -> None:
    torch.bincount(torch.ones(2))


def multinomial_of_zeros(torch: T) -> None:
    torch.multinomial(torch.zeros(2), 1)


def multinomial_too_many(torch: T) -> None:
    torch.multinomial(torch.ones(2), 3)


def bernoulli_out_of_range(torch: T) -> None:
    torch.bernoulli(torch.full((2,), 2.0))


def normal_of_negative_deviation(torch: T) -> None:
    torch.normal(0.0, -1.0, (2,))


def uniform_wrong_way(torch: T) -> None:
    torch.ones(2).uniform_(1, 0)


def rand_of_integers(torch: T) -> None:
    torch.rand(2, dtype=torch.int64)


def randint_wrong_way(torch: T) -> None:
    torch.randint(3, 1, (2,))


def randperm_negative(torch: T) -> None:
    torch.randperm(-1)


def full_without_value(torch: T) -> None:
    torch.full((2,))


def cumsum_as_bool_is_allowed(torch: T) -> None:
    torch.tensor([True]).cumsum(0, dtype=torch.bool)


def prod_as_complex_is_allowed(torch: T) -> None:
    torch.ones(2).prod(dtype=torch.complex64)


def gelu_unknown_approximation(torch: T) -> None:
    torch.nn.functional.gelu(torch.ones(1), approximate="erf")


def exp_of_a_number(torch: T) -> None:
    torch.exp(1.0)


def sqrt_of_a_list(torch: T) -> None:
    torch.sqrt([1.0])


def logical_of_a_number(torch: T) -> None:
    torch.logical_and(torch.ones(1), 1)


def promote_of_strings(torch: T) -> None:
    torch.promote_types("float32", "int64")


def result_type_of_numbers(torch: T) -> None:
    torch.result_type("a", 1)


def to_string(torch: T) -> None:
    torch.ones(1).to("float32")


def type_of_number(torch: T) -> None:
    torch.ones(1).type(3)


def softmax_of_integers_over_the_first_axis(torch: T) -> None:
    torch.softmax(torch.ones(2, 2, dtype=torch.int64), 0)


def cumsum_in_small_integers(torch: T) -> object:
    return str(torch.tensor([2, 1]).cumsum(0, dtype=torch.uint8).dtype)


def cumprod_as_bool(torch: T) -> None:
    torch.tensor([True]).cumprod(0, dtype=torch.bool)


def floor_division_of_bools(torch: T) -> object:
    return torch.tensor([True]) // torch.tensor([True])


def slice_scatter_of_complex_with_grad(torch: T) -> object:
    x = torch.ones(3, requires_grad=True).to(torch.complex64)
    return torch.slice_scatter(x, torch.ones(1, dtype=torch.complex64), 0, 0, 1)


def select_scatter_of_complex_with_grad(torch: T) -> object:
    x = torch.ones(3, requires_grad=True)
    return torch.select_scatter(torch.ones(3, 3, dtype=torch.complex64), x, 0, 0)


def expand_of_complex_to_fewer_axes(torch: T) -> object:
    return torch.ones(3, 3, dtype=torch.complex128).expand(3)


def expand_of_bools_to_fewer_axes(torch: T) -> object:
    return torch.ones(3, 3, dtype=torch.bool).expand(3)


def repeat_interleave_by_counts_of_a_scalar(torch: T) -> object:
    return torch.tensor(1).repeat_interleave(torch.tensor([2]), dim=1)

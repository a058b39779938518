"""Indices that do not fit: in brackets, in gathers and scatters."""

from __future__ import annotations

from typing import Any

T = Any


def gather_dimensions(torch: T) -> None:
    torch.gather(torch.ones(2, 3), 1, torch.tensor([0]))


def gather_sizes(torch: T) -> None:
    torch.gather(torch.ones(2, 3), 1, torch.zeros(3, 1, dtype=torch.int64))


def gather_out_of_range(torch: T) -> None:
    torch.gather(torch.ones(2, 3), 1, torch.tensor([[3], [0]]))


def scatter_out_of_range(torch: T) -> None:
    torch.zeros(3).scatter(0, torch.tensor([3]), torch.ones(1))


def scatter_sizes(torch: T) -> None:
    torch.zeros(3).scatter(0, torch.tensor([0, 1]), torch.ones(1))


def scatter_unknown_reduction(torch: T) -> None:
    torch.zeros(3).scatter_reduce(0, torch.tensor([0]), torch.ones(1), reduce="median")


def index_select_out_of_range(torch: T) -> None:
    torch.index_select(torch.ones(3), 0, torch.tensor([3]))


def index_select_of_matrix(torch: T) -> None:
    torch.index_select(torch.ones(3), 0, torch.tensor([[0]]))


def index_add_sizes(torch: T) -> None:
    torch.zeros(3).index_add(0, torch.tensor([0, 1]), torch.ones(3))


def index_copy_sizes(torch: T) -> None:
    torch.zeros(3, 2).index_copy(0, torch.tensor([0]), torch.ones(2, 2))


def take_out_of_range(torch: T) -> None:
    torch.take(torch.ones(3), torch.tensor([3]))


def masked_select_sizes(torch: T) -> None:
    torch.masked_select(torch.ones(3), torch.tensor([True, False]))


def index_too_many(torch: T) -> None:
    torch.ones(2)[0, 0]


def index_scalar(torch: T) -> None:
    torch.tensor(1.0)[0]


def index_out_of_range(torch: T) -> None:
    torch.ones(2)[2]


def index_negative_out_of_range(torch: T) -> None:
    torch.ones(2, 3)[:, -4]


def index_list_out_of_range(torch: T) -> None:
    torch.ones(2)[[0, 2]]


def index_tensor_out_of_range(torch: T) -> None:
    torch.ones(2, 3)[:, torch.tensor([0, -4])]


def index_mask_shape(torch: T) -> None:
    torch.ones(2)[torch.tensor([True, False, True])]


def index_mask_shape_inside(torch: T) -> None:
    torch.ones(2, 3)[torch.ones(2, 2, dtype=torch.bool)]


def index_tensors_do_not_broadcast(torch: T) -> None:
    torch.ones(3, 3)[torch.tensor([0, 1]), torch.tensor([0, 1, 2])]


def index_negative_step(torch: T) -> None:
    torch.ones(3)[::-1]


def index_zero_step(torch: T) -> None:
    torch.ones(3)[::0]


def index_two_ellipses(torch: T) -> None:
    torch.ones(2, 2)[..., 0, ...]


def index_float(torch: T) -> None:
    torch.ones(3)[1.0]


def index_float_tensor(torch: T) -> None:
    torch.ones(3)[torch.tensor([1.0])]


def index_string(torch: T) -> None:
    torch.ones(3)["a"]


def index_float_slice(torch: T) -> None:
    torch.ones(3)[0.5:]


def index_uint8_mask_warns(torch: T) -> None:
    torch.ones(3)[torch.tensor([1, 0, 1], dtype=torch.uint8)]

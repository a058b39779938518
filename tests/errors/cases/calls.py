"""Calls with the wrong arguments: too few, too many, of a wrong type, of an unknown name."""

from __future__ import annotations

from typing import Any

T = Any


def add_with_a_string(torch: T) -> None:
    torch.add(torch.ones(1), "a")


def add_method_with_a_string(torch: T) -> None:
    torch.ones(1).add("a")


def sub_with_an_old_order(torch: T) -> None:
    torch.sub(torch.ones(1), 2, "a")


def clamp_without_bounds_by_name(torch: T) -> None:
    torch.clamp(torch.ones(1), low=1)


def clamp_method_with_a_string(torch: T) -> None:
    torch.ones(1).clamp("a")


def gather_without_an_index(torch: T) -> None:
    torch.gather(torch.ones(1), 0)


def gather_method_with_a_float_dim(torch: T) -> None:
    torch.ones(1).gather(0.5, torch.tensor([0]))


def index_select_of_a_list(torch: T) -> None:
    torch.ones(3).index_select(0, [1])


def cumsum_without_a_dim(torch: T) -> None:
    torch.cumsum(torch.ones(1))


def cumsum_method_with_too_many(torch: T) -> None:
    torch.ones(1).cumsum(0, 1)


def topk_of_a_float_count(torch: T) -> None:
    torch.ones(3).topk(1.5)


def sort_with_an_unknown_keyword(torch: T) -> None:
    torch.ones(3).sort(upside_down=True)


def amax_over_a_string(torch: T) -> None:
    torch.amax(torch.ones(3), "a")


def tril_with_a_string(torch: T) -> None:
    torch.ones(2, 2).tril("a")


def mm_of_one_matrix(torch: T) -> None:
    torch.mm(torch.ones(2, 2))


def addmm_of_two(torch: T) -> None:
    torch.ones(2, 2).addmm(torch.ones(2, 2))


def where_of_a_string(torch: T) -> None:
    torch.where("a", 1, 2)


def masked_fill_of_nothing(torch: T) -> None:
    torch.ones(2).masked_fill(torch.ones(2) > 0)


def roll_by_a_string(torch: T) -> None:
    torch.ones(3).roll("a")


def unsqueeze_without_a_dim(torch: T) -> None:
    torch.ones(3).unsqueeze()


def squeeze_with_a_float(torch: T) -> None:
    torch.ones(3).squeeze(1.5)


def select_of_a_float(torch: T) -> None:
    torch.ones(3).select(0, 1.5)


def cat_of_a_tensor(torch: T) -> None:
    torch.cat(torch.ones(3))


def cat_of_nones(torch: T) -> None:
    torch.cat((None, None))


def lerp_without_a_weight(torch: T) -> None:
    torch.lerp(torch.ones(1), torch.ones(1))


def addcmul_with_a_string(torch: T) -> None:
    torch.ones(1).addcmul(torch.ones(1), "a")


def linalg_norm_of_a_list(torch: T) -> None:
    torch.linalg.vector_norm([1.0])


def linalg_solve_of_one(torch: T) -> None:
    torch.linalg.solve(torch.ones(2, 2))


def repeat_interleave_by_a_string(torch: T) -> None:
    torch.ones(2).repeat_interleave("a")


def all_over_a_string(torch: T) -> None:
    torch.ones(2).all(dim="a", keepdim=1)


def argmax_over_a_string(torch: T) -> None:
    torch.argmax(torch.ones(2), "a")


def softmax_over_a_string(torch: T) -> None:
    torch.ones(2).softmax("a")


def diff_by_a_string(torch: T) -> None:
    torch.diff(torch.ones(2), "a")


def divide_of_nothing(torch: T) -> None:
    torch.divide()


def subtract_method_of_a_string(torch: T) -> None:
    torch.ones(1).subtract("a")


def absolute_of_a_string(torch: T) -> None:
    torch.absolute("a")


def greater_of_one(torch: T) -> None:
    torch.greater(torch.ones(1))


def concatenate_of_a_tensor(torch: T) -> None:
    torch.concatenate(torch.ones(1))


def moveaxis_method_of_nothing(torch: T) -> None:
    torch.ones(1).moveaxis()


def avg_pool1d_of_a_string(torch: T) -> None:
    torch.nn.functional.avg_pool1d("a")


def pixel_shuffle_without_a_factor(torch: T) -> None:
    torch.nn.functional.pixel_shuffle(torch.ones(1, 4, 1, 1))

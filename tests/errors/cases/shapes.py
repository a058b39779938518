"""Shapes and dimensions that do not fit."""

# ruff: noqa: B015  # expressions are evaluated for the errors that they raise

from __future__ import annotations

from typing import Any

T = Any


def add(torch: T) -> None:
    torch.ones(2, 3) + torch.ones(2, 4)


def add_at_first_dimension(torch: T) -> None:
    torch.ones(2, 3) + torch.ones(3, 3)


def compare(torch: T) -> None:
    torch.ones(3) < torch.ones(2)


def where(torch: T) -> None:
    torch.where(torch.tensor([True, False]), torch.ones(3), torch.ones(3))


def broadcast_shapes(torch: T) -> None:
    torch.broadcast_shapes((2, 3), (4,))


def broadcast_to(torch: T) -> None:
    torch.broadcast_to(torch.ones(3), (2, 4))


def matmul_matrices(torch: T) -> None:
    torch.ones(2, 3) @ torch.ones(2, 3)


def matmul_vectors(torch: T) -> None:
    torch.ones(2) @ torch.ones(3)


def matmul_matrix_and_vector(torch: T) -> None:
    torch.ones(2, 3) @ torch.ones(2)


def matmul_vector_and_matrix(torch: T) -> None:
    torch.ones(2) @ torch.ones(3, 2)


def matmul_batches(torch: T) -> None:
    torch.ones(2, 2, 3) @ torch.ones(3, 3, 2)


def matmul_scalars(torch: T) -> None:
    torch.tensor(1.0) @ torch.tensor(2.0)


def matmul_number(torch: T) -> None:
    torch.ones(2) @ 2


def mm_of_vectors(torch: T) -> None:
    torch.mm(torch.ones(2), torch.ones(2, 2))


def mm_of_batches(torch: T) -> None:
    torch.mm(torch.ones(1, 2, 2), torch.ones(2, 2))


def mm_sizes(torch: T) -> None:
    torch.mm(torch.ones(2, 3), torch.ones(4, 2))


def mv_sizes(torch: T) -> None:
    torch.mv(torch.ones(2, 3), torch.ones(2))


def dot_of_matrices(torch: T) -> None:
    torch.dot(torch.ones(2, 2), torch.ones(2, 2))


def dot_sizes(torch: T) -> None:
    torch.dot(torch.ones(2), torch.ones(3))


def bmm_of_matrices(torch: T) -> None:
    torch.bmm(torch.ones(2, 2), torch.ones(2, 2))


def bmm_sizes(torch: T) -> None:
    torch.bmm(torch.ones(2, 2, 3), torch.ones(2, 2, 3))


def addmm_sizes(torch: T) -> None:
    torch.addmm(torch.ones(3, 3), torch.ones(2, 3), torch.ones(3, 2))


def baddbmm_sizes(torch: T) -> None:
    torch.baddbmm(torch.ones(3, 3, 3), torch.ones(2, 2, 3), torch.ones(2, 3, 2))


def outer_of_matrices(torch: T) -> None:
    torch.outer(torch.ones(2, 2), torch.ones(2))


def linear_sizes(torch: T) -> None:
    torch.nn.functional.linear(torch.ones(2, 3), torch.ones(4, 5))


def einsum_sizes(torch: T) -> None:
    torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(2, 3))


def einsum_too_few_letters(torch: T) -> None:
    torch.einsum("i->i", torch.ones(2, 3))


def einsum_unknown_output(torch: T) -> None:
    torch.einsum("ij->ik", torch.ones(2, 3))


def einsum_repeated_output(torch: T) -> None:
    torch.einsum("ij->ii", torch.ones(2, 2))


def einsum_too_many_operands(torch: T) -> None:
    torch.einsum("ij", torch.ones(2, 3), torch.ones(2, 3))


def einsum_bad_character(torch: T) -> None:
    torch.einsum("i1->i", torch.ones(2, 3))


def view_count(torch: T) -> None:
    torch.ones(6).view(4)


def view_two_unknown(torch: T) -> None:
    torch.ones(6).view(-1, -1)


def view_negative(torch: T) -> None:
    torch.ones(6).view(-2, 3)


def view_unknown_does_not_divide(torch: T) -> None:
    torch.ones(6).view(4, -1)


def view_of_empty_is_ambiguous(torch: T) -> None:
    torch.ones(0).view(-1, 0)


def view_of_transposed(torch: T) -> None:
    torch.ones(2, 3).t().view(6)


def reshape_count(torch: T) -> None:
    torch.ones(6).reshape(2, 2)


def unflatten_sizes(torch: T) -> None:
    torch.ones(6).unflatten(0, (4, 2))


def flatten_order(torch: T) -> None:
    torch.ones(2, 3, 4).flatten(2, 1)


def expand_sizes(torch: T) -> None:
    torch.ones(2, 3).expand(4, 3)


def expand_to_fewer(torch: T) -> None:
    torch.ones(2, 3).expand(3)


def expand_unknown_leading(torch: T) -> None:
    torch.ones(3).expand(-1, 3)


def repeat_fewer(torch: T) -> None:
    torch.ones(2, 3).repeat(2)


def permute_count(torch: T) -> None:
    torch.ones(2, 3).permute(0)


def permute_repeated(torch: T) -> None:
    torch.ones(2, 3).permute(0, 0)


def transpose_dim(torch: T) -> None:
    torch.ones(2, 3).transpose(0, 2)


def t_of_three_dimensions(torch: T) -> None:
    torch.ones(2, 3, 4).t()


def transposed_property_of_three_dimensions(torch: T) -> object:
    return torch.ones(2, 3, 4).T


def matrix_transpose_of_vector(torch: T) -> object:
    return torch.ones(2).mT


def squeeze_dim(torch: T) -> None:
    torch.ones(2).squeeze(1)


def unsqueeze_dim(torch: T) -> None:
    torch.ones(2).unsqueeze(3)


def select_index(torch: T) -> None:
    torch.ones(2, 3).select(1, 3)


def select_dim(torch: T) -> None:
    torch.ones(2, 3).select(2, 0)


def narrow_length(torch: T) -> None:
    torch.ones(3).narrow(0, 1, 3)


def narrow_start(torch: T) -> None:
    torch.ones(3).narrow(0, 4, 0)


def narrow_negative_length(torch: T) -> None:
    torch.ones(3).narrow(0, 0, -1)


def split_sizes(torch: T) -> None:
    torch.ones(5).split([2, 2])


def split_zero(torch: T) -> None:
    torch.ones(5).split(0)


def chunk_zero(torch: T) -> None:
    torch.ones(5).chunk(0)


def unbind_scalar(torch: T) -> None:
    torch.tensor(1.0).unbind()


def diagonal_same_dims(torch: T) -> None:
    torch.ones(2, 2).diagonal(0, 1, 1)


def diagonal_of_vector(torch: T) -> None:
    torch.ones(2).diagonal()


def as_strided_out_of_bounds(torch: T) -> None:
    torch.ones(4).as_strided((3, 2), (2, 1))


def as_strided_negative(torch: T) -> None:
    torch.ones(4).as_strided((2,), (-1,))


def as_strided_lengths(torch: T) -> None:
    torch.ones(4).as_strided((2, 2), (1,))


def unfold_size(torch: T) -> None:
    torch.ones(4).unfold(0, 5, 1)


def cat_sizes(torch: T) -> None:
    torch.cat([torch.ones(2, 3), torch.ones(2, 4)])


def cat_dimensions(torch: T) -> None:
    torch.cat([torch.ones(2, 3), torch.ones(3)])


def cat_dim(torch: T) -> None:
    torch.cat([torch.ones(2), torch.ones(2)], dim=1)


def cat_nothing(torch: T) -> None:
    torch.cat([])


def cat_scalars(torch: T) -> None:
    torch.cat([torch.tensor(1.0), torch.tensor(2.0)])


def stack_sizes(torch: T) -> None:
    torch.stack([torch.ones(2), torch.ones(3)])


def stack_nothing(torch: T) -> None:
    torch.stack([])


def stack_dim(torch: T) -> None:
    torch.stack([torch.ones(2), torch.ones(2)], dim=2)


def sum_dim(torch: T) -> None:
    torch.ones(2, 3).sum(2)


def sum_repeated_dim(torch: T) -> None:
    torch.ones(2, 3).sum((0, 0))


def softmax_dim(torch: T) -> None:
    torch.softmax(torch.ones(2), 1)


def cumsum_dim(torch: T) -> None:
    torch.ones(2).cumsum(-2)


def max_of_empty(torch: T) -> None:
    torch.ones(0).max()


def max_of_empty_along_dim(torch: T) -> None:
    torch.ones(0, 2).max(dim=0)


def argmax_of_empty(torch: T) -> None:
    torch.ones(0).argmax()


def amax_of_empty(torch: T) -> None:
    torch.ones(0).amax()


def flip_repeated(torch: T) -> None:
    torch.ones(2, 2).flip((0, 0))


def roll_counts(torch: T) -> None:
    torch.ones(2, 2).roll((1, 2), 0)


def movedim_counts(torch: T) -> None:
    torch.ones(2, 2).movedim((0, 1), (0,))


def topk_too_many(torch: T) -> None:
    torch.topk(torch.ones(3), 4)


def kthvalue_zero(torch: T) -> None:
    torch.kthvalue(torch.ones(3), 0)


def sort_dim(torch: T) -> None:
    torch.sort(torch.ones(3), dim=1)


def diag_of_cube(torch: T) -> None:
    torch.diag(torch.ones(2, 2, 2))


def trace_of_vector(torch: T) -> None:
    torch.trace(torch.ones(2))


def tril_of_vector(torch: T) -> None:
    torch.tril(torch.ones(2))


def cross_sizes(torch: T) -> None:
    torch.linalg.cross(torch.ones(2), torch.ones(2))


def inverse_of_rectangle(torch: T) -> None:
    torch.linalg.inv(torch.ones(2, 3))


def inverse_of_singular(torch: T) -> None:
    torch.linalg.inv(torch.zeros(2, 2))


def solve_sizes(torch: T) -> None:
    torch.linalg.solve(torch.eye(2), torch.ones(3))


def solve_singular(torch: T) -> None:
    torch.linalg.solve(torch.zeros(2, 2), torch.ones(2))


def cholesky_of_negative(torch: T) -> None:
    torch.linalg.cholesky(-torch.eye(2))


def negative_size(torch: T) -> None:
    torch.zeros(2, -1)


def arange_wrong_way(torch: T) -> None:
    torch.arange(3, 0, 1)


def arange_step_zero(torch: T) -> None:
    torch.arange(0, 3, 0)


def linspace_negative_steps(torch: T) -> None:
    torch.linspace(0, 1, -1)


def eye_negative(torch: T) -> None:
    torch.eye(-1)


def meshgrid_of_matrices(torch: T) -> None:
    torch.meshgrid(torch.ones(2, 2), torch.ones(2), indexing="ij")


def meshgrid_without_indexing_warns(torch: T) -> None:
    torch.meshgrid(torch.ones(2), torch.ones(2))


def tensordot_sizes(torch: T) -> None:
    torch.tensordot(torch.ones(2, 3), torch.ones(2, 3), 1)

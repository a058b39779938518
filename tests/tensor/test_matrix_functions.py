"""Derivatives of matrix functions where the generic checks cannot look: Hermitian arguments, functions of
vectors up to their phases, losses that depend on phases, repeated eigenvalues, transforms.
"""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import pullback as torch
from pullback.autograd import gradcheck, gradgradcheck

REAL_AND_COMPLEX = pytest.mark.parametrize("dtype", [torch.float64, torch.complex128], ids=str)


def matrix(*shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=shape)
    if dtype.is_complex:
        x = x + 1j * rng.normal(size=shape)
    return torch.tensor(x, dtype=dtype)


def check(function, *args):
    leaves = tuple(a.detach().requires_grad_() for a in args)
    assert gradcheck(function, leaves, check_forward_ad=True)
    assert gradgradcheck(function, leaves)


@REAL_AND_COMPLEX
def test_functions_of_hermitian_matrices(dtype):
    a = matrix(3, 3, dtype=dtype)

    def hermitian(x):
        return x @ x.mH + torch.eye(3, dtype=dtype)

    check(lambda x: torch.linalg.eigvalsh(hermitian(x)), a)
    check(lambda x: torch.linalg.eigh(hermitian(x)).eigenvectors.abs(), a)
    check(lambda x: torch.linalg.eigh(hermitian(x), UPLO="U").eigenvectors.abs(), a)
    check(lambda x: torch.linalg.cholesky(hermitian(x), upper=True), a)
    check(lambda x: torch.cholesky_inverse(torch.linalg.cholesky(hermitian(x))), a)
    check(
        lambda x, b: torch.cholesky_solve(b, torch.linalg.cholesky(hermitian(x))),
        a,
        matrix(3, 2, dtype=dtype),
    )
    check(lambda x: torch.linalg.pinv(hermitian(x), hermitian=True), a)


@REAL_AND_COMPLEX
def test_eigenvectors_up_to_their_phases(dtype):
    a = matrix(2, 3, 3, dtype=dtype)
    check(lambda x: torch.linalg.eig(x).eigenvectors.abs(), a)

    def exponential(x):
        values, vectors = torch.linalg.eig(x)
        return (vectors * values.exp().unsqueeze(-2)) @ torch.linalg.inv(vectors)

    check(exponential, a)


@REAL_AND_COMPLEX
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2)], ids=str)
def test_singular_vectors_up_to_their_phases(dtype, shape):
    a = matrix(*shape, dtype=dtype)
    check(torch.linalg.svdvals, a)
    check(lambda x: torch.linalg.svd(x, full_matrices=False).U.abs(), a)

    def polar(x):
        u, _, vh = torch.linalg.svd(x, full_matrices=False)
        return u @ vh

    check(polar, a)


@REAL_AND_COMPLEX
def test_pseudoinverse_of_a_fixed_rank(dtype):
    def low_rank(x, y):
        return torch.linalg.pinv(x @ y, rtol=1e-8)

    check(low_rank, matrix(4, 2, dtype=dtype), matrix(2, 3, dtype=dtype, seed=1))


@REAL_AND_COMPLEX
@pytest.mark.parametrize("order", ["nuc", 2, -2, 1, float("inf"), "fro"])
def test_matrix_norms(dtype, order):
    check(lambda x: torch.linalg.matrix_norm(x, order), matrix(2, 4, 3, dtype=dtype))


@pytest.mark.parametrize("order", [None, "nuc", "fro", -2, 1])
def test_condition(order):
    check(lambda x: torch.linalg.cond(x, order), matrix(3, 3, dtype=torch.float64))


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda x: torch.linalg.eigh(x + x.mH).eigenvectors, "linalg_eigh"),
        (lambda x: torch.linalg.eig(x).eigenvectors, "linalg_eig"),
        (lambda x: torch.linalg.svd(x).U, "svd"),
        (lambda x: torch.linalg.svd(x).Vh, "svd"),
    ],
)
def test_losses_that_depend_on_phases_are_refused(function, name):
    a = matrix(3, 3, dtype=torch.complex128).requires_grad_()
    with pytest.raises(RuntimeError, match=f"{name}_backward: The .*vectors in the complex case"):
        (function(a).sum() * (1 + 2j)).real.backward()


@pytest.mark.parametrize(
    "function",
    [
        torch.linalg.eigvalsh, torch.linalg.svdvals,
        lambda x: torch.linalg.eigvals(x).real, lambda x: torch.linalg.matrix_norm(x, "nuc"),
    ],
)  # fmt: skip
def test_values_alone_do_not_mind_being_equal(function):
    a = torch.eye(3, dtype=torch.float64, requires_grad=True)
    function(a).sum().backward()
    np.testing.assert_allclose(a.grad.numpy(), np.eye(3), atol=1e-12)


def test_determinant_of_singular_matrices_has_the_adjugate_as_gradient():
    a = torch.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=torch.float64, requires_grad=True)
    torch.linalg.det(a).backward()
    np.testing.assert_allclose(a.grad.numpy(), [[4.0, -2.0], [-2.0, 1.0]], atol=1e-12)


def cofactors(x):
    """By minors."""
    result = np.empty_like(x)
    for i, j in np.ndindex(*x.shape):
        result[i, j] = (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(x, i, 0), j, 1))
    return result


@REAL_AND_COMPLEX
def test_determinant_of_singular_matrices_has_second_derivatives(dtype):
    a = (matrix(3, 2, dtype=dtype) @ matrix(2, 3, dtype=dtype, seed=1)).requires_grad_()
    v, t = matrix(3, 3, dtype=dtype, seed=2), matrix(3, 3, dtype=dtype, seed=3).numpy()
    (first,) = torch.autograd.grad(torch.linalg.det(a), a, torch.ones((), dtype=dtype), create_graph=True)
    (second,) = torch.autograd.grad(first, a, v)
    x = a.detach().numpy()
    np.testing.assert_allclose(first.detach().numpy(), cofactors(x).conj(), atol=1e-12)
    # Cofactors of three rows are quadratic, so that central differences are exact but for rounding.
    change = (cofactors(x + 1e-3 * t) - cofactors(x - 1e-3 * t)).conj() / 2e-3
    along = np.sum(np.real(second.numpy().conj() * t))
    np.testing.assert_allclose(along, np.sum(np.real(v.numpy().conj() * change)), rtol=1e-8)


@pytest.mark.parametrize("driver", ["gels", "gelsy", "gelsd", "gelss"])
def test_least_squares_of_a_stack(driver):
    a = matrix(2, 4, 3, dtype=torch.float64)
    b = matrix(2, 4, 2, dtype=torch.float64, seed=1)
    found = torch.linalg.lstsq(a, b, driver=driver)
    for i in range(2):
        want, residuals, rank, values = np.linalg.lstsq(a[i].numpy(), b[i].numpy(), rcond=None)
        np.testing.assert_allclose(found.solution[i].numpy(), want)
        if driver != "gelsy":
            np.testing.assert_allclose(found.residuals[i].numpy(), residuals)
        if driver != "gels":
            assert found.rank[i] == rank
        if driver in ("gelsd", "gelss"):
            np.testing.assert_allclose(found.singular_values[i].numpy(), values)
    check(lambda x, y: torch.linalg.lstsq(x, y, driver=driver).solution, a, b)


def test_one_matrix_of_several_systems_tells_its_rank_once():
    a, b = matrix(1, 3, 3, dtype=torch.float64), matrix(2, 3, 3, dtype=torch.float64, seed=1)
    found = torch.linalg.lstsq(a, b, driver="gelsd")
    assert [tuple(part.shape) for part in found] == [(2, 3, 3), (0,), (1,), (1, 3)]
    rank, _ = torch.vmap(lambda y: torch.linalg.lstsq(a[0], y, driver="gelsd")[2:])(b)
    assert rank.tolist() == [3, 3]


def test_least_squares_of_vectors_under_vmap():
    a, b = matrix(3, 4, 2, dtype=torch.float64), matrix(4, dtype=torch.float64, seed=1)
    together = torch.vmap(lambda x: torch.linalg.lstsq(x, b, driver="gelsd").solution)(a)
    for i in range(3):
        np.testing.assert_allclose(
            together[i].numpy(), np.linalg.lstsq(a[i].numpy(), b.numpy(), rcond=None)[0]
        )


def test_low_rank_factors_give_the_matrix_back():
    torch.manual_seed(0)
    x, y = torch.randn(7, 2, dtype=torch.float64), torch.randn(2, 5, dtype=torch.float64)
    for a in (x @ y, (x @ y).mT):
        u, s, v = torch.svd_lowrank(a, q=3)
        np.testing.assert_allclose(((u * s) @ v.mT).numpy(), a.numpy(), atol=1e-10)
    a = x @ y
    u, s, v = torch.pca_lowrank(a, q=2)
    np.testing.assert_allclose(((u * s) @ v.mT).numpy(), (a - a.mean(0)).numpy(), atol=1e-10)


def test_exponential_of_large_and_of_nilpotent_matrices():
    turn = torch.tensor([[0.0, -50.0], [50.0, 0.0]], dtype=torch.float64)
    want = [[np.cos(50), -np.sin(50)], [np.sin(50), np.cos(50)]]
    np.testing.assert_allclose(torch.matrix_exp(turn).numpy(), want, atol=1e-11)
    shift = torch.diag(torch.ones(3, dtype=torch.float64), 1)
    np.testing.assert_allclose(torch.matrix_exp(shift)[0].numpy(), [1, 1, 1 / 2, 1 / 6])


def test_distances_by_one_product_and_by_differences_agree():
    x, y = matrix(40, 3, dtype=torch.float64), matrix(30, 3, dtype=torch.float64, seed=1)
    slow = torch.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist")
    np.testing.assert_allclose(torch.cdist(x, y).numpy(), slow.numpy(), rtol=1e-7)
    check(torch.cdist, x[:4], y[:3])


def test_distances_by_a_product_are_computed_where_they_are_returned():
    x = torch.ones(300, 4)
    torch.cdist(x, x)
    tracemalloc.start()
    try:
        found = torch.cdist(x, x)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.5 * found.nbytes


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128], ids=str)
@pytest.mark.parametrize("driver", ["gels", "gelsy", "gelsd", "gelss"])
def test_least_squares_of_middling_size(driver, dtype):
    a, b = matrix(50, 40, dtype=dtype), matrix(50, 2, dtype=dtype, seed=1)
    want = np.linalg.lstsq(a.numpy(), b.numpy(), rcond=None)[0]
    np.testing.assert_allclose(
        torch.linalg.lstsq(a, b, driver=driver).solution.numpy(), want,
        rtol=1e4 * torch.finfo(dtype).eps, atol=1e3 * torch.finfo(dtype).eps,
    )  # fmt: skip


SQUARE = [
    "cholesky", "cholesky_ex", "cond", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "inv_ex",
    "ldl_factor", "lu", "lu_factor", "matrix_exp", "matrix_norm", "matrix_rank", "pinv", "qr", "slogdet",
    "svd", "svdvals",
]  # fmt: skip


@REAL_AND_COMPLEX
@pytest.mark.parametrize("name", SQUARE)
def test_one_thread_gives_what_several_give(name, dtype, monkeypatch):
    from pullback.array import lapack

    x = matrix(40, 40, dtype=dtype)
    x = x @ x.mH / 40 + torch.eye(40, dtype=dtype)
    found = getattr(torch.linalg, name)(x)
    monkeypatch.setattr(lapack, "ONE_THREAD", range(0))
    want = getattr(torch.linalg, name)(x)
    for one, several in zip(*[r if isinstance(r, tuple) else (r,) for r in (found, want)], strict=True):
        assert torch.allclose(one.abs(), several.abs(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64])
def test_infinite_matrices_have_no_singular_values_and_no_complaint(dtype, capfd):
    """LAPACK writes to the terminal about a large matrix with an infinity."""
    x = torch.eye(64, dtype=dtype).repeat(2, 1, 1)
    x[0, 3, 3] = float("inf")
    values = torch.linalg.svdvals(x)
    assert values[0].isnan().all()
    assert (values[1] == 1).all()
    x[0, 4, 4] = float("nan")
    with pytest.raises(RuntimeError, match="non-finite"):
        torch.linalg.svdvals(x)
    assert capfd.readouterr() == ("", "")

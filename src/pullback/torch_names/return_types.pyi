"""torch.return_types.

Written by tools/make_stubs.py: run ``python -m tools.make_stubs``, and change nothing here by hand.
"""

from typing import Any
from ..tensor.tensor import Tensor


class aminmax(tuple[Tensor, Tensor]):
    """The result of `aminmax`."""

    @property
    def min(self) -> Tensor: ...
    @property
    def max(self) -> Tensor: ...
class cummax(tuple[Tensor, Tensor]):
    """The result of `cummax`."""

    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...
class cummin(tuple[Tensor, Tensor]):
    """The result of `cummin`."""

    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...
class frexp(tuple[Tensor, Tensor]):
    """The result of `frexp`."""

    @property
    def mantissa(self) -> Tensor: ...
    @property
    def exponent(self) -> Tensor: ...
class geqrf(tuple[Tensor, Tensor]):
    """The result of `geqrf`."""

    @property
    def a(self) -> Tensor: ...
    @property
    def tau(self) -> Tensor: ...
class histogram(tuple[Tensor, Tensor]):
    """The result of `histogram`."""

    @property
    def hist(self) -> Tensor: ...
    @property
    def bin_edges(self) -> Tensor: ...
class histogramdd(tuple[Tensor, tuple[Tensor, ...]]):
    """The result of `histogramdd`."""

    @property
    def hist(self) -> Tensor: ...
    @property
    def bin_edges(self) -> tuple[Tensor, ...]: ...
class kthvalue(tuple[Tensor, Tensor]):
    """The result of `kthvalue`."""

    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...
class linalg_cholesky_ex(tuple[Tensor, Tensor]):
    """The result of `linalg.cholesky_ex`."""

    @property
    def L(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...
class linalg_eig(tuple[Tensor, Tensor]):
    """The result of `linalg.eig`."""

    @property
    def eigenvalues(self) -> Tensor: ...
    @property
    def eigenvectors(self) -> Tensor: ...
class linalg_eigh(tuple[Tensor, Tensor]):
    """The result of `linalg.eigh`."""

    @property
    def eigenvalues(self) -> Tensor: ...
    @property
    def eigenvectors(self) -> Tensor: ...
class linalg_inv_ex(tuple[Tensor, Tensor]):
    """The result of `linalg.inv_ex`."""

    @property
    def inverse(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...
class linalg_ldl_factor(tuple[Tensor, Tensor]):
    """The result of `linalg.ldl_factor`."""

    @property
    def LD(self) -> Tensor: ...
    @property
    def pivots(self) -> Tensor: ...
class linalg_ldl_factor_ex(tuple[Tensor, Tensor, Tensor]):
    """The result of `linalg.ldl_factor_ex`."""

    @property
    def LD(self) -> Tensor: ...
    @property
    def pivots(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...
class linalg_lstsq(tuple[Tensor, Tensor, Tensor, Tensor]):
    """The result of `linalg.lstsq`."""

    @property
    def solution(self) -> Tensor: ...
    @property
    def residuals(self) -> Tensor: ...
    @property
    def rank(self) -> Tensor: ...
    @property
    def singular_values(self) -> Tensor: ...
class linalg_lu(tuple[Tensor, Tensor, Tensor]):
    """The result of `linalg.lu`."""

    @property
    def P(self) -> Tensor: ...
    @property
    def L(self) -> Tensor: ...
    @property
    def U(self) -> Tensor: ...
class linalg_lu_factor(tuple[Tensor, Tensor]):
    """The result of `linalg.lu_factor`."""

    @property
    def LU(self) -> Tensor: ...
    @property
    def pivots(self) -> Tensor: ...
class linalg_lu_factor_ex(tuple[Tensor, Tensor, Tensor]):
    """The result of `linalg.lu_factor_ex`."""

    @property
    def LU(self) -> Tensor: ...
    @property
    def pivots(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...
class linalg_qr(tuple[Tensor, Tensor]):
    """The result of `linalg.qr`."""

    @property
    def Q(self) -> Tensor: ...
    @property
    def R(self) -> Tensor: ...
class linalg_slogdet(tuple[Tensor, Tensor]):
    """The result of `linalg.slogdet`."""

    @property
    def sign(self) -> Tensor: ...
    @property
    def logabsdet(self) -> Tensor: ...
class linalg_solve_ex(tuple[Tensor, Tensor]):
    """The result of `linalg.solve_ex`."""

    @property
    def result(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...
class linalg_svd(tuple[Tensor, Tensor, Tensor]):
    """The result of `linalg.svd`."""

    @property
    def U(self) -> Tensor: ...
    @property
    def S(self) -> Tensor: ...
    @property
    def Vh(self) -> Tensor: ...
class lu_unpack(tuple[Tensor, Tensor, Tensor]):
    """The result of `lu_unpack`."""

    @property
    def P(self) -> Tensor: ...
    @property
    def L(self) -> Tensor: ...
    @property
    def U(self) -> Tensor: ...
class max(tuple[Tensor, Tensor]):
    """The result of `max`."""

    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...
class median(tuple[Tensor, Tensor]):
    """The result of `median`."""

    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...
class min(tuple[Tensor, Tensor]):
    """The result of `min`."""

    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...
class mode(tuple[Tensor, Tensor]):
    """The result of `mode`."""

    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...
class nanmedian(tuple[Tensor, Tensor]):
    """The result of `nanmedian`."""

    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...
class qr(tuple[Tensor, Tensor]):
    """The result of `qr`."""

    @property
    def Q(self) -> Tensor: ...
    @property
    def R(self) -> Tensor: ...
class slogdet(tuple[Tensor, Tensor]):
    """The result of `slogdet`."""

    @property
    def sign(self) -> Tensor: ...
    @property
    def logabsdet(self) -> Tensor: ...
class sort(tuple[Tensor, Tensor]):
    """The result of `sort`."""

    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...
class svd(tuple[Tensor, Tensor, Tensor]):
    """The result of `svd`."""

    @property
    def U(self) -> Tensor: ...
    @property
    def S(self) -> Tensor: ...
    @property
    def V(self) -> Tensor: ...
class topk(tuple[Tensor, Tensor]):
    """The result of `topk`."""

    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...
class triangular_solve(tuple[Tensor, Tensor]):
    """The result of `triangular_solve`."""

    @property
    def solution(self) -> Tensor: ...
    @property
    def cloned_coefficient(self) -> Tensor: ...
all_return_types: list[type[tuple[Any, ...]]]

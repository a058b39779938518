"""Decompositions."""

from typing import assert_type

import torch
from torch import Tensor

a = torch.eye(3, dtype=torch.float64) * 2
assert_type(torch.linalg.svd(a).Vh, Tensor)
assert_type(torch.svd(a).V, Tensor)
q, r = torch.linalg.qr(a)
assert_type(q @ r, Tensor)
assert_type(torch.linalg.eigh(a).eigenvalues, Tensor)
assert_type(torch.linalg.slogdet(a).logabsdet, Tensor)
assert_type(torch.linalg.lstsq(a, a).solution, Tensor)
assert_type(torch.linalg.lu(a).P, Tensor)
assert_type(torch.linalg.inv_ex(a).info, Tensor)
assert_type(torch.linalg.solve(a, a), Tensor)
assert_type(torch.linalg.norm(a), Tensor)
assert_type(torch.fft.rfft(a), Tensor)
assert_type(torch.special.erf(a), Tensor)

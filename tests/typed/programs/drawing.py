"""Random numbers and distributions."""

from typing import assert_type

import torch
from torch import Tensor
from torch.distributions import Categorical, Normal, kl_divergence

generator = torch.Generator().manual_seed(3)
assert_type(torch.rand(2, 3, generator=generator), Tensor)
assert_type(torch.randn_like(torch.ones(3)), Tensor)
assert_type(torch.randint(0, 5, (3,)), Tensor)
assert_type(torch.randperm(5), Tensor)
assert_type(torch.multinomial(torch.ones(3), 2), Tensor)
p, q = Normal(0.0, 1.0), Normal(torch.zeros(3), torch.ones(3))
sample: Tensor = q.rsample((2,))
distance: Tensor = kl_divergence(p, q)
action: Tensor = Categorical(logits=torch.zeros(4)).sample()

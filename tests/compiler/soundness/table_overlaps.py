"""Programs that read the memory that they write to in one op, and gradients that lie in another's memory."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== out_overlaps_what_is_read: raises
def step(x):
    b = x * 1
    torch.mul(b[1:4], 2, out=b[:3])
    return b
--- call
torch.arange(6.0)
=== out_of_a_state_overlaps_what_is_read: raises
b = torch.arange(6.0)
def step(x):
    torch.clamp(b[1:], 0, 3, out=b[:-1])
    return b * 1
--- state
b
=== out_is_what_is_read: compiles
b = torch.arange(6.0)
def step(x):
    torch.mul(b[:3], x, out=b[:3])
    torch.add(b[:3], 1, out=b[3:])
    return b * 1
--- state
b
=== rows_added_to_their_own_tensor: raises
def step(x):
    b = x * 1
    b.index_add_(0, torch.tensor([0, 0, 1]), b)
    return b
=== scattered_into_itself: raises
def step(x):
    b = x * 1
    b.scatter_(0, torch.tensor([2, 0, 1]), b)
    return b
=== overlapping_rows_of_data: raises
w = torch.arange(6.0).requires_grad_()
def step(x):
    w.data[:3].sub_(w.data[2:5])
    return w * 1
--- state
w
=== apart_rows_of_data: compiles
w = torch.arange(6.0).requires_grad_()
def step(x):
    w.data[:3].sub_(w.data[3:])
    w.data.mul_(w.data)
    return w * 1
--- state
w
=== gradient_in_the_memory_of_its_leaf
w = torch.ones(3, requires_grad=True)
def step(x):
    w.grad = w.detach()
    (w * x).sum().backward()
    return w * 1
--- change 2
w.grad.add_(1)
--- state
w
''')

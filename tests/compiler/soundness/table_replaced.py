"""Programs whose tensors get other data between a call and its backward."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== data_assigned_to_what_a_product_of_two_functions_has_saved: compiles
w = torch.ones(3, requires_grad=True); v = torch.full((3,), 2.0, requires_grad=True)
def step(x): return w.sin() * w.cos() / v
--- change 2 3 5
w.data = torch.full((3,), 0.5 + n)
last.sum().backward()
--- state
w, v
=== data_assigned_to_a_divisor: compiles
w = torch.ones(3, requires_grad=True); v = torch.full((3,), 2.0, requires_grad=True)
def step(x): return w.sin() / v
--- change 2 3 5
w.data = torch.full((3,), 0.5 + n); v.data = torch.full((3,), 0.5 + n)
last.sum().backward()
--- state
w, v
=== data_assigned_between_saved_and_computed: compiles
w = torch.ones(3, requires_grad=True); v = torch.full((3,), 2.0, requires_grad=True)
def step(x): return (w.sin() * w.cos()).exp() / v.tanh() + w ** 3
--- change 2 3 5
w.data = torch.full((3,), 0.5 + n); v.data = torch.full((3,), 0.5 + n)
last.sum().backward()
--- state
w, v
=== data_written_to_what_a_product_of_two_functions_has_saved: compiles
w = torch.ones(3, requires_grad=True); v = torch.full((3,), 2.0, requires_grad=True)
def step(x): return w.sin() * w.cos() / v
--- change 2 3 5
w.data.add_(0.5)
last.sum().backward()
--- state
w, v
''')

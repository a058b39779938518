"""Programs of modules: training flags, submodules, parameters, buffers and containers that change."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== dropout_to_eval: compiles
m = nn.Dropout(0.5)
def step(x): return m(x)
--- change 3
m.eval()
--- change 5
m.train()
=== dropout_probability: compiles
m = nn.Dropout(0.5)
def step(x): return m(x)
--- change 3
m.p = 0.1
=== training_flag_read: compiles
m = nn.Identity()
def step(x): return x * 2 if m.training else x * 3
--- change 3
m.training = False
=== nested_eval: compiles
m = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.Dropout(0.5)))
def step(x): return m(x)
--- thread 3
m[1].eval()
=== batch_norm_modes: compiles
m = nn.BatchNorm1d(3)
def step(x): return m(x)
--- call
torch.arange(6.0).reshape(2, 3) * (n + 1)
--- change 3
m.eval()
--- change 5
m.train()
--- state
m, m.num_batches_tracked
=== batch_norm_momentum: compiles
m = nn.BatchNorm1d(3)
def step(x): return m(x)
--- call
torch.arange(6.0).reshape(2, 3) * (n + 1)
--- change 3
m.momentum = 0.5
--- state
m
=== batch_norm_cumulative: raises
m = nn.BatchNorm1d(3, momentum=None)
def step(x): return m(x)
--- call
torch.arange(6.0).reshape(2, 3) * (n + 1)
--- state
m
=== batch_norm_statistics_reset: compiles
m = nn.BatchNorm1d(3)
def step(x): return m(x)
--- call
torch.arange(6.0).reshape(2, 3) * (n + 1)
--- change 3
m.reset_running_stats()
--- state
m
=== linear_in_place_write: compiles
m = nn.Linear(3, 2)
def step(x): return m(x)
--- change 3
with torch.no_grad(): m.weight.fill_(0.5)
=== linear_data_written: compiles
m = nn.Linear(3, 2)
def step(x): return m(x)
--- change 3
m.weight.data = torch.ones(2, 3)
=== linear_data_other_shape: compiles
m = nn.Linear(3, 2)
def step(x): return m(x)
--- change 3
m.weight.data = torch.ones(4, 3); m.bias.data = torch.zeros(4)
=== linear_data_other_dtype: compiles
m = nn.Linear(3, 2)
def step(x): return m(x.to(m.weight.dtype))
--- change 3
m.double()
--- change 5
m.float()
=== linear_data_transposed: compiles
m = nn.Linear(3, 3)
def step(x): return m(x)
--- change 3
m.weight.data = m.weight.data.t()
=== parameter_replaced: compiles
m = nn.Linear(3, 2)
def step(x): return m(x)
--- change 3
m.weight = nn.Parameter(torch.ones(2, 3))
--- state
list(m.parameters())
=== parameter_removed: compiles
m = nn.Linear(3, 2)
def step(x): return m(x)
--- change 3
m.bias = None
=== parameter_becomes_buffer: compiles
m = nn.Linear(3, 2)
def step(x): return m(x)
--- change 3
del m.weight; m.register_buffer("weight", torch.ones(2, 3))
=== parameter_shared_later: compiles
a, b = nn.Linear(3, 3), nn.Linear(3, 3)
def step(x):
    y = b(a(x)).sum()
    y.backward()
    return y
--- change 3
b.weight = a.weight
--- state
a.weight.grad, b.weight.grad
=== parameter_frozen: compiles
m = nn.Linear(3, 2)
def step(x):
    y = m(x).sum()
    y.backward()
    return y
--- change 3
m.weight.requires_grad_(False)
--- state
m.weight.grad, m.bias.grad
=== all_frozen: compiles
m = nn.Linear(3, 2)
def step(x): return m(x)
--- change 3
m.requires_grad_(False)
--- change 5
m.requires_grad_(True)
=== submodule_replaced: compiles
m = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
def step(x): return m(x)
--- change 3
m[1] = nn.Tanh()
=== submodule_attribute_replaced: compiles
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()
    def forward(self, x): return self.act(x - 3)
m = M()
def step(x): return m(x)
--- change 3
m.act = nn.Tanh()
=== submodule_deleted: raises compiles
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()
    def forward(self, x): return self.act(x - 3)
m = M()
def step(x): return m(x)
--- change 3
del m.act
=== sequential_grown: compiles
m = nn.Sequential(nn.Linear(3, 3))
def step(x): return m(x)
--- change 3
m.append(nn.Tanh())
=== sequential_shrunk: compiles
m = nn.Sequential(nn.Linear(3, 3), nn.Tanh())
def step(x): return m(x)
--- change 3
del m[1]
=== module_list_grown: compiles
l = nn.ModuleList([nn.Linear(3, 3)])
def step(x):
    for m in l:
        x = m(x)
    return x
--- change 3
l.append(nn.Linear(3, 3))
=== module_dict_changed: compiles
d = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
name = "a"
def step(x): return d[name](x - 3)
--- change 2
name = "b"
--- change 4
d["b"] = nn.Sigmoid()
=== parameter_list_grown: compiles
l = nn.ParameterList([torch.ones(3)])
def step(x): return sum(p * x for p in l)
--- change 3
l.append(torch.full((3,), 2.0))
=== parameter_dict_changed: compiles
d = nn.ParameterDict({"a": torch.ones(3)})
def step(x): return d["a"] * x
--- change 3
d["a"] = nn.Parameter(torch.full((3,), 2.0))
=== buffer_written: compiles
m = nn.Module(); m.register_buffer("b", torch.ones(3))
def step(x): return x * m.b
--- change 3
m.b.fill_(4)
=== buffer_replaced: compiles
m = nn.Module(); m.register_buffer("b", torch.ones(3))
def step(x): return x * m.b
--- change 3
m.b = torch.full((3,), 4.0)
=== buffer_other_shape: compiles
m = nn.Module(); m.register_buffer("b", torch.ones(3))
def step(x): return x * m.b
--- change 3
m.b = torch.ones(2, 1)
=== buffer_set_to_none: compiles
m = nn.Module(); m.register_buffer("b", torch.ones(3))
def step(x): return x if m.b is None else x * 2
--- change 3
m.b = None
=== buffer_moves_in_call: compiles
m = nn.Module(); m.register_buffer("b", torch.ones(3))
def step(x):
    m.b.mul_(0.5).add_(x)
    return m.b * 2
--- state
m.b
=== buffer_rebound_in_call:
m = nn.Module(); m.register_buffer("b", torch.ones(3))
def step(x):
    m.b = m.b * 0.5 + x
    return m.b
--- state
m.b
=== lazy_buffer_made_in_call:
m = nn.Module(); m.register_buffer("b", None)
def step(x):
    if m.b is None:
        m.b = torch.zeros(3)
    m.b += x
    return m.b * 1
--- state
m.b
=== counter_in_module:
class M(nn.Module):
    calls = 0
    def forward(self, x):
        self.calls += 1
        return x * self.calls
m = M()
def step(x): return m(x)
--- state
m.calls
=== attribute_read_in_forward: compiles
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 2.0
    def forward(self, x): return x * self.scale
m = M()
def step(x): return m(x)
--- change 3
m.scale = 3.0
=== forward_replaced_on_class: compiles
class M(nn.Module):
    def forward(self, x): return x * 2
m = M()
def step(x): return m(x)
--- change 3
M.forward = lambda self, x: x * 3
=== forward_replaced_on_instance: compiles
class M(nn.Module):
    def forward(self, x): return x * 2
m = M()
def step(x): return m(x)
--- change 3
m.forward = lambda x: x * 3
=== library_forward_replaced:
m = nn.ReLU()
def step(x): return m(x - 3)
--- change 3
m.forward = lambda x: x * 3
=== helper_method_replaced: compiles
class M(nn.Module):
    def helper(self, x): return x * 2
    def forward(self, x): return self.helper(x)
m = M()
def step(x): return m(x)
--- change 3
M.helper = lambda self, x: x * 3
=== helper_method_global: compiles
k = 2.0
class M(nn.Module):
    def helper(self, x): return x * k
    def forward(self, x): return self.helper(x)
m = M()
def step(x): return m(x)
--- change 3
k = 3.0
=== inherited_forward_global: compiles
k = 2.0
class B(nn.Module):
    def forward(self, x): return x * k
class M(B): pass
m = M()
def step(x): return m(x)
--- change 3
k = 3.0
=== super_forward: compiles
class B(nn.Module):
    k = 2.0
    def forward(self, x): return x * self.k
class M(B):
    def forward(self, x): return super().forward(x) + 1
m = M()
def step(x): return m(x)
--- change 3
B.forward = lambda self, x: x * 5
=== class_of_module_assigned: compiles
class A(nn.Module):
    def forward(self, x): return x * 2
class B(nn.Module):
    def forward(self, x): return x * 3
m = A()
def step(x): return m(x)
--- change 3
m.__class__ = B
=== module_is_global_replaced: compiles
m = nn.Linear(3, 2)
def step(x): return m(x)
--- change 3
m = nn.Linear(3, 4)
=== compiled_module: compiles
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.k = 2.0
    def forward(self, x): return self.lin(x) * self.k
m = M()
step = compiled(m)
--- change 2
m.k = 3.0
--- change 3
step.k = 4.0
--- change 5
m.lin = nn.Linear(3, 2)
=== compiled_module_modes: compiles
m = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
step = compiled(m)
--- change 3
step.eval()
--- state
m.training, m[1].training
=== module_compiled_in_place: compiles
m = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
compiled_forward = compiled(m.forward)
step = compiled_forward
--- change 3
m[1] = nn.Tanh()
''')

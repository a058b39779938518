"""Programs that take the elements of tensors out of the call: as lists, as arrays of NumPy's, as texts."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== list_of_elements: compiles
def step(x): return (x * 2).tolist(), (x > 1).tolist(), x.sum().tolist()
=== array_of_elements: compiles
def step(x): return (x * 2).detach().cpu().numpy()
=== array_and_its_tensor: compiles
def step(x):
    y = x * 2
    return y, y.numpy(), y.detach().numpy()
--- change 3
last[0].add_(1)
=== array_of_a_parameter: compiles
w = torch.nn.Parameter(torch.ones(3))
optimizer = torch.optim.SGD([w], 0.1)
def step(x):
    array = w.detach().numpy()
    optimizer.zero_grad()
    (w * x).sum().backward()
    optimizer.step()
    return array
--- state
w, last
=== array_of_an_argument: compiles
def step(x): return x[1:].numpy(), x
=== elements_before_a_write: compiles
def step(x):
    y = x * 2
    numbers, text, array = y.tolist(), str(y), y.numpy()
    y.add_(1)
    return numbers, text, array, y
=== one_list_returned_twice:
def step(x):
    numbers = x.tolist()
    return numbers, numbers
--- state
last[0] is last[1]
=== one_array_kept_twice:
kept = {}
def step(x):
    kept["a"] = (x * 2).numpy()
    kept["b"] = kept["a"]
    return x.sum()
--- state
kept, kept["a"] is kept["b"]
=== array_written_in_place:
def step(x):
    y = x * 2
    array = y.numpy()
    array += 1
    return y, array
=== list_written_in_place:
def step(x):
    numbers = x.tolist()
    same = numbers
    numbers += numbers
    numbers *= 2
    same.append(1)
    return numbers, numbers is same
=== arrays_compared:
def step(x): return ((x * 2).numpy() == (x + 1).numpy()).tolist()
=== list_that_decides:
def step(x):
    total = 0.0
    for v in (x * 2).tolist():
        total += v if v > 3 else 0
    return total
=== text_that_decides:
def step(x): return "6" in str(x)
=== text_of_a_tensor_with_history: compiles
w = torch.ones(3, requires_grad=True)
log = []
def step(x):
    y = w * x
    log.append(f"{y} {y.sum()} {y.detach()!r}")
    y.sum().backward()
    return str(w.grad)
--- state
log
=== tensors_printed: compiles
def step(x):
    print("x", x, x.sum(), [1, 2], x.tolist(), x.numpy())
    return x * 2
=== metrics: compiles
def step(x): return {"loss": x.sum().item(), "first": (x * 2).tolist(), "all": (x * 3).numpy()}
=== lists_logged: compiles
log = []
def step(x):
    log.append(x.tolist())
    log.append((x * 2).numpy())
    return x * 2
--- state
log
=== precision_changed:
def step(x): return str(x / 3)
--- change 3
torch.set_printoptions(precision=2)
--- after
torch.set_printoptions(profile="default")
=== array_that_needs_detach: raises
w = torch.ones(3, requires_grad=True)
def step(x): return (w * x).numpy()
=== array_of_a_conjugate: raises
def step(x): return x.to(torch.complex64).conj().numpy()
=== array_of_bfloat16: raises
def step(x): return x.to(torch.bfloat16).numpy()
=== type_of_elements:
def step(x): return isinstance(x.tolist(), list), isinstance(x.numpy(), np.ndarray), len(x.tolist())
=== attribute_of_an_array:
def step(x): return (x * 2).numpy().shape, (x * 2).numpy().mean()
=== kept_by_a_module: compiles
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None
    def forward(self, x):
        y = x * 2
        self.last = y.detach().numpy()
        return y
m = M()
def step(x): return m(x)
--- state
m.last
=== error_that_says_a_number: raises
def step(x):
    if x.sum() > 12:
        raise ValueError(f"the sum is {x.sum().item()}", x.sum().item())
    return x
=== error_that_says_a_tensor: raises
def step(x):
    if x.sum() > 12:
        raise ValueError(f"too large: {x}")
    return x
=== error_with_a_number_caught:
def step(x):
    try:
        if x.sum() > 12:
            raise ValueError(x.sum().item())
    except ValueError as error:
        return error.args[0] + 1, str(error)
    return x
=== text_of_a_view_that_gets_a_history
w = torch.ones(3)
v = w.view(3)
def step(x):
    print(v)
    return x * 2
--- change 2
w.requires_grad_()
=== list_that_cuts: compiles
def step(x, k):
    first, *others = k.tolist()
    parts = x.split((k * 1).tolist())
    return [p.sum() for p in parts], sum(k.tolist()), first, others, k[None].tolist()[0][-1], k.tolist()
--- call
torch.arange(6.0) + n, torch.tensor([1, 2, 3] if n % 3 else [3, 3, 0])
=== list_that_is_taken_apart: compiles
def step(x, k):
    one, two, three = k.tolist()
    sizes = [*k.tolist()], tuple(k.tolist()), sorted(k.tolist()), 2 in k.tolist(), two not in k[:1].tolist()
    return x.sum() * max(k.tolist()), torch.zeros(*k.tolist()).shape, sizes, set(k.tolist()), one + three
--- call
torch.arange(6.0) + n, torch.tensor([1, 2, 3] if n % 3 else [3, 3, 0])
=== list_of_floats_taken_apart
def step(x): return [*x.tolist()], tuple(x.tolist()), 2.0 in x.tolist()
=== list_that_decides_and_is_written
def step(x, k):
    numbers = k.tolist()
    same = numbers
    if numbers[0] == 1:
        numbers.append(7)
    numbers += [2]
    return x * numbers[-1], numbers, same, numbers is same
--- call
torch.arange(3.0), torch.tensor([n % 2, 3])
=== packed_sequences: compiles
torch.manual_seed(0)
net = nn.LSTM(2, 3, batch_first=True)
def step(x, lengths):
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    out, (last, _) = net(packed)
    padded, counts = nn.utils.rnn.pad_packed_sequence(out, batch_first=True)
    padded.sum().backward()
    return padded.detach(), last.detach(), counts, packed.batch_sizes
--- call
torch.linspace(-1, 1, 24).view(3, 4, 2) + n, torch.tensor([[2, 4, 1], [3, 3, 4]][n % 2])
--- state
[p.grad for p in net.parameters()]
=== packed_sequence_given
torch.manual_seed(0)
net = nn.GRU(2, 3)
def step(packed):
    padded, counts = nn.utils.rnn.pad_packed_sequence(packed)
    return padded * 2, counts, net(packed)[1]
--- call
nn.utils.rnn.pack_sequence([torch.ones(4, 2) * n, torch.ones(1 + n % 2, 2)])
=== length_that_is_not_positive: raises
def step(x, lengths): return nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True).data
--- call
torch.ones(2, 4, 2), torch.tensor([3, 1 if n < 4 else 0])
=== rows_of_a_list_are_written
def step(x):
    rows = x.tolist()
    rows[0].append(9)
    for row in rows: row.append(7)
    return rows, rows[0] is rows[0]
--- call
torch.tensor([[n % 3, 2], [3, 4]])
=== rows_of_a_list_are_read: compiles
def step(x):
    rows = x.tolist()
    total = sum(a * b for a, b in rows) + rows[-1][0] + len(rows[0]) + len(rows)
    return total, [row[::-1] for row in rows], torch.tensor(rows), torch.zeros(rows[1]).shape, rows
--- call
torch.tensor([[n % 2, 2], [3, 4]])
=== row_and_its_list_come_out
def step(x):
    rows = x.tolist()
    return rows, rows[0]
--- call
torch.tensor([[n % 2, 2], [3, 4]])
=== rows_of_rows_come_out: compiles
def step(x):
    blocks = x.tolist()
    total = 0
    for rows in blocks:
        for row in rows: total += sum(row)
    return total, blocks[0][1], len(blocks[1][0]), blocks[1:]
--- call
torch.arange(12).view(2, 3, 2) + n % 2
=== mask_without_axes: compiles
w = torch.ones(3, requires_grad=True)
def step(x, b):
    y = w * x
    y[b] = x * 2
    y[x.sum() > 6.5, 0] = 7
    z = y[x[0] < 2]
    z.sum().backward()
    return y, z, x[b], x[None, b], x[~b, :2]
--- call
torch.arange(1.0, 4.0) + n // 4, torch.tensor(n % 2 == 0)
--- state
w.grad
=== mask_without_axes_of_bytes: compiles
def step(x, b): return x[b] * 2
--- call
torch.arange(1.0, 4.0), torch.tensor(n % 3, dtype=torch.uint8)
''')

"""Views and bases: who shares what, and what a write does to the history of each."""

from __future__ import annotations

from typing import Any

T = Any


def bases(torch: T) -> None:
    x = torch.arange(6.0)
    a = x.view(2, 3)
    b = a[0]
    print(a._base is x, b._base is x, x._base is None, x._is_view(), b._is_view())


def bases_of_a_leaf(torch: T) -> None:
    x = torch.arange(6.0, requires_grad=True)
    print(x.view(2, 3)._base is x, x.detach()._base is None, x.detach()._is_view(), x.clone()._is_view())


def what_is_a_view(torch: T) -> None:
    x = torch.arange(6.0).view(2, 3).clone()
    for z in (
        x[0],
        x[[0]],
        x[x > 0],
        x.t(),
        x.T,
        x.reshape(6),
        x.t().reshape(6),
        x.contiguous(),
        x.t().contiguous(),
        x.flatten(),
        x.clone(),
        x.detach(),
        x.data,
        x.expand(2, 2, 3),
        x.float(),
        x.double(),
        x.to(torch.float32),
        x.squeeze(),
        x.diagonal(),
        x.real,
        x.unbind()[0],
        x.split(1)[0],
        x.repeat(1, 1),
        x.flip(0),
        x.view(torch.int32),
        x.unsqueeze(0),
        x.narrow(0, 0, 1),
        x.broadcast_to(2, 3),
        x.as_strided((2,), (1,)),
        x[:],
        x[...],
        x.ravel(),
    ):
        print(z._is_view(), z.data_ptr() == x.data_ptr(), tuple(z.shape), z.stride(), z.storage_offset())


def write_to_the_base(torch: T) -> None:
    x = torch.ones(4, requires_grad=True)
    a = x * 2
    v = a[:2]
    a.mul_(3)
    print(a.grad_fn.name(), v.grad_fn.name(), v)
    v.sum().backward()
    print(x.grad)


def write_to_a_view(torch: T) -> None:
    x = torch.ones(4, requires_grad=True)
    a = x * 2
    v = a[:2]
    v.mul_(3)
    print(a.grad_fn.name(), v.grad_fn.name(), a)
    a.sum().backward()
    print(x.grad)


def write_to_one_of_two_views(torch: T) -> None:
    x = torch.ones(4, requires_grad=True)
    a = x * 2
    v, w = a[:3], a[1:]
    v.mul_(5)
    print(w, w.grad_fn.name())
    (w * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    print(x.grad)


def write_to_a_view_of_a_view(torch: T) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    a = x * 1
    a.t()[1][0].fill_(7)
    print(a)
    a.sum().backward()
    print(x.grad)


def copy_slices_tree(torch: T) -> None:
    x = torch.ones(3, requires_grad=True)
    a = x * 2
    a[1] = 0
    print(a.grad_fn.name(), [(n.name() if n else None, k) for n, k in a.grad_fn.next_functions])
    a[2] = x[0]
    print(a.grad_fn.name(), [(n.name() if n else None, k) for n, k in a.grad_fn.next_functions])


def copy_slices_gradients(torch: T) -> None:
    x = torch.ones(3, requires_grad=True)
    y = torch.tensor([5.0], requires_grad=True)
    a = x * 2
    a[1:2] = y * 3
    print(a)
    a.backward(torch.tensor([1.0, 10.0, 100.0]))
    print(x.grad, y.grad)


def write_of_a_tensor_that_requires_grad_into_a_constant(torch: T) -> None:
    x = torch.tensor([2.0], requires_grad=True)
    c = torch.zeros(3)
    v = c[1:]
    c[1] = x[0]
    print(c, c.requires_grad, c.grad_fn.name())
    print(v, v.requires_grad, v.grad_fn.name())
    v.sum().backward()
    print(x.grad)


def write_of_a_gradient_into_a_view_of_a_constant(torch: T) -> None:
    x = torch.tensor([2.0], requires_grad=True)
    c = torch.zeros(3)
    v = c[1:]
    v.add_(x)
    print(c, v, c.grad_fn.name(), v.grad_fn.name(), c.is_leaf)


def broadcast_write(torch: T) -> None:
    x = torch.tensor([2.0], requires_grad=True)
    c = torch.zeros(2, 3)
    c[:] = x
    c.sum().backward()
    print(c, x.grad)


def overwrite_cuts_the_history(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    a = x * 2
    a.zero_()
    a.sum().backward()
    print(a, x.grad)


def copy_cuts_the_history_of_the_target(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    y = torch.full((2,), 3.0, requires_grad=True)
    a = x * 2
    a.copy_(y)
    a.sum().backward()
    print(a, x.grad, y.grad)


def gradient_through_expand(torch: T) -> None:
    x = torch.tensor([[1.0], [2.0]], requires_grad=True)
    x.expand(2, 3).backward(torch.arange(6.0).view(2, 3))
    print(x.grad)


def gradient_through_as_strided(torch: T) -> None:
    x = torch.arange(4.0, requires_grad=True)
    windows = x.as_strided((3, 2), (1, 1))
    windows.backward(torch.ones(3, 2))
    print(windows, x.grad)


def gradient_through_unfold(torch: T) -> None:
    x = torch.arange(5.0, requires_grad=True)
    x.unfold(0, 3, 1).sum().backward()
    print(x.grad)


def gradient_through_diagonal(torch: T) -> None:
    x = torch.zeros(3, 3, requires_grad=True)
    x.diagonal(1).backward(torch.tensor([1.0, 2.0]))
    print(x.grad)


def no_grad_views_see_writes(torch: T) -> None:
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        v = x[1:]
        v.mul_(5)
    print(x, x._version, x.grad_fn, v.requires_grad)


def leaf_update_in_no_grad(torch: T) -> None:
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        x -= 0.5
        x[0] = 9
    print(x, x.is_leaf, x._version)


def detach_shares_memory(torch: T) -> None:
    x = torch.ones(3, requires_grad=True)
    d = x.detach()
    d[0] = 5
    print(x, d, d._base, d.data_ptr() == x.data_ptr(), x._version)


def data_shares_memory_but_no_version(torch: T) -> None:
    x = torch.ones(3, requires_grad=True)
    x.data[0] = 5
    x.data *= 2
    print(x, x._version)


def data_assignment(torch: T) -> None:
    x = torch.ones(3, requires_grad=True)
    y = torch.zeros(2, 2)
    x.data = y
    print(x, x.shape, x.is_leaf, x._version, x.data_ptr() == y.data_ptr())


def numpy_shares_memory(torch: T) -> None:
    import numpy as np

    array = np.arange(3.0)
    t = torch.from_numpy(array)
    array[0] = 9
    t[1] = 8
    print(array, t, t.dtype)
    t.numpy()[2] = 7
    print(array, t)


def chained_in_place_operations(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * 1).add_(1).mul_(x).sub_(0.5)
    y.sum().backward()
    print(y, x.grad, y._version)


def augmented_assignments(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    same = y
    y += 1
    y *= 3
    y /= 2
    y -= x
    print(y is same, y, y.grad_fn.name())
    y.sum().backward()
    print(x.grad)


def swap_of_halves(torch: T) -> None:
    x = torch.arange(4.0, requires_grad=True)
    a = x * 1
    a[:2], a[2:] = a[2:].clone(), a[:2].clone()
    a.backward(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    print(a, x.grad)


def masked_assignment(torch: T) -> None:
    x = torch.arange(4.0, requires_grad=True)
    a = x * 1
    a[a > 1] = 0
    a.sum().backward()
    print(a, a.grad_fn.name(), x.grad)


def masked_assignment_of_values(torch: T) -> None:
    x = torch.arange(4.0, requires_grad=True)
    v = torch.tensor([7.0, 8.0], requires_grad=True)
    a = x * 1
    a[torch.tensor([True, False, False, True])] = v
    a.backward(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    print(a, x.grad, v.grad)


def index_put_accumulates(torch: T) -> None:
    v = torch.ones(3, requires_grad=True)
    a = torch.zeros(2).index_put((torch.tensor([0, 0, 1]),), v, accumulate=True)
    a.backward(torch.tensor([1.0, 10.0]))
    print(a, v.grad)


def stale_view_replays_its_function(torch: T) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    a = x * 2
    v = a.t()
    print(v.grad_fn.name())
    a.add_(1)
    print(v.grad_fn.name(), v.grad_fn.next_functions[0][0].name())
    a.mul_(x)
    print(v.grad_fn.name(), v.grad_fn.next_functions[0][0].name())


def view_of_two_steps_after_a_write(torch: T) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    a = x * 2
    v = a.t()[1]
    a.add_(1)
    print(v.grad_fn.name(), v._base is a)
    v.sum().backward()
    print(x.grad)


def reshape_of_a_transposed_copies(torch: T) -> None:
    a = torch.arange(6.0).view(2, 3)
    b = a.t().reshape(6)
    b[0] = 99
    print(a[0, 0], b[0], b._is_view())


def strides(torch: T) -> None:
    x = torch.zeros(2, 3, 4)
    for z in (
        x,
        x.transpose(0, 2),
        x[:, 1],
        x[..., ::2],
        x.permute(1, 2, 0),
        x.expand(5, 2, 3, 4),
        x[:, None],
        x[1:],
    ):
        print(tuple(z.shape), z.stride(), z.storage_offset(), z.is_contiguous())


def strides_of_results(torch: T) -> None:
    x = torch.zeros(2, 3, 4).permute(2, 0, 1)
    y = torch.zeros(4, 2, 3)
    for z in (
        x + 1,
        x + y,
        y + x,
        x * x,
        x.exp(),
        x.sum(0),
        x.clone(),
        torch.zeros_like(x),
        torch.empty_like(x),
        x.contiguous(),
    ):
        print(tuple(z.shape), z.stride())


def expanded_from_within(torch: T) -> None:
    part = torch.arange(6.0).view(2, 3)[:, 1:]
    wide = part.expand(2, 2, 2)
    print(wide.storage_offset(), wide.stride(), wide.untyped_storage().nbytes())
    print(wide.untyped_storage().data_ptr() == part.untyped_storage().data_ptr())
    print(wide.as_strided((3,), (1,)))

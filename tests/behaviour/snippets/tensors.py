"""Tensors as Python objects: promotion, protocols, indexing, sharing."""

from __future__ import annotations

from typing import Any

T = Any


def promotion_with_numbers(torch: T) -> None:
    for x in (
        torch.ones(1, dtype=torch.int64),
        torch.ones(1),
        torch.ones(1, dtype=torch.float64),
        torch.tensor([True]),
    ):
        print((x + 1).dtype, (x + 1.5).dtype, (x + True).dtype, (x + 1j).dtype, (x / 2).dtype, (x * 2).dtype)


def promotion_with_scalar_tensors(torch: T) -> None:
    x = torch.ones(1, dtype=torch.float32)
    for y in (torch.tensor(1), torch.tensor(1.0, dtype=torch.float64), torch.tensor(1j), torch.tensor(True)):
        print((x + y).dtype, (y + x).dtype, (torch.ones(1, dtype=torch.int32) + y).dtype)


def promotion_between_tensors(torch: T) -> None:
    names = ("bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64")
    for a in names:
        row = [torch.promote_types(getattr(torch, a), getattr(torch, b)) for b in names]
        print(a, *(str(dtype).removeprefix("torch.") for dtype in row))


def integers_in_functions_of_reals(torch: T) -> None:
    n = torch.tensor([1, 4])
    for z in (
        n.sqrt(),
        n.exp(),
        n / 2,
        n // 2,
        n % 3,
        n**2,
        n.sum(),
        n.float().mean(),
        n.prod(),
        n.cumsum(0),
        -n,
    ):
        print(z, z.dtype)


def default_dtype(torch: T) -> None:
    torch.set_default_dtype(torch.float64)
    print(torch.tensor(1.5).dtype, torch.ones(1).dtype, (torch.tensor(1) / 2).dtype, torch.tensor(1j).dtype)
    torch.set_default_dtype(torch.float32)
    print(torch.tensor(1.5).dtype)


def creation(torch: T) -> None:
    for z in (
        torch.tensor(1),
        torch.tensor(1.0),
        torch.tensor(True),
        torch.tensor([1, 2.0]),
        torch.tensor([]),
        torch.tensor([[]]),
        torch.arange(3),
        torch.arange(3.0),
        torch.arange(1, 2, 0.5),
        torch.linspace(0, 1, 3),
        torch.eye(2),
        torch.full((2,), 3),
        torch.zeros(2, dtype=torch.int32),
        torch.ones_like(torch.tensor([1, 2])),
        torch.logspace(0, 2, 3),
        torch.Tensor([1, 2]),
    ):
        print(z, z.dtype, tuple(z.shape))


def conversion_to_python(torch: T) -> None:
    print(
        float(torch.tensor(1.5)), int(torch.tensor(2.7)), bool(torch.tensor(0.0)), complex(torch.tensor(1.0))
    )
    print(torch.tensor(3).item(), torch.tensor([[2.5]]).item(), type(torch.tensor(True).item()).__name__)
    print([10, 20, 30][torch.tensor(1)], list(range(torch.tensor(3))), round(float(torch.tensor(2.5))))


def iteration(torch: T) -> None:
    x = torch.arange(6).view(2, 3)
    for row in x:
        print(row)
    a, b = x
    print(a, b, len(x), list(torch.tensor([1, 2])), torch.tensor(2) in torch.tensor([1, 2]), 5 in x)


def iteration_over_a_leaf(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    print(list(x))
    (sum(x) * 2).backward()
    print(x.grad)


def equality_and_hash(torch: T) -> None:
    x, y = torch.ones(2), torch.ones(2)
    print(x == y, x is y, hash(x) == hash(y), len({x, y}), torch.equal(x, y), torch.allclose(x, y + 1e-9))
    print(x == None, x != None, (x == y).all().item())  # noqa: E711  # a comparison with None is allowed


def basic_indexing(torch: T) -> None:
    x = torch.arange(24).view(2, 3, 4)
    for z in (
        x[0],
        x[-1, 0],
        x[:, 1],
        x[..., 0],
        x[:, :, ::2],
        x[None].shape,
        x[0, ..., None].shape,
        x[1, 2, 3],
        x[:0],
    ):
        print(z)


def advanced_indexing(torch: T) -> None:
    x = torch.arange(12).view(3, 4)
    i = torch.tensor([0, 2])
    for z in (
        x[i],
        x[:, i],
        x[i, i],
        x[[0, 1], [1, 2]],
        x[i[:, None], i],
        x[x > 5],
        x[torch.tensor([True, False, True])],
        x[i, 1:],
        x[..., i],
        x[None, i].shape,
        x[[0]],
        x[-1, [0, -1]],
        x[torch.tensor(1)],
        x[True].shape,
        x[False].shape,
    ):
        print(z)


def advanced_indexing_shapes(torch: T) -> None:
    x = torch.zeros(2, 3, 4, 5)
    i = torch.zeros(6, dtype=torch.int64)
    for z in (
        x[i],
        x[:, i],
        x[i, :, i],
        x[:, i, i],
        x[0, :, i],
        x[:, 0, i],
        x[i, ..., 0],
        x[i, None, i],
        x[:, i, 0, i],
    ):
        print(tuple(z.shape))


def assignment(torch: T) -> None:
    x = torch.zeros(3, 3, dtype=torch.int64)
    x[0] = 1
    x[:, 2] = torch.tensor([7, 8, 9])
    x[1, :2] += 5
    x[x == 0] = -1
    x[[0, 2], [0, 0]] = torch.tensor([100, 200])
    x[..., 1] *= 2
    print(x)


def assignment_casts(torch: T) -> None:
    x = torch.zeros(3, dtype=torch.int64)
    x[0] = 2.7
    x[1:] = torch.tensor([1.9, True])
    print(x)


def out_arguments(torch: T) -> None:
    out = torch.zeros(2)
    result = torch.add(torch.ones(2), 1, out=out)
    print(result is out, out, out._version)
    torch.exp(torch.zeros(2), out=out)
    print(out)


def random_numbers(torch: T) -> None:
    torch.manual_seed(0)
    print(torch.rand(3), torch.randn(3), torch.randint(0, 10, (5,)), torch.randperm(5))
    print(torch.randn(20)[:4], torch.rand(2, dtype=torch.float64), torch.bernoulli(torch.full((5,), 0.5)))


def generators(torch: T) -> None:
    g = torch.Generator().manual_seed(3)
    print(torch.rand(2, generator=g), g.initial_seed())
    state = g.get_state()
    a = torch.rand(2, generator=g)
    g.set_state(state)
    print(torch.equal(a, torch.rand(2, generator=g)))


def random_in_place(torch: T) -> None:
    torch.manual_seed(1)
    x = torch.empty(3)
    print(x.uniform_(), x.normal_(), x.bernoulli_(0.5), x.exponential_(), x._version)


def dropout_mask(torch: T) -> None:
    torch.manual_seed(0)
    x = torch.ones(8, requires_grad=True)
    y = torch.nn.functional.dropout(x, 0.25)
    y.sum().backward()
    print(y, x.grad)


def initial_parameters(torch: T) -> None:
    torch.manual_seed(0)
    print(torch.nn.Linear(2, 2).weight)
    print(torch.nn.Conv2d(1, 1, 2).weight)
    print(torch.nn.Embedding(2, 2).weight)


def subclass(torch: T) -> None:
    class Mine(torch.Tensor):
        pass

    x = torch.ones(2).as_subclass(Mine)
    print(type(x).__name__, type(x + 1).__name__, type(x[0]).__name__, isinstance(x, torch.Tensor))


def torch_function(torch: T) -> None:
    class Loud:
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            print("called", func.__name__, len(args))
            return 42

    print(torch.add(torch.ones(1), Loud()), torch.exp(Loud()))


def numpy_protocols(torch: T) -> None:
    import numpy as np

    x = torch.tensor([1.0, 2.0])
    print(np.asarray(x), np.sum(x.numpy()), np.array(x, dtype=np.int64), x.numpy().dtype)
    print(
        torch.as_tensor(np.array([1, 2])),
        torch.tensor(np.float64(1.5)),
        torch.from_numpy(np.ones(2, np.float32)),
    )
    print(np.ones(2) * x.numpy(), torch.tensor([np.int64(3), 4]))


def numpy_scalars_in_arithmetic(torch: T) -> None:
    import numpy as np

    x = torch.tensor([1.0, 2.0])
    print(x * np.float64(2), x + np.int64(1), (x * np.float64(2)).dtype)


def memory_formats(torch: T) -> None:
    x = torch.zeros(2, 3, 4, 5)
    y = x.to(memory_format=torch.channels_last)
    print(y.stride(), y.is_contiguous(), y.is_contiguous(memory_format=torch.channels_last), (y + 1).stride())


def contiguous(torch: T) -> None:
    x = torch.arange(6).view(2, 3)
    y = x.t()
    print(x.contiguous() is x, y.contiguous() is y, y.contiguous().stride(), y.clone().stride(), y.reshape(6))


def storage(torch: T) -> None:
    x = torch.arange(6.0).view(2, 3)
    y = x[1]
    print(y.storage_offset(), y.untyped_storage().nbytes(), y.element_size(), y.nbytes)
    print(y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr())


def to_returns_itself(torch: T) -> None:
    x = torch.ones(2)
    print(x.to(torch.float32) is x, x.float() is x, x.to(torch.float64) is x, x.cpu() is x, x.to("cpu") is x)
    print(x.to(torch.float32, copy=True) is x, x.contiguous() is x, x.type(torch.float32) is x)


def properties(torch: T) -> None:
    x = torch.zeros(2, 3)
    print(x.is_floating_point(), x.is_complex(), x.dim(), x.nelement(), x.is_cuda, x.is_sparse, x.itemsize)
    print(x.T.shape, x.mT.shape, x.real is x, x.H.shape, x.device.type)


def truth_of_comparisons(torch: T) -> None:
    x = torch.tensor([1.0, float("nan"), 3.0])
    print(x == x, x != x, x > 2, x.isnan(), torch.isclose(x, x), (x > 2).any(), (x > 0).all())


def division_and_remainder(torch: T) -> None:
    a = torch.tensor([-7, 7, -7, 7])
    b = torch.tensor([2, -2, -2, 2])
    print(a // b, a % b, a / b, torch.fmod(a, b), torch.div(a, b, rounding_mode="trunc"))
    c = a.double() / 2
    print(c // 1, c % 1, torch.fmod(c, 1.0), torch.remainder(c, 2), c.trunc(), c.round(), c.frac())


def overflow_wraps(torch: T) -> None:
    print(
        torch.tensor([250], dtype=torch.uint8) + 10,
        torch.tensor([2**63 - 1]) + 1,
        -torch.tensor([3], dtype=torch.uint8),
    )


def shape_arithmetic(torch: T) -> None:
    print(
        torch.broadcast_shapes((2, 1), (3,)),
        torch.zeros(2, 1).expand(2, 3).shape,
        torch.zeros(3).expand(2, -1).shape,
    )


def joins(torch: T) -> None:
    a, b = torch.arange(2), torch.arange(2) + 10
    print(
        torch.cat([a, b]),
        torch.stack([a, b]),
        torch.stack([a, b], 1),
        torch.hstack((a, b)),
        torch.vstack((a, b)),
    )
    print(torch.cat([a, b.double()]).dtype, torch.cat([a, torch.zeros(0)]).dtype)


def splits(torch: T) -> None:
    x = torch.arange(7)
    print(
        x.split(3),
        x.chunk(3),
        x.tensor_split(3),
        x.split([1, 6]),
        x.unbind()[:2],
        torch.arange(4).view(2, 2).unbind(1),
    )


def einsum(torch: T) -> None:
    a, b = torch.arange(4.0).view(2, 2), torch.arange(4.0).view(2, 2) + 1
    print(
        torch.einsum("ij,jk", a, b),
        torch.einsum("ii", a),
        torch.einsum("ij->ji", a),
        torch.einsum("i,j->ij", a[0], b[0]),
    )


def state_dict(torch: T) -> None:
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.BatchNorm1d(1))
    for name, value in net.state_dict().items():
        print(name, value)
    print([name for name, _ in net.named_parameters()], [name for name, _ in net.named_modules()])

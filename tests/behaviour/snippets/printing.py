"""What `print` shows of tensors that take part in autograd."""

from __future__ import annotations

from typing import Any

T = Any


def leaves(torch: T) -> None:
    print(torch.tensor(1.0, requires_grad=True))
    print(torch.tensor([1.0, 2.5], requires_grad=True))
    print(torch.ones(2, 2, dtype=torch.float64, requires_grad=True))
    print(torch.tensor([1, 2]))
    print(torch.tensor([True, False]))


def results(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for y in (x + 1, x * 2, x.sum(), x.view(2, 1), x[0], x.exp(), x.detach(), x.data, x.clone(), x.double()):
        print(y)


def results_of_in_place_operations(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y[0] = 5
    print(y)
    print(y.add_(1))
    print(y[1:])


def parameters(torch: T) -> None:
    print(torch.nn.Parameter(torch.tensor([1.0, 2.0])))
    print([torch.nn.Parameter(torch.ones(1), requires_grad=False)])


def nodes(torch: T) -> None:
    y = torch.ones(2, requires_grad=True) * 2
    print(y.grad_fn)
    print(y.grad_fn.next_functions)
    print(repr(y.grad_fn.next_functions[0][0]))


def gradients(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    print(x.grad)
    (x**2).sum().backward(create_graph=True)
    print(x.grad)


def tuples_of_gradients(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    print(torch.autograd.grad((x**2).sum(), [x]))
    print(x.max(dim=0))
    print(x.sort(descending=True))
    print(x.topk(1))


def scales(torch: T) -> None:
    print(torch.tensor([1e-5, 1.0]))
    print(torch.tensor([1e5, 1.0]))
    print(torch.tensor([1e9, 1.0]))
    print(torch.tensor([1.0, 2.0, 3.0]))
    print(torch.tensor([0.1, 100.25]))
    print(torch.tensor([float("nan"), float("inf"), 1.0]))
    print(torch.tensor([-0.0, 0.0]))


def shapes(torch: T) -> None:
    print(torch.zeros(0))
    print(torch.zeros(2, 0))
    print(torch.zeros(1, 1, 1))
    print(torch.zeros(2, 2, 2))
    print(torch.tensor(3))


def summarised(torch: T) -> None:
    print(torch.arange(2000))
    print(torch.arange(2000.0, requires_grad=True) * 2)
    print(torch.zeros(100, 100))


def long_rows_wrap(torch: T) -> None:
    print(torch.arange(30.0) / 4)
    print(torch.arange(30))


def other_dtypes(torch: T) -> None:
    for name in (
        "float16",
        "bfloat16",
        "float64",
        "int32",
        "uint8",
        "int8",
        "int16",
        "complex64",
        "complex128",
        "bool",
    ):
        print(torch.tensor([0, 1, 2], dtype=getattr(torch, name)))


def complex_numbers(torch: T) -> None:
    print(torch.tensor([1 + 2j, -0.5 - 1e-3j], requires_grad=True))
    print(torch.tensor(1j) * 2)
    print(torch.tensor([1 + 2j]).conj())


def formats(torch: T) -> None:
    x = torch.tensor(3.14159)
    print(f"{x:.2f} {x} {x!r}", x.item())
    print(f"{torch.tensor(5):>4} {torch.tensor([1.0])}")
    print("%.3f" % torch.tensor(2.5), str(torch.tensor([1, 2])))  # noqa: UP031  # the old way too


def sizes(torch: T) -> None:
    x = torch.zeros(2, 3)
    print(x.shape, x.size(), x.size(1), x.shape[0], tuple(x.shape), x.numel(), x.ndim, len(x))
    print(torch.Size([1, 2]) + torch.Size([3]), x.stride(), x.T.shape, x.shape.numel())


def dtypes_and_devices(torch: T) -> None:
    x = torch.zeros(1)
    print(x.dtype, x.device, x.layout, x.type(), torch.float32, torch.int64, torch.get_default_dtype())


def named_results(torch: T) -> None:
    x = torch.tensor([[3.0, 1.0], [2.0, 4.0]])
    result = x.max(dim=1)
    print(type(result), result.values, result.indices, result[0], tuple(result))
    print(torch.linalg.slogdet(x))
    print(torch.aminmax(x))


def modules(torch: T) -> None:
    print(torch.nn.Linear(2, 3))
    print(torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3, padding=1), torch.nn.ReLU(), torch.nn.Dropout(0.1)))
    print(torch.nn.MSELoss(), torch.nn.BatchNorm2d(3), torch.nn.Embedding(3, 2))


def optimizers(torch: T) -> None:
    x = torch.ones(1, requires_grad=True)
    print(torch.optim.SGD([x], lr=0.1, momentum=0.9))


def print_options(torch: T) -> None:
    torch.set_printoptions(precision=2)
    print(torch.tensor([1.23456, 7.0]))
    torch.set_printoptions(sci_mode=True)
    print(torch.tensor([1.23456, 7.0]))
    torch.set_printoptions(profile="default")
    print(torch.tensor([1.23456, 7.0]))


def lists_of_tensors(torch: T) -> None:
    print([torch.tensor(1.0), torch.tensor([2, 3])], {"a": torch.tensor(True)})
    print(torch.ones(2, 2).tolist(), torch.tensor(2).tolist())

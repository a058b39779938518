"""`vmap`: axes, containers, random numbers, chunks, and what it refuses."""

from __future__ import annotations

from typing import Any

from .transforms import tell

T = Any


def axes(torch: T) -> None:
    x = torch.arange(6.0).view(2, 3)
    print(torch.vmap(lambda x: x * 2, in_dims=1)(x))
    print(torch.vmap(lambda x: x * 2, in_dims=1, out_dims=1)(x))
    print(torch.vmap(lambda x: x * 2, in_dims=-1, out_dims=-1)(x))
    print(torch.vmap(lambda x, y: (x, y.sum()), in_dims=(0, 1), out_dims=(1, 0))(x, x.t()))
    print(torch.vmap(lambda x, y: x + y, in_dims=(0, None))(x, torch.ones(3)))
    print(torch.vmap(lambda x, n: x * n, in_dims=(0, None))(x, 3))


def containers(torch: T) -> None:
    x = torch.arange(6.0).view(2, 3)
    print(torch.vmap(lambda d: {"s": d["a"] + d["b"][0]})({"a": x, "b": [x]}))
    print(torch.vmap(lambda d: d["a"] + d["b"][0], in_dims=({"a": 0, "b": [None]},))({"a": x, "b": [x[0]]}))
    print(torch.vmap(lambda x: (x, [x.sum(), {"m": x.max()}]))(x))
    print(torch.vmap(lambda x: [x, x.sum()], out_dims=[1, 0])(x))
    tell(lambda: torch.vmap(lambda x: (x.sum(), 5), out_dims=(0, None))(x))
    tell(lambda: torch.vmap(lambda x: (x.sum(), torch.ones(2)), out_dims=(0, None))(x))


def keywords(torch: T) -> None:
    x = torch.arange(6.0).view(2, 3)
    print(torch.vmap(lambda x, *, y: x * y)(x, y=x))
    print(torch.vmap(lambda x, *, y: x * y)(x, y=2))


def unbatched_outputs(torch: T) -> None:
    print(torch.vmap(lambda x: torch.ones(2))(torch.zeros(3)))


def refuses(torch: T) -> None:
    x = torch.ones(2, 3)
    tell(lambda: torch.vmap(torch.sin, randomness="some"))
    tell(lambda: torch.vmap(torch.sin, chunk_size=0))
    tell(lambda: torch.vmap(torch.sin, in_dims="a")(x))
    tell(lambda: torch.vmap(torch.sin, in_dims=[0])(x))
    tell(lambda: torch.vmap(torch.sin)())
    tell(lambda: torch.vmap(torch.sin, in_dims=None)(x))
    tell(lambda: torch.vmap(torch.sin, in_dims=(None,))(x))
    tell(lambda: torch.vmap(torch.add, in_dims=(0,))(x, x))
    tell(lambda: torch.vmap(torch.add, in_dims=(0, (0,)))(x, x))
    tell(lambda: torch.vmap(torch.add)(x, 2))
    tell(lambda: torch.vmap(torch.add, in_dims=(0, 0))(x, torch.ones(3)))
    tell(lambda: torch.vmap(torch.sin, in_dims=(0.5,))(x))
    tell(lambda: torch.vmap(torch.sin, in_dims=2)(x))
    tell(lambda: torch.vmap(torch.sin, in_dims=-3)(x))
    tell(lambda: torch.vmap(torch.sin)(torch.tensor(1.0)))
    tell(lambda: torch.vmap(lambda x: 1.0)(x))
    tell(lambda: torch.vmap(lambda x: None)(x))
    tell(lambda: torch.vmap(lambda x: (x, 1))(x))
    tell(lambda: torch.vmap(lambda x: x, out_dims=None)(x))
    tell(lambda: torch.vmap(lambda x: x, out_dims=2)(x))
    tell(lambda: torch.vmap(lambda x: x, out_dims=-3)(x))
    tell(lambda: torch.vmap(lambda x: x, out_dims="a")(x))
    tell(lambda: torch.vmap(lambda x: x, out_dims=(0, 0))(x))
    tell(lambda: torch.vmap(lambda x: (x, x), out_dims=(0,))(x))
    tell(lambda: torch.vmap(lambda x: {"a": x}, out_dims={"b": 0})(x))
    tell(lambda: torch.vmap(lambda x: x, out_dims=(0,))(x))
    tell(lambda: torch.vmap(lambda x, y: x)(x, torch.ones(3, 2)))


def refuses_data(torch: T) -> None:
    x = torch.ones(2, 3)
    tell(lambda: torch.vmap(lambda x: x.sum().item())(x))
    tell(lambda: torch.vmap(lambda x: x if x.sum() > 0 else -x)(x))
    tell(lambda: torch.vmap(lambda x: float(x[0]))(x))
    tell(lambda: torch.vmap(lambda x: int(x[0]))(x))
    tell(lambda: torch.vmap(lambda x: x[x > 0])(x))
    tell(lambda: torch.vmap(lambda x: torch.nonzero(x))(x))
    tell(lambda: torch.vmap(lambda x: torch.masked_select(x, x > 0))(x))
    tell(lambda: torch.vmap(lambda x: torch.unique(x))(x))
    tell(lambda: torch.vmap(lambda x: x.tolist())(x))
    tell(lambda: torch.vmap(lambda x: x.numpy())(x))
    tell(lambda: torch.vmap(lambda x: torch.equal(x, x))(x))
    tell(lambda: torch.vmap(lambda x: torch.allclose(x, x))(x))
    tell(lambda: torch.vmap(lambda x: len(x) + x)(x))
    tell(lambda: torch.vmap(lambda x: x.data_ptr())(x))


def printed_inside(torch: T) -> None:
    def show(x: T) -> T:
        print(x)
        print(x.shape, x.size(), x.dim(), x.numel(), x.stride(), x.is_contiguous())
        return x.sum()

    torch.vmap(show)(torch.arange(6.0).view(2, 3))
    torch.vmap(torch.vmap(show))(torch.arange(8.0).view(2, 2, 2))
    torch.func.grad(show)(torch.arange(2.0))
    torch.func.jvp(show, (torch.arange(2.0),), (torch.ones(2),))
    torch.vmap(torch.func.grad(show))(torch.arange(6.0).view(2, 3))


def chunks(torch: T) -> None:
    x = torch.arange(10.0).view(5, 2)
    for size in (1, 2, 3, 5, 7):
        print(torch.vmap(lambda x: (x * 2, x.sum()), chunk_size=size)(x))
    print(torch.vmap(lambda x, y: x * y, in_dims=(1, None), out_dims=1, chunk_size=1)(x, torch.ones(5)))


def chunk_calls(torch: T) -> None:
    calls = []

    def counted(x: T) -> T:
        calls.append(1)
        return x * 2

    torch.vmap(counted, chunk_size=2)(torch.zeros(5))
    print(len(calls))


def random_numbers_refused(torch: T) -> None:
    x = torch.zeros(3)
    tell(lambda: torch.vmap(lambda x: x + torch.rand(2))(x))
    tell(lambda: torch.vmap(lambda x: torch.rand_like(x))(x))
    tell(lambda: torch.vmap(lambda x: torch.nn.functional.dropout(x))(x))
    tell(lambda: torch.vmap(lambda x: x.uniform_())(x))
    tell(lambda: torch.vmap(lambda x: torch.bernoulli(x))(x))
    tell(lambda: torch.vmap(lambda x: torch.normal(x, 1.0))(x))
    tell(lambda: torch.vmap(lambda x: torch.randperm(3))(x))
    tell(lambda: torch.vmap(lambda x: torch.randint(5, (2,)))(x))
    tell(lambda: torch.vmap(lambda x: torch.randn(2))(x))
    tell(lambda: torch.vmap(lambda x: torch.multinomial(torch.ones(2) + x, 1))(x))


def random_numbers_the_same(torch: T) -> None:
    x = torch.zeros(3)
    torch.manual_seed(0)
    rows = torch.vmap(lambda x: torch.rand(2), randomness="same")(x)
    print(rows)
    print(torch.vmap(lambda x: x + torch.randn(2), randomness="same")(x))
    print(torch.vmap(lambda x: torch.randint(9, (2,)), randomness="same")(x))
    print(torch.vmap(lambda x: torch.randperm(4), randomness="same")(x))
    print(torch.vmap(lambda x: torch.nn.functional.dropout(x + 1), randomness="same")(torch.zeros(2, 4)))
    print(torch.vmap(lambda x: torch.rand_like(x), randomness="same")(torch.zeros(2, 2)))


def random_numbers_different(torch: T) -> None:
    x = torch.zeros(3)
    torch.manual_seed(0)
    print(torch.vmap(lambda x: torch.rand(2), randomness="different")(x))
    print(torch.vmap(lambda x: x + torch.randn(2), randomness="different")(x))
    print(torch.vmap(lambda x: torch.randint(9, (2,)), randomness="different")(x))
    print(torch.vmap(lambda x: torch.nn.functional.dropout(x + 1), randomness="different")(torch.zeros(2, 4)))
    print(torch.vmap(lambda x: torch.bernoulli(x + 0.5), randomness="different")(torch.zeros(2, 4)))
    print(torch.vmap(lambda x: torch.rand_like(x), randomness="different")(torch.zeros(2, 2)))


def random_numbers_nested(torch: T) -> None:
    x = torch.zeros(2, 2)
    torch.manual_seed(0)

    def inner(x: T) -> T:
        return torch.vmap(lambda x: x + torch.rand(1), randomness="same")(x)

    print(torch.vmap(inner, randomness="different")(x))


def nested(torch: T) -> None:
    x, y = torch.arange(3.0), torch.arange(2.0)
    print(torch.vmap(lambda a: torch.vmap(lambda b: a * 10 + b, out_dims=0)(y), out_dims=1)(x))
    print(torch.vmap(torch.vmap(torch.dot))(torch.ones(2, 3, 4), torch.ones(2, 3, 4)))
    print(torch.vmap(torch.vmap(torch.dot, in_dims=(None, 0)), in_dims=(0, None))(torch.eye(2), torch.eye(2)))


def empty_batch(torch: T) -> None:
    tell(lambda: torch.vmap(lambda x: x.sum())(torch.ones(0, 2)))
    tell(lambda: torch.vmap(lambda x: x * 2)(torch.ones(0, 2)))


def integers_and_bools(torch: T) -> None:
    x = torch.arange(6).view(2, 3)
    print(torch.vmap(lambda x: x + 1)(x), torch.vmap(lambda x: x > 2)(x), torch.vmap(lambda x: x.sum())(x))
    print(torch.vmap(lambda x: x / 2)(x).dtype, torch.vmap(lambda x: x + 1.0)(x).dtype)
    print(torch.vmap(lambda x: x * torch.tensor(2.0, dtype=torch.float64))(torch.ones(2)).dtype)
    print(
        torch.vmap(lambda s, x: s * x, in_dims=(0, None))(
            torch.ones(2, dtype=torch.float64), torch.ones(2)
        ).dtype
    )


def indexing(torch: T) -> None:
    x = torch.arange(12.0).view(2, 2, 3)
    i = torch.tensor([0, 1])
    print(torch.vmap(lambda x, i: x[i])(x, i))
    print(torch.vmap(lambda x, i: x[:, i])(x, i))
    print(torch.vmap(lambda x, i: x[i], in_dims=(None, 0))(x[0], i))
    print(torch.vmap(lambda x: x[..., 1:])(x))
    print(torch.vmap(lambda x: x[[1, 0]])(x))
    print(torch.vmap(lambda x, m: torch.where(m, x, 0.0))(x, x > 4))
    print(torch.vmap(lambda x, i: x.index_select(0, i.view(1)))(x, i))


def writing(torch: T) -> None:
    def f(x: T) -> T:
        x = x.clone()
        x[0] = 1.0
        x[:, 1] += 2
        x.t()[0].mul_(3)
        return x

    print(torch.vmap(f)(torch.arange(8.0).view(2, 2, 2)))


def shapes(torch: T) -> None:
    x = torch.arange(12.0).view(2, 2, 3)
    print(torch.vmap(lambda x: x.t().reshape(-1))(x))
    print(torch.vmap(lambda x: x.unsqueeze(0).expand(2, 2, 3).sum(0))(x))
    print(torch.vmap(lambda x: torch.cat([x, x[:1]]))(x))
    print(torch.vmap(lambda x: torch.stack(x.unbind()))(x))
    print(torch.vmap(lambda x: x.chunk(2, -1)[0])(x))


def errors_inside(torch: T) -> None:
    x = torch.ones(2, 3)
    tell(lambda: torch.vmap(lambda x: x + torch.ones(2))(x))
    tell(lambda: torch.vmap(lambda x: x.sum(1))(x))
    tell(lambda: torch.vmap(lambda x: x[5])(x))


def per_sample_gradients(torch: T) -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
    parameters = {k: v.detach() for k, v in model.named_parameters()}

    def loss(parameters: T, x: T, y: T) -> T:
        return ((torch.func.functional_call(model, parameters, (x,)) - y) ** 2).sum()

    x, y = torch.randn(4, 3), torch.randn(4, 1)
    grads = torch.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(parameters, x, y)
    print({k: v.shape for k, v in grads.items()})
    print(grads["2.bias"])

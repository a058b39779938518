"""Optimizers of a program's own: what their classes may leave out, and which hooks their steps run."""

from __future__ import annotations

from typing import Any

T = Any


def wraps_another(torch: T) -> None:
    class Wrapping(torch.optim.Optimizer):  # type: ignore[misc, name-defined]  # a base known at run time only
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        @property
        def param_groups(self) -> Any:
            return self.inner.param_groups

        def step(self, closure: Any = None) -> Any:
            self.inner.step(closure)
            return "stepped"

    p = torch.nn.Parameter(torch.ones(2))
    p.grad = torch.ones(2)
    wrapping = Wrapping(torch.optim.SGD([p], lr=0.5))
    schedule = torch.optim.lr_scheduler.StepLR(wrapping, 1, 0.5)
    print(wrapping.step(), p)
    schedule.step()
    print(wrapping.step(), p, isinstance(wrapping, torch.optim.Optimizer))


def hooks_of_steps(torch: T) -> None:
    class Own(torch.optim.SGD):  # type: ignore[misc, name-defined]  # as above
        def step(self, closure: Any = None) -> Any:
            print("own step")
            return super().step(closure)

    p = torch.nn.Parameter(torch.ones(2))
    p.grad = torch.ones(2)
    for kind in (torch.optim.SGD, Own):
        optimizer = kind([p], lr=0.5)
        optimizer.register_step_pre_hook(lambda *a: print("before", len(a), [type(x).__name__ for x in a[1]]))
        optimizer.register_step_post_hook(lambda o, args, kwargs: print("after", len(args), sorted(kwargs)))
        optimizer.step()
        optimizer.step(closure=None)
        print(p)


def hook_changes_the_arguments(torch: T) -> None:
    p = torch.nn.Parameter(torch.ones(2))
    p.grad = torch.ones(2)
    optimizer = torch.optim.Adam([p])
    handle = optimizer.register_step_pre_hook(lambda o, args, kwargs: ((*args, lambda: 7), kwargs))
    print(optimizer.step())
    handle.remove()
    print(optimizer.step())
    optimizer.register_step_pre_hook(lambda o, args, kwargs: args)
    try:
        optimizer.step()
    except RuntimeError as error:
        print(str(error).partition(" must ")[2].partition("but got")[0])

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


def _error_of(call: Any) -> None:
    try:
        print(call())
    except (TypeError, ValueError, RuntimeError, AssertionError, IndexError) as error:
        print(type(error).__name__, error)


def options_that_cannot_be_compared(torch: T) -> None:
    for name, options in (
        ("SGD", {"lr": "x"}), ("Adam", {"eps": (1, 2)}), ("Adam", {"betas": 1j}),
        ("RAdam", {"betas": (0.1,)}), ("SparseAdam", {"lr": "x"}), ("Muon", {"momentum": "x"}),
        ("Adafactor", {"beta2_decay": "x"}), ("SGD", {"lr": float("nan")}), ("SGD", {"momentum": -1}),
        ("Adam", {"lr": float("nan")}),
    ):  # fmt: skip
        kind = getattr(torch.optim, name)
        _error_of(lambda kind=kind, options=options: kind([torch.ones(2, 2)], **options))


def capturable_on_the_cpu(torch: T) -> None:
    for name in ("Adam", "Adadelta", "RMSprop", "Rprop", "ASGD", "NAdam"):
        for foreach in (None, True):
            p = torch.nn.Parameter(torch.ones(2))
            optimizer = getattr(torch.optim, name)([p], capturable=True, foreach=foreach)
            _error_of(optimizer.step)
            p.grad = torch.ones(2)
            _error_of(optimizer.step)
            print(sorted(optimizer.state[p]))
    p.grad, optimizer = torch.ones(2), torch.optim.Adam([p], capturable=True, fused=True)
    _error_of(optimizer.step)


def a_step_that_is_refused_changes_nothing(torch: T) -> None:
    p, q = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(2, dtype=torch.complex64))
    optimizer = torch.optim.Adafactor([p, q])
    p.grad, q.grad = torch.ones(2), torch.ones(2, dtype=torch.complex64)
    _error_of(optimizer.step)
    print(p, sorted(optimizer.state[p]), q in optimizer.state)
    first, view = torch.nn.Parameter(torch.ones(2)), torch.ones(2, requires_grad=True)
    optimizer = torch.optim.RMSprop([first, view], differentiable=True)
    first.grad = view.grad = torch.ones(2)
    _error_of(optimizer.step)
    print([sorted(optimizer.state[x]) for x in (first, view)])


def states_have_the_layout_of_the_gradient(torch: T) -> None:
    for name, key in (("Muon", "momentum_buffer"), ("Rprop", "step_size"), ("Rprop", "prev")):
        p = torch.nn.Parameter(torch.arange(6.0).reshape(3, 2).t())
        optimizer = getattr(torch.optim, name)([p])
        p.grad = torch.ones(2, 3)
        optimizer.step()
        print(name, p.stride(), optimizer.state[p][key].stride())


def betas_that_are_tensors_stay_tensors(torch: T) -> None:
    p = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.AdamW([p], betas=(torch.tensor(0.5), torch.tensor([0.75])))
    p.grad = torch.ones(2)
    optimizer.step()
    print(optimizer, p, optimizer.state_dict()["param_groups"][0]["betas"])


def numbers_of_parameters_that_stand_twice(torch: T) -> None:
    p, q = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([p, p, q])
    optimizer.add_param_group({"params": [torch.nn.Parameter(torch.ones(1))]})
    print([group["params"] for group in optimizer.state_dict()["param_groups"]])


def schedules_are_pickled(torch: T) -> None:
    import pickle

    kinds = torch.optim.lr_scheduler
    for make in (
        lambda o: kinds.StepLR(o, 2),
        lambda o: kinds.ReduceLROnPlateau(o, patience=0),
        lambda o: kinds.SequentialLR(o, [kinds.ConstantLR(o), kinds.ExponentialLR(o, 0.5)], [2]),
        lambda o: kinds.OneCycleLR(o, 0.5, 10),
        lambda o: torch.optim.swa_utils.SWALR(o, 0.05),
    ):
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=0.5, momentum=0.9)
        schedule = make(optimizer)
        optimizer.step()
        again = pickle.loads(pickle.dumps(schedule))
        again.step(*[1.0] * isinstance(again, kinds.ReduceLROnPlateau))
        print(type(again).__name__, again.get_last_lr(), schedule.get_last_lr())

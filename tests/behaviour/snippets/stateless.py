"""Modules as functions of their parameters: `functional_call`, `stack_module_state`, batch norm replaced."""

from __future__ import annotations

from typing import Any

from .transforms import tell

T = Any


def _net(torch: T) -> T:
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    with torch.no_grad():
        net[0].weight.copy_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
        net[0].bias.zero_()
    return net


def several_dictionaries(torch: T) -> None:
    net, x = _net(torch), torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    parameters, buffers = dict(net.named_parameters()), dict(net.named_buffers())
    print(torch.func.functional_call(net, (parameters, buffers), x))
    print(torch.func.functional_call(net, {"0.bias": torch.tensor([1.0, -1.0])}, (x,)))


def buffers_are_replaced(torch: T) -> None:
    net, x = _net(torch), torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    buffers = {k: v.clone() for k, v in net.named_buffers()}
    torch.func.functional_call(net, buffers, x)
    print(buffers)
    print(dict(net.named_buffers()))


def rebound_buffers_come_back(torch: T) -> None:
    class Counter(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(1))

        def forward(self, x: T) -> T:
            self.count = self.count + 1
            return x * self.count

    counter = Counter()
    buffers = {"count": torch.tensor([5.0])}
    print(torch.func.functional_call(counter, buffers, torch.ones(1)), buffers, counter.count)


def refuses(torch: T) -> None:
    net, x = _net(torch), torch.ones(2, 2)
    w = torch.ones(2, 2)
    tell(lambda: torch.func.functional_call(net, 1, x))
    tell(lambda: torch.func.functional_call(net, [{"0.weight": w}, 1], x))
    tell(lambda: torch.func.functional_call(net, [{"0.weight": w}, {"0.weight": w}], x))
    tell(lambda: torch.func.functional_call(net[0], {"weigth": w}, x).shape)
    tell(lambda: torch.func.functional_call(net, {"7.weight": w}, x))
    tell(lambda: torch.func.functional_call(net, {"": w}, x))
    tell(lambda: torch.func.functional_call(net, {"0.weight": w}, x, strict=True))
    tell(lambda: torch.func.functional_call(net, {"0.weight": w, "more": w}, x, strict=True))
    tell(lambda: torch.func.functional_call(net[0], {"weight": 5.0, "bias": 3.0}, x))
    tell(lambda: torch.func.functional_call(net, {"0": w}, x))


def keyword_arguments(torch: T) -> None:
    layer = torch.nn.Bilinear(1, 1, 1)
    given = {"weight": torch.ones(1, 1, 1), "bias": torch.zeros(1)}
    x = torch.tensor([[3.0]])
    print(torch.func.functional_call(layer, given, (x,), {"input2": x}))
    print(torch.func.functional_call(layer, given, kwargs={"input1": x, "input2": x}))




def tied_weights(torch: T) -> None:
    class Tied(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a = torch.nn.Parameter(torch.ones(1))
            self.b = self.a

        def forward(self, x: T) -> T:
            return x * self.a + self.b

    net, x = Tied(), torch.tensor([10.0])
    two, three = torch.tensor([2.0]), torch.tensor([3.0])
    tell(lambda: torch.func.functional_call(net, {"a": two}, x))
    tell(lambda: torch.func.functional_call(net, {"b": two}, x))
    tell(lambda: torch.func.functional_call(net, {"a": two}, x, tie_weights=False))
    tell(lambda: torch.func.functional_call(net, {"a": two, "b": three}, x))
    tell(lambda: torch.func.functional_call(net, {"a": two, "b": two}, x))
    tell(lambda: torch.func.functional_call(net, {"a": two, "b": three}, x, tie_weights=False))
    print(net.a is net.b, net.a)


def gradients(torch: T) -> None:
    net, x = torch.func.replace_all_batch_norm_modules_(_net(torch)), torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    parameters = {k: v.detach() for k, v in net.named_parameters()}

    def loss(parameters: T) -> T:
        return (torch.func.functional_call(net, parameters, x) ** 3).sum()

    grads = torch.func.grad(loss)(parameters)
    print({k: v.shape for k, v in grads.items()})
    print(grads["1.weight"].round(decimals=3) + 0.0)  # what is left of 0 has either sign


def stacked(torch: T) -> None:
    nets = [_net(torch), _net(torch)]
    parameters, buffers = torch.func.stack_module_state(nets)
    print({k: (v.shape, v.requires_grad, v.is_leaf) for k, v in parameters.items()})
    print({k: (v.shape, v.requires_grad) for k, v in buffers.items()})
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]])

    def call(parameters: T, buffers: T) -> T:
        return torch.func.functional_call(nets[0].eval(), (parameters, buffers), (x,))

    print(torch.vmap(call)(parameters, buffers).tolist())


def stacking_refused(torch: T) -> None:
    tell(lambda: torch.func.stack_module_state([]))
    tell(lambda: torch.func.stack_module_state([torch.nn.Linear(2, 2), torch.nn.Linear(2, 2).eval()]))
    tell(lambda: torch.func.stack_module_state([torch.nn.Linear(2, 2), torch.nn.ReLU()]))
    frozen = torch.nn.Linear(2, 2)
    frozen.weight.requires_grad_(False)
    tell(lambda: torch.func.stack_module_state([torch.nn.Linear(2, 2), frozen]))
    print({k: v.requires_grad for k, v in torch.func.stack_module_state([frozen])[0].items()})


def batch_norm_replaced(torch: T) -> None:
    net = torch.nn.Sequential(torch.nn.BatchNorm1d(2), torch.nn.Sequential(torch.nn.BatchNorm2d(3)))
    print(torch.func.replace_all_batch_norm_modules_(net) is net)
    print(net, net[0].running_mean, net[0].num_batches_tracked, net[0].track_running_stats)
    print(list(dict(net.named_buffers())))
    alone = torch.func.replace_all_batch_norm_modules_(torch.nn.BatchNorm1d(2))
    print(alone.running_var)


def replaced_under_vmap(torch: T) -> None:
    net = _net(torch)
    x = torch.tensor([[[1.0, 2.0], [3.0, 5.0]], [[0.0, 1.0], [4.0, 4.0]]])
    tell(lambda: torch.vmap(net)(x).shape)
    torch.func.replace_all_batch_norm_modules_(net)
    tell(lambda: torch.vmap(net)(x).round(decimals=3).tolist())

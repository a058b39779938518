"""Functions in place of parameters: parametrize, parametrizations, and the older hooks."""

from __future__ import annotations

import copy
import pickle
from typing import Any

from . import attempt

T = Any


def _symmetric(torch: T) -> Any:
    class Symmetric(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x.triu() + x.triu(1).mT

        def right_inverse(self, a: Any) -> Any:
            return a.triu()

    return Symmetric()


def register(torch: T) -> None:
    nn = torch.nn
    parametrize = nn.utils.parametrize
    layer = nn.Linear(2, 2)
    print(parametrize.register_parametrization(layer, "weight", _symmetric(torch)) is layer)
    print(layer, type(layer).__name__, isinstance(layer, nn.Linear))
    print(layer.weight, layer.parametrizations.weight.original)
    print(parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "bias"))
    print([name for name, _ in layer.named_parameters()], list(layer.state_dict()))
    layer.weight = torch.tensor([[1.0, 2.0], [2.0, 3.0]])
    print(layer.weight, layer.parametrizations.weight.original)
    layer(torch.ones(1, 2)).sum().backward()
    print(layer.parametrizations.weight.original.grad)
    print(parametrize.type_before_parametrizations(layer))
    parametrize.register_parametrization(layer, "bias", nn.Tanh())
    print(layer, layer.bias)
    attempt(lambda: setattr(layer, "bias", torch.zeros(2)))


def remove(torch: T) -> None:
    nn = torch.nn
    parametrize = nn.utils.parametrize
    for leave in (True, False):
        layer = nn.Linear(2, 2)
        own = layer.weight
        parametrize.register_parametrization(layer, "weight", _symmetric(torch))
        parametrize.remove_parametrizations(layer, "weight", leave_parametrized=leave)
        print(layer, type(layer), layer.weight, layer.weight is own, layer.weight.requires_grad)
    attempt(lambda: parametrize.remove_parametrizations(layer, "weight"))


def chains(torch: T) -> None:
    nn = torch.nn
    parametrize = nn.utils.parametrize
    layer = nn.Linear(2, 2)
    parametrize.register_parametrization(layer, "weight", _symmetric(torch))
    parametrize.register_parametrization(layer, "weight", nn.Softplus())
    print(layer, layer.weight, layer.parametrizations.weight[1])
    attempt(lambda: setattr(layer, "weight", torch.zeros(2, 2)))
    parametrize.remove_parametrizations(layer, "weight")
    print(layer.weight)


def several_originals(torch: T) -> None:
    nn = torch.nn
    parametrize = nn.utils.parametrize

    class Product(nn.Module):
        def forward(self, a: Any, b: Any) -> Any:
            return a @ b

        def right_inverse(self, w: Any) -> Any:
            return torch.eye(2), w

    layer = nn.Linear(2, 2)
    parametrize.register_parametrization(layer, "weight", Product())
    print(list(layer.state_dict()), layer.parametrizations.weight.ntensors)
    layer.weight = torch.ones(2, 2)
    print(layer.weight, layer.parametrizations.weight.original1)
    attempt(lambda: parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False))
    parametrize.remove_parametrizations(layer, "weight")
    print(layer.weight)


def refusals(torch: T) -> None:
    nn = torch.nn
    parametrize = nn.utils.parametrize

    class Flat(nn.Module):
        def forward(self, x: Any) -> Any:
            return x.flatten()

    class Double(nn.Module):
        def forward(self, x: Any) -> Any:
            return x.double()

    class Text(nn.Module):
        def forward(self, x: Any) -> Any:
            return "text"

    class Back(nn.Identity):
        def right_inverse(self, x: Any) -> Any:
            return x.double()

    class Nothing(nn.Identity):
        def right_inverse(self, x: Any) -> Any:
            return 3

    for kind in (Flat, Double, Text, Back, Nothing):
        attempt(lambda kind=kind: parametrize.register_parametrization(nn.Linear(2, 2), "weight", kind()))

        def twice(kind: Any = kind) -> Any:
            layer = nn.Linear(2, 2)
            parametrize.register_parametrization(layer, "weight", nn.Identity())
            return parametrize.register_parametrization(layer, "weight", kind())

        attempt(twice)
    attempt(lambda: parametrize.register_parametrization(nn.Linear(2, 2), "no", Flat()))
    print(parametrize.register_parametrization(nn.Linear(2, 2), "weight", Double(), unsafe=True).weight.dtype)
    attempt(lambda: parametrize.ParametrizationList([], torch.ones(1)))


def caching(torch: T) -> None:
    nn = torch.nn

    class Loud(nn.Module):
        def forward(self, x: Any) -> Any:
            print("computed")
            return x * 2

    layer = nn.utils.parametrize.register_parametrization(nn.Linear(1, 1), "weight", Loud())
    with nn.utils.parametrize.cached():
        print(layer.weight is layer.weight)
        layer(torch.ones(1))
    layer(torch.ones(1))


def copies_and_files(torch: T) -> None:
    nn = torch.nn
    layer = nn.utils.parametrize.register_parametrization(nn.Linear(2, 2), "weight", nn.Tanh())
    twin = copy.deepcopy(layer)
    print(twin, type(twin) is type(layer), (twin.weight == layer.weight).all())
    with torch.no_grad():
        twin.parametrizations.weight.original.zero_()
    print(twin.weight, layer.weight)
    attempt(lambda: pickle.dumps(layer))
    print(twin.load_state_dict(layer.state_dict()), (twin.weight == layer.weight).all())


def transfers(torch: T) -> None:
    nn = torch.nn
    parametrize = nn.utils.parametrize
    source = parametrize.register_parametrization(nn.Linear(2, 2), "weight", nn.Tanh())
    target = parametrize.transfer_parametrizations_and_params(source, nn.Linear(2, 2))
    print(target, target.parametrizations.weight.original is source.parametrizations.weight.original)


def buffers(torch: T) -> None:
    nn = torch.nn
    module = nn.Module()
    module.register_buffer("b", torch.ones(2))
    nn.utils.parametrize.register_parametrization(module, "b", nn.Softplus())
    print(module, module.b, [n for n, _ in module.named_buffers()])


def orthogonal(torch: T) -> None:
    nn = torch.nn
    for shape in ((3, 3), (4, 2), (2, 4)):
        for kind in ("matrix_exp", "cayley", "householder", None):
            for trivial in (True, False):
                torch.manual_seed(1)
                layer = nn.Linear(*reversed(shape), dtype=torch.float64)
                if not trivial and kind != "householder":
                    weight = layer.weight.detach()
                    attempt(
                        lambda layer=layer, kind=kind: nn.utils.parametrizations.orthogonal(
                            layer, orthogonal_map=kind, use_trivialization=False
                        ).weight
                    )
                    continue
                nn.utils.parametrizations.orthogonal(layer, orthogonal_map=kind, use_trivialization=trivial)
                weight = layer.weight
                small = weight if shape[0] <= shape[1] else weight.mT
                eye = torch.eye(min(shape), dtype=torch.float64)
                print(shape, kind, trivial, (small @ small.mT - eye).abs().max() < 1e-12)
                if shape[0] == shape[1] or not trivial:
                    print(weight.detach())
                    (weight**3).sum().backward()
                    print(layer.parametrizations.weight.original.grad)
    print(nn.utils.parametrizations.orthogonal(nn.Linear(2, 3)))
    attempt(lambda: nn.utils.parametrizations.orthogonal(nn.Linear(2, 3), orthogonal_map="other"))
    attempt(lambda: nn.utils.parametrizations.orthogonal(nn.Linear(2, 3), "bias"))
    attempt(lambda: nn.utils.parametrizations.orthogonal(nn.Linear(2, 3), "no"))


def orthogonal_assignment(torch: T) -> None:
    nn = torch.nn
    layer = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3, dtype=torch.float64))
    wanted = torch.tensor([[0.0, 1, 0], [1, 0, 0], [0, 0, -1]], dtype=torch.float64)
    layer.weight = wanted
    print((layer.weight - wanted).abs().max() < 1e-12)
    attempt(lambda: setattr(layer, "weight", torch.ones(2, 2)))


def weight_norm(torch: T) -> None:
    nn = torch.nn
    for dim in (0, 1, None, -1):
        layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2), dim=dim)
        print(layer, layer.parametrizations.weight.original0, layer.weight.detach())
        layer(torch.ones(1, 3)).pow(2).sum().backward()
        print([p.grad for p in layer.parametrizations.parameters()])
    old = {"weight_g": torch.ones(2, 1), "weight_v": torch.ones(2, 3), "bias": torch.zeros(2)}
    layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    print(layer.load_state_dict(old), layer.weight.detach())


def spectral_norm(torch: T) -> None:
    nn = torch.nn
    for made in (nn.Linear(3, 2), nn.ConvTranspose2d(2, 3, 2), nn.Embedding(3, 4)):
        layer = nn.utils.parametrizations.spectral_norm(made, n_power_iterations=2)
        print(layer, list(layer.state_dict()), layer.weight.detach())
        layer.weight.pow(2).sum().backward()
        print(layer.parametrizations.weight.original.grad)
        layer.eval()
        print(torch.equal(layer.weight, layer.weight))
    print(nn.utils.parametrizations.spectral_norm(nn.Linear(2, 2), "bias").bias)
    attempt(lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(2, 2), dim=2))
    attempt(lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(2, 2), n_power_iterations=0))
    attempt(lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(2, 2), "no"))


def old_weight_norm(torch: T) -> None:
    nn = torch.nn
    for dim in (0, None):
        layer = nn.utils.weight_norm(nn.Conv1d(2, 3, 2), dim=dim)
        print(layer, [(n, tuple(p.shape)) for n, p in layer.named_parameters()], layer.weight.detach())
        layer(torch.ones(1, 2, 4)).sum().backward()
        print(layer.weight_g.grad)
        with torch.no_grad():
            layer.weight_g.mul_(2)
        print(layer(torch.ones(1, 2, 4)).detach())
        attempt(lambda layer=layer: nn.utils.weight_norm(layer))
        print(nn.utils.remove_weight_norm(layer), list(layer.state_dict()), layer.weight)
        attempt(lambda layer=layer: nn.utils.remove_weight_norm(layer))


def old_spectral_norm(torch: T) -> None:
    nn = torch.nn
    layer = nn.utils.spectral_norm(nn.Linear(3, 2))
    print(layer, list(layer.state_dict()), layer.state_dict()._metadata, layer.weight)
    layer(torch.ones(1, 3)).sum().backward()
    print(layer.weight.detach(), layer.weight_orig.grad, layer.weight_u)
    twin = nn.utils.spectral_norm(nn.Linear(3, 2))
    print(twin.load_state_dict(layer.state_dict()))
    layer.eval()
    twin.eval()
    print(torch.equal(layer(torch.ones(1, 3)), twin(torch.ones(1, 3))))
    attempt(lambda: nn.utils.spectral_norm(layer))
    print(nn.utils.remove_spectral_norm(layer), list(layer.state_dict()), layer.weight)
    attempt(lambda: nn.utils.remove_spectral_norm(layer))
    whole = torch.tensor([[1.0, 2.0, 3.0], [3.0, 1.0, 1.0]])
    old = {"weight_orig": whole, "weight": whole / 2, "weight_u": torch.tensor([1.0, 0.0])}
    print(twin.load_state_dict({**old, "bias": torch.zeros(2)}))
    attempt(lambda: twin.load_state_dict({"weight_orig": torch.eye(2, 3), "bias": torch.zeros(2)}))
    attempt(lambda: nn.utils.spectral_norm(nn.Linear(3, 2), n_power_iterations=0))
    attempt(lambda: nn.utils.spectral_norm(nn.Linear(3, 2, bias=False), "bias"))
    attempt(lambda: nn.utils.weight_norm(nn.LazyLinear(3)))

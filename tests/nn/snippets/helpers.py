"""torch.nn.utils apart from parametrizations: clipping, vectors, fusion, pruning, and more."""

from __future__ import annotations

import importlib
from typing import Any

from . import attempt

T = Any


def _with_gradients(torch: T, *values: Any) -> list[Any]:
    made = []
    for value in values:
        p = torch.nn.Parameter(torch.zeros_like(value))
        p.grad = value
        made.append(p)
    return made


def _prune(torch: T) -> Any:
    return importlib.import_module(f"{torch.__name__}.nn.utils.prune")


def clip_norm(torch: T) -> None:
    utils = torch.nn.utils
    for kind in (2, 1, 0.5, 0, float("inf"), float("-inf"), 3.0):
        ps = _with_gradients(torch, torch.tensor([3.0, 4.0]), torch.tensor([[12.0]]))
        print(kind, utils.clip_grad_norm_(ps, 2.0, kind), [p.grad for p in ps])
    p = _with_gradients(torch, torch.tensor([3.0, 4.0]))[0]
    print(utils.clip_grad_norm_(p, 10), p.grad, utils.clip_grad_norm_(iter([p]), max_norm=1), p.grad)
    print(utils.clip_grad_norm_([torch.nn.Parameter(torch.ones(1))], 1.0), utils.clip_grad_norm_([], 1.0))
    print(utils.clip_grad_norm_((q for q in ()), 1.0))
    print(utils.clip_grad_norm([p], 0.5), p.grad)
    ps = _with_gradients(torch, torch.tensor([3.0]), torch.tensor([4.0], dtype=torch.float64))
    print(utils.clip_grad_norm_(ps, 1.0), [q.grad for q in ps])
    ps = _with_gradients(torch, torch.tensor([3.0 + 4.0j]))
    print(utils.clip_grad_norm_(ps, 1.0), [q.grad for q in ps])


def clip_norm_not_finite(torch: T) -> None:
    utils = torch.nn.utils
    for value in (float("inf"), float("nan")):
        ps = _with_gradients(torch, torch.tensor([value, 1.0]))
        attempt(lambda ps=ps: utils.clip_grad_norm_(ps, 1, 2, error_if_nonfinite=True))
        print(utils.clip_grad_norm_(ps, 1.0), ps[0].grad)


def total_norm(torch: T) -> None:
    utils = torch.nn.utils
    ps = _with_gradients(torch, torch.tensor([3.0, 4.0]), torch.tensor([12.0]))
    norm = utils.get_total_norm([p.grad for p in ps])
    utils.clip_grads_with_norm_(ps, 1.3, norm)
    print(norm, [p.grad for p in ps], utils.get_total_norm(torch.tensor([3.0, 4.0]), float("inf")))
    print(utils.get_total_norm([]), utils.clip_grads_with_norm_([], 1.0, norm))


def clip_value(torch: T) -> None:
    utils = torch.nn.utils
    ps = _with_gradients(torch, torch.tensor([3.0, -4.0]), torch.tensor([0.1, float("nan")]))
    print(utils.clip_grad_value_(ps, 1), [p.grad for p in ps], utils.clip_grad_value_(ps[0], 0.5), ps[0].grad)
    attempt(lambda: utils.clip_grad_value_(ps, "much"))


def vectors(torch: T) -> None:
    utils = torch.nn.utils
    layer = torch.nn.Linear(2, 2)
    v = utils.parameters_to_vector(layer.parameters())
    print(v, v.requires_grad)
    utils.vector_to_parameters(torch.arange(6.0), layer.parameters())
    print(layer.weight, layer.bias)
    attempt(lambda: utils.vector_to_parameters([1.0], layer.parameters()))
    attempt(lambda: utils.parameters_to_vector([torch.ones(2, 3).t()]))
    attempt(lambda: utils.parameters_to_vector([]))
    attempt(lambda: utils.vector_to_parameters(torch.arange(3.0), layer.parameters()))


def fusion(torch: T) -> None:
    nn = torch.nn

    def norm(kind: Any, n: int, **options: Any) -> Any:
        bn = kind(n, **options)
        bn(torch.rand(4, n, *[3] * {nn.BatchNorm1d: 0, nn.BatchNorm2d: 2}[kind]))
        return bn.eval()

    conv, bn = nn.Conv2d(2, 3, 2).eval(), norm(nn.BatchNorm2d, 3)
    fused = nn.utils.fuse_conv_bn_eval(conv, bn)
    x = torch.rand(1, 2, 4, 4)
    print(fused, torch.allclose(fused(x), bn(conv(x)), atol=1e-6), fused.weight.requires_grad, fused.bias)
    conv, bn = nn.ConvTranspose2d(2, 3, 2, bias=False).eval(), norm(nn.BatchNorm2d, 3, affine=False)
    fused = nn.utils.fuse_conv_bn_eval(conv, bn, transpose=True)
    print(torch.allclose(fused(x), bn(conv(x)), atol=1e-6), fused.bias.requires_grad)
    linear, bn = nn.Linear(2, 3).eval(), norm(nn.BatchNorm1d, 3)
    fused = nn.utils.fuse_linear_bn_eval(linear, bn)
    x = torch.rand(5, 2)
    print(fused, torch.allclose(fused(x), bn(linear(x)), atol=1e-6))
    attempt(lambda: nn.utils.fuse_linear_bn_eval(linear, norm(nn.BatchNorm1d, 2)))
    attempt(lambda: nn.utils.fuse_linear_bn_eval(linear.train(), bn))
    attempt(lambda: nn.utils.fuse_conv_bn_eval(conv, nn.BatchNorm2d(3, track_running_stats=False).eval()))


def skipped_init(torch: T) -> None:
    nn = torch.nn
    layer = nn.utils.skip_init(nn.Linear, 2, 3, bias=False)
    print(layer, layer.weight.shape, torch.rand(1))
    attempt(lambda: nn.utils.skip_init(nn.Identity, 2))
    attempt(lambda: nn.utils.skip_init(int, 2))


def memory_formats(torch: T) -> None:
    nn = torch.nn
    net = nn.Sequential(nn.Conv2d(2, 3, 2), nn.ConvTranspose2d(2, 3, 2), nn.Conv3d(2, 3, 2), nn.Linear(2, 2))
    nn.utils.convert_conv2d_weight_memory_format(net, torch.channels_last)
    print([tuple(layer.weight.stride()) for layer in net])
    nn.utils.convert_conv3d_weight_memory_format(net, torch.channels_last_3d)
    print([tuple(layer.weight.stride()) for layer in net])


def stateless(torch: T) -> None:
    layer = torch.nn.Linear(1, 1)
    call = torch.nn.utils.stateless.functional_call
    print(call(layer, {"weight": torch.ones(1, 1), "bias": torch.zeros(1)}, torch.ones(1)))
    attempt(lambda: call(layer, {"weight": torch.ones(1, 1)}, torch.ones(1), strict=True))
    own = layer.weight
    with torch.nn.utils.stateless._reparametrize_module(layer, {"weight": torch.full((1, 1), 2.0)}):
        print(layer.weight, layer.weight is own)
    print(layer.weight is own, type(layer.weight))


def prune_elements(torch: T) -> None:
    prune = _prune(torch)
    layer = torch.nn.Linear(4, 3)
    print(prune.is_pruned(layer))
    prune.l1_unstructured(layer, "weight", amount=0.4)
    print(layer, list(layer.state_dict()), layer.weight, layer.weight_mask)
    prune.random_unstructured(layer, "weight", amount=3)
    print(layer.weight_mask, next(iter(layer._forward_pre_hooks.values())).__class__)
    layer(torch.ones(1, 4)).sum().backward()
    print(layer.weight_orig.grad, prune.is_pruned(layer))
    print(prune.remove(layer, "weight"), layer.weight, list(layer.state_dict()), prune.is_pruned(layer))
    attempt(lambda: prune.remove(layer, "weight"))


def prune_channels(torch: T) -> None:
    prune = _prune(torch)
    layer = torch.nn.Linear(4, 3)
    prune.ln_structured(layer, "weight", amount=1, n=2, dim=0)
    print(layer.weight_mask)
    prune.random_structured(layer, "weight", amount=0.5, dim=1)
    print(layer.weight_mask)
    prune.ln_structured(layer, "weight", amount=0.5, n=float("inf"), dim=-1)
    print(layer.weight_mask)
    print(len(next(iter(layer._forward_pre_hooks.values()))))


def prune_otherwise(torch: T) -> None:
    prune = _prune(torch)
    layer = torch.nn.Linear(2, 2)
    prune.identity(layer, "bias")
    prune.custom_from_mask(layer, "weight", torch.tensor([[1, 0], [0, 1]]))
    print(layer.weight, layer.bias_mask)
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 2))
    pairs = [(net[0], "weight"), (net[1], "weight"), (net[0], "bias")]
    prune.global_unstructured(pairs, prune.L1Unstructured, amount=0.5)
    print(net[0].weight, net[1].weight, net[0].bias)
    prune.global_unstructured(pairs[:1], prune.RandomUnstructured, {pairs[0]: torch.ones(3, 2)}, amount=1)
    print(net[0].weight_mask)
    scores = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    print(prune.L1Unstructured(amount=2).prune(torch.ones(2, 2), importance_scores=scores))
    layer = torch.nn.Linear(2, 2)
    print(prune.l1_unstructured(layer, "weight", 1, importance_scores=-scores).weight_mask)


def prune_refuses(torch: T) -> None:
    prune = _prune(torch)
    layer = torch.nn.Linear(4, 3)
    attempt(lambda: prune.l1_unstructured(layer, "weight", amount=1.5))
    attempt(lambda: prune.l1_unstructured(layer, "weight", amount=-1))
    attempt(lambda: prune.l1_unstructured(layer, "weight", amount="all"))
    attempt(lambda: prune.l1_unstructured(layer, "weight", amount=13))
    attempt(lambda: prune.ln_structured(layer, "bias", 1, 2, 0))
    attempt(lambda: prune.ln_structured(layer, "weight", 1, 2, 2))
    attempt(lambda: prune.random_structured(layer, "weight", 9, 0))
    attempt(lambda: prune.l1_unstructured(layer, "weight", 1, torch.ones(2)))
    attempt(lambda: prune.custom_from_mask(layer, "weight", torch.ones(2)))
    print(list(layer.state_dict()))
    attempt(lambda: prune.global_unstructured(3, prune.L1Unstructured))
    attempt(lambda: prune.global_unstructured([(layer, "weight")], prune.RandomStructured, amount=1))
    attempt(lambda: prune.global_unstructured([(layer, "weight")], prune.L1Unstructured, 3, amount=1))
    attempt(lambda: prune.PruningContainer(prune.L1Unstructured(1)))

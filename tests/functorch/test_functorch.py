"""functorch: each function is torch.func's with torch's warning; modules as functions of their state."""

from __future__ import annotations

import numpy as np
import pytest

import pullback
from pullback import functorch, nn
from pullback.functorch.einops import rearrange


def model() -> nn.Sequential:
    pullback.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))


def test_a_call_warns_as_torch_does() -> None:
    with pytest.warns(FutureWarning) as seen:
        result = functorch.grad(lambda x: x**3)(pullback.tensor(2.0))
    assert result == 12
    assert str(seen[0].message) == (
        "We've integrated functorch into PyTorch. As the final step of the integration, `functorch.grad` is "
        "deprecated as of PyTorch 2.0 and will be deleted in a future version of PyTorch >= 2.3. Please use "
        "`torch.func.grad` instead; see the PyTorch 2.0 release notes and/or the `torch.func` migration "
        "guide for more details https://pytorch.org/docs/main/func.migrating.html"
    )
    assert seen[0].filename == __file__


@pytest.mark.filterwarnings("ignore::FutureWarning")
class TestModules:
    def test_a_module_is_a_function_of_its_parameters(self) -> None:
        whole = model()
        function, params = functorch.make_functional(whole)
        x = pullback.randn(5, 2)
        assert pullback.equal(function(params, x), whole(x))
        assert function.param_names == ("0.weight", "0.bias", "2.weight", "2.bias")
        assert all(p.is_meta for p in function.parameters())
        assert params[0] is not whole[0].weight
        assert params[0].requires_grad

        function(params, x).sum().backward()
        whole(x).sum().backward()
        assert pullback.equal(params[0].grad, whole[0].weight.grad)

    def test_gradients_of_each_sample(self) -> None:
        function, params = functorch.make_functional(model(), disable_autograd_tracking=True)
        x = pullback.randn(5, 2)
        assert not params[0].requires_grad

        def value(params: tuple[pullback.Tensor, ...], x: pullback.Tensor) -> pullback.Tensor:
            return function(params, x).sum()

        each = functorch.vmap(functorch.grad(value), (None, 0))(params, x)
        whole = functorch.grad(value)(params, x)
        for one, total in zip(each, whole, strict=True):
            np.testing.assert_allclose(one.sum(0).numpy(), total.numpy(), rtol=1e-5, atol=1e-7)

    def test_shared_parameters_are_given_once(self) -> None:
        shared = model()
        shared.append(nn.Linear(3, 1))
        shared[3].weight = shared[2].weight
        shared[3] = nn.Sequential(nn.Linear(1, 3), shared[2])
        function, params = functorch.make_functional(shared)
        x = pullback.randn(4, 2)
        assert len(params) == 6
        assert pullback.equal(function(params, x), shared(x))

    def test_buffers_are_the_second_argument(self) -> None:
        with pytest.raises(RuntimeError, match=r"make_functional\(model\): `model` has buffers. Please use"):
            functorch.make_functional(nn.BatchNorm1d(2))
        norm = nn.BatchNorm1d(2)
        function, params, buffers = functorch.make_functional_with_buffers(norm)
        x = pullback.randn(4, 2)
        assert pullback.equal(function(params, buffers, x), norm(x))
        assert pullback.equal(buffers[0], norm.running_mean)

    def test_an_ensemble_is_one_batched_call(self) -> None:
        models = [nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)).eval() for _ in range(3)]
        function, params, buffers = functorch.combine_state_for_ensemble(models)
        x = pullback.randn(4, 2)
        results = functorch.vmap(function, (0, 0, None))(params, buffers, x)
        for one, result in zip(models, results, strict=True):
            np.testing.assert_allclose(one(x).detach().numpy(), result.numpy(), rtol=1e-5, atol=1e-6)
        models[0].train()
        with pytest.raises(RuntimeError, match="Expected all models to have the same training/eval mode"):
            functorch.combine_state_for_ensemble(models)


def test_rearrange_by_a_pattern() -> None:
    x = pullback.arange(6).reshape(2, 3)
    assert pullback.equal(rearrange(x, "a b -> (b a)"), x.t().reshape(-1))

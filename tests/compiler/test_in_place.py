"""``module.compile()``: calls of the module itself are compiled, and it stays the module that it was."""

from __future__ import annotations

import copy
import pickle

import pytest

import pullback as torch
from pullback import nn

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")


def model() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))


def test_results_and_gradients_are_those_of_the_module():
    module, twin = model(), model()
    module.compile()
    x = torch.randn(5, 4)
    out = module(x)
    assert type(out.grad_fn).__name__ == "CompiledFunctionBackward"
    torch.testing.assert_close(out, twin(x))
    out.sum().backward()
    twin(x).sum().backward()
    for p, q in zip(module.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(p.grad, q.grad)


def test_hooks_are_part_of_the_call():
    module = model()
    x = torch.randn(5, 4)
    expected = module(x) * 2
    module.register_forward_hook(lambda module, args, out: out * 2)
    module.compile(fullgraph=True)
    torch.testing.assert_close(module(x), expected)


def test_a_part_may_be_compiled_and_the_whole_around_it():
    module = model()
    x = torch.randn(5, 4)
    expected = module(x)
    module[0].compile()
    assert type(module[0](x).grad_fn).__name__ == "CompiledFunctionBackward"
    torch.testing.assert_close(module(x), expected)
    module.compile(fullgraph=True)
    torch.testing.assert_close(module(x), expected)


def test_names_of_the_state_stay_and_copies_are_not_compiled():
    module = model()
    names = list(module.state_dict())
    module.compile()
    module(torch.randn(5, 4))
    assert list(module.state_dict()) == names
    for twin in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert twin._compiled_call_impl is None
        torch.testing.assert_close(twin(torch.ones(1, 4)), module(torch.ones(1, 4)))


def test_arguments_are_those_of_compile():
    with pytest.raises(RuntimeError, match="Unrecognized mode=fastest"):
        model().compile(mode="fastest")


def test_a_diagonal_is_filled():
    function = lambda x: ((x * 2).fill_diagonal_(1.0) * x).sum()
    x = torch.randn(3, 3)
    torch.testing.assert_close(torch.compile(function, fullgraph=True)(x), function(x))

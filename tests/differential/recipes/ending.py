"""The end of every program: gradients of its leaves, sometimes twice differentiated."""

from __future__ import annotations

from typing import Any

from ..builder import LARGEST_NUMEL, Builder, Ref, call
from . import Drawn, recipe
from .grads import covectors


def outputs_of(b: Builder) -> list[Ref]:
    """Some of the results that depend on a leaf, mostly those that nothing else was made of."""
    results = [ref for ref in b.requiring(leaf=False) if b.value(ref).numel() <= LARGEST_NUMEL]
    used = {ref for instruction in b.instructions for ref in instruction.references()}
    ends = [ref for ref in results if ref not in used and Ref(ref.index) not in used]
    among = ends if ends and b.chance(0.8) else results
    return b.rng.sample(among, min(b.weighted({1: 3, 2: 3, 3: 2, 5: 2}), len(among)))


@recipe(5)
def backward(b: Builder) -> Drawn:
    """`backward`; the comparison at the end sees every `.grad`."""
    outputs = outputs_of(b)
    if not outputs:
        return None
    kwargs: dict[str, Any] = {"create_graph": True} if b.chance(0.1) else {}
    first = call("torch.autograd.backward", outputs, covectors(b, outputs), **kwargs)
    if b.chance(0.1):
        # Once more through the same graph: an error, unless nothing in it was saved.
        return [first, call("torch.autograd.backward", outputs, covectors(b, outputs))]
    return first


@recipe(4)
def grad(b: Builder) -> Drawn:
    outputs, inputs = outputs_of(b), b.requiring(leaf=True)
    if not outputs or not inputs:
        return None
    return call("torch.autograd.grad", outputs, inputs, covectors(b, outputs), allow_unused=True)


@recipe(4)
def second_derivative(b: Builder) -> Drawn:
    outputs, inputs = outputs_of(b), b.requiring(leaf=True)
    if not outputs or not inputs:
        return None
    first = b.next()
    if not b.emit(
        call(
            "torch.autograd.grad",
            outputs,
            inputs,
            covectors(b, outputs),
            allow_unused=True,
            create_graph=True,
        )
    ):
        return None
    value = b.machine.values[first.index]
    if not value:
        return None
    again = [
        Ref(first.index, k)
        for k, gradient in enumerate(value)
        if gradient is not None and gradient.requires_grad and gradient.numel() <= LARGEST_NUMEL
    ]
    if not again:
        return None
    return call("torch.autograd.grad", again, inputs, covectors(b, again), allow_unused=True)

"""A module's call when it has hooks: pre-hooks, `forward`, hooks, and the backward hooks around them."""

from __future__ import annotations

from typing import Any

from ...autograd.function import Function
from ...tensor.tensor import Tensor


class BackwardHookFunction(Function):
    """The identity, whose node carries a module's backward hooks."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        ctx.mark_non_differentiable(*(t for t in tensors if not t.requires_grad))
        return tensors

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


def _through_identity(values: Any) -> tuple[Any, Any]:
    """Send the tensors of a tuple through the identity; return the tuple and the node, or None for
    no gradient.
    """
    tensors = [v for v in values if isinstance(v, Tensor)]
    if not any(t.requires_grad for t in tensors):
        return values, None
    passed = iter(BackwardHookFunction.apply(*tensors))
    result = tuple(next(passed) if isinstance(v, Tensor) else v for v in values)
    node = next(v.grad_fn for v in result if isinstance(v, Tensor) and v.grad_fn is not None)
    return result, node


class _BackwardHooks:
    """Pairs the covectors of a module's outputs with those of its inputs for the module's backward hooks."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.grad_outputs: Any = None
        self.has_inputs = False

    def wrap_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        result, node = _through_identity(args)
        if node is not None:
            self.has_inputs = True
            node.register_hook(lambda grad_inputs, grad_outputs: self._at_inputs(grad_inputs))
        return result

    def wrap_outputs(self, output: Any) -> Any:
        values = output if isinstance(output, tuple) else (output,)
        result, node = _through_identity(values)
        if node is None:
            return output
        node.register_prehook(self._at_outputs)
        return result if isinstance(output, tuple) else result[0]

    def _at_outputs(self, grad_outputs: tuple[Any, ...]) -> Any:
        self.grad_outputs = grad_outputs
        for hook in list(self.module._backward_pre_hooks.values()):
            replaced = hook(self.module, self.grad_outputs)
            if replaced is not None:
                self.grad_outputs = replaced if isinstance(replaced, tuple) else (replaced,)
        given = self.grad_outputs
        if not self.has_inputs:
            for hook in list(self.module._backward_hooks.values()):
                if hook(self.module, (), given) is not None:
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return "
                        "None or None for all gradients."
                    )
        return given

    def _at_inputs(self, grad_inputs: tuple[Any, ...]) -> Any:
        for hook in list(self.module._backward_hooks.values()):
            replaced = hook(self.module, grad_inputs, self.grad_outputs)
            if replaced is not None:
                grad_inputs = replaced if isinstance(replaced, tuple) else (replaced,)
        return grad_inputs


def call_with_hooks(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a module's pre-hooks, `forward` and hooks."""
    for hook in list(module._forward_pre_hooks.values()):
        replaced = hook.call(module, args, kwargs) if hook.with_kwargs else hook.call(module, args)
        if replaced is None:
            continue
        if hook.with_kwargs:
            if not (isinstance(replaced, tuple) and len(replaced) == 2):
                raise RuntimeError(
                    "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
                    f"{replaced}."
                )
            args, kwargs = replaced
        else:
            args = replaced if isinstance(replaced, tuple) else (replaced,)
    around = _BackwardHooks(module) if module._backward_hooks or module._backward_pre_hooks else None
    if around is not None:
        args = around.wrap_inputs(args)
    called: set[int] = set()
    output = None
    try:
        output = module.forward(*args, **kwargs)
        for key, hook in list(module._forward_hooks.items()):
            called.add(key)
            replaced = (
                hook.call(module, args, kwargs, output)
                if hook.with_kwargs
                else hook.call(module, args, output)
            )
            output = output if replaced is None else replaced
    except Exception:
        for key, hook in list(module._forward_hooks.items()):
            if hook.always and key not in called:
                if hook.with_kwargs:
                    hook.call(module, args, kwargs, output)
                else:
                    hook.call(module, args, output)
        raise
    return output if around is None else around.wrap_outputs(output)

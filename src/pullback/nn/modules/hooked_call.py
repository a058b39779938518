"""Run a module's call when it has hooks: pre-hooks, `forward`, hooks, and the backward hooks around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...autograd.function import Function
from ...core.modes import is_grad_enabled
from ...core.warn import warn
from ...tensor.tensor import Tensor
from . import module_hooks as shared


class BackwardHookFunction(Function):
    """The identity, whose node carries a module's backward hooks."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        ctx.mark_non_differentiable(*(t for t in tensors if not t.requires_grad))
        return tensors

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


def _spread(places: Sequence[int], values: Sequence[Any], size: int) -> tuple[Any, ...]:
    """Return the values at their places among arguments, None at the places of what is no tensor."""
    spread: list[Any] = [None] * size
    for place, value in zip(places, values, strict=True):
        spread[place] = value
    return tuple(spread)


def _through_identity(
    values: tuple[Any, ...], call: Callable[..., Any]
) -> tuple[tuple[Any, ...], list[int] | None]:
    """Send the tensors of a tuple through the identity and let its node call a hook.

    Where no gradient flows, the very same values are returned, and None in place of the tensors' places.
    """
    places = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
    if not (is_grad_enabled() and any(values[i].requires_grad for i in places)):
        return values, None
    passed = BackwardHookFunction.apply(*(values[i] for i in places))
    node = next(t.grad_fn for t in passed if t.grad_fn is not None)

    def hook(grad_inputs: tuple[Any, ...], grad_outputs: tuple[Any, ...]) -> Any:
        # Errors name the hook as torch's do.
        return call(grad_inputs, grad_outputs)

    node.register_hook(hook)
    result = list(values)
    for place, tensor in zip(places, passed, strict=True):
        result[place] = tensor
    return (tuple(result) if type(values) is tuple else type(values)(*result)), places


class BackwardHook:
    """Pair the covectors of a module's outputs with those of its inputs for the module's backward hooks.

    Its node behind the outputs runs first in `backward` and keeps their covectors until the node before the
    inputs runs, which calls the hooks with both.
    """

    def __init__(
        self, module: Any, hooks: Sequence[Callable[..., Any]], pre_hooks: Sequence[Callable[..., Any]]
    ) -> None:
        self.module = module
        self.hooks = hooks
        self.pre_hooks = pre_hooks
        self.grad_outputs: Any = None
        self.input_count = 0
        self.input_places: list[int] | None = None
        self.output_count = 0
        self.output_places: list[int] | None = None

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments with the node before them."""
        self.input_count = len(args)
        result, self.input_places = _through_identity(args, self._at_inputs)
        return result

    def setup_output_hook(self, output: Any) -> Any:
        """Return the output with the node behind it."""
        values = output if isinstance(output, tuple) else (output,)
        self.output_count = len(values)
        result, self.output_places = _through_identity(values, self._at_outputs)
        return result if isinstance(output, tuple) else result[0]

    def _at_outputs(self, _: Any, covectors: tuple[Any, ...]) -> Any:
        places = self.output_places or []
        given = _spread(places, covectors, self.output_count)
        wrong = "Backward pre hook returned an invalid number of grad_output"
        self.grad_outputs = given = _asked(self.pre_hooks, wrong, self.module, given)
        if self.input_places is None:
            self._without_inputs()
        return tuple(given[i] for i in places)

    def _without_inputs(self) -> None:
        """Call the hooks at once: no input requires a gradient, and no later node will."""
        warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since "
            "no inputs require gradients. See "
            "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
            "register_full_backward_hook for more details."
        )
        for hook in self.hooks:
            replaced = hook(self.module, (None,) * self.input_count, self.grad_outputs)
            if replaced is not None and not (
                isinstance(replaced, tuple) and all(value is None for value in replaced)
            ):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or "
                    "None for all gradients."
                )
        self.grad_outputs = None

    def _at_inputs(self, covectors: tuple[Any, ...], _: Any) -> Any:
        if self.grad_outputs is None:  # the covectors did not come through the outputs: double backward
            return None
        places = self.input_places or []
        given = _spread(places, covectors, self.input_count)
        wrong = "Backward hook returned an invalid number of grad_input"
        given = _asked(self.hooks, wrong, self.module, given, self.grad_outputs)
        self.grad_outputs = None
        return tuple(given[i] for i in places)


def _asked(hooks: Sequence[Any], wrong: str, module: Any, given: Any, *others: Any) -> Any:
    """Return what hooks make of covectors, one after the other."""
    for hook in hooks:
        if (replaced := hook(module, given, *others)) is None:
            continue
        if len(replaced) != len(given):
            raise RuntimeError(f"{wrong}, got {len(replaced)}, but expected {len(given)}")
        given = replaced
    return given


class _HookedCall:
    """One call of a module, which hooks that are always called see as far as it came when one raises."""

    def __init__(self, module: Any, args: Any, kwargs: dict[str, Any]) -> None:
        self.module = module
        self.args = args
        self.kwargs = kwargs
        self.output: Any = None
        self.called: set[int] = set()

    def run(self) -> Any:
        """Run pre-hooks, `forward`, hooks; the backward hooks' nodes around them."""
        module = self.module
        full, others = module._get_backward_hooks()
        before = module._get_backward_pre_hooks()
        self._run_pre_hooks()
        around = BackwardHook(module, full, before) if full or before else None
        if around is not None:
            self.args = around.setup_input_hook(self.args)
        self.output = module.forward(*self.args, **self.kwargs)
        for key, hook in self._forward_hooks():
            self.called.add(key)
            replaced = self._call(key, hook)
            self.output = self.output if replaced is None else replaced
        if around is not None:
            if not isinstance(self.output, (Tensor, tuple)):
                warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors "
                    f"but received {type(self.output)}"
                )
            self.output = around.setup_output_hook(self.output)
        if others:
            self._put_on_last_node(others)
        return self.output

    def _run_pre_hooks(self) -> None:
        module = self.module
        for key, hook in (*shared._global_forward_pre_hooks.items(), *module._forward_pre_hooks.items()):
            if key in module._forward_pre_hooks_with_kwargs:
                if (replaced := hook(module, self.args, self.kwargs)) is None:
                    continue
                if not (isinstance(replaced, tuple) and len(replaced) == 2):
                    raise RuntimeError(
                        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
                        f"{replaced}."
                    )
                self.args, self.kwargs = replaced
            else:
                if (replaced := hook(module, self.args)) is not None:
                    self.args = replaced if isinstance(replaced, tuple) else (replaced,)

    def _forward_hooks(self) -> list[tuple[int, Any]]:
        return [*shared._global_forward_hooks.items(), *self.module._forward_hooks.items()]

    def _call(self, key: int, hook: Callable[..., Any]) -> Any:
        if key in self.module._forward_hooks_with_kwargs or key in shared._global_forward_hooks_with_kwargs:
            return hook(self.module, self.args, self.kwargs, self.output)
        return hook(self.module, self.args, self.output)

    def _put_on_last_node(self, hooks: Sequence[Callable[..., Any]]) -> None:
        """Put hooks that are not full on the node that made the first tensor output, to see its covectors."""
        value = self.output
        while not isinstance(value, Tensor):
            if isinstance(value, dict):
                value = next(v for v in value.values() if isinstance(v, Tensor))
            else:
                value = value[0]
        if (node := value.grad_fn) is None:
            return
        for hook in hooks:
            node.register_hook(shared._WrappedHook(hook, self.module))
        if (text := _incomplete(self.args, self.output, node)) is not None:
            warn(text, FutureWarning)

    def after_error(self) -> None:
        """Call the hooks that are always called and were not; what they raise becomes a warning."""
        for key, hook in self._forward_hooks():
            everywhere = key in shared._global_forward_hooks_always_called
            if key in self.called or not (everywhere or key in self.module._forward_hooks_always_called):
                continue
            try:
                replaced = self._call(key, hook)
            except Exception as error:  # noqa: BLE001  # the first error is the one that is raised
                warn(
                    f"{'global ' if everywhere else ''}module forward hook with ``always_call=True`` raised "
                    f"an exception that was silenced as another error was raised in forward: {error}"
                )
                continue
            self.output = self.output if replaced is None else replaced


_INCOMPLETE = (
    "Using {} is deprecated and will be removed in future versions. This hook will be missing some {}."
)
_BETTER = " Please use register_full_backward_hook to get the documented behavior."


def _all_tensors(value: Any) -> bool:
    return isinstance(value, Tensor) or (
        isinstance(value, tuple) and all(isinstance(v, Tensor) for v in value)
    )


def _nodes(value: Any) -> set[Any]:
    values = (value,) if isinstance(value, Tensor) else value
    return {v.grad_fn for v in values if v.grad_fn is not None}


def _incomplete(args: Any, output: Any, node: Any) -> str | None:
    """Return torch's warning where a hook that is not full will not see all covectors, else None."""
    if not _all_tensors(output):
        case = (
            "non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors"
        )
        return _INCOMPLETE.format(case, "of the grad_output") + _BETTER
    if not _all_tensors(args):
        case = (
            "non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of "
            "Tensors"
        )
        return _INCOMPLETE.format(case, "of the grad_input") + _BETTER
    if node not in (made_by := _nodes(output)):
        case = "a non-full backward hook when outputs are nested in python data structure"
        return _INCOMPLETE.format(case, "grad_output")
    if len(made_by) > 1:
        case = "a non-full backward hook when outputs are generated by different autograd Nodes"
        return _INCOMPLETE.format(case, "grad_output") + _BETTER
    if _nodes(args) != {function for function, _ in node.next_functions}:
        case = "a non-full backward hook when the forward contains multiple autograd Nodes"
        return _INCOMPLETE.format(case, "grad_input") + _BETTER
    return None


def call_with_hooks(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a module's pre-hooks, `forward` and hooks."""
    call = _HookedCall(module, args, kwargs)
    try:
        return call.run()
    except Exception:
        call.after_error()
        raise

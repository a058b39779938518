"""Define layers that read the sizes of their parameters from the first input."""

import itertools
from typing import Any

from ...autograd.grad_mode import no_grad
from ..parameter import UninitializedParameter, is_lazy
from .module import Module


class LazyModuleMixin(Module):
    """Let a layer begin with parameters that have no shape, and become an ordinary layer at its first call.

    A subclass puts `UninitializedParameter` and `UninitializedBuffer` in place of its tensors and gives
    `initialize_parameters`, which materialises them. Where `cls_to_become` is set, that is the layer's class
    from then on.
    """

    cls_to_become: type[Module] | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # What is lazy here becomes the layer that its name goes on with.
        if cls.__module__.startswith(f"{__package__}.") and not cls.__name__.startswith("_"):
            cls.cls_to_become = cls.__bases__[-1]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, parameter in self._parameters.items():
            if parameter is not None:
                destination[prefix + name] = _saved(parameter, keep_vars)
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = _saved(buffer, keep_vars)

    def _lazy_load_hook(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        """Give what has no shape that of the tensor that is loaded into it."""
        for name, own in itertools.chain(self._parameters.items(), self._buffers.items()):
            given = state_dict.get(prefix + name)
            if own is not None and given is not None and is_lazy(own) and not is_lazy(given):
                with no_grad():
                    own.materialize(given.shape)

    def _materialize(self, name: str, shape: tuple[int, ...]) -> None:
        """Give a parameter a shape, unless the layer has none of that name."""
        parameter: Any = getattr(self, name)
        if parameter is None:
            return
        if not isinstance(parameter, UninitializedParameter):
            raise AssertionError(f"self.{name} must be an UninitializedParameter")
        parameter.materialize(shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Materialise the parameters by the arguments of the first call: a subclass gives this."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Return whether a parameter or buffer still has no shape."""
        return any(map(is_lazy, itertools.chain(self._parameters.values(), self._buffers.values())))

    def _infer_parameters(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None
    ) -> None:
        """Materialise the parameters before the first call, and become an ordinary layer."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook
        del module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self) -> Any:
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy forward "
            "pass to correctly initialize the modules"
        )


def _saved(value: Any, keep_vars: bool) -> Any:
    return value if keep_vars or is_lazy(value) else value.detach()


LazyModuleMixin.__module__ = "torch.nn.modules.lazy"

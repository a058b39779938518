"""Write a module's state dict and read it back: parameters and persistent buffers under dotted names."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from ...array.named_tuples import NamedTuple
from ...autograd.grad_mode import no_grad
from ...core.hooks import RemovableHandle
from ...core.value import TensorBase
from ...core.warn import warn
from ..parameter import Parameter, is_lazy
from .module_hooks import Store, _WrappedHook, put

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"


class _IncompatibleKeys(NamedTuple):
    """List what `load_state_dict(strict=False)` did not find or did not know."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class ModuleState:
    """Save and load a module's state; `Module.__init__` makes the stores that are declared here."""

    _version: int
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: Store
    _state_dict_pre_hooks: Store
    _load_state_dict_pre_hooks: Store
    _load_state_dict_post_hooks: Store

    def get_extra_state(self) -> Any:
        """Return the state beyond parameters and buffers; a subclass defines it beside `set_extra_state`."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called. Please file an "
            "issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this "
            "bug."
        )

    def set_extra_state(self, state: Any) -> None:
        """Take what `get_extra_state` gave."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called. Please file an "
            "issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this "
            "bug."
        )

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before `state_dict` collects."""
        return put(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after `state_dict` collected; it may
        change the state dict in place.
        """
        hook._from_public_api = True  # type: ignore[attr-defined]  # torch's mark, which programs can see
        return put(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Return as `register_state_dict_post_hook`, for a hook that may also return another state dict."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously "
                "registered via register_state_dict_post_hook"
            )
        return put(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call a hook with the module and `_load_from_state_dict`'s arguments before loading."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        return put(self._load_state_dict_pre_hooks, _WrappedHook(hook, self if with_module else None))

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after loading; it may change the keys' lists in place."""
        return put(self._load_state_dict_post_hooks, hook)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, parameter in self._parameters.items():
            if parameter is not None:
                destination[prefix + name] = parameter if keep_vars else parameter.detach()
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buffer if keep_vars else buffer.detach()
        if type(self).get_extra_state is not ModuleState.get_extra_state:
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> Any:
        """Return all parameters and persistent buffers under dotted names, in the module's storage."""
        if args:
            warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for "
                "details.", FutureWarning
            )
            destination, prefix, keep_vars = (*args, *(destination, prefix, keep_vars)[len(args) :])  # type: ignore[misc]  # known only at run time
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local: dict[str, Any] = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local
        for hook in list(self._state_dict_pre_hooks.values()):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in list(self._state_dict_hooks.values()):
            if (replaced := hook(self, destination, prefix, local)) is None:
                continue
            if getattr(hook, "_from_public_api", False):
                raise RuntimeError("state_dict post-hook must return None")
            destination = replaced
        return destination

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        for hook in list(self._load_state_dict_pre_hooks.values()):
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        persistent = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, own in [*self._parameters.items(), *persistent.items()]:
            if own is None:
                continue
            if (key := prefix + name) not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            self._load_one(name, key, own, state_dict[key], assign, error_msgs)
        extra = prefix + _EXTRA_STATE_KEY_SUFFIX
        if type(self).set_extra_state is not ModuleState.set_extra_state:
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra:
                    first, _, rest = key[len(prefix) :].partition(".")
                    if first not in self._modules and (rest or first not in {*self._parameters, *persistent}):
                        unexpected_keys.append(key)

    def _load_one(
        self, name: str, key: str, own: Any, given: Any, assign: bool, error_msgs: list[str]
    ) -> None:
        if not (isinstance(given, TensorBase) or hasattr(given, "__torch_function__")):
            error_msgs.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object '
                f"from checkpoint but received {type(given)}"
            )
            return
        given_tensor: Any = given
        if not is_lazy(own):
            if len(own.shape) == 0 and tuple(given_tensor.shape) == (1,):
                given_tensor = given_tensor[0]
            if tuple(own.shape) != tuple(given_tensor.shape):
                error_msgs.append(
                    f"size mismatch for {key}: copying a param with shape {given_tensor.shape} from "
                    f"checkpoint, the shape in current model is {own.shape}."
                )
                return
            if given_tensor.device.type != "meta" and own.device.type == "meta" and not assign:
                warn(
                    f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in "
                    "the current model, which is a no-op. (Did you mean to pass `assign=True` to assign "
                    "items in the state dictionary to their corresponding key in the module instead of "
                    "copying them in place?)"
                )
        try:
            with no_grad():
                if assign:
                    self._assign(name, own, given_tensor)
                else:
                    own.copy_(given_tensor)
        except Exception as error:  # noqa: BLE001  # reported with all others when all was tried
            error_msgs.append(
                f'While copying the parameter named "{key}", whose dimensions in the model are {own.size()} '
                f"and whose dimensions in the checkpoint are {given_tensor.size()}, an exception occurred : "
                f"{error.args}."
            )

    def _assign(self, name: str, own: Any, given: Any) -> None:
        """Put a state dict's tensor in place of the module's own; a parameter stays one, and as trainable."""
        if isinstance(own, Parameter):
            if isinstance(given, Parameter):
                given.requires_grad_(own.requires_grad)
            else:
                given = Parameter(given, own.requires_grad)
        setattr(self, name, given)

    def load_state_dict(
        self, state_dict: Any, strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copy values in from a state dict.

        Raises
        ------
        RuntimeError
            Shapes differ, or with `strict` names are missing or not known; nothing of a wrong shape is
            written.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        messages: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        values = OrderedDict(state_dict)
        if metadata is not None:
            values._metadata = metadata  # type: ignore[attr-defined]  # torch keeps it as an attribute

        def load(module: Any, held: Any, prefix: str) -> None:
            local = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local["assign_to_params_buffers"] = True
            module._load_from_state_dict(held, prefix, local, True, missing, unexpected, messages)

        def loaded(module: Any) -> None:
            keys = _IncompatibleKeys(missing, unexpected)
            for hook in list(module._load_state_dict_post_hooks.values()):
                if hook(module, keys) is not None:
                    raise AssertionError(
                        "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to "
                        "return new values, if incompatible_keys need to be modified, it should be done "
                        "inplace."
                    )

        _below(self, values, "", load, loaded)
        if strict:
            if unexpected:
                messages.insert(
                    0, "Unexpected key(s) in state_dict: " + ", ".join(f'"{k}"' for k in unexpected) + ". "
                )
            if missing:
                messages.insert(
                    0, "Missing key(s) in state_dict: " + ", ".join(f'"{k}"' for k in missing) + ". "
                )
        if messages:
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(messages)
            )
        return _IncompatibleKeys(missing, unexpected)


def _below(
    module: Any, held: Any, prefix: str, load: Callable[[Any, Any, str], None], loaded: Callable[[Any], None]
) -> None:
    """Load a module, then those in it, each with its part of what is held, and tell of it afterwards."""
    load(module, held, prefix)
    for name, child in module._modules.items():
        if child is not None:
            below = f"{prefix}{name}."
            _below(child, {k: v for k, v in held.items() if k.startswith(below)}, below, load, loaded)
    loaded(module)

"""A module's state dict: parameters and persistent buffers under dotted names, written and read back."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...core.hooks import HookDict, RemovableHandle, add_hook
from ...core.value import TensorBase
from ..parameter import Parameter


class _IncompatibleKeys(NamedTuple):
    """What `load_state_dict(strict=False)` did not find or did not know."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class ModuleState:
    """What `Module` knows of its state dict; `Module.__init__` makes the stores that are declared here."""

    _version: int
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: HookDict
    _state_dict_pre_hooks: HookDict
    _load_state_dict_pre_hooks: HookDict
    _load_state_dict_post_hooks: HookDict

    def get_extra_state(self) -> Any:
        """State beyond parameters and buffers; a subclass may give this together with `set_extra_state`."""
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
        return add_hook(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after `state_dict` collected."""
        return add_hook(self._state_dict_hooks, hook)

    _register_state_dict_hook = register_state_dict_post_hook

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call a hook with the module and `_load_from_state_dict`'s arguments before loading."""
        return add_hook(self._load_state_dict_pre_hooks, lambda *args: hook(self, *args))

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        call = (lambda *args: hook(self, *args)) if with_module else hook
        return add_hook(self._load_state_dict_pre_hooks, call)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after loading."""
        return add_hook(self._load_state_dict_post_hooks, hook)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, parameter in self._parameters.items():
            if parameter is not None:
                destination[prefix + name] = parameter if keep_vars else parameter.detach()
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buffer if keep_vars else buffer.detach()
        if type(self).get_extra_state is not ModuleState.get_extra_state:
            destination[prefix + "_extra_state"] = self.get_extra_state()

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> Any:
        """All parameters and persistent buffers under dotted names; they share storage with the module's."""
        if args:
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
            replaced = hook(self, destination, prefix, local)
            destination = destination if replaced is None else replaced
        return destination

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        for hook in list(self._load_state_dict_pre_hooks.values()):
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        persistent = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, own in itertools.chain(self._parameters.items(), persistent.items()):
            if own is None:
                continue
            key = prefix + name
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            self._load_one(name, key, own, state_dict[key], assign, error_msgs)
        extra = prefix + "_extra_state"
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
        from ...autograd.grad_mode import no_grad

        if not isinstance(given, TensorBase):
            error_msgs.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object '
                'from checkpoint but '
                f"received {type(given)}"
            )
            return
        given_tensor: Any = given
        if len(own.shape) == 0 and tuple(given_tensor.shape) == (1,):
            given_tensor = given_tensor[0]
        if tuple(own.shape) != tuple(given_tensor.shape):
            error_msgs.append(
                f"size mismatch for {key}: copying a param with shape {given_tensor.shape} from checkpoint, "
                f"the shape in current model is {own.shape}."
            )
            return
        with no_grad():
            if assign:
                if isinstance(own, Parameter) and not isinstance(given_tensor, Parameter):
                    given_tensor = Parameter(given_tensor, own.requires_grad)
                setattr(self, name, given_tensor)
            else:
                own.copy_(given_tensor)

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

        def load(module: Any, held: Any, prefix: str) -> None:
            local = {} if metadata is None else dict(metadata.get(prefix[:-1], {}))
            if assign:
                local["assign_to_params_buffers"] = True
            module._load_from_state_dict(held, prefix, local, True, missing, unexpected, messages)
            for name, child in module._modules.items():
                if child is not None:
                    below = f"{prefix}{name}."
                    load(child, {k: v for k, v in held.items() if k.startswith(below)}, below)
            keys = _IncompatibleKeys(missing, unexpected)
            for hook in list(module._load_state_dict_post_hooks.values()):
                hook(module, keys)

        load(self, values, "")
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

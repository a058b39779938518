"""torch.nn.utils.parametrize: put a function in place of a module's parameter or buffer.

`register_parametrization(module, "weight", f)` keeps the tensor as
``module.parametrizations.weight.original`` and makes ``module.weight`` the property ``f(original)``. For that
the module gets a class of its own, a subclass of what it was, named ``Parametrized…``.
"""

import copy
import copyreg
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...autograd.grad_mode import no_grad
from ...tensor.tensor import Tensor
from ..modules.container import ModuleDict, ModuleList
from ..modules.module import Module
from ..parameter import Parameter

_cache_enabled = 0
_cache: dict[tuple[int, str], Any] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Open a ``with`` block in which every parametrized tensor is computed once and then kept."""
    global _cache_enabled
    _cache_enabled += 1
    try:
        yield
    finally:
        _cache_enabled -= 1
        if not _cache_enabled:
            _cache.clear()


def _register(module: Module, name: str, value: Any) -> None:
    if isinstance(value, Parameter):
        module.register_parameter(name, value)
    else:
        module.register_buffer(name, value)


def _kind(value: Any) -> str:
    return type(value).__name__


class ParametrizationList(ModuleList):
    """The functions in place of one tensor, applied one after another, and what they are applied to.

    Attributes
    ----------
    original : tensor
        What the first function takes. Where its `right_inverse` gives several tensors they are `original0`,
        `original1` and so on.
    unsafe : bool
        Whether shape and dtype of the result are left unchecked.
    is_tensor : bool
        Whether there is one original.
    ntensors : int
        The number of originals.
    """

    original: Any

    def __init__(self, modules: Sequence[Module], original: Any, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with no_grad():
            start: Any = original
            for function in reversed(list(self)):
                if hasattr(function, "right_inverse"):
                    start = _inverted(function, start)
        if not isinstance(start, (Tensor, Sequence)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                f"{_kind(start)}"
            )
        self.is_tensor = isinstance(start, Tensor)
        self.ntensors = 1 if self.is_tensor else len(start)
        if isinstance(start, Tensor):
            self._keep_one(original, start)
        else:
            self._keep_several(original, start)
        if not unsafe:
            self._check(self(), shape, dtype)

    def _keep_one(self, original: Any, start: Any) -> None:
        if original.dtype != start.dtype:
            raise ValueError(
                "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {start.dtype}"
            )
        with no_grad():
            original.set_(start)
        _register(self, "original", original)

    def _keep_several(self, original: Any, parts: Sequence[Any]) -> None:
        for i, part in enumerate(parts):
            if not isinstance(part, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                    f"element {i} of the sequence with type {_kind(part)}."
                )
            own = Parameter(part, original.requires_grad) if isinstance(original, Parameter) else part
            _register(self, f"original{i}", own.requires_grad_(original.requires_grad))

    @staticmethod
    def _check(result: Any, shape: Any, dtype: Any) -> None:
        if not isinstance(result, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {_kind(result)}.")
        for what, have, want in (("dtype", result.dtype, dtype), ("shape", result.shape, shape)):
            if have != want:
                raise ValueError(
                    f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` "
                    f"flag is enabled.\nunparametrized {what}: {want}\nparametrized {what}: {have}"
                )

    def right_inverse(self, value: Any) -> None:
        """Change the originals so that the functions give `value`: what an assignment does."""
        with no_grad():
            for function in reversed(list(self)):
                if not hasattr(function, "right_inverse"):
                    raise RuntimeError(f"parametrization {_kind(function)} does not implement right_inverse.")
                value = function.right_inverse(value)
            if self.is_tensor:
                self._set_one(value)
            else:
                self._set_several(value)

    def _set_one(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise ValueError(f"`right_inverse` should return a tensor. Got {_kind(value)}")
        if value.dtype != self.original.dtype:
            raise ValueError(
                f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` has dtype "
                f"{self.original.dtype}"
            )
        self.original.set_(value)

    def _set_several(self, values: Any) -> None:
        if not isinstance(values, Sequence):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {_kind(values)}.")
        if len(values) != self.ntensors:
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a "
                f"sequence of length {len(values)}."
            )
        for i, value in enumerate(values):
            own = getattr(self, f"original{i}")
            if not isinstance(value, Tensor):
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors or reference-type opaques. Got "
                    f"element {i} of type {_kind(value)}."
                )
            if own.dtype != value.dtype:
                raise ValueError(
                    f"Tensor {i} returned by `right_inverse` has dtype {value.dtype} while `original{i}` has "
                    f"dtype {own.dtype}"
                )
            own.set_(value)

    def forward(self) -> Any:
        """Return the parametrized tensor."""
        first, *others = self
        names = ["original"] if self.is_tensor else [f"original{i}" for i in range(self.ntensors)]
        value = first(*(getattr(self, name) for name in names))
        for function in others:
            value = function(value)
        return value


def _inverted(function: Any, value: Any) -> Any:
    """Return what `right_inverse` gives, or the value where it is not implemented after all."""
    try:
        return function.right_inverse(value)
    except NotImplementedError:
        return value


def _deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    """Return `copy.deepcopy` without `__getstate__`, which refuses."""
    if id(self) in memo:
        return memo[id(self)]
    twin = self.__new__(type(self))
    memo[id(self)] = twin
    twin.__dict__ = copy.deepcopy(self.__dict__, memo)
    for slot in copyreg._slotnames(type(self)):  # type: ignore[attr-defined]  # what copy itself asks
        if hasattr(self, slot):
            setattr(twin, slot, copy.deepcopy(getattr(self, slot), memo))
    return twin


def _getstate(self: Any) -> Any:
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
    )


def _give_own_class(module: Any) -> None:
    cls = type(module)
    members: dict[str, Any] = {"__getstate__": _getstate}
    if not hasattr(cls, "__deepcopy__"):
        members["__deepcopy__"] = _deepcopy
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), members)


def _make_property(module: Any, name: str) -> None:
    if hasattr(module, name):
        raise AssertionError(f"Module already has an attribute named '{name}'")
    place = (id(module), name)

    def compute(self: Any) -> Any:
        functions = self.parametrizations[name]
        if not _cache_enabled:
            return functions()
        if place not in _cache:
            _cache[place] = functions()
        return _cache[place]

    def assign(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(compute, assign))


def register_parametrization(
    module: Any, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Any:
    """Put a function in place of a parameter or buffer, or behind those that are there.

    Parameters
    ----------
    module : Module
    tensor_name : str
    parametrization : Module
        Takes a tensor and gives one. Its `right_inverse`, where it has one, gives what it is first applied
        to, and makes assignments to the tensor possible; it may give several tensors, which `forward` then
        takes.
    unsafe : bool
        Do not check that shape and dtype stay as they are.

    Returns
    -------
    Module
        The module that was given.

    Raises
    ------
    ValueError
        The module has no such tensor, or its shape or dtype would change.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_one_more(module, tensor_name, parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        functions = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _give_own_class(module)
            module.parametrizations = ModuleDict()
        _make_property(module, tensor_name)
        module.parametrizations[tensor_name] = functions
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def _check_one_more(module: Any, name: str, function: Any) -> None:
    """Check that a further function keeps shape and dtype, and so does its right inverse."""
    before = getattr(module, name)
    if not isinstance((after := function(before)), Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {_kind(after)}.")
    for what in ("dtype", "shape"):
        have, want = getattr(after, what), getattr(before, what)
        if have != want:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` "
                f"flag is enabled.\nmodule.{name}.{what}: {want}\nparametrization(module.{name}).{what}: "
                f"{have}"
            )
    if not hasattr(function, "right_inverse"):
        return
    try:
        back = function.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {_kind(back)}")
    for what in ("dtype", "shape"):
        have, want = getattr(back, what), getattr(before, what)
        if have != want:
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as "
                f"module.{name}, unless the `unsafe` flag is enabled.\nmodule.{name}.{what}: {want}\n"
                f"returned {what}: {have}"
            )


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Return whether a tensor of a module, or any of its tensors, is parametrized."""
    if not isinstance((functions := getattr(module, "parametrizations", None)), ModuleDict):
        return False
    return len(functions) > 0 if tensor_name is None else tensor_name in functions


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Make a parametrized tensor an ordinary one again.

    Parameters
    ----------
    module : Module
    tensor_name : str
    leave_parametrized : bool
        Keep its present value; else the original, of which there must be one.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    functions = module.parametrizations[tensor_name]
    if functions.is_tensor:
        kept = functions.original
        if leave_parametrized:
            with no_grad():
                kept.set_(getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        kept = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms "
            "of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, kept)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """Return the class that a module had before it was parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Any, to_module: Any, tensor_name: str | None = None
) -> Any:
    """Give a module the parametrizations, and their originals, that another has."""
    if not is_parametrized(from_module):
        return to_module
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        source = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for function in source:
            register_parametrization(to_module, name, function)
        target = to_module.parametrizations[name]
        for own in ("original",) if source.is_tensor else [f"original{i}" for i in range(source.ntensors)]:
            setattr(target, own, getattr(source, own))
    return to_module


__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
    "transfer_parametrizations_and_params", "type_before_parametrizations",
]
ParametrizationList.__module__ = "torch.nn.utils.parametrize"

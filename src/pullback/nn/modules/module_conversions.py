"""Convert, move and clear a module's parameters and buffers, all below it included."""

from collections.abc import Callable, Iterator
from typing import Any, Self

from ...autograd.grad_mode import no_grad
from ...core.warn import warn
from ...tensor.conversion import parse_to
from ...tensor.creation_like import empty_like


class ModuleConversions:
    """Change what a module holds; `Module` has the methods that are declared here."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    children: Callable[..., Iterator[Any]]
    parameters: Callable[..., Iterator[Any]]

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters."""
        if getattr(self, "_is_replica", False):
            warn(
                "Calling .zero_grad() from a module created with nn.DataParallel() has no effect. The "
                "parameters are copied (in a differentiable manner) from the original module. This means "
                "they are not leaf nodes in autograd and so don't accumulate gradients. If you need "
                "gradients in your forward method, consider using autograd.grad instead."
            )
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                if parameter.grad.grad_fn is None:
                    parameter.grad.requires_grad_(False)
                else:
                    parameter.grad.detach_()
                parameter.grad.zero_()

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Self:
        """Put ``fn(tensor)`` in place of every parameter's data, gradient, and every buffer."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is None:
                continue
            with no_grad():
                parameter.data = fn(parameter)
                if parameter.grad is not None:
                    parameter.grad.data = fn(parameter.grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert floating and complex parameters and buffers to a dtype, and those of 4 and 5 axes to a
        memory format: ``to(device, dtype)``, ``to(dtype)``, ``to(tensor)``, each with ``memory_format=``.
        """
        device, dtype, non_blocking, memory_format = parse_to(*args, **kwargs)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise TypeError(
                    "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                    f"dtype={dtype}"
                )
            if dtype.is_complex:
                warn(
                    "Complex modules are a new feature under active development whose design may change, and "
                    "some modules might not work as expected when using complex tensors as parameters or "
                    "buffers. Please file an issue at "
                    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex "
                    "module does not work as expected."
                )

        def convert(t: Any) -> Any:
            target = dtype if t.is_floating_point() or t.is_complex() else None
            if memory_format is not None and t.dim() in (4, 5):
                return t.to(device, target, non_blocking, memory_format=memory_format)
            try:
                return t.to(device, target, non_blocking)
            except NotImplementedError as error:
                if str(error) != "Cannot copy out of meta tensor; no data!":
                    raise
                raise NotImplementedError(
                    f"{error} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when "
                    "moving module from meta to a different device."
                ) from None

        return self._apply(convert)

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Return new storage of the same sizes for all parameters and buffers; their values are undefined."""
        return self._apply(lambda t: empty_like(t, device=device), recurse)

    def type(self, dst_type: Any) -> Self:
        """Convert all parameters and buffers to a type."""
        return self._apply(lambda t: t.type(dst_type))

    def _floating(self, method: str) -> Self:
        return self._apply(lambda t: getattr(t, method)() if t.is_floating_point() else t)

    def float(self) -> Self:
        """Return floating parameters and buffers in float32."""
        return self._floating("float")

    def double(self) -> Self:
        """Return floating parameters and buffers in float64."""
        return self._floating("double")

    def half(self) -> Self:
        """Return floating parameters and buffers in float16."""
        return self._floating("half")

    def bfloat16(self) -> Self:
        """Return floating parameters and buffers in bfloat16."""
        return self._floating("bfloat16")

    def cuda(self, device: Any = None) -> Self:
        """Move all parameters and buffers to a GPU, which there is none of: raises where there are any."""
        return self._apply(lambda t: t.cuda(device))

    def cpu(self) -> Self:
        """Move all parameters and buffers to the CPU, where they are."""
        return self._apply(lambda t: t.cpu())

    def share_memory(self) -> Self:
        """Move the storage of all parameters and buffers to shared memory: `Tensor.share_memory_`."""
        return self._apply(lambda t: t.share_memory_())

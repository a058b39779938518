"""Error texts of the graph: saved values, in-place updates, covectors, hooks. Texts are torch's to
the letter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

from ..array.dtype_words import class_name, type_word
from ..errors import with_note
from . import facade
from .warn import warn

if TYPE_CHECKING:
    from .blame import Place
    from .node import Node


#: Whether errors say what they mean in the program, which takes a look at it; not where one ends an attempt.
INTERPRETS: ContextVar[bool] = ContextVar("INTERPRETS", default=True)


def interpreted(error: RuntimeError, note: str, node: Node | None = None) -> RuntimeError:
    """Add to an error what it means in the program, or else a note that holds in any program."""
    meaning = facade.meaning(error, node) if INTERPRETS.get() else None
    return with_note(error, note if meaning is None else meaning)


def _always(text: str, note: str | None = None) -> Callable[[], RuntimeError]:
    """Return a function that builds the error of a text in which nothing varies."""
    return lambda: RuntimeError(text) if note is None else with_note(RuntimeError(text), note)


detached_in_place = _always(
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."
    "This is not supported, please use out-of-place `.detach()` instead"
)
freed_graph = _always(
    "Trying to backward through the graph a second time (or directly access saved tensors after they "
    "have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward."
)
hooks_on_freed = _always(
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the "
    "graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need "
    "to backward through the graph a second time or if you need to access saved variables after calling "
    "backward."
)
hooks_twice = _always(
    "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
    "hooks is allowed at a time."
)
inference_update = _always(
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get "
    "a normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more "
    "details."
)
inference_saved = _always(
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode "
    "in computation tracked by autograd. To work around this, you can make a clone to get a normal "
    "tensor and use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)
overlapping_write = _always(
    "unsupported operation: more than one element of the written-to tensor refers to a single memory "
    "location. Please clone() the tensor before performing the operation."
)
overlapping_operand = _always(
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
    "single memory location. Please clone() the tensor before performing the operation."
)
leaf_update = _always(
    "a leaf Variable that requires grad is being used in an in-place operation.",
    "A leaf's value is what you differentiate with respect to. Update it under `with torch.no_grad():`, "
    "or work on `x.clone()`.",
)
leaf_view_update = _always(
    "a view of a leaf Variable that requires grad is being used in an in-place operation.",
    "Update it under `with torch.no_grad():`, or take the view of `x.clone()`.",
)
written_from_meta = _always(
    "Attempting to copy from device meta to device cpu, but cross-device copies are not allowed!"
)
complex_for_real = _always(
    "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, "
    "but got false.  (Could this error message be improved?  If so, please report an enhancement request "
    "to PyTorch.)"
)
leaf_in_selective_run = _always(
    "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). "
    "This is currently not supported."
)
batched_write = _always(
    "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` "
    "in extra_args that has more elements than `self`. This happened due to `other` being vmapped over "
    "but `self` not being vmapped over in a vmap. Please try to use out-of-place operators instead of "
    "inplace arithmetic. If said operator is being called inside the PyTorch framework, please file a "
    "bug report instead."
)
batched_item = _always(
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() "
    "on a Tensor, please try to rewrite what you're doing with other operations. If error is occurring "
    "somewhere inside PyTorch internals, please file a bug report."
)
batched_bool = _always(
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't "
    "support that yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)


def is_freed_graph(error: Exception) -> bool:
    """Return whether an error is that of a second backward."""
    return str(error).startswith("Trying to backward through the graph a second time")


def freed_note(first: Place | None) -> str:
    """Say where the first backward ran, and how to mend it."""
    where = "" if first is None else f"The first backward ran at {first}\n"
    return (
        f"{where}Pass retain_graph=True to the first backward, or compute the output again before the second "
        "one."
    )


def modified_in_place(
    dtype: np.dtype[Any], shape: tuple[int, ...], maker: str, version: int, expected: int
) -> RuntimeError:
    """Build the error for a saved value that was written to before backward needed it."""
    sizes = ", ".join(map(str, shape))
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{class_name(dtype)} [{sizes}]]{maker} is at version {version}; expected version "
        f"{expected} instead. Hint: enable anomaly detection to find the operation that failed to "
        "compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )


def inplace_note(saved: Place | None, changes: Sequence[Place]) -> str:
    """Say which line saved a value and which lines wrote to it afterwards, and how to mend it."""
    parts = ["The forward pass saved this value because its derivative needs it."]
    if saved is not None:
        parts.append(f"saved at    {saved}")
    parts += [f"changed at  {place}" for place in changes]
    parts.append("Write to a copy (`y = x.clone()`), or use the out-of-place op.")
    return "\n".join(parts)


def unsafe_result(result: np.dtype[Any], destination: np.dtype[Any]) -> RuntimeError:
    """Build the error for a result that the destination's dtype cannot hold."""
    return RuntimeError(
        f"result type {type_word(result)} can't be cast to the desired output type {type_word(destination)}"
    )


def wrong_out_shape(have: tuple[int, ...], result: tuple[int, ...]) -> RuntimeError:
    """Build the error for an in-place op whose broadcast result is larger than its destination."""
    return RuntimeError(f"output with shape {list(have)} doesn't match the broadcast shape {list(result)}")


def view_update(creation: int, node_name: str | None, output: int, indirect: bool = False) -> RuntimeError:
    """Build the error for an in-place update of a view whose history cannot be kept.

    `creation` says how the view was made: 1 in no_grad mode, 2 by an op with several outputs, 3 in inference
    mode, 4 by a custom Function, 5 and 6 as a view of one made in no_grad or in inference mode.
    """
    written = "its base or another view of its base has been" if indirect else "is being"
    unrecorded = creation in (1, 3, 5, 6)
    inference = creation in (3, 6)
    mode = "inference" if inference else "no_grad"
    if unrecorded or node_name is None:
        subject = (
            f"A view was created in {mode} mode" if node_name is None
            else f"Output {output} of {node_name} is a view of a view which was created in {mode} mode"
        )
        now = "in normal mode" if inference else "with grad mode enabled"
        text = f"{subject} and {written} modified inplace {now}."
    else:
        text = f"Output {output} of {node_name} is a view and {written} modified inplace."
    block = "inference_mode" if inference else "no_grad"
    if unrecorded:
        return RuntimeError(
            f"{text} Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify "
            f"your code by moving both the view and the inplace either both inside the {block} block (if you "
            "don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked)."
        )
    if creation == 2:
        return RuntimeError(
            f"{text} This view is the output of a function that returns multiple views. Such functions do "
            "not allow the output views to be modified inplace. You should replace the inplace operation by "
            "an out-of-place one."
        )
    return RuntimeError(
        f"{text} This view was created inside a custom Function (or because an input was returned as-is) and "
        "the autograd logic to handle view+inplace would override the custom backward associated with the "
        "custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by "
        "cloning the output of the custom Function."
    )


def mismatched_covector(have: tuple[int, ...], want: tuple[int, ...], position: int = 0) -> RuntimeError:
    """Build the error for a covector of another shape than its output."""
    return with_note(
        RuntimeError(
            f"Mismatch in shape: grad_output[{position}] has a shape of torch.Size({list(have)}) and "
            f"output[{position}] has a shape of torch.Size({list(want)})."
        ),
        f"The gradient argument is the covector v of vᵀ·J: give it the output's shape {list(want)}, or a "
        "shape with more leading axes, which stands for a batch of covectors that accumulate.",
    )


def mismatched_batch(rest: tuple[int, ...], want: tuple[int, ...], position: int) -> RuntimeError:
    """Build the error for a batched covector of another shape than its output.

    torch prints the covector's shape without its first two axes, `rest`, not just without the batch's.
    """
    return RuntimeError(
        "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
        "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
        f"output, but a mismatch was detected: grad_output[{position}] has a shape of "
        f"torch.Size({list(rest)}) and output[{position}] has a shape of torch.Size({list(want)}). If you "
        "only want some tensors in `grad_output` to be considered batched, consider using vmap."
    )


def index_of_scalar() -> IndexError:
    """Build the error for taking an element of a tensor without axes."""
    return IndexError(
        "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
        "convert a 0-dim tensor to a number"
    )


def unused_input(
    position: int, shape: tuple[int, ...], named: tuple[str, Place | None] | None
) -> RuntimeError:
    """Build the error for an input of `autograd.grad` that the outputs do not depend on.

    `named` is what the program calls it and where it got the name, if that is known.
    """
    what = f"Input {position}, of shape {list(shape)}" if named is None else f"It is `{named[0]}`"
    where = "" if named is None or named[1] is None else f", from {named[1]}"
    return with_note(
        RuntimeError(
            f"The differentiated Tensor at index {position} appears to not have been used in the graph. Set "
            "allow_unused=True if this is the desired behavior."
        ),
        f"{what}{where}\nThe outputs were not computed from it, or a detach(), a `.data` or a no_grad block "
        "lies on the way.\nallow_unused=True returns None for it, materialize_grads=True returns zeros.",
    )


def needs_covector(shape: tuple[int, ...]) -> RuntimeError:
    """Build the error for a backward from several elements without the covector that weighs them."""
    sizes = ", ".join(map(str, shape))
    return with_note(
        RuntimeError("grad can be implicitly created only for scalar outputs"),
        f"The output y has shape {list(shape)}, so its derivative is a Jacobian J with a row for each "
        "element. backward\ncomputes vᵀ·J and needs v, a tensor of y's shape, one weight for each element. "
        "The usual choices:\n  y.sum().backward()     v = 1 everywhere: the gradient of the sum, the rows of "
        "J added up\n  y.mean().backward()    v = 1/n everywhere: the gradient of the mean, what a loss of a "
        "batch wants\n  y.backward(v)          your own weights, for one row of J a 1 in its place: v = "
        f"torch.zeros({sizes}); v[…] = 1",
    )


def no_graph(position: int) -> RuntimeError:
    """Build the error for a backward from a tensor without history."""
    return interpreted(
        RuntimeError(f"element {position} of tensors does not require grad and does not have a grad_fn"),
        "No op on a tensor that requires grad led to it: set requires_grad=True on the inputs before "
        "computing, and look for detach(), .data, item() or a no_grad block on the way.",
    )


def anomaly_trace(node: Node) -> None:
    """Warn with the stack of the forward call that made a node (anomaly mode)."""
    stack = node._hooks.metadata.get("traceback_") if node._hooks is not None else None
    name = type(node).__name__
    if stack is None:
        text = (
            f"Error detected in {name}. No forward pass information available. Enable detect anomaly during "
            "forward pass for more information."
        )
    else:
        text = (
            f"Error detected in {name}. Traceback of forward call that caused the error:\n" + "".join(stack)
        )
    warn(text)


def no_broadcast(a: int, b: int, dim: int) -> RuntimeError:
    """Build the error for shapes that do not broadcast."""
    return with_note(
        RuntimeError(
            f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension "
            f"{dim}"
        ),
        "Shapes are aligned at their last axes; two sizes agree when they are equal or one of them is 1.",
    )


def outside_storage(
    sizes: Sequence[int], strides: Sequence[int], offset: int, itemsize: int, nbytes: int
) -> RuntimeError:
    """Build the error for a layout that reaches beyond a storage of `nbytes` bytes."""
    reach = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    return RuntimeError(
        f"setStorage: sizes {list(sizes)}, strides {list(strides)}, storage offset {offset}, and itemsize "
        f"{itemsize} requiring a storage size of {(offset + reach) * itemsize} are out of bounds for storage "
        f"of size {nbytes}"
    )


def captured_update(name: str) -> RuntimeError:
    """Build the error for an update, within a derivative, of a tensor that is not the function's own."""
    return RuntimeError(
        "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place "
        f"operation (aten::{name}) that would mutate a captured Tensor. This is not supported; please "
        "rewrite the function being transformed to explicitly accept the mutated Tensor(s) as inputs."
    )

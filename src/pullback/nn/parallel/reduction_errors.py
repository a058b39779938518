"""Write the texts of torch's reducer, for gradients that are missing or come twice."""

_UNFINISHED = "Expected to have finished reduction in the prior iteration before starting a new one. "

_UNUSED = "This error indicates that your module has parameters that were not used in producing loss. "

_ASK_FOR_DETECTION = (
    "You can enable unused parameter detection by passing the keyword argument "
    "`find_unused_parameters=True` to `torch.nn.parallel.DistributedDataParallel`, and by \n"
)

_DETECTION_IS_ON = (
    "Since `find_unused_parameters=True` is enabled, this likely  means that not all `forward` outputs "
    "participate in computing loss. You can fix this by "
)

_USE_THE_OUTPUTS = (
    "making sure all `forward` function outputs participate in calculating loss. \n"
    "If you already have done the above, then the distributed data parallel module wasn't able to locate the "
    "output tensors in the return value of your module's `forward` function. Please include the loss "
    "function and the structure of the return value of `forward` of your module when reporting this issue "
    "(e.g. list, dict, iterable)."
)

_GRAPH_CHANGED = (
    "This error indicates that your training graph has changed in this iteration, e.g., one parameter is "
    "used in first iteration, but then got unused in the second iteration. this is not compatible with "
    "static_graph set to True."
)

_DEBUG = (
    "\n In addition, you can set the environment variable TORCH_DISTRIBUTED_DEBUG to either INFO or DETAIL "
    "to print out information about which particular parameters did not receive gradient on this rank as "
    "part of this error"
)


def unfinished(
    rank: int, missing: list[int], names: list[str] | None, *, static: bool, finds_unused: bool
) -> RuntimeError:
    """Return the error for a pass that begins while gradients of the last are missing, of parameters with
    these numbers and, where debugging is on, names; `static` and `finds_unused` are the settings of the
    module.
    """
    text = _UNFINISHED
    if static:
        text += _GRAPH_CHANGED
    else:
        text += _UNUSED + (_DETECTION_IS_ON if finds_unused else _ASK_FOR_DETECTION) + _USE_THE_OUTPUTS
    if missing and names is not None:
        text += f"\nParameters which did not receive grad for rank {rank}: {', '.join(names)}"
    if missing:
        numbers = " ".join(map(str, missing))
        text += f"\nParameter indices which did not receive grad for rank {rank}: {numbers}"
        if names is None:
            text += _DEBUG
    return RuntimeError(text)


def marked_twice(number: int, name: str | None, *, finds_unused: bool) -> RuntimeError:
    """Return the error for a second gradient of one parameter within a pass."""
    text = (
        "Expected to mark a variable ready only once. This error is caused by one of the following reasons: "
        "1) Use of a module parameter outside the `forward` function. Please make sure model parameters are "
        "not shared across multiple concurrent forward-backward passes. or try to use _set_static_graph() as "
        "a workaround if this module graph does not change during training loop.2) Reused parameters in "
        "multiple reentrant backward passes. For example, if you use multiple `checkpoint` functions to wrap "
        "the same part of your model, it would result in the same set of parameters been used by different "
        "reentrant backward passes multiple times, and hence marking a variable ready multiple times. DDP "
        "does not support such use cases in default. You can try to use _set_static_graph() as a workaround "
        "if your module graph does not change over iterations."
    )
    if finds_unused:
        text += (
            "3) Incorrect unused parameter detection. The return value of the `forward` function is "
            "inspected by the distributed data parallel wrapper to figure out if any of the module's "
            "parameters went unused. For unused parameters, DDP would not expect gradients from then. "
            "However, if an unused parameter becomes part of the autograd graph at a later point in time "
            "(e.g., in a reentrant backward when using `checkpoint`), the gradient will show up "
            "unexpectedly. If all parameters in the model participate in the backward pass, you can "
            "disable unused parameter detection by passing the keyword argument "
            "`find_unused_parameters=False` to `torch.nn.parallel.DistributedDataParallel`. If unused "
            "parameters in the model do not change over iterations, You can try to use "
            "_set_static_graph() as a workaround if your module graph does not change over iterations."
        )
    with_name = "" if name is None else f" with name {name}"
    text += (
        f"\nParameter at index {number}{with_name} has been marked as ready twice. This means that multiple "
        "autograd engine  hooks have fired for this particular parameter during this iteration."
    )
    if name is None:
        text += (
            " You can set the environment variable TORCH_DISTRIBUTED_DEBUG to either INFO or DETAIL to print "
            "parameter names for further debugging."
        )
    return RuntimeError(text)


def newly_used() -> RuntimeError:
    """Return the error for a gradient that a static graph did not have in its first pass."""
    return RuntimeError(
        "Your training graph has changed in this iteration, e.g., one parameter is unused in first "
        "iteration, but then got used in the second iteration. this is not compatible with static_graph "
        "set to True."
    )


def no_future(result: object) -> RuntimeError:
    """Return the error for a communication hook that gives no future."""
    kind = type(result)
    return RuntimeError(
        f"Unable to cast Python instance of type {kind} to C++ type '?' (#define "
        "PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details). DDP communication hook's "
        f"callback must return a torch.futures.Future object, but got {kind.__module__}.{kind.__name__}"
    )

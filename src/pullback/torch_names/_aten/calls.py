"""Say how overloads are computed: by the public function of the name, or by what is in the table here.

torch's own steps, such as ``_softmax`` and ``native_layer_norm``, have other arguments than what users call.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ...core.op import TABLE
from ...core.value import TensorBase
from .. import public
from .schema import FunctionSchema

_REDUCTIONS = ("none", "mean", "sum")


def _made(name: str, *shape: Any) -> Callable[..., Any]:
    """Return a function that makes tensors: what it is told as None it is not told."""

    def call(**given: Any) -> Any:
        lead = [given.pop(part) for part in shape]
        return public(name)(*lead, **{key: v for key, v in given.items() if v is not None})

    return call


def _to_copy(self: Any, dtype: Any, device: Any, memory_format: Any, **_: Any) -> Any:
    given = {"dtype": dtype, "device": device, "memory_format": memory_format}
    return self.to(**{name: v for name, v in given.items() if v is not None}, copy=True)


def _loss(name: str) -> Callable[..., Any]:
    def call(self: Any, target: Any, reduction: int, **rest: Any) -> Any:
        return public(name, "nn.functional")(self, target, reduction=_REDUCTIONS[reduction], **rest)

    return call


def _nll_loss_forward(self: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
    loss = public("nll_loss", "nn.functional")(
        self, target, weight, ignore_index=ignore_index, reduction=_REDUCTIONS[reduction]
    )
    if not reduction:
        return loss, self.new_zeros(())
    counted = target != ignore_index
    weights = counted.to(self.dtype) if weight is None else weight[target.clamp(min=0)] * counted
    return loss, weights.sum() if self.ndim > 1 else weights.reshape(())


def _attention(
    query: Any, key: Any, value: Any, dropout_p: float, is_causal: bool, attn_mask: Any, scale: Any
) -> Any:
    call: Callable[..., Any] = TABLE["scaled_dot_product_attention"].call
    return call(query, key, value, attn_mask, dropout_p, is_causal, scale)


def _slice(self: Any, dim: int, start: int | None, end: int | None, step: int) -> Any:
    return self[(*(slice(None),) * (dim % self.ndim), slice(start, end, step))]


def _sum(self: Any, dtype: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return self.sum(dim, keepdim, dtype=dtype) if dim is not None else self.sum(dtype=dtype)


#: Packets whose public function takes other arguments, or that have none.
_CALLS: dict[str, Callable[..., Any]] = {
    "_local_scalar_dense": lambda self: self.item(),
    "_log_softmax": lambda self, dim, half_to_float: self.log_softmax(dim),
    "_nested_tensor_from_tensor_list": lambda list, **_: public("nested_tensor", "nested")(list),
    "_reshape_alias": lambda self, size, stride: self.as_strided(size, stride),
    "_scaled_dot_product_flash_attention_for_cpu": _attention,
    "_softmax": lambda self, dim, half_to_float: self.softmax(dim),
    "_to_copy": _to_copy,
    "_unsafe_view": lambda self, size: self.reshape(tuple(size)),
    "alias": lambda self: self.view(self.shape),
    "arange": lambda **given: _made(
        "arange", *(name for name in ("start", "end", "step") if name in given)
    )(**given),
    "convolution": lambda **given: public("convolution")(**given),
    "copy": lambda self, src, non_blocking: self.clone().copy_(src),
    "elu": lambda self, alpha, scale, input_scale: TABLE["elu"].public(self, alpha, scale, input_scale),
    "empty": lambda size, **given: _made("empty", "size")(size=size, **given),
    "expand": lambda self, size, implicit: self.expand(tuple(size)),
    "full": _made("full", "size", "fill_value"),
    "glu": lambda self, dim: public("glu", "nn.functional")(self, dim),
    "index": lambda self, indices: self[tuple(slice(None) if i is None else i for i in indices)],
    "index_put": lambda self, indices, values, accumulate: (
        self.index_put(tuple(indices), values, accumulate)
    ),
    "lift_fresh": lambda self: self,
    "max_pool2d_with_indices": lambda **given: public("max_pool2d_with_indices", "nn.functional")(
        given["self"], given["kernel_size"], given["stride"] or None, given["padding"], given["dilation"],
        given["ceil_mode"],
    ),
    "native_dropout": lambda input, p, train: _dropped(input, p),
    "nll_loss_forward": _nll_loss_forward,
    "permute": lambda self, dims: self.permute(*dims),
    "repeat": lambda self, repeats: self.repeat(*repeats),
    "scalar_tensor": lambda s, **given: _made("tensor", "s")(
        s=s, dtype=given["dtype"] or public("get_default_dtype")()
    ),
    "sigmoid_backward": lambda grad_output, output: grad_output * (1 - output) * output,
    "slice": _slice,
    "sum": _sum,
    "sym_numel": lambda self: self.numel(),
    "sym_size": lambda self, dim=None: self.size() if dim is None else self.size(dim),
    "sym_stride": lambda self, dim=None: self.stride() if dim is None else self.stride(dim),
    "tanh_backward": lambda grad_output, output: grad_output * (1 - output * output),
    "threshold_backward": lambda grad_output, self, threshold: grad_output * (self > threshold),
    "view": lambda self, size=None, dtype=None: self.view(dtype if size is None else tuple(size)),
    **{name: _made(name, "size") for name in ("ones", "rand", "randn", "zeros")},
    **{f"{name}_like": _made(f"{name}_like", "self") for name in ("empty", "ones", "rand", "randn", "zeros")},
    **{name: _loss(name) for name in ("huber_loss", "mse_loss", "smooth_l1_loss", "soft_margin_loss")},
}


def _dropped(input: Any, p: float) -> Any:
    mask = public("rand_like")(input) >= p
    return input * mask / (1 - p), mask


def compute(packet: str, overload: str, schema: FunctionSchema, given: dict[str, Any]) -> Any:
    """Return the result of an overload for arguments by name, or raise a NotImplementedError where pullback
    has nothing that computes it.
    """
    own = _CALLS.get(packet)
    result = own(**given) if own is not None and "out" not in given else _by_name(packet, schema, given)
    kinds = [r.type for r in schema.returns]
    if isinstance(result, tuple) and kinds == ["Tensor[]"]:
        return list(result)
    return tuple(result) if isinstance(result, tuple) and len(kinds) > 1 else result


def _by_name(packet: str, schema: FunctionSchema, given: Mapping[str, Any]) -> Any:
    by_place, named = schema.shortened(given)
    method = getattr(TensorBase._facade, packet, None)
    by_place = tuple(tuple(v) if type(v) is list and {*map(type, v)} <= {int} else v for v in by_place)
    if callable(method) and schema.arguments[0].name == "self" and "out" not in named and isinstance(
        by_place[0], TensorBase
    ):
        return method(*by_place, **named)
    place, _, rest = packet.partition("_")
    for name, home in ((packet, ""), (packet, "nn.functional"), (rest, place)):
        if home in ("", "nn.functional", "linalg", "fft", "special") and callable(call := public(name, home)):
            return call(*by_place, **named)
    if packet in TABLE:
        return TABLE[packet].public(*by_place, **named)
    raise NotImplementedError(f"torch.ops.aten.{packet} is a name alone in pullback")

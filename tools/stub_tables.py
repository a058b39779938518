"""What `tools/make_stubs.py` cannot read off a declaration: types of parameters and results, by name."""

from __future__ import annotations

#: What a parameter of a name takes where the function's own annotation is `Any`.
PARAMETERS = {
    "input": "Tensor", "out": "Tensor | None", "dtype": "dtype | None", "layout": "layout | None",
    "device": "Device | None", "memory_format": "memory_format | None", "generator": "Generator | None",
    "alpha": "Number", "beta": "Number", "mat": "Tensor", "mat1": "Tensor", "mat2": "Tensor",
    "batch1": "Tensor", "batch2": "Tensor", "vec": "Tensor", "vec1": "Tensor", "vec2": "Tensor",
    "tensor1": "Tensor", "tensor2": "Tensor", "tensors": "Sequence[Tensor]",
    **dict.fromkeys(
        (
            "anchor", "attn_mask", "bias", "grid", "input1", "input2", "linear_bias", "linear_weight",
            "log_probs", "mask", "negative", "offsets", "per_sample_weights", "pos_weight", "positive",
            "query", "target", "targets", "weight", "window", "x1", "x2",
        ),
        "Tensor",
    ),
    "running_mean": "Tensor | None", "running_var": "Tensor | None",
    "size_average": "bool | None", "reduce": "bool | None",
}  # fmt: skip

#: Functions whose `input` may be a number.
NUMBER_FIRST = {
    "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "pow",
    "remainder", "where",
}  # fmt: skip

PAIR = "tuple[Tensor, Tensor]"
TENSORS = "tuple[Tensor, ...]"

_WHOLE = ("", "Tensor")
_ALONG = ("dim: int, keepdim: bool = ...", "named")
_OF_TWO = ("other: Tensor", "Tensor")
_EACH = (
    ("tensor: Tensor, /", "Tensor"), ("tensors: Sequence[Tensor], /", TENSORS), ("*tensors: Tensor", TENSORS)
)  # fmt: skip

#: Functions whose result depends on how they are called → their parameters after the tensor and the result of
#: each way. "named" is the result with names.
CASES: dict[str, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(("max", "min"), (_WHOLE, _ALONG, _OF_TWO)),
    **dict.fromkeys(("median", "nanmedian"), (_WHOLE, _ALONG)),
    "type": (("", "str"), ("dtype: dtype | str, non_blocking: bool = ...", "Tensor")),
}

#: The same of functions, no methods, with all their parameters.
FUNCTION_CASES: dict[str, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(("atleast_1d", "atleast_2d", "atleast_3d"), _EACH),
    "where": (
        ("condition: Tensor", TENSORS),
        ("condition: Tensor, input: Tensor | Number, other: Tensor | Number", "Tensor"),
    ),
}

#: Functions that return a further tensor for each of these that is set.
FLAGS = {
    **dict.fromkeys(("unique", "unique_consecutive"), ("return_inverse", "return_counts")),
    **{f"{k}max_pool{n}d": ("return_indices",) for k in ("", "adaptive_", "fractional_") for n in (1, 2, 3)},
    "nonzero": ("as_tuple",),
}  # fmt: skip

#: Functions whose result is of no one type.
ANY_RESULT = {"item", "load", "new", "tolist", "__array_wrap__", "__dlpack__"}

#: Results that are no tensors although the function's annotation is `Any`.
RESULTS = {
    **dict.fromkeys(ANY_RESULT, "Any"),
    "allclose": "bool", "is_complex": "bool", "is_conj": "bool", "is_floating_point": "bool",
    "is_inference": "bool", "is_neg": "bool", "is_signed": "bool", "is_storage": "bool", "is_tensor": "bool",
    "std_mean": PAIR, "var_mean": PAIR, "adaptive_max_pool1d": PAIR,
    **dict.fromkeys(("broadcast_tensors", "lu", "meshgrid"), TENSORS),
    **dict.fromkeys((f"{k}max_pool{n}d_with_indices" for k in ("", "adaptive_") for n in (1, 2, 3)), PAIR),
    **dict.fromkeys(("split_copy", "split_with_sizes_copy", "unbind_copy"), TENSORS),
    "__iter__": "Iterator[Tensor]",
}  # fmt: skip

#: Properties that are tensors.
PARTS = {"H", "T", "imag", "mH", "mT", "real"}

#: Unions that are written once in a stub.
ALIASES = {"Number": "int | float | complex", "Device": "device | str | int"}

#: What torch's parser calls a type → what a caller may give.
KINDS = {
    "int": "int",
    "float": "float",
    "Number": "Number",
    "bool": "bool",
    "Tensor": "Tensor",
    "tuple of ints": "Sequence[int]",
    "tuple of Scalars": "Sequence[complex]",
    "tuple of floats": "Sequence[float]",
    "tuple of Tensors": "Sequence[Tensor]",
    "torch.dtype": "dtype",
    "torch.layout": "layout",
    "torch.memory_format": "memory_format",
    "torch.device": "Device",
    "torch.Generator": "Generator",
    "torch.Storage": "UntypedStorage | TypedStorage",
    "str": "str",
    "object": "Any",
}

"""Define embeddings under torch's names: rows of a table by integer, and one-hot rows."""

from typing import Any

import numpy as np

from ...array import dtypes
from ...array.dtype_words import class_name
from ...core.value import TensorBase, array_of, dtype_of, shape_of, wrap
from ...core.versions import bump
from ...core.visible import concrete
from ...ops import embedding as o
from ...ops.comparison import eq
from ...ops.convert import cast
from ...ops.structure import reshape
from ...tensor.rearrange import refuse_complex_history
from ...tensor.sizes import tensor
from ...tensor.tensor import check_has_number
from .loss_reduction import functional


@functional
def embedding(
    input: Any, weight: Any, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Any:  # fmt: skip
    """Return rows of `weight`, ``(rows, columns)``, at integers of any shape: ``(*) -> (*, columns)``.

    The row `padding_idx` gets no gradient; `scale_grad_by_freq` divides a row's gradient by how often it was
    picked; `max_norm` first scales the picked rows of `weight`, in place, down to that norm. With `sparse`
    the gradient is a sparse tensor of the picked rows, which `SGD`, `SparseAdam` and `Adagrad` take.
    """
    rows = shape_of(tensor("embedding", "weight", weight, 2))[0] if shape_of(weight) else 0
    if padding_idx is None:
        padding = -1
    else:
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding = padding_idx % rows
    if len(shape_of(weight)) != 2:
        raise RuntimeError("'weight' must be 2-D")
    check_indices(tensor("embedding", "indices", input, 1), "embedding")
    if max_norm is not None:
        renormalise(weight, array_of(input), max_norm, norm_type)
    if sparse:
        from ...tensor.sparse_conversion import of_rows

        return o.embedding_sparse(weight, input, padding, bool(scale_grad_by_freq), of_rows)
    refuse_complex_history("embedding", weight)
    return o.embedding(weight, input, padding, bool(scale_grad_by_freq))


def check_indices(indices: Any, name: str) -> None:
    """Raise torch's error for indices that are no integers of 32 or 64 bits."""
    if dtype_of(indices) not in dtypes.INDICES:
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {class_name(dtype_of(indices))} instead (while checking arguments for {name})"
        )


def renormalise(weight: Any, indices: Any, max_norm: float, norm_type: float) -> None:
    """Scale the picked rows of a table that are longer than `max_norm` down to it; nothing is recorded."""
    o.bring_down(array_of(weight), indices, max_norm, norm_type)
    bump(weight)


@functional
def one_hot(tensor: Any, num_classes: int = -1) -> Any:
    """Return integers (*) as rows (*, num_classes) of zeros with a one at the integer's place."""
    if dtype_of(tensor) != dtypes.int64.numpy:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if isinstance(num_classes, TensorBase):
        num_classes = int(num_classes)
    if num_classes == -1:
        check_has_number(tensor, "item")
    if (array := concrete(tensor)) is not None and not array.size:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return wrap(np.zeros((*shape_of(tensor), num_classes), np.int64))
    if num_classes == -1:
        most = max(int((tensor if array is None else array).max()), -1)
        return one_hot(tensor, most + 1)  # of that a plan is known: 46 µs on 8×8 without, 6 so
    checked = o.classes(tensor, num_classes)
    found = eq(reshape(checked, (*shape_of(tensor), 1)), wrap(np.arange(num_classes)))
    found = cast(found, np.dtype(np.int64))
    if type(found) is type(tensor):
        # torch makes zeros and writes the ones, which it counts twice.
        bump(found)
        bump(found)
    return found

"""torch.utils._foreach_utils: tensors of one device and dtype together, for optimizers of libraries."""

from typing import Any

from ..core.device import device

__all__ = [
    "_get_foreach_kernels_supported_devices", "_get_fused_kernels_supported_devices",
    "_group_tensors_by_device_and_dtype",
]  # fmt: skip


def _get_foreach_kernels_supported_devices() -> list[str]:
    """Return the kinds of devices on which torch runs a list of tensors at once; the CPU is none of them."""
    return ["cuda", "xpu", "mtia", "privateuseone"]


def _get_fused_kernels_supported_devices() -> list[str]:
    """Return the kinds of devices for which torch has optimizers of one kernel."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def _group_tensors_by_device_and_dtype(
    tensorlistlist: list[list[Any]], with_indices: bool = False
) -> dict[tuple[device, Any], tuple[list[list[Any]], list[int]]]:
    """Return parallel lists of tensors, or None, taken apart by device and dtype of the first list's, which
    has no None: what belongs to each, and where in the lists it stood, `with_indices`.
    """
    groups: dict[tuple[device, Any], tuple[list[list[Any]], list[int]]] = {}
    for place, row in enumerate(zip(*tensorlistlist, strict=True)):
        lists, places = groups.setdefault((row[0].device, row[0].dtype), ([[] for _ in row], []))
        for column, tensor in zip(lists, row, strict=True):
            column.append(tensor)
        if with_indices:
            places.append(place)
    return groups

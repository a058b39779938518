"""torch.distributed.checkpoint.planner_helpers: items of plans, and the local parts that they name."""

from typing import Any

from ...core.size import Size
from ...tensor.tensor import Tensor
from ..tensor.api import DTensor
from ..tensor.layout import local_offsets
from .metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    MetadataIndex,
    TensorProperties,
    TensorStorageMetadata,
)
from .planner import LoadItemType, ReadItem, TensorWriteData, WriteItem, WriteItemType


def local_part(value: Any) -> tuple[Any, tuple[int, ...]]:
    """Return what this process has of a tensor, and where that begins."""
    if isinstance(value, DTensor):
        return value._local_tensor, local_offsets(value._layout)
    return value, (0,) * value.dim()


def _create_write_items(fqn: str, object: Any) -> list[WriteItem]:
    """Return what this process has of an entry: one item, or none where its part is empty."""
    if not isinstance(object, Tensor):
        return [WriteItem(MetadataIndex(fqn), WriteItemType.BYTE_IO)]
    local, offsets = local_part(object)
    if object.numel() and not local.numel():
        return []
    chunk = ChunkStorageMetadata(Size(offsets), Size(local.shape))
    described = TensorWriteData(chunk, TensorProperties.create_from_tensor(object), Size(object.shape))
    kind = WriteItemType.SHARD if isinstance(object, DTensor) else WriteItemType.TENSOR
    return [WriteItem(MetadataIndex(fqn, offsets), kind, tensor_data=described)]


def _create_chunk_list(tensor: Any) -> list[ChunkStorageMetadata]:
    """Return the part that this process has of a tensor."""
    local, offsets = local_part(tensor)
    return [ChunkStorageMetadata(Size(offsets), Size(local.shape))]


def create_read_items_for_chunk_list(
    fqn: str, checkpoint_md: TensorStorageMetadata, local_chunks: list[ChunkStorageMetadata]
) -> list[ReadItem]:
    """Return what is read to fill parts of a tensor from the parts that the checkpoint has.

    Parameters
    ----------
    fqn : str
        The entry's name.
    checkpoint_md : TensorStorageMetadata
        What the checkpoint says of the entry.
    local_chunks : list of ChunkStorageMetadata
        The parts to be filled.

    Returns
    -------
    list of ReadItem
        One for each pair of parts that overlap.
    """
    items = []
    for number, here in enumerate(local_chunks):
        for stored_number, stored in enumerate(checkpoint_md.chunks):
            first = [max(a, b) for a, b in zip(here.offsets, stored.offsets, strict=True)]
            last = [
                min(a + n, b + m)
                for a, n, b, m in zip(here.offsets, here.sizes, stored.offsets, stored.sizes, strict=True)
            ]
            if any(a >= b for a, b in zip(first, last, strict=True)):
                continue
            items.append(
                ReadItem(
                    LoadItemType.TENSOR,
                    MetadataIndex(fqn, here.offsets, number),
                    Size(a - b for a, b in zip(first, here.offsets, strict=True)),
                    MetadataIndex(fqn, stored.offsets, stored_number),
                    Size(a - b for a, b in zip(first, stored.offsets, strict=True)),
                    Size(b - a for a, b in zip(first, last, strict=True)),
                )
            )
    return items


def _create_read_items(fqn: str, md: Any, obj: Any) -> list[ReadItem]:
    """Return what this process reads of an entry."""
    if isinstance(md, BytesStorageMetadata) or not isinstance(obj, Tensor):
        nothing, index = Size((0,)), MetadataIndex(fqn)
        return [ReadItem(LoadItemType.BYTE_IO, index, nothing, index, nothing, nothing)]
    return create_read_items_for_chunk_list(fqn, md, _create_chunk_list(obj))


__all__ = ["create_read_items_for_chunk_list"]

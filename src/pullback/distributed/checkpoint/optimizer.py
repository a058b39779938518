"""torch.distributed.checkpoint.optimizer: an optimizer's state from a checkpoint, sharded as a model is."""

from typing import Any

from ...tensor.creation import zeros
from ..tensor.api import DTensor
from ..tensor.layout import cut
from .filesystem import FileSystemReader
from .metadata import TensorStorageMetadata
from .nested import built
from .state_dict_loader import load


def load_sharded_optimizer_state_dict(
    model_state_dict: dict[str, Any], optimizer_key: str, storage_reader: FileSystemReader,
    planner: Any = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the state of an optimizer that a checkpoint has, by the names of parameters.

    Parameters
    ----------
    model_state_dict : dict
        The model's, in shards: a tensor of the shape of its parameter is sharded as that is.
    optimizer_key : str
        The name of the optimizer's state in the checkpoint.
    storage_reader : FileSystemReader
    planner : DefaultLoadPlanner, optional

    Returns
    -------
    dict
        ``{optimizer_key: state}``.
    """
    metadata = storage_reader.read_metadata()
    paths = []
    for name, entry in metadata.state_dict_metadata.items():
        path = metadata.planner_data[name]
        if path[0] != optimizer_key:
            continue
        value: Any = None
        if isinstance(entry, TensorStorageMetadata):
            value = zeros(tuple(entry.size), dtype=entry.properties.dtype)
            like = model_state_dict.get(path[2]) if len(path) > 2 else None
            if isinstance(like, DTensor) and like.shape == value.shape:
                value = DTensor(cut(value, like._layout), like._layout)
        paths.append((path, value))
    state = built(paths)
    load(state, storage_reader=storage_reader, planner=planner)
    return state


__all__ = ["load_sharded_optimizer_state_dict"]

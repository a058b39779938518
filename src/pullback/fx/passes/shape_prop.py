"""Run a graph on example inputs and note what each value is."""

import traceback
from typing import Any, NamedTuple

from ...tensor.constants import channels_last, channels_last_3d, contiguous_format
from ...tensor.tensor import Tensor
from ..interpreter import Interpreter
from ..node import Node, map_aggregate


class TensorMetadata(NamedTuple):
    """Describe a tensor without its elements."""

    shape: Any
    dtype: Any
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: Any
    is_quantized: bool
    qparams: dict[str, Any]


def _extract_tensor_metadata(result: Any, include_contiguity: bool = True) -> TensorMetadata:
    """Return the metadata of a tensor for `meta`."""
    formats = (contiguous_format, channels_last, channels_last_3d) if include_contiguity else ()
    found = next((f for f in formats if result.is_contiguous(memory_format=f)), None)
    return TensorMetadata(result.shape, result.dtype, result.requires_grad, result.stride(), found, False, {})


class ShapeProp(Interpreter):
    """Note the shape and dtype of each value as ``meta["tensor_meta"]``, its type as ``meta["type"]``."""

    def __init__(self, gm: Any, fake_mode: Any = None) -> None:
        super().__init__(gm)

    def run_node(self, n: Node) -> Any:
        """Run a node and note what comes out."""
        try:
            result = super().run_node(n)
        except Exception as error:
            traceback.print_exc()
            raise RuntimeError(f"ShapeProp error for: node={n.format_node()} with meta={n.meta}") from error
        tensors: list[Any] = []

        def noted(value: Any) -> Any:
            if not isinstance(value, Tensor):
                return value
            tensors.append(value)
            return _extract_tensor_metadata(value)

        known = map_aggregate(result, noted)
        if tensors:
            n.meta["tensor_meta"] = known
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the graph on these inputs."""
        return self.run(*args)


__all__ = ["ShapeProp", "TensorMetadata"]

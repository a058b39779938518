"""Say how a layer is divided among processes: by columns of its result, or by rows of its weight.

Of y = x Wᵀ + b with weight W, `ColwiseParallel` gives each process some rows of W: it makes some features of
y from all of x. `RowwiseParallel` gives it some columns: it makes a summand of y from some features of x. One
after the other they need one exchange, at the end of the second.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ....nn import functional as F
from ....nn.modules.linear import Linear
from ....nn.modules.module import Module
from ....nn.modules.sparse import Embedding
from ....nn.parameter import Parameter
from ...device_mesh import DeviceMesh
from ..api import DTensor, distribute_tensor
from ..placement_types import Partial, Placement, Replicate, Shard


class ParallelStyle(ABC):
    """Say how `parallelize_module` divides a module."""

    src_data_rank: int | None = 0

    @abstractmethod
    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        """Divide a module among the processes of a mesh, in place."""


class _Divided(ParallelStyle):
    """A layer with a divided weight, between layouts of its input and its output.

    Parameters
    ----------
    input_layouts, output_layouts : Placement, optional
        How the plain tensor that comes in is laid out, and how the result is.
    use_local_output : bool
        Whether the result is this process's part, rather than a distributed tensor.
    """

    #: What the layer computes with, and what it makes.
    _takes: Placement
    _makes: Placement

    def __init__(
        self, *, input_layouts: Placement | None = None, output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ) -> None:  # fmt: skip
        self.input_layout = input_layouts or self._default_input()
        self.output_layout = output_layouts or self._default_output()
        self.use_local_output = use_local_output

    @staticmethod
    @abstractmethod
    def _default_input() -> Placement:
        """Return how the input is laid out where nothing is said."""

    @staticmethod
    @abstractmethod
    def _default_output() -> Placement:
        """Return how the result is laid out where nothing is said."""

    def _distribute(self, module: Module, mesh: DeviceMesh, layouts: dict[str, Placement]) -> None:
        for name, placement in layouts.items():
            value = getattr(module, name)
            if value is not None:
                divided = distribute_tensor(value, mesh, [placement], src_data_rank=self.src_data_rank)
                module.register_parameter(name, Parameter(divided, requires_grad=value.requires_grad))

    def _taken(self, x: Any, mesh: DeviceMesh, placement: Placement) -> Any:
        """Return this process's part of the input in the layout that the layer computes with.

        Where each process makes a part of the result of all of the input, covectors of that are summands.
        """
        if not isinstance(x, DTensor):
            x = DTensor.from_local(x, mesh, [self.input_layout])
        x = x.redistribute(placements=[placement])
        return x.to_local(grad_placements=[Partial() if isinstance(placement, Replicate) else placement])

    def _made(
        self, y: Any, mesh: DeviceMesh, placement: Placement, shape: Any = None, bias: Any = None
    ) -> Any:
        """Return the result in the layout that is asked for."""
        whole: Any = DTensor.from_local(y, mesh, [placement], shape=shape)
        if bias is not None:
            summed = whole.redistribute(placements=[Replicate()]).to_local() + bias.to_local()
            whole = DTensor.from_local(summed, mesh, [Replicate()])
        whole = whole.redistribute(placements=[self.output_layout])
        return whole.to_local() if self.use_local_output else whole


class ColwiseParallel(_Divided):
    """Give each process some of the features of a linear layer's or an embedding's result.

    By default the input is whole in every process, and the result is this process's features.
    """

    @staticmethod
    def _default_input() -> Placement:
        return Replicate()

    @staticmethod
    def _default_output() -> Placement:
        return Shard(-1)

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        layer: Any = module
        if isinstance(module, Linear):
            self._distribute(module, device_mesh, {"weight": Shard(0), "bias": Shard(0)})

            def forward(x: Any) -> Any:
                bias = None if layer.bias is None else layer.bias.to_local()
                y = F.linear(self._taken(x, device_mesh, Replicate()), layer.weight.to_local(), bias)
                return self._made(y, device_mesh, Shard(-1), (*y.shape[:-1], layer.out_features))

        elif isinstance(module, Embedding):
            self._distribute(module, device_mesh, {"weight": Shard(1)})

            def forward(x: Any) -> Any:
                y = F.embedding(x.to_local() if isinstance(x, DTensor) else x, layer.weight.to_local())
                return self._made(y, device_mesh, Shard(-1), (*y.shape[:-1], layer.embedding_dim))

        else:
            raise NotImplementedError("ColwiseParallel currently only support nn.Linear and nn.Embedding!")
        layer.forward = forward
        return module


class RowwiseParallel(_Divided):
    """Give each process some of the features of a linear layer's input, or some rows of an embedding.

    By default the input is this process's features, and the result is whole in every process.
    """

    @staticmethod
    def _default_input() -> Placement:
        return Shard(-1)

    @staticmethod
    def _default_output() -> Placement:
        return Replicate()

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        layer: Any = module
        if isinstance(module, Linear):
            self._distribute(module, device_mesh, {"weight": Shard(1), "bias": Replicate()})

            def forward(x: Any) -> Any:
                y = F.linear(self._taken(x, device_mesh, Shard(-1)), layer.weight.to_local())
                return self._made(y, device_mesh, Partial(), bias=layer.bias)

        elif isinstance(module, Embedding):
            self._distribute(module, device_mesh, {"weight": Shard(0)})

            def forward(x: Any) -> Any:
                x = x.to_local() if isinstance(x, DTensor) else x
                rows = layer.weight.to_local()
                # the rows of this process begin where those of a full part times its place do
                each = -(-layer.num_embeddings // device_mesh.size())
                place = x - each * device_mesh.get_local_rank()
                here = (place >= 0) & (place < rows.shape[0])
                y = F.embedding(place.clamp(0, max(rows.shape[0] - 1, 0)), rows)
                return self._made(y * here.unsqueeze(-1).to(y.dtype), device_mesh, Partial())

        else:
            raise NotImplementedError("RowwiseParallel currently only support nn.Linear and nn.Embedding!")
        layer.forward = forward
        return module


for _class in (ParallelStyle, ColwiseParallel, RowwiseParallel):
    _class.__module__ = "torch.distributed.tensor.parallel.style"

__all__ = ["ColwiseParallel", "ParallelStyle", "RowwiseParallel"]

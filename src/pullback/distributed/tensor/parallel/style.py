"""Say how a layer is divided among processes: by columns of its result, or by rows of its weight.

Of y = x Wᵀ + b with weight W, `ColwiseParallel` gives each process some rows of W: it makes some features of
y from all of x. `RowwiseParallel` gives it some columns: it makes a summand of y from some features of x. One
after the other they need one exchange, at the end of the second. Between two such pairs `SequenceParallel`
keeps parts of the sequence, and `PrepareModule...` says where whole sequences are needed.
"""

from abc import ABC, abstractmethod
from collections import OrderedDict
from copy import copy
from typing import Any, ClassVar

from ....func import functional_call
from ....nn import functional as F
from ....nn.modules.linear import Linear
from ....nn.modules.module import Module
from ....nn.modules.sparse import Embedding
from ....nn.parameter import Parameter
from ....tensor.tensor import Tensor
from ...device_mesh import DeviceMesh
from ..api import DTensor, distribute_module, distribute_tensor
from ..placement_types import Partial, Placement, Replicate, Shard


class ParallelStyle(ABC):
    """Say how `parallelize_module` divides a module."""

    src_data_rank: int | None = 0

    @abstractmethod
    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        """Divide a module among the processes of a mesh, in place."""


class _Divided(ParallelStyle):
    """A layer with a divided weight, between the layouts of the plain tensor that comes in and of the result.

    With `use_local_output` that is this process's part, rather than a distributed tensor.
    """

    #: How the input and the result are laid out where nothing is said.
    _input: Placement
    _output: Placement
    #: How the parameters of the layers are divided.
    _layouts: ClassVar[dict[type, dict[str, Placement]]]

    def __init__(
        self, *, input_layouts: Placement | None = None, output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ) -> None:  # fmt: skip
        self.input_layout = input_layouts or self._input
        self.output_layout = output_layouts or self._output
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        kind = next((kind for kind in (Linear, Embedding) if isinstance(module, kind)), None)
        if kind is None:
            raise NotImplementedError(
                f"{type(self).__name__} currently only support nn.Linear and nn.Embedding!"
            )
        layer: Any = module
        self._distribute(module, device_mesh, self._layouts[kind])
        compute = self._linear if kind is Linear else self._embedding
        layer.forward = lambda x: compute(layer, device_mesh, x)
        return module

    @abstractmethod
    def _linear(self, layer: Any, mesh: DeviceMesh, x: Any) -> Any:
        """Return the result of a linear layer."""

    @abstractmethod
    def _embedding(self, layer: Any, mesh: DeviceMesh, x: Any) -> Any:
        """Return the result of an embedding."""

    def _distribute(self, module: Module, mesh: DeviceMesh, layouts: dict[str, Placement]) -> None:
        for name, placement in layouts.items():
            if (value := getattr(module, name)) is not None:
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

    _input, _output = Replicate(), Shard(-1)
    _layouts: ClassVar[Any] = {
        Linear: {"weight": Shard(0), "bias": Shard(0)}, Embedding: {"weight": Shard(1)}
    }  # fmt: skip

    def _linear(self, layer: Any, mesh: DeviceMesh, x: Any) -> Any:
        bias = None if layer.bias is None else layer.bias.to_local()
        y = F.linear(self._taken(x, mesh, Replicate()), layer.weight.to_local(), bias)
        return self._made(y, mesh, Shard(-1), (*y.shape[:-1], layer.out_features))

    def _embedding(self, layer: Any, mesh: DeviceMesh, x: Any) -> Any:
        y = F.embedding(x.to_local() if isinstance(x, DTensor) else x, layer.weight.to_local())
        return self._made(y, mesh, Shard(-1), (*y.shape[:-1], layer.embedding_dim))


class RowwiseParallel(_Divided):
    """Give each process some of the features of a linear layer's input, or some rows of an embedding.

    By default the input is this process's features, and the result is whole in every process.
    """

    _input, _output = Shard(-1), Replicate()
    _layouts: ClassVar[Any] = {
        Linear: {"weight": Shard(1), "bias": Replicate()}, Embedding: {"weight": Shard(0)}
    }  # fmt: skip

    def _linear(self, layer: Any, mesh: DeviceMesh, x: Any) -> Any:
        y = F.linear(self._taken(x, mesh, Shard(-1)), layer.weight.to_local())
        return self._made(y, mesh, Partial(), bias=layer.bias)

    def _embedding(self, layer: Any, mesh: DeviceMesh, x: Any) -> Any:
        x = x.to_local() if isinstance(x, DTensor) else x
        rows = layer.weight.to_local()
        # the rows of this process begin where those of a full part times its place do
        place = x - -(-layer.num_embeddings // mesh.size()) * mesh.get_local_rank()
        here = (place >= 0) & (place < rows.shape[0])
        y = F.embedding(place.clamp(0, max(rows.shape[0] - 1, 0)), rows)
        return self._made(y * here.unsqueeze(-1).to(y.dtype), mesh, Partial())


class SequenceParallel(ParallelStyle):
    """Let each process compute a layer on its part of a sequence, with a copy of the layer's parameters.

    For layers that treat every place of a sequence alike: `LayerNorm`, `RMSNorm`, `Dropout`. Gradients of the
    parameters are summands, which one exchange adds.

    Parameters
    ----------
    sequence_dim : int
        The axis of the sequence.
    use_local_output : bool
        Whether the result is this process's part, rather than a distributed tensor.
    """

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = False) -> None:
        self.sequence_sharding = (Shard(sequence_dim),)
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        if self.src_data_rank is not None:
            distribute_module(module, device_mesh)
        else:
            _replicate(module, device_mesh)
        # What is called below has the module's own forward, and its parameters.
        inner = copy(module)
        inner.__dict__.pop("forward", None)
        inner.__dict__["_forward_hooks"], inner.__dict__["_forward_pre_hooks"] = OrderedDict(), OrderedDict()

        def forward(x: Any) -> Any:
            if not isinstance(x, DTensor):
                x = DTensor.from_local(x, device_mesh, self.sequence_sharding)
            x = x.redistribute(placements=self.sequence_sharding)
            parameters: Any = module.named_parameters()
            parts = {name: p.to_local(grad_placements=[Partial()]) for name, p in parameters}
            y = functional_call(inner, parts, (x.to_local(),))
            whole = DTensor.from_local(y, device_mesh, x.placements, shape=(*x.shape[:-1], y.shape[-1]))
            return whole.to_local() if self.use_local_output else whole

        module.__dict__["forward"] = forward
        return module

    def __repr__(self) -> str:
        which = f"sequence_dim={self.sequence_sharding[0].dim}"
        return f"SequenceParallel({which}, use_local_output={self.use_local_output})"


def _replicate(module: Module, mesh: DeviceMesh) -> None:
    """Keep the parameters of a module in every process as they are there."""
    for owner in module.modules():
        for name, value in list(owner._parameters.items()):
            if value is not None and not isinstance(value, DTensor):
                copied = distribute_tensor(value, mesh, src_data_rank=None)
                owner.register_parameter(name, Parameter(copied, requires_grad=value.requires_grad))


def _several(layouts: Any) -> Any:
    """Return layouts of several values, where one may stand for one."""
    return (layouts,) if isinstance(layouts, Placement) else layouts


#: Arguments of the styles below that are printed.
_OF_INPUTS = "input_layouts", "desired_input_layouts", "input_kwarg_layouts", "desired_input_kwarg_layouts"
_OF_OUTPUTS = ("output_layouts", "desired_output_layouts")


def _shown(style: Any, *names: str) -> str:
    return ", ".join(f"{name}={getattr(style, name)}" for name in names)


class PrepareModuleInput(ParallelStyle):
    """Bring what a module is called with into the layouts that it computes with.

    Parameters
    ----------
    input_layouts, desired_input_layouts : Placement or tuple of Placement or None
        How each positional argument comes in, and how the module wants it; None leaves one as it is.
    input_kwarg_layouts, desired_input_kwarg_layouts : dict, optional
        Likewise, by name.
    use_local_output : bool
        Whether the module gets this process's parts, rather than distributed tensors.
    """

    def __init__(
        self, *, input_layouts: Any = None, desired_input_layouts: Any = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None, use_local_output: bool = False,
    ) -> None:  # fmt: skip
        self.input_layouts = _several(input_layouts)
        self.desired_input_layouts = _several(desired_input_layouts)
        self.use_local_output = use_local_output
        if self.input_layouts is not None:
            if self.desired_input_layouts is None:
                raise AssertionError("desired module inputs should not be None!")
            if len(self.input_layouts) != len(self.desired_input_layouts):
                raise AssertionError("input_layouts and desired_input_layouts should have same length!")
        self.with_kwargs = input_kwarg_layouts is not None
        self.input_kwarg_layouts = input_kwarg_layouts or {}
        self.desired_input_kwarg_layouts = desired_input_kwarg_layouts or {}
        if self.with_kwargs and len(self.input_kwarg_layouts) != len(self.desired_input_kwarg_layouts):
            raise AssertionError(
                "input_kwarg_layouts and desired_input_kwarg_layouts should have same length!"
            )

    def _prepared(self, inputs: Any, kwargs: dict[str, Any], mesh: DeviceMesh) -> tuple[Any, dict[str, Any]]:
        if self.input_layouts is not None:
            layouts = self.input_layouts, self.desired_input_layouts
            inputs = _all_laid_out("input", inputs, mesh, *layouts, self.use_local_output)
        return inputs, {
            name: _laid_out(
                value, mesh, self.input_kwarg_layouts.get(name), self.desired_input_kwarg_layouts.get(name),
                self.use_local_output,
            )
            for name, value in kwargs.items()
        }  # fmt: skip

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        module.register_forward_pre_hook(
            lambda _, inputs, kwargs: self._prepared(inputs, kwargs, device_mesh), with_kwargs=True
        )
        return module

    def __repr__(self) -> str:
        return f"PrepareModuleInput({_shown(self, *_OF_INPUTS, 'use_local_output')})"


class PrepareModuleOutput(ParallelStyle):
    """Bring what a module returns into the layouts that those after it want.

    Parameters
    ----------
    output_layouts, desired_output_layouts : Placement or tuple of Placement or None
        How each result is laid out, and how it is to be; None leaves one as it is.
    use_local_output : bool
        Whether this process's parts are returned, rather than distributed tensors.
    """

    def __init__(
        self, *, output_layouts: Any, desired_output_layouts: Any, use_local_output: bool = True
    ) -> None:
        self.output_layouts = _several(output_layouts)
        self.desired_output_layouts = _several(desired_output_layouts)
        self.use_local_output = use_local_output
        if len(self.output_layouts) != len(self.desired_output_layouts):
            raise AssertionError("output_layouts and desired_output_layouts should have same length!")

    def _prepared(self, outputs: Any, mesh: DeviceMesh) -> Any:
        layouts = self.output_layouts, self.desired_output_layouts
        found = _all_laid_out("output", outputs, mesh, *layouts, self.use_local_output)
        return found[0] if len(found) == 1 else found

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        module.register_forward_hook(lambda _, inputs, outputs: self._prepared(outputs, device_mesh))
        return module

    def __repr__(self) -> str:
        return f"PrepareModuleOutput({_shown(self, *_OF_OUTPUTS, 'use_local_output')})"


class PrepareModuleInputOutput(ParallelStyle):
    """Bring what a module is called with and what it returns into layouts.

    Parameters
    ----------
    input_layouts, desired_input_layouts, input_kwarg_layouts, desired_input_kwarg_layouts
        As of `PrepareModuleInput`.
    use_local_input : bool
        Whether the module gets this process's parts, rather than distributed tensors.
    output_layouts, desired_output_layouts, use_local_output
        As of `PrepareModuleOutput`.
    """

    def __init__(
        self, *, input_layouts: Any = None, desired_input_layouts: Any = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None, use_local_input: bool = False,
        output_layouts: Any, desired_output_layouts: Any, use_local_output: bool = True,
    ) -> None:  # fmt: skip
        self.prepare_module_input = PrepareModuleInput(
            input_layouts=input_layouts, desired_input_layouts=desired_input_layouts,
            input_kwarg_layouts=input_kwarg_layouts, desired_input_kwarg_layouts=desired_input_kwarg_layouts,
            use_local_output=use_local_input,
        )  # fmt: skip
        self.prepare_module_output = PrepareModuleOutput(
            output_layouts=output_layouts, desired_output_layouts=desired_output_layouts,
            use_local_output=use_local_output,
        )  # fmt: skip

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        self.prepare_module_input._apply(module, device_mesh)
        self.prepare_module_output._apply(module, device_mesh)
        return module

    def __repr__(self) -> str:
        before, after = self.prepare_module_input, self.prepare_module_output
        return (
            f"PrepareModuleInputOutput({_shown(before, *_OF_INPUTS)}, use_local_input="
            f"{before.use_local_output}, {_shown(after, *_OF_OUTPUTS, 'use_local_output')})"
        )


def _all_laid_out(
    what: str, values: Any, mesh: DeviceMesh, layouts: Any, wanted: Any, local: bool
) -> tuple[Any, ...]:
    """Return a module's inputs or outputs in the layouts that are wanted."""
    values = values if isinstance(values, tuple) else (values,)
    if len(values) != len(layouts):
        raise ValueError(f"module {what}s and {what}_layouts should have same length!")
    return tuple(_laid_out(v, mesh, p, q, local) for v, p, q in zip(values, layouts, wanted, strict=True))


def _laid_out(value: Any, mesh: DeviceMesh, layout: Any, wanted: Any, local: bool) -> Any:
    """Return a value in the layout that is wanted, from the one in which it is."""
    if layout is None:
        return value
    if not isinstance(value, DTensor):
        if not isinstance(value, Tensor):
            raise AssertionError("expecting input to be a torch.Tensor!")
        value = DTensor.from_local(value, mesh, [layout])
    if wanted is not None and layout != wanted:
        value = value.redistribute(placements=[wanted])
    return value.to_local() if local else value


for _class in (
    ParallelStyle, ColwiseParallel, RowwiseParallel, SequenceParallel, PrepareModuleInput,
    PrepareModuleOutput, PrepareModuleInputOutput,
):  # fmt: skip
    _class.__module__ = "torch.distributed.tensor.parallel.style"

__all__ = [
    "ColwiseParallel", "ParallelStyle", "PrepareModuleInput", "PrepareModuleInputOutput",
    "PrepareModuleOutput", "RowwiseParallel", "SequenceParallel",
]  # fmt: skip

"""Draw a model's graph as TensorBoard draws it: a node for each public function that one call of it makes.

What this module must do:

- call the model once, in evaluation mode, and note each function with the tensors that it takes and gives;
- name nodes by the modules in which they are made (``Net/Linear[first]/linear``), so that TensorBoard folds
  them into boxes, and tell each output's shape;
- leave the model as it was, also where the call fails.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from tensorboard.compat.proto.attr_value_pb2 import AttrValue
from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.node_def_pb2 import NodeDef
from tensorboard.compat.proto.step_stats_pb2 import DeviceStepStats, StepStats
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.compat.proto.versions_pb2 import VersionDef

from ...autograd.grad_mode import no_grad
from ...core.modes import change
from ...nn.modules.module import Module
from ...tensor.interception import activate, deactivate, without
from ...tensor.tensor import Tensor
from .._pytree import tree_leaves


class _Recorder:
    """Take down the functions of one call of a model; `Modes.watcher` holds it."""

    def __init__(self, model: Module) -> None:
        self.nodes: list[Any] = []
        #: By a tensor's identity: the name of the node that made it, and the tensor, so that it stays.
        self.makers: dict[int, tuple[str, Tensor]] = {}
        self.scopes = [type(model).__name__]
        self._counts: Counter[str] = Counter()
        self._leaves = dict(self._parameters(model))

    def _parameters(self, model: Module) -> Iterator[tuple[int, tuple[str, Tensor]]]:
        for path, module in model.named_modules():
            scope = _scope(model, path)
            for name, value in [*module.named_parameters("", False), *module.named_buffers("", False)]:
                yield id(value), (f"{scope}/{name}", value)

    def add(self, name: str, op: str, inputs: list[str], value: Any = None, note: str = "") -> str:
        """Add a node and return its name, which is made another one where it is taken."""
        self._counts[name] += 1
        if (count := self._counts[name]) > 1:
            name = f"{name}_{count - 1}"
        attributes = {"attr": AttrValue(s=note.encode())} if note else {}
        shapes = [_shape(each) for each in tree_leaves(value) if isinstance(each, Tensor)]
        if shapes:
            attributes["_output_shapes"] = AttrValue(list=AttrValue.ListValue(shape=shapes))
        self.nodes.append(NodeDef(name=name, op=op, device="CPU", input=inputs, attr=attributes))
        return name

    def made(self, name: str, value: Any) -> None:
        """Note which node the tensors of a value come from; one that is handed on keeps its first."""
        for each in tree_leaves(value):
            if isinstance(each, Tensor):
                self.makers[id(each)] = name, each

    def source(self, value: Tensor) -> str:
        """Return the node that a tensor comes from; a parameter or a constant gets its node here."""
        if (found := self.makers.get(id(value))) is None:
            if (held := self._leaves.get(id(value))) is None:
                name = self.add(f"{self.scopes[-1]}/constant", "prim::Constant", [], value)
            else:
                name = self.add(held[0], "prim::GetAttr", [], value)
            self.made(name, value)
            return name
        return found[0]

    def __enter__(self) -> None:
        activate()
        self._before = change(watcher=self).watcher

    def __exit__(self, *_: object) -> None:
        change(watcher=self._before)
        deactivate()

    def __call__(
        self, label: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Call a public function, and add a node for it where it gives tensors."""
        with without(watcher=None):
            leaves = tree_leaves((args, kwargs))
            inputs = [self.source(each) for each in leaves if isinstance(each, Tensor)]
            result = function(*args, **kwargs)
        if any(isinstance(each, Tensor) for each in tree_leaves(result)):
            label = label.strip("_")
            others = ", ".join(repr(each) for each in leaves if not isinstance(each, Tensor))
            name = self.add(f"{self.scopes[-1]}/{label}", f"aten::{label}", inputs, result, others)
            self.made(name, result)
        return result


def _scope(model: Module, path: str) -> str:
    """Return a module's place, as torch names it: ``Net/Linear[first]``."""
    scope, module = type(model).__name__, model
    for part in path.split(".") if path else ():
        module = module.get_submodule(part)
        scope += f"/{type(module).__name__}[{part}]"
    return scope


def _shape(value: Tensor) -> Any:
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in value.shape])


@contextmanager
def _watched(model: Module, recorder: _Recorder) -> Iterator[None]:
    """Tell the recorder which module is being called; a module in evaluation mode meanwhile."""
    modes = [(module, module.training) for module in model.modules()]

    def watch(module: Module, scope: str, stack: ExitStack) -> None:
        def enter(*_: Any) -> None:
            recorder.scopes.append(scope)

        def leave(*_: Any) -> None:
            recorder.scopes.pop()

        stack.callback(module.register_forward_pre_hook(enter).remove)
        stack.callback(module.register_forward_hook(leave, always_call=True).remove)

    with ExitStack() as stack:
        for path, module in model.named_modules():
            watch(module, _scope(model, path), stack)
        model.eval()
        try:
            yield
        finally:
            for module, training in modes:
                module.training = training


def graph(model: Module, inputs: Any, verbose: bool = False) -> tuple[Any, Any]:
    """Call a model and return what it does as TensorBoard's graph, and the record of its device.

    Parameters
    ----------
    model : Module
    inputs : Tensor, tuple, list or dict
        What it is called with: one argument, several, or named ones.
    verbose : bool
        Whether the graph is printed.

    Returns
    -------
    GraphDef, RunMetadata
    """
    named = dict(inputs) if isinstance(inputs, dict) else {}
    given = () if named else tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    recorder = _Recorder(model)
    for label, value in [*((f"input_{n}", v) for n, v in enumerate(given)), *named.items()]:
        recorder.made(recorder.add(f"input/{label}", "IO Node", [], value), value)
    try:
        with no_grad(), _watched(model, recorder), recorder:
            result = model(*given, **named)
    except RuntimeError as error:
        error.add_note("Error occurs, No graph saved")
        raise
    for each in tree_leaves(result):
        if isinstance(each, Tensor):
            recorder.add("output/output", "IO Node", [recorder.source(each)], each)
    if verbose:
        print(*(f"{n.name} = {n.op}({', '.join(n.input)})" for n in recorder.nodes), sep="\n")  # noqa: T201  # asked for
    device = RunMetadata(step_stats=StepStats(dev_stats=[DeviceStepStats(device="/device:CPU:0")]))
    return GraphDef(node=recorder.nodes, versions=VersionDef(producer=22)), device

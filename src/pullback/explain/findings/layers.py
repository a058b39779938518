"""Look at modules: made where they should not be, not registered, in the wrong mode, shared by mistake."""

import ast
import math
from collections import Counter
from collections.abc import Callable
from types import CodeType
from typing import Any

import numpy as np

from ...core.blame import Place, place_at
from ...core.modes import modes
from ...core.node import LEAF
from ...core.value import TensorBase, shape_of
from ...nn.modules.module import Module
from ...nn.parameter import Parameter
from ..scene import conditional, freezing, parts_of, place_in, scope_of
from ..trace import Event
from .collected import Findings, calls_of
from .makers import origin, values_of
from .reach import listed

#: Modules that do something else in training.
BY_MODE = ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout")


def _normalises(module: Any) -> bool:
    return type(module).__name__.lower().find("batchnorm") >= 0


def _depends_on_mode(module: Any) -> bool:
    return any(
        (type(m).__name__ in BY_MODE and getattr(m, "p", 0) > 0)
        or (_normalises(m) and getattr(m, "track_running_stats", True))
        for m in module.modules()
    )


class Layers:
    """Collect what the calls of modules show.

    By a module's id, `made` has where it was made, `modes` where `train` or `eval` was last called on it.
    """

    def __init__(self) -> None:
        self.made: dict[int, tuple[CodeType, int]] = {}
        self.modes: dict[int, tuple[CodeType, int]] = {}
        self.kept: dict[int, Any] = {}
        self.called: dict[int, Any] = {}
        self.trained: dict[int, tuple[Any, Any]] = {}
        self.evaluated: dict[int, tuple[Any, Place | None]] = {}
        self.counts: Counter[tuple[CodeType, int]] = Counter()
        self.calls_of_backward = 0
        self.uses: dict[int, Place | None] = {}
        self.in_eval: dict[int, tuple[Any, Place | None, tuple[CodeType, int] | None]] = {}
        self.turn: list[tuple[Any, Place | None, bool]] = []
        self.told: set[int] = set()
        self.told_modules: set[int] = set()

    # --- told by the watch ----------------------------------------------------------------------------------

    def begun(self, module: Any, at: tuple[CodeType, int], outer: Any, findings: Findings) -> None:
        """Note that a module is made."""
        if id(module) in self.made:
            return
        self.made[id(module)] = at
        self.kept[id(module)] = module
        if self.calls_of_backward:
            self.counts[at] += 1
        if outer is not None and at[0].co_name != "__init__":
            self.told_modules.add(id(module))
            name = type(module).__name__
            if _may_have_weights(module):
                findings.tell("made in forward: layer", at, module=name, outer=type(outer).__name__)
            else:
                findings.tell("made in forward, without weights", at, module=name)

    def entered(self, module: Any, outer: Any, place: Place | None, findings: Findings) -> None:
        """Note that a module is called."""
        self.called[id(module)] = module
        self.uses.setdefault(id(module), place)
        if outer is None:
            if modes().grad:
                self.turn.append((module, place, module.training))
            else:
                self.evaluated.setdefault(id(module), (module, place))
            return
        if any(m is module for m in outer.modules()) or next(module.parameters(), None) is None:
            return
        where = _unregistered(outer, module)
        if where is not None:
            self.told |= {id(p) for p in module.parameters()}
            findings.tell(
                "not registered", assigned(outer, where) or place, where=where, outer=type(outer).__name__,
                container=type(vars(outer)[where]).__name__
            )

    def backward(self) -> None:
        """Look at one turn, at its call of backward."""
        self.calls_of_backward += 1
        for module, place, training in self.turn:
            if training:
                self.trained.setdefault(id(module), (module, place))
            elif _depends_on_mode(module):
                self.in_eval.setdefault(id(module), (module, place, self.modes.get(id(module))))
        self.turn = []

    def look_at(self, event: Event, findings: Findings) -> None:
        """Look at one call of a function."""
        if event.module is not None and event.kwargs.get("requires_grad") is True and event.outputs:
            self.told |= {id(t) for t in event.outputs}
            findings.tell("made in forward: tensor", event, module=type(event.module).__name__)

    # --- at the end -----------------------------------------------------------------------------------------

    def leaves_told(self) -> set[int]:
        """Return the parameters of modules that a finding tells of."""
        made = [self.kept[key] for key in self.told_modules if key in self.kept]
        return self.told | {id(p) for module in made for p in module.parameters()}

    def owner_of(self, leaf: Any) -> tuple[Any, str] | None:
        """Return the module that a parameter belongs to, and its name there."""
        for module in (*self.kept.values(), *self.called.values()):
            for name, p in module._parameters.items():
                if p is leaf:
                    return module, name
        return None

    def report(
        self, findings: Findings, held: Callable[[Any], bool], reached: dict[int, Any],
        name_of: Callable[[Any], str | None], optimizers: bool = True,
    ) -> None:  # fmt: skip
        """Add what the whole run shows."""
        self._report_frozen(findings, name_of, held if optimizers else None)
        self._report_flags(findings)
        for module, place, at in self.in_eval.values():
            if not any(id(p) in reached for p in module.parameters()):
                continue
            findings.tell("trained in eval mode", at or place, module=type(module).__name__)
        for key, (module, place) in self.evaluated.items():
            frozen = not any(p.requires_grad for p in module.parameters())
            if module.training and (key in self.trained or frozen) and _depends_on_mode(module):
                findings.tell("evaluated in training mode", place, module=type(module).__name__)
        self._report_made_anew(findings, held, reached)
        self._report_shared(findings)
        self._report_attributes(findings, held)

    def _report_frozen(self, findings: Findings, name_of: Any, held: Callable[[Any], bool] | None) -> None:
        frozen = [p for m in self.called.values() for p in m._parameters.values()
                  if p is not None and not p.requires_grad]  # fmt: skip
        place = None if not frozen else freezing(self._files())
        if held is not None and (place is None or not conditional(place)):
            frozen = [p for p in frozen if held(p)]  # what no optimizer holds is frozen on purpose
        owner = None if not frozen else self.owner_of(frozen[0])
        if place is None and owner is not None and id(owner[0]) in self.made:
            place = place_at(*self.made[id(owner[0])])  # made so, as `Embedding.from_pretrained` does
        if frozen and place is not None:
            findings.tell(
                "frozen", place, names=listed(frozen, name_of), are="are" if len(frozen) > 1 else "is",
                them="them" if len(frozen) > 1 else "it"
            )
        for module in self.called.values():
            if type(module).__module__.partition(".")[0] in (__name__.partition(".")[0], "torch"):
                continue
            for name, buffer in module._buffers.items():
                value = None if buffer is None or _normalises(module) else values_of(buffer)
                if value is not None and value.dtype.kind == "f" and value.size > 1 and not value.any():
                    findings.tell(
                        "buffer of zeros", _registered(module, name), name=name, module=type(module).__name__
                    )

    def _report_flags(self, findings: Findings) -> None:
        """Say where `requires_grad` was set on a module, which has no such flag."""
        for module in {id(m): m for m in (*self.kept.values(), *self.called.values())}.values():
            flag = vars(module).get("requires_grad")
            if not isinstance(flag, bool) or all(p.requires_grad is flag for p in module.parameters()):
                continue
            findings.tell(
                "flag of a module", freezing(self._files()), flag=flag, module=type(module).__name__
            )
            return

    def _files(self) -> list[str]:
        return list(dict.fromkeys(at[0].co_filename for at in self.made.values()))

    def _report_made_anew(self, findings: Findings, held: Any, reached: dict[int, Any]) -> None:
        for at, count in self.counts.items():
            if count < 2:
                continue
            modules = [self.kept[k] for k, where in self.made.items() if where == at]
            weights = [p for m in modules for p in m.parameters(recurse=False) if id(p) in reached]
            if len({id(p) for p in weights}) > 1 and not any(held(p) for p in weights):
                findings.tell("made anew in each turn", at, module=type(modules[0]).__name__)

    def _report_shared(self, findings: Findings) -> None:
        for module in {id(m): m for c in self.called.values() for m in c.modules()}.values():
            held = [m for m in module._modules.values() if m is not None]
            twice = [m for m, n in Counter(held).items() if n > 1 and next(m.parameters(), None) is not None]
            if twice:
                findings.tell(
                    "one module several times",
                    self.made.get(id(module)),
                    module=type(module).__name__, module_2=type(twice[0]).__name__,
                    times=Counter(held)[twice[0]]
                )

    def _report_attributes(self, findings: Findings, held: Any) -> None:
        for module in list(self.called.values()):
            buffers = module._buffers
            for name, value in (*vars(module).items(), *buffers.items()):
                if not isinstance(value, TensorBase) or isinstance(value, Parameter):
                    continue
                if name in buffers and not any(map(held, module.parameters())):
                    continue  # of a module that is not trained
                if value._node is LEAF and not held(value) and id(value) not in self.told:
                    self.told.add(id(value))
                    findings.tell(
                        "no parameter",
                        _registered(module, name) if name in buffers else assigned(module, name), name=name,
                        module=type(module).__name__, sort="buffer" if name in buffers else "plain tensor"
                    )


def _made_by(event: Event, kinds: tuple[str, ...], findings: Findings) -> Place | None:
    """Return the line that makes the layer which a call is, or else that of the call."""
    own = type(event.module).__name__ in kinds
    return (findings.made(event.module) if own else None) or event.place


@calls_of("batch_norm")
def _bias(event: Event, findings: Findings) -> None:
    """Say where a bias is added that the mean of a batch norm takes away."""
    made = origin(event.maker_of(event.argument(0, "input")), set())
    bias = None if made is None else made.argument(2, "bias")
    training = event.argument(5, "training", False)
    if made is not None and training and isinstance(bias, TensorBase) and bias._node is LEAF:
        findings.tell("bias before batch norm", made, made=made)


@calls_of("dropout", "dropout1d", "dropout2d", "alpha_dropout", "feature_dropout")
def _dropout(event: Event, findings: Findings) -> None:
    """Say where dropout drops everything, or goes on in evaluation."""
    value = values_of(event.argument(0, "input"))
    found = values_of(event.outputs[0]) if event.outputs else None
    p = event.argument(1, "p", 0.5)
    if p == 1 and value is not None and found is not None and value.any() and not found.any():
        findings.tell("dropout drops all", _made_by(event, BY_MODE, findings), event=event)
    module, on = event.module, event.argument(2, "training", True)
    if module is not None and on and not module.training and type(module).__name__ not in BY_MODE:
        findings.tell("dropout in eval", event, event=event)


@calls_of("layer_norm")
def _one_feature(event: Event, findings: Findings) -> None:
    """Say where a layer norm is taken over a single feature."""
    shape = event.argument(1, "normalized_shape")
    found = values_of(event.outputs[0]) if event.outputs else None
    if math.prod(shape if isinstance(shape, (tuple, list)) else (shape or 0,)) != 1 or found is None:
        return
    if found.size > 1 and (found == found.flat[0]).all():
        findings.tell(
            "one feature normalised", _made_by(event, ("LayerNorm",), findings), event=event, found=found
        )


def _registered(module: Any, name: str) -> Place | None:
    """Return the line that registers a buffer."""
    for kind in type(module).__mro__:
        code = getattr(vars(kind).get("__init__"), "__code__", None)
        file = "" if code is None else code.co_filename
        for node in parts_of(file, ast.Call):
            given = getattr(node.args[0], "value", None) if node.args else None
            if given == name and ast.unparse(node.func).endswith("register_buffer"):
                return place_in(file, node.lineno)
    return None


def _may_have_weights(module: Any) -> bool:
    name = type(module).__name__
    weightless = ("ReLU", "Dropout", "Softmax", "Sigmoid", "Tanh", "Pool", "Loss", "Flatten", "GELU",
    "Identity",
                  "LogSoftmax", "Upsample", "Unflatten", "SiLU", "ELU", "Fold", "Pad")  # fmt: skip
    return not any(word in name for word in weightless)


def _unregistered(outer: Any, module: Any) -> str | None:
    """Return the attribute of a module that holds another one in a plain container."""
    for name, value in vars(outer).items():
        if name.startswith("_"):
            continue
        members = value.values() if type(value) is dict else value if type(value) in (list, tuple) else ()
        for member in members:
            inner = member if type(member) in (list, tuple) else (member,)
            if any(
                m is module or (isinstance(m, Module) and any(x is module for x in m.modules()))
                for m in inner
            ):
                return name
    return None


def assigned(owner: Any, name: str) -> Place | None:
    """Return the line of a class that first gives an attribute of `self` its value."""
    for kind in type(owner).__mro__:
        for method in vars(kind).values():
            code = getattr(method, "__code__", None)
            own = code.co_varnames[0] if code is not None and code.co_varnames else "self"
            for statement in scope_of(code).assigning(f"{own}.{name}"):
                if isinstance(statement.node, (ast.Assign, ast.AnnAssign)):
                    return statement.place
    return None


def symmetric(weight: Any, gradient: Any) -> bool:
    """Return whether all rows of a weight, and of its gradient, are equal: its units stay alike."""
    w, g = values_of(weight), values_of(gradient)
    if w is None or g is None or w.ndim != 2 or len(w) < 2 or not np.any(g):
        return False
    return bool((w == w[0]).all() and np.allclose(g, g[0], rtol=1e-5, atol=0) and shape_of(weight)[0] > 1)

"""Calls and attributes of modules, which each step of a loop repeats.

What `Module.__call__` and `Module.__getattr__` look at is guarded by the first call that runs them as
rewritten code, or here. 200 Runge-Kutta steps of a network of five layers call 4,800 modules.
"""

from typing import Any

from ....nn import Module
from ....nn.modules.module_hooks import running_everywhere
from ..operations import attributes, calls
from ..state.guards import ABSENT
from ..state.session import Session
from .rules import rule

_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
#: Where a module looks for what it does not hold itself, in order.
_STORES = ("_parameters", "_modules", "_buffers")


@rule(Module.__call__)
def call_module(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a module; one that went straight to `forward` before does so again if it still would."""
    module = args[0]
    own = module.__dict__
    hooked = running_everywhere or any(own.get(store, True) for store in _HOOKS)
    straight = not hooked and "_compiled_call_impl" not in own
    if straight and not session.tainted:
        if id(module) in session.straight:
            return calls.call(attributes.load_attribute(module, "forward"), args[1:], kwargs)
        if session.lookup(type(module), "__getattribute__") is object.__getattribute__:
            session.straight[id(module)] = module
    return calls.call_user(session, f, args, kwargs)


@rule(Module.__getattr__)
def attribute_of_module(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return a parameter, module or buffer of a module."""
    module, name = args
    own = session.dict_of(module)
    for store in _STORES:
        held = ABSENT if own is None else session.dict_item(own, store)
        if type(held) is not dict:
            break
        value = session.dict_item(held, name)
        if value is not ABSENT:
            return value
    return calls.call_user(session, f, args, kwargs)

"""Steps of optimizers and schedulers in a trace.

An optimizer of ours does its step as it is, on tensors that are inputs: what it reads besides (groups,
options, state) is guarded here. A learning rate is a number of the program, so another one is no other
program. The state that a first step makes is made just before it, and stays if the call ends well and has
used it. What a scheduler does is done by each call after its program.

This module is imported when a function of `optim` is called.
"""

from __future__ import annotations

import inspect
from typing import Any

from ...autograd.grad_mode import enable_grad
from ...core.blame import own_file
from ...optim.lr_scheduler import LRScheduler, ReduceLROnPlateau
from ...optim.optimizer import Optimizer
from . import calls
from .callables import rule
from .guards import ABSENT
from .optimizer_state import Dial, is_ours, turns
from .plain_functions import variables_of
from .session import Session

_OWN = ("init", "init_alike", "update", "_step_of", "_change")


@rule(inspect.unwrap(Optimizer.step))
def _step(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    optimizer, *closure = args
    closure = [*closure, *kwargs.values()]
    kind = type(optimizer)
    session.typed(optimizer)
    for name in _OWN:
        found = session.lookup(kind, name)
        if found is ABSENT or not is_ours(found):
            raise session.refusal(f"{kind.__name__} has a method {name} of its own")
    loss = None
    if closure and closure[0] is not None:
        with enable_grad():
            loss = calls.call(closure[0], ())
    groups = _follow_groups(session, optimizer)
    held = session.dict_of(optimizer)
    assert held is not None
    _follow(session, session.dict_item(held, "defaults"))
    state = session.dict_item(held, "state")
    # What the call itself makes, or empties, begins anew in each call.
    if not session.is_fresh(optimizer) and id(state) not in session.changed():
        session.first.make(session, optimizer)
    session.whole_dict(state)
    for entry in dict.values(state):
        _follow(session, entry)
    dials = []
    for group in groups:
        session.dict_keys(group)
        for key in list(group):
            # What the function has assigned is not what a call finds.
            if key in session.turning and turns(key, group[key]) and not session.was_written(group, key):
                dials.append(session.dial(group, key, Dial))
            elif key != "params":
                _follow(session, session.dict_item(group, key))
    before = {parameter: (entry, dict(entry)) for parameter, entry in dict.items(state)}
    try:
        for dial in dials:
            dict.__setitem__(dial.container, dial.key, dial.stand_in)
        f(optimizer)
    finally:
        for dial in dials:
            dict.__setitem__(dial.container, dial.key, dial.value)
        _left(session, state, before)
    return loss


def _left(session: Session, state: dict[Any, Any], before: dict[Any, tuple[Any, dict[str, Any]]]) -> None:
    """Let what a step has put into the state be seen as writes."""
    for parameter, entry in list(dict.items(state)):
        held, contents = before.get(parameter, (None, {}))
        if held is not entry:
            dict.__delitem__(state, parameter)
            session.write_item(state, parameter, session.made(entry))
            continue
        for name, value in list(entry.items()):
            if contents.get(name, ABSENT) is not value:
                if name in contents:
                    entry[name] = contents[name]
                else:
                    del entry[name]
                session.write_item(entry, name, value)


@rule(Optimizer.zero_grad)
def _zero_grad(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    _follow_groups(session, args[0])
    return f(*args, **kwargs)


def _follow_groups(session: Session, optimizer: Any) -> list[dict[str, Any]]:
    """Guard the groups of an optimizer and their parameters; return the groups."""
    held = session.dict_of(optimizer)
    assert held is not None
    groups = session.dict_item(held, "param_groups")
    session.whole(groups)
    for group in groups:
        parameters = session.dict_item(group, "params")
        session.whole(parameters)
        session.asked_grads.update(map(id, parameters))
    return list(groups)


def _follow(session: Session, value: Any) -> None:
    """Guard all that containers in an option or a state hold."""
    if isinstance(value, (list, dict, set)):
        session.whole(value)
        for part in list(value.values()) if isinstance(value, dict) else list(value):
            _follow(session, part)
    elif isinstance(value, tuple):
        for part in value:
            _follow(session, part)


def is_scheduler_step(f: Any, args: tuple[Any, ...]) -> bool:
    """Return whether a function is the step of a scheduler of ours."""
    return (
        f.__name__ == "step" and bool(args) and isinstance(args[0], (LRScheduler, ReduceLROnPlateau))
        and own_file[f.__code__.co_filename]
    )  # fmt: skip


def scheduler_step(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Leave the step of a scheduler for after the program."""
    scheduler, *values = args
    kind = type(scheduler)
    session.typed(scheduler)
    for base in session.mro(kind):
        for name, found in vars(base).items():
            code = getattr(inspect.unwrap(found) if callable(found) else found, "__code__", None)
            if code is not None and not own_file[code.co_filename] and base is not object:
                raise session.refusal(f"{kind.__name__} has a method {name} of its own")
    if kwargs:
        raise session.refusal(f"{kind.__name__}.step is given keywords")
    _follow_functions(session, scheduler)
    optimizer = scheduler.optimizer
    why = "it looks at what a scheduler's step has changed"
    for container in (vars(scheduler), vars(optimizer), *optimizer.param_groups):
        session.taint(container, why)
    session.effect(f, scheduler, *values)


def _follow_functions(session: Session, scheduler: Any) -> None:
    """Guard the functions that a scheduler, or one that it is made of, calls; they may only compute."""
    held = session.dict_of(scheduler)
    assert held is not None
    for name in ("lr_lambdas", "_schedulers"):
        if name not in held:
            continue
        parts = session.dict_item(held, name)
        session.whole(parts)
        for part in list(parts):
            if name == "_schedulers":
                _follow_functions(session, part)
                continue
            variables = variables_of(part)
            if variables is None:
                kind = type(scheduler).__name__
                raise session.refusal(f"{kind} calls a function that may do more than compute")
            session.read_later += variables

"""Steps of optimizers and schedulers in a trace.

An optimizer of ours does its step as it is, on tensors that are inputs: what it reads besides (groups,
options, state) is guarded here. A learning rate is a number of the program, so another one is no other
program. The state that a first step makes is made just before it, and stays if the call ends well and has
used it. What a scheduler does is done by each call after its program.

This module is imported when a function of `optim` is called.
"""

import inspect
from typing import Any

import numpy as np

from ....autograd.grad_mode import enable_grad
from ....core.blame import own_file
from ....core.value import TensorBase
from ....core.warn import rehearsed
from ....optim.lr_scheduler import LRScheduler, ReduceLROnPlateau
from ....optim.optimizer import Optimizer
from ..operations import calls, containers
from ..state.deferred import Decides, Deferred, Succeeds, comes_before
from ..state.guards import ABSENT
from ..state.optimizer_state import Dial, is_ours, turns
from ..state.session import Session
from ..unsupported import OnlyNow
from .plain_functions import variables_of
from .rules import rule

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
    # Options for which tensors stand: the group, the key, the tensor, and the number.
    dials: list[tuple[dict[str, Any], str, Any, Any]] = []
    for group in groups:
        session.dict_keys(group)
        for key in list(group):
            # What the function has assigned is not what a call finds.
            if key in session.turning and turns(key, group[key]) and not session.was_written(group, key):
                dial = session.dial(group, key, Dial)
                dials.append((group, key, dial.stand_in, dial.value))
            elif key != "params":
                found = session.dict_item(group, key)
                number = _assigned(session, key, found)
                if number is None and isinstance(found, Deferred):
                    number = found.known()
                if number is None:
                    _follow(session, found)
                else:
                    dials.append((group, key, number, group[key]))
    before = {parameter: (entry, dict(entry)) for parameter, entry in dict.items(state)}
    try:
        for group, key, stand_in, _ in dials:
            dict.__setitem__(group, key, stand_in)
        f(optimizer)
    finally:
        for group, key, _, value in dials:
            dict.__setitem__(group, key, value)
        _left(session, state, before)
    return loss


def _assigned(session: Session, key: str, value: object) -> Any:
    """Return a tensor for an option that the function has set to a number which each call works out."""
    if key not in session.turning or not isinstance(value, Deferred) or not comes_before(value):
        return None
    if type(value.present()) is not float or not turns(key, value.present()):
        return None
    session.knowledge.dials = True
    return session.number(value, np.dtype(np.float64))


def _left(session: Session, state: dict[Any, Any], before: dict[Any, tuple[Any, dict[str, Any]]]) -> None:
    """Let what a step has put into the state be seen as writes."""
    for parameter, entry in list(dict.items(state)):
        held, contents = before.get(parameter, (None, {}))
        if held is not entry:
            if held is None:
                dict.__delitem__(state, parameter)
            else:
                dict.__setitem__(state, parameter, held)
            session.write_item(state, parameter, session.made(entry))
            continue
        for name, value in list(entry.items()):
            if contents.get(name, ABSENT) is not value:
                if name in contents:
                    entry[name] = contents[name]
                else:
                    del entry[name]
                session.write_item(entry, name, value)


@rule(Optimizer._patch_step_function)
def _patched(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    # The first optimizer of a class does this for good, inside a trace as outside.
    f(*args, **kwargs)


@rule(Optimizer.zero_grad)
def _zero_grad(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    _follow_groups(session, args[0])
    return f(*args, **kwargs)


def _follow_groups(session: Session, optimizer: object) -> list[dict[str, Any]]:
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


def _follow(session: Session, value: object) -> None:
    """Guard all that containers in an option or a state hold."""
    for container in containers.within(value):
        session.whole(container)


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
    if session.scheduled is None:
        session.scheduled = _Steps(session)
    session.scheduled.done += ((f, scheduler, tuple(values)),)
    session.scheduled.rehearse()
    optimizer = scheduler.optimizer
    for container in (vars(scheduler), vars(optimizer), *optimizer.param_groups):
        session.taint(container, "it looks at what a scheduler's step has changed")
    session.effect(f, scheduler, *values)


#: What no step of a scheduler changes; it puts nothing where there was nothing.
_LEFT_ALONE = frozenset({"params", "param_groups", "state", "defaults", "step", "optimizer", "initial_lr"})


class _Steps:
    """The steps of schedulers that a function has done, of which each call does the last after its program.

    They compute with Python's numbers, which are known before the program runs. So what they leave is found
    by doing them and putting everything back.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.done: tuple[Any, ...] = ()
        #: Places that the function has assigned to before the last step, each with its value.
        self._written: tuple[Any, ...] = ()

    def rehearse(self) -> None:
        """See, before anything changes, that the steps neither raise nor warn; eager does those that do."""
        session = self._session
        read = [place for _, s, _ in self.done for place in _places(s)]
        self._written = tuple(
            (place, key, value)
            for place in read for key, value in place.items() if session.was_written(place, key)
        )
        kinds = {type(value) for _, _, values in self.done for value in values}.union(*map(_kinds, read))
        if any(issubclass(kind, (TensorBase, Deferred)) for kind in kinds):
            return
        try:
            steps = Rehearsed(session, self.done, lambda: 0, self._written)
        except Exception as error:
            raise session.refusal("the step of a scheduler raises or warns", OnlyNow) from error
        session.note(Succeeds(steps), (id(steps), "succeeds"))

    def left_in(self, container: dict[str, Any], key: str) -> Any:
        """Return what a place of a dictionary holds after the steps: a number of a later time; what it holds
        now where they leave that alone; None where that is not known.
        """
        now = container.get(key, ABSENT)
        if now is ABSENT or key in _LEFT_ALONE:
            return now
        if type(now) not in (int, float):
            return None
        return self.number(lambda: container[key])

    def number(self, look: Any) -> Any:
        """Return a number that `look` gives after the steps; None where it is not known to be one."""
        session = self._session
        if any(isinstance(v, (TensorBase, Deferred)) for _, _, values in self.done for v in values):
            return None
        changed = session.changed()
        read = [place for _, s, _ in self.done for place in (vars(s), *s.optimizer.param_groups)]
        if not changed.isdisjoint(map(id, read)):
            return None
        try:
            left = Rehearsed(session, self.done, look, self._written)
        except Exception:  # noqa: BLE001  # eager raises it
            return None
        if left.kind not in (int, float):
            return None
        session.note(Succeeds(left), (id(left), "succeeds"))
        return left


class Rehearsed(Deferred):
    """A number that the steps of schedulers will leave in a place.

    Parameters
    ----------
    written
        Places that the function assigns to before the steps, each with its value.
    """

    __slots__ = ("_done", "_read", "_written")
    is_early = True

    def __init__(self, session: Session, done: tuple[Any, ...], read: Any, written: tuple[Any, ...]) -> None:
        self._done = done
        self._written = written
        self._read = read
        super().__init__(session, type(self.present()))

    def known(self) -> Any:
        """Let the number be a part of the program, and guard it."""
        found = self.present()
        self.session.note(Decides(self, found), (id(self), "decides"))
        return found

    def present(self) -> Any:
        """Do the steps, look, and put everything back."""
        places = [place for _, scheduler, _ in self._done for place in _places(scheduler)]
        before = [place.copy() for place in places]
        if any(issubclass(kind, (TensorBase, Deferred)) for held in before for kind in _kinds(held)):
            raise TypeError("a step writes into a tensor, which is not put back")
        try:
            for place, key, value in self._written:
                place[key] = value
            with rehearsed:
                for step, scheduler, values in self._done:
                    step(scheduler, *values)
            return self._read()
        finally:
            for place, held in zip(places, before, strict=True):
                for key in place.keys() - held.keys():
                    del place[key]
                place.update(held)

    def evaluate(self, tensor: Any) -> Any:
        """Do the same for the present call."""
        return self.present()


def _kinds(held: dict[str, Any]) -> set[type]:
    """Return the types of what a dictionary holds."""
    return {*map(type, held.values())}


def _places(scheduler: Any) -> list[dict[str, Any]]:
    """Return the dictionaries that the step of a scheduler, or of one that it is made of, writes to."""
    optimizer = scheduler.optimizer
    parts = [place for part in vars(scheduler).get("_schedulers", ()) for place in _places(part)]
    return [vars(scheduler), vars(optimizer), *optimizer.param_groups, *parts]


@rule(LRScheduler.get_last_lr)
def _get_last_lr(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    (scheduler,) = args
    if id(vars(scheduler)) not in session.tainted:
        return calls.call_user(session, f, args, kwargs)
    found = [
        session.scheduled.number(lambda n=n: scheduler._last_lr[n])
        for n in range(len(scheduler.optimizer.param_groups))
    ]
    if any(number is None for number in found):
        session.check_taint(vars(scheduler))
    # In eager code it is the scheduler's own.
    session.inside.add(id(found))
    return session.made(found)


def _follow_functions(session: Session, scheduler: object) -> None:
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

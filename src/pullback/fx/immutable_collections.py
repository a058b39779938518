"""Define the lists and dictionaries that a node's arguments hold, which are changed through the node."""

from typing import Any, NoReturn

_HELP = (
    "If you are attempting to modify the kwargs or args of a torch.fx.Node object,\n"
    "instead create a new copy of it and assign the copy to the node:\n\n"
    "    new_args = ...  # copy and mutate args\n"
    "    node.args = new_args"
)


def _refuse(self: Any, *_: Any, **__: Any) -> NoReturn:
    raise TypeError(f"'{type(self).__name__}' object does not support mutation. {_HELP}")


class immutable_list(list[Any]):
    """A list that refuses to change."""

    append = clear = extend = insert = pop = remove = reverse = sort = _refuse
    __delitem__ = __iadd__ = __imul__ = __setitem__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]  # it cannot change, so it may be a key
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return immutable_list, (tuple(self),)


class immutable_dict(dict[str, Any]):
    """A dictionary that refuses to change."""

    clear = pop = popitem = update = setdefault = _refuse
    __delitem__ = __ior__ = __setitem__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]  # it cannot change, so it may be a key
        return hash(tuple(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return immutable_dict, (dict(self),)


__all__ = ["immutable_dict", "immutable_list"]

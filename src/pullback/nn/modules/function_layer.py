"""Define layers that are a function of `nn.functional` with its arguments kept."""

from operator import attrgetter
from typing import Any, ClassVar

from ...errors import declared, make_own, name_constructors
from .. import functional as F
from .module import Module

#: The functions by their names without underscores.
_FUNCTIONS = {name.replace("_", ""): name for name in vars(F) if not name.endswith("_")}


class NamedLayer(Module):
    """Tell from the name of a layer what it does; what a class below it says itself, or inherits, stays.

    Attributes
    ----------
    function : str
        Name in `nn.functional`: ``max_pool2d`` of `MaxPool2d`.
    rank : int
        The number of spatial axes: 2 of `MaxPool2d`.
    """

    function: ClassVar[str]
    rank: ClassVar[int]
    #: Whether layers below a base inherit its `forward` in torch, too, so that errors name the base.
    _shares_forward: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not cls.__module__.startswith(f"{__package__}."):
            return  # the name of a user's layer says nothing
        name = cls.__name__.lower()
        if not hasattr(cls, "function") and name in _FUNCTIONS:
            cls.function = _FUNCTIONS[name]
        if not hasattr(cls, "rank") and name.endswith(("1d", "2d", "3d")):
            cls.rank = int(name[-2])
        shared = cls.forward.__qualname__.startswith(("_", "FunctionLayer"))
        if shared and not (cls._shares_forward or name.startswith("_")):
            make_own(cls, "forward")


class FunctionLayer(NamedLayer):
    """Call a function of one input with attributes of the layer.

    Attributes
    ----------
    kept : sequence of str
        Attributes that the function takes after its input, in the order of its parameters.
    shown : sequence of str
        Attributes that `extra_repr` prints with their names.
    """

    kept: ClassVar[tuple[str, ...]] = ()
    shown: ClassVar[tuple[str, ...]] = ()
    #: Gives the kept attributes of a layer; of a single one there is no tuple.
    _values: ClassVar[Any]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._values = attrgetter(*cls.kept) if cls.kept else None

    def _keep(self, **values: Any) -> None:
        """Begin the layer, and set the arguments of its constructor as attributes."""
        Module.__init__(self)
        for name, value in values.items():
            setattr(self, name, value)

    def forward(self, input: Any) -> Any:
        """Return the function of the input."""
        function, count = getattr(F, self.function), len(self.kept)
        if count > 1:
            # By place: named arguments take 1.5 µs more.
            return function(input, *self._values(self))
        return function(input, self._values(self)) if count else function(input)

    def extra_repr(self) -> str:
        """Return the attributes that are shown."""
        return ", ".join(f"{name}={getattr(self, name)}" for name in self.shown)


#: Types that a layer tells of what it keeps: libraries evaluate them in modules of their own, as torch's.
_TYPES = (bool, float, int, str)


def name_as_torch(namespace: dict[str, Any], place: str, *shared: type) -> None:
    """Give the layers that a file declares torch's name of their module, and types of what they keep;
    `shared` are bases as `name_constructors` takes them.
    """
    name_constructors(namespace, *shared)
    for cls in declared(namespace):
        cls.__module__ = place
        kept = getattr(cls, "kept", ())
        takes = cls.__init__.__annotations__  # type: ignore[misc]  # of the layer, not of an instance
        cls.__annotations__ = {n: w for n, w in takes.items() if n in kept and w in _TYPES}

"""Give the states of a wrapped model and its optimizer: whole or in shards, by names without wrappers."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto
from typing import Any

from ...core.process_group import needed_group
from ...nn.modules.module import Module
from ..checkpoint.state_dict import (
    clean_name,
    from_first,
    like_parameter,
    named_state,
    numbered_state,
    parameter_names,
    whole,
)
from .api import (
    FullOptimStateDictConfig,
    FullStateDictConfig,
    LocalOptimStateDictConfig,
    LocalStateDictConfig,
    ShardedOptimStateDictConfig,
    ShardedStateDictConfig,
    StateDictSettings,
    StateDictType,
)

#: What a wrapper puts before the names of what it holds.
INNER = "_fsdp_wrapped_module."
#: How states and those of optimizers are made where nothing else is said.
_DEFAULTS: dict[StateDictType, tuple[Any, Any]] = {
    StateDictType.FULL_STATE_DICT: (FullStateDictConfig, FullOptimStateDictConfig),
    StateDictType.LOCAL_STATE_DICT: (LocalStateDictConfig, LocalOptimStateDictConfig),
    StateDictType.SHARDED_STATE_DICT: (ShardedStateDictConfig, ShardedOptimStateDictConfig),
}


class OptimStateKeyType(Enum):
    """Say by what an optimizer's state names parameters."""

    PARAM_NAME = auto()
    PARAM_ID = auto()


def _settings(kind: StateDictType, config: Any = None, optimizer_config: Any = None) -> StateDictSettings:
    state, optimizer = _DEFAULTS[kind]
    for name, given, expected in (
        ("state_dict_config", config, state),
        ("optim_state_dict_config", optimizer_config, optimizer),
    ):
        if given is not None and type(given) is not expected:
            raise RuntimeError(f"Expected {name} of type {expected} but got {type(given)}")
    return StateDictSettings(kind, config or state(), optimizer_config or optimizer())


class WrapperStates:
    """Hold what `FullyShardedDataParallel` can do with states."""

    _settings: StateDictSettings

    def _begin_states(self: Any) -> None:
        """Make states whole until the program says otherwise."""
        self._settings = _settings(StateDictType.FULL_STATE_DICT)
        self._register_state_dict_hook(_after_state)
        self._register_load_state_dict_pre_hook(_before_load, with_module=True)

    @staticmethod
    def fsdp_modules(module: Module, root_only: bool = False) -> list[Any]:
        """Return the wrappers in a module."""
        found = [m for m in module.modules() if isinstance(m, WrapperStates)]
        if not root_only:
            return found
        inner = {id(part) for m in found for part in m.modules() if part is not m}
        return [m for m in found if id(m) not in inner]

    @staticmethod
    def set_state_dict_type(
        module: Module, state_dict_type: StateDictType, state_dict_config: Any = None,
        optim_state_dict_config: Any = None,
    ) -> StateDictSettings:  # fmt: skip
        """Say how the states of a module's wrappers are made; return how they were."""
        before = WrapperStates.get_state_dict_type(module)
        settings = _settings(state_dict_type, state_dict_config, optim_state_dict_config)
        for m in WrapperStates.fsdp_modules(module):
            m._settings = settings
        return before

    @staticmethod
    def get_state_dict_type(module: Module) -> StateDictSettings:
        """Return how the states of a module's wrappers are made."""
        found = WrapperStates.fsdp_modules(module)
        return found[0]._settings if found else _settings(StateDictType.FULL_STATE_DICT)

    @classmethod
    @contextmanager
    def state_dict_type(
        cls, module: Module, state_dict_type: StateDictType, state_dict_config: Any = None,
        optim_state_dict_config: Any = None,
    ) -> Iterator[None]:  # fmt: skip
        """Make the states of a module's wrappers so within the block."""
        before = cls.set_state_dict_type(module, state_dict_type, state_dict_config, optim_state_dict_config)
        try:
            yield
        finally:
            cls.set_state_dict_type(
                module, before.state_dict_type, before.state_dict_config, before.optim_state_dict_config
            )

    # ------------------------------------------------------------------------------ optimizers

    @staticmethod
    def optim_state_dict(model: Module, optim: Any, optim_state_dict: Any = None, group: Any = None) -> Any:
        """Return the state of an optimizer by names, whole or in shards as states are made."""
        settings = WrapperStates.get_state_dict_type(model)
        if settings.state_dict_type is not StateDictType.FULL_STATE_DICT:
            return named_state(model, optim)
        rank0_only = settings.optim_state_dict_config.rank0_only
        return WrapperStates.full_optim_state_dict(model, optim, rank0_only=rank0_only)

    @staticmethod
    def full_optim_state_dict(
        model: Module, optim: Any, optim_input: Any = None, rank0_only: bool = True, group: Any = None
    ) -> Any:
        """Return the whole state of an optimizer by names, in the first process or in all."""
        state = whole(named_state(model, optim))
        return {} if rank0_only and needed_group().rank() != 0 else state

    @staticmethod
    def sharded_optim_state_dict(model: Module, optim: Any, group: Any = None) -> Any:
        """Return the state of an optimizer by names, in shards."""
        return named_state(model, optim)

    @staticmethod
    def optim_state_dict_to_load(
        model: Module, optim: Any, optim_state_dict: Any, is_named_optimizer: bool = False,
        load_directly: bool = False, group: Any = None,
    ) -> Any:  # fmt: skip
        """Return a state by names in the form in which the optimizer's `load_state_dict` takes it.

        Parameters
        ----------
        model : Module
        optim : Optimizer
        optim_state_dict : dict
            Whole or in shards. With ``rank0_only`` in the settings only the first process has it.
        is_named_optimizer : bool
            Not used.
        load_directly : bool
            Whether the optimizer takes it over at once.
        group : Any
            Not used.
        """
        config = WrapperStates.get_state_dict_type(model).optim_state_dict_config
        if getattr(config, "rank0_only", False):
            optim_state_dict = from_first(optim_state_dict)
        state = numbered_state(model, optim.param_groups, optim_state_dict)
        if load_directly:
            optim.load_state_dict(state)
        return state

    @staticmethod
    def shard_full_optim_state_dict(
        full_optim_state_dict: Any, model: Module, optim_input: Any = None, optim: Any = None
    ) -> Any:
        """Return a whole state by names in shards, as an optimizer of the model's parameters takes it."""
        groups = [{"params": list(model.parameters())}] if optim is None else optim.param_groups
        return numbered_state(model, groups, full_optim_state_dict)

    @staticmethod
    def flatten_sharded_optim_state_dict(sharded_optim_state_dict: Any, model: Module, optim: Any) -> Any:
        """Return a state by names and in shards as an optimizer takes it."""
        return numbered_state(model, optim.param_groups, sharded_optim_state_dict)

    @staticmethod
    def scatter_full_optim_state_dict(
        full_optim_state_dict: Any, model: Module, optim_input: Any = None, optim: Any = None,
        group: Any = None,
    ) -> Any:  # fmt: skip
        """Return a state that only the first process has in shards, as an optimizer takes it."""
        given = from_first(full_optim_state_dict)
        return WrapperStates.shard_full_optim_state_dict(given, model, optim_input, optim)

    @staticmethod
    def rekey_optim_state_dict(
        optim_state_dict: Any, optim_state_key_type: OptimStateKeyType, model: Module,
        optim_input: Any = None, optim: Any = None,
    ) -> Any:  # fmt: skip
        """Return a state with parameters named by numbers, or by names, in place of the other.

        Parameters
        ----------
        optim_state_dict : dict
        optim_state_key_type : OptimStateKeyType
            What the result has.
        model : Module
        optim_input : Any
            The optimizer's parameters, where `optim` is not given; by default the model's.
        optim : Optimizer, optional
        """
        named = parameter_names(model)
        given = list(model.parameters()) if optim_input is None else list(optim_input)
        given = given if optim is None else optim.param_groups
        listed = [p for one in given for p in (one["params"] if isinstance(one, dict) else [one])]
        names = [named[p] for p in listed]
        by_name = optim_state_key_type is OptimStateKeyType.PARAM_NAME
        new: dict[Any, Any] = dict(enumerate(names)) if by_name else {n: i for i, n in enumerate(names)}
        groups = optim_state_dict["param_groups"]
        keys = [*optim_state_dict["state"], *(key for group in groups for key in group["params"])]
        if all(isinstance(key, str) is by_name for key in keys):
            return optim_state_dict
        renamed = copy.deepcopy(groups)
        for one in renamed:
            one["params"] = sorted(new[key] for key in one["params"])
        state = {new[key]: value for key, value in optim_state_dict["state"].items()}
        return {"state": state, "param_groups": renamed}


def _after_state(module: Any, state: Any, prefix: str, metadata: Any) -> Any:
    """Name parameters as without wrappers, and gather them where whole states are asked for."""
    settings = module._settings
    gathers = settings.state_dict_type is StateDictType.FULL_STATE_DICT
    drops = gathers and settings.state_dict_config.rank0_only
    inner = prefix + INNER
    for name in [name for name in state if name.startswith(inner)]:
        value = state.pop(name)
        value = whole(value) if gathers else value
        if not drops or module.process_group.rank() == 0:
            state[prefix + name.removeprefix(inner)] = value
    return state


def _before_load(module: Any, state: Any, prefix: str, *_: Any) -> None:
    """Name parameters as they are within the wrapper, and cut whole ones."""
    own = {INNER + clean_name(name.removeprefix(INNER)): p for name, p in Module.named_parameters(module)}
    for name in [name for name in state if name.startswith(prefix)]:
        rest = name.removeprefix(prefix)
        value = state.pop(name)
        rest = rest if rest.startswith(INNER) else INNER + rest
        state[prefix + rest] = like_parameter(value, own.get(rest))


OptimStateKeyType.__module__ = "torch.distributed.fsdp"

"""Define recurrent networks as layers."""

import math
import numbers
from typing import Any, Self

from ...core.modes import modes
from ...core.warn import warn
from .. import init
from ..functional import recurrent
from ..utils.rnn import PackedSequence
from .creation import empty_parameter
from .module import Module
from .rnn_cell import GRUCell, LSTMCell, RNNCell, RNNCellBase  # noqa: F401  # torch has them in this module

_GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "GRU": 3, "LSTM": 4}


def apply_permutation(tensor: Any, permutation: Any, dim: int = 1) -> Any:
    """Return ``tensor.index_select(dim, permutation)``, which torch would rather have written."""
    warn(
        "`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead",
        FutureWarning
    )
    return tensor.index_select(dim, permutation)


def _check_options(dropout: Any, num_layers: int) -> None:
    if not isinstance(dropout, numbers.Number) or isinstance(dropout, bool) or not 0 <= dropout <= 1:  # type: ignore[operator]  # any number that is not real raises here, as in torch
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being "
            "zeroed"
        )
    if dropout > 0 and num_layers == 1:  # type: ignore[operator]  # likewise
        warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
            f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}"
        )


def _check_types(**arguments: Any) -> None:
    """Raise torch's error for a flag that is no bool or a size that is no positive integer."""
    for name, value in arguments.items():
        wanted = int if name.endswith("size") else bool
        if not isinstance(value, wanted):
            raise TypeError(f"{name} should be of type {wanted.__name__}, got: {type(value).__name__}")
        if wanted is int and value <= 0:
            raise ValueError(f"{name} must be greater than zero")


class RNNBase(Module):
    """Share among recurrent networks: parameters, their initial values, and checks of arguments.

    Parameters
    ----------
    mode : {"RNN_TANH", "RNN_RELU", "GRU", "LSTM"}
    input_size, hidden_size : int
        Features of an input and of a state.
    num_layers : int
    bias : bool
    batch_first : bool
        Inputs and outputs are (N, T, …) instead of (T, N, …).
    dropout : float
        Probability of zeroing an element of the output of all layers but the last, in training.
    bidirectional : bool
    proj_size : int
        Where positive, the width to which the states of an LSTM are projected.
    """

    def __init__(
        self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        _check_options(dropout, num_layers)
        _check_types(bias=bias, batch_first=batch_first, input_size=input_size, hidden_size=hidden_size)
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self._flat_weights_names: list[str] = []
        self._all_weights: list[list[str]] = []
        rows, out = _GATES[mode] * hidden_size, proj_size or hidden_size
        for k in range(num_layers * self._directions):
            layer = k // self._directions
            width = input_size if layer == 0 else out * self._directions
            suffix = f"_l{layer}" + ("_reverse" if k % self._directions else "")
            shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, width), "weight_hh": (rows, out)}
            if bias:
                shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
            if proj_size:
                shapes["weight_hr"] = (proj_size, hidden_size)
            for name, shape in shapes.items():
                setattr(self, name + suffix, empty_parameter(shape, device, dtype))
            names = [name + suffix for name in shapes]
            self._flat_weights_names.extend(names)
            self._all_weights.append(names)
        self.reset_parameters()

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def _flat_weights(self) -> list[Any]:
        """Return what the network runs with: the parameters in order, as they are, or what was put here."""
        given: list[Any] | None = self.__dict__.get("_given_weights")
        return [getattr(self, name, None) for name in self._flat_weights_names] if given is None else given

    @_flat_weights.setter
    def _flat_weights(self, weights: list[Any]) -> None:
        self.__dict__["_given_weights"] = weights

    def _init_flat_weights(self) -> None:
        self.__dict__.pop("_given_weights", None)

    def _apply(self, fn: Any, recurse: bool = True) -> Self:
        self._init_flat_weights()
        return super()._apply(fn, recurse)

    def __setattr__(self, attr: str, value: Any) -> None:
        if (given := self.__dict__.get("_given_weights")) is not None and attr in self._flat_weights_names:
            given[self._flat_weights_names.index(attr)] = value
        super().__setattr__(attr, value)

    @property
    def all_weights(self) -> list[list[Any]]:
        """Return the parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self) -> None:
        """Do nothing: on the CPU there is no faster way to lay the parameters out."""

    def reset_parameters(self) -> None:
        """Draw the initial values: U(−1/√hidden_size, 1/√hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def check_input(self, input: Any, batch_sizes: Any) -> None:
        """Raise torch's error for an input that does not fit."""
        dtype = self._flat_weights[0].dtype
        if input.dtype != dtype and modes().autocast is None:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). Convert input: "
                f"input.to({dtype}), or convert model: model.to({input.dtype})"
            )
        rank = 2 if batch_sizes is not None else 3
        if input.dim() != rank:
            raise RuntimeError(f"input must have {rank} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{input.size(-1)}"
            )

    def _batch(self, input: Any, batch_sizes: Any) -> int:
        if batch_sizes is not None:
            return int(batch_sizes[0])
        return input.size(0) if self.batch_first else input.size(1)

    def get_expected_hidden_size(self, input: Any, batch_sizes: Any) -> tuple[int, int, int]:
        """Return (layers·directions, N, width of the output)."""
        layers = self.num_layers * self._directions
        return layers, self._batch(input, batch_sizes), self.proj_size or self.hidden_size

    def check_hidden_size(
        self, hx: Any, expected_hidden_size: tuple[int, int, int],
        msg: str = "Expected hidden size {}, got {}",
    ) -> None:  # fmt: skip
        """Raise torch's error for states of another shape."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Any, hidden: Any, batch_sizes: Any) -> None:
        """Raise torch's error for input and states that do not fit."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Any) -> Any:
        """Return the states in another order of the batch."""
        return hx if permutation is None else hx.index_select(1, permutation)

    def _zeros(self, input: Any, batch_sizes: Any) -> Any:
        """Return states to begin with."""
        return input.new_zeros(self.get_expected_hidden_size(input, batch_sizes))

    def _check_ranks(self, input: Any, hx: Any) -> None:
        """Raise torch's error for the rank of an input, or of states that do not go with it."""
        if (rank := input.dim()) not in (2, 3):
            raise ValueError(f"{self._name}: Expected input to be 2D or 3D, got {rank}D {self._word}instead")
        if hx is not None and hx.dim() != rank:
            batched = "batched 3-D" if rank == 3 else "unbatched 2-D"
            raise RuntimeError(f"For {batched} input, hx should also be {rank}-D but got {hx.dim()}-D tensor")

    _name = "RNN"
    _word = "tensor "

    def _batched(self, hx: Any) -> Any:
        return hx.unsqueeze(1)

    def _unbatched(self, hidden: Any) -> Any:
        return hidden.squeeze(1)

    def _run(self, input: Any, hx: Any, *options: Any) -> tuple[Any, Any]:
        """Run the network: ``options`` are those that torch's function takes after the states."""
        raise NotImplementedError

    def _options(self) -> tuple[Any, ...]:
        return (
            self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional
        )  # fmt: skip

    def _forward(self, input: Any, hx: Any) -> tuple[Any, Any]:
        """Map (T, N, I) or (N, T, I), (T, I) or packed, to the output likewise and the states at the end."""
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        self._check_ranks(input, hx)
        alone = input.dim() == 2
        batch_axis = 0 if self.batch_first else 1
        if alone:
            input = input.unsqueeze(batch_axis)
            hx = None if hx is None else self._batched(hx)
        if hx is None:
            hx = self._zeros(input, None)
        self.check_forward_args(input, hx, None)
        output, hidden = self._run(input, hx, *self._options(), self.batch_first)
        if alone:
            return output.squeeze(batch_axis), self._unbatched(hidden)
        return output, hidden

    def _forward_packed(self, packed: PackedSequence, hx: Any) -> tuple[Any, Any]:
        data, batch_sizes, order, places = packed
        hx = self._zeros(data, batch_sizes) if hx is None else self.permute_hidden(hx, order)
        self.check_forward_args(data, hx, batch_sizes)
        output, hidden = self._run(data, batch_sizes, hx, *self._options())
        return PackedSequence(output, batch_sizes, order, places), self.permute_hidden(hidden, places)

    def extra_repr(self) -> str:
        """Return sizes, and the options that are not the default."""
        defaults = {
            "proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0,
            "bidirectional": False,
        }  # fmt: skip
        given = [f"{n}={getattr(self, n)}" for n, default in defaults.items() if getattr(self, n) != default]
        return ", ".join([f"{self.input_size}, {self.hidden_size}", *given])

    def __setstate__(self, state: dict[str, Any]) -> None:
        # torch's pickles hold the parameters once more, in a list.
        kept = {k: v for k, v in state.items() if k not in ("_flat_weights", "_flat_weight_refs")}
        super().__setstate__(kept)
        self.__dict__.setdefault("proj_size", 0)


class RNN(RNNBase):
    """Elman's network, ``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)``, or with relu.

    Parameters
    ----------
    input_size, hidden_size, num_layers
        See `RNNBase`.
    nonlinearity : {"tanh", "relu"}
    bias, batch_first, dropout, bidirectional, device, dtype
        See `RNNBase`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            chosen = args[3]
            args = args[:3] + args[4:]
        else:
            chosen = kwargs.pop("nonlinearity", "tanh")
        if chosen not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{chosen}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{chosen.upper()}", *args, **kwargs)
        self.nonlinearity = chosen

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """Map (T, N, I) and (layers·directions, N, H) -> (T, N, directions·H) and the states at the end."""
        return self._forward(input, hx)

    def _run(self, input: Any, hx: Any, *options: Any) -> tuple[Any, Any]:
        function = recurrent.rnn_tanh if self.mode == "RNN_TANH" else recurrent.rnn_relu
        return function(input, hx, *options)


class GRU(RNNBase):
    """Gated recurrent units (Cho et al. 2014); see `torch.gru_cell` for the formula.

    Parameters
    ----------
    input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype
        See `RNNBase`.
    """

    _name = "GRU"
    _word = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """Map (T, N, I) and (layers·directions, N, H) -> (T, N, directions·H) and the states at the end."""
        return self._forward(input, hx)

    def _run(self, input: Any, hx: Any, *options: Any) -> tuple[Any, Any]:
        return recurrent.gru(input, hx, *options)


class LSTM(RNNBase):
    """Long short-term memory (Hochreiter and Schmidhuber 1997); see `torch.lstm_cell` for the formula.

    Its states are pairs (h, c). With `proj_size` h is ``W_hr (o·tanh(c))`` (Sak, Senior and Beaufays 2014).

    Parameters
    ----------
    input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size, device, dtype
        See `RNNBase`.
    """

    _name = "LSTM"
    _word = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Any, batch_sizes: Any) -> tuple[int, int, int]:
        """Return (layers·directions, N, H)."""
        return self.num_layers * self._directions, self._batch(input, batch_sizes), self.hidden_size

    def check_forward_args(self, input: Any, hidden: Any, batch_sizes: Any) -> None:
        """Raise torch's error for input and states that do not fit."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(
            hidden[0], self.get_expected_hidden_size(input, batch_sizes),
            "Expected hidden[0] size {}, got {}",
        )  # fmt: skip
        self.check_hidden_size(
            hidden[1], self.get_expected_cell_size(input, batch_sizes), "Expected hidden[1] size {}, got {}"
        )

    def permute_hidden(self, hx: Any, permutation: Any) -> Any:
        """Return the states in another order of the batch."""
        if permutation is None:
            return hx
        return hx[0].index_select(1, permutation), hx[1].index_select(1, permutation)

    def _zeros(self, input: Any, batch_sizes: Any) -> Any:
        return (
            super()._zeros(input, batch_sizes),
            input.new_zeros(self.get_expected_cell_size(input, batch_sizes)),
        )

    def _check_ranks(self, input: Any, hx: Any) -> None:
        super()._check_ranks(input, None)
        rank = input.dim()
        if hx is not None and (hx[0].dim() != rank or hx[1].dim() != rank):
            batched = "batched 3-D" if rank == 3 else "unbatched 2-D"
            raise RuntimeError(
                f"For {batched} input, hx and cx should also be {rank}-D but got ({hx[0].dim()}-D, "
                f"{hx[1].dim()}-D) tensors"
            )

    def _batched(self, hx: Any) -> Any:
        return hx[0].unsqueeze(1), hx[1].unsqueeze(1)

    def _unbatched(self, hidden: Any) -> Any:
        return hidden[0].squeeze(1), hidden[1].squeeze(1)

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, tuple[Any, Any]]:
        """Map (T, N, I) and (h, c) of (layers·directions, N, H) -> (T, N, directions·H) and last (h, c)."""
        return self._forward(input, hx)

    def _run(self, input: Any, hx: Any, *options: Any) -> tuple[Any, Any]:
        output, h_n, c_n = recurrent.lstm(input, hx, *options)
        return output, (h_n, c_n)

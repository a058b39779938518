"""Define one step of each recurrent network as a layer."""

import math
from typing import Any

from .. import init
from ..functional import recurrent_cell as cells
from .creation import empty_parameter, optional_parameter
from .module import Module
from .utils import differing


class RNNCellBase(Module):
    """Parameters of a cell whose weights have `num_chunks` times `hidden_size` rows."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = empty_parameter((rows, input_size), device, dtype)
        self.weight_hh = empty_parameter((rows, hidden_size), device, dtype)
        self.register_parameter("bias_ih", optional_parameter(bias, (rows,), device, dtype))
        self.register_parameter("bias_hh", optional_parameter(bias, (rows,), device, dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial values: U(−1/√hidden_size, 1/√hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        """Return sizes, and the options that are not the default."""
        text = f"{self.input_size}, {self.hidden_size}{differing(self, bias=True)}"
        nonlinearity = getattr(self, "nonlinearity", "tanh")
        return text if nonlinearity == "tanh" else f"{text}, nonlinearity={nonlinearity}"

    def _rank(self, name: str, what: str, value: Any) -> int:
        """Return how many dims a tensor has, after torch's check."""
        rank: int = value.dim()
        if rank not in (1, 2):
            raise ValueError(f"{name}: Expected {what} to be 1D or 2D, got {rank}D instead")
        return rank

    def _weights(self) -> tuple[Any, Any, Any, Any]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _one_state(self, name: str, function: Any, input: Any, hx: Any) -> Any:
        """Run a function of one state, with a batch of one where there is none."""
        alone = self._rank(name, "input", input) == 1
        if hx is not None:
            self._rank(name, "hidden", hx)
        if alone:
            input = input.unsqueeze(0)
        if hx is None:
            hx = input.new_zeros((input.size(0), self.hidden_size))
        elif alone:
            hx = hx.unsqueeze(0)
        new = function(input, hx, *self._weights())
        return new.squeeze(0) if alone else new


class RNNCell(RNNCellBase):
    """``tanh(W_ih x + b_ih + W_hh h + b_hh)``, or with relu.

    Parameters
    ----------
    input_size, hidden_size : int
    bias : bool
    nonlinearity : {"tanh", "relu"}
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Map (N, I) or (I,) and (N, H) or (H,) -> the next state."""
        return self._one_state("RNNCell", self._step, input, hx)

    def _step(self, *operands: Any) -> Any:
        functions = {"tanh": cells.rnn_tanh_cell, "relu": cells.rnn_relu_cell}
        if self.nonlinearity not in functions:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return functions[self.nonlinearity](*operands)


class GRUCell(RNNCellBase):
    """A gated recurrent unit; see `torch.gru_cell` for the formula.

    Parameters
    ----------
    input_size, hidden_size : int
    bias : bool
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Map (N, I) or (I,) and (N, H) or (H,) -> the next state."""
        return self._one_state("GRUCell", cells.gru_cell, input, hx)


class LSTMCell(RNNCellBase):
    """Long short-term memory; see `torch.lstm_cell` for the formula.

    Parameters
    ----------
    input_size, hidden_size : int
    bias : bool
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """Map (N, I) or (I,) and (h, c), each (N, H) or (H,) -> the next two."""
        alone = self._rank("LSTMCell", "input", input) == 1
        for k, state in enumerate(() if hx is None else hx):
            self._rank("LSTMCell", f"hx[{k}]", state)
        if alone:
            input = input.unsqueeze(0)
        if hx is None:
            zeros = input.new_zeros((input.size(0), self.hidden_size))
            hx = (zeros, zeros)
        elif alone:
            hx = (hx[0].unsqueeze(0), hx[1].unsqueeze(0))
        state, cell = cells.lstm_cell(input, hx, *self._weights())
        return (state.squeeze(0), cell.squeeze(0)) if alone else (state, cell)

"""What is shown of the inside of recurrent layers and of attention is what happens there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback import nn
from pullback.explain.inside import MOST_COLUMNS, Inside
from pullback.explain.page.content import content_of


def _insides(loss: Any) -> list[Inside]:
    steps = torch.explain(loss).steps
    return [step.inside for step in steps if step.inside is not None]


def _rows(found: Inside) -> dict[str, list[float]]:
    return dict(found.rows)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("layer", "cell"), [(nn.LSTM, nn.LSTMCell), (nn.GRU, nn.GRUCell), (nn.RNN, nn.RNNCell)]
)
def test_the_gradient_of_each_state_is_that_of_the_layer_written_out(
    layer: Any, cell: Any, reverse: bool
) -> None:
    torch.manual_seed(0)
    net = layer(3, 4, bidirectional=reverse, dtype=torch.float64)
    x = torch.randn(6, 2, 3, dtype=torch.float64)
    weight = torch.randn(6, 2, 4, dtype=torch.float64)
    suffix = "_reverse" if reverse else ""
    out = net(x)[0][..., 4:] if reverse else net(x)[0]
    found = _insides((out * weight).sum())[-1 if not reverse else 0]
    step = cell(3, 4, dtype=torch.float64)
    for name, p in step.named_parameters():
        p.data.copy_(getattr(net, f"{name}_l0{suffix}"))
    h = torch.zeros(2, 4, dtype=torch.float64)
    state: Any = (h, h) if cell is nn.LSTMCell else h
    order = range(6)[::-1] if reverse else range(6)
    states: dict[int, Any] = {}
    for t in order:
        state = step(x[t], state)
        states[t] = state[0] if cell is nn.LSTMCell else state
        states[t].retain_grad()
    sum((states[t] * weight[t]).sum() for t in order).backward()
    shown = _rows(found)
    assert found.count == 6 and found.columns == list(range(6))
    for t in order:
        assert shown["norm of ∂/∂state"][t] == pytest.approx(float(states[t].grad.norm()), rel=1e-6)
        assert shown["|state|"][t] == pytest.approx(float(states[t].detach().abs().mean()), rel=1e-6)


def test_the_gates_of_an_lstm_are_shown() -> None:
    net = nn.LSTM(2, 3)
    with torch.no_grad():
        for p in net.parameters():
            p.zero_()
        net.bias_ih_l0[3:6] = 30.0
    shown = _rows(_insides(net(torch.randn(4, 1, 2))[0].sum())[0])
    assert shown["forget gate"] == pytest.approx([1.0] * 4)
    assert shown["input gate"] == shown["output gate"] == pytest.approx([0.5] * 4)


@pytest.mark.parametrize("weights", [False, True])
def test_the_weights_of_attention_are_those_that_the_layer_returns(weights: bool) -> None:
    torch.manual_seed(0)
    net = nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.randn(3, 5, 8, requires_grad=True) * 4
    mask = torch.zeros(3, 5, dtype=torch.bool)
    mask[1, 3:] = True
    out, _ = net(x, x, x, key_padding_mask=mask, need_weights=weights)
    found = _insides(out.square().sum())
    _, wanted = net(x, x, x, key_padding_mask=mask)
    assert len(found) == 1 and found[0].across == "key"
    np.testing.assert_allclose(
        [row for _, row in found[0].rows], wanted.detach().mean(0).numpy(), rtol=1e-4, atol=1e-6
    )


def test_a_long_sequence_has_its_first_and_last_steps_in_the_text_and_on_the_page() -> None:
    net = nn.GRU(2, 3)
    loss = net(torch.randn(50, 1, 2))[0].sum()
    explanation = torch.explain(loss)
    found = next(step.inside for step in explanation.steps if step.inside is not None)
    assert found.count == 50 and len(found.columns) == MOST_COLUMNS and found.columns[-1] == 49
    assert "50 steps" in str(explanation)
    (call,) = content_of([explanation.to_dict()])["calls"]
    assert "×50" in str([node["title"] for node in call["graph"]["nodes"]])

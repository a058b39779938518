"""Tracing whole steps: one program, whose NumPy replay gives eager's bits."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as torch
from pullback import nn, optim
from pullback.compiler import Program, ProgramError, trace
from pullback.core.recorder import Equation, Reference
from pullback.nn import functional as F


def test_a_constant_that_is_one_number_everywhere_is_kept_once():
    x = torch.ones(3, 400)
    uniform = [torch.full((3, 400), value) for value in (2.0, -0.0, float("nan"))]
    mixed = torch.zeros(3, 400)
    mixed[2, 399] = -0.0
    for constant, once in [*((u, True) for u in uniform), (mixed, False), (torch.arange(1200.0), False)]:
        program = trace(lambda x, c=constant: x.reshape(-1) * c.reshape(-1), x).program
        (array,) = program.constants.values()
        assert (max(array.strides) == 0) == once
        assert array.tobytes() == constant.numpy().tobytes()
        assert Program.read(str(program)) == program


def test_an_array_that_changes_between_its_uses_is_two_constants():
    x, c = torch.ones(300), torch.zeros(300)

    def step(x):
        y = x + c
        c._value[7] = -0.0
        return y * c

    constants = [*trace(step, x).program.constants.values()]
    assert [np.signbit(array).sum() for array in constants] == [0, 1]


def test_results_follow_the_default_dtype_of_their_time():
    def step(x):
        y = x / 2
        torch.set_default_dtype(torch.float64)
        try:
            return y, x / 2
        finally:
            torch.set_default_dtype(torch.float32)

    traced = trace(step, torch.arange(3))
    program = traced.program
    assert [program.dtypes[n] for n in program.outputs] == [np.float32, np.float64]


class LeNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.flatten(1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


def training(model, momentum):
    optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=momentum)

    def step(x, target):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        return loss

    return optimizer, step


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_a_lenet_training_step_is_one_program_with_eagers_bits(momentum):
    torch.manual_seed(0)
    images = [torch.randn(4, 1, 32, 32) for _ in range(3)]
    labels = [torch.randint(0, 10, (4,)) for _ in range(3)]
    torch.manual_seed(1)
    eager, traced = LeNet(), LeNet()
    traced.load_state_dict(eager.state_dict())
    _, eager_step = training(eager, momentum)
    optimizer, traced_step = training(traced, momentum)

    x, target = images[0].clone(), labels[0].clone()
    losses = [eager_step(images[k], labels[k]).item() for k in range(3)]
    if momentum:
        # The first step makes the buffers; the program of the second is that of all later ones.
        traced_step(x, target)
        x.copy_(images[1])
        target.copy_(labels[1])
    run = trace(traced_step, x, target, state=[traced, optimizer])
    done = 2 if momentum else 1
    found = []
    for k in range(done, 3):
        x.copy_(images[k])
        target.copy_(labels[k])
        found.append(run().item())
    assert found == losses[done:]
    for (name, a), (_, b) in zip(eager.named_parameters(), traced.named_parameters(), strict=True):
        np.testing.assert_array_equal(a.detach().numpy(), b.detach().numpy(), err_msg=name)
        np.testing.assert_array_equal(a.grad.numpy(), b.grad.numpy(), err_msg=name)
    names = {equation.op for equation in run.program.equations}
    assert {"conv_biased", "conv_weight", "max_pool_2d", "scatter_windows"} <= names


def test_views_and_updates_are_traced():
    def step(x):
        y = x * 2
        y[1:] += x[:-1]
        y.t().mul_(3) if y.dim() == 2 else y.mul_(3)
        return y

    x = torch.tensor([1.0, 2.0, 3.0])
    want = step(x.clone())
    run = trace(step, x)
    x.copy_(torch.tensor([4.0, 5.0, 6.0]))
    np.testing.assert_array_equal(run().numpy(), step(x.clone()).numpy())
    np.testing.assert_array_equal(want.numpy(), [6.0, 15.0, 24.0])


def test_the_program_prints_its_equations():
    x = torch.tensor([1.0, 2.0])
    text = str(trace(lambda x: (x * x).sum(), x).program)
    assert "mul(v0, v0)" in text
    assert "def program(v0):  # float32[2]" in text


def test_control_flow_on_a_traced_value_is_refused():
    with pytest.raises(RuntimeError, match="no data"):
        trace(lambda x: x if x.sum() > 0 else -x, torch.tensor([1.0]))


def test_a_failed_trace_leaves_tensors_as_they_were():
    x = torch.tensor([1.0], requires_grad=True)

    def step(x):
        (x * 2).backward()
        raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        trace(step, x)
    assert x.item() == 1.0
    assert x.grad is None


def test_the_verifier():
    f32 = np.dtype(np.float32)
    good = Equation("neg", (Reference(0),), (), (1,), False)
    Program([0], [good], [1], {}, [(), ()], [f32, f32]).verify()
    with pytest.raises(ProgramError, match="no op"):
        Program([0], [good._replace(op="nothing")], [1], {}, [(), ()], [f32, f32]).verify()
    with pytest.raises(ProgramError, match="before it is defined"):
        Program([0], [good._replace(operands=(Reference(1),))], [1], {}, [(), ()], [f32, f32]).verify()
    with pytest.raises(ProgramError, match="defined twice"):
        Program([0], [good, good], [1], {}, [(), ()], [f32, f32]).verify()
    with pytest.raises(ProgramError, match="not defined"):
        Program([0], [], [1], {}, [(), ()], [f32, f32]).verify()


def test_inputs_of_another_shape_are_refused():
    x = torch.tensor([1.0, 2.0])
    program = trace(lambda x: x * 2, x).program
    with pytest.raises(TypeError, match="float32"):
        program.run(np.zeros(3, np.float32))

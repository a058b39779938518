"""The summary of a model names its layers, shapes, parameters and multiplications, without touching it."""

import torch
from torch import nn
from torchinfo import summary

TABLE = """\
===================================================================================================================
Layer (type:depth-idx)                   Input Shape               Output Shape              Param #
===================================================================================================================
Net                                      [2, 1, 28, 28]            [2, 10]                   --
├─Sequential: 1-1                        [2, 1, 28, 28]            [2, 1152]                 --
│    └─Conv2d: 2-1                       [2, 1, 28, 28]            [2, 8, 26, 26]            80
│    └─BatchNorm2d: 2-2                  [2, 8, 26, 26]            [2, 8, 26, 26]            16
│    └─ReLU: 2-3                         [2, 8, 26, 26]            [2, 8, 26, 26]            --
│    └─MaxPool2d: 2-4                    [2, 8, 26, 26]            [2, 8, 12, 12]            --
│    └─Flatten: 2-5                      [2, 8, 12, 12]            [2, 1152]                 --
├─Linear: 1-2                            [2, 1152]                 [2, 10]                   (11,530)
===================================================================================================================
Total params: 11,626
Trainable params: 96
Non-trainable params: 11,530
Total mult-adds (Units.MEGABYTES): 0.13
===================================================================================================================
Input size (MB): 0.01
Forward/backward pass size (MB): 0.17
Params size (MB): 0.05
Estimated Total Size (MB): 0.23
==================================================================================================================="""


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2), nn.Flatten()
        )
        self.head = nn.Linear(1152, 10).requires_grad_(False)

    def forward(self, x):
        return self.head(self.body(x))


def test_table():
    model = Net()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    columns = ("input_size", "output_size", "num_params")
    table = summary(model, input_size=(2, 1, 28, 28), col_names=columns, verbose=0)
    assert str(table) == TABLE
    assert model.training
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert not any(module._forward_hooks for module in model.modules())


def test_recurrent_layers_and_sequences():
    rnn = summary(nn.LSTM(4, 8, num_layers=2, batch_first=True), (3, 5, 4), verbose=0)
    assert (rnn.total_params, rnn.total_mult_adds) == (1024, 15360)
    tokens = torch.randint(0, 50, (2, 7))
    model = nn.Sequential(nn.Embedding(50, 16), nn.TransformerEncoderLayer(16, 2, 32, batch_first=True))
    sizes = summary(model, input_data=tokens, depth=1, verbose=0)
    assert sizes.total_params == sum(parameter.numel() for parameter in model.parameters())
    assert [layer.output_size for layer in sizes.summary_list[1:3]] == [[2, 7, 16], [2, 7, 16]]


if __name__ == "__main__":
    test_table()
    test_recurrent_layers_and_sequences()

"""Layers, losses and optimizers given what they cannot take."""

from __future__ import annotations

from typing import Any

T = Any


def conv_channels(torch: T) -> None:
    torch.nn.functional.conv2d(torch.ones(1, 2, 4, 4), torch.ones(1, 3, 2, 2))


def conv_dimensions(torch: T) -> None:
    torch.nn.functional.conv2d(torch.ones(2, 4), torch.ones(1, 2, 2, 2))


def conv_kernel_too_large(torch: T) -> None:
    torch.nn.functional.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 5, 5))


def conv_groups(torch: T) -> None:
    torch.nn.functional.conv2d(torch.ones(1, 4, 3, 3), torch.ones(3, 2, 1, 1), groups=2)


def conv_bias_size(torch: T) -> None:
    torch.nn.functional.conv2d(torch.ones(1, 1, 3, 3), torch.ones(2, 1, 2, 2), torch.ones(3))


def conv_stride_zero(torch: T) -> None:
    torch.nn.functional.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2), stride=0)


def conv_negative_padding(torch: T) -> None:
    torch.nn.functional.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2), padding=-1)


def conv_same_with_stride(torch: T) -> None:
    torch.nn.functional.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2), padding="same", stride=2)


def conv_unknown_padding(torch: T) -> None:
    torch.nn.functional.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2), padding="big")


def conv_layer_channels(torch: T) -> None:
    torch.nn.Conv2d(3, 8, 3)(torch.ones(1, 1, 8, 8))


def conv_layer_groups(torch: T) -> None:
    torch.nn.Conv2d(3, 8, 3, groups=2)


def transposed_conv_output_padding(torch: T) -> None:
    torch.nn.functional.conv_transpose2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2), output_padding=1)


def linear_layer_features(torch: T) -> None:
    torch.nn.Linear(3, 2)(torch.ones(4, 5))


def linear_layer_dtype(torch: T) -> None:
    torch.nn.Linear(3, 2)(torch.ones(4, 3, dtype=torch.float64))


def linear_layer_integers(torch: T) -> None:
    torch.nn.Linear(3, 2)(torch.ones(4, 3, dtype=torch.int64))


def max_pool_too_large(torch: T) -> None:
    torch.nn.functional.max_pool2d(torch.ones(1, 1, 2, 2), 3)


def max_pool_padding(torch: T) -> None:
    torch.nn.functional.max_pool2d(torch.ones(1, 1, 4, 4), 2, padding=2)


def max_pool_dimensions(torch: T) -> None:
    torch.nn.functional.max_pool2d(torch.ones(4, 4), 2)


def avg_pool_padding(torch: T) -> None:
    torch.nn.functional.avg_pool2d(torch.ones(1, 1, 4, 4), 2, padding=2)


def layer_norm_shape(torch: T) -> None:
    torch.nn.functional.layer_norm(torch.ones(2, 3), (4,))


def layer_norm_weight(torch: T) -> None:
    torch.nn.functional.layer_norm(torch.ones(2, 3), (3,), torch.ones(2))


def batch_norm_single_value(torch: T) -> None:
    torch.nn.functional.batch_norm(torch.ones(1, 3), torch.zeros(3), torch.ones(3), training=True)


def batch_norm_sizes(torch: T) -> None:
    torch.nn.functional.batch_norm(torch.ones(2, 3), torch.zeros(2), torch.ones(2))


def batch_norm_without_statistics(torch: T) -> None:
    torch.nn.functional.batch_norm(torch.ones(2, 3), None, None)


def batch_norm_layer_dimensions(torch: T) -> None:
    torch.nn.BatchNorm2d(3)(torch.ones(2, 3))


def group_norm_groups(torch: T) -> None:
    torch.nn.functional.group_norm(torch.ones(2, 3, 4), 2)


def dropout_probability(torch: T) -> None:
    torch.nn.functional.dropout(torch.ones(2), 1.5)


def dropout_layer_probability(torch: T) -> None:
    torch.nn.Dropout(-0.5)


def pad_odd(torch: T) -> None:
    torch.nn.functional.pad(torch.ones(2), (1,))


def pad_too_many(torch: T) -> None:
    torch.nn.functional.pad(torch.ones(2), (1, 1, 1, 1))


def pad_reflect_too_far(torch: T) -> None:
    torch.nn.functional.pad(torch.ones(1, 1, 2), (2, 2), mode="reflect")


def pad_unknown_mode(torch: T) -> None:
    torch.nn.functional.pad(torch.ones(1, 1, 2), (1, 1), mode="mirror")


def mse_shapes(torch: T) -> None:
    torch.nn.functional.mse_loss(torch.ones(2), torch.ones(3))


def mse_broadcast_warns(torch: T) -> None:
    torch.nn.functional.mse_loss(torch.ones(2, 1), torch.ones(2))


def cross_entropy_batch(torch: T) -> None:
    torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0]))


def cross_entropy_class(torch: T) -> None:
    torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0, 3]))


def cross_entropy_float_classes(torch: T) -> None:
    torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0.0, 1.0]))


def cross_entropy_weight(torch: T) -> None:
    torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1]), torch.ones(2))


def cross_entropy_smoothing(torch: T) -> None:
    torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1]), label_smoothing=1.5)


def nll_dimensions(torch: T) -> None:
    torch.nn.functional.nll_loss(torch.tensor(1.0), torch.tensor(0))


def bce_out_of_range(torch: T) -> None:
    torch.nn.functional.binary_cross_entropy(torch.tensor([1.5]), torch.tensor([1.0]))


def bce_shapes(torch: T) -> None:
    torch.nn.functional.binary_cross_entropy(torch.tensor([0.5]), torch.tensor([1.0, 0.0]))


def bce_integer_target(torch: T) -> None:
    torch.nn.functional.binary_cross_entropy(torch.tensor([0.5]), torch.tensor([1]))


def bce_with_logits_shapes(torch: T) -> None:
    torch.nn.functional.binary_cross_entropy_with_logits(torch.ones(2), torch.ones(3))


def kl_div_mean_warns(torch: T) -> None:
    torch.nn.functional.kl_div(torch.zeros(2, 2), torch.ones(2, 2))


def size_average_warns(torch: T) -> None:
    torch.nn.functional.mse_loss(torch.ones(2), torch.ones(2), size_average=False)


def functional_sigmoid_warns(torch: T) -> None:
    torch.nn.functional.sigmoid(torch.ones(2))


def embedding_layer_padding(torch: T) -> None:
    torch.nn.Embedding(3, 2, padding_idx=3)


def module_without_super(torch: T) -> None:
    class Model(torch.nn.Module):
        def __init__(self) -> None:
            self.layer = torch.nn.Linear(1, 1)

    Model()


def module_without_forward(torch: T) -> None:
    torch.nn.Module()(1)


def module_attribute(torch: T) -> None:
    torch.nn.Linear(1, 1).colour


def module_parameter_of_a_tensor(torch: T) -> None:
    torch.nn.Linear(1, 1).weight = torch.ones(1, 1)


def module_parameter_of_non_leaf(torch: T) -> None:
    torch.nn.Linear(1, 1).register_parameter("extra", torch.ones(1, requires_grad=True) * 2)


def module_submodule_of_a_number(torch: T) -> None:
    torch.nn.Linear(1, 1).add_module("a", 1)


def module_name_with_dot(torch: T) -> None:
    torch.nn.Module().add_module("a.b", torch.nn.Linear(1, 1))


def state_dict_missing(torch: T) -> None:
    torch.nn.Linear(1, 1).load_state_dict({"weight": torch.ones(1, 1)})


def state_dict_unexpected(torch: T) -> None:
    torch.nn.Linear(1, 1, bias=False).load_state_dict({"weight": torch.ones(1, 1), "extra": torch.ones(1)})


def state_dict_shape(torch: T) -> None:
    torch.nn.Linear(1, 1, bias=False).load_state_dict({"weight": torch.ones(2, 1)})


def optimizer_without_parameters(torch: T) -> None:
    torch.optim.SGD([], lr=0.1)


def optimizer_of_a_tensor(torch: T) -> None:
    torch.optim.SGD(torch.ones(2, requires_grad=True), lr=0.1)


def optimizer_of_non_leaf(torch: T) -> None:
    torch.optim.SGD([torch.ones(2, requires_grad=True) * 2], lr=0.1)


def optimizer_of_numbers(torch: T) -> None:
    torch.optim.SGD([1.0], lr=0.1)


def optimizer_negative_rate(torch: T) -> None:
    torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=-0.1)


def optimizer_negative_momentum(torch: T) -> None:
    torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1, momentum=-1)


def optimizer_nesterov_without_momentum(torch: T) -> None:
    torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1, nesterov=True)


def optimizer_parameter_twice(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    torch.optim.SGD([{"params": [x]}, {"params": [x]}], lr=0.1)


def adam_beta(torch: T) -> None:
    torch.optim.Adam([torch.ones(2, requires_grad=True)], betas=(1.5, 0.9))


def packing_lengths_that_rise_from_zero(torch: T) -> None:
    torch.nn.utils.rnn.pack_padded_sequence(torch.ones(2, 2), [0, 2])


def scaler_updated_without_gradients(torch: T) -> None:
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    scaler.scale(torch.ones(1))
    scaler.unscale_(torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0))
    scaler.update()


def _stepped(torch: T, name: str, param: Any, **options: object) -> None:
    param.requires_grad_().grad = torch.ones_like(param)
    getattr(torch.optim, name)([param], **options).step()


def foreach_that_is_differentiable(torch: T) -> None:
    _stepped(torch, "RMSprop", torch.ones(2), foreach=True, differentiable=True)


def capturable_averages(torch: T) -> None:
    _stepped(torch, "ASGD", torch.ones(2), capturable=True)


def capturable_products(torch: T) -> None:
    _stepped(torch, "NAdam", torch.ones(2), capturable=True)


def fused_and_complex(torch: T) -> None:
    _stepped(torch, "Adam", torch.ones(2) * 1j, fused=True)

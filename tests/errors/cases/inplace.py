"""In-place updates that would destroy what backward needs, or that have nowhere to go."""

from __future__ import annotations

from typing import Any

T = Any


def add_to_leaf(torch: T) -> None:
    torch.ones(2, requires_grad=True).add_(1)


def augmented_assignment_to_leaf(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    x += 1


def item_of_leaf(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    x[0] = 1


def mask_of_leaf(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    x[x > 0] = 0


def index_tensor_of_leaf(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    x[torch.tensor([0])] = 0


def zero_leaf(torch: T) -> None:
    torch.ones(2, requires_grad=True).zero_()


def random_leaf(torch: T) -> None:
    torch.ones(2, requires_grad=True).uniform_()


def copy_to_leaf(torch: T) -> None:
    torch.ones(2, requires_grad=True).copy_(torch.ones(2))


def view_of_leaf(torch: T) -> None:
    x = torch.ones(2, 2, requires_grad=True)
    x[0].add_(1)


def view_of_view_of_leaf(torch: T) -> None:
    x = torch.ones(2, 2, requires_grad=True)
    x.view(4)[1:].mul_(2)


def reshaped_leaf(torch: T) -> None:
    x = torch.ones(2, 2, requires_grad=True)
    x.reshape(-1).zero_()


def leaf_by_another_gradient(torch: T) -> None:
    x = torch.ones(2)
    view = x[:1]
    x.requires_grad_()
    view.mul_(torch.ones(1, requires_grad=True))


def leaf_changed_without_grad_after_use(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    with torch.no_grad():
        x.add_(1)
    y.backward()


def leaf_changed_through_detach_after_use(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    x.detach().add_(1)
    y.backward()


def leaf_changed_through_data_after_use(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    x.data.add_(1)
    y.backward()


def saved_input(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    a = x * 2
    y = a.sin()
    a.add_(1)
    y.sum().backward()


def saved_output(torch: T) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    y = x.exp()
    y.add_(1)
    y.sum().backward()


def saved_output_of_sigmoid(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    y = x.sigmoid()
    y.mul_(2)
    y.backward()


def saved_factor(torch: T) -> None:
    x = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    w = torch.ones(2, 3, dtype=torch.float64)
    y = x * w
    w.zero_()
    w.zero_()
    y.sum().backward()


def saved_matrix(torch: T) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    w = torch.ones(3, 2, requires_grad=True) * 2
    y = x @ w
    w[0] = 0
    y.sum().backward()


def saved_through_view(torch: T) -> None:
    x = torch.ones(4, requires_grad=True)
    a = x * 2
    y = a[:2].exp()
    y2 = a.pow(2)
    a[3].zero_()
    (y.sum() + y2.sum()).backward()


def saved_by_relu(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x.relu()
    y += 1
    y.sum().backward()


def saved_by_division(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    d = torch.ones(2, requires_grad=True) * 3
    y = x / d
    d.copy_(torch.zeros(2))
    y.sum().backward()


def saved_index(torch: T) -> None:
    x = torch.ones(3, requires_grad=True)
    index = torch.tensor([0, 1])
    y = x[index]
    index.add_(1)
    y.sum().backward()


def saved_by_max(torch: T) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    values, indices = x.max(dim=1)
    indices.zero_()
    values.sum().backward()


def saved_by_softmax(torch: T) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    y = torch.softmax(x, 1)
    y[0, 0] = 0
    y.sum().backward()


def saved_by_where(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    mask = torch.tensor([True, False])
    y = torch.where(mask, x, 0)
    mask.logical_not_()
    y.sum().backward()


def expanded(torch: T) -> None:
    torch.ones(2, 1).expand(2, 3).add_(1)


def expanded_with_grad(torch: T) -> None:
    x = torch.ones(2, 1, requires_grad=True) * 2
    x.expand(2, 3).mul_(2)


def expanded_assignment(torch: T) -> None:
    x = torch.ones(1, 3).expand(2, 3)
    x[:] = 1


def expanded_copy(torch: T) -> None:
    torch.ones(1).expand(3).copy_(torch.arange(3.0))


def overlapping_windows(torch: T) -> None:
    torch.arange(5.0).unfold(0, 3, 1).add_(1)


def partly_overlapping_operand(torch: T) -> None:
    x = torch.arange(6.0)
    x[1:].add_(x[:-1])


def view_made_without_grad(torch: T) -> None:
    x = torch.ones(2, requires_grad=True) * 2
    with torch.no_grad():
        view = x[:1]
    view.add_(1)


def view_of_leaf_made_without_grad(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        view = x.view(2)
    view.mul_(2)


def view_made_without_grad_read_after_write(torch: T) -> object:
    x = torch.ones(2, requires_grad=True) * 2
    with torch.no_grad():
        view = x[:1]
    x.add_(1)
    return view.grad_fn


def unbound(torch: T) -> None:
    x = torch.ones(2, 2, requires_grad=True) * 2
    x.unbind()[0].add_(1)


def split(torch: T) -> None:
    x = torch.ones(4, requires_grad=True) * 2
    x.split(2)[1].mul_(2)


def chunked(torch: T) -> None:
    x = torch.ones(4, requires_grad=True) * 2
    x.chunk(2)[0].zero_()


def iterated(torch: T) -> None:
    x = torch.ones(2, 2, requires_grad=True) * 2
    for row in x:
        row += 1


def base_of_unbound_changed(torch: T) -> object:
    x = torch.ones(2, 2, requires_grad=True) * 2
    first, _ = x.unbind()
    x.add_(1)
    return first.grad_fn


def detach_of_a_view(torch: T) -> None:
    x = torch.ones(2, 2, requires_grad=True) * 2
    x[0].detach_()


def geometry_of_a_detached_tensor(torch: T) -> None:
    x = torch.ones(2, 2, requires_grad=True)
    x.detach().unsqueeze_(0)


def data_of_other_dtype(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    x.data = torch.ones(2, dtype=torch.int64)


def data_of_a_list(torch: T) -> None:
    x = torch.ones(2)
    x.data = [1.0, 2.0]


def shape_grows(torch: T) -> None:
    torch.ones(3).add_(torch.ones(2, 3))


def shape_does_not_fit(torch: T) -> None:
    torch.ones(3).mul_(torch.ones(4))


def copy_does_not_fit(torch: T) -> None:
    torch.ones(2, 3).copy_(torch.ones(3, 2))


def float_into_integer(torch: T) -> None:
    torch.ones(2, dtype=torch.int64).add_(1.5)


def division_into_integer(torch: T) -> None:
    torch.ones(2, dtype=torch.int64).div_(2)


def augmented_division_into_integer(torch: T) -> None:
    x = torch.ones(2, dtype=torch.int32)
    x /= 2


def complex_into_float(torch: T) -> None:
    torch.ones(2).mul_(1j)


def float_into_bool(torch: T) -> None:
    torch.ones(2, dtype=torch.bool).add_(torch.ones(2))


def exp_into_integer(torch: T) -> None:
    torch.ones(2, dtype=torch.int64).exp_()


def out_requires_grad(torch: T) -> None:
    torch.add(torch.ones(2), 1, out=torch.ones(2, requires_grad=True))


def input_requires_grad_with_out(torch: T) -> None:
    torch.exp(torch.ones(2, requires_grad=True), out=torch.ones(2))


def out_of_other_dtype(torch: T) -> None:
    torch.exp(torch.ones(2), out=torch.ones(2, dtype=torch.int64))


def out_of_other_shape_is_resized_with_a_warning(torch: T) -> None:
    torch.exp(torch.ones(2), out=torch.ones(3))


def out_is_a_list(torch: T) -> None:
    torch.exp(torch.ones(2), out=[1.0, 2.0])


def resize_with_grad(torch: T) -> None:
    torch.ones(2, requires_grad=True).resize_(3)


def inference_tensor_changed_outside(torch: T) -> None:
    with torch.inference_mode():
        x = torch.ones(2)
    x.add_(1)


def inference_tensor_saved(torch: T) -> None:
    with torch.inference_mode():
        x = torch.ones(2)
    torch.ones(2, requires_grad=True) * x


def inference_tensor_requires_grad(torch: T) -> None:
    with torch.inference_mode():
        x = torch.ones(2)
    x.requires_grad_()


def inference_tensor_version(torch: T) -> object:
    with torch.inference_mode():
        x = torch.ones(2)
    return x._version


def backward_in_inference_mode(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    y = x * 2
    with torch.inference_mode():
        y.backward()


def assign_wrong_shape(torch: T) -> None:
    x = torch.zeros(2, 3)
    x[0] = torch.ones(4)


def assign_wrong_count_to_mask(torch: T) -> None:
    x = torch.zeros(4)
    x[torch.tensor([True, True, False, False])] = torch.ones(3)


def assign_wrong_count_to_indices(torch: T) -> None:
    x = torch.zeros(4)
    x[[0, 1]] = torch.ones(3)


def assign_string(torch: T) -> None:
    x = torch.zeros(4)
    x[0] = "a"


def assign_out_of_range(torch: T) -> None:
    x = torch.zeros(4)
    x[4] = 1


def assign_other_dtype_to_indices(torch: T) -> None:
    x = torch.zeros(4)
    x[torch.tensor([0])] = torch.ones(1, dtype=torch.float64)


def index_add_of_other_dtype(torch: T) -> None:
    torch.zeros(3).index_add_(0, torch.tensor([0]), torch.ones(1, dtype=torch.float64))


def scatter_of_other_dtype(torch: T) -> None:
    torch.zeros(3).scatter_(0, torch.tensor([0]), torch.ones(1, dtype=torch.float64))


def masked_fill_without_bool(torch: T) -> None:
    torch.zeros(3).masked_fill_(torch.tensor([0, 1, 0]), 1.0)


def masked_fill_with_vector(torch: T) -> None:
    torch.zeros(3).masked_fill_(torch.tensor([True, False, True]), torch.ones(3))


def transpose_in_place_of_leaf(torch: T) -> None:
    torch.ones(2, 3, requires_grad=True).transpose_(0, 1)


def relu_in_place_of_leaf(torch: T) -> None:
    torch.nn.functional.relu(torch.ones(2, requires_grad=True), inplace=True)

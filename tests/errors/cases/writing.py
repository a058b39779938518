"""Who may be written to: views of every making, inference tensors, tensors that share memory with
what is read.
"""

from __future__ import annotations

from typing import Any

T = Any


def _computed(torch: T) -> T:
    return torch.arange(6.0).reshape(2, 3).requires_grad_() * 1


# --- views whose base changed -------------------------------------------------------------------------------


def unbound_after_a_write_to_the_base(torch: T) -> None:
    base = _computed(torch)
    row = base.unbind()[0]
    base.mul_(2)
    row.sin()


def unbound_after_a_write_to_the_base_asked_without_grad(torch: T) -> object:
    base = _computed(torch)
    row = base.unbind()[0]
    base.mul_(2)
    with torch.no_grad():
        return row.grad_fn


def unbound_after_a_write_to_the_base_read_without_grad(torch: T) -> object:
    base = _computed(torch)
    row = base.unbind()[0]
    base.mul_(2)
    with torch.no_grad():
        return (row * 2).tolist()


def unbound_after_a_write_to_the_base_compared(torch: T) -> object:
    base = _computed(torch)
    row = base.unbind()[0]
    base.mul_(2)
    return (row > 2).tolist()


def unbound_after_a_write_to_the_base_printed(torch: T) -> object:
    base = _computed(torch)
    row = base.unbind()[0]
    base.mul_(2)
    return repr(row)


def split_after_a_silent_write(torch: T) -> None:
    base = _computed(torch)
    first, second = base.split(1)
    with torch.no_grad():
        first.mul_(2)
    second.retain_grad()


def unbound_after_the_base_was_transposed(torch: T) -> None:
    base = _computed(torch)
    row = base.unbind()[0]
    base.t_()
    row.register_hook(print)


def hidden_view_after_a_write_to_the_base(torch: T) -> object:
    base = _computed(torch)
    with torch.no_grad():
        row = base[0]
    base.mul_(2)
    return row.is_leaf


# --- views of views -----------------------------------------------------------------------------------------


def view_of_a_hidden_view(torch: T) -> None:
    with torch.no_grad():
        row = _computed(torch)[0]
    row[1:].mul_(2)


def item_of_a_hidden_view(torch: T) -> None:
    with torch.no_grad():
        row = _computed(torch)[0]
    row[1] = 3.0


def view_of_an_unbound_view(torch: T) -> None:
    _computed(torch).unbind()[0][1:].mul_(2)


def hidden_view_of_an_unbound_view(torch: T) -> None:
    row = _computed(torch).unbind()[0]
    with torch.no_grad():
        part = row[1:]
    part.mul_(2)


def hidden_unbound(torch: T) -> None:
    with torch.no_grad():
        row = _computed(torch).unbind()[0]
    row.mul_(2)


# --- inference mode -----------------------------------------------------------------------------------------


def view_made_in_inference_mode(torch: T) -> None:
    base = _computed(torch)
    with torch.inference_mode():
        row = base[0]
    row.mul_(2)


def view_of_a_view_made_in_inference_mode(torch: T) -> None:
    base = _computed(torch)
    with torch.inference_mode():
        row = base[0]
    row[1:].mul_(2)


def view_made_in_inference_mode_after_a_write(torch: T) -> None:
    base = _computed(torch)
    with torch.inference_mode():
        row = base[0]
    base.mul_(2)
    row.exp()


def view_of_an_inference_tensor(torch: T) -> None:
    with torch.inference_mode():
        x = torch.ones(3)
    x[:2].mul_(2)


def inference_tensor_without_grad(torch: T) -> None:
    with torch.inference_mode():
        x = torch.ones(3)
    with torch.no_grad():
        x.mul_(2)


def inference_tensor_as_out(torch: T) -> None:
    with torch.inference_mode():
        x = torch.ones(3)
    torch.add(torch.ones(3), 1, out=x)


def inference_tensors_and_their_views(torch: T) -> object:
    with torch.inference_mode():
        x = torch.ones(3)
        part = x[:2]
        part.mul_(2)
    later = x[1:]
    return [
        (t.is_inference(), t._is_view(), t.requires_grad) for t in (x, part, later, x.detach(), x.data, x * 1)
    ]


def normal_tensors_in_inference_mode(torch: T) -> object:
    base = _computed(torch)
    with torch.inference_mode():
        part = base[0]
        base.mul_(2)
        return [
            (t.is_inference(), t._version, t.requires_grad) for t in (base, part, base.detach(), base.data)
        ]


# --- the order of checks ------------------------------------------------------------------------------------


def copy_of_another_shape_to_a_leaf(torch: T) -> None:
    torch.ones(3, requires_grad=True).copy_(torch.ones(4))


def fill_of_a_leaf_with_a_vector(torch: T) -> None:
    torch.ones(3, requires_grad=True).fill_(torch.ones(2))


def unsqueeze_of_a_leaf_out_of_range(torch: T) -> None:
    torch.ones(3, requires_grad=True).unsqueeze_(7)


def wrong_count_to_places_of_a_leaf(torch: T) -> None:
    torch.ones(3, requires_grad=True)[torch.tensor([0])] = torch.ones(4)


def expanded_and_another_shape(torch: T) -> None:
    torch.ones(3).expand(2, 3).add_(torch.ones(7))


def view_that_got_its_history_from_a_sibling(torch: T) -> None:
    base = torch.zeros(4)
    first, second = base[:2], base[2:]
    second.copy_(torch.ones(2, requires_grad=True))
    first.zero_()


# --- shared memory ------------------------------------------------------------------------------------------


def shifted_copy(torch: T) -> None:
    x = torch.arange(8.0)
    x[1:] = x[:-1]


def reversed_places(torch: T) -> None:
    x = torch.arange(3.0)
    x[torch.tensor([2, 1, 0])] = x


def masked_by_itself(torch: T) -> None:
    x = torch.arange(3.0)
    x[x > 0] = x


def one_element_of_itself(torch: T) -> None:
    x = torch.arange(3.0)
    x.mul_(x[1])


def one_element_of_itself_without_grad(torch: T) -> None:
    x = torch.arange(3.0)
    with torch.no_grad():
        x.sub_(x[1])


def transposed_itself(torch: T) -> None:
    x = torch.ones(2, 2)
    x.add_(x.t())


def scattered_into_itself(torch: T) -> None:
    x = torch.ones(3)
    x.index_add_(0, torch.tensor([0, 1, 2]), x)


def itself(torch: T) -> object:
    x = torch.arange(3.0)
    x.mul_(x)
    x.add_(x.view(3))
    x.copy_(x)
    return x.tolist(), x._version


def every_second_of_itself(torch: T) -> object:
    x = torch.arange(8.0)
    x[:4].add_(x[::2])
    return x.tolist()


def fill_of_expanded(torch: T) -> object:
    x = torch.ones(1)
    x.expand(3).fill_(2)
    x.expand(3).zero_()
    return x.tolist()


def fill_of_expanded_with_a_tensor(torch: T) -> None:
    torch.ones(1).expand(3).fill_(torch.tensor(2.0))


def masked_fill_of_expanded(torch: T) -> object:
    x = torch.ones(1)
    x.expand(3).masked_fill_(torch.tensor([True, False, True]), 2.0)
    return x.tolist()


def places_of_expanded(torch: T) -> object:
    x = torch.ones(1)
    x.expand(3)[torch.tensor([1])] = 2.0
    return x.tolist()

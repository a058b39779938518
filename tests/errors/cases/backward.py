"""`backward`, `grad`, hooks and `retain_grad` asked for what cannot be."""

from __future__ import annotations

from typing import Any

T = Any


def vector_without_gradient(torch: T) -> None:
    x = torch.ones(3, requires_grad=True)
    (x * 2).backward()


def one_element_vector_without_gradient(torch: T) -> None:
    x = torch.ones(1, requires_grad=True)
    (x * 2).backward()


def constant(torch: T) -> None:
    torch.tensor(1.0).backward()


def constant_with_gradient(torch: T) -> None:
    torch.ones(3).backward(torch.ones(3))


def made_without_grad(torch: T) -> None:
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        y = (x * 2).sum()
    y.backward()


def detached(torch: T) -> None:
    x = torch.ones(3, requires_grad=True)
    (x * 2).sum().detach().backward()


def second_of_two_is_constant(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    torch.autograd.backward([x * 2, torch.tensor(1.0)])


def integer_output(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    (x * 2).long().backward()


def gradient_of_other_shape(torch: T) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    (x * 2).backward(torch.ones(3, 2))


def gradient_of_more_dimensions_that_do_not_fit(torch: T) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    (x * 2).backward(torch.ones(4, 3, 2))


def gradient_of_fewer_dimensions(torch: T) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    (x * 2).backward(torch.ones(3))


def gradient_of_two_by_four(torch: T) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    torch.mm(x, torch.ones(3, 2)).backward(torch.ones(2, 4))


def scalar_gradient_for_matrix(torch: T) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    (x * 2).backward(torch.tensor(1.0))


def empty_gradient(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    (x * 2).backward(torch.ones(0))


def integer_gradient(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    (x * 2).backward(torch.ones(2, dtype=torch.int64))


def complex_gradient_for_real_output(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    (x * 2).backward(torch.ones(2, dtype=torch.complex64))


def real_gradient_for_complex_output(torch: T) -> None:
    x = torch.ones(2, dtype=torch.complex64, requires_grad=True)
    (x * 2).backward(torch.ones(2))


def complex_scalar_without_gradient(torch: T) -> None:
    x = torch.ones((), dtype=torch.complex64, requires_grad=True)
    (x * 2).backward()


def number_as_gradient(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    (x * 2).backward(1.0)


def list_as_gradient(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    (x * 2).backward([1.0, 2.0])


def numbers_as_grad_tensors(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    torch.autograd.backward([x * 2], [1.0])


def more_gradients_than_outputs(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    torch.autograd.backward([x * 2], [torch.tensor(1.0), torch.tensor(1.0)])


def fewer_gradients_than_outputs(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    torch.autograd.grad([x * 2, x * 3], [x], [torch.tensor(1.0)])


def none_for_a_vector_among_gradients(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    torch.autograd.backward([x * 2, (x * 3).sum()], [None, None])


def old_and_new_name_of_gradients(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    torch.autograd.backward([x * 2], grad_tensors=[torch.tensor(1.0)], grad_variables=[torch.tensor(1.0)])


def old_name_of_gradients(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    torch.autograd.backward([x * 2], grad_variables=[torch.tensor(1.0)])


def number_as_output(torch: T) -> None:
    torch.autograd.backward(1.0)


def twice(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    y = x.exp()
    y.backward()
    y.backward()


def twice_through_a_shared_part(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    shared = x.sin()
    shared.sum().backward()
    (shared * 2).sum().backward()


def twice_through_nodes_that_save_nothing(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    y = (x + 1).sum()
    y.backward()
    y.backward()


def saved_value_after_backward(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    y = x.exp()
    y.backward()
    y.grad_fn._saved_result


def create_graph_warns(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    (x * x).backward(create_graph=True)


def unused_input(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    z = torch.ones((), requires_grad=True)
    torch.autograd.grad(x * 2, [x, z])


def unused_first_input(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    z = torch.ones((), requires_grad=True)
    torch.autograd.grad(x * 2, z)


def input_that_requires_no_grad(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    torch.autograd.grad(x * 2, [torch.ones(())])


def output_that_requires_no_grad(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    torch.autograd.grad(torch.ones(()), [x])


def no_inputs_to_grad(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    torch.autograd.grad(x * 2, [])


def no_inputs_to_backward(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    (x * 2).backward(inputs=[])


def input_of_backward_that_requires_no_grad(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    (x * 2).backward(inputs=[torch.ones(())])


def number_among_inputs(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    torch.autograd.grad(x * 2, [1.0])


def vector_to_grad_without_gradient(torch: T) -> None:
    x = torch.ones(3, requires_grad=True)
    torch.autograd.grad(x * 2, x)


def wrong_shape_to_grad(torch: T) -> None:
    x = torch.ones(3, requires_grad=True)
    torch.autograd.grad(x * 2, x, torch.ones(4))


def second_derivative_without_create_graph(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    (first,) = torch.autograd.grad(x * x, x)
    torch.autograd.grad(first, x)


def unused_must_be_allowed_to_materialize(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    torch.autograd.grad(x * 2, x, allow_unused=False, materialize_grads=True)


def batched_gradient_of_wrong_shape(torch: T) -> None:
    x = torch.ones(3, requires_grad=True)
    torch.autograd.grad(x * 2, x, torch.ones(5, 4), is_grads_batched=True)


def batched_gradient_without_batch(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    torch.autograd.grad(x * 2, x, torch.ones(()), is_grads_batched=True)


def only_inputs_is_deprecated(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    torch.autograd.grad(x * 2, x, only_inputs=False)


def retain_grad_without_grad(torch: T) -> None:
    torch.ones(2).retain_grad()


def hook_without_grad(torch: T) -> None:
    torch.ones(2).register_hook(lambda g: g)


def hook_on_integers(torch: T) -> None:
    torch.ones(2, dtype=torch.int64).register_hook(lambda g: g)


def accumulation_hook_on_non_leaf(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    (x * 2).register_post_accumulate_grad_hook(lambda p: None)


def accumulation_hook_without_grad(torch: T) -> None:
    torch.ones(2).register_post_accumulate_grad_hook(lambda p: None)


def accumulation_hook_that_returns(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda p: p)
    x.sum().backward()


def hook_returns_other_shape(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: torch.ones(3))
    y.sum().backward()


def hook_returns_other_dtype(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: g.double())
    y.sum().backward()


def hook_returns_number(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: 1.0)
    y.sum().backward()


def hook_raises(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2

    def hook(gradient: Any) -> None:
        raise ValueError("from the hook")

    y.register_hook(hook)
    y.sum().backward()


def node_hook_returns_wrong_number(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0], inputs[0], inputs[0]))
    y.sum().backward()


def node_prehook_returns_wrong_number(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.grad_fn.register_prehook(lambda outputs: ())
    y.sum().backward()


def non_leaf_grad_is_read(torch: T) -> object:
    x = torch.ones(2, requires_grad=True)
    return (x * 2).grad


def non_leaf_grad_is_read_after_retain(torch: T) -> object:
    y = torch.ones(2, requires_grad=True) * 2
    y.retain_grad()
    return y.grad


def derivative_not_implemented(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    torch.heaviside(x, torch.ones(2)).sum().backward()


def floor_division_has_no_derivative(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    (x // 2).sum().backward()


def unknown_argument(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    (x * 2).backward(retain=True)


def nan_in_anomaly_mode(torch: T) -> None:
    x = torch.zeros((), requires_grad=True)
    with torch.autograd.detect_anomaly(check_nan=True):
        (x.sqrt() * 0).backward()


def gradcheck_of_a_wrong_derivative(torch: T) -> None:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 3

    torch.autograd.gradcheck(Wrong.apply, (torch.ones(2, dtype=torch.float64, requires_grad=True),))


def gradcheck_in_single_precision(torch: T) -> None:
    torch.autograd.gradcheck(lambda x: x * x, (torch.ones(2, requires_grad=True) * 1.3,))


def gradcheck_without_inputs_that_require_grad(torch: T) -> None:
    torch.autograd.gradcheck(torch.exp, (torch.ones(2, dtype=torch.float64),))


def jacobian_of_a_number(torch: T) -> None:
    torch.autograd.functional.jacobian(lambda x: 1.0, torch.ones(2))


def jacobian_strict_of_a_constant(torch: T) -> None:
    torch.autograd.functional.jacobian(lambda x: torch.ones(2), torch.ones(2), strict=True)


def jacobian_of_a_list(torch: T) -> None:
    torch.autograd.functional.jacobian(lambda x: x, [1.0])


def hessian_of_a_vector(torch: T) -> None:
    torch.autograd.functional.hessian(lambda x: x * 2, torch.ones(2))


def vjp_without_v(torch: T) -> None:
    torch.autograd.functional.vjp(lambda x: x * 2, torch.ones(2))


def vjp_with_v_of_other_shape(torch: T) -> None:
    torch.autograd.functional.vjp(lambda x: x * 2, torch.ones(2), torch.ones(3))


def jvp_without_v(torch: T) -> None:
    torch.autograd.functional.jvp(lambda x: x.sum(), torch.ones(2))


def grad_of_a_string(torch: T) -> None:
    torch.autograd.grad("a", torch.ones(2, requires_grad=True))


def grad_of_none(torch: T) -> None:
    torch.autograd.grad(None, torch.ones(2, requires_grad=True))


def grad_with_respect_to_none(torch: T) -> None:
    torch.autograd.grad(torch.ones(2, requires_grad=True).sum(), None)


def backward_from_an_int(torch: T) -> None:
    torch.autograd.backward(1)

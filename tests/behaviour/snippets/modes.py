"""no_grad, enable_grad, set_grad_enabled and inference_mode, in all the ways to use them."""

from __future__ import annotations

from typing import Any

T = Any


def no_grad(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        print(torch.is_grad_enabled(), (x * 2).requires_grad)
    print(torch.is_grad_enabled(), (x * 2).requires_grad)


def nested(torch: T) -> None:
    with torch.no_grad():
        with torch.enable_grad():
            print(torch.is_grad_enabled())
            with torch.no_grad():
                print(torch.is_grad_enabled())
            print(torch.is_grad_enabled())
        print(torch.is_grad_enabled())
    print(torch.is_grad_enabled())


def restored_after_an_error(torch: T) -> None:
    try:
        with torch.no_grad():
            raise ValueError
    except ValueError:
        print(torch.is_grad_enabled())


def set_grad_enabled_as_context(torch: T) -> None:
    x = torch.ones(1, requires_grad=True)
    for flag in (True, False):
        with torch.set_grad_enabled(flag):
            print((x * 2).requires_grad)
    print(torch.is_grad_enabled())


def set_grad_enabled_as_function(torch: T) -> None:
    torch.set_grad_enabled(False)
    print(torch.is_grad_enabled())
    torch.set_grad_enabled(True)
    print(torch.is_grad_enabled())


def decorator(torch: T) -> None:
    x = torch.ones(1, requires_grad=True)

    @torch.no_grad()
    def double(x: Any) -> Any:
        """Twice."""
        return x * 2

    print(double(x).requires_grad, double.__name__, double.__doc__, torch.is_grad_enabled())


def decorator_without_parentheses(torch: T) -> None:
    x = torch.ones(1, requires_grad=True)

    @torch.no_grad
    def double(x: Any) -> Any:
        return x * 2

    print(double(x).requires_grad, torch.is_grad_enabled())


def decorator_enable(torch: T) -> None:
    x = torch.ones(1, requires_grad=True)

    @torch.enable_grad()
    def double(x: Any) -> Any:
        return x * 2

    with torch.no_grad():
        print(double(x).requires_grad, (x * 2).requires_grad)


def decorator_set(torch: T) -> None:
    x = torch.ones(1, requires_grad=True)

    @torch.set_grad_enabled(False)
    def double(x: Any) -> Any:
        return x * 2

    print(torch.is_grad_enabled(), double(x).requires_grad)


def decorated_generator(torch: T) -> None:
    x = torch.ones(1, requires_grad=True)

    @torch.no_grad()
    def doubles() -> Any:
        for _ in range(2):
            print("inside", torch.is_grad_enabled())
            yield x * 2

    for y in doubles():
        print("outside", torch.is_grad_enabled(), y.requires_grad)


def decorated_generator_that_receives(torch: T) -> None:
    @torch.no_grad()
    def echo() -> Any:
        received = None
        while True:
            received = yield (received, torch.is_grad_enabled())

    generator = echo()
    print(next(generator))
    print(generator.send(5), torch.is_grad_enabled())
    generator.close()


def decorated_generator_that_catches(torch: T) -> None:
    @torch.no_grad()
    def careful() -> Any:
        try:
            yield 1
        except KeyError:
            yield torch.is_grad_enabled()

    generator = careful()
    next(generator)
    print(generator.throw(KeyError()), torch.is_grad_enabled())


def decorated_class_method(torch: T) -> None:
    class Model:
        @torch.no_grad()
        def predict(self, x: Any) -> Any:
            return x * 2

    print(Model().predict(torch.ones(1, requires_grad=True)).requires_grad)


def suspended_generator_keeps_its_mode_to_itself(torch: T) -> None:
    @torch.no_grad()
    def inner() -> Any:
        yield torch.is_grad_enabled()
        yield torch.is_grad_enabled()

    generator = inner()
    print(next(generator), torch.is_grad_enabled())
    with torch.no_grad():
        print(next(generator), torch.is_grad_enabled())


def leaves_can_be_made_without_grad(torch: T) -> None:
    with torch.no_grad():
        x = torch.ones(1, requires_grad=True)
        p = torch.nn.Parameter(torch.ones(1))
    print(x.requires_grad, p.requires_grad, (x * 2).requires_grad)


def backward_without_grad_mode(torch: T) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    with torch.no_grad():
        y.backward()
    print(x.grad)


def inference_mode(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        y = x * 2
        print(torch.is_inference_mode_enabled(), torch.is_grad_enabled(), y.requires_grad, y.is_inference())
        view = x[0]
        print(view.is_inference(), view.requires_grad)
    print(torch.is_inference_mode_enabled(), y.is_inference(), x.is_inference())


def inference_mode_off(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        with torch.inference_mode(False):
            y = x * 2
            print(y.requires_grad, y.is_inference())


def inference_tensors_may_be_read(torch: T) -> None:
    with torch.inference_mode():
        x = torch.ones(2)
        x.add_(1)
    print(x + 1, (x + 1).is_inference(), x.clone().is_inference())
    y = torch.ones(2, requires_grad=True)
    print((y + x).grad_fn.name())


def inference_mode_as_decorator(torch: T) -> None:
    @torch.inference_mode()
    def double(x: Any) -> Any:
        return x * 2

    print(double(torch.ones(1, requires_grad=True)).is_inference())

    @torch.inference_mode
    def triple(x: Any) -> Any:
        return x * 3

    print(triple(torch.ones(1)).is_inference())


def no_grad_under_inference(torch: T) -> None:
    with torch.inference_mode():
        with torch.enable_grad():
            y = torch.ones(1, requires_grad=True) * 2
            print(y.requires_grad, y.is_inference(), torch.is_grad_enabled())


def threads_have_their_own_mode(torch: T) -> None:
    import threading

    seen: list[bool] = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
    print(seen)


def mode_objects(torch: T) -> None:
    print(torch.no_grad().__class__.__name__, torch.autograd.no_grad is torch.no_grad)
    print(
        torch.autograd.inference_mode is torch.inference_mode, torch.autograd.enable_grad is torch.enable_grad
    )


def set_multithreading(torch: T) -> None:
    with torch.autograd.set_multithreading_enabled(False):
        x = torch.ones(1, requires_grad=True)
        x.sum().backward()
    print(x.grad)


def anomaly_mode(torch: T) -> None:
    print(torch.is_anomaly_enabled())
    with torch.autograd.detect_anomaly():
        print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
    with torch.autograd.detect_anomaly(check_nan=False):
        print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
    torch.autograd.set_detect_anomaly(True)
    print(torch.is_anomaly_enabled())
    torch.autograd.set_detect_anomaly(False)
    print(torch.is_anomaly_enabled())


def anomaly_text(torch: T) -> None:
    import warnings

    x = torch.tensor([0.0], requires_grad=True)
    with warnings.catch_warnings(record=True) as caught, torch.autograd.detect_anomaly():
        warnings.simplefilter("always")
        y = (x / x).sum()
        try:
            y.backward()
        except RuntimeError as error:
            print(error)
    for item in caught:
        text = str(item.message)
        print(text.splitlines()[0], "y = (x / x).sum()" in text)


def anomaly_text_of_the_second_derivative(torch: T) -> None:
    import warnings

    x = torch.tensor(0.0, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught, torch.autograd.detect_anomaly():
        warnings.simplefilter("always")
        y = x.abs().sqrt() ** 3
        try:
            (g,) = torch.autograd.grad(y, x, create_graph=True)
            g.backward()
        except RuntimeError as error:
            print(error)
    print([str(item.message).split(".")[0] for item in caught])

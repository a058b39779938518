"""torch.utils._contextlib: context managers that decorate functions, generators too."""

from ..autograd.grad_mode import _DecoratorContextManager, _NoParamDecoratorContextManager

__all__ = ["_DecoratorContextManager", "_NoParamDecoratorContextManager"]

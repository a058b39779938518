"""Names with an underscore, or without documentation, that libraries import from torch."""

from __future__ import annotations

import pytest

import pullback as torch
from pullback.fx import _symbolic_trace
from pullback.fx._compatibility import _BACK_COMPAT_OBJECTS, compatibility
from pullback.masked import _ops
from pullback.nn import factory_kwargs


def test_marks_of_compatibility() -> None:
    @compatibility(is_backward_compatible=True)
    def kept() -> None:
        """Do nothing."""

    @_symbolic_trace.compatibility(is_backward_compatible=False)
    def tried() -> None:
        """Do nothing."""

    assert kept.__doc__ == (
        "Do nothing.\n\n.. note::\n    Backwards-compatibility for this API is guaranteed.\n"
    )
    assert tried.__doc__ == (
        "Do nothing.\n\n.. warning::\n    This API is experimental and is *NOT* backward-compatible.\n"
    )
    assert kept in _BACK_COMPAT_OBJECTS
    assert tried not in _BACK_COMPAT_OBJECTS


def test_masked_functions_lie_in_ops() -> None:
    x, mask = torch.tensor([1.0, 2.0, 4.0]), torch.tensor([True, False, True])
    assert _ops.sum(x, 0, mask=mask) == torch.masked.sum(x, 0, mask=mask) == 5
    assert _ops._input_mask(x, mask=mask).equal(mask)


def test_options_of_constructors() -> None:
    assert factory_kwargs(None) == {}
    assert factory_kwargs({"device": "cpu", "factory_kwargs": {"dtype": 1}}) == {"device": "cpu", "dtype": 1}
    with pytest.raises(TypeError, match="unexpected kwargs {'x'}"):
        factory_kwargs({"x": 1})
    with pytest.raises(TypeError, match="dtype specified twice, in"):
        factory_kwargs({"dtype": 1, "factory_kwargs": {"dtype": 1}})

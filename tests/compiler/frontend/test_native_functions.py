"""What a trace takes for a function of ours, which runs as it is, and what it follows as the user's."""

from types import FunctionType

import pullback as torch
from pullback.compiler.frontend.functions import native_functions

#: Those that keep something per object, or that a trace refuses for what they do.
FOLLOWED = {
    "const_data_ptr", "data_ptr", "eq_", "ge_", "greater_", "greater_equal_", "gt_", "is_set_to", "is_shared",
    "le_", "less_", "less_equal_", "lt_", "ne_", "not_equal_", "resize", "resize_", "resize_as", "resize_as_",
    "set_", "share_memory_", "storage", "storage_offset", "untyped_storage",
}  # fmt: skip


def test_functions_and_methods_hold_nothing_that_may_be_the_users():
    # A list or set in a closure would do: the function would be followed line by line, and its modes guarded.
    followed = set()
    for owner in (torch, torch.Tensor, torch.nn.functional, torch.linalg, torch.special, torch.fft):
        for name, f in vars(owner).items():
            file = f.__code__.co_filename if type(f) is FunctionType else ""
            if native_functions.is_native(file) and native_functions.holds_users(f):
                followed.add(name)
    assert followed <= FOLLOWED

"""List the ops that are computed again, not kept, where a backward pass needs their results."""

#: Elementwise ops that take less time to compute again than to store and load.
CHEAP = frozenset(
    {
        "neg", "abs", "add", "sub", "rsub", "mul", "mul_number", "div_number", "eq", "ne", "lt", "le",
        "gt", "ge", "eq_number", "ne_number", "lt_number", "le_number", "gt_number", "ge_number", "where",
        "relu", "zeros_of", "logical_not", "logical_and", "logical_or", "sign", "sgn", "masked_fill",
        "add_scaled", "sub_scaled", "leaky_relu", "clamp", "hardtanh", "threshold", "cast", "clone",
    }
)  # fmt: skip

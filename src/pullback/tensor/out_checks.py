"""Check the tensor given as `out=` as torch does, function by function.

Most functions of torch write through one iterator: the result must be castable to the dtype of `out`, no two
elements of `out` may share memory, and `out` is apart from what is read or the very same. The tables here
hold the others. Names are those that torch's messages begin with.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..array import dtypes
from ..array.dtype_words import c_name, type_word
from ..core.inplace import castable
from ..core.op import TABLE
from ..core.value import TensorBase, dtype_of, shape_of
from .inplace_checks import gives_bools


class DtypeCheck:
    """Say which dtypes a function takes as `out`, and what it says of the others.

    The text has fields: `want` and `got` are the dtypes as torch writes them in most messages (Float),
    `c_want` and `c_got` as C++ does; `narrow` is whether the result is of int32 and `output` is the name of
    one of several results.
    """

    __slots__ = ("error", "fits", "text")

    def __init__(
        self, fits: Callable[[Any, Any], bool], text: str, error: type[Exception] = RuntimeError
    ) -> None:
        self.fits, self.text, self.error = fits, text, error


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _same(want: Any, got: Any) -> bool:
    return bool(want == got)


def _truth(want: Any, got: Any) -> bool:
    return str(got) in ("bool", "uint8")


DEFAULT = DtypeCheck(castable, "result type {want} can't be cast to the desired output type {got}")

_SAFE = ("Expected {output} to be safely castable from {want} dtype, but got {output} with dtype {got}")
_JOINED = DtypeCheck(
    castable, "torch.cat(): input types can't be cast to the desired output type {got}", TypeError
)
_KEPT = DtypeCheck(_same, "Found dtype {got} but expected {want}")
_MODULUS = DtypeCheck(
    lambda want, got: bool(got == np.result_type(want, "F")), "Found dtype {got} but expected Complex{want}"
)

#: Functions that share what they say of a wrong dtype.
_SHARED = {
    "addmm addmv alias_copy aminmax argmax argmin as_strided_copy avg_pool2d baddbmm bmm cross detach_copy "
    "diag diagonal_copy expand_copy gather index_add index_copy index_reduce isin linear log_softmax "
    "lu_solve lu_unpack matmul max min mm msort norm permute_copy qr renorm scatter scatter_add "
    "scatter_reduce select_copy slice_copy slice_scatter softmax sort split_with_sizes_copy squeeze_copy "
    "svd t_copy take_along_dim topk transpose_copy triangular_solve tril triu unbind_copy unfold_copy "
    "unsqueeze_copy view_copy linalg_cholesky linalg_cholesky_ex linalg_cross linalg_det linalg_eigh "
    "linalg_eigvalsh linalg_inv linalg_inv_ex linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve "
    "linalg_lu linalg_lu_factor linalg_lu_factor_ex linalg_lu_solve linalg_qr linalg_slogdet linalg_solve "
    "linalg_solve_ex linalg_svd linalg_svdvals linalg_vector_norm":
        DtypeCheck(_same, "Expected out tensor to have dtype {c_want}, but got {c_got} instead"),
    "gelu hardshrink softplus softshrink": _KEPT,
    "cholesky cholesky_inverse cholesky_solve":
        DtypeCheck(castable, "{function}: " + _SAFE),
    "linalg_eig linalg_householder_product linalg_lstsq linalg_matrix_rank":
        DtypeCheck(castable, "torch.linalg.{function}: " + _SAFE),
    "linalg_cond linalg_pinv":
        DtypeCheck(castable, "linalg.{function}: " + _SAFE),
    "linalg_solve_triangular logsigmoid native_batch_norm":
        DtypeCheck(_same, "expected scalar type {want} but found {got}"),
    "cummax cummin logcumsumexp":
        DtypeCheck(_same, "expected scalar_type {want} but found {got}"),
    "cat column_stack dstack hstack stack vstack": _JOINED,
    "amax amin":
        DtypeCheck(
            _same,
            "Expected the dtype for input and out to match, but got {want} for input's dtype and {got} for "
            "out's dtype.",
        ),
    "bucketize searchsorted":
        DtypeCheck(
            _same,
            "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) "
            "depending on whether out_int32 flag is True, but we got output tensor's dtype {got} and "
            "out_int32 flag is {narrow}",
        ),
    "nanmean nansum":
        DtypeCheck(castable, "\"nansum_cpu\" not implemented for '{got}'", NotImplementedError),
    "inner tensordot":
        DtypeCheck(
            _same,
            "tensordot: Expected the output tensor to have dtype {want}, but got an output tensor with dtype "
            "{got}",
        ),
    "quantile nanquantile":
        DtypeCheck(_same, "quantile() out tensor must be same dtype as the input tensor"),
    "dot vdot":
        DtypeCheck(_same, "result dtype {got} does not match input dtype {want}"),
    "index_select masked_select":
        DtypeCheck(_same, "{function}(): self and result must have the same scalar type"),
    "all any":
        DtypeCheck(_truth, "{function} only supports bool tensor for result, got: {got}"),
    "histc histogram":
        DtypeCheck(
            _same,
            "torch.histogram: input tensor and hist tensor should have the same dtype, but got input "
            "{c_want} and hist {c_got}",
        ),
}  # fmt: skip

#: Functions with words of their own.
_OWN = {
    "addbmm": DtypeCheck(_same, "self and mat2 must have the same dtype, but got {got} and {want}"),
    "frexp": DtypeCheck(_same, "torch.frexp() expects {output} to have dtype {c_want} but got {c_got}"),
    "geqrf": DtypeCheck(castable, "torch.geqrf: " + _SAFE),
    "heaviside": DtypeCheck(_same, "heaviside is not yet implemented for tensors with different dtypes."),
    "kthvalue": DtypeCheck(_same, "output {output} must be of same type as input"),
    "ldexp": DtypeCheck(castable, "ldexp can't be cast to the desired output type {got}"),
    "linalg_eigvals": DtypeCheck(
        castable, "torch.linalg.eigvals: " + _SAFE.replace("{output}", "eigenvalues")
    ),
    "linalg_matrix_norm": DtypeCheck(
        _same, "linalg.matrix_norm expected out tensor dtype {want} but got: {got}"
    ),
    "linalg_multi_dot": DtypeCheck(
        _same, "multi_dot(): expected out tensor to have dtype {c_want} but got {c_got}"
    ),
    "linalg_norm": DtypeCheck(_same, "linalg.norm expected out tensor dtype {want} but got: {got}"),
    "linalg_tensorinv": DtypeCheck(castable, "tensorinv: " + _SAFE),
    "linalg_tensorsolve": DtypeCheck(castable, "tensorsolve: " + _SAFE),
    "linalg_vecdot": DtypeCheck(_same, "linalg.vecdot: Expected out of dtype{want} but found {got}"),
    "logsumexp": DtypeCheck(
        castable, "logsumexp(): Expected floating point type for result tensor, but got: {got}"
    ),
    "mode": DtypeCheck(_same, "expected scalar type '{want}' but got '{got}' for {output} output"),
    "mv": DtypeCheck(
        _same, "addmv input tensors must have the same dtype, but got {got}, {want}, and {want}"
    ),
    "mvlgamma": DtypeCheck(
        castable, "mvlgamma: result type {want} can't be cast to the desired output type {want}"
    ),
    "nan_to_num": DtypeCheck(_same, "nan_to_num: dtype of out: {got} should be same as input: {want}"),
    "nonzero": DtypeCheck(
        _same, "nonzero: Expected out tensor to have scalar type {want} but got scalar type{got}"
    ),
    "ormqr": DtypeCheck(
        _same,
        "torch.ormqr: Expected input and result to have the same dtype, but input has dtype{want} and result "
        "has dtype {got}",
    ),
    "signbit": DtypeCheck(lambda want, got: got.kind == "b", "signbit does not support non-boolean outputs."),
    "take": DtypeCheck(
        _same,
        "take(): self and out expected to have the same dtype, but got self.dtype = {want} and out.dtype = "
        "{got}",
    ),
    "where": DtypeCheck(_same, "Expected out type to be {want} but got {got}"),
}

DTYPES = {name: check for names, check in _SHARED.items() for name in names.split()} | _OWN

#: Overloads with one result, by the number of tensors that they take.
_EXTREME_OF_ALL = DtypeCheck(
    castable,
    "Expected canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype())) to be true, "
    "but got false.  (Could this error message be improved?  If so, please report an enhancement request to "
    "PyTorch.)",
)
_OVERLOADS = {
    ("clamp", 1): _KEPT, ("max", 1): _EXTREME_OF_ALL, ("max", 2): DEFAULT,
    ("min", 1): _EXTREME_OF_ALL, ("min", 2): DEFAULT,
}  # fmt: skip

_NEVER = _names(
    "alias_copy as_strided_copy bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift "
    "bitwise_xor detach_copy diagonal_copy expand_copy floor_divide gcd heaviside histogram lcm "
    "linalg_eigvals linalg_ldl_solve log_softmax permute_copy select_copy slice_copy slice_scatter "
    "softmax squeeze_copy t_copy transpose_copy unfold_copy unsqueeze_copy view_copy"
)

#: What torch calls a function where it refuses to record a write; `aten::` stands before functions of whose
#: `out=` form its table of derivatives knows nothing: such a write is recorded, to be refused by `backward`,
#: where a write in place would be.
_REFUSING = {
    "_fft_c2c": "fft2 fftn ifft2 ifftn ihfft2 ihfftn",
    "_fft_c2r": "hfft hfft2 hfftn irfft irfft2 irfftn",
    "_fft_r2c": "fft rfft rfft2 rfftn",
    "_linalg_det": "linalg_det",
    "_linalg_eigh": "linalg_eigh linalg_eigvalsh",
    "_linalg_slogdet": "linalg_slogdet",
    "_linalg_solve_ex": "linalg_solve",
    "_linalg_svd": "linalg_svd linalg_svdvals svd",
    "aten::conj_physical": "conj_physical ifft ihfft",
    "aten::diag_embed": "diag",
    "cat": "column_stack dstack hstack vstack",
    "gather": "take_along_dim",
    "linalg_cholesky_ex": "linalg_cholesky",
    "linalg_cross": "cross",
    "linalg_inv_ex": "linalg_inv",
    "linalg_lu_solve": "lu_solve",
    "linalg_qr": "qr",
    "linalg_vector_norm": "norm",
    "log_sigmoid_forward": "logsigmoid",
    "matmul": "linalg_matrix_power",
    "mm": "linalg_multi_dot",
    "mul": "kron outer",
    "nansum": "nanmean",
    "pow": "float_power square",
    "sort": "msort",
    "sub": "diff",
    "special_xlog1py": "xlog1py",
    "special_zeta": "zeta",
    "sum": "linalg_vecdot",
} | {f"aten::{name}": name for name in _NEVER}
_SHOWN = {name: shown for shown, names in _REFUSING.items() for name in names.split()}

#: Functions put together from others and a copy into `out`: the copy is recorded.
COPYING = _names(
    "inner linalg_cond linalg_matrix_norm linalg_norm linalg_tensorinv linalg_tensorsolve nanquantile ndtr "
    "quantile tensordot"
)

#: Functions that leave an `out` which they resize in C order, where others lay it out as their result; the
#: second do so where it had elements.
IN_ORDER = COPYING | _names(
    "cholesky_solve fft fft2 fftn hfft hfft2 hfftn ifft2 ifftn ihfft2 ihfftn irfft irfft2 irfftn "
    "linalg_matrix_power rfft rfft2 rfftn"
)
IN_ORDER_WITH_ELEMENTS = _names("cholesky_inverse geqrf linalg_householder_product ormqr")

#: Functions that write several elements of `out` to one place without a word.
CARELESS = _names(
    "all amax amin any argmax argmin bmm cummax cummin histc linalg_matrix_power linalg_matrix_rank "
    "linalg_vecdot linalg_vector_norm mv nansum norm std tril triu var"
)

#: Functions that compute elsewhere before they write: `out` may share memory with what they read.
BUFFERED = _names(
    "amax amin as_strided_copy bmm cholesky cholesky_solve diagonal_copy dot inner linalg_cholesky "
    "linalg_cond linalg_eigvalsh linalg_inv linalg_ldl_solve linalg_matrix_norm linalg_pinv linalg_solve "
    "linalg_solve_triangular linalg_svdvals linalg_tensorinv linalg_tensorsolve linalg_vector_norm "
    "log_softmax logsumexp matmul mean mm mv mvlgamma nanquantile ndtr norm quantile softmax std t_copy "
    "tensordot tril triu var vdot"
)

#: Functions that do not take as `out` a tensor that they read.
READING_APART = _names(
    "cat concat concatenate cross gather index_select kthvalue linalg_cross masked_select take take_along_dim"
)

#: Functions that resize `out` without a word.
RESIZING = _names("addbmm bernoulli logsigmoid multinomial normal")

#: Functions of which torch records nothing, beside elementwise ops without rules.
_UNRECORDED = _names("argmax argmin bucketize histc isin searchsorted split_with_sizes_copy")


#: Functions of the dtype of their input that look for a kernel when they have an `out` of it.
_OF_INPUT = _names("amax amin log_softmax logcumsumexp softmax")


def unrecorded(name: str) -> bool:
    """Return whether a function has no derivative, whatever `out` is."""
    op = TABLE.get(name)
    has_none = op is not None and op.kind == "elementwise" and not any(op.rules)
    return name in _UNRECORDED or (has_none and name not in _NEVER)


def refusing(name: str) -> str:
    """Return what torch calls a function where it refuses to record a write."""
    op = TABLE.get(name)
    if op is not None and op.names and all(n.startswith("special.") for n in op.names):
        return f"special_{name}"
    return _SHOWN.get(name, name)


def _keeps_dtype(name: str) -> bool:
    """Return whether a function is an elementwise op of one input whose dtype is the result's."""
    op = TABLE.get(name)
    if op is None or op.kind != "elementwise" or len(op.inputs) > 1 or op.attrs or op.promote == "float":
        return False
    return not gives_bools(op)


def of(name: str, operands: int, several: bool, kept: bool = True, kind: str = "f") -> DtypeCheck:
    """Return the check of a function's dtype; `several`: this overload has several results.

    `kept` is whether the result has the dtype of the input: it has not for `abs` of complex numbers, which
    casts to a real `out` and takes one complex dtype. `kind` is NumPy's kind of `out`.
    """
    found = (None if several else _OVERLOADS.get((name, operands))) or DTYPES.get(name)
    if found or not _keeps_dtype(name):
        return found or DEFAULT
    return _KEPT if kept else _MODULUS if kind == "c" else DEFAULT


def wrong_dtype(check: DtypeCheck, name: str, want: Any, got: Any, output: str) -> Exception:
    """Build what a function says of an `out` whose dtype does not fit."""
    return check.error(
        check.text.format(
            function=name.removeprefix("linalg_"), output=output,
            want=type_word(want), got=type_word(got), c_want=c_name(want), c_got=c_name(got),
            narrow=str(want) == "int32",
        )
    )


def check_before_kernel(name: str, out: Any, operands: Iterable[Any], dtype: Any) -> None:
    """Raise what torch says of the dtype of `out` before it looks for a kernel for the operands."""
    op = TABLE.get(name)
    elementwise = op is not None and op.kind == "elementwise"
    if not isinstance(out, TensorBase) or not (elementwise or name in _OF_INPUT):
        return
    met = [v for v in operands if isinstance(v, (TensorBase, int, float, complex))]
    want = dtypes.result_numpy_dtype(
        [np.empty((0,) * len(shape_of(v)), dtype_of(v)) if isinstance(v, TensorBase) else v for v in met]
    )
    if name in _OF_INPUT:
        want = dtype_of(met[0]) if dtype is None else dtype.numpy
    elif op is not None and gives_bools(op):
        return
    check, have = of(name, len(met), several=False), dtype_of(out)
    if have != want and not check.fits(want, have):
        raise wrong_dtype(check, name, want, have, "result")

"""torch.return_types: the classes of results with names."""

from ..tensor.return_types import return_type

#: Fields → the results that have them.
_FIELDS = {
    "min max": "aminmax",
    "values indices": "cummax cummin kthvalue max median min mode nanmedian sort topk",
    "mantissa exponent": "frexp",
    "a tau": "geqrf",
    "hist bin_edges": "histogram histogramdd",
    "L info": "linalg_cholesky_ex",
    "eigenvalues eigenvectors": "linalg_eig linalg_eigh",
    "inverse info": "linalg_inv_ex",
    "LD pivots": "linalg_ldl_factor",
    "LD pivots info": "linalg_ldl_factor_ex",
    "solution residuals rank singular_values": "linalg_lstsq",
    "P L U": "linalg_lu lu_unpack",
    "LU pivots": "linalg_lu_factor",
    "LU pivots info": "linalg_lu_factor_ex",
    "Q R": "linalg_qr qr",
    "sign logabsdet": "linalg_slogdet slogdet",
    "result info": "linalg_solve_ex",
    "U S Vh": "linalg_svd",
    "U S V": "svd",
    "solution cloned_coefficient": "triangular_solve",
}
_KINDS = {
    name: return_type(name, *fields.split()) for fields, names in _FIELDS.items() for name in names.split()
}

globals().update(_KINDS)
all_return_types = list(_KINDS.values())

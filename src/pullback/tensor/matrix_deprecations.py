"""Warnings, once in a process, of matrix functions that torch keeps beside their successors in `linalg`."""

from ..core.warn import warn_once

_TEXTS = {
    "cholesky": (
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future "
        "PyTorch release.\nL = torch.cholesky(A)\nshould be replaced with\nL = "
        "torch.linalg.cholesky(A)\nand\nU = torch.cholesky(A, upper=True)\nshould be replaced with\nU = "
        "torch.linalg.cholesky(A).mH\nThis transform will produce equivalent results for all valid "
        "(symmetric positive definite) inputs."
    ),
    "lu": (
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be "
        "removed in a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\n"
        "should be replaced with\nLU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\n"
        "LU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be replaced with\n"
        "LU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)"
    ),
    "lu_solve": (
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future "
        "PyTorch release.\nNote that torch.linalg.lu_solve has its arguments reversed.\nX = "
        "torch.lu_solve(B, LU, pivots)\nshould be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)"
    ),
    "qr": (
        "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch "
        "release.\nThe boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = "
        "torch.qr(A, some)\nshould be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else "
        "'complete')"
    ),
    "triangular_solve": (
        "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed "
        "in a future PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not "
        "return a copy of one of the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced "
        "with\nX = torch.linalg.solve_triangular(A, B)."
    ),
    "chain_matmul": (
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
        "torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than multiple "
        "parameters."
    ),
    "cross": (
        "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim "
        "explicitly or simply use torch.linalg.cross.\nThe default value of dim will change to agree with "
        "that of linalg.cross in a future release."
    ),
}


def superseded(name: str) -> None:
    """Warn that a function has a successor; called from the function's body."""
    warn_once(_TEXTS[name])

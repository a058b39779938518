"""Record what torch's functions in Python say of an argument that is no tensor, as
src/pullback/tensor/tensor_arguments.json.

Such a function fails where it first touches the argument, so its message is known only by calling it. A name
that ends in a question mark is that of a parameter that may be None. Run with a Python that has torch, from
the project's root: ``python -m tools.record_tensor_arguments``.
"""

from __future__ import annotations

import inspect
import json
import warnings
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F

import pullback

TARGET = Path(pullback.__file__).parent / "tensor" / "tensor_arguments.json"

MATRIX, ROW, IMAGE = torch.rand(2, 2), torch.rand(2), torch.rand(1, 4, 4, 4)
INDICES = torch.tensor([0, 1])

#: Function → arguments of a right call; the tensors among them are replaced one at a time.
CALLS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        (
            "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "poisson_nll_loss", "kl_div",
            "soft_margin_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits",
            "hinge_embedding_loss", "multilabel_soft_margin_loss",
        ),
        (MATRIX, MATRIX),
    ),
    **dict.fromkeys(("nll_loss", "cross_entropy", "multi_margin_loss"), (MATRIX, INDICES)),
    **dict.fromkeys(("gaussian_nll_loss", "triplet_margin_loss"), (MATRIX, MATRIX, MATRIX)),
    "cosine_embedding_loss": (MATRIX, MATRIX, ROW),
    "margin_ranking_loss": (ROW, ROW, ROW),
    "multilabel_margin_loss": (ROW, INDICES),
    "embedding": (INDICES, MATRIX),
    "embedding_bag": (INDICES[None], MATRIX),
    "grid_sample": (IMAGE, torch.zeros(1, 2, 2, 2)),
    "ctc_loss": (torch.rand(3, 1, 2), INDICES[None, 1:], torch.tensor([3]), torch.tensor([1])),
    **dict.fromkeys(
        (
            "relu", "relu6", "elu", "selu", "celu", "silu", "mish", "hardtanh", "hardswish", "hardsigmoid",
            "glu", "leaky_relu", "softsign", "tanhshrink", "tanh", "sigmoid", "rrelu", "dropout",
            "alpha_dropout",
            "feature_alpha_dropout", "gumbel_softmax", "normalize",
        ),
        (MATRIX,),
    ),
    **dict.fromkeys(("softmax", "log_softmax", "softmin"), (MATRIX, 0)),
    **dict.fromkeys(("layer_norm", "rms_norm"), (MATRIX, (2,))),
    **dict.fromkeys(("dropout2d", "dropout3d", "instance_norm"), (IMAGE,)),
    "dropout1d": (torch.rand(1, 2, 2),),
    "threshold": (MATRIX, 0.0, 0.0),
    "group_norm": (IMAGE, 1),
    "batch_norm": (MATRIX, ROW, ROW),
    "local_response_norm": (IMAGE, 2),
    **dict.fromkeys(
        ("adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool2d", "max_pool2d", "interpolate",
         "upsample", "unfold"), (IMAGE, 2)
    ),
    "lp_pool1d": (torch.rand(1, 2, 4), 2, 2),
    "lp_pool2d": (IMAGE, 2, 2),
    **dict.fromkeys(("max_pool1d", "adaptive_max_pool1d"), (torch.rand(1, 2, 4), 2)),
    "max_pool3d": (IMAGE, 2),
    "fold": (torch.rand(1, 4, 1), 2, 2),
    "pad": (MATRIX, (1, 1)),
    "affine_grid": (torch.rand(1, 2, 3), (1, 1, 2, 2)),
}  # fmt: skip


class Foreign:
    """What is no tensor and has none of its attributes."""


def said(function: Any, arguments: list[Any], name: str) -> str | None:
    """The error's text with ``{}`` in place of a class's name; None where there is none."""
    try:
        function(*arguments)
    except (AttributeError, RuntimeError, TypeError) as error:
        text = str(error)
        if text.count(name) == 1 and ("has no attribute" in text or "must be Tensor" in text):
            return text.replace(name, "{}")
    return None


def main() -> None:
    warnings.simplefilter("ignore")
    record: dict[str, dict[str, str]] = {}
    for name, arguments in sorted(CALLS.items()):
        function = getattr(F, name)
        function(*arguments)
        parameters = list(inspect.signature(function).parameters)
        if parameters[:1] == ["args"]:  # one of two functions, by a flag
            parameters = ["input"]
        for place, argument in enumerate(arguments):
            if isinstance(argument, torch.Tensor):
                before, after = arguments[:place], arguments[place + 1 :]
                message = said(function, [*before, Foreign(), *after], "Foreign")
                if message is not None:
                    found = record.setdefault(name, {})
                    assert len(found) == place, "the record tells places by the order"
                    optional = said(function, [*before, None, *after], "NoneType") != message
                    found[parameters[place] + ("?" if optional else "")] = message
    TARGET.write_text(json.dumps(record, indent=0) + "\n")
    print(len(record), "functions")


if __name__ == "__main__":
    main()

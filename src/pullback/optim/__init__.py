"""torch.optim: optimizers, each a state and an update."""

from ..torch_names.exclusions import answer_for
from . import lr_scheduler, swa_utils
from .adadelta import Adadelta
from .adafactor import Adafactor
from .adagrad import Adagrad
from .adam import Adam
from .adamax import Adamax
from .adamw import AdamW
from .asgd import ASGD
from .lbfgs import LBFGS
from .muon import Muon
from .nadam import NAdam
from .optimizer import Optimizer
from .radam import RAdam
from .rmsprop import RMSprop
from .rprop import Rprop
from .sgd import SGD
from .sparse_adam import SparseAdam

__all__ = [
    "ASGD", "LBFGS", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Muon", "NAdam",
    "Optimizer", "RAdam", "RMSprop", "Rprop", "SparseAdam", "lr_scheduler", "swa_utils",
]

for _class in (
    ASGD, LBFGS, SGD, Adadelta, Adafactor, Adagrad, Adam, AdamW, Adamax, Muon, NAdam, RAdam, RMSprop, Rprop,
    SparseAdam,
):  # fmt: skip
    _file = _class.__module__.rpartition(".")[2]
    _class.__module__ = f"torch.optim.{'_' if _class in (Adafactor, Muon) else ''}{_file}"
del _class, _file
answer_for(globals())

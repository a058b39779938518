"""torch.utils.tensorboard: what a program writes down for TensorBoard, through the package tensorboard."""

from .writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]
